//! New ignored files that steer what verifiers run, and the honest ones of the same names.

use std::fs;

use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

/// A project whose rules hide what is not a source of its own, armed for `src/**`.
#[track_caller]
fn with(rules: &str, args: &[&str]) -> Sandbox {
    let sandbox = Sandbox::project();
    sandbox.write("tests/test_app.py", "def test(): pass\n");
    sandbox.write("Makefile", "all:\n\tfalse\n");
    sandbox.append(".gitignore", rules);
    sandbox.commit("ignore");
    sandbox.arm(&[&["--allow", "src/**"], args].concat()).ok();
    sandbox
}

fn words(path: &str) -> String {
    format!("ignored file steers what verifiers run: {path}")
}

#[test]
fn a_new_ignored_file_that_steers_is_found_with_the_command_that_removes_it() {
    for path in [
        "conftest.py",
        "tests/conftest.py",
        "src/sitecustomize.py",
        "pytest.ini",
        "setup.cfg",
        "GNUmakefile",
        "makefile",
        ".npmrc",
        "jest.config.js",
        ".cargo/config.toml",
        "build.rs",
        "rust-toolchain.toml",
        "go.work",
        ".python-version",
    ] {
        let sandbox = with(&format!("{path}\n"), &[]);
        sandbox.append("src/app.py", "X = 1\n");
        sandbox.write(path, "x\n");
        let verdict = sandbox.check().violates(&[&words(path)]).json();
        assert_eq!(verdict["findings"][0]["code"], "ignored-steers");
        let mut undo = sandbox.command("bash");
        undo.args(["-c", verdict["findings"][0]["undo"].as_str().unwrap()]);
        run(undo, b"", PATIENCE).ok();
        sandbox.check().ok();
    }
}

/// What a verifier says with it, and that it is what the name says.
#[test]
fn make_is_not_led_to_other_rules() {
    let sandbox = with("GNUmakefile\n", &["--verify", "make"]);
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.write("GNUmakefile", "all:\n\ttrue\n");
    let mut make = sandbox.command("make");
    make.arg("-s");
    run(make, b"", PATIENCE).ok();
    sandbox.check().violates(&[&words("GNUmakefile")]);
}

#[test]
fn python_is_not_led_to_code_without_a_source() {
    for path in
        ["pytest.pyc", "src/helper.pyc", "json/__init__.pyc", "pytest.cpython-311-x86_64-linux-gnu.so", "src/app.so"]
    {
        let sandbox = with("*.pyc\n*.so\n", &[]);
        sandbox.write(path, "x");
        sandbox.check().violates(&[&words(path)]);
    }
    // Bytecode beside its source is never read, and what lies in a cache or in build output is no module.
    let sandbox = with("*.pyc\n*.so\n__pycache__/\n", &[]);
    sandbox.write("old.pyc", "x");
    for path in
        ["src/app.pyc", "src/__pycache__/gone.cpython-311.pyc", "build/lib/x.pyc", "build/lib/x.so", "libapp.so"]
    {
        sandbox.write(path, "x");
    }
    fs::remove_file(sandbox.at("old.pyc")).unwrap();
    sandbox.check().ok();
}

#[test]
fn bytecode_that_existed_at_arm_without_a_source_stays_as_it_was() {
    let sandbox = Sandbox::project();
    sandbox.append(".gitignore", "*.pyc\n");
    sandbox.commit("ignore");
    sandbox.write("vendored.pyc", "x");
    sandbox.write("src/app.pyc", "x");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.append("src/app.pyc", "y");
    sandbox.check().ok();
    sandbox.append("vendored.pyc", "y");
    sandbox.check().violates(&[&words("vendored.pyc")]);
}

/// pytest collects also in directories that Git hides, and what it collects runs in one process with the tests.
#[test]
fn what_pytest_collects_is_found_also_in_hidden_directories() {
    for path in ["data/test_more.py", "target/conftest.py", "out/a/more_test.py"] {
        let sandbox = with("target/\nout/\n", &[]);
        sandbox.write(path, "x");
        sandbox.check().violates(&[&words(path)]);
    }
    let sandbox = with(".tox/\n.venv/\ndist/\nenv/\n", &[]);
    for path in [
        "env/pyvenv.cfg",
        "env/bin/activate",
        "env/lib/python3.11/site-packages/pip/tests/a_test.py",
        ".tox/py/lib/python3.11/site-packages/numpy/conftest.py",
        ".venv/lib/python3.11/site-packages/numpy/tests/test_a.py",
        "build/lib/pkg/conftest.py",
        "dist/test_x.py",
    ] {
        sandbox.write(path, "x");
    }
    sandbox.check().ok();
}

/// Copies of whole projects in hidden directories: build output, packages, another work tree.
#[test]
fn a_copy_in_a_hidden_directory_steers_nobody() {
    let sandbox = with("dist/\n.worktrees/\n.next/\ntarget/\nnode_modules/\n", &[]);
    for path in [
        "dist/package.json",
        ".next/package.json",
        ".worktrees/two/Cargo.toml",
        ".worktrees/two/setup.cfg",
        "target/package/demo-0.1.0/Cargo.toml",
        "target/package/demo-0.1.0/build.rs",
        "node_modules/left-pad/package.json",
        "node_modules/left-pad/.npmrc",
        "data/x/tsconfig.json",
        "src/build/pytest.ini",
    ] {
        sandbox.write(path, "x");
    }
    sandbox.check().ok();
}

#[test]
fn what_steers_can_be_allowed_and_what_only_gives_values_is_noted() {
    for args in [&["--allow-ignored", "pytest.ini"][..], &["--ignored", "report"], &["--scratch", "pytest.ini"]] {
        let sandbox = with("pytest.ini\n", args);
        sandbox.write("pytest.ini", "x");
        sandbox.check().ok();
    }
    let sandbox = with("local.py\n", &[]);
    sandbox.write(".env", "KEY=1\n");
    sandbox.write("src/local.py", "x");
    sandbox.check().ok().says(&["1 new ignored: .env"]);
    // A makefile where none was is what a configure script leaves.
    let sandbox = with("/sub/GNUmakefile\n/sub/Makefile\n", &[]);
    sandbox.write("src/sub/x", "x");
    sandbox.write("sub/Makefile", "x");
    sandbox.write("sub/GNUmakefile", "x");
    fs::remove_file(sandbox.at("sub/Makefile")).unwrap();
    sandbox.check().ok();
}

#[test]
fn code_that_python_runs_at_every_start_does_not_come_into_an_environment_of_arm() {
    let sandbox = Sandbox::project();
    sandbox.append(".gitignore", ".venv/\nnew/\nvenv/\n");
    sandbox.commit("ignore");
    sandbox.write(".venv/lib/python3.11/site-packages/six.py", "x");
    sandbox.arm(&["--allow", "src/**"]).ok();
    // A new package, and a new environment, are noted.
    sandbox.write(".venv/lib/python3.11/site-packages/idna/core.py", "x");
    sandbox.write("venv/lib/python3.11/site-packages/distutils-precedence.pth", "x");
    sandbox.check().ok().says(&["2 new ignored among installed dependencies"]);
    for name in ["x.pth", "sitecustomize.py"] {
        let path = format!(".venv/lib/python3.11/site-packages/{name}");
        sandbox.write(&path, "import os\n");
        sandbox.check().violates(&[&words(&path)]);
        fs::remove_file(sandbox.at(&path)).unwrap();
    }
}
