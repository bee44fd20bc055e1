//! What is refused before anything starts, and agents that cannot start: nothing is armed afterwards.

use crate::common::sandbox::Sandbox;
use crate::common::tree::{assert_untouched, picture};

#[track_caller]
fn leaves_nothing(arguments: &[&str], words: &[&str]) {
    let sandbox = Sandbox::project();
    sandbox.write("empty", "");
    sandbox.write("noexec", "#!/bin/sh\n");
    sandbox.write("bad", "#!/no/such/interpreter\n");
    for name in ["empty", "bad"] {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(sandbox.at(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    sandbox.commit("programs");
    // Lines that keep Cordon's directories out of Git's sight may stay: they arm nothing.
    sandbox.write(".git/info/exclude", "/.cordon/\n/.stone/\n");
    let before = picture(&sandbox.root);
    sandbox.cordon(&[&["run", "do it", "--allow", "src/**"], arguments].concat()).refused().says(words);
    assert!(!sandbox.at(".cordon").exists() && !sandbox.at(".git/cordon.anchor").exists(), "{arguments:?}");
    assert!(!sandbox.at(".git/cordon.lock").exists(), "{arguments:?}");
    assert_untouched(&before, &picture(&sandbox.root));
    sandbox.arm(&["--allow", "src/**"]).ok();
}

#[test]
fn an_agent_that_cannot_start_leaves_nothing_armed() {
    leaves_nothing(&["--", "no-such-agent-anywhere"], &["no-such-agent-anywhere", "search path"]);
    leaves_nothing(&["--", "./missing"], &["does not exist"]);
    leaves_nothing(&["--", "./noexec"], &["not executable"]);
    leaves_nothing(&["--", "./bad"], &["interpreter"]);
    leaves_nothing(&["--", "./empty"], &["cannot start"]);
    leaves_nothing(&["--claude", "/no/such/claude"], &["/no/such/claude"]);
}

#[test]
fn bad_values_are_refused_before_anything_starts() {
    for (option, value) in [
        ("--max-turns", "0"),
        ("--max-turns", "x"),
        ("--timeout", "0"),
        ("--timeout", "-1"),
        ("--timeout", "inf"),
        ("--timeout", "604801"),
        ("--max-budget-usd", "0"),
        ("--max-budget-usd", "nan"),
        ("--max-budget-usd", "inf"),
        ("--max-budget-usd", "-2"),
        ("--effort", "extreme"),
        ("--model", ""),
        ("--agent", "hal"),
        ("--max-attempts", "0"),
    ] {
        let sandbox = Sandbox::project();
        let outcome =
            sandbox.cordon(&["run", "do it", "--allow", "src/**", "--claude", "/bin/true", option, value]).refused();
        assert_eq!(outcome.json()["error"]["kind"], "usage", "{option} {value}");
        assert!(!sandbox.at(".cordon").exists(), "{option} {value}");
    }
    let sandbox = Sandbox::project();
    sandbox
        .cordon(&["run", "do it", "--allow", "src/**", "--max-turns", "3", "--", "true"])
        .refused()
        .says(&["--max-turns"]);
    sandbox.cordon(&["run", "do it", "--allow", "src/**", "--agent", "codex", "--", "true"]).refused();
    sandbox.cordon(&["run", " ", "--allow", "src/**", "--", "true"]).refused();
}

#[test]
fn a_second_run_is_refused_while_an_envelope_stands() {
    let sandbox = Sandbox::armed();
    sandbox.cordon(&["run", "do it", "--allow", "src/**", "--", "true"]).refused().says(&["armed already"]);
    sandbox.check().ok();
}

#[test]
fn the_flags_reach_the_agent() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::project();
    let claude = sandbox.outside().join("claude");
    let script = "#!/bin/sh\nprintf '%s\\n' \"$@\" >src/flags\n\
                  echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":4,\"total_cost_usd\":0.5}'\n";
    std::fs::write(&claude, script).unwrap();
    std::fs::set_permissions(&claude, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = claude.to_str().unwrap();
    let options = ["--max-turns", "7", "--max-budget-usd", "1.5", "--model", "m", "--effort", "xhigh", "--no-hook"];
    let ran =
        sandbox.cordon(&[&["run", "do it", "--allow", "src/**", "--claude", path][..], &options].concat()).ok().json();
    let flags = std::fs::read_to_string(sandbox.at("src/flags")).unwrap();
    for flag in
        ["-p", "--max-turns\n7", "--max-budget-usd\n1.5", "--model\nm", "--effort\nxhigh", "--output-format\njson"]
    {
        assert!(flags.contains(&format!("{flag}\n")), "{flag} is missing in {flags}");
    }
    assert!(!flags.contains("--settings"), "{flags}");
    assert_eq!((&ran["agent"]["reported"]["turns"], &ran["agent"]["name"]), (&4.into(), &"claude".into()));
}
