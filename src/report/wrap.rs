//! Sentences on a screen: broken between words at its width, with what follows below the beginning of the text.

use std::borrow::Cow;

use anstream::adapter::strip_str;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// What stands in front of advice; commands, which are copied from the screen, have other words and stay whole.
const LABELS: [&str; 4] = ["  help: ", "  hint: ", "next: ", "warning: "];

/// One line in lines of at most `width` columns, of which those after the first are indented by `hang`. A word that is longer
/// stands by itself; without a width the line stays as it is.
pub fn wrapped(line: &str, hang: usize, width: Option<usize>) -> String {
    let Some(width) = width else { return line.to_owned() };
    let (text, indent) = (line.trim_start_matches(' '), " ".repeat(hang.min(width / 2)));
    let options = Options::new(width)
        .initial_indent(&line[..line.len() - text.len()])
        .subsequent_indent(&indent)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::fill(text, options)
}

/// A text with its advice wrapped; all else in it stays as it is.
pub fn advice(text: &str, width: Option<usize>) -> Cow<'_, str> {
    if width.is_none() {
        return Cow::Borrowed(text);
    }
    let each = |line: &str| {
        let seen = strip_str(line).to_string();
        let label = LABELS.iter().find(|label| seen.starts_with(**label));
        label.map_or_else(|| line.to_owned(), |label| wrapped(line, label.len(), width))
    };
    Cow::Owned(text.split('\n').map(each).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::style::{HINT, paint};

    #[test]
    fn a_line_is_broken_between_words_and_hangs() {
        assert_eq!(wrapped("  why: one two three", 7, Some(14)), "  why: one two\n       three");
        assert_eq!(wrapped("  a-long-word and more", 4, Some(8)), "  a-long-word\n    and\n    more");
        assert_eq!(wrapped("  why: one two three", 7, None), "  why: one two three");
        assert_eq!(
            wrapped("a `git restore -- x/y/z-z-z-z-z-z-z`", 2, Some(12)),
            "a `git\n  restore --\n  x/y/z-z-z-z-z-z-z`"
        );
    }

    #[test]
    fn only_advice_is_broken_and_its_colours_have_no_width() {
        let hint = format!("  {} one two three\n  undo: one two three four\n", paint(HINT, "hint:"));
        let shown = strip_str(&advice(&hint, Some(15))).to_string();
        assert_eq!(shown, "  hint: one two\n       three\n  undo: one two three four\n");
        assert_eq!(advice(&hint, None), hint);
    }
}
