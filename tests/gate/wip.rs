//! Work in progress: uncommitted work of the user is the baseline, and losing it is no way to look clean.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::common::json;
use crate::common::sandbox::Sandbox;
use crate::common::tree::{assert_untouched, picture};

/// A project with every kind of dirt, armed for `src/**`.
fn dirty(options: &[&str]) -> Sandbox {
    let sandbox = Sandbox::unborn();
    for (path, content) in [
        ("src/app.py", "A = 1\n"),
        ("src/util.py", "LIMIT = 10\n"),
        ("docs/guide.md", "# Guide\n\nline one\n"),
        ("infra/deploy.tf", "x\n"),
        ("config/prod.yml", "mode: safe\n"),
        ("package-lock.json", "{}\n"),
        (".gitignore", "*.log\n"),
    ] {
        sandbox.write(path, content);
    }
    sandbox.commit("base");
    sandbox.append("docs/guide.md", "two hours of thought\n");
    sandbox.append("src/util.py", "WIP = 1\n");
    sandbox.append("config/prod.yml", "staged\n");
    sandbox.git(&["add", "config/prod.yml"]).ok();
    fs::remove_file(sandbox.at("package-lock.json")).unwrap();
    sandbox.write("notes/n.md", "n\n");
    sandbox.git(&["mv", "infra/deploy.tf", "infra/d2.tf"]).ok();
    sandbox.arm(&[&["--allow", "src/**", "--allow-dirty"], options].concat()).ok();
    sandbox
}

/// Case 69.
#[test]
fn work_that_is_left_alone_is_no_change() {
    let sandbox = dirty(&["--max-files", "1"]);
    let verdict = sandbox.check().ok().json();
    assert_eq!(verdict["changed_files"], serde_json::json!([]));
    sandbox.append("src/app.py", "X = 1\n");
    for args in [&["check"][..], &["check", "--rehash"]] {
        let verdict = sandbox.cordon(args).ok().json();
        assert_eq!(verdict["changed_files"], serde_json::json!(["src/app.py"]));
        assert_eq!(verdict["metrics"]["added_lines"], 1);
    }
}

/// Case 01, and its kin.
#[test]
fn work_that_is_lost_is_named_with_the_way_back() {
    let losses: &[(&[&str], &[&str])] = &[
        (&["reset", "-q", "--hard"], &["docs/guide.md", "config/prod.yml", "infra/d2.tf"]),
        (&["clean", "-fdq"], &["notes/n.md"]),
        (&["stash", "-q", "-u"], &["docs/guide.md", "notes/n.md"]),
        (&["checkout", "-q", "--", "docs"], &["docs/guide.md"]),
    ];
    for (command, lost) in losses {
        let sandbox = dirty(&[]);
        sandbox.git(command).ok();
        eprintln!("{command:?}");
        let outcome = sandbox.check().rejected();
        for path in *lost {
            let message = format!("uncommitted work changed or lost: {path}");
            let all = outcome.json();
            let finding = json::array(&all["findings"])
                .iter()
                .find(|finding| finding["message"] == message.as_str())
                .unwrap_or_else(|| panic!("nothing says {message}: {outcome:?}"));
            assert_eq!(finding["code"], "lost-work");
            assert!(finding["help"].as_str().unwrap().contains(&format!("cordon rescue {path}")), "{finding}");
        }
    }
}

#[test]
fn a_deleted_file_that_comes_back_is_a_change() {
    let sandbox = dirty(&[]);
    sandbox.git(&["checkout", "-q", "--", "package-lock.json"]).ok();
    sandbox.check().violates(&["path outside policy: package-lock.json"]);
}

#[test]
fn lines_are_counted_against_the_kept_content() {
    let sandbox = dirty(&[]);
    sandbox.append("src/util.py", "MORE = 2\n");
    let verdict = sandbox.check().ok().json();
    assert_eq!((&verdict["metrics"]["added_lines"], &verdict["metrics"]["deleted_lines"]), (&1.into(), &0.into()));
    assert_eq!(verdict["changes"][0]["size_before"], "LIMIT = 10\nWIP = 1\n".len());
    sandbox.cordon(&["diff"]).ok().says(&["+MORE = 2", " WIP = 1"]);
    // Taken back to HEAD it is the user's line that is deleted, which the envelope allows here.
    sandbox.git(&["checkout", "-q", "--", "src/util.py"]).ok();
    let verdict = sandbox.check().ok().json();
    assert_eq!((&verdict["metrics"]["added_lines"], &verdict["metrics"]["deleted_lines"]), (&0.into(), &1.into()));
    // As it was, whatever its inode and times.
    sandbox.write("src/util.py", "LIMIT = 10\nWIP = 1\n");
    assert_eq!(sandbox.check().ok().json()["changed_files"], serde_json::json!([]));
}

#[test]
fn an_edit_of_work_outside_is_a_violation_and_an_edit_with_the_old_time_too() {
    let sandbox = dirty(&[]);
    let path = sandbox.at("docs/guide.md");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    let other = fs::read_to_string(&path).unwrap().replace("two hours", "two jokes");
    fs::write(&path, other).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    sandbox.check().violates(&["docs/guide.md"]);
}

#[test]
fn staged_work_that_is_unstaged_is_a_change_of_the_index() {
    let sandbox = dirty(&[]);
    sandbox.git(&["reset", "-q", "--", "config/prod.yml"]).ok();
    let verdict = sandbox.check().violates(&["uncommitted work changed or lost: config/prod.yml"]).json();
    let change = json::array(&verdict["changes"]).iter().find(|change| change["path"] == "config/prod.yml").unwrap();
    assert_eq!(change["layers"], serde_json::json!(["index"]));
    // A staged removal that is taken back in the index alone.
    let sandbox = dirty(&[]);
    sandbox.git(&["reset", "-q", "--", "infra/deploy.tf"]).ok();
    sandbox.check().violates(&["infra/deploy.tf"]);
}

/// The honest twins: the index is refreshed, or the user's work is added as it is.
#[test]
fn work_that_is_only_added_is_not_lost() {
    let sandbox = dirty(&["--max-files", "0"]);
    sandbox.git(&["status"]).ok();
    let _ = sandbox.git(&["update-index", "-q", "--refresh"]);
    sandbox.check().ok();
    sandbox.git(&["add", "docs/guide.md", "notes/n.md"]).ok();
    sandbox.check().ok();
    sandbox.git(&["reset", "-q", "--", "docs/guide.md", "notes/n.md"]).ok();
    sandbox.check().ok();
}

#[test]
fn without_the_option_dirt_is_refused_and_nothing_is_kept_of_a_clean_tree() {
    let sandbox = Sandbox::project();
    sandbox.append("README.md", "more\n");
    sandbox.arm(&["--allow", "**"]).refused().says(&["dirty", "README.md"]);
    let clean = Sandbox::project();
    let armed = clean.arm(&["--allow", "src/**", "--allow-dirty"]).ok().json();
    assert_eq!(armed["fingerprint"]["kept"], 0);
    clean.append("README.md", "more\n");
    clean.check().violates(&["path outside policy: README.md"]);
    clean.cordon(&["rescue"]).refused().says(&["--allow-dirty"]);
}

#[test]
fn what_cannot_be_kept_is_refused_and_leaves_nothing_behind() {
    type Obstacle = (fn(&Sandbox), &'static str);
    let obstacles: &[Obstacle] = &[
        (|s| fs::File::create(s.at("huge.bin")).unwrap().set_len((64 << 20) + 1).unwrap(), "huge.bin"),
        (
            |s| {
                fs::create_dir(s.at("inner")).unwrap();
                s.git(&["init", "-q", "inner"]).ok();
            },
            "inner",
        ),
        (
            |s| {
                s.git(&["checkout", "-q", "-b", "other"]).ok();
                s.write("README.md", "one\n");
                s.commit("one");
                s.git(&["checkout", "-q", "main"]).ok();
                s.write("README.md", "two\n");
                s.commit("two");
                let _ = s.git(&["merge", "-q", "other"]);
            },
            "README.md",
        ),
    ];
    for (make, named) in obstacles {
        let sandbox = Sandbox::project();
        make(&sandbox);
        let before = picture(sandbox.outside());
        sandbox.arm(&["--allow", "**", "--allow-dirty"]).refused().says(&[named]);
        assert!(!sandbox.at(".cordon").exists(), "state is left behind");
        assert_untouched(&before, &picture(sandbox.outside()));
    }
}

#[test]
fn a_dirty_exclude_file_decides_as_it_lies_there() {
    let sandbox = Sandbox::project();
    sandbox.append(".gitignore", "*.secret\n");
    sandbox.write("a.secret", "x\n");
    let armed = sandbox.arm(&["--allow", "src/**", "--allow-dirty"]).ok().json();
    assert_eq!(armed["fingerprint"]["kept"], 1, "{armed}");
    sandbox.check().ok();
    sandbox.write("b.secret", "y\n");
    sandbox.write("c.log", "y\n");
    sandbox.check().ok();
    sandbox.write("d.txt", "y\n");
    sandbox.check().violates(&["path outside policy: d.txt"]);
}

#[test]
fn converted_links_and_modes_are_work_as_well() {
    let sandbox = Sandbox::project();
    sandbox.write(".gitattributes", "*.txt text eol=crlf\n");
    sandbox.write("win.txt", "one\r\ntwo\r\n");
    sandbox.commit("more");
    sandbox.write("win.txt", "one\r\ntwo\r\nthree\r\n");
    fs::set_permissions(sandbox.at("infra/deploy.tf"), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("README.md", sandbox.at("link")).unwrap();
    fs::remove_file(sandbox.at("docs/guide.md")).unwrap();
    std::os::unix::fs::symlink("../README.md", sandbox.at("docs/guide.md")).unwrap();
    sandbox.arm(&["--allow", "win.txt", "--allow-dirty"]).ok();
    assert_eq!(sandbox.cordon(&["check", "--rehash"]).ok().json()["changed_files"], serde_json::json!([]));
    sandbox.append("win.txt", "four\r\n");
    let verdict = sandbox.check().ok().json();
    assert_eq!((&verdict["metrics"]["added_lines"], &verdict["metrics"]["deleted_lines"]), (&1.into(), &0.into()));
    sandbox.git(&["checkout", "-q", "--", "docs/guide.md", "infra/deploy.tf"]).ok();
    fs::remove_file(sandbox.at("link")).unwrap();
    let lost =
        ["docs/guide.md", "infra/deploy.tf", "link"].map(|path| format!("uncommitted work changed or lost: {path}"));
    sandbox.check().violates(&lost.each_ref().map(String::as_str));
}

/// Where a rescue said that it wrote.
fn rescued(sandbox: &Sandbox, args: &[&str]) -> PathBuf {
    let report = sandbox.cordon(&[&["rescue"], args].concat()).ok().json();
    PathBuf::from(OsStr::from_bytes(&json::bytes(&report["directory"])))
}

#[test]
fn rescue_brings_everything_back_beside_the_repository() {
    let sandbox = Sandbox::project();
    let strange: &[u8] = b"notes/\xff\n::error";
    sandbox.write_raw(strange, "strange\n");
    sandbox.append("docs/guide.md", "thought\n");
    sandbox.write("tool.sh", "#!/bin/sh\n");
    fs::set_permissions(sandbox.at("tool.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    std::os::unix::fs::symlink("nowhere", sandbox.at("link")).unwrap();
    let thought = fs::read(sandbox.at("docs/guide.md")).unwrap();
    sandbox.arm(&["--allow", "src/**", "--allow-dirty"]).ok();
    let kept = fs::read_dir(sandbox.at(".cordon/kept")).unwrap().map(|entry| entry.unwrap());
    assert!(kept.map(|entry| entry.metadata().unwrap().mode() & 0o777).all(|mode| mode == 0o600));
    sandbox.git(&["reset", "-q", "--hard"]).ok();
    sandbox.git(&["clean", "-fdq"]).ok();
    sandbox.check().rejected();
    let before = picture(&sandbox.root);
    let directory = rescued(&sandbox, &[]);
    assert_untouched(&before, &picture(&sandbox.root));
    assert_eq!(directory.parent(), sandbox.root.parent());
    assert_eq!(fs::read(directory.join("docs/guide.md")).unwrap(), thought);
    assert_eq!(fs::read(directory.join(OsStr::from_bytes(strange))).unwrap(), b"strange\n");
    assert_eq!(fs::metadata(directory.join("tool.sh")).unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(fs::read_link(directory.join("link")).unwrap(), Path::new("nowhere"));
    // A second one is a directory of its own.
    assert_ne!(rescued(&sandbox, &["docs/guide.md"]), directory);
}

#[test]
fn rescue_takes_what_is_named_and_writes_over_nothing() {
    let sandbox = dirty(&[]);
    let to = sandbox.outside().join("saved");
    let to = to.to_str().unwrap();
    let directory = rescued(&sandbox, &["notes/", "docs/guide.md", "--to", to]);
    assert!(directory.join("notes/n.md").exists() && directory.join("docs/guide.md").exists());
    assert!(!directory.join("config").exists());
    let before = picture(sandbox.outside());
    sandbox.cordon(&["rescue", "--to", to]).refused().says(&["not empty"]);
    sandbox.cordon(&["rescue", "--to", "inside"]).refused().says(&["work tree"]);
    sandbox.cordon(&["rescue", "src/app.py", "--to", "../new"]).refused().says(&["src/app.py"]);
    sandbox.cordon(&["rescue", "package-lock.json", "--to", "../new"]).refused();
    assert_untouched(&before, &picture(sandbox.outside()));
}

#[test]
fn rescue_needs_no_anchor_but_whole_content() {
    let sandbox = dirty(&[]);
    fs::remove_file(sandbox.at(".git/cordon.anchor")).unwrap();
    sandbox.check().refused();
    assert!(rescued(&sandbox, &["docs/guide.md"]).join("docs/guide.md").exists());
    for entry in fs::read_dir(sandbox.at(".cordon/kept")).unwrap() {
        fs::write(entry.unwrap().path(), "forged").unwrap();
    }
    sandbox.cordon(&["rescue"]).refused().says(&["damaged"]);
}

#[test]
fn forged_or_missing_kept_content_never_makes_a_change_pass() {
    let damages: &[fn(&Path)] = &[|path| fs::write(path, "forged").unwrap(), |path| fs::remove_file(path).unwrap()];
    for damage in damages {
        let sandbox = dirty(&[]);
        sandbox.append("docs/guide.md", "more\n");
        for entry in fs::read_dir(sandbox.at(".cordon/kept")).unwrap() {
            damage(&entry.unwrap().path());
        }
        sandbox.check().never_accepts();
    }
}

/// Resets, and gives back what was refused, if it was.
fn reset(sandbox: &Sandbox, args: &[&str]) -> Option<String> {
    let outcome = sandbox.cordon(&[&["reset"], args].concat());
    (outcome.code() != 0).then(|| outcome.refused().says(&["--discard-kept"]).text())
}

#[test]
fn a_reset_never_drops_the_only_copy_of_work() {
    let sandbox = dirty(&[]);
    sandbox.git(&["checkout", "-q", "--", "docs"]).ok();
    sandbox.git(&["clean", "-fdq"]).ok();
    let told = reset(&sandbox, &[]).expect("work would be lost");
    for word in ["docs/guide.md", "notes/n.md", "cordon rescue -- "] {
        assert!(told.contains(word), "{word} in {told}");
    }
    assert!(!told.contains("src/util.py"), "{told}");
    // The envelope stands as before, and the work comes back from it.
    sandbox.check().rejected();
    let directory = rescued(&sandbox, &["docs/guide.md", "notes/n.md"]);
    fs::copy(directory.join("docs/guide.md"), sandbox.at("docs/guide.md")).unwrap();
    reset(&sandbox, &[]).expect("notes/n.md is missing still");
    assert_eq!(reset(&sandbox, &["--discard-kept"]), None);
    assert!(!sandbox.at(".cordon").exists());
}

/// The honest twins: work that is as it was, that was committed, or that an accepted check has seen edited.
#[test]
fn a_reset_of_work_that_is_somewhere_is_no_loss() {
    assert_eq!(reset(&dirty(&[]), &[]), None);
    let sandbox = dirty(&["--allow", "**", "--allow-commits"]);
    sandbox.commit("all of it");
    sandbox.append("docs/guide.md", "and more\n");
    assert_eq!(reset(&sandbox, &[]), None);
    let sandbox = dirty(&[]);
    sandbox.append("src/util.py", "X = 1\n");
    reset(&sandbox, &[]).expect("nobody has accepted that edit");
    sandbox.check().ok();
    assert_eq!(reset(&sandbox, &[]), None);
}

#[test]
fn damaged_state_with_kept_work_needs_a_word_to_be_dropped() {
    let sandbox = dirty(&[]);
    fs::write(sandbox.at(".cordon/state.json"), "{}").unwrap();
    let told = reset(&sandbox, &[]).expect("nobody can tell what is kept");
    assert!(told.contains(".cordon/kept"), "{told}");
    assert_eq!(reset(&sandbox, &["--discard-kept"]), None);
}

/// `.cordon/` is an ignored directory, and `git clean -x` removes those.
#[test]
fn work_outlives_the_directory_of_cordon() {
    let sandbox = dirty(&[]);
    sandbox.git(&["clean", "-fdxq"]).ok();
    assert!(!sandbox.at(".cordon").exists() && !sandbox.at("notes/n.md").exists());
    sandbox.check().refused().says(&[".cordon/ is gone", "uncommitted work: cordon rescue"]);
    let told = reset(&sandbox, &[]).expect("work would be lost");
    assert!(told.contains("notes/n.md") && told.contains("the Git directory"), "{told}");
    let directory = rescued(&sandbox, &[]);
    assert_eq!(fs::read(directory.join("notes/n.md")).unwrap(), b"n\n");
    assert!(fs::read(directory.join("docs/guide.md")).unwrap().ends_with(b"two hours of thought\n"));
    fs::create_dir(sandbox.at("notes")).unwrap();
    fs::copy(directory.join("notes/n.md"), sandbox.at("notes/n.md")).unwrap();
    assert_eq!(reset(&sandbox, &[]), None, "everything is somewhere else again");
    assert!(!sandbox.at(".git/cordon.kept").exists());
    sandbox.arm(&["--allow", "src/**", "--allow-dirty"]).ok();
    sandbox.check().ok();
}

#[test]
fn a_kept_content_that_is_gone_comes_from_the_other_place() {
    let sandbox = dirty(&[]);
    fs::remove_dir_all(sandbox.at(".cordon/kept")).unwrap();
    assert!(rescued(&sandbox, &["docs/guide.md"]).join("docs/guide.md").exists());
    // What is forged in either place is never written out.
    for entry in fs::read_dir(sandbox.at(".git/cordon.kept/kept")).unwrap() {
        fs::write(entry.unwrap().path(), "forged").unwrap();
    }
    sandbox.cordon(&["rescue"]).refused().says(&["is missing"]);
}

/// What stands in the second place without an envelope is not written over.
#[test]
fn kept_work_without_an_envelope_is_no_free_place() {
    let sandbox = dirty(&[]);
    sandbox.git(&["clean", "-fdxq"]).ok();
    fs::remove_file(sandbox.at(".git/cordon.anchor")).unwrap();
    sandbox.arm(&["--allow", "src/**", "--allow-dirty"]).refused().says(&["cordon rescue", "cordon reset"]);
    assert!(reset(&sandbox, &[]).is_some());
    assert!(rescued(&sandbox, &["notes/n.md"]).join("notes/n.md").exists());
    assert_eq!(reset(&sandbox, &["--discard-kept"]), None);
    assert!(!sandbox.at(".git/cordon.kept").exists());
}
