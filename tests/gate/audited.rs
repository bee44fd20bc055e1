//! The tree of the verdict is the one that `git add -A` and `git write-tree` give.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use rustix::fs::{CWD, Mode, mkfifoat};

use crate::common::sandbox::Sandbox;

/// What is done to a work tree after arm, and what it is called.
type Act = (&'static str, fn(&Sandbox));

/// Everything that moves a path in the tree, alone; the last test does all of it at once.
const ACTS: &[Act] = &[
    ("nothing", |_| ()),
    ("edit", |s| s.append("src/app.py", "x\n")),
    ("add deep below", |s| s.write("src/a/b/c/new.py", "x\n")),
    ("delete", |s| fs::remove_file(s.at("docs/guide.md")).unwrap()),
    ("empty a directory", |s| fs::remove_dir_all(s.at("deep/er")).unwrap()),
    ("executable", |s| fs::set_permissions(s.at("config/prod.yml"), fs::Permissions::from_mode(0o755)).unwrap()),
    ("link", |s| symlink("app.py", s.at("src/link")).unwrap()),
    ("link for a file", |s| {
        fs::remove_file(s.at("infra/deploy.tf")).unwrap();
        symlink("elsewhere", s.at("infra/deploy.tf")).unwrap();
    }),
    ("directory for a file", |s| {
        fs::remove_file(s.at("README.md")).unwrap();
        s.write("README.md/inside", "x\n");
    }),
    ("file for a directory", |s| {
        fs::remove_dir_all(s.at("swap")).unwrap();
        s.write("swap", "x\n");
    }),
    ("names that sort otherwise with a slash", |s| {
        s.write("sort.a", "1\n");
        s.write("sort/a", "2\n");
        s.write("sort0", "3\n");
    }),
    ("end of line", |s| s.write("win.txt", "one\r\nthree\r\n")),
    ("staged and taken back", |s| {
        let before = fs::read(s.at("src/util.py")).unwrap();
        s.write("src/util.py", "LIMIT = 11\n");
        s.git(&["add", "src/util.py"]).ok();
        s.write("src/util.py", before);
    }),
    ("left the index", |s| drop(s.git(&["rm", "-q", "--cached", "deep/keep"]).ok())),
    ("ignored", |s| s.write("build/out", "x\n")),
    ("ignored, but added", |s| {
        s.write("build/kept", "x\n");
        s.git(&["add", "-f", "build/kept"]).ok();
    }),
    ("a name that is not UTF-8", |s| s.write_raw(b"src/\xff\n", "x\n")),
    ("a repository of its own", |s| {
        let format = String::from_utf8(s.git(&["rev-parse", "--show-object-format"]).ok().stdout).unwrap();
        s.git(&["init", "-q", &format!("--object-format={}", format.trim()), "vendor/inner"]).ok();
        s.write("vendor/inner/a", "x\n");
        s.git(&["-C", "vendor/inner", "add", "-A"]).ok();
        s.git(&["-C", "vendor/inner", "commit", "-q", "-m", "inner"]).ok();
        s.write("vendor/inner/untracked", "x\n");
    }),
];

fn project(format: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main", &format!("--object-format={format}"), "."]).ok();
    for (path, content) in [
        ("src/app.py", "a\n"),
        ("src/util.py", "LIMIT = 10\n"),
        ("docs/guide.md", "guide\n"),
        ("deep/er/and/deeper", "x\n"),
        ("deep/keep", "x\n"),
        ("infra/deploy.tf", "x\n"),
        ("config/prod.yml", "x\n"),
        ("swap/a", "x\n"),
        ("swap/b/c", "x\n"),
        ("README.md", "x\n"),
        (".gitignore", "build/\n"),
        (".gitattributes", "win.txt text eol=crlf\n"),
        ("win.txt", "one\r\ntwo\r\n"),
    ] {
        sandbox.write(path, content);
    }
    sandbox.commit("base");
    sandbox
}

#[track_caller]
fn agrees(sandbox: &Sandbox, what: &str) {
    let outcome = sandbox.check();
    let expected = sandbox.written_tree().expect("git makes a tree of it");
    assert_eq!(outcome.json()["tree"], expected, "{what}: {outcome:?}");
}

#[test]
fn each_kind_of_change_gives_gits_tree() {
    for format in ["sha1", "sha256"] {
        for (what, act) in ACTS {
            let sandbox = project(format);
            sandbox.arm(&["--allow", "**"]).ok();
            act(&sandbox);
            agrees(&sandbox, what);
        }
        let sandbox = project(format);
        sandbox.arm(&["--allow", "**"]).ok();
        for (_, act) in ACTS {
            act(&sandbox);
        }
        agrees(&sandbox, "all of it");
    }
}

#[test]
fn uncommitted_work_of_arm_is_part_of_the_tree() {
    let sandbox = project("sha1");
    sandbox.append("src/app.py", "mine\n");
    fs::remove_file(sandbox.at("deep/keep")).unwrap();
    sandbox.write("notes", "mine\n");
    sandbox.write("src/util.py", "staged\n");
    sandbox.git(&["add", "src/util.py"]).ok();
    sandbox.write("src/util.py", "on disk\n");
    sandbox.arm(&["--allow", "**", "--allow-dirty"]).ok();
    agrees(&sandbox, "nothing since arm");
    sandbox.append("notes", "theirs\n");
    fs::remove_file(sandbox.at("src/app.py")).unwrap();
    agrees(&sandbox, "work on top of work");
}

#[test]
fn where_git_ignores_modes_the_tree_keeps_those_of_the_index() {
    let sandbox = project("sha1");
    sandbox.git(&["update-index", "--chmod=+x", "src/app.py"]).ok();
    sandbox.git(&["commit", "-q", "-m", "executable"]).ok();
    sandbox.git(&["config", "core.fileMode", "false"]).ok();
    sandbox.arm(&["--allow", "**"]).ok();
    sandbox.append("src/app.py", "x\n");
    sandbox.append("src/util.py", "x\n");
    fs::set_permissions(sandbox.at("src/util.py"), fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.write("src/new.sh", "x\n");
    fs::set_permissions(sandbox.at("src/new.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    agrees(&sandbox, "modes");
}

#[test]
fn a_submodule_is_the_commit_that_is_checked_out() {
    let acts: &[Act] = &[
        ("untouched", |_| ()),
        ("edited inside", |s| s.append("libs/dep/a", "x\n")),
        ("moved", |s| {
            s.append("libs/dep/a", "x\n");
            s.git(&["-C", "libs/dep", "commit", "-q", "-a", "-m", "more"]).ok();
        }),
        ("removed", |s| fs::remove_dir_all(s.at("libs/dep")).unwrap()),
        ("emptied", |s| {
            fs::remove_dir_all(s.at("libs/dep")).unwrap();
            fs::create_dir(s.at("libs/dep")).unwrap();
        }),
        ("its repository removed", |s| fs::remove_file(s.at("libs/dep/.git")).unwrap()),
        ("a file in its place", |s| {
            fs::remove_dir_all(s.at("libs/dep")).unwrap();
            s.write("libs/dep", "x\n");
        }),
        ("left the index", |s| drop(s.git(&["rm", "-q", "--cached", "libs/dep"]).ok())),
        ("left the index and its repository removed", |s| {
            s.git(&["rm", "-q", "--cached", "libs/dep"]).ok();
            fs::remove_file(s.at("libs/dep/.git")).unwrap();
            s.append("libs/dep/a", "x\n");
        }),
    ];
    for (what, act) in acts {
        let sandbox = project("sha1");
        let dependency = sandbox.outside().join("dependency");
        let at = dependency.to_str().unwrap();
        sandbox.git(&["init", "-q", "-b", "main", at]).ok();
        fs::write(dependency.join("a"), "x\n").unwrap();
        sandbox.git(&["-C", at, "add", "-A"]).ok();
        sandbox.git(&["-C", at, "commit", "-q", "-m", "dependency"]).ok();
        sandbox.git(&["submodule", "add", "-q", at, "libs/dep"]).ok();
        sandbox.commit("submodule");
        sandbox.arm(&["--allow", "**"]).ok();
        act(&sandbox);
        agrees(&sandbox, what);
    }
}

#[test]
fn what_git_would_not_store_has_no_tree() {
    let sandbox = project("sha1");
    sandbox.arm(&["--allow", "**"]).ok();
    sandbox.git(&["init", "-q", "vendor/unborn"]).ok();
    sandbox.write("vendor/unborn/a", "x\n");
    assert!(sandbox.check().json()["tree"].is_null());
    assert_eq!(sandbox.written_tree(), None, "git refuses a repository without a commit");
    fs::remove_dir_all(sandbox.at("vendor")).unwrap();
    agrees(&sandbox, "without it");

    // Its ids have no place in a tree of this one.
    let sandbox = project("sha256");
    sandbox.arm(&["--allow", "**"]).ok();
    sandbox.git(&["init", "-q", "--object-format=sha1", "vendor/other"]).ok();
    sandbox.git(&["-C", "vendor/other", "commit", "-q", "--allow-empty", "-m", "inner"]).ok();
    assert!(sandbox.check().json()["tree"].is_null());

    // A driver of the user's own, which is never run, says what Git stores.
    let sandbox = project("sha1");
    sandbox.write(".gitattributes", "*.sec filter=secret\n");
    sandbox.write("a.sec", "x\n");
    sandbox.git(&["config", "filter.secret.clean", "tr a-z b-za"]).ok();
    sandbox.commit("secrets");
    sandbox.arm(&["--allow", "**"]).ok();
    agrees(&sandbox, "the driver has nothing to do");
    sandbox.append("a.sec", "y\n");
    assert!(sandbox.check().json()["tree"].is_null());
}

#[test]
fn what_git_lfs_stores_is_worked_out() {
    let sandbox = project("sha1");
    sandbox.write(".gitattributes", "*.bin filter=lfs -text\n");
    sandbox.commit("attributes");
    // Stands in for the program, which stores a pointer to what it reads.
    let clean = "f=$(mktemp); cat > $f; printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n' \
                 $(sha256sum < $f | cut -d' ' -f1) $(wc -c < $f)";
    sandbox.git(&["config", "filter.lfs.clean", clean]).ok();
    sandbox.arm(&["--allow", "**"]).ok();
    sandbox.write("src/asset.bin", "large\n");
    agrees(&sandbox, "a new asset");
}

#[test]
fn a_fifo_in_place_of_a_file_is_left_out() {
    let sandbox = project("sha1");
    sandbox.arm(&["--allow", "**"]).ok();
    fs::remove_file(sandbox.at("README.md")).unwrap();
    let gone = sandbox.written_tree();
    mkfifoat(CWD, sandbox.at("README.md"), Mode::from_raw_mode(0o644)).unwrap();
    let outcome = sandbox.check().rejected();
    assert_eq!(outcome.json()["tree"].as_str(), gone.as_deref(), "{outcome:?}");
}

#[test]
fn nothing_is_written_to_the_object_store() {
    let sandbox = project("sha1");
    sandbox.arm(&["--allow", "**"]).ok();
    for (_, act) in ACTS {
        act(&sandbox);
    }
    let before = crate::common::tree::picture(&sandbox.at(".git/objects"));
    sandbox.check().json();
    crate::common::tree::assert_untouched(&before, &crate::common::tree::picture(&sandbox.at(".git/objects")));
}
