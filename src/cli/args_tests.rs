//! What the arguments take and refuse.

use clap::CommandFactory;

use super::*;

#[test]
fn the_definition_is_consistent() {
    Arguments::command().debug_assert();
}

fn arm(words: &[&str]) -> (String, Options) {
    match Arguments::try_parse_from([&["cordon", "arm"], words].concat()).unwrap().command {
        Command::Arm(arm) => (arm.label, arm.options),
        other => panic!("{other:?}"),
    }
}

#[test]
fn patterns_may_follow_one_option_or_repeat_it() {
    let once = arm(&["x", "--allow", "a", "b", "--deny", "c", "--verify", "make -k", "true"]);
    let each = arm(&["x", "--allow", "a", "--allow=b", "--deny", "c", "--verify", "make -k", "--verify", "true"]);
    for (label, arm) in [once, each] {
        assert_eq!((label.as_str(), arm.allow, arm.deny), ("x", vec!["a".into(), "b".into()], vec!["c".into()]));
        assert_eq!(arm.verify, ["make -k", "true"]);
    }
    assert_eq!(arm(&["--allow", "a", "--max-files", "1", "x"]).0, "x");
}

#[test]
fn numbers_have_their_defaults_and_bounds() {
    let (_, arm) = arm(&["x", "--allow", "a", "--max-files", "7"]);
    assert_eq!((arm.max_files, arm.max_added_lines, arm.verify_timeout, arm.max_attempts), (Some(7), None, None, None));
    assert!(!arm.allow_commits);
    for bad in [
        "--verify-timeout=0",
        "--verify-timeout=inf",
        "--verify-timeout=86401",
        "--max-attempts=0",
        "--max-attempts=101",
        "--max-files=-1",
        "--max-working-bytes=18446744073709551616",
    ] {
        assert!(Arguments::try_parse_from(["cordon", "arm", "x", "--allow", "a", bad]).is_err(), "{bad}");
    }
}

#[test]
fn global_options_stand_before_or_behind_the_command() {
    for words in
        [["cordon", "--repo", "r", "--format", "json", "check"], ["cordon", "check", "--repo", "r", "--format", "json"]]
    {
        let arguments = Arguments::try_parse_from(words).unwrap();
        assert_eq!((arguments.repo, arguments.format), ("r".into(), Some(Format::Json)));
    }
}

#[test]
fn what_contradicts_itself_is_refused() {
    for words in [
        &["diff", "--inside", "--outside"][..],
        &["explain"],
        &["explain", "-z", "a"],
        &["arm", "x"],
        &["check", "--format", "xml"],
    ] {
        assert!(Arguments::try_parse_from([&["cordon"], words].concat()).is_err(), "{words:?}");
    }
}
