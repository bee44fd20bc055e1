//! The findings for people: first what is about the whole change, all of it, then one block for each code about paths.

use std::collections::BTreeMap;

use super::style::{HINT, REJECTED, WARNING, paint};
use super::words::{count, len};
use crate::audit::finding::{Code, Finding, Severity, sentence};
use crate::policy::escape::{plain, typed};

/// How many paths a block names.
const NAMED: usize = 10;

/// How many top directories a block counts by name.
const DIRECTORIES: usize = 10;

/// All findings.
pub fn human(findings: &[Finding]) -> String {
    let whole: Vec<&Finding> = findings.iter().filter(|finding| !finding.code.is_about_one_path()).collect();
    let mut blocks: BTreeMap<Code, Vec<&Finding>> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.code.is_about_one_path()) {
        blocks.entry(finding.code).or_default().push(finding);
    }
    lines(&whole) + &blocks.values().map(|block| about_paths(block)).collect::<String>()
}

fn about_paths(block: &[&Finding]) -> String {
    let rest = block.len().saturating_sub(NAMED);
    let mut out = vec![lines(&block[..block.len() - rest])];
    if rest > 0 {
        out.push(format!("  ... and {} more; `--format json` lists all\n", count(rest as u64)));
        out.push(format!("  {} paths: {}\n", count(len(block)), by_directory(block)));
    }
    out.concat()
}

/// Neighbours with the same code and the same help share that help, so that ten paths do not repeat it.
fn lines(findings: &[&Finding]) -> String {
    let mut out = Vec::new();
    for group in findings.chunk_by(|a, b| a.code == b.code && a.help == b.help) {
        for finding in group {
            out.push(format!("{} {}\n", tag(finding), sentence(&finding.message)));
            // Some help is the command itself.
            if let Some(undo) = finding.undo.as_ref().filter(|undo| !finding.help.as_bytes().ends_with(undo.as_bytes()))
            {
                out.push(format!("  {} {}\n", paint(HINT, "undo:"), typed(undo.as_bytes())));
            }
        }
        if let Some(finding) = group.first().filter(|finding| !finding.help.is_empty()) {
            out.push(format!("  {} {}\n", paint(HINT, "help:"), finding.advice()));
        }
    }
    out.concat()
}

fn tag(finding: &Finding) -> String {
    match finding.severity {
        Severity::Violation => paint(REJECTED, format!("violation[{}]:", finding.code.name())),
        Severity::Note => paint(WARNING, format!("note[{}]:", finding.code.name())),
    }
}

/// How many paths each directory at the top has, most first.
fn by_directory(block: &[&Finding]) -> String {
    let mut numbers: BTreeMap<&[u8], u64> = BTreeMap::new();
    for path in block.iter().filter_map(|finding| finding.path.as_ref()) {
        let slash = path.as_bytes().iter().position(|byte| *byte == b'/');
        *numbers.entry(slash.map_or(&b""[..], |slash| &path.as_bytes()[..=slash])).or_default() += 1;
    }
    let mut numbers: Vec<(&[u8], u64)> = numbers.into_iter().collect();
    numbers.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    let shown = numbers.iter().take(DIRECTORIES).map(|(directory, number)| {
        let name = if directory.is_empty() { "at the top".to_owned() } else { plain(directory) };
        format!("{} {name}", count(*number))
    });
    let mut list: Vec<String> = shown.collect();
    let rest: u64 = numbers.iter().skip(DIRECTORIES).map(|(_, number)| number).sum();
    if rest > 0 {
        list.push(format!("{} elsewhere", count(rest)));
    }
    list.join(", ")
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::policy::path::RepoPath;
    use crate::policy::text::Text;

    fn about(code: Code, path: &str) -> Finding {
        let path = RepoPath::from(path);
        Finding {
            code,
            severity: Severity::Violation,
            message: Text::from("path outside policy: ").path(&path),
            path: Some(path),
            help: r"Undo this change. Allowed: a\[x].".into(),
            undo: None,
            owners: None,
        }
    }

    fn whole(code: Code, message: &str, help: &str) -> Finding {
        Finding {
            code,
            severity: Severity::Violation,
            path: None,
            message: message.into(),
            help: help.into(),
            undo: None,
            owners: None,
        }
    }

    #[test]
    fn the_whole_change_comes_first_and_paths_come_in_blocks() {
        let mut findings: Vec<Finding> = (0..30).map(|n| about(Code::PathOutside, &format!("docs/{n:02}"))).collect();
        findings.push(about(Code::PathOutside, "new\\\n"));
        findings.push(about(Code::PathDenied, "src/gen"));
        findings.push(about(Code::PathOutside, "infra/x"));
        findings.push(about(Code::PathDenied, "src/gen/y"));
        findings.push(whole(Code::BudgetFiles, "file budget exceeded: 33 > 25", "Make the change smaller."));
        insta::assert_snapshot!(strip_str(&human(&findings)), @r"
        violation[budget-files]: file budget exceeded: 33 > 25
          help: Make the change smaller.
        violation[path-outside]: path outside policy: docs/00
        violation[path-outside]: path outside policy: docs/01
        violation[path-outside]: path outside policy: docs/02
        violation[path-outside]: path outside policy: docs/03
        violation[path-outside]: path outside policy: docs/04
        violation[path-outside]: path outside policy: docs/05
        violation[path-outside]: path outside policy: docs/06
        violation[path-outside]: path outside policy: docs/07
        violation[path-outside]: path outside policy: docs/08
        violation[path-outside]: path outside policy: docs/09
          help: Undo this change. Allowed: a\[x].
          ... and 22 more; `--format json` lists all
          32 paths: 30 docs/, 1 at the top, 1 infra/
        violation[path-denied]: path outside policy: src/gen
        violation[path-denied]: path outside policy: src/gen/y
          help: Undo this change. Allowed: a\[x].
        ");
    }

    #[test]
    fn the_command_stands_below_its_path_once() {
        let mut path = about(Code::PathOutside, "a b");
        path.undo = Some("rm -- 'a b'".into());
        let mut flag = whole(Code::HiddenEntry, "hidden x", "Clear the flag: git update-index x");
        flag.undo = Some("git update-index x".into());
        insta::assert_snapshot!(strip_str(&human(&[path, flag])), @r"
        violation[hidden-entry]: hidden x
          help: Clear the flag: git update-index x
        violation[path-outside]: path outside policy: a b
          undo: rm -- 'a b'
          help: Undo this change. Allowed: a\[x].
        ");
    }

    #[test]
    fn what_is_about_the_whole_change_is_never_cut() {
        let hidden = |n| whole(Code::HiddenEntry, &format!("hidden {n}"), &format!("Clear {n}."));
        let text = human(&(0..100).map(hidden).collect::<Vec<_>>());
        assert_eq!((text.matches("hidden-entry").count(), text.contains("more")), (100, false));
    }

    #[test]
    fn many_directories_are_counted_together() {
        let findings: Vec<Finding> = (0..40).map(|n| about(Code::PathOutside, &format!("d{n:02}/x"))).collect();
        let text = strip_str(&human(&findings)).to_string();
        assert!(text.contains("40 paths: 1 d00/, 1 d01/") && text.ends_with("1 d09/, 30 elsewhere\n"), "{text}");
    }
}
