//! The answer of `whose`: one line a path.

use serde::Serialize;

use super::style::{BAD, FAINT, GOOD, WARNING, paint};
use crate::json;
use crate::policy::escape::typed;
use crate::policy::file::territory::Ownership;
use crate::policy::path::RepoPath;

/// Who owns a path, and whom to ask, for people.
pub fn human(path: &RepoPath, ownership: &Ownership) -> String {
    let roles: Vec<&str> = ownership.roles.iter().map(|owner| owner.role.as_str()).collect();
    let (style, whose) = match (&ownership.protected, roles.as_slice()) {
        (Some(_), _) => (BAD, "protected".to_owned()),
        (None, []) => (WARNING, "nobody".to_owned()),
        (None, names) => (GOOD, names.join(", ")),
    };
    let ask = ownership.ask.iter().map(|whom| format!("ask {}", typed(whom.as_bytes())));
    let barred = ownership.barred.iter().map(|role| format!("{role} covers it and may not change it"));
    let more: Vec<String> = ownership.protected.iter().cloned().chain(barred).chain(ask).collect();
    let more =
        if more.is_empty() { String::new() } else { format!("  {}", paint(FAINT, format!("({})", more.join("; ")))) };
    format!("{}  {}{more}\n", paint(style, typed(whose.as_bytes())), path.plain())
}

#[derive(Serialize)]
struct Form<'a> {
    path: &'a RepoPath,
    #[serde(flatten)]
    ownership: &'a Ownership,
}

/// The same for programs.
pub fn json(path: &RepoPath, ownership: &Ownership) -> Vec<u8> {
    json::line(&Form { path, ownership })
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::policy::file::read::read;
    use crate::policy::file::territory::{Claims, Territory};

    #[test]
    fn each_kind_of_owner_has_its_line() {
        let text = r#"
            version = 1
            [defaults]
            owner = "the team"
            [role.docs]
            allow = ["docs/**"]
            owner = "Jane\u001b[2J"
            [role.core]
            allow = ["src/**", "docs/api/**"]
            deny = ["src/gen/**"]
        "#;
        let territory = Territory::of(&Claims::of(&read("f", text.as_bytes()).unwrap())).unwrap();
        let paths: [&[u8]; 6] =
            [b"docs/a", b"docs/api/x\n\xff", b"src/gen/x", b"src/.envrc", b"Makefile", b"cordon.toml"];
        let (mut people, mut programs) = (String::new(), String::new());
        for path in paths {
            let ownership = territory.whose(path);
            people += &human(&RepoPath::new(path), &ownership);
            programs += &String::from_utf8(json(&RepoPath::new(path), &ownership)).unwrap();
        }
        insta::assert_snapshot!(strip_str(&people), @r"
        docs  docs/a  (ask Jane\u{1b}[2J)
        docs, core  docs/api/x\n\xff  (ask Jane\u{1b}[2J; ask the team)
        nobody  src/gen/x  (core covers it and may not change it; ask the team)
        protected  src/.envrc  (shell code that direnv runs on entering the directory; core covers it and may not change it; ask the team)
        nobody  Makefile  (ask the team)
        protected  cordon.toml  (the policy of Cordon itself; ask the team)
        ");
        insta::assert_snapshot!(programs, @r#"
        {"path":"docs/a","roles":[{"role":"docs","owner":"Jane\u001b[2J"}],"protected":null,"barred":[],"ask":["Jane\u001b[2J"]}
        {"path":"docs/api/x\n\udcff","roles":[{"role":"docs","owner":"Jane\u001b[2J"},{"role":"core","owner":"the team"}],"protected":null,"barred":[],"ask":["Jane\u001b[2J","the team"]}
        {"path":"src/gen/x","roles":[],"protected":null,"barred":["core"],"ask":["the team"]}
        {"path":"src/.envrc","roles":[],"protected":"shell code that direnv runs on entering the directory","barred":["core"],"ask":["the team"]}
        {"path":"Makefile","roles":[],"protected":null,"barred":[],"ask":["the team"]}
        {"path":"cordon.toml","roles":[],"protected":"the policy of Cordon itself","barred":[],"ask":["the team"]}
        "#);
    }
}
