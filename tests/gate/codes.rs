//! `cordon codes`: what each code means, without a repository.

use serde_json::Value;

use crate::common::json;
use crate::common::sandbox::Sandbox;

#[test]
fn all_codes_are_explained_without_a_repository() {
    let sandbox = Sandbox::empty();
    let all = sandbox.cordon(&["codes"]).ok().json();
    assert!(json::array(&all).len() > 40, "{all}");
    for row in json::array(&all) {
        for key in ["code", "what", "why", "help", "allow"] {
            assert!(row[key].as_str().is_some_and(|text| text.len() > 4), "{key} of {row}");
        }
    }
    sandbox.cordon(&["codes", "--format", "human"]).ok().says(&[
        "lost-work",
        "cordon rescue",
        "path-outside",
        "why:",
        "undo:",
        "allow:",
    ]);
}

#[test]
fn one_code_is_explained_alone() {
    let sandbox = Sandbox::empty();
    let row = sandbox.cordon(&["codes", "lost-work"]).ok().json();
    assert_eq!(row["code"], "lost-work");
    let human = sandbox.cordon(&["codes", "lost-work", "--format", "human"]).ok().says(&["cordon rescue"]);
    assert!(!human.text().contains("path-outside"), "{human:?}");
}

#[test]
fn an_unknown_code_is_refused_with_the_nearest_names() {
    let sandbox = Sandbox::empty();
    sandbox.cordon(&["codes", "lostwork"]).refused().says(&["lost-work", "cordon codes"]);
    let hostile = sandbox.cordon(&["codes", "x\u{1b}[2J\n::error"]).refused();
    assert!(!hostile.text().contains('\u{1b}') && !hostile.text().contains("\n::error"), "{hostile:?}");
}

#[test]
fn every_code_that_a_check_gives_is_explained() {
    let sandbox = Sandbox::armed();
    sandbox.append("README.md", "more\n");
    sandbox.git(&["update-index", "--assume-unchanged", "docs/guide.md"]).ok();
    let verdict = sandbox.check().rejected().json();
    assert!(!json::array(&verdict["findings"]).is_empty());
    for finding in json::array(&verdict["findings"]) {
        let Value::String(code) = &finding["code"] else { panic!("{finding}") };
        sandbox.cordon(&["codes", code]).ok();
    }
}
