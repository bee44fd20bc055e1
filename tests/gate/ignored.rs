//! Ignored files: what no diff shows stays as it was, and what tools write by themselves is no violation.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::SystemTime;

use crate::common::json;
use crate::common::sandbox::Sandbox;

const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# made by a tool\n";

/// A project that also ignores what these tests need, with these ignored files, armed for `src/**`.
fn with(files: &[&str], args: &[&str]) -> Sandbox {
    with_big(files, b"", args)
}

/// The same, with `data/big` of this content unless that is empty.
fn with_big(files: &[&str], big: &[u8], args: &[&str]) -> Sandbox {
    let sandbox = Sandbox::project();
    sandbox.append(".gitignore", "node_modules/\n.venv/\n__pycache__/\n.DS_Store\n*.swp\n*.local\ntarget/\nmine/\n");
    sandbox.commit("ignore more");
    for file in files {
        sandbox.write(file, format!("content of {file}\n"));
    }
    if !big.is_empty() {
        sandbox.write("data/big", big);
    }
    // The clock moves on, so that nothing is racy.
    std::thread::sleep(std::time::Duration::from_millis(20));
    sandbox.arm(&[&["--allow", "src/**"], args].concat()).ok();
    sandbox
}

fn notes(sandbox: &Sandbox) -> Vec<String> {
    let verdict = sandbox.check().ok().json();
    json::array(&verdict["notes"]).iter().map(|note| String::from_utf8(json::bytes(note)).unwrap()).collect()
}

fn set_modified(sandbox: &Sandbox, path: &str, time: SystemTime) {
    let times = FileTimes::new().set_modified(time);
    File::options().write(true).open(sandbox.at(path)).unwrap().set_times(times).unwrap();
}

/// Case 04: a secret is overwritten with as many bytes, and its time is put back.
#[test]
fn a_same_size_edit_with_its_time_put_back_is_found() {
    let sandbox = with(&[".env"], &[]);
    let time = fs::metadata(sandbox.at(".env")).unwrap().modified().unwrap();
    sandbox.write(".env", "CONTENT OF .env\n");
    set_modified(&sandbox, ".env", time);
    sandbox.check().violates(&["ignored file changed: .env"]);
}

#[test]
fn a_touch_and_the_same_bytes_once_more_are_nothing() {
    let sandbox = with(&[".env", "data/db"], &[]);
    set_modified(&sandbox, ".env", SystemTime::now());
    fs::rename(sandbox.at("data/db"), sandbox.at("data/old")).unwrap();
    fs::copy(sandbox.at("data/old"), sandbox.at("data/db")).unwrap();
    fs::remove_file(sandbox.at("data/old")).unwrap();
    assert_eq!(notes(&sandbox), [""; 0]);
}

/// Case 03: a clean of ignored files eats the data of the user.
#[test]
fn a_clean_that_ate_ignored_data_is_found_with_few_words() {
    let sandbox = with(&[".env"], &[]);
    let many = Sandbox::project();
    for n in 0..3000 {
        many.write(format!("data/{n}"), "x");
    }
    many.write(".env", "KEY=1\n");
    many.arm(&["--allow", "src/**"]).ok();
    let _ = many.git(&["clean", "-q", "-fdX", "--", "data", ".env"]).ok();
    let outcome = many.check().violates(&["ignored file deleted: .env", "3000 in all, below data"]);
    assert_eq!(json::array(&outcome.json()["findings"]).len(), 2);
    let _ = sandbox.git(&["clean", "-q", "-fX", "--", ".env"]).ok();
    sandbox.check().violates(&["ignored file deleted: .env"]);
}

/// A database of some size, a package of some depth: a touch and the same bytes from elsewhere are nothing.
#[test]
fn a_touch_and_an_installation_of_the_same_bytes_are_nothing_whatever_the_size() {
    let packages: Vec<String> = (0..300).map(|n| format!("node_modules/p{n}/index.js")).collect();
    let mut files: Vec<&str> = packages.iter().map(String::as_str).collect();
    files.push(".venv/bin/python");
    let big = vec![b'x'; 3 << 20];
    let sandbox = with_big(&files, &big, &[]);
    fs::remove_dir_all(sandbox.at("node_modules")).unwrap();
    for file in &packages {
        sandbox.write(file, format!("content of {file}\n"));
    }
    set_modified(&sandbox, ".venv/bin/python", SystemTime::now());
    fs::remove_file(sandbox.at("data/big")).unwrap();
    sandbox.write("data/big", &big);
    assert_eq!(notes(&sandbox), [""; 0]);
    // The twins: one byte elsewhere, the size and the time as they were.
    for path in ["data/big", "node_modules/p7/index.js", ".venv/bin/python"] {
        let time = fs::metadata(sandbox.at(path)).unwrap().modified().unwrap();
        let mut content = fs::read(sandbox.at(path)).unwrap();
        content[0] = b'Y';
        sandbox.write(path, content);
        set_modified(&sandbox, path, time);
    }
    let words = "installed dependency changed or deleted: ";
    sandbox.check().violates(&[
        "ignored file changed: data/big",
        &format!("{words}node_modules/p7/index.js"),
        &format!("{words}.venv/bin/python"),
    ]);
}

#[test]
fn other_permissions_of_an_ignored_file_are_noted() {
    let sandbox = with(&[".env"], &[]);
    fs::set_permissions(sandbox.at(".env"), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(notes(&sandbox), ["1 with other permissions that Git does not record: .env"]);
}

#[test]
fn each_option_loosens_what_it_names() {
    for args in
        [&["--allow-ignored", ".env"][..], &["--ignored", "report"], &["--scratch", ".env*"], &["--allow", ".env"]]
    {
        let sandbox = with(&[".env"], args);
        sandbox.append(".env", "more\n");
        sandbox.check().ok();
    }
    let sandbox = with(&["a.log"], &["--no-default-scratch"]);
    sandbox.append("a.log", "more\n");
    sandbox.check().violates(&["ignored file changed: a.log"]);
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--ignored", "maybe"]).refused();
    sandbox.arm(&["--allow", "src/**", "--scratch", "/tmp/**"]).refused();
}

#[test]
fn a_new_ignored_file_outside_is_noted_and_inside_is_fine() {
    let sandbox = with(&[], &[]);
    sandbox.write("data/new", "x");
    sandbox.write("src/x.local", "x");
    assert_eq!(notes(&sandbox), ["1 new ignored: data/new"]);
}

#[test]
fn a_denied_ignored_path_is_denied() {
    let sandbox = with(&["src/secret.local"], &["--deny", "src/secret*"]);
    sandbox.append("src/secret.local", "x");
    sandbox.check().violates(&["path outside policy: src/secret.local"]);
}

#[test]
fn a_file_that_became_something_else_is_gone() {
    let sandbox = with(&[".env", "data/db"], &[]);
    fs::remove_file(sandbox.at(".env")).unwrap();
    fs::create_dir(sandbox.at(".env")).unwrap();
    fs::rename(sandbox.at("data"), sandbox.outside().join("data")).unwrap();
    symlink("../data", sandbox.at("data")).unwrap();
    sandbox.check().violates(&["ignored file deleted: .env", "ignored file deleted: data/db"]);
}

/// What builds, tests, editors and desktops write by themselves.
#[test]
fn scratch_zones_are_noted_with_counts_and_nothing_else() {
    let sandbox = with(&["target/debug/old", "a.log", "src/__pycache__/app.pyc", "build/out.o", ".DS_Store"], &[]);
    fs::remove_dir_all(sandbox.at("target")).unwrap();
    for n in 0..200 {
        sandbox.write(format!("target/debug/deps/lib{n}.rlib"), "x");
    }
    sandbox.append("a.log", "line\n");
    sandbox.write("docs/__pycache__/x.pyc", "x");
    sandbox.append("build/out.o", "x");
    sandbox.append(".DS_Store", "x");
    sandbox.write("docs/.guide.md.swp", "x");
    let notes = notes(&sandbox);
    assert!(
        notes.contains(&"201 in the scratch zone **/target/** (Cargo, Maven and sbt build output)".to_owned()),
        "{notes:#?}"
    );
    assert_eq!(notes.len(), 6, "{notes:#?}");
}

#[test]
fn a_directory_with_a_cache_tag_is_scratch_if_it_had_it_at_arm_or_is_new() {
    let sandbox = Sandbox::project();
    sandbox.append(".gitignore", "mine/\n");
    sandbox.commit("ignore");
    sandbox.write("mine/old/CACHEDIR.TAG", TAG);
    sandbox.write("mine/old/x", "x");
    sandbox.write("mine/kept/x", "x");
    std::thread::sleep(std::time::Duration::from_millis(20));
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.append("mine/old/x", "x");
    sandbox.write("mine/new/CACHEDIR.TAG", TAG);
    sandbox.write("mine/new/x", "x");
    let notes = notes(&sandbox);
    assert_eq!(notes.len(), 2, "{notes:#?}");
    assert!(notes.iter().all(|note| note.contains("CACHEDIR.TAG")), "{notes:#?}");
    // A tag that is put into a directory of arm opens nothing.
    sandbox.write("mine/kept/CACHEDIR.TAG", TAG);
    sandbox.append("mine/kept/x", "x");
    sandbox.check().violates(&["ignored file changed: mine/kept/x"]);
}

#[test]
fn only_ignored_paths_lie_in_a_scratch_zone() {
    let sandbox = Sandbox::armed();
    sandbox.write("target/evil.sh", "x");
    sandbox.check().violates(&["path outside policy: target/evil.sh"]);
}

#[test]
fn an_installed_dependency_stays_and_a_new_tree_of_them_is_noted() {
    let sandbox = with(&["node_modules/a/dist/index.js", "src/node_modules/b/index.js"], &[]);
    sandbox.append("node_modules/a/dist/index.js", "evil()\n");
    sandbox.append("src/node_modules/b/index.js", "evil()\n");
    let words = "installed dependency changed or deleted: ";
    sandbox
        .check()
        .violates(&[&format!("{words}node_modules/a/dist/index.js"), &format!("{words}src/node_modules/b/index.js")]);

    let sandbox = with(&[], &[]);
    for n in 0..50 {
        sandbox.write(format!("node_modules/p{n}/index.js"), "x");
        sandbox.write(format!("node_modules/p{n}/.vscode/settings.json"), "{}");
    }
    sandbox.write("node_modules/.package-lock.json", "{}");
    fs::create_dir(sandbox.at("node_modules/.bin")).unwrap();
    symlink("../p1/index.js", sandbox.at("node_modules/.bin/p1")).unwrap();
    let notes = notes(&sandbox);
    assert!(notes[0].starts_with("101 new ignored among installed dependencies"), "{notes:#?}");
}

#[test]
fn a_verifier_that_changes_an_ignored_file_is_caught() {
    let sandbox = with(&[".env"], &["--verify", "sh -c \"echo x >> .env; mkdir -p target; echo y > target/z\""]);
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.check().violates(&["ignored file changed: .env"]);
    let sandbox = with(&[".env"], &["--verify", "sh -c \"mkdir -p target; echo y > target/z\""]);
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.check().ok();
}

/// What servers, loggers and editors write beside the work, and the files that only look alike.
#[test]
fn logs_process_ids_and_indices_come_and_go() {
    let files =
        ["app.log.1", "logs/app.txt", "tmp/server.pid", ".cache/clangd/index/app.idx", "data/db", "build.ninja"];
    let armed = || {
        let sandbox = Sandbox::project();
        sandbox.append(".gitignore", "*.log.*\nlogs/\ntmp/\n.cache/\nbuild.ninja\ncompile_commands.json\n.venv/\n");
        sandbox.commit("ignore");
        for path in files.iter().chain(&["compile_commands.json", ".venv/pyvenv.cfg"]) {
            sandbox.write(path, "x");
        }
        sandbox.arm(&["--allow", "src/**"]).ok();
        sandbox
    };
    let sandbox = armed();
    fs::rename(sandbox.at("app.log.1"), sandbox.at("app.log.2")).unwrap();
    sandbox.write("app.log.1.gz", "y");
    sandbox.append("logs/app.txt", "y");
    fs::remove_file(sandbox.at("tmp/server.pid")).unwrap();
    sandbox.append(".cache/clangd/index/app.idx", "y");
    sandbox.check().ok();
    // A verifier believes these, and a directory of logs hides no test.
    for path in ["compile_commands.json", ".venv/pyvenv.cfg", "data/db"] {
        let sandbox = armed();
        sandbox.append(path, "y");
        sandbox.check().violates(&[path]);
    }
    let sandbox = Sandbox::project();
    sandbox.append(".gitignore", "logs/\n");
    sandbox.commit("ignore");
    sandbox.write("infra/logs/handler.py", "x");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.append("infra/logs/handler.py", "y");
    sandbox.check().violates(&["ignored file changed: infra/logs/handler.py"]);
    let sandbox = armed();
    sandbox.write("logs/conftest.py", "y");
    sandbox.check().violates(&["ignored file steers what verifiers run: logs/conftest.py"]);
}
