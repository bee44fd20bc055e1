//! Caches that tools believe in place of the files that they were made from: who fills one must not decide what a verifier
//! sees. The tools that are not everywhere are stood in for by a program that believes what their variable names.

use std::fs;
use std::path::PathBuf;

use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

/// A verifier that fails on a wrong `src/app.py`.
const VERIFY: &str = "python3 -c \"import sys; sys.path.insert(0, 'src'); import app; sys.exit(app.add(1, 2) != 3)\"";

const RIGHT: &str = "def add(a, b):\n    return a + b\n";
const WRONG: &str = "def add(a, b):\n    return a - b\n";

fn with(args: &[&str]) -> Sandbox {
    let sandbox = Sandbox::project();
    sandbox.append(".gitignore", "__pycache__/\n*.pyc\n.mypy_cache/\n");
    sandbox.commit("ignore");
    sandbox.arm(&[&["--allow", "src/**", "--verify", VERIFY], args].concat()).ok();
    sandbox
}

/// Compiles `src/app.py` as it stands.
#[track_caller]
fn compile(sandbox: &Sandbox, mode: &str) {
    let code = "import py_compile, sys; py_compile.compile('src/app.py', \
                invalidation_mode=py_compile.PycInvalidationMode[sys.argv[1]])";
    let mut python = sandbox.command("python3");
    python.args(["-c", code, mode]);
    run(python, b"", PATIENCE).ok();
}

/// The bytecode of right code, which Python believes to be that of the wrong code.
fn forged(sandbox: &Sandbox, mode: &str) {
    sandbox.write("src/app.py", RIGHT);
    let source = sandbox.at("src/app.py");
    let time = fs::metadata(&source).unwrap().modified().unwrap();
    compile(sandbox, mode);
    sandbox.write("src/app.py", WRONG);
    fs::File::options().write(true).open(&source).unwrap().set_modified(time).unwrap();
}

#[test]
fn bytecode_of_the_repository_is_not_believed() {
    for mode in ["UNCHECKED_HASH", "TIMESTAMP"] {
        let sandbox = with(&[]);
        forged(&sandbox, mode);
        sandbox.check().violates(&["verifier failed (exit 1)"]);
        // Who wants the caches all the same can have them.
        let sandbox = with(&["--verifier-caches", "keep"]);
        forged(&sandbox, mode);
        sandbox.check().ok();
    }
}

#[test]
fn honest_bytecode_changes_nothing_and_none_is_written() {
    let sandbox = with(&["--verify", "python3 -m compileall -q src"]);
    sandbox.append("src/app.py", "X = 1\n");
    compile(&sandbox, "TIMESTAMP");
    let before: Vec<_> = fs::read_dir(sandbox.at("src/__pycache__")).unwrap().collect();
    sandbox.check().ok();
    let after: Vec<_> = fs::read_dir(sandbox.at("src/__pycache__")).unwrap().collect();
    assert_eq!((before.len(), after.len()), (1, 1));
}

/// Each verifier has a directory of its own, which is private, empty and gone afterwards, whatever the caller has set.
#[test]
fn each_verifier_has_empty_caches_of_its_own() {
    let script = "sh -c 'd=\"$PYTHONPYCACHEPREFIX\"; test -z \"$(ls -A \"$d\")\" && touch \"$d/x\" && stat -c %a \"$d\" && \
                  echo \"$d\" && test \"$MYPY_CACHE_DIR\" = \"$d\" && echo $RUFF_NO_CACHE'";
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--verify", script, "--verify", script]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    let mut check = sandbox.cordon_command(&["check"]);
    check.env("PYTHONPYCACHEPREFIX", sandbox.at("src"));
    let verification = run(check, b"", PATIENCE).ok().json()["verification"].clone();
    let seen: Vec<Vec<String>> =
        (0..2).map(|at| verification[at]["stdout"].as_str().unwrap().lines().map(str::to_owned).collect()).collect();
    for lines in &seen {
        assert_eq!(lines[0], "700");
        assert!(!PathBuf::from(&lines[1]).exists(), "{lines:?}");
        assert_eq!(lines[2], "true");
    }
    assert_ne!(seen[0][1], seen[1][1]);
}

#[test]
fn a_directory_that_cannot_be_made_is_no_pass() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--verify", "true"]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    let mut check = sandbox.cordon_command(&["check"]);
    check.env("TMPDIR", sandbox.at("README.md"));
    run(check, b"", PATIENCE).refused().says(&["caches", "--verifier-caches keep"]);
    sandbox.check().ok();
}
