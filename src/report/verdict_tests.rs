//! What a verdict looks like, with names and output that would take over a terminal if they could.

use anstream::adapter::strip_str;

use super::*;
use crate::audit::evidence::{Change, ChangeKind, Layer, Mode};
use crate::audit::finding::{Code, Finding, Severity};
use crate::audit::verdict::{Left, Metrics, SCHEMA_VERSION};
use crate::policy::limits::Limits;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;

fn changed(path: &[u8], kind: ChangeKind, layers: Vec<Layer>) -> Change {
    Change {
        path: RepoPath::new(path),
        kind,
        layers,
        added: 1200,
        deleted: 3,
        binary: path.ends_with(b".png"),
        size_before: Some(1),
        size_after: Some(2),
        mode_before: Some(Mode::File),
        mode_after: Some(Mode::File),
        commit: None,
        content: None,
    }
}

fn outside(path: &[u8]) -> Finding {
    let path = RepoPath::new(path);
    Finding {
        code: Code::PathOutside,
        severity: Severity::Violation,
        message: Text::from("path outside policy: ").path(&path),
        path: Some(path),
        help: "Revert it, or arm again with an --allow pattern that covers it.".into(),
        undo: None,
        owners: None,
    }
}

fn accepted() -> Verdict {
    Verdict {
        schema_version: SCHEMA_VERSION,
        passed: true,
        label: "fix the parser".into(),
        role: None,
        baseline: "1".repeat(40),
        current_head: Some("1".repeat(40)),
        head_changed: false,
        tree: None,
        changed_files: Vec::new(),
        metrics: Metrics::default(),
        limits: Limits {
            max_files: 25,
            max_added_lines: 2000,
            max_deleted_lines: 1000,
            max_working_bytes: 2_097_152,
            max_binary_files: 2,
        },
        left: Left { files: 25, added_lines: 2000, deleted_lines: 1000, working_bytes: 2_097_152, binary_files: 2 },
        violations: Vec::new(),
        findings: Vec::new(),
        notes: Vec::new(),
        verification: Vec::new(),
        changes: Vec::new(),
        unobserved: Vec::new(),
        session: None,
        anchor: "c".repeat(64),
        duration_s: 0.034,
        gate: None,
    }
}

#[test]
fn an_accepted_clean_tree() {
    insta::assert_snapshot!(strip_str(&human(&accepted())), @r"
    ACCEPTED  fix the parser

    budget                  used         limit          left
    files                      0            25            25
    added lines                0         2,000         2,000
    deleted lines              0         1,000         1,000
    working bytes              0     2,097,152     2,097,152
    binary files               0             2             2

    Nothing changed since arming.

    baseline  1111111111111111111111111111111111111111
    anchor    cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
    checked in 0.03 s
    ");
}

#[test]
fn a_rejected_change_with_hostile_names() {
    let mut verdict = accepted();
    verdict.passed = false;
    verdict.label = "fix\n\u{1b}[2JACCEPTED".into();
    verdict.head_changed = true;
    verdict.current_head = Some("2".repeat(40));
    verdict.metrics = Metrics { files: 30, added_lines: 4800, deleted_lines: 12, working_bytes: 8, binary_files: 1 };
    verdict.left =
        Left { files: -5, added_lines: -2800, deleted_lines: 988, working_bytes: 2_097_144, binary_files: 1 };
    verdict.findings = vec![outside(b"docs/\x1b]0;owned\x07"), outside(b"evil\nACCEPTED\xff")];
    verdict.findings.push(Finding {
        code: Code::BudgetFiles,
        severity: Severity::Violation,
        path: None,
        message: "file budget exceeded: 30 > 25".into(),
        help: "Split the change.".into(),
        undo: None,
        owners: None,
    });
    verdict.changes = vec![
        changed(b"docs/\x1b]0;owned\x07", ChangeKind::Added, vec![Layer::Worktree]),
        changed(b"evil\nACCEPTED\xff", ChangeKind::Modified, vec![Layer::Commit, Layer::Index]),
        changed("logo\u{202e}.png".as_bytes(), ChangeKind::Deleted, vec![Layer::Index, Layer::Worktree]),
        changed(b"run.sh", ChangeKind::ModeChanged, vec![Layer::Worktree]),
        changed(b"link", ChangeKind::TypeChanged, vec![Layer::Worktree]),
    ];
    verdict.changes[3].mode_after = Some(Mode::Executable);
    verdict.changes[4].mode_after = Some(Mode::Symlink);
    verdict.notes = vec![Text::from("ignored entry appeared: ").path(&RepoPath::from("out\r.log"))];
    insta::assert_snapshot!(strip_str(&human(&verdict)), @r"
    REJECTED  fix\n\u{1b}[2JACCEPTED

    violation[budget-files]: file budget exceeded: 30 > 25
      help: Split the change.
    violation[path-outside]: path outside policy: docs/\u{1b}]0;owned\u{7}
    violation[path-outside]: path outside policy: evil\nACCEPTED\xff
      help: Revert it, or arm again with an --allow pattern that covers it.

    budget                  used         limit          left
    files                     30            25            -5
    added lines            4,800         2,000        -2,800
    deleted lines             12         1,000           988
    working bytes              8     2,097,152     2,097,144
    binary files               1             2             1

    changed: 5 paths
      A docs/\u{1b}]0;owned\u{7}  +1,200 -3  outside
      M evil\nACCEPTED\xff  +1,200 -3  (only in commits and the index)  outside
      D logo\u{202e}.png  binary
      m run.sh  mode 100644 -> 100755
      T link  file -> symlink  +1,200 -3

    notes
      ignored entry appeared: out\r.log

    baseline  1111111111111111111111111111111111111111, HEAD is now 2222222222222222222222222222222222222222
    anchor    cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
    checked in 0.03 s
    ");
}

#[test]
fn accepted_work_is_told_what_comes_next() {
    let mut verdict = accepted();
    assert!(!human(&verdict).contains("next:"));
    verdict.changes = vec![changed(b"x", ChangeKind::Added, vec![Layer::Worktree])];
    assert!(strip_str(&human(&verdict)).to_string().ends_with("\nnext: cordon reset, then commit\n"));
    verdict.passed = false;
    assert!(!human(&verdict).contains("next:"));
}

#[test]
fn long_lists_say_how_much_they_leave_out() {
    let mut verdict = accepted();
    verdict.changes = vec![changed(b"x", ChangeKind::Added, vec![Layer::Worktree]); 41];
    verdict.notes = vec!["n".into(); LISTED];
    let text = strip_str(&human(&verdict)).to_string();
    assert!(text.contains("... and 1 path more; "), "{text}");
    assert!(!text.contains("note more") && !text.contains("notes more"), "{text}");
}

#[test]
fn only_the_styles_of_the_table_reach_a_terminal() {
    let mut verdict = accepted();
    verdict.label = "\u{1b}[31m".into();
    let text = human(&verdict);
    assert!(text.starts_with("\u{1b}[1m\u{1b}[32mACCEPTED\u{1b}[0m  \\u{1b}[31m\n"), "{text:?}");
}
