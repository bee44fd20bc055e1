//! Advice on a screen is wrapped at its width; commands, patches and figures, which are copied or compared, stay whole.

use std::borrow::Cow;

use anstream::adapter::strip_str;

use crate::report::wrap::wrapped;

/// What stands in front of advice; commands, which are copied from the screen, have other words and stay whole.
const LABELS: [&str; 4] = ["  help: ", "  hint: ", "next: ", "warning: "];

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
    fn only_advice_is_broken_and_its_colours_have_no_width() {
        let hint = format!("  {} one two three\n  undo: one two three four\n", paint(HINT, "hint:"));
        let shown = strip_str(&advice(&hint, Some(15))).to_string();
        assert_eq!(shown, "  hint: one two\n       three\n  undo: one two three four\n");
        assert_eq!(advice(&hint, None), hint);
    }
}
