//! What once slipped through or was refused without reason: one test each, so that it stays mended.

use std::fs;
use std::os::unix::fs::symlink;

use crate::common::sandbox::Sandbox;
use crate::common::tree::{assert_untouched, picture};

fn with_submodule() -> Sandbox {
    let sandbox = Sandbox::project();
    let source = sandbox.outside().join("library");
    fs::create_dir_all(&source).unwrap();
    let source = source.to_str().unwrap();
    sandbox.git(&["-C", source, "init", "-q", "-b", "main", "."]).ok();
    fs::write(format!("{source}/lib.c"), "int one;\n").unwrap();
    sandbox.git(&["-C", source, "add", "-A"]).ok();
    sandbox.git(&["-C", source, "commit", "-q", "-m", "library"]).ok();
    sandbox.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", source, "libs/dep"]).ok();
    sandbox.commit("submodule");
    sandbox
}

#[test]
fn an_ignored_directory_that_became_a_file_is_a_new_file() {
    for link in [false, true] {
        let sandbox = Sandbox::project();
        sandbox.write(".gitignore", "build/\n");
        sandbox.commit("rules");
        sandbox.write("build/out.o", "x");
        sandbox.arm(&["--allow", "src/**"]).ok();
        fs::remove_dir_all(sandbox.at("build")).unwrap();
        if link {
            symlink("src", sandbox.at("build")).unwrap();
        } else {
            sandbox.write("build", "payload\n");
        }
        sandbox.check().violates(&["path outside policy: build"]);
    }
}

#[test]
fn a_file_in_the_place_of_the_ledger_is_refused() {
    let sandbox = Sandbox::armed();
    sandbox.write(".stone", "payload\n");
    sandbox.check().refused().says(&[".stone", "cannot be recorded"]);
}

#[test]
fn a_nested_repository_without_files_counts_as_git_lists_it() {
    let sandbox = Sandbox::armed();
    sandbox.git(&["init", "-q", "docs/evil"]).ok();
    sandbox.check().violates(&["path outside policy: docs/evil"]);
    let sandbox = Sandbox::armed();
    sandbox.write("evil/.git", "gitdir: ../.git\n");
    sandbox.check().violates(&["path outside policy: evil"]);
    let sandbox = Sandbox::armed();
    sandbox.git(&["init", "-q", "src/fine"]).ok();
    sandbox.check().ok();
}

#[test]
fn a_submodule_that_left_the_index_is_a_change() {
    let sandbox = with_submodule();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.git(&["rm", "-q", "--cached", "libs/dep"]).ok();
    sandbox.check().violates(&["path outside policy: libs/dep"]);
}

#[test]
fn a_submodule_that_became_a_file_is_one_path() {
    let sandbox = with_submodule();
    sandbox.arm(&["--allow", "src/**", "libs/**", "--max-files", "2"]).ok();
    fs::remove_dir_all(sandbox.at("libs/dep")).unwrap();
    sandbox.write("libs/dep", "a file\n");
    let verdict = sandbox.check().json();
    assert_eq!(verdict["changed_files"].as_array().unwrap().iter().filter(|path| *path == "libs/dep").count(), 1);
}

#[test]
fn a_submodule_that_was_emptied_is_what_git_takes_it_for() {
    let sandbox = with_submodule();
    sandbox.arm(&["--allow", "src/**"]).ok();
    for entry in fs::read_dir(sandbox.at("libs/dep")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
    }
    assert_eq!(sandbox.git(&["status", "--porcelain"]).ok().text().trim(), "");
    sandbox.check().ok();
}

#[test]
fn what_is_forced_into_the_index_below_cordons_own_directories_is_seen() {
    let sandbox = Sandbox::armed();
    sandbox.write(".stone/evil", "payload\n");
    sandbox.git(&["add", "-f", ".stone/evil"]).ok();
    sandbox.check().violates(&["path outside policy: .stone/evil"]);
}

#[test]
fn arming_leaves_alone_what_stands_in_the_place_of_its_state() {
    for link in [false, true] {
        let sandbox = Sandbox::project();
        if link {
            symlink("src", sandbox.at(".cordon")).unwrap();
        } else {
            sandbox.write(".cordon", "mine\n");
        }
        let before = picture(sandbox.path());
        sandbox.arm(&["--allow", "src/**"]).refused().says(&[".cordon"]);
        assert_untouched(&before, &picture(sandbox.path()));
        assert_eq!(sandbox.at(".cordon").is_symlink(), link);
        assert_eq!(fs::read(sandbox.at(".cordon")).ok(), (!link).then(|| b"mine\n".to_vec()));
    }
}

#[test]
fn an_envelope_without_its_state_is_not_replaced() {
    let sandbox = Sandbox::armed();
    fs::remove_file(sandbox.at(".cordon/state.json")).unwrap();
    sandbox.arm(&["--allow", "**"]).refused().says(&["reset"]);
    sandbox.check().refused().says(&["state.json", "reset"]);
}

#[test]
fn a_state_with_another_number_in_it_is_damaged() {
    let sandbox = Sandbox::armed();
    let path = sandbox.at(".cordon/state.json");
    let state = fs::read_to_string(&path).unwrap();
    for (from, to) in [("\"attempt\": 0", "\"attempt\": 1"), ("  \"last_error\": null,\n", ""), ("}\n", "}")] {
        let other = state.replace(from, to);
        assert_ne!(other, state);
        fs::write(&path, other).unwrap();
        sandbox.check().refused().says(&["state.json", "reset"]);
        sandbox.cordon(&["status"]).refused().says(&["state.json", "reset"]);
    }
}

#[test]
fn a_damaged_fingerprint_is_told_by_status_as_well() {
    let sandbox = Sandbox::armed();
    let path = sandbox.at(".cordon/fingerprint");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    sandbox.cordon(&["status"]).refused().says(&["fingerprint", "reset"]);
    fs::remove_file(&path).unwrap();
    sandbox.cordon(&["explain", "src/a"]).refused().says(&["fingerprint", "reset"]);
}

#[test]
fn the_baselines_tree_must_be_there() {
    let sandbox = Sandbox::armed();
    let tree = sandbox.git(&["rev-parse", "HEAD^{tree}"]).ok().text().trim().to_owned();
    fs::remove_file(sandbox.at(format!(".git/objects/{}/{}", &tree[..2], &tree[2..]))).unwrap();
    sandbox.check().refused().says(&[&tree]);
}

#[test]
fn a_copy_of_the_state_is_foreign_elsewhere() {
    let sandbox = Sandbox::armed();
    let copy = sandbox.outside().join("copy");
    let to = copy.to_str().unwrap().to_owned();
    sandbox.git(&["clone", "-q", ".", &to]).ok();
    fs::create_dir(copy.join(".cordon")).unwrap();
    for name in ["config.json", "state.json", "fingerprint"] {
        let target = copy.join(".cordon").join(name);
        fs::copy(sandbox.at(format!(".cordon/{name}")), target).unwrap();
    }
    sandbox.cordon(&["--repo", &to, "check"]).refused().says(&["not armed here", "reset"]);
}

#[test]
fn state_that_others_may_write_is_not_believed() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::armed();
    fs::set_permissions(sandbox.at(".cordon/config.json"), fs::Permissions::from_mode(0o666)).unwrap();
    sandbox.check().refused().says(&["config.json", "another user"]);
}

#[test]
fn a_verifier_that_writes_into_the_state_is_no_pass() {
    for command in ["sh -c 'echo x >> .cordon/config.json'", "rm -f .cordon/state.json", "rm -rf .cordon"] {
        let sandbox = Sandbox::project();
        sandbox.arm(&["--allow", "src/**", "--verify", command]).ok();
        sandbox.check().refused();
    }
}

#[test]
fn last_error_keeps_every_violation() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--max-files", "0"]).ok();
    sandbox.append("README.md", "more\n");
    sandbox.check().rejected();
    let status = sandbox.cordon(&["status", "--format", "json"]).ok().json();
    let last = status["last_error"].as_str().unwrap();
    assert!(last.contains("path outside policy: README.md") && last.contains("file budget exceeded: 1 > 0"), "{last}");
}

#[test]
fn reset_clears_the_state_of_a_repository_that_is_gone() {
    let sandbox = Sandbox::armed();
    fs::rename(sandbox.at(".git"), sandbox.outside().join("gone")).unwrap();
    sandbox.cordon(&["reset"]).ok();
    assert!(!sandbox.at(".cordon").exists());
}

#[test]
fn exclude_lines_that_a_later_line_takes_back_are_registered_again() {
    let sandbox = Sandbox::project();
    sandbox.write(".git/info/exclude", "/.cordon/\n/.stone/\n!/.cordon/\n");
    sandbox.arm(&["--allow", "src/**"]).ok();
    assert_eq!(sandbox.git(&["status", "--porcelain"]).ok().text().trim(), "");
}

#[test]
fn modes_are_not_judged_where_git_was_told_to_ignore_them() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::project();
    sandbox.git(&["config", "core.fileMode", "false"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    fs::set_permissions(sandbox.at("README.md"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(sandbox.git(&["status", "--porcelain"]).ok().text().trim(), "");
    sandbox.check().ok();
}

#[test]
fn a_tracked_file_in_cordons_own_place_is_named_for_what_it_is() {
    let sandbox = Sandbox::project();
    sandbox.write(".stone/kept", "x\n");
    sandbox.commit("tracked");
    sandbox.arm(&["--allow", "src/**"]).refused().says(&[".stone/kept", "git rm"]);
}

#[test]
fn a_fifo_behind_an_alternate_is_not_waited_for() {
    let sandbox = Sandbox::armed();
    let other = sandbox.outside().join("other");
    fs::create_dir_all(other.join("info")).unwrap();
    sandbox.command("mkfifo").arg(other.join("info/alternates")).status().unwrap();
    sandbox.write(".git/objects/info/alternates", format!("{}\n", other.display()));
    sandbox.check().refused();
}

#[test]
fn line_ends_that_only_the_disk_has_are_noted() {
    let sandbox = Sandbox::project();
    sandbox.write(".gitattributes", "*.txt text eol=crlf\n");
    sandbox.write("a.txt", "one\r\ntwo\r\n");
    sandbox.commit("crlf");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.write("a.txt", "one\ntwo\n");
    let verdict = sandbox.check().ok().json();
    assert_eq!(verdict["notes"][0], "1 with other bytes that Git would store as before: a.txt");
}

#[test]
fn reading_everything_does_not_reject_what_has_no_digest() {
    let sandbox = Sandbox::project();
    sandbox.write(".gitignore", "data/\nnode_modules/\n");
    sandbox.commit("rules");
    sandbox.write("data/big.bin", vec![7; 300_000]);
    sandbox.write("node_modules/x/index.js", "x\n");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.cordon(&["check", "--rehash"]).ok();
}

#[test]
fn a_repository_over_tracked_files_is_told_although_they_may_change() {
    let sandbox = Sandbox::project();
    sandbox.write("src/part/a.py", "a\n");
    sandbox.commit("part");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.git(&["init", "-q", "src/part"]).ok();
    sandbox.append("src/part/a.py", "b\n");
    sandbox.check().violates(&["src/part: a repository was created over files of this one"]);
    fs::remove_dir_all(sandbox.at("src/part/.git")).unwrap();
    sandbox.check().ok();
}

#[test]
fn an_operation_under_way_would_be_taken_up_by_the_next_commit() {
    let sandbox = Sandbox::armed();
    let head = sandbox.git(&["rev-parse", "HEAD"]).ok().text().trim().to_owned();
    for name in ["MERGE_HEAD", "CHERRY_PICK_HEAD", "sequencer/todo", "rebase-merge/git-rebase-todo"] {
        sandbox.write(format!(".git/{name}"), format!("{head}\n"));
        // A directory of Git's own is told as a whole.
        let told = name.split('/').next().unwrap_or(name);
        sandbox.check().violates(&["Git is in the middle of an operation", told]);
        fs::remove_file(sandbox.at(format!(".git/{name}"))).unwrap();
        if told != name {
            sandbox.check().violates(&["Git is in the middle of an operation", told]);
            fs::remove_dir(sandbox.at(format!(".git/{told}"))).unwrap();
        }
        sandbox.check().ok();
    }
}

/// A submodule with a submodule of its own, committed but not checked out below the work tree of the returned sandbox.
fn with_nested_submodules() -> Sandbox {
    let sandbox = with_submodule();
    let middle = sandbox.outside().join("middle");
    let middle = middle.to_str().unwrap();
    let library = sandbox.outside().join("library");
    let allow = ["-c", "protocol.file.allow=always"];
    sandbox.git(&["init", "-q", "-b", "main", middle]).ok();
    sandbox
        .git(&[&["-C", middle], &allow[..], &["submodule", "add", "-q", library.to_str().unwrap(), "in"]].concat())
        .ok();
    sandbox.git(&["-C", middle, "commit", "-q", "-m", "middle"]).ok();
    sandbox.git(&[&allow[..], &["submodule", "add", "-q", middle, "libs/outer"]].concat()).ok();
    sandbox.commit("nested");
    sandbox.git(&["submodule", "deinit", "-q", "-f", "--all"]).ok();
    sandbox
}

const RECURSIVE: &[&str] = &["-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init", "--recursive"];

#[test]
fn nested_submodules_can_be_armed_and_are_audited() {
    let sandbox = with_nested_submodules();
    sandbox.git(RECURSIVE).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.check().ok();
    sandbox.append("libs/outer/in/lib.c", "int evil;\n");
    sandbox.check().violates(&["libs/outer/in/lib.c"]);
}

#[test]
fn checking_out_all_submodules_is_fine() {
    let sandbox = with_nested_submodules();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.git(RECURSIVE).ok();
    sandbox.check().ok();
}

#[test]
fn settings_of_taste_are_noted() {
    let sandbox = Sandbox::armed();
    for (key, value) in [("user.name", "Another"), ("diff.algorithm", "patience"), ("core.abbrev", "12")] {
        sandbox.git(&["config", key, value]).ok();
    }
    sandbox.check().ok();
}

#[test]
fn build_output_of_other_languages_comes_and_goes() {
    let sandbox = Sandbox::project();
    sandbox.write(".gitignore", "*.o\n.next/\n_build/\n");
    sandbox.commit("rules");
    for path in ["a.o", ".next/page.js", "_build/x"] {
        sandbox.write(path, "old\n");
    }
    sandbox.arm(&["--allow", "src/**"]).ok();
    for path in ["a.o", ".next/page.js"] {
        sandbox.write(path, "new and longer\n");
    }
    fs::remove_file(sandbox.at("_build/x")).unwrap();
    sandbox.check().ok();
}
