//! The older `stone` lists, shows and verifies what Cordon wrote, and says of the same work what Cordon says.

use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;

use crate::common::counterpart::older_stone;
use crate::common::json;
use crate::common::outcome::Outcome;
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

fn ask(sandbox: &Sandbox, stone: &OsString, place: &Path, args: &[&str]) -> Outcome {
    let mut command = sandbox.command(stone);
    command.current_dir(place).args(args);
    run(command, b"", PATIENCE)
}

/// The records of the newest session, without what differs from one run to the next.
pub fn records(root: &Path) -> Vec<Value> {
    let mut sessions: Vec<_> =
        std::fs::read_dir(root.join(".stone/sessions")).unwrap().map(|entry| entry.unwrap().path()).collect();
    sessions.sort();
    let bytes = std::fs::read(sessions.last().expect("a session").join("events.jsonl")).unwrap();
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut records: Vec<Value> = lines.map(|line| json::parse_any(line).unwrap()).collect();
    for record in &mut records {
        let record = record.as_object_mut().unwrap();
        for own in ["ts", "prev"] {
            assert!(record.remove(own).is_some(), "{own} is missing in {record:?}");
        }
    }
    records
}

/// Work of every kind that the older program can write down.
const WORK: &str = r"
printf 'more\n' >> src/app.py
printf 'new\n' > src/new.py
mkdir -p src/deep/er && printf 'x' > src/deep/er/file
rm docs/guide.md
mv config/prod.yml config/moved.yml
chmod 755 src/util.py
chmod 600 infra/deploy.tf
ln -s app.py src/link
rm README.md && mkdir README.md && printf 'x' > README.md/inside
rm links/old && ln -s elsewhere links/old
rm links/was-link && printf 'file now' > links/was-link
rm win.txt && printf 'one\nthree\n' > win.txt
: > empty
printf 'same' > twin-a; printf 'same' > twin-b
printf 'changed\n' > data/kept
printf 'new and ignored\n' > data/fresh
rm data/gone
chmod 640 data/mode
touch untouched.txt
printf '\000\001' > blob.bin
printf 'y' > 'a name with spaces'
printf 'z' > 'naïve'
";

fn project() -> Sandbox {
    let sandbox = Sandbox::project();
    sandbox.write(".gitattributes", "win.txt text eol=crlf\nunix.txt text=auto\n");
    sandbox.write("win.txt", "one\r\ntwo\r\n");
    sandbox.write("unix.txt", "one\r\ntwo\r\n");
    sandbox.write("untouched.txt", "as it was\n");
    std::fs::create_dir(sandbox.at("links")).unwrap();
    std::os::unix::fs::symlink("somewhere", sandbox.at("links/old")).unwrap();
    std::os::unix::fs::symlink("somewhere", sandbox.at("links/was-link")).unwrap();
    sandbox.git(&["config", "core.safecrlf", "false"]).ok();
    sandbox.commit("more");
    for name in ["kept", "gone", "mode"] {
        sandbox.write(format!("data/{name}"), format!("{name}\n"));
    }
    sandbox
}

fn copy(sandbox: &Sandbox) -> std::path::PathBuf {
    let place = sandbox.outside().join("observed");
    let mut copy = sandbox.command("cp");
    copy.arg("-a").arg(&sandbox.root).arg(&place);
    run(copy, b"", PATIENCE).ok();
    place
}

#[test]
fn the_same_work_gives_the_same_events() {
    let Some(stone) = older_stone() else { return };
    for extra in ["", "rm unix.txt", "printf 'one\\ntwo\\n' > unix.txt", "mv unix.txt renamed.txt"] {
        let sandbox = project();
        let observed = copy(&sandbox);
        sandbox.arm(&["--allow", "**"]).ok();
        let script = format!("{WORK}\n{extra}\n");
        ask(&sandbox, &stone, &observed, &["run", "--actor", "somebody", "--", "sh", "-c", &script]).ok();
        let mut work = sandbox.command("sh");
        work.args(["-c", &script]);
        run(work, b"", PATIENCE).ok();
        let outcome = sandbox.cordon(&["check", "--actor", "somebody"]);
        let (theirs, ours) = (records(&observed), records(&sandbox.root));
        let middle = |records: &[Value]| records[1..records.len() - 1].to_vec();
        assert!(theirs.len() > 20, "the work was done");
        assert_eq!(middle(&ours), middle(&theirs), "{extra}: {outcome:?}");
        assert_eq!(outcome.json()["unobserved"], serde_json::json!([]), "{outcome:?}");
    }
}

#[test]
fn it_lists_shows_and_verifies_every_check() {
    let Some(stone) = older_stone() else { return };
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.cordon(&["check", "--actor", "codex"]).ok();
    sandbox.append("README.md", "more\n");
    let verdict = sandbox.check().rejected().json();
    let latest = verdict["session"].as_str().unwrap();
    let root = &sandbox.root;
    let list = ask(&sandbox, &stone, root, &["list"]).ok().says(&["codex", "undeclared", "success", "failed", latest]);
    assert_eq!(list.stdout.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"0")).count(), 2, "{list:?}");
    ask(&sandbox, &stone, root, &["verify", "latest"]).ok().says(&["intact"]);
    let show = ask(&sandbox, &stone, root, &["show", "latest"]).ok();
    let _ =
        show.says(&[latest, "MODIFIED     README.md", "MODIFIED     src/app.py", "cordon check", "Outcome: failed"]);
    for entry in std::fs::read_dir(sandbox.at(".stone/sessions")).unwrap() {
        let id = entry.unwrap().file_name().into_string().unwrap();
        ask(&sandbox, &stone, root, &["verify", &id]).ok();
    }
}

#[test]
fn the_first_and_the_last_record_say_what_ran_and_how_it_ended() {
    let sandbox = Sandbox::armed();
    let verdict = sandbox.cordon(&["check", "--actor", "mallory\u{1b}[2J"]).ok().json();
    let all = records(&sandbox.root);
    assert_eq!(all.len(), 2, "nothing changed: {all:#?}");
    let started = &all[0];
    assert_eq!(started["actor"], "mallory\u{1b}[2J");
    assert_eq!(started["spec"], "0.2");
    assert_eq!(started["id"], verdict["session"]);
    let command = json::array(&started["command"]);
    assert_eq!(command[1..], [serde_json::json!("check"), "--actor".into(), "mallory\u{1b}[2J".into()]);
    for (field, value) in [("backend", "none".into()), ("profile", "none".into()), ("signal_scope", Value::Bool(false))]
    {
        assert_eq!(started[format!("confinement_{field}")], value);
    }
    assert_eq!((&all[1]["outcome"], &all[1]["exit_code"]), (&"success".into(), &0.into()));
}

#[test]
fn an_agent_is_the_actor_and_its_command_is_recorded() {
    let sandbox = Sandbox::project();
    let run = ["run", "work", "--allow", "src/**", "--", "sh", "-c", "echo x >> src/app.py; exit 7"];
    let ran = sandbox.cordon(&run).ends_with(4).json();
    let all = records(&sandbox.root);
    assert_eq!(all[0]["actor"], "command");
    assert_eq!(json::array(&all[0]["command"])[..2], [serde_json::json!("sh"), "-c".into()]);
    assert_eq!(all[1]["path"], "src/app.py");
    assert_eq!((&all[2]["outcome"], &all[2]["exit_code"]), (&"failed".into(), &7.into()));
    assert_eq!(all[0]["id"], ran["session"]);
    sandbox.cordon(&["resume"]).ends_with(4);
    assert_eq!(std::fs::read_dir(sandbox.at(".stone/sessions")).unwrap().count(), 2);
}
