//! The envelope for people, row by row, as `arm` and `status` show it.

use super::style::{HEADING, paint};
use super::words::counted;
use crate::policy::envelope::Envelope;
use crate::policy::escape::typed;
use crate::policy::limits::Limits;
use crate::policy::pattern::Pattern;

/// How wide the names of the rows are.
const WIDTH: usize = 12;

/// A name and its values, one a line; a row without a value is left out.
pub type Row = (&'static str, Vec<String>);

/// The rows as text.
pub fn block(rows: &[Row]) -> String {
    let mut out = Vec::new();
    for (name, values) in rows {
        for (index, value) in values.iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            out.push(format!("{} {value}\n", paint(HEADING, format!("{name:<WIDTH$}"))));
        }
    }
    out.concat()
}

/// What is allowed, how much of it, and what must pass.
pub fn rows(policy: &Envelope, verify: &[String], timeout: u64) -> Vec<Row> {
    let commits = if policy.allow_commits { "allowed" } else { "not allowed" };
    vec![
        ("allow", patterns(&policy.allow)),
        ("deny", patterns(&policy.deny)),
        ("budgets", budgets(&policy.limits)),
        ("commits", vec![commits.to_owned()]),
        ("verify", verifiers(verify, timeout)),
    ]
}

/// The role that it was made from, if it was.
pub fn role(name: Option<&str>) -> Row {
    ("role", name.map(|name| typed(name.as_bytes())).into_iter().collect())
}

/// How many attempts an agent has; nothing while nobody counts them.
pub fn attempts(mode: &str, text: String) -> Row {
    ("attempts", if mode == "manual" { Vec::new() } else { vec![text] })
}

fn patterns(patterns: &[Pattern]) -> Vec<String> {
    patterns.iter().map(ToString::to_string).collect()
}

fn budgets(limits: &Limits) -> Vec<String> {
    vec![
        counted(limits.max_files, "file"),
        counted(limits.max_added_lines, "added line"),
        counted(limits.max_deleted_lines, "deleted line"),
        counted(limits.max_working_bytes, "working byte"),
        counted(limits.max_binary_files, "binary file"),
    ]
}

fn verifiers(verify: &[String], timeout: u64) -> Vec<String> {
    let limit = counted(timeout, "second");
    verify.iter().map(|command| format!("{}  (at most {limit})", typed(command.as_bytes()))).collect()
}
