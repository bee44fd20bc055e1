//! No name and no output of a program can do anything in any format: a table of hostile ones, and what holds for all of them.

use cordon::json;
use cordon::policy::escape::{is_hidden, plain};
use cordon::report::formats::table::{FORMATS, Format};
use cordon::report::json::for_a_log;
use cordon::report::{ledger, verdict as verdict_report};

use crate::verdict::{hostile, rendered, session};

/// Names that move a cursor, start a line, give a CI's runner a command, are markup, or hide text.
pub const NAMES: &[&[u8]] = &[
    b"x\n::stop-commands::pwn\r\x1b[2J",
    b"\n::error file=a,line=1::owned\n",
    b"%0A::error::x",
    b"%25%0D a,b:c::",
    b"##[error]x",
    b"x ##vso[task.setvariable variable=PATH]y",
    b"##teamcity[buildStatus text='x']",
    b"\x1b]0;title\x07\x08\x7f",
    b"bad\xff\x9b31m\xed\xa0\x80",
    "c1\u{9b}2J \u{85}next".as_bytes(),
    "right\u{202e}left zero\u{200b}width\u{2028}line\u{fffe}\u{ffff}".as_bytes(),
    b"<script>alert(1)</script>",
    b"<img src=http://evil.example/x onerror=alert(1)>",
    b"\"><svg onload=alert(1)>'><a href='http://evil.example'>",
    b"</title></style></code></pre><h1>x</h1>",
    b"--><!-- ]]> <![CDATA[ <?xml ?> &lt; &#60; &amp",
    b"[x](http://evil.example) ![y](http://evil.example/y.png) <http://evil.example>",
    b"@everyone @org/team #1 GH-1 org/repo#2 https://evil.example www.evil.example a@evil.example",
    b"`",
    b"a``` b",
    b"```\n</details>\n# heading\n```",
    b"\n\n# heading\n\n- item\n\n> quote\n\n---\n",
    b"| a | b |\n|---|---|",
    b"**bold** __bold__ ~~gone~~ *i* \\` [^1] :tada: $x$",
    b"x \\",
    b" ",
    b"-",
    b"=cmd|' /C calc'!A0",
];

/// What holds for whatever a terminal or the log of a CI may show.
fn assert_harmless(text: &str, format: &str, name: &[u8]) {
    for c in text.chars().filter(|c| !matches!(c, '\n' | '\t')) {
        assert!(
            !c.is_control() && !is_hidden(c) && !matches!(c, '\u{2028}' | '\u{2029}'),
            "{format} shows {c:?} of {name:?}"
        );
    }
    for (at, _) in text.match_indices("##") {
        let rest = text[at + 2..].trim_start_matches(|c: char| c.is_ascii_alphabetic());
        assert!(!rest.starts_with('['), "{format} gives a runner a command with {name:?}");
    }
    if format != "github" {
        let begins = |line: &str| line.trim_start().starts_with("::");
        assert!(!text.lines().any(begins), "{format} begins a line as a command with {name:?}");
    }
}

#[test]
fn nothing_hostile_gets_through_in_any_format() {
    for name in NAMES {
        let (verdict, session) = (hostile(name), session(name));
        for row in FORMATS.iter().filter(|row| row.render.is_some()) {
            for session in [None, Some(&session)] {
                let text = rendered(row.format, &verdict, session);
                let text = match row.format {
                    Format::Sarif | Format::Gitlab => String::from_utf8(for_a_log(text.as_bytes())).unwrap(),
                    _ => text,
                };
                assert_harmless(&text, row.name, name);
                assert!(text.ends_with('\n'), "{}", row.name);
            }
        }
        let human = |text: String| anstream::adapter::strip_str(&text).to_string();
        let json = |bytes: Vec<u8>| String::from_utf8(for_a_log(&bytes)).unwrap();
        assert_harmless(&human(verdict_report::human(&verdict)), "human", name);
        assert_harmless(&json(json::pretty(&verdict)), "json", name);
        assert_harmless(&human(ledger::show(&session, Some(&verdict))), "human of a session", name);
        assert_harmless(&json(ledger::json(&session, Some(&verdict))), "json of a session", name);
        assert_harmless(&ledger::markdown(&session, Some(&verdict)), "markdown of an export", name);
    }
}

#[test]
fn what_is_hostile_is_still_told() {
    for name in NAMES {
        let (verdict, session) = (hostile(name), session(name));
        let page = rendered(Format::Html, &verdict, Some(&session));
        let text: String = roxmltree_text(&page);
        assert!(text.contains(&plain(name).replace(['\u{fffe}', '\u{ffff}'], "")) || name.contains(&0xef), "{name:?}");
    }
}

fn roxmltree_text(page: &str) -> String {
    let document = crate::page::parsed(page);
    document.descendants().filter_map(|node| node.text().filter(|_| node.is_text())).collect()
}
