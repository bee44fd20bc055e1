//! How an agent can end, and what becomes of the run.

use std::fs;

use super::common::{EDIT, attempt, phase, repeat};
use crate::common::json;
use crate::common::sandbox::Sandbox;

#[test]
fn a_good_end_and_an_edit_inside_is_accepted() {
    repeat(|| {
        let sandbox = Sandbox::project();
        let ran = attempt(&sandbox, &["--verify", "grep -q X src/app.py"], EDIT).ok().json();
        assert_eq!((&ran["passed"], &ran["attempt"], &ran["max_attempts"]), (&true.into(), &1.into(), &3.into()));
        assert_eq!(ran["changed_files"], serde_json::json!(["src/app.py"]));
        assert_eq!(ran["agent"]["name"], "command");
        assert_eq!((&ran["agent"]["returncode"], &ran["agent"]["failure"]), (&0.into(), &serde_json::Value::Null));
        let status = sandbox.cordon(&["status"]).ok().json();
        assert_eq!(
            (&status["phase"], &status["mode"], &status["attempt"]),
            (&"accepted".into(), &"agent".into(), &1.into())
        );
        assert_eq!(status["agent"]["name"], "command");
        sandbox.cordon(&["status", "--format", "human"]).ok().says(&["attempts     1 of 3", "ended in good order"]);
    });
}

#[test]
fn an_edit_outside_is_rejected() {
    repeat(|| {
        let sandbox = Sandbox::project();
        attempt(&sandbox, &[], "echo more >> README.md").violates(&["path outside policy: README.md"]);
        assert_eq!(phase(&sandbox), "rejected");
    });
}

#[test]
fn a_failed_agent_is_exit_4_with_the_audit_all_the_same() {
    repeat(|| {
        for (script, returncode) in [("exit 7", 7), ("exit 255", 255), ("kill -KILL $$", -9), ("kill -ABRT $$", -6)] {
            let sandbox = Sandbox::project();
            let ran = attempt(&sandbox, &[], &format!("{EDIT}; {script}")).ends_with(4).json();
            assert_eq!((&ran["passed"], &ran["agent"]["returncode"]), (&true.into(), &returncode.into()), "{script}");
            assert_eq!(phase(&sandbox), "engine_error");
            sandbox.check().ok();
            assert_eq!(phase(&sandbox), "accepted", "a later check may accept what a failed agent left");
        }
    });
}

#[test]
fn a_failed_agent_outweighs_a_rejected_change() {
    repeat(|| {
        let sandbox = Sandbox::project();
        let ran = attempt(&sandbox, &[], "echo more >> README.md; exit 1").ends_with(4).json();
        assert_eq!(ran["passed"], false);
        sandbox.check().violates(&["path outside policy: README.md"]);
    });
}

#[test]
fn a_timeout_ends_who_does_not_listen() {
    repeat(|| {
        let sandbox = Sandbox::project();
        let script = format!("{EDIT}; trap '' INT TERM; sleep 1000 & while :; do sleep 1; done");
        let ran = attempt(&sandbox, &["--timeout", "1"], &script).ends_with(4).json();
        assert_eq!((&ran["agent"]["timed_out"], &ran["agent"]["returncode"]), (&true.into(), &(-9).into()));
        assert!(ran["agent"]["failure"].as_str().unwrap().contains("ran out of time after 1 s"), "{ran}");
        assert_eq!(ran["passed"], true);
    });
}

#[test]
fn a_timeout_hints_first_and_a_leader_that_obeys_does_not_save_its_child() {
    repeat(|| {
        let sandbox = Sandbox::project();
        let script = "(trap '' INT TERM; exec sleep 1000) & trap 'echo bye; exit 0' INT; while :; do sleep 0.1; done";
        let ran = attempt(&sandbox, &["--timeout", "1"], script).ends_with(4).json();
        assert_eq!((&ran["agent"]["timed_out"], &ran["agent"]["returncode"]), (&true.into(), &0.into()));
        assert_eq!(fs::read(sandbox.at(".cordon/attempts/1/stdout")).unwrap(), b"bye\n");
    });
}

#[test]
fn a_flood_on_either_stream_is_cut_at_the_cap() {
    repeat(|| {
        for (redirect, stream) in [("", "stdout"), (" >&2", "stderr")] {
            let sandbox = Sandbox::project();
            let ran = attempt(&sandbox, &[], &format!("exec yes{redirect}")).ends_with(4).json();
            assert_eq!((&ran["agent"]["output_limited"], &ran["agent"]["timed_out"]), (&true.into(), &false.into()));
            let kept = fs::metadata(sandbox.at(".cordon/attempts/1").join(stream)).unwrap();
            assert_eq!(kept.len(), 4 * 1024 * 1024, "{stream}");
        }
    });
}

#[test]
fn exactly_the_cap_is_no_flood() {
    let sandbox = Sandbox::project();
    attempt(&sandbox, &[], "head -c 4194304 /dev/zero; head -c 4194304 /dev/zero >&2").ok();
}

#[test]
fn what_an_agent_writes_is_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::project();
    attempt(&sandbox, &[], "printf 'a\\377'; printf b >&2").ok();
    let at = |name: &str| sandbox.at(".cordon/attempts/1").join(name);
    for (name, content) in [("stdout", &b"a\xff"[..]), ("stderr", b"b")] {
        assert_eq!(fs::read(at(name)).unwrap(), content);
        assert_eq!(fs::metadata(at(name)).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
    }
    let ended = json::parse(&fs::read(at("agent.json")).unwrap()).unwrap();
    assert_eq!(ended["returncode"], 0);
    assert!(fs::read_to_string(at("prompt")).unwrap().contains("do it"));
}

#[test]
fn closed_streams_and_a_child_that_holds_the_pipe_delay_nothing() {
    repeat(|| {
        for script in ["exec >&- 2>&- <&-; exit 0", "sleep 1000 & echo done", "(sleep 1000 >&2 &) ; echo done"] {
            let sandbox = Sandbox::project();
            let outcome = attempt(&sandbox, &[], &format!("{EDIT}; {script}")).ok();
            assert!(outcome.took < super::common::LONG / 2, "{outcome:?}");
        }
    });
}

#[test]
fn an_agent_that_stops_itself_runs_out_of_time() {
    repeat(|| {
        let sandbox = Sandbox::project();
        let ran = attempt(&sandbox, &["--timeout", "1"], "kill -STOP $$").ends_with(4).json();
        assert_eq!(ran["agent"]["timed_out"], true);
    });
}

#[test]
fn the_prompt_comes_on_standard_input_or_where_it_is_asked_for() {
    repeat(|| {
        let sandbox = Sandbox::project();
        attempt(&sandbox, &[], "cat > src/told").ok();
        let told = fs::read_to_string(sandbox.at("src/told")).unwrap();
        assert!(told.contains("do it") && told.contains("src/**") && told.contains("attempt 1 of 3"), "{told}");
    });
    let places = [
        ("cat \"$1\" >src/told; cat >>src/told", "{prompt_file}"),
        ("printf %s \"$1\" >src/told; cat >>src/told", "{prompt}"),
    ];
    for (script, place) in places {
        let sandbox = Sandbox::project();
        sandbox.cordon(&["run", "do it", "--allow", "src/**", "--", "sh", "-c", script, "sh", place]).ok();
        let told = fs::read_to_string(sandbox.at("src/told")).unwrap();
        assert_eq!(told.matches("do it").count(), 1, "it comes once: {told}");
        assert!(told.contains("do it") && told.ends_with('\n'), "{told}");
    }
}

#[test]
fn an_agent_may_commit_when_that_is_allowed() {
    let sandbox = Sandbox::project();
    let script = format!("{EDIT}; git commit -qam work");
    attempt(&sandbox, &["--allow-commits"], &script).ok();
    let author = sandbox.git(&["log", "-1", "--format=%an"]).ok();
    assert_eq!(author.stdout, b"Test\n", "the agent keeps the name that it commits as");
}
