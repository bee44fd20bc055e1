//! Each row of the rules about ignored files, by hand-made entries.

use super::*;
use crate::policy::options::AuditOptions;
use crate::policy::pattern::Pattern;

fn patterns(globs: &[&str]) -> Vec<Pattern> {
    globs.iter().map(|glob| Pattern::parse(glob).unwrap()).collect()
}

fn rules(options: &AuditOptions) -> Rules {
    Rules::compile(&patterns(&["src/**"]), &patterns(&["src/keep/**", "tests/**"])).unwrap().under(options).unwrap()
}

fn entry(kind: IgnoredKind, path: &str) -> Ignored {
    Ignored { path: path.into(), kind, cache: None, odd: vec![] }
}

fn told(options: &AuditOptions, entries: &[Ignored]) -> (Vec<(Code, String)>, Vec<String>) {
    let (findings, notes) = judge(&rules(options), entries);
    let findings = findings.iter().map(|finding| (finding.code, finding.message.plain())).collect();
    (findings, notes.iter().map(Text::plain).collect())
}

use IgnoredKind::{Added, Changed, Deleted};

#[test]
fn what_existed_at_arm_stays_and_what_is_new_is_noted() {
    let entries = [entry(Changed, ".env"), entry(Deleted, "data/db"), entry(Added, "data/new")];
    let (findings, notes) = told(&AuditOptions::default(), &entries);
    assert_eq!(
        findings,
        [
            (Code::IgnoredChanged, "ignored file changed: .env".to_owned()),
            (Code::IgnoredDeleted, "ignored file deleted: data/db".to_owned())
        ]
    );
    assert_eq!(notes, ["1 new ignored: data/new"]);
}

#[test]
fn what_is_allowed_or_named_is_fine() {
    let options = AuditOptions { allow_ignored: patterns(&[".env"]), ..AuditOptions::default() };
    let entries = [entry(Changed, ".env"), entry(Deleted, "src/db.local"), entry(Added, "src/x.local")];
    assert_eq!(told(&options, &entries), (vec![], vec![]));
}

#[test]
fn report_only_notes_and_protection_holds_all_the_same() {
    let options = AuditOptions { ignored: IgnoredRule::Report, ..AuditOptions::default() };
    let entries = [entry(Changed, ".env"), entry(Changed, "node_modules/a/i.js"), entry(Added, ".claude/s.json")];
    let (findings, notes) = told(&options, &entries);
    assert_eq!(findings, [(Code::ProtectedPath, "protected path changed: .claude/s.json".to_owned())]);
    assert_eq!(
        notes,
        ["1 changed ignored: .env", "1 changed ignored among installed dependencies: node_modules/a/i.js"]
    );
}

#[test]
fn scratch_zones_are_counted_also_where_a_pattern_denies() {
    let mut entries: Vec<_> = (0..9).map(|n| entry(Changed, &format!("target/debug/{n}"))).collect();
    entries.push(entry(Added, "tests/__pycache__/t.pyc"));
    entries.push(Ignored { path: "mine/x".into(), kind: Changed, cache: Some("mine".into()), odd: vec![] });
    let (findings, notes) = told(&AuditOptions::default(), &entries);
    assert_eq!(findings, []);
    assert_eq!(
        notes,
        [
            "1 in the scratch zone **/__pycache__/** (Python bytecode)",
            "9 in the scratch zone **/target/** (Cargo, Maven and sbt build output)",
            "1 in the scratch zone mine/** (directory with a CACHEDIR.TAG)"
        ]
    );
    let options = AuditOptions { default_scratch: false, ..AuditOptions::default() };
    assert_eq!(told(&options, &entries[..9]).0.len(), 1);
}

#[test]
fn dependencies_of_arm_stay_whatever_covers_them() {
    let options = AuditOptions { scratch: patterns(&["**/node_modules/**"]), ..AuditOptions::default() };
    let entries = [
        entry(Changed, "src/node_modules/a/dist/i.js"),
        entry(Added, "src/node_modules/b/i.js"),
        entry(Changed, "node_modules/.cache/x"),
    ];
    let (findings, notes) = told(&options, &entries);
    let message = "installed dependency changed or deleted: src/node_modules/a/dist/i.js";
    assert_eq!(findings, [(Code::DependencyChanged, message.to_owned())]);
    assert_eq!(notes.len(), 2);
    let options = AuditOptions { allow_ignored: patterns(&["src/node_modules/**"]), ..AuditOptions::default() };
    assert_eq!(told(&options, &entries[..1]), (vec![], vec![]));
}

#[test]
fn a_denied_ignored_path_is_denied_also_when_it_is_new() {
    let entries = [entry(Added, "src/keep/x"), entry(Changed, "tests/data.local")];
    let (findings, _) = told(&AuditOptions::default(), &entries);
    assert_eq!(findings.len(), 2);
    assert!(findings.iter().all(|(code, _)| *code == Code::PathDenied));
}

#[test]
fn thousands_are_one_finding_a_directory() {
    let mut entries: Vec<_> = (0..5000).map(|n| entry(Deleted, &format!("data/{n:04}"))).collect();
    entries.push(entry(Deleted, ".env"));
    let (findings, _) = told(&AuditOptions::default(), &entries);
    assert_eq!(findings.len(), 2);
    assert_eq!(findings[0].1, "ignored file deleted: .env");
    let many = "ignored file deleted: data/0000, data/0001, data/0002, data/0003, data/0004, and 4995 more (5000 in \
                all, below data)";
    assert_eq!(findings[1].1, many);
}
