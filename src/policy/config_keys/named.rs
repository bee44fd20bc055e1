//! What a value of the configuration may name: a program, a template or a key by its path, as a whole or as a word of a
//! command line that a shell will read.

use std::collections::BTreeSet;

use super::{Weight, fits, rule};

/// Keys whose values name no program and no file that only they bring in: addresses, refs, files that are compared in
/// their own way, and files that Git itself writes to.
const NOT_LOOKED_AT: &[&str] = &[
    "branch.**",
    "core.attributesfile|excludesfile|hookspath|worktree",
    "http.cookiefile",
    "http.*.cookiefile",
    "include.**",
    "includeif.**",
    "remote.*.fetch|push|pushurl|url",
    "submodule.**",
    "trace2.**",
    "url.**",
];

/// What parts the words of a shell's command line, inside of quotes as well: a command may hold another one.
const BETWEEN: &[u8] = b" \t\r\n'\"`\\;|&()<>=,:{}$@!";

/// How deep quoted words are read as command lines of their own.
const DEPTH: usize = 3;

/// Whether files that a value of this key names decide what Git runs or believes.
pub fn brings_in_files(key: &[u8]) -> bool {
    let weight = rule(key).weight;
    matches!(weight, Weight::Violation | Weight::NotedIfKnown(_)) && !NOT_LOOKED_AT.iter().any(|skip| fits(skip, key))
}

/// Whether Git acts on a value of this key only when somebody asks for it by its own name.
pub fn is_asked_for(key: &[u8]) -> bool {
    fits("alias.**", key) || fits("alias.*.*", key)
}

/// Everything in a value that may be a path: the value, its words as a shell reads them, and every piece between what no
/// ordinary path holds.
pub fn paths(value: &[u8]) -> BTreeSet<Vec<u8>> {
    let mut found = BTreeSet::new();
    let value = value.trim_ascii();
    add(value.strip_prefix(b"!").unwrap_or(value), DEPTH, &mut found);
    found.remove(b"".as_slice());
    found
}

fn add(text: &[u8], depth: usize, found: &mut BTreeSet<Vec<u8>>) {
    let is_new = found.insert(text.to_vec());
    let Some(depth) = depth.checked_sub(1).filter(|_| is_new) else { return };
    for piece in text.split(|byte| BETWEEN.contains(byte)) {
        found.insert(piece.to_vec());
    }
    for word in std::str::from_utf8(text).ok().and_then(shlex::split).into_iter().flatten() {
        add(word.as_bytes(), depth, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_bring_in_files() {
        for key in [
            "core.fsmonitor",
            "core.sshcommand",
            "diff.x.textconv",
            "filter.lfs.clean",
            "merge.x.driver",
            "credential.helper",
            "credential.https://h/.helper",
            "gpg.ssh.allowedsignersfile",
            "commit.template",
            "user.signingkey",
            "alias.st",
            "remote.origin.uploadpack",
        ] {
            assert!(brings_in_files(key.as_bytes()), "{key}");
        }
        for key in ["core.hookspath", "remote.origin.url", "user.name", "gc.auto", "trace2.eventtarget", "mytool.x"] {
            assert!(!brings_in_files(key.as_bytes()), "{key}");
        }
        assert!(is_asked_for(b"alias.st") && is_asked_for(b"alias.a.command") && !is_asked_for(b"core.pager"));
    }

    #[test]
    fn words_are_found_wherever_a_shell_finds_them() {
        for (value, path) in [
            (".git/my hook", ".git/my hook"),
            ("!.git/helper.sh get", ".git/helper.sh"),
            ("ssh -o UserKnownHostsFile=.git/hosts -i'.git/the key'", ".git/hosts"),
            ("sh -c 'exec \".git/a b\" \"$@\"'", ".git/a b"),
            ("!f() { .git/tool;}; f", ".git/tool"),
            ("python3 tools/x.py %f", "tools/x.py"),
        ] {
            assert!(paths(value.as_bytes()).contains(path.as_bytes()), "{value}: {:?}", paths(value.as_bytes()));
        }
        assert!(paths(b"").is_empty());
    }
}
