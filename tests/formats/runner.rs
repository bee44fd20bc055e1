//! What GitHub's runner makes of the log: the commands that it reads, and nothing that a name slipped in.

use cordon::report::formats::github;
use cordon::report::formats::report::Report;
use cordon::report::formats::table::Format;

use crate::hostile::NAMES;
use crate::verdict::{accepted, hostile, rendered, session};

struct Command {
    name: String,
    properties: Vec<(String, String)>,
    message: String,
}

/// A line as the runner reads it: `::name key=value,key=value::message`, escapes undone.
fn command(line: &str) -> Option<Command> {
    let (head, message) = line.trim_start().strip_prefix("::")?.split_once("::")?;
    let (name, properties) = head.split_once(' ').unwrap_or((head, ""));
    let data = |text: &str| text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%");
    let property = |text: &str| data(&text.replace("%3A", ":").replace("%2C", ","));
    let pairs = properties.split(',').filter_map(|pair| pair.split_once('='));
    let properties = pairs.map(|(key, value)| (key.to_owned(), property(value))).collect();
    Some(Command { name: name.to_owned(), properties, message: data(message) })
}

#[test]
fn each_finding_and_each_note_is_one_command_and_nothing_else_is() {
    for name in NAMES {
        let verdict = hostile(name);
        let text = rendered(Format::Github, &verdict, None);
        let commands: Vec<Command> = text.lines().filter_map(command).collect();
        let kinds: Vec<&str> = commands.iter().map(|command| command.name.as_str()).collect();
        assert_eq!(kinds, ["error", "error", "error", "notice", "notice", "notice"], "{text}");
        assert_eq!(text.lines().count(), 7, "{text}");
        let keys = |at: usize| commands[at].properties.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>();
        assert_eq!((keys(1), keys(2)), (vec!["title"], vec!["title"]));
        assert!(keys(0) == ["title"] || keys(0) == ["file", "line", "title"], "{text}");
        if keys(0).len() == 3 {
            assert_eq!(commands[0].properties[0].1.as_bytes(), *name);
        }
        assert!(
            commands[0].message.starts_with("path outside policy: ")
                && commands[0].message.contains("\nundo: git restore")
        );
    }
}

#[test]
fn an_ordinary_path_is_annotated() {
    let text = rendered(Format::Github, &hostile(b"docs/a, b:c%.md"), None);
    assert!(
        text.starts_with(
            "::error file=docs/a%2C b%3Ac%25.md,line=1,title=path-outside::path outside policy: docs/a, b:c%25.md%0A"
        ),
        "{text}"
    );
    assert!(text.ends_with("REJECTED  docs/a, b:c%.md: 3 violations, 1 of 2 verifiers passed\n"), "{text}");
    assert_eq!(rendered(Format::Github, &accepted(), None), "ACCEPTED  fix the parser: 0 violations\n");
}

#[test]
fn the_outputs_of_a_step_hold_nothing_foreign() {
    for name in NAMES {
        let (verdict, session) = (hostile(name), session(name));
        let outputs =
            String::from_utf8(github::outputs(&Report { verdict: &verdict, session: Some(&session) })).unwrap();
        assert_eq!(
            outputs,
            format!(
                "verdict=rejected\nviolations=3\nfindings=4\nnotes=2\nverifiers-failed=1\nfiles=0\nadded-lines=0\n\
                 deleted-lines=0\nsession=01JDZ0000000000000000000AB\ntree={}\n",
                "2".repeat(40)
            )
        );
    }
}
