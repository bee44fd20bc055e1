//! Agents that lay hands on Cordon's own state: there is no verdict then.

use super::common::{EDIT, attempt, repeat};
use crate::common::sandbox::{Sandbox, cordon_program};

#[track_caller]
fn refused(script: &str) {
    let cordon = cordon_program().into_string().unwrap();
    repeat(|| {
        let sandbox = Sandbox::project();
        let script = format!("{EDIT}; {}", script.replace("CORDON", &cordon));
        let outcome = attempt(&sandbox, &["--verify", "true"], &script).refused();
        assert!(!outcome.text().contains("\"passed\""), "{outcome:?}");
        assert!(outcome.json()["error"]["kind"] == "state", "{outcome:?}");
    });
}

#[test]
fn a_removed_state() {
    refused("rm -rf .cordon");
    refused("rm .cordon/state.json");
    refused("rm .cordon/fingerprint");
}

#[test]
fn an_edited_state() {
    refused("sed -i 's/src/**/' .cordon/config.json; echo ' ' >> .cordon/config.json");
    refused("sed -i 's/running/armed/' .cordon/state.json");
    refused("echo x >> .cordon/fingerprint");
}

#[test]
fn anything_new_or_replaced_beside_the_state() {
    refused("touch .cordon/x");
    refused("mkdir .cordon/kept");
    refused("cp .cordon/running .cordon/r && mv .cordon/r .cordon/running");
    refused("mv .cordon/attempts .git/away && ln -s ../.git/away .cordon/attempts");
    refused("mv .cordon/attempts/1 .git/away && cp -r .git/away .cordon/attempts/1");
    refused("echo x > .cordon/attempts/1/agent.json");
}

#[test]
fn a_removed_or_edited_anchor() {
    refused("rm .git/cordon.anchor");
    refused("echo ' ' >> .git/cordon.anchor");
}

#[test]
fn a_removed_or_replaced_lock() {
    refused("rm .git/cordon.lock");
    refused("mv .git/cordon.lock .git/old; : > .git/cordon.lock");
    refused("echo x > .git/cordon.lock");
}

#[test]
fn a_rearm_under_a_lock_of_its_own() {
    refused(
        "rm .git/cordon.lock; CORDON reset >/dev/null && git stash -q && CORDON arm 'do it' --allow '**' >/dev/null",
    );
}

#[test]
fn what_an_agent_may_ask_cordon_is_answered_and_changes_nothing() {
    let cordon = cordon_program().into_string().unwrap();
    repeat(|| {
        let sandbox = Sandbox::project();
        let script = format!(
            "{EDIT}; {cordon} status >/dev/null && {cordon} explain src/app.py >/dev/null || exit 9; \
             for refused in check reset resume diff; do {cordon} $refused >/dev/null 2>&1; [ $? = 2 ] || exit 8; done"
        );
        attempt(&sandbox, &[], &script).ok();
    });
}
