//! Each rule of the judge on evidence made by hand.

use super::*;
use crate::audit::evidence::{ChangeKind, HeadMovement};
use crate::audit::ignored::{Ignored, IgnoredKind};
use crate::policy::limits::Limits;
use crate::policy::options::AuditOptions;
use crate::policy::pattern::Pattern;

fn envelope(allow: &[&str], deny: &[&str]) -> Envelope {
    let patterns = |texts: &[&str]| texts.iter().map(|text| Pattern::parse(text).unwrap()).collect();
    Envelope { allow: patterns(allow), deny: patterns(deny), limits: Limits::default(), allow_commits: false }
}

fn change(path: &str, added: u64, deleted: u64, binary: bool, size: u64) -> Change {
    Change {
        path: RepoPath::from(path),
        kind: ChangeKind::Modified,
        layers: vec![Layer::Worktree],
        added,
        deleted,
        binary,
        size_before: None,
        size_after: Some(size),
        mode_before: None,
        mode_after: None,
        commit: None,
        content: None,
    }
}

fn evidence(changes: Vec<Change>) -> Evidence {
    let head =
        HeadMovement { baseline: "aa".into(), current: Some("aa".into()), baseline_ref: None, current_ref: None };
    Evidence { head, changes, ..Evidence::default() }
}

fn messages(envelope: &Envelope, evidence: &Evidence) -> Vec<String> {
    let rules = envelope.rules().unwrap();
    judge(envelope, &rules, evidence).findings.iter().map(|finding| finding.message.plain()).collect()
}

#[test]
fn nothing_changed_is_accepted_with_all_budgets_left() {
    let envelope = envelope(&["src/**"], &[]);
    let judgement = judge(&envelope, &envelope.rules().unwrap(), &evidence(vec![]));
    assert_eq!((judgement.findings.len(), judgement.left.files, judgement.left.working_bytes), (0, 25, 2_097_152));
}

#[test]
fn paths_are_judged_by_the_patterns_and_deny_wins() {
    let envelope = envelope(&["src/**"], &["src/gen/**"]);
    let changes = ["README.md", "src/a", "src/gen/x"].map(|path| change(path, 1, 0, false, 1)).to_vec();
    let rules = envelope.rules().unwrap();
    let judgement = judge(&envelope, &rules, &evidence(changes));
    let found: Vec<_> = judgement.findings.iter().map(|finding| (finding.code, finding.message.plain())).collect();
    assert_eq!(
        found,
        [
            (Code::PathOutside, "path outside policy: README.md".to_owned()),
            (Code::PathDenied, "path outside policy: src/gen/x".to_owned())
        ]
    );
}

#[test]
fn a_protected_path_is_one_finding_and_must_be_allowed_as_well_once_it_is_lifted() {
    let envelope = envelope(&["**"], &[]);
    let changes = vec![change(".vscode/tasks.json", 1, 0, false, 1)];
    let judged = |rules: &Rules| judge(&envelope, rules, &evidence(changes.clone())).findings;
    let findings = judged(&envelope.rules().unwrap());
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].code, Code::ProtectedPath);
    assert!(findings[0].help.plain().contains("editor settings"));
    let allow_protected = vec![Pattern::parse(".vscode/**").unwrap()];
    let options = AuditOptions { allow_protected, ..AuditOptions::default() };
    assert_eq!(judged(&envelope.rules().unwrap().under(&options).unwrap()), []);
    let narrow = self::envelope(&["src/**"], &[]);
    let findings = judged(&narrow.rules().unwrap().under(&options).unwrap());
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), [Code::PathOutside]);
}

#[test]
fn each_budget_is_inclusive() {
    let mut envelope = envelope(&["**"], &[]);
    envelope.limits =
        Limits { max_files: 2, max_added_lines: 7, max_deleted_lines: 5, max_working_bytes: 30, max_binary_files: 1 };
    let exact = vec![change("a", 7, 5, false, 10), change("b", 0, 0, true, 20)];
    assert_eq!(messages(&envelope, &evidence(exact.clone())), [""; 0]);
    let over = |more: Change| {
        let mut changes = exact.clone();
        changes[1] = more;
        messages(&envelope, &evidence(changes))
    };
    assert_eq!(over(change("b", 1, 0, true, 20)), ["added-line budget exceeded: 8 > 7"]);
    assert_eq!(over(change("b", 0, 1, true, 20)), ["deleted-line budget exceeded: 6 > 5"]);
    assert_eq!(over(change("b", 0, 0, true, 21)), ["working-byte budget exceeded: 31 > 30"]);
    let three = [exact.clone(), vec![change("c", 0, 0, true, 0)]].concat();
    assert_eq!(
        messages(&envelope, &evidence(three)),
        ["file budget exceeded: 3 > 2", "binary-file budget exceeded: 2 > 1"]
    );
}

#[test]
fn what_is_about_the_whole_change_comes_before_the_paths() {
    let mut envelope = envelope(&["src/**"], &[]);
    envelope.limits.max_files = 0;
    let mut evidence = evidence(vec![change("docs/x", 0, 0, false, 0)]);
    evidence.head.current = Some("bb".into());
    evidence.hidden = vec![(RepoPath::from("h"), HidingFlag::SkipWorktree)];
    evidence.obstacles = vec![(RepoPath::from("o"), Obstacle::Special)];
    let codes: Vec<Code> =
        judge(&envelope, &envelope.rules().unwrap(), &evidence).findings.iter().map(|finding| finding.code).collect();
    let order = [Code::HeadChanged, Code::BudgetFiles, Code::HiddenEntry, Code::SpecialFile, Code::PathOutside];
    assert_eq!(codes, order);
}

#[test]
fn what_stands_only_in_history_is_judged_by_path_and_not_by_budget() {
    let mut envelope = envelope(&["src/**"], &[]);
    envelope.limits.max_files = 0;
    let mut past = change("docs/x", 9_999, 0, false, 0);
    past.layers = vec![Layer::Commit];
    assert_eq!(messages(&envelope, &evidence(vec![past])), ["path outside policy: docs/x"]);
}

#[test]
fn a_moved_head_counts_unless_commits_are_allowed() {
    let mut envelope = envelope(&["**"], &[]);
    let mut evidence = evidence(vec![]);
    evidence.head.current = Some("bb".into());
    assert_eq!(messages(&envelope, &evidence), ["HEAD changed: aa at arm, bb now"]);
    evidence.head.current = None;
    assert_eq!(messages(&envelope, &evidence), ["HEAD changed: aa at arm, no commit now"]);
    envelope.allow_commits = true;
    assert_eq!(messages(&envelope, &evidence), [""; 0]);
}

#[test]
fn hidden_and_unreadable_paths_are_violations_with_a_way_out() {
    let envelope = envelope(&["**"], &[]);
    let mut evidence = evidence(vec![]);
    evidence.hidden = vec![(RepoPath::from("a"), HidingFlag::AssumeUnchanged)];
    evidence.obstacles = vec![(RepoPath::from("b"), Obstacle::Unreadable("Permission denied".into()))];
    let judgement = judge(&envelope, &envelope.rules().unwrap(), &evidence);
    let found: Vec<_> = judgement.findings.iter().map(|f| (f.message.plain(), f.help.plain())).collect();
    assert_eq!(found[0].0, "hidden from Git by the assume-unchanged flag: a");
    assert_eq!(found[0].1, "Clear the flag: git update-index --no-assume-unchanged -- a");
    assert_eq!(found[1].0, "path cannot be vouched for: b: Permission denied");
}

#[test]
fn remarks_become_one_note_a_kind() {
    let envelope = envelope(&["**"], &[]);
    let mut evidence = evidence(vec![]);
    evidence.remarks = (0..7)
        .map(|number| Remark { kind: RemarkKind::Permissions, path: RepoPath::new(format!("x{number}")) })
        .collect();
    let judgement = judge(&envelope, &envelope.rules().unwrap(), &evidence);
    assert!(judgement.findings.is_empty());
    let notes: Vec<_> = judgement.notes.iter().map(Text::plain).collect();
    assert_eq!(notes, ["7 with other permissions that Git does not record: x0, x1, x2, x3, x4, and 2 more"]);
}

#[test]
fn a_failed_verifier_is_named_with_how_it_failed() {
    let mut run = Verification {
        command: Text::from("make test"),
        returncode: 2,
        stdout: Text::default(),
        stderr: Text::default(),
        passed: false,
        timed_out: false,
        output_limited: false,
    };
    let message = |run: &Verification| verification(run, 9).unwrap().message.plain();
    let help = |run: &Verification| verification(run, 9).unwrap().help.plain();
    assert_eq!(message(&run), "verifier failed (exit 2): make test");
    run.output_limited = true;
    assert_eq!(message(&run), "verifier failed (output limit): make test");
    assert!(help(&run).contains("more than 4 MiB on a stream"));
    run.timed_out = true;
    assert_eq!(message(&run), "verifier failed (timeout): make test");
    assert!(help(&run).contains("after 9 s") && help(&run).contains("--verify-timeout"));
    run.passed = true;
    assert_eq!(verification(&run, 9), None);
    (run.passed, run.timed_out, run.output_limited, run.returncode) = (false, false, false, -11);
    assert_eq!(message(&run), "verifier failed (ended by signal 11 (SIGSEGV)): make test");
}

#[test]
fn a_verifier_that_changes_something_is_named_with_the_path_and_the_usual_cause() {
    let envelope = envelope(&["src/**"], &[]);
    let judged = |evidence: &Evidence| judge(&envelope, &envelope.rules().unwrap(), evidence);
    let (before, after) = (evidence(vec![]), evidence(vec![change("src/a\\\n", 1, 0, false, 1)]));
    let between = |a: &Evidence, b: &Evidence| changed_by("make check", (a, &judged(a)), (b, &judged(b)));
    let finding = between(&before, &after).unwrap();
    assert_eq!(finding.message, Text::from("changed while a verifier ran: make check: src/a\\\n"));
    assert!(finding.help.plain().contains(".gitignore"));
    assert_eq!(between(&after, &after), None);
    // What it did to ignored files is no work of the change, but a violation all the same.
    let mut ignored = evidence(vec![]);
    ignored.ignored.push(Ignored { path: ".env".into(), kind: IgnoredKind::Changed, cache: None, odd: vec![] });
    assert_eq!(between(&before, &ignored).unwrap().path, Some(".env".into()));
}
