//! Sentences on a screen: broken between words at its width, with what follows below the beginning of the text.

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
