//! Budgets are inclusive: the exact limit is accepted, one over is rejected, and the sentence says both numbers.

use crate::common::sandbox::Sandbox;

/// Makes a change of a known size below `src/`.
type Work = fn(&Sandbox);

/// The option, the phrase, a change, and the number that it uses up.
const BUDGETS: &[(&str, &str, Work, u64)] = &[
    ("--max-files", "file", |s| ["src/1", "src/2", "src/3"].into_iter().for_each(|path| s.write(path, "")), 3),
    ("--max-added-lines", "added-line", |s| s.write("src/new.py", "1\n2\n3\n4"), 4),
    ("--max-deleted-lines", "deleted-line", |s| s.write("src/app.py", ""), 2),
    ("--max-working-bytes", "working-byte", |s| s.write("src/new.py", "123456789\n"), 10),
    ("--max-binary-files", "binary-file", |s| ["src/1", "src/2"].into_iter().for_each(|path| s.write(path, "\0")), 2),
];

#[test]
fn the_exact_limit_is_accepted_and_one_over_is_rejected() {
    for (option, phrase, work, used) in BUDGETS {
        let sandbox = Sandbox::project();
        sandbox.arm(&["--allow", "src/**", option, &used.to_string()]).ok();
        work(&sandbox);
        let verdict = sandbox.check().ok().json();
        let key = option.trim_start_matches("--max-").replace('-', "_");
        assert_eq!(verdict["metrics"][&key], *used, "{verdict}");
        assert_eq!(verdict["left"][&key], 0, "{verdict}");

        let sandbox = Sandbox::project();
        let limit = used - 1;
        sandbox.arm(&["--allow", "src/**", option, &limit.to_string()]).ok();
        work(&sandbox);
        let verdict = sandbox.check().violates(&[&format!("{phrase} budget exceeded: {used} > {limit}")]).json();
        assert_eq!(verdict["left"][&key], -1, "{verdict}");
        assert_eq!(verdict["violations"].as_array().unwrap().len(), 1, "{verdict}");
    }
}

#[test]
fn the_defaults_are_those_of_the_manual() {
    let sandbox = Sandbox::armed();
    let limits = &sandbox.check().ok().json()["limits"];
    let expected = serde_json::json!({
        "max_files": 25, "max_added_lines": 2000, "max_deleted_lines": 1000, "max_working_bytes": 2_097_152,
        "max_binary_files": 2
    });
    assert_eq!(*limits, expected);
}
