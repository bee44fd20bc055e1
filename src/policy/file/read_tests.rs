//! What a policy file may say, and how each fault is told.

use super::*;

const TEAM: &str = r#"
version = 1

[defaults]
deny = ["**/secrets/**"]
max_files = 10
verify = ["cargo test"]
owner = "the core team"

[role.docs]
allow = ["docs/**", "*.md"]
max_files = 50
branches = ["docs/**"]
owner = "Jane <jane@example.invalid>"

[role.core]
allow = ["src/**", "tests/**"]
deny = ["src/vendor/**"]
uncounted = ["Cargo.lock"]
allow_commits = true
branches = ["agent/core-*"]

[gate]
role = "core"
"#;

fn told(text: &str) -> Vec<String> {
    check(text.as_bytes()).map_or_else(
        |faults| faults.iter().map(|fault| format!("{} | {}", fault.sentence(NAME), fault.hint)).collect(),
        |_| Vec::new(),
    )
}

/// The one fault of a file that begins with `version = 1`.
#[track_caller]
fn fault(rest: &str) -> String {
    let told = told(&format!("version = 1\n{rest}"));
    assert_eq!(told.len(), 1, "{told:#?}");
    told.into_iter().next().unwrap()
}

#[test]
fn roles_take_what_the_defaults_say() {
    let file = read(NAME, TEAM.as_bytes()).unwrap();
    let names: Vec<_> = file.roles.iter().map(|role| (role.name.as_str(), role.line)).collect();
    assert_eq!(names, [("docs", 10), ("core", 16)]);
    let docs = &file.role("docs").unwrap().settings;
    assert_eq!((docs.envelope().limits.max_files, docs.owner()), (50, Some("Jane <jane@example.invalid>")));
    let core = &file.role("core").unwrap().settings;
    let deny: Vec<_> = core.envelope().deny.iter().map(ToString::to_string).collect();
    assert_eq!(deny, ["**/secrets/**", "src/vendor/**"]);
    assert_eq!((core.envelope().limits.max_files, core.envelope().allow_commits), (10, true));
    assert_eq!((core.verify(), core.owner()), (&["cargo test".to_owned()][..], Some("the core team")));
    assert_eq!(core.audit().uncounted.len(), 1);
}

#[test]
fn a_branch_has_one_role_or_none() {
    let file = read(NAME, TEAM.as_bytes()).unwrap();
    let role = |branch: &str| file.role_of_branch(branch.as_bytes()).map(|role| role.name.clone());
    assert_eq!(role("docs/typo").unwrap(), "docs");
    assert_eq!(role("agent/core-1").unwrap(), "core");
    assert_eq!(role("main").unwrap(), "core", "the role that the gate names");
    let strict = read(NAME, TEAM.replace("[gate]\nrole = \"core\"", "").as_bytes()).unwrap();
    let error = strict.role_of_branch(b"main\x1b").unwrap_err();
    assert_eq!(error.message, "no role of cordon.toml claims the branch main\\u{1b}");
    let both = read(NAME, TEAM.replace("agent/core-*", "docs/a*").as_bytes()).unwrap();
    let error = both.role_of_branch(b"docs/api").unwrap_err();
    assert_eq!(error.message, "several roles of cordon.toml claim the branch docs/api: docs, core");
    assert!(both.role("dosc").unwrap_err().hints[0].contains("Did you mean `docs`?"));
}

#[test]
fn each_fault_names_line_and_key_and_what_to_write() {
    let cases = [
        ("rolle = 1", "cordon.toml:2: rolle: is no key that is known here | Did you mean `role`?"),
        (
            "[role.a]\nalow = [\"x\"]\nallow = [\"x\"]",
            "cordon.toml:3: [role.a] alow: is no key that is known here | Did you mean `allow`?",
        ),
        (
            "[defaults]\nbranches = [\"x\"]",
            "cordon.toml:3: [defaults] branches: cannot be a default | Write it in each [role.NAME] that it is about.",
        ),
        (
            "[role.a]\nallow = [\n  \"x\",\n  \"/y\",\n]",
            "cordon.toml:5: [role.a] allow: pattern `/y` starts with a slash | Patterns are relative to the repository root; drop the leading `/`.",
        ),
        (
            "[role.a]\nallow = [\"\"]",
            "cordon.toml:3: [role.a] allow: pattern `` is empty | Write `**` for every path, or a path relative to the repository root.",
        ),
        ("[role.a]\nallow = []", "cordon.toml:3: [role.a] allow: is empty | Write a pattern, or leave the key out."),
        (
            "[role.a]\nallow = \"x\"",
            "cordon.toml:3: [role.a] allow: takes a list of patterns, and this is a string | Write, for example, [\"src/**\", \"tests/**\"].",
        ),
        ("[role.a]\nallow = [\"x\", \"x\"]", "cordon.toml:3: [role.a] allow: has `x` twice | Remove one of the two."),
        (
            "[role.a]\nallow = [\"x\"]\nmax_files = \"9\"",
            "cordon.toml:4: [role.a] max_files: takes a whole number, and this is a string | Write the number alone, without quotation marks.",
        ),
        (
            "[role.a]\nallow = [\"x\"]\nmax_files = -1",
            "cordon.toml:4: [role.a] max_files: takes a whole number from 0, got -1 | Write a number in that range.",
        ),
        (
            "[role.a]\nallow = [\"x\"]\nverify = [\"'\"]",
            "cordon.toml:4: [role.a] verify: verifier `'` has an open quotation or ends in a backslash | Close the quotation, or double the backslash.",
        ),
        (
            "[role.a]\nowner = \"x\"",
            "cordon.toml:2: [role.a] allow: is missing, so the role can match nothing | Write what it may change: allow = [\"src/**\"].",
        ),
        (
            "[role.a]\nallow = [\"src/**\"]\ndeny = [\"**\"]",
            "cordon.toml:2: [role.a] allow: can match nothing: no path is allowed and not denied | A pattern that ends in a slash covers no file (write src/**), and deny wins over allow.",
        ),
        (
            "[role.a]\nallow = [\"src/\"]",
            "cordon.toml:2: [role.a] allow: can match nothing: no path is allowed and not denied | A pattern that ends in a slash covers no file (write src/**), and deny wins over allow.",
        ),
        (
            "[role.Docs]\nallow = [\"x\"]\n[role.docs]\nallow = [\"y\"]",
            "cordon.toml:4: [role.docs]: differs from [role.Docs] in case or Unicode form only | Give one of them another name.",
        ),
        (
            "[role.a]\nallow = [\"x\"]\nbranches = [\"m\"]\n[role.b]\nallow = [\"y\"]\nbranches = [\"m\"]",
            "cordon.toml:5: [role.b] branches: claims `m`, which [role.a] claims as well | Leave it to one of them.",
        ),
        (
            "[role.\"a b\"]\nallow = [\"x\"]",
            "cordon.toml:2: [role.a b]: has a name that no option can take | Call it by letters, digits, `-`, `_` and `.`, for example [role.docs].",
        ),
        (
            "role = 3",
            "cordon.toml:2: [role]: takes a table, and this is a whole number | Write [NAME] on a line of its own, and the keys below it.",
        ),
        (
            "[role.docs]\nallow = [\"x\"]\n[gate]\nrole = \"dosc\"",
            "cordon.toml:5: [gate] role: names `dosc`, and there is no such role | Did you mean `docs`?",
        ),
        ("[gate]\nrule = \"a\"", "cordon.toml:3: [gate] rule: is no key that is known here | Did you mean `role`?"),
        (
            "[role.a]\nallow = [\"x\"]\nallow = [\"y\"]",
            "cordon.toml:4: allow: stands here twice | Remove one of the two, or put their values into one.",
        ),
        (
            "[role.a]\nallow = [\"x\"]\n[role.a]\nowner = \"b\"",
            "cordon.toml:4: a: stands here twice | Remove one of the two, or put their values into one.",
        ),
    ];
    for (text, sentence) in cases {
        assert_eq!(fault(text), sentence, "{text}");
    }
}

#[test]
fn the_version_comes_first_and_is_one_that_is_known() {
    assert_eq!(
        told("[role.a]\nallow = [\"x\"]"),
        ["cordon.toml:1: version: is missing | Begin the file with version = 1."]
    );
    assert!(told("version = 2")[0].contains("version: is 2, and this program reads version 1"));
    assert!(told("version = \"1\"")[0].contains("takes a whole number, and this is a string"));
    assert!(told("").len() == 1 && told("version = 1").is_empty());
}

#[test]
fn every_fault_is_told_at_once_in_the_order_of_the_lines() {
    let told = told("version = 1\n[role.a]\nallow = [\"/x\"]\nmax_files = -3\nown = 1\n[gat]\n");
    let lines: Vec<&str> = told.iter().map(|fault| fault.split(": ").next().unwrap()).collect();
    assert_eq!(lines, ["cordon.toml:3", "cordon.toml:4", "cordon.toml:5", "cordon.toml:6"], "{told:#?}");
    let error = read(NAME, b"version = 1\n[role.a]\nallow = [\"/x\"]\nmax_files = -3\n").unwrap_err();
    assert!(error.hints.iter().any(|hint| hint.starts_with("And cordon.toml:4: ")), "{error:?}");
}

#[test]
fn no_input_makes_it_panic_and_nothing_hostile_is_shown() {
    for bytes in [&b"\xff"[..], b"[", b"a", b"\0", b"a=\x1b[2J", b"version = 1\n[role.\"\\u001b[2J\"]\nallow=['x']"] {
        let faults = check(bytes).unwrap_err();
        assert!(!faults.is_empty());
        for fault in faults {
            let shown = format!("{} {}", fault.sentence(NAME), fault.hint);
            assert!(!shown.chars().any(char::is_control), "{shown:?}");
        }
    }
    assert!(told(&"#".repeat(MAX_BYTES + 1))[0].contains("larger than 1 MiB"));
    let deep = format!("a = {}", "[".repeat(100_000));
    assert!(check(deep.as_bytes()).is_err());
}
