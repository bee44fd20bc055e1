//! Linked work trees: what belongs to one of arm, and what a new one brings along.

use crate::common::sandbox::Sandbox;

fn with_tree(armed_first: bool) -> Sandbox {
    let sandbox = Sandbox::project();
    sandbox.git(&["config", "extensions.worktreeConfig", "true"]).ok();
    let add = |sandbox: &Sandbox| {
        let other = sandbox.outside().join("other");
        sandbox.git(&["worktree", "add", "-q", "--detach", other.to_str().unwrap()]).ok();
    };
    if !armed_first {
        add(&sandbox);
    }
    sandbox.arm(&["--allow", "src/**"]).ok();
    if armed_first {
        add(&sandbox);
    }
    sandbox
}

#[test]
fn what_leads_a_work_tree_elsewhere_is_a_violation() {
    for armed_first in [false, true] {
        for (name, content) in [("config.worktree", "[core]\n\tfsmonitor = x\n"), ("commondir", "/nowhere\n")] {
            let sandbox = with_tree(armed_first);
            sandbox.check().ok();
            sandbox.write(format!(".git/worktrees/other/{name}"), content);
            sandbox.check().violates(&[&format!("worktrees/other/{name}")]);
        }
    }
}

/// Another agent works there; what it commits on a branch is told by the branch.
#[test]
fn head_of_another_work_tree_is_noted() {
    let sandbox = with_tree(false);
    let other = sandbox.outside().join("other");
    let other = other.to_str().unwrap();
    sandbox.git(&["-C", other, "commit", "-q", "--allow-empty", "-m", "x"]).ok();
    sandbox.check().ok().says(&["HEAD of another work tree moved"]);
    sandbox.git(&["-C", other, "switch", "-q", "-c", "theirs"]).ok();
    sandbox.check().violates(&["branch created: refs/heads/theirs"]);
}

#[test]
fn sparse_settings_that_git_copies_are_nothing() {
    let sandbox = with_tree(true);
    let other = sandbox.outside().join("other");
    sandbox.git(&["-C", other.to_str().unwrap(), "sparse-checkout", "set", "src"]).ok();
    sandbox.check().ok();
}
