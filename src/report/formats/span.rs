//! Foreign text in Markdown. A code host makes links, mentions and references of words in prose, whatever is escaped there;
//! only in a code span does nothing but a backtick have a meaning.

/// A code span that holds `text` whatever it is.
pub fn code(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    format!("{fence} {text} {fence}")
}

/// The same for a cell of a table, where a bar would end the cell.
pub fn cell(text: &str) -> String {
    code(&text.replace('|', "\\|"))
}

/// A fenced block of these lines. A sign in front of each keeps them from beginning a line, which means something to a CI
/// that shows the text in its log.
pub fn block(lines: &[String]) -> String {
    let longest = lines.iter().map(|line| longest_run(line)).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let lines: Vec<String> = lines.iter().map(|line| format!("| {line}\n")).collect();
    format!("{fence}text\n{}{fence}\n", lines.concat())
}

/// A sentence that quotes names or patterns: words and numbers stand as they are, everything else in code spans.
pub fn prose(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let parts = words.chunk_by(|a, b| is_word(a) == is_word(b)).map(|run| {
        let text = run.join(" ");
        if is_word(run[0]) { text } else { quoted(&text) }
    });
    parts.collect::<Vec<_>>().join(" ")
}

/// A code span with the stop of the sentence outside of it.
fn quoted(text: &str) -> String {
    let bare = text.trim_end_matches(['.', ',', ';', ':']);
    if bare.is_empty() { code(text) } else { code(bare) + &text[bare.len()..] }
}

/// Whether no reader of Markdown makes anything of a word: letters, also with hyphens between them, or digits, and the signs of a sentence around them.
fn is_word(word: &str) -> bool {
    let bare = word.trim_end_matches(['.', ',', ';', ':', '?', '!', ')']);
    let bare = bare.strip_prefix('(').unwrap_or(bare);
    let is_name = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_figure = !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit());
    is_figure || bare.split('-').all(is_name)
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_span_holds_any_name() {
        assert_eq!(code("a|b"), "` a|b `");
        assert_eq!(cell("a|b"), "` a\\|b `");
        assert_eq!(code("a`b"), "`` a`b ``");
        assert_eq!(code("a``b`"), "``` a``b` ```");
    }

    #[test]
    fn a_block_ends_where_it_should() {
        assert_eq!(block(&["x".into()]), "```text\n| x\n```\n");
        assert_eq!(block(&["````".into(), "y".into()]), "`````text\n| ````\n| y\n`````\n");
    }

    #[test]
    fn only_plain_words_stand_outside_of_a_span() {
        for (text, expected) in [
            ("path outside policy: docs/a.md", "path outside policy: ` docs/a.md `"),
            ("Ask @team. See #1, GH-1 or www.x.y", "Ask ` @team `. See ` #1, GH-1 ` or ` www.x.y `"),
            ("Undo it. Allowed: src/**, tests/**.", "Undo it. Allowed: ` src/**, tests/** `."),
            ("a <b> [c](d) *e* __f__ `g`", "a `` <b> [c](d) *e* __f__ `g` ``"),
            ("verifier failed (exit 1): a b", "verifier failed (exit 1): a b"),
            ("added-line budget exceeded: 30 > 25", "added-line budget exceeded: 30 ` > ` 25"),
            ("", "`  `"),
            ("x  y", "x `  ` y"),
        ] {
            assert_eq!(prose(text), expected);
        }
    }
}
