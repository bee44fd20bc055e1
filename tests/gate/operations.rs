//! Operations of Git that stop half way: told once, and taken back by Git's own command, not hidden.

use std::fs;

use crate::common::sandbox::Sandbox;
use crate::undo::undo_all;

/// A project with a branch `side` that contradicts `main` in one file inside of the envelope, armed with commits.
fn contradicted() -> Sandbox {
    let sandbox = Sandbox::project();
    let side = |text: &str| sandbox.write("src/app.py", text);
    sandbox.git(&["switch", "-q", "-c", "side"]).ok();
    side("SIDE = 1\n");
    sandbox.commit("side");
    sandbox.git(&["format-patch", "-q", "-1", "-o", sandbox.outside().to_str().unwrap()]).ok();
    sandbox.git(&["switch", "-q", "main"]).ok();
    side("MAIN = 1\n");
    sandbox.commit("main");
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox
}

/// Starts an operation that cannot end by itself.
type Start = Box<dyn Fn(&Sandbox)>;

/// Whether Git says that something is under way.
fn is_under_way(sandbox: &Sandbox) -> bool {
    let said = sandbox.git(&["status"]).ok().text();
    ["You are currently", "currently in progress", "You have unmerged", "am session", "still merging", "bisecting"]
        .iter()
        .any(|words| said.contains(words))
}

#[test]
fn what_stopped_half_way_is_ended_by_its_own_command() {
    let patch = |sandbox: &Sandbox| {
        let mut found = fs::read_dir(sandbox.outside()).unwrap().map(|entry| entry.unwrap().path());
        let found = found.find(|path| path.extension().is_some_and(|ending| ending == "patch"));
        found.expect("format-patch wrote it").to_str().unwrap().to_owned()
    };
    let git = |args: &'static [&'static str]| -> Start { Box::new(move |sandbox| drop(sandbox.git(args))) };
    let cases: [(&str, &str, Start); 7] = [
        ("merge", "git merge --abort", git(&["merge", "-q", "side"])),
        ("cherry-pick", "git cherry-pick --abort", git(&["cherry-pick", "side"])),
        ("cherry-pick of several", "git cherry-pick --abort", git(&["cherry-pick", "side~1..side", "side"])),
        ("rebase", "git rebase --abort", git(&["rebase", "-q", "side"])),
        ("rebase by patches", "git rebase --abort", git(&["rebase", "-q", "--apply", "side"])),
        ("am", "git am --abort", Box::new(move |sandbox| drop(sandbox.git(&["am", "-q", &patch(sandbox)])))),
        ("bisection", "git bisect reset", git(&["bisect", "start"])),
    ];
    for (name, command, start) in cases {
        let sandbox = contradicted();
        start(&sandbox);
        assert!(is_under_way(&sandbox), "{name}");
        let verdict = sandbox.check().rejected().json();
        let told: Vec<&str> = crate::common::json::array(&verdict["findings"])
            .iter()
            .filter(|finding| finding["code"] == "operation-pending")
            .map(|finding| finding["undo"].as_str().unwrap_or_default())
            .collect();
        assert_eq!(told, [command], "{name}: {verdict:#}");
        undo_all(&sandbox, name);
        assert!(!is_under_way(&sandbox), "{name}");
    }
}

/// Git needs more than a directory to abort; it believes in the operation all the same.
#[test]
fn an_empty_directory_of_an_operation_is_seen_and_removed() {
    for directory in ["rebase-merge", "rebase-apply", "sequencer"] {
        let sandbox = Sandbox::armed();
        fs::create_dir(sandbox.at(format!(".git/{directory}"))).unwrap();
        sandbox.check().rejected().says(&["operation-pending", directory]);
        undo_all(&sandbox, directory);
        assert!(!sandbox.at(format!(".git/{directory}")).exists());
    }
}

#[test]
fn an_operation_of_before_arm_may_end() {
    let sandbox = contradicted();
    sandbox.cordon(&["reset"]).ok();
    sandbox.git(&["bisect", "start"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.check().ok();
}

/// What was stashed comes back; nothing is thrown away.
#[test]
fn stashed_work_comes_back() {
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "WORK = 1\n");
    let work = fs::read(sandbox.at("src/app.py")).unwrap();
    sandbox.git(&["stash", "-q"]).ok();
    undo_all(&sandbox, "stash");
    assert_eq!(fs::read(sandbox.at("src/app.py")).unwrap(), work);
    sandbox.check().ok();
}

#[test]
fn a_boundary_in_a_whole_repository_is_taken_away() {
    let sandbox = Sandbox::armed();
    let head = sandbox.git(&["rev-parse", "HEAD"]).ok().text();
    sandbox.write(".git/shallow", &head);
    sandbox.check().rejected();
    undo_all(&sandbox, "shallow");
    assert!(!sandbox.at(".git/shallow").exists());
}
