//! Sparse checkouts that the user set up before arm.

use std::fs;

use crate::common::json;
use crate::common::outcome::Outcome;
use crate::common::sandbox::Sandbox;

/// Ways to set up a checkout that leaves `docs`, `infra` and `config` out.
const SETS: &[&[&str]] = &[&["set", "--cone", "src"], &["set", "--no-cone", "/src/", "/*.md", "/.gitignore"]];

fn sparse(set: &[&str]) -> Sandbox {
    let sandbox = Sandbox::project();
    sandbox.git(&[&["sparse-checkout"], set].concat()).ok();
    assert!(!sandbox.at("docs").exists() && sandbox.at("src/app.py").exists());
    sandbox
}

fn paths(outcome: &Outcome) -> Vec<String> {
    let changes = outcome.json()["changes"].clone();
    json::array(&changes).iter().map(|change| String::from_utf8(json::bytes(&change["path"])).unwrap()).collect()
}

#[test]
fn a_sparse_checkout_is_armed_and_ordinary_work_passes() {
    for set in SETS {
        let sandbox = sparse(set);
        sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
        sandbox.check().ok();
        sandbox.git(&["status"]).ok();
        sandbox.append("src/app.py", "X = 1\n");
        sandbox.git(&["add", "src/app.py"]).ok();
        let outcome = sandbox.check().ok();
        assert_eq!(paths(&outcome), ["src/app.py"]);
        sandbox.git(&["commit", "-q", "-m", "x"]).ok();
        let outcome = sandbox.check().ok();
        assert_eq!(paths(&outcome), ["src/app.py"]);
        // What is brought back as it was is no change.
        let content = sandbox.git(&["show", "HEAD:docs/guide.md"]).ok().stdout;
        sandbox.write("docs/guide.md", content);
        assert_eq!(paths(&sandbox.check().ok()), ["src/app.py"]);
    }
}

#[test]
fn what_appears_where_nothing_was_checked_out_is_a_change() {
    for set in SETS {
        let sandbox = sparse(set);
        sandbox.arm(&["--allow", "src/**"]).ok();
        sandbox.write("docs/guide.md", "other\n");
        let outcome = sandbox.check().violates(&["path outside policy: docs/guide.md"]);
        assert_eq!(outcome.json()["changes"][0]["kind"], "modified");
        fs::remove_dir_all(sandbox.at("docs")).unwrap();
        sandbox.check().ok();
        sandbox.write("infra/new.tf", "x\n");
        sandbox.check().violates(&["path outside policy: infra/new.tf"]);
    }
}

#[test]
fn the_index_of_what_is_left_out_counts() {
    for set in SETS {
        let sandbox = sparse(set);
        sandbox.arm(&["--allow", "src/**"]).ok();
        let blob = String::from_utf8(sandbox.git(&["hash-object", "-w", "src/app.py"]).ok().stdout).unwrap();
        let entry = format!("100644,{},infra/deploy.tf", blob.trim());
        sandbox.git(&["update-index", "--cacheinfo", &entry]).ok();
        sandbox.git(&["update-index", "--skip-worktree", "infra/deploy.tf"]).ok();
        let outcome = sandbox.check().violates(&["path outside policy: infra/deploy.tf"]);
        assert_eq!(outcome.json()["changes"][0]["layers"], serde_json::json!(["index"]));
        sandbox.git(&["reset", "-q"]).ok();
        sandbox.check().ok();
        sandbox.git(&["rm", "-q", "--cached", "--sparse", "docs/guide.md"]).ok();
        sandbox.check().violates(&["path outside policy: docs/guide.md"]);
    }
}

#[test]
fn new_flags_and_other_settings_are_violations() {
    for set in SETS {
        let sandbox = sparse(set);
        sandbox.arm(&["--allow", "src/**"]).ok();
        sandbox.git(&["update-index", "--skip-worktree", "README.md"]).ok();
        sandbox.check().violates(&["skip-worktree", "README.md"]);
        sandbox.git(&["update-index", "--no-skip-worktree", "README.md"]).ok();
        sandbox.check().ok();
        sandbox.git(&["sparse-checkout", "add", if set[1] == "--cone" { "docs" } else { "/docs/" }]).ok();
        sandbox.check().violates(&["sparse settings changed"]);
    }
}

/// A flag without a sparse checkout, and one that the patterns do not ask for, hide something; a sparse index is refused
/// with the command that keeps the checkout.
#[test]
fn what_hides_otherwise_is_refused() {
    let sandbox = Sandbox::project();
    sandbox.git(&["update-index", "--skip-worktree", "README.md"]).ok();
    sandbox.arm(&["--allow", "src/**"]).refused().says(&["README.md (skip-worktree)"]);
    let sandbox = sparse(SETS[0]);
    sandbox.git(&["update-index", "--skip-worktree", "src/app.py"]).ok();
    fs::remove_file(sandbox.at("src/app.py")).unwrap();
    sandbox.arm(&["--allow", "src/**"]).refused().says(&["src/app.py (skip-worktree)"]);
    let sandbox = sparse(SETS[0]);
    sandbox.git(&["sparse-checkout", "reapply", "--sparse-index"]).ok();
    sandbox.arm(&["--allow", "src/**"]).refused().says(&["git sparse-checkout reapply --no-sparse-index"]);
    sandbox.git(&["sparse-checkout", "reapply", "--no-sparse-index"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
}
