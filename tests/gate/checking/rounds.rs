//! What verifiers do to the tree that they are to vouch for: each look is attributed to the one that ran before it.

use crate::common::json;
use crate::common::sandbox::Sandbox;

/// A project that is armed with these verifiers and holds an accepted edit.
#[track_caller]
fn with(verifiers: &[&str]) -> Sandbox {
    let sandbox = Sandbox::project();
    sandbox.write(".env", "SECRET=1\n");
    let verify = verifiers.iter().flat_map(|command| ["--verify", command]);
    let args: Vec<&str> = ["--allow", "src/**"].into_iter().chain(verify).collect();
    sandbox.arm(&args).ok();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox
}

#[test]
fn the_verifier_that_leaves_the_envelope_is_named() {
    for (deed, path) in [
        ("echo drift >> README.md", "README.md"),
        ("echo new > docs/new.md", "docs/new.md"),
        ("echo SECRET=2 > .env", ".env"),
        ("rm infra/deploy.tf", "infra/deploy.tf"),
    ] {
        let culprit = format!("sh -c '{deed}'");
        let sandbox = with(&["true", &culprit, "test -e README.md"]);
        sandbox.check().violates(&[&format!("changed while a verifier ran: {culprit}: {path}")]);
    }
}

#[test]
fn a_verifier_that_stages_or_plants_a_hook_is_named() {
    for deed in
        ["git add -A", "printf x > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout", "git branch side"]
    {
        let culprit = format!("sh -c '{deed}'");
        let sandbox = with(&["true", &culprit]);
        let outcome = sandbox.check();
        // Staging what the envelope allows is judged again and passes; the rest is no work of a verifier.
        if deed == "git add -A" {
            outcome.ok();
        } else {
            outcome.violates(&[&format!("changed while a verifier ran: {culprit}")]);
        }
    }
}

/// The second one vouches for another tree than the one that is accepted.
#[test]
fn what_one_verifier_changes_and_the_next_takes_back_is_seen() {
    let there = "sh -c 'cp src/util.py src/kept; echo LIMIT = 0 > src/util.py'";
    let back = "sh -c 'mv src/kept src/util.py'";
    with(&[there, "grep -q 0 src/util.py", back]).check().violates(&[
        &format!("changed while a verifier ran: {there}"),
        &format!("changed while a verifier ran: {back}"),
    ]);
}

#[test]
fn a_formatter_inside_the_envelope_is_judged_again_and_everything_runs_once_more() {
    let sandbox = with(&["sh -c 'echo run >> build/runs; grep -q Y src/app.py || echo Y >> src/app.py'", "true"]);
    sandbox.write("build/runs", "");
    let outcome = sandbox.check().ok();
    assert_eq!(std::fs::read_to_string(sandbox.at("build/runs")).unwrap(), "run\nrun\n");
    assert_eq!(json::array(&outcome.json()["verification"]).len(), 2);
    // One that never rests is not accepted.
    with(&["sh -c 'date +%N >> src/app.py'"]).check().violates(&["changed while a verifier ran: sh -c"]);
}

#[test]
fn caches_and_build_output_of_verifiers_are_nothing() {
    let sandbox = with(&["sh -c 'mkdir -p build; echo x > build/out; echo log >> run.log'"]);
    sandbox.check().ok();
}

/// Somebody writes all the time: to a log, which is nothing, or to the work, which can never be judged.
#[test]
fn a_tree_that_never_rests_is_reported_and_a_growing_log_is_not() {
    for (path, accepted) in [("run.log", true), ("README.md", false)] {
        let sandbox = with(&[]);
        let at = sandbox.at(path);
        let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let stopped = stop.clone();
        let writer = std::thread::spawn(move || {
            let mut size = 0;
            while !stopped.load(std::sync::atomic::Ordering::Relaxed) {
                size = size % 10_000 + 1;
                std::fs::write(&at, "x\n".repeat(size)).unwrap();
            }
        });
        let outcome = sandbox.check();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        writer.join().unwrap();
        if accepted {
            outcome.ok();
        } else {
            outcome.rejected();
        }
    }
}
