//! Good work that a gate must not stop: false alarms get gates switched off.

use std::fs::{self, File};
use std::os::unix::net::UnixListener;
use std::time::SystemTime;

use rustix::fs::{CWD, Mode, mkfifoat};

use crate::common::sandbox::Sandbox;

/// Case 60: an editor rewrites line ends that Git would not commit.
#[test]
fn line_ends_that_git_does_not_commit_are_no_change() {
    let sandbox = Sandbox::project();
    sandbox.write(".gitattributes", "* text=auto\n");
    sandbox.commit("attributes");
    sandbox.arm(&["--allow", "src/**"]).ok();
    let guide = fs::read_to_string(sandbox.at("docs/guide.md")).unwrap();
    sandbox.write("docs/guide.md", guide.replace('\n', "\r\n"));
    sandbox.append("src/app.py", "X = 1\n");
    let verdict = sandbox.check().ok().json();
    assert_eq!(verdict["changed_files"], serde_json::json!(["src/app.py"]));
}

/// Case 61: a tool gives every file a new time, and another one gives them new inodes.
#[test]
fn stat_noise_is_no_change() {
    let sandbox = Sandbox::armed();
    for path in ["README.md", "docs/guide.md", "infra/deploy.tf", "src/app.py", ".gitignore"] {
        File::options().write(true).open(sandbox.at(path)).unwrap().set_modified(SystemTime::now()).unwrap();
    }
    fs::copy(sandbox.at("config/prod.yml"), sandbox.at("config/copy")).unwrap();
    fs::rename(sandbox.at("config/copy"), sandbox.at("config/prod.yml")).unwrap();
    let verdict = sandbox.check().ok().json();
    assert_eq!(verdict["changed_files"], serde_json::json!([]));
}

/// Case 65: a rename inside with a small edit costs two files.
#[test]
fn a_rename_inside_costs_two_files() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--max-files", "2"]).ok();
    sandbox.git(&["mv", "src/util.py", "src/limits.py"]).ok();
    sandbox.append("src/limits.py", "Y = 2\n");
    sandbox.check().ok();
}

/// Case 71: a server leaves a FIFO and a socket behind.
#[test]
fn fifos_and_sockets_that_git_does_not_list_are_no_violation() {
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "X = 1\n");
    for path in ["src/pipe.py", "run.pipe"] {
        mkfifoat(CWD, sandbox.at(path), Mode::from_raw_mode(0o644)).unwrap();
    }
    let _socket = UnixListener::bind(sandbox.at("dev.sock")).unwrap();
    let verdict = sandbox.check().ok().json();
    assert_eq!(verdict["changed_files"], serde_json::json!(["src/app.py"]));
}

/// Case 73: Git rewrites its index, and a file inside is staged.
#[test]
fn the_bytes_of_the_index_are_no_change() {
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "X = 1\n");
    for args in [
        &["status"][..],
        &["update-index", "-q", "--refresh"],
        &["update-index", "--index-version", "4"],
        &["add", "src/app.py"],
    ] {
        let _ = sandbox.git(args);
    }
    sandbox.check().ok();
    sandbox.git(&["update-index", "--split-index"]).ok();
    sandbox.check().ok();
}

/// Case 75: a shallow clone with a detached HEAD, a commit inside, and more history afterwards.
#[test]
fn a_shallow_clone_that_is_deepened_is_fine() {
    let mut sandbox = Sandbox::project();
    for i in 0..3 {
        sandbox.append("README.md", format!("{i}\n"));
        sandbox.commit("more");
    }
    let url = format!("file://{}", sandbox.root.display());
    sandbox.git(&["clone", "-q", "--depth", "1", &url, "../clone"]).ok();
    sandbox.root = sandbox.outside().join("clone");
    sandbox.git(&["checkout", "-q", "--detach"]).ok();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.commit("work");
    sandbox.check().ok();
    sandbox.git(&["fetch", "-q", "--unshallow"]).ok();
    sandbox.check().ok();
}

/// Case 77: new files inside with every kind of hard name.
#[test]
fn hard_names_inside_are_fine() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--max-files", "8"]).ok();
    let names: [&[u8]; 8] =
        [b"a b", b"q\"uote", b"new\nline", b"-rf", b"[x]*?", b"d b/c", b"bad\xff", "na\u{ef}ve.py".as_bytes()];
    for name in names {
        sandbox.write_raw(&[b"src/", name].concat(), "x\n");
    }
    let verdict = sandbox.check().ok().json();
    assert_eq!(verdict["metrics"]["files"], 8);
}

/// Case 67: an editor leaves an ignored swap file beside the file that it edits, and counts for no budget.
#[test]
fn a_swap_file_beside_an_edited_file_is_no_change() {
    let sandbox = Sandbox::project();
    sandbox.append(".gitignore", "*.swp\n");
    sandbox.commit("ignore swap files");
    sandbox.arm(&["--allow", "src/**", "--max-files", "1"]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.write("src/.app.py.swp", [0; 4096]);
    assert_eq!(sandbox.check().ok().json()["changed_files"], serde_json::json!(["src/app.py"]));
}

/// Case 79: many ignored files lie about and nothing in them changes.
#[test]
fn many_ignored_files_cost_little_and_say_nothing() {
    let sandbox = Sandbox::project();
    for dir in 0..100 {
        fs::create_dir_all(sandbox.at(format!("build/package{dir}"))).unwrap();
        for file in 0..100 {
            fs::write(sandbox.at(format!("build/package{dir}/file{file}.js")), "x").unwrap();
        }
    }
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    let outcome = sandbox.check().ok();
    assert!(outcome.stdout.len() < 20_000, "{} bytes are printed", outcome.stdout.len());
    assert!(fs::metadata(sandbox.at(".cordon/audit.json")).unwrap().len() < 20_000);
}

/// Cases 63 and 81: a fetch, and an agent that appends a block to `info/exclude` which hides nothing.
#[test]
fn a_fetch_and_a_harmless_exclude_block_are_no_change() {
    let mut sandbox = Sandbox::project();
    sandbox.git(&["clone", "-q", ".", "../clone"]).ok();
    sandbox.append("README.md", "up\n");
    sandbox.commit("up");
    sandbox.root = sandbox.outside().join("clone");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.git(&["fetch", "-q", "origin", "--tags"]).ok();
    let mut exclude = fs::read(sandbox.at(".git/info/exclude")).unwrap();
    exclude.extend_from_slice(b"\n# a block\n**/.agent/worktrees/\n");
    fs::write(sandbox.at(".git/info/exclude"), exclude).unwrap();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.check().ok();
}

/// Case 84: a linked worktree whose submodule was never initialised.
#[test]
fn an_uninitialised_submodule_is_baseline() {
    let mut sandbox = Sandbox::project();
    sandbox.git(&["init", "-q", "-b", "main", "../inner"]).ok();
    sandbox.write("../inner/lib.c", "int one;\n");
    sandbox.git(&["-C", "../inner", "add", "-A"]).ok();
    sandbox.git(&["-C", "../inner", "commit", "-q", "-m", "inner"]).ok();
    let inner = sandbox.outside().join("inner");
    sandbox.git(&["submodule", "--quiet", "add", inner.to_str().unwrap(), "libs/dep"]).ok();
    sandbox.commit("submodule");
    sandbox.git(&["worktree", "add", "-q", "-b", "task", "../linked"]).ok();
    sandbox.root = sandbox.outside().join("linked");
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.commit("work");
    sandbox.check().ok();
}
