//! Git LFS without its program: the pointer is worked out, and nothing is run.

use std::fs;

use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

const CONTENT: &str = "a large asset\n";

/// A project in which `src/asset.bin` and `docs/asset.bin` are pointers, on disk as well.
fn with_pointers(configured: bool) -> Sandbox {
    let sandbox = Sandbox::project();
    sandbox.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    for path in ["src/asset.bin", "docs/asset.bin"] {
        sandbox.write(path, pointer_of(&sandbox, CONTENT));
    }
    sandbox.commit("pointers");
    if configured {
        // A program that betrays that it ran, and that Git needs only when it has to clean something.
        sandbox.git(&["config", "filter.lfs.clean", "touch ran; cat"]).ok();
    }
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox
}

/// What the filter stores for some content.
fn pointer_of(sandbox: &Sandbox, content: &str) -> String {
    let outcome = run(sandbox.command("sha256sum"), content.as_bytes(), PATIENCE).ok();
    let sum = String::from_utf8(outcome.stdout).unwrap().split(' ').next().unwrap().to_owned();
    format!("version https://git-lfs.github.com/spec/v1\noid sha256:{sum}\nsize {}\n", content.len())
}

#[test]
fn content_that_came_for_its_pointer_is_no_change() {
    let sandbox = with_pointers(true);
    sandbox.write("docs/asset.bin", CONTENT);
    let outcome = sandbox.check().ok();
    assert!(outcome.json()["changed_files"].as_array().unwrap().is_empty(), "{outcome:?}");
    // And back to the pointer, as a checkout without the filter's download leaves it.
    sandbox.write("docs/asset.bin", pointer_of(&sandbox, CONTENT));
    sandbox.check().ok();
    assert!(!sandbox.at("ran").exists(), "the filter was run");
}

#[test]
fn other_content_is_a_change() {
    let sandbox = with_pointers(true);
    for content in [format!("{CONTENT}x"), "b large asset\n".to_owned(), pointer_of(&sandbox, "other\n")] {
        sandbox.write("docs/asset.bin", content);
        sandbox.check().violates(&["path outside policy: docs/asset.bin"]);
    }
    fs::remove_file(sandbox.at("docs/asset.bin")).unwrap();
    sandbox.check().violates(&["path outside policy: docs/asset.bin"]);
}

/// Without the filter Git stores the file itself, and shows it as changed.
#[test]
fn without_the_filter_the_content_is_a_change() {
    let sandbox = with_pointers(false);
    sandbox.write("docs/asset.bin", CONTENT);
    sandbox.check().violates(&["path outside policy: docs/asset.bin"]);
    // Nor is a file of another driver, or of none, a pointer's content.
    let sandbox = with_pointers(true);
    sandbox.write("README.md", CONTENT);
    sandbox.check().violates(&["path outside policy: README.md"]);
}

#[test]
fn content_that_is_there_at_arm_can_be_armed_and_is_kept_watch_over() {
    let sandbox = with_pointers(true);
    sandbox.cordon(&["reset"]).ok();
    sandbox.write("docs/asset.bin", CONTENT);
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.check().ok();
    sandbox.write("docs/asset.bin", "b large asset\n");
    sandbox.check().violates(&["path outside policy: docs/asset.bin"]);
}
