//! Markdown that fits a pull request comment: the verdict, the budgets as bars, what to do, and the figures behind it. What
//! does not fit is counted.

use super::report::{Budget, Report, budgets, of_severity};
use super::span::{block, cell, code, prose};
use crate::audit::evidence::Change;
use crate::audit::finding::{Finding, Severity, sentence};
use crate::audit::verdict::{Verdict, Verification};
use crate::ledger::record::Ledger;
use crate::policy::escape::{plain, typed};
use crate::policy::text::Text;
use crate::report::changes;
use crate::report::verifiers::last_lines;
use crate::report::words::{count, counted, len, signed};

/// How long a comment may be on GitHub, in characters. Bytes are counted here, of which there are never fewer.
pub const LIMIT: usize = 65_536;

/// What is kept free for the line that says how much is left out.
const MARGIN: usize = 200;

/// How many cells a bar has.
const CELLS: u64 = 20;

/// One entry of a list, and a shorter form of it for where the whole does not fit.
struct Item {
    long: String,
    short: String,
}

impl From<String> for Item {
    fn from(long: String) -> Self {
        Item { short: long.clone(), long }
    }
}

/// A list under a heading.
struct Section {
    title: &'static str,
    noun: &'static str,
    items: Vec<Item>,
}

/// The verdict as a comment.
pub fn render(report: &Report<'_>) -> Vec<u8> {
    within(report, LIMIT).into_bytes()
}

fn within(report: &Report<'_>, limit: usize) -> String {
    let verdict = report.verdict;
    let head = head(verdict) + &bars(verdict);
    let foot = foot(report);
    let mut left = limit.saturating_sub(head.len() + foot.len());
    let mut out = head;
    let sections = sections(report);
    for (at, section) in sections.iter().enumerate() {
        // Whoever comes first may take the most, and never all: the last ones are for whoever wants the whole picture.
        let share = if at + 1 == sections.len() { left } else { left / 4 * 3 };
        let text = section.within(share);
        left = left.saturating_sub(text.len());
        out += &text;
    }
    out + &foot
}

impl Section {
    /// As many entries as `limit` bytes hold, and how many there are beside these.
    fn within(&self, limit: usize) -> String {
        if self.items.is_empty() {
            return String::new();
        }
        let mut out = format!("\n### {}\n\n", self.title);
        let mut room = limit.saturating_sub(out.len() + MARGIN);
        let mut told = 0;
        for item in &self.items {
            let Some(text) = [&item.long, &item.short].into_iter().find(|text| text.len() <= room) else { break };
            room -= text.len();
            out += text;
            told += 1;
        }
        match self.items.len() - told {
            0 => out,
            rest => {
                let rest = counted(rest as u64, self.noun);
                out + &format!("\n*{rest} more did not fit; the JSON of the same check has all.*\n")
            }
        }
    }
}

fn sections(report: &Report<'_>) -> [Section; 6] {
    let verdict = report.verdict;
    let effects = report.session.iter().flat_map(|ledger| ledger.events.iter()).map(|event| {
        let from = event.effect.path_before().map_or_else(String::new, |path| format!("{} to ", code(&path.plain())));
        let name = event.effect.name().trim_start_matches("file.");
        format!("- {name} {from}{}\n", code(&event.effect.path().plain()))
    });
    let section = |title, noun, items: Vec<Item>| Section { title, noun, items };
    let lines = |lines: Vec<String>| lines.into_iter().map(Item::from).collect();
    [
        section("What to do", "violation", findings(of_severity(verdict, Severity::Violation))),
        section("Verifiers", "verifier", verdict.verification.iter().map(verifier).collect()),
        section("Changed paths", "path", lines(verdict.changes.iter().map(change).collect())),
        section("Noted", "finding", findings(of_severity(verdict, Severity::Note))),
        section(
            "Notes",
            "note",
            lines(verdict.notes.iter().map(|note| format!("- {}\n", code(&note.plain()))).collect()),
        ),
        section("Net effects on disk", "effect", lines(effects.collect())),
    ]
}

fn head(verdict: &Verdict) -> String {
    let word = if verdict.passed { "\u{2705} accepted" } else { "\u{274c} rejected" };
    let violations = counted(len(&verdict.violations), "violation");
    let changed = counted(len(&verdict.changes), "changed path");
    let label = code(&short(&typed(verdict.label.as_bytes())));
    format!("## Cordon: {word}\n\n{label}\n\n{violations}, {changed}.\n")
}

/// The beginning of a text that may be longer than a comment.
fn short(text: &str) -> String {
    const LONGEST: usize = 1_000;
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{} ... ({} bytes)", &text[..cut], count(text.len() as u64)),
        None => text.to_owned(),
    }
}

fn bars(verdict: &Verdict) -> String {
    let rows = budgets(verdict).map(|budget| {
        let Budget { name, used, limit, left } = budget;
        let full = budget.share(CELLS);
        let bar: String = (0..CELLS).map(|at| if at < full { '\u{2588}' } else { '\u{2591}' }).collect();
        let over = if budget.is_over() { " **over**" } else { "" };
        format!("| {name} | {} | {} | {} | `{bar}`{over} |\n", count(used), count(limit), signed(left))
    });
    format!("\n| budget | used | limit | left | |\n|---|--:|--:|--:|---|\n{}", rows.concat())
}

/// Neighbours with the same code and the same help share that help.
fn findings<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<Item> {
    let findings: Vec<&Finding> = findings.collect();
    let groups = findings.chunk_by(|a, b| a.code == b.code && a.help == b.help);
    groups
        .flat_map(|group| {
            let last = group.len() - 1;
            group.iter().enumerate().map(move |(at, finding)| item(finding, at == last))
        })
        .collect()
}

fn item(finding: &Finding, with_help: bool) -> Item {
    let undo = finding.undo.as_ref().map(|undo| format!("  - undo: {}\n", code(&typed(undo.as_bytes()))));
    let help = with_help.then(|| format!("  - {}\n", prose(&finding.advice())));
    let short = format!("- **{}** {}\n", finding.code.name(), prose(&sentence(&finding.message)));
    Item { long: short.clone() + &undo.unwrap_or_default() + &help.unwrap_or_default(), short }
}

fn verifier(run: &Verification) -> Item {
    let command = code(&typed(run.command.as_bytes()));
    if run.passed {
        return format!("- passed: {command}\n").into();
    }
    let short = format!("- **failed**: {command} ({})\n", run.ending());
    let stream = |name: &str, text: &Text| {
        let tail = last_lines(text.as_bytes());
        tail.map_or_else(String::new, |tail| format!("\n{name}{}:\n\n{}", tail.what, block(&tail.lines)))
    };
    Item { long: short.clone() + &stream("stdout", &run.stdout) + &stream("stderr", &run.stderr), short }
}

fn change(change: &Change) -> String {
    let size = if change.binary {
        "binary".to_owned()
    } else {
        format!("+{} -{}", count(change.added), count(change.deleted))
    };
    format!("- {} {} {size}\n", changes::word(change.kind), code(&change.path.plain()))
}

fn foot(report: &Report<'_>) -> String {
    let verdict = report.verdict;
    let id = |text: &str| cell(&plain(text.as_bytes()));
    let mut rows = vec![("baseline", id(&verdict.baseline)), ("anchor", id(&verdict.anchor))];
    rows.extend(verdict.current_head.iter().filter(|_| verdict.head_changed).map(|head| ("HEAD", id(head))));
    rows.extend(verdict.session.iter().map(|session| ("session", id(session))));
    if let Some(Ledger { started, finished, .. }) = report.session {
        let command: Vec<String> = started.command.iter().map(Text::plain).collect();
        rows.extend([
            ("actor", cell(&short(&started.actor.plain()))),
            ("command", cell(&short(&command.join(" ")))),
            ("began", id(&started.ts)),
            ("outcome", format!("{}, exit {}", finished.outcome.name(), finished.exit_code)),
        ]);
    }
    let rows: Vec<String> = rows.iter().map(|(name, value)| format!("| {name} | {value} |\n")).collect();
    format!("\n### Record\n\n| | |\n|---|---|\n{}", rows.concat())
}
