//! The paragraph "Arming": what is refused, that a refusal leaves nothing behind, and what an arm registers.

use std::fs;

use crate::common::json;
use crate::common::outcome::Outcome;
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::{Sandbox, privileged};
use crate::common::tree::{assert_untouched, picture};

/// Expects that arming is refused with these words and leaves everything as it was.
#[track_caller]
fn refuses(sandbox: &Sandbox, args: &[&str], words: &[&str]) -> Outcome {
    let before = picture(sandbox.outside());
    let outcome = sandbox.arm(args).refused().says(words);
    assert_untouched(&before, &picture(sandbox.outside()));
    assert!(!sandbox.at(".cordon").exists(), "state is left behind by {outcome:?}");
    outcome
}

const ALL: &[&str] = &["--allow", "**"];

#[test]
fn armed_output_names_phase_mode_anchor_and_what_was_fingerprinted() {
    let sandbox = Sandbox::project();
    let armed = sandbox.arm(ALL).ok().json();
    assert_eq!((&armed["phase"], &armed["mode"]), (&"armed".into(), &"manual".into()));
    let anchor = armed["anchor"].as_str().unwrap();
    assert!(anchor.len() == 64 && anchor.bytes().all(|byte| byte.is_ascii_hexdigit()), "{anchor}");
    assert!(!json::array(&armed["scratch_zones"]).is_empty());
    assert!(json::number(&armed["fingerprint"]["entries"]) >= 7, "{armed}");
}

#[test]
fn outside_a_repository_is_refused() {
    refuses(&Sandbox::empty(), ALL, &["repository"]);
}

#[test]
fn a_bare_repository_is_refused() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "--bare", "."]).ok();
    refuses(&sandbox, ALL, &["bare"]);
}

#[test]
fn an_unborn_head_is_refused() {
    refuses(&Sandbox::unborn(), ALL, &["commit"]);
}

/// Makes a project dirty in one way.
type Dirt = fn(&Sandbox);

#[test]
fn a_dirty_tree_is_refused_whatever_the_dirt() {
    let dirts: &[(&str, Dirt)] = &[
        ("an edit", |s| s.append("README.md", "more\n")),
        ("an untracked file", |s| s.write("new.txt", "")),
        ("a deletion", |s| fs::remove_file(s.at("README.md")).unwrap()),
        ("a staged edit", |s| {
            s.append("README.md", "more\n");
            s.git(&["add", "README.md"]).ok();
        }),
        ("a staged and restored edit", |s| {
            s.append("README.md", "more\n");
            s.git(&["add", "README.md"]).ok();
            s.write("README.md", "# Demo\n");
        }),
        ("a staged removal", |s| {
            s.git(&["rm", "-q", "--cached", "README.md"]).ok();
        }),
        ("an executable bit", |s| {
            s.git(&["update-index", "--chmod=+x", "README.md"]).ok();
        }),
    ];
    for (name, dirt) in dirts {
        let sandbox = Sandbox::project();
        dirt(&sandbox);
        eprintln!("{name}");
        refuses(&sandbox, ALL, &["dirty"]);
    }
}

#[test]
fn every_dirty_path_is_named_once() {
    let sandbox = Sandbox::unborn();
    for name in ["edited", "gone", "linked", "staged-and-edited", "unlisted"] {
        sandbox.write(name, "x\n");
    }
    sandbox.commit("base");
    sandbox.append("staged-and-edited", "more\n");
    sandbox.git(&["add", "staged-and-edited"]).ok();
    sandbox.git(&["rm", "-q", "--cached", "unlisted"]).ok();
    for name in ["edited", "staged-and-edited"] {
        sandbox.append(name, "more\n");
    }
    for name in ["gone", "linked"] {
        fs::remove_file(sandbox.at(name)).unwrap();
    }
    std::os::unix::fs::symlink("edited", sandbox.at("linked")).unwrap();
    sandbox.write("new", "x\n");
    let dirt = |sandbox: &Sandbox| refuses(sandbox, ALL, &[]).json()["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(
        dirt(&sandbox),
        "the work tree is dirty: staged staged-and-edited, staged unlisted, missing gone, changed linked, \
         changed edited, untracked new"
    );
    for i in 0..6 {
        sandbox.write(format!("new{i}"), "x\n");
    }
    let message = dirt(&sandbox);
    assert!(message.ends_with(", and 2 more"), "{message}");
}

#[test]
fn arming_twice_is_refused_and_keeps_the_first_envelope() {
    let sandbox = Sandbox::armed();
    let config = fs::read(sandbox.at(".cordon/config.json")).unwrap();
    sandbox.arm(ALL).refused().says(&["armed"]);
    assert_eq!(config, fs::read(sandbox.at(".cordon/config.json")).unwrap());
    sandbox.write("docs/new.md", "x\n");
    sandbox.check().violates(&["path outside policy: docs/new.md"]);
}

#[test]
fn flags_that_hide_tracked_files_are_refused_with_at_most_ten_names_and_the_cure() {
    for (set, clear) in [("--assume-unchanged", "--no-assume-unchanged"), ("--skip-worktree", "--no-skip-worktree")] {
        let sandbox = Sandbox::unborn();
        let names: Vec<String> = (10..25).map(|i| format!("file{i}.txt")).collect();
        for name in &names {
            sandbox.write(name, "x\n");
        }
        sandbox.commit("base");
        let args = [vec!["update-index", set], names.iter().map(String::as_str).collect()].concat();
        sandbox.git(&args).ok();
        let text = refuses(&sandbox, ALL, &["git update-index", clear]).text();
        let shown = names.iter().filter(|name| text.contains(name.as_str())).count();
        assert_eq!(shown, 10, "{text}");
    }
}

#[test]
fn formats_that_cannot_be_read_are_refused_by_name() {
    for (key, value, word) in [("refStorage", "reftable", "reftable"), ("neverHeardOf", "true", "neverheardof")] {
        let sandbox = Sandbox::project();
        sandbox.git(&["config", "core.repositoryFormatVersion", "1"]).ok();
        sandbox.git(&["config", &format!("extensions.{key}"), value]).ok();
        refuses(&sandbox, ALL, &[word]);
    }
}

#[test]
fn another_owners_repository_needs_safe_directory() {
    if !privileged() {
        return;
    }
    let sandbox = Sandbox::project();
    run(chown(&sandbox), b"", PATIENCE).ok();
    refuses(&sandbox, ALL, &["safe.directory"]);
    let line = format!("[safe]\n\tdirectory = {}\n", sandbox.root.display());
    fs::write(sandbox.outside().join("home/.gitconfig"), line).unwrap();
    let mut arm = sandbox.cordon_command(&["arm", "test", "--allow", "**"]);
    arm.env_remove("GIT_CONFIG_GLOBAL");
    run(arm, b"", PATIENCE).ok();
}

fn chown(sandbox: &Sandbox) -> std::process::Command {
    let mut command = sandbox.command("chown");
    command.args(["-R", "65534:65534", "."]);
    command
}

#[test]
fn exclude_patterns_are_registered_once_whatever_the_file_holds() {
    let contents: &[Option<&[u8]>] = &[
        None,
        Some(b""),
        Some(b"*.tmp\n"),
        Some(b"*.tmp"),
        Some(b"*.tmp\r\n*.bak\r\n"),
        Some(b"*.tmp\r\n*.bak"),
        Some(b"\xff\xfe*\n# caf\xe9"),
        Some(b"/.cordon/\n"),
        Some(b"/.stone/\n/.cordon/"),
    ];
    for content in contents {
        let sandbox = Sandbox::project();
        fs::remove_dir_all(sandbox.at(".git/info")).ok();
        if let Some(content) = content {
            sandbox.write(".git/info/exclude", content);
        }
        for _ in 0..2 {
            sandbox.arm(ALL).ok();
            sandbox.cordon(&["reset"]).ok();
        }
        let after = fs::read(sandbox.at(".git/info/exclude")).unwrap();
        let shown = after.escape_ascii();
        assert!(after.starts_with(content.unwrap_or_default()), "what was there is gone: {shown}");
        for line in ["/.cordon/", "/.stone/"] {
            let lines = after.split(|byte| *byte == b'\n').filter(|found| found.trim_ascii_end() == line.as_bytes());
            assert_eq!(lines.count(), 1, "{line} in {shown}");
            sandbox.git(&["check-ignore", "-q", &line[1..]]).ok();
        }
    }
}

#[test]
fn a_linked_worktree_is_armed_on_its_own() {
    let mut sandbox = Sandbox::project();
    sandbox.git(&["worktree", "add", "-q", "-b", "task", "../linked"]).ok();
    let linked = sandbox.outside().join("linked");
    let main = std::mem::replace(&mut sandbox.root, linked);
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.git(&["check-ignore", "-q", ".cordon/"]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.check().ok();
    sandbox.append("README.md", "more\n");
    sandbox.check().violates(&["path outside policy: README.md"]);
    sandbox.root = main;
    assert!(!sandbox.at(".cordon").exists());
    sandbox.check().refused();
}

#[test]
fn patterns_that_say_nothing_or_too_much_are_refused() {
    let long = "a".repeat(513);
    for pattern in ["", "/a", "./a", "a/../b", "..", ".", "a/./b", "a/.", long.as_str()] {
        refuses(&Sandbox::project(), &["--allow", pattern], &[]);
        refuses(&Sandbox::project(), &["--allow", "**", "--deny", pattern], &[]);
    }
    Sandbox::project().arm(&["--allow", &long[1..]]).ok();
    refuses(&Sandbox::project(), &[], &["--allow"]);
}

#[test]
fn at_most_256_patterns_are_taken() {
    let names: Vec<String> = (0..256).map(|i| format!("p{i}")).collect();
    let mut args: Vec<&str> = names.iter().flat_map(|name| ["--allow", name.as_str()]).collect();
    Sandbox::project().arm(&args).ok();
    args.extend(["--deny", "x"]);
    refuses(&Sandbox::project(), &args, &["256"]);
}

#[test]
fn labels_are_not_blank_and_at_most_16384_characters() {
    let label = |label: &str| Sandbox::project().cordon(&["arm", label, "--allow", "**"]);
    for blank in ["", " ", "\t\n "] {
        label(blank).refused();
    }
    label(&"é".repeat(16_384)).ok();
    label(&"é".repeat(16_385)).refused().says(&["16384"]);
}

#[test]
fn verifiers_are_few_short_and_well_quoted() {
    let eight = ["--allow", "**"].into_iter().chain(["--verify", "true"].repeat(8)).collect::<Vec<_>>();
    Sandbox::project().arm(&eight).ok();
    refuses(&Sandbox::project(), &[&eight[..], &["--verify", "true"]].concat(), &["8"]);
    let longest = format!("true {}", "x".repeat(4_091));
    Sandbox::project().arm(&["--allow", "**", "--verify", &longest]).ok();
    for bad in [format!("{longest}x").as_str(), "echo 'open", "", "   ", "trailing \\"] {
        refuses(&Sandbox::project(), &["--allow", "**", "--verify", bad], &[]);
    }
}

#[test]
fn budgets_are_whole_numbers() {
    for budget in
        ["--max-files", "--max-added-lines", "--max-deleted-lines", "--max-working-bytes", "--max-binary-files"]
    {
        for bad in ["-1", "1.5", "many", ""] {
            refuses(&Sandbox::project(), &["--allow", "**", &format!("{budget}={bad}")], &[]);
        }
        Sandbox::project().arm(&["--allow", "**", &format!("{budget}=0")]).ok();
    }
}
