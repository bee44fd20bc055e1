//! One page that needs no other file, no script and nothing from outside: the verdict, the budgets, a picture of the change,
//! the findings, the verifiers and the ledger.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use self::sections::{budgets, changes, findings, ledger, notes, picture, verifiers};
use super::report::{Report, VERSION, of_severity, word};
use super::xml::escaped;
use crate::audit::finding::Severity;
use crate::audit::verdict::Verdict;
use crate::policy::escape::typed;
use crate::report::words::{counted, len};

mod sections;
mod squarify;
mod treemap;

/// The only style of the page; the policy of the page names it by its digest.
const STYLE: &str = include_str!("html/style.css");

/// The verdict as a page. It is well-formed XML as well, so that a test can read it strictly.
pub fn render(report: &Report<'_>) -> Vec<u8> {
    let verdict = report.verdict;
    let label = escaped(&typed(verdict.label.as_bytes()));
    let sections = [
        findings("What to do", of_severity(verdict, Severity::Violation)),
        budgets(verdict),
        picture(verdict),
        changes(verdict),
        verifiers(verdict),
        findings("Noted", of_severity(verdict, Severity::Note)),
        notes(verdict),
        ledger(report),
    ];
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>\n\
         <meta name=\"referrer\" content=\"no-referrer\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{}: {label}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<header>\n{}</header>\n<main>\n{}</main>\n\
         <footer><p class=\"soft\">Cordon {VERSION}</p></footer>\n</body>\n</html>\n",
        policy(),
        word(verdict),
        headline(verdict, &label),
        sections.concat()
    )
    .into_bytes()
}

/// What the page may load and do: apply its own style, and nothing else.
fn policy() -> String {
    let digest = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    format!(
        "default-src &#39;none&#39;; style-src &#39;sha256-{digest}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;"
    )
}

fn headline(verdict: &Verdict, label: &str) -> String {
    let (class, sign) = if verdict.passed { ("good", '\u{2713}') } else { ("bad", '\u{2717}') };
    let violations = of_severity(verdict, Severity::Violation).count() as u64;
    format!(
        "<h1><span class=\"{class}\"><span aria-hidden=\"true\">{sign}</span> {}</span></h1>\n<p><code>{label}</code></p>\n\
         <p class=\"soft\">{}, {}</p>\n",
        word(verdict),
        counted(violations, "violation"),
        counted(len(&verdict.changes), "changed path")
    )
}
