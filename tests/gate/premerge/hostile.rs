//! Histories that no honest git makes: trees with two entries of one name, links with more than they show, links that come
//! to lead away.

use std::os::unix::fs::symlink;

use super::rig::{branch, change, gate, line, team};
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

/// A tree with these rows, as `git mktree` would refuse some of them: written as they come.
fn tree(sandbox: &Sandbox, rows: &[(&str, &str, &str)]) -> String {
    let mut bytes = Vec::new();
    for (mode, name, id) in rows {
        bytes.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        bytes.extend((0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()));
    }
    sandbox.write("../tree", bytes);
    line(sandbox, &["hash-object", "-w", "-t", "tree", "--literally", "../tree"])
}

fn blob(sandbox: &Sandbox, content: &[u8]) -> String {
    sandbox.write("../blob", content);
    line(sandbox, &["hash-object", "-w", "../blob"])
}

/// A commit on `main` in which `docs` is this tree.
fn with_docs(sandbox: &Sandbox, docs: &str) {
    let listed = line(sandbox, &["ls-tree", "main"]);
    let own = format!("040000 tree {}\tdocs", line(sandbox, &["rev-parse", "main:docs"]));
    let rows = format!("{}\n", listed.replace(&own, &format!("040000 tree {docs}\tdocs")));
    let made = run(sandbox.git_command(&["mktree"]), rows.as_bytes(), PATIENCE).ok();
    let top = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    let commit = line(sandbox, &["commit-tree", "-p", "main", "-m", "x", &top]);
    sandbox.git(&["update-ref", "refs/heads/x", &commit]).ok();
}

#[test]
fn a_tree_that_names_something_twice_is_refused_whichever_comes_first() {
    let sandbox = team();
    let (small, other) = (blob(&sandbox, b"x\n"), blob(&sandbox, b"y\n"));
    let away = blob(&sandbox, b"/etc");
    let inner = tree(&sandbox, &[("100644", "a", &small)]);
    for rows in [
        [("100644", "l", small.as_str()), ("120000", "l", away.as_str())],
        [("120000", "l", away.as_str()), ("100644", "l", small.as_str())],
        [("100644", "l", small.as_str()), ("100644", "l", other.as_str())],
        [("40000", "l", inner.as_str()), ("120000", "l", away.as_str())],
        [("120000", "l", away.as_str()), ("40000", "l", inner.as_str())],
    ] {
        with_docs(&sandbox, &tree(&sandbox, &rows));
        gate(&sandbox, &["--base", "main", "--head", "x", "--role", "docs"]).refused().says(&[" twice"]);
    }
    with_docs(&sandbox, &tree(&sandbox, &[("100644", "l", &small), ("100644", "m", &other)]));
    gate(&sandbox, &["--base", "main", "--head", "x", "--role", "docs"]).ok();
}

#[test]
fn a_link_leads_to_what_stands_before_its_first_nul() {
    let sandbox = team();
    let long = [&b"/etc/passwd\0"[..], &vec![b'a'; 70_000]].concat();
    for text in [&b"../..\0"[..], b"../.git\0/x", &long] {
        let link = blob(&sandbox, text);
        with_docs(&sandbox, &tree(&sandbox, &[("120000", "l", &link)]));
        gate(&sandbox, &["--base", "main", "--head", "x", "--role", "docs"]).violates(&["symbolic link", "docs/l"]);
    }
    let inside = blob(&sandbox, b"../src\0/../../..");
    with_docs(&sandbox, &tree(&sandbox, &[("120000", "l", &inside)]));
    gate(&sandbox, &["--base", "main", "--head", "x", "--role", "docs"]).ok();
}

#[test]
fn a_link_that_goes_may_leave_another_one_leading_away() {
    let sandbox = team();
    branch(&sandbox, "x");
    sandbox.write("docs/p/q/r/f", "f\n");
    symlink("p/q/r", sandbox.at("docs/d")).unwrap();
    symlink("d/../../../../etc/passwd", sandbox.at("docs/l")).unwrap();
    sandbox.commit("links");
    let args = ["--base", "main", "--head", "x", "--role", "docs"];
    gate(&sandbox, &args).ok();
    let both = line(&sandbox, &["rev-parse", "x"]);
    for replaced in [true, false] {
        sandbox.git(&["reset", "-q", "--hard", &both]).ok();
        std::fs::remove_file(sandbox.at("docs/d")).unwrap();
        if replaced {
            sandbox.write("docs/d/f", "f\n");
        }
        sandbox.commit("gone");
        if replaced {
            gate(&sandbox, &args).violates(&["docs/l"]);
            // The same where the base has both links, before a merge and in the work tree.
            gate(&sandbox, &["--base", &both, "--head", "x", "--role", "docs"]).violates(&["docs/l"]);
            sandbox.git(&["reset", "-q", "--hard", &both]).ok();
            sandbox.arm(&["--allow", "docs/**"]).ok();
            std::fs::remove_file(sandbox.at("docs/d")).unwrap();
            sandbox.write("docs/d/f", "f\n");
            sandbox.check().violates(&["docs/l"]);
            sandbox.cordon(&["reset"]).ok();
        }
    }
}

#[test]
fn the_empty_tree_need_not_be_stored() {
    let sandbox = team();
    let empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    let root = line(&sandbox, &["commit-tree", "-m", "root", empty]);
    let top = line(&sandbox, &["rev-parse", "main^{tree}"]);
    let base = line(&sandbox, &["commit-tree", "-p", &root, "-m", "base", &top]);
    sandbox.git(&["reset", "-q", "--hard", &base]).ok();
    branch(&sandbox, "x");
    change(&sandbox, "docs/new.md", "x\n");
    gate(&sandbox, &["--base", &base, "--head", "x", "--role", "docs"]).ok();
    gate(&sandbox, &["--base", &root, "--head", "x", "--role", "docs"]).refused().says(&["no cordon.toml"]);
}
