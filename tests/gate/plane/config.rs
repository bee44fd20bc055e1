//! Configuration that runs programs, redirects transport or blinds, and configuration that Git keeps for itself.

use std::fs;

use crate::common::sandbox::Sandbox;

/// Cases 06, 12 and 41, and other keys: each is named, with the command that takes it back.
#[test]
fn keys_that_run_redirect_or_blind_are_violations() {
    for (key, value) in [
        ("core.fsmonitor", "/tmp/x"),
        ("core.sshCommand", "sh -c true"),
        ("core.fileMode", "false"),
        ("core.hooksPath", "/dev/null"),
        ("filter.x.clean", "cat"),
        ("diff.x.textconv", "cat"),
        ("alias.st", "!true"),
        ("url.https://mirror.invalid/.insteadOf", "https://example.invalid/"),
        ("remote.origin.pushurl", "https://mirror.invalid/a.git"),
        ("remote.origin.fetch", "+refs/heads/*:refs/heads/*"),
        ("remote.new.url", "https://mirror.invalid/a.git"),
        ("branch.main.pushRemote", "https://mirror.invalid/a.git"),
        ("status.showUntrackedFiles", "no"),
        ("include.path", "../evil"),
    ] {
        let sandbox = Sandbox::project();
        sandbox.git(&["remote", "add", "origin", "https://example.invalid/a.git"]).ok();
        sandbox.arm(&["--allow", "src/**"]).ok();
        sandbox.git(&["config", key, value]).ok();
        let named = key.rsplit_once('.').unwrap().1.to_lowercase();
        let outcome = sandbox.check().violates(&["configuration changed", &named]).says(&["git config --local"]);
        let help = outcome.json()["findings"][0]["help"].as_str().unwrap().to_owned();
        let mut shell = sandbox.command("sh");
        shell.args(["-c", help.strip_prefix("Undo it: ").unwrap()]);
        assert!(shell.status().unwrap().success(), "{help}");
        sandbox.check().ok();
    }
}

/// Case 10, and the other layers: the user's own files and files that are included.
#[test]
fn every_layer_counts() {
    let sandbox = Sandbox::project();
    sandbox.git(&["config", "extensions.worktreeConfig", "true"]).ok();
    sandbox.git(&["config", "include.path", "more"]).ok();
    fs::write(sandbox.at(".git/more"), "[mytool]\n\tx = 1\n").unwrap();
    sandbox.arm(&["--allow", "src/**"]).ok();
    let home = sandbox.outside().join("home");
    let files = [
        sandbox.at(".git/config.worktree"),
        sandbox.at(".git/more"),
        home.join(".gitconfig"),
        home.join(".config/git/config"),
    ];
    for file in files {
        let before = fs::read(&file).ok();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "[core]\n\thooksPath = /dev/null\n").unwrap();
        sandbox.check().violates(&["core.hookspath"]);
        match before {
            Some(before) => fs::write(&file, before).unwrap(),
            None => fs::remove_file(&file).unwrap(),
        }
        sandbox.check().ok();
    }
}

#[test]
fn bookkeeping_is_nothing() {
    let sandbox = Sandbox::project();
    sandbox.git(&["remote", "add", "origin", "https://example.invalid/a.git"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    for (key, value) in [
        ("gc.auto", "0"),
        ("branch.main.remote", "origin"),
        ("branch.main.merge", "refs/heads/main"),
        ("remote.origin.prune", "true"),
        ("maintenance.strategy", "incremental"),
        ("core.logAllRefUpdates", "true"),
    ] {
        sandbox.git(&["config", key, value]).ok();
    }
    // The same effective configuration, written otherwise.
    let config = fs::read_to_string(sandbox.at(".git/config")).unwrap();
    fs::write(sandbox.at(".git/config"), format!("# a comment\n{}", config.replace("\tbare", "  BARE"))).unwrap();
    sandbox.git(&["status"]).ok();
    let verdict = sandbox.check().ok().json();
    assert_eq!(verdict["findings"].as_array().unwrap().len(), 0, "{verdict}");
}

#[test]
fn an_unknown_key_is_only_noted() {
    let sandbox = Sandbox::armed();
    sandbox.git(&["config", "mytool.state", "1"]).ok();
    let verdict = sandbox.check().ok().says(&["mytool.state"]).json();
    assert_eq!(verdict["findings"][0]["severity"], "note");
}

#[test]
fn a_secret_is_neither_kept_nor_shown() {
    let sandbox = Sandbox::project();
    sandbox.git(&["config", "remote.origin.url", "https://me:hunter2@example.invalid/a"]).ok();
    sandbox.git(&["config", "http.extraHeader", "Authorization: hunter2"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.git(&["config", "remote.origin.url", "https://me:hunter3@example.invalid/a"]).ok();
    sandbox.git(&["config", "http.extraHeader", "Authorization: hunter3"]).ok();
    let outcome = sandbox.check().violates(&["remote.origin.url", "http.extraheader"]);
    assert!(!outcome.text().contains("hunter"), "{outcome:?}");
    for file in fs::read_dir(sandbox.at(".cordon")).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(6).any(|part| part == b"hunter"));
    }
}

/// The git at hand documents no key that the table does not name.
#[test]
fn every_key_of_the_installed_git_is_in_the_table() {
    let sandbox = Sandbox::empty();
    let listed = String::from_utf8(sandbox.git(&["help", "--config-for-completion"]).ok().stdout).unwrap();
    assert!(listed.lines().count() > 500);
    for key in listed.lines() {
        let key = if key.ends_with('.') { format!("{key}x.y") } else { key.to_owned() };
        let rule = cordon::policy::config_keys::rule(key.to_ascii_lowercase().as_bytes());
        assert_ne!(rule.pattern, "**", "{key}");
    }
}

#[test]
fn what_lfs_installs_is_noted_and_what_looks_like_it_is_not() {
    let sandbox = Sandbox::armed();
    let set = |key: &str, value: &str| sandbox.git(&["config", key, value]).ok();
    set("filter.lfs.clean", "git-lfs clean -- %f");
    set("filter.lfs.smudge", "git-lfs smudge -- %f");
    set("filter.lfs.process", "git-lfs filter-process");
    set("filter.lfs.required", "true");
    sandbox.check().ok().says(&["filter.lfs.process"]);
    set("filter.lfs.process", "./git-lfs filter-process");
    sandbox.check().violates(&["filter.lfs.process"]);
}

#[test]
fn a_secret_inside_a_value_is_not_shown() {
    let sandbox = Sandbox::armed();
    sandbox.git(&["config", "core.sshCommand", "sshpass -p hunter2 ssh"]).ok();
    sandbox.git(&["config", "remote.x.url", "https://a.invalid/x?private_token=hunter2"]).ok();
    let outcome = sandbox.check().violates(&["core.sshcommand", "remote.x.url"]);
    assert!(!outcome.text().contains("hunter2"), "{outcome:?}");
}
