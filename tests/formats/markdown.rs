//! The comment, read by a parser of Markdown: foreign text stands in code and nowhere else, and it fits.

use cordon::audit::evidence::ChangeKind;
use cordon::audit::verdict::Verdict;
use cordon::report::formats::markdown::LIMIT;
use cordon::report::formats::table::Format;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::hostile::NAMES;
use crate::verdict::{accepted, change, hostile, outside, rendered, session};

/// What a reader sees outside of code, and how many headings, tables and entries there are.
struct Read {
    prose: Vec<String>,
    headings: Vec<String>,
    rows: usize,
}

fn read(text: &str) -> Read {
    let mut read = Read { prose: Vec::new(), headings: Vec::new(), rows: 0 };
    let (mut in_block, mut in_heading) = (false, false);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES | Options::ENABLE_MATH;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_block = true,
            Event::End(TagEnd::CodeBlock) => in_block = false,
            Event::Start(Tag::Heading { .. }) => in_heading = true,
            Event::End(TagEnd::Heading(_)) => in_heading = false,
            Event::Start(Tag::TableRow) => read.rows += 1,
            Event::Text(text) if in_heading => read.headings.push(text.to_string()),
            Event::Text(text) if !in_block => read.prose.push(text.to_string()),
            Event::Text(_)
            | Event::Code(_)
            | Event::SoftBreak
            | Event::End(_)
            | Event::Start(
                Tag::Paragraph
                | Tag::List(None)
                | Tag::Item
                | Tag::Strong
                | Tag::Emphasis
                | Tag::Table(_)
                | Tag::TableHead
                | Tag::TableCell,
            ) => {}
            other => panic!("{other:?} in {text}"),
        }
    }
    read
}

#[test]
fn foreign_text_stands_in_code() {
    let plain_headings = read(&rendered(Format::Markdown, &hostile(b"a"), Some(&session(b"a")))).headings;
    for name in NAMES {
        let text = rendered(Format::Markdown, &hostile(name), Some(&session(name)));
        let read = read(&text);
        assert_eq!(read.headings, plain_headings, "{text}");
        assert_eq!(read.rows, 5 + 7, "{text}");
        for prose in &read.prose {
            // Whatever a code host makes a link, a mention, a reference or a picture of has one of these.
            assert!(
                !prose.contains(['@', '#', '/', '<', '[', ']', '`', '_', '\\', '$']),
                "{prose:?} of {name:?} in {text}"
            );
            assert!(
                !prose.contains("www.") && !prose.contains("evil.") && !prose.contains("GH-1"),
                "{prose:?} of {name:?}"
            );
        }
    }
}

#[test]
fn an_ordinary_verdict_reads_well() {
    let mut verdict = hostile(b"docs/a.md");
    verdict.label = "fix the parser".into();
    verdict.metrics.files = 30;
    verdict.left.files = -5;
    verdict.metrics.added_lines = 100;
    insta::assert_snapshot!(rendered(Format::Markdown, &verdict, Some(&session(b"docs/a.md"))));
}

fn large() -> Verdict {
    let mut verdict = accepted();
    verdict.passed = false;
    verdict.findings = (0..5_000).map(|n| outside(format!("docs/{n}.md").as_bytes())).collect();
    verdict.changes = (0..5_000).map(|n| change(format!("docs/{n}.md").as_bytes(), ChangeKind::Added, 1, 0)).collect();
    verdict.notes = (0..5_000).map(|n| format!("note {n}").as_str().into()).collect();
    verdict
}

#[test]
fn a_comment_fits_and_says_what_did_not() {
    let text = rendered(Format::Markdown, &large(), Some(&session(&b"x".repeat(200_000))));
    assert!(text.len() <= LIMIT && text.len() > LIMIT * 3 / 4, "{}", text.len());
    for (entry, noun) in [("- **path-outside** ", "violations"), ("- added ", "paths"), ("- ` note ", "notes")] {
        let told = text.matches(entry).count();
        assert!(told > 20, "{entry}: {told}");
        let rest = format!("*{},{:03} {noun} more did not fit;", (5_000 - told) / 1_000, (5_000 - told) % 1_000);
        assert!(text.contains(&rest), "{rest}");
    }
    assert!(text.contains("### Record"));
    // One entry that is larger than the whole comment is counted as well.
    let mut verdict = hostile(&b"`x".repeat(200_000));
    verdict.label = "x".into();
    let text = rendered(Format::Markdown, &verdict, None);
    assert!(text.len() <= LIMIT && text.contains("*3 violations more did not fit;"), "{}", text.len());
}
