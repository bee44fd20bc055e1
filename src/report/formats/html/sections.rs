//! The sections of the page, one function each. An empty one is left out.

use super::treemap::{self, SHAPES};
use crate::audit::evidence::Change;
use crate::audit::finding::{Finding, Severity, sentence};
use crate::audit::verdict::{Verdict, Verification};
use crate::ledger::record::Event;
use crate::policy::escape::{plain, typed};
use crate::policy::text::Text;
use crate::report;
use crate::report::formats::report::{Budget, Report};
use crate::report::formats::xml::escaped;
use crate::report::verifiers::last_lines;
use crate::report::words::{count, counted, len, signed};

/// How many entries a list has before the rest is only counted.
const LISTED: usize = 2_000;

/// How wide a gauge is in its own units.
const GAUGE: u64 = 1_000;

fn section(title: &str, body: &str) -> String {
    if body.is_empty() { String::new() } else { format!("<section>\n<h2>{title}</h2>\n{body}</section>\n") }
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

/// The first entries, and how many there are beside these.
fn listed<T>(all: &[T], noun: &str, entry: impl Fn(&T) -> String) -> String {
    let entries: String = all.iter().take(LISTED).map(entry).collect();
    match all.len().saturating_sub(LISTED) {
        0 => entries,
        rest => {
            let rest = counted(rest as u64, noun);
            format!("{entries}<li class=\"soft\">{rest} more; the JSON of the same check has all</li>\n")
        }
    }
}

fn list<T>(all: &[T], noun: &str, entry: impl Fn(&T) -> String) -> String {
    if all.is_empty() { String::new() } else { format!("<ul class=\"list\">\n{}</ul>\n", listed(all, noun, entry)) }
}

/// Findings of one kind; neighbours with the same code and the same help share a card.
pub fn findings<'a>(title: &str, findings: impl Iterator<Item = &'a Finding>) -> String {
    let all: Vec<&Finding> = findings.collect();
    let groups = all[..all.len().min(LISTED)].chunk_by(|a, b| a.code == b.code && a.help == b.help);
    let mut parts: Vec<String> = groups.map(card).collect();
    if all.len() > LISTED {
        let rest = counted((all.len() - LISTED) as u64, "finding");
        parts.push(format!("<p class=\"soft\">{rest} more; the JSON of the same check has all</p>\n"));
    }
    section(title, &parts.concat())
}

fn card(group: &[&Finding]) -> String {
    let [first, ..] = group else { return String::new() };
    let (class, word) = match first.severity {
        Severity::Violation => ("finding violation", "<strong class=\"bad\">violation</strong>"),
        Severity::Note => ("finding", "<strong class=\"note\">note</strong>"),
    };
    let told = group.iter().map(|finding| {
        let undo = finding.undo.as_ref().map(|undo| format!("<pre>{}</pre>\n", escaped(&typed(undo.as_bytes()))));
        format!("<p>{}</p>\n{}", code(&sentence(&finding.message)), undo.unwrap_or_default())
    });
    format!(
        "<article class=\"{class}\">\n<h3>{word} {}</h3>\n{}<p class=\"soft\">{}</p>\n</article>\n",
        first.code.name(),
        told.collect::<Vec<_>>().concat(),
        escaped(&first.advice())
    )
}

/// A gauge for each budget.
pub fn budgets(verdict: &Verdict) -> String {
    let gauges = report::formats::report::budgets(verdict).map(|budget| {
        let Budget { name, used, limit, left } = budget;
        let (class, left) = if budget.is_over() {
            ("fill over", format!("<strong class=\"bad\">over by {}</strong>", count(left.unsigned_abs())))
        } else {
            ("fill", format!("{} left", signed(left)))
        };
        format!(
            "<li><strong>{name}</strong>\n<svg class=\"gauge\" viewBox=\"0 0 {GAUGE} 10\" preserveAspectRatio=\"none\" \
             aria-hidden=\"true\"><rect class=\"track\" width=\"{GAUGE}\" height=\"10\"/><rect class=\"{class}\" \
             width=\"{}\" height=\"10\"/></svg>\n<span>{} of {}, {left}</span></li>\n",
            budget.share(GAUGE),
            count(used),
            count(limit)
        )
    });
    section("Budgets", &format!("<ul class=\"gauges\">\n{}</ul>\n", gauges.concat()))
}

/// The change as a picture, with a key.
pub fn picture(verdict: &Verdict) -> String {
    let maps: String = SHAPES.iter().map(|shape| treemap::svg(verdict, shape)).collect();
    if maps.is_empty() {
        return String::new();
    }
    let sign = |class: &str, words: &str| {
        format!(
            "<li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"tile {class}\" width=\"10\" height=\"10\"/></svg> {words}</li>\n"
        )
    };
    let key = [
        sign("added", "added"),
        sign("", "modified"),
        sign("deleted", "deleted"),
        sign("outside", "outside of the envelope"),
    ];
    let words = "The area is the number of changed lines, by directory; a binary file counts one line a kilobyte.";
    let key = format!("<ul class=\"key\">\n{}</ul>\n<p class=\"soft\">{words}</p>\n", key.concat());
    section("Where the change is", &(maps + &key))
}

/// The changed paths.
pub fn changes(verdict: &Verdict) -> String {
    let marks = report::changes::marks(verdict);
    let entry = |change: &Change| {
        let amount = if change.binary {
            "binary".to_owned()
        } else {
            format!(
                "<span class=\"good\">+{}</span> <span class=\"bad\">-{}</span>",
                count(change.added),
                count(change.deleted)
            )
        };
        let mark = marks.get(change.path.as_bytes());
        let mark = mark.map_or_else(String::new, |mark| format!(" <strong class=\"bad\">{mark}</strong>"));
        format!("<li>{} {} {amount}{mark}</li>\n", report::changes::word(change.kind), code(&change.path.plain()))
    };
    section("Changed paths", &list(&verdict.changes, "path", entry))
}

/// The verifiers, with the end of what a failed one wrote.
pub fn verifiers(verdict: &Verdict) -> String {
    section("Verifiers", &verdict.verification.iter().map(verifier).collect::<String>())
}

fn verifier(run: &Verification) -> String {
    let command = code(&typed(run.command.as_bytes()));
    if run.passed {
        return format!("<h3><span class=\"good\">passed</span> {command}</h3>\n");
    }
    let stream = |name: &str, text: &Text| {
        last_lines(text.as_bytes()).map_or_else(String::new, |tail| {
            // Escaped line ends: no line of the page begins with what a program wrote, for a CI's log has commands there.
            format!("<p class=\"soft\">{name}{}:</p>\n<pre>{}</pre>\n", tail.what, escaped(&tail.lines.join("\n")))
        })
    };
    format!(
        "<h3><span class=\"bad\">failed</span> {command}</h3>\n<p>{}</p>\n{}{}",
        run.ending(),
        stream("stdout", &run.stdout),
        stream("stderr", &run.stderr)
    )
}

/// The notes.
pub fn notes(verdict: &Verdict) -> String {
    section("Notes", &list(&verdict.notes, "note", |note| format!("<li>{}</li>\n", code(&note.plain()))))
}

/// What the verdict is about, and the session that it is recorded in.
pub fn ledger(report: &Report<'_>) -> String {
    let verdict = report.verdict;
    let mut rows: Vec<(&str, String)> =
        vec![("baseline", verdict.baseline.clone()), ("anchor", verdict.anchor.clone())];
    rows.extend(verdict.current_head.iter().filter(|_| verdict.head_changed).map(|head| ("HEAD now", head.clone())));
    rows.extend(verdict.tree.iter().map(|tree| ("tree", tree.clone())));
    rows.extend(verdict.session.iter().map(|session| ("session", session.clone())));
    let mut rows: Vec<(&str, String)> = rows.into_iter().map(|(name, id)| (name, plain(id.as_bytes()))).collect();
    let mut effects = String::new();
    if let Some(ledger) = report.session {
        let (started, finished) = (&ledger.started, &ledger.finished);
        let command: Vec<String> = started.command.iter().map(Text::plain).collect();
        rows.extend([
            ("actor", started.actor.plain()),
            ("command", command.join(" ")),
            ("began", plain(started.ts.as_bytes())),
            ("ended", plain(finished.ts.as_bytes())),
            ("outcome", format!("{}, exit {}", finished.outcome.name(), finished.exit_code)),
        ]);
        effects = list(&ledger.events, "effect", effect);
        if !effects.is_empty() {
            effects = format!("<h3>{} on disk</h3>\n{effects}", counted(len(&ledger.events), "net effect"));
        }
    }
    let rows: Vec<String> =
        rows.iter().map(|(name, value)| format!("<dt>{name}</dt><dd>{}</dd>\n", code(value))).collect();
    section("Ledger", &format!("<dl>\n{}</dl>\n{effects}", rows.concat()))
}

fn effect(event: &Event) -> String {
    let from = event.effect.path_before().map_or_else(String::new, |path| format!("{} to ", code(&path.plain())));
    let name = event.effect.name().trim_start_matches("file.");
    format!("<li>{name} {from}{}</li>\n", code(&event.effect.path().plain()))
}
