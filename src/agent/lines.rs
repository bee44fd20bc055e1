//! Text line by line, each safe to show to a program that reads words: what is said, and what is only quoted.

use crate::policy::escape::typed;

/// A text that grows line by line.
#[derive(Debug, Default)]
pub struct Lines(String);

impl Lines {
    /// Adds a line of Cordon's own words.
    pub fn line(&mut self, line: impl AsRef<str>) {
        self.0.push_str(line.as_ref());
        self.0.push('\n');
    }

    /// Begins a section.
    pub fn section(&mut self, title: &str) {
        self.line(format!("\n## {title}"));
    }

    /// Adds text that a user wrote, with its own line ends.
    pub fn paragraphs(&mut self, text: &[u8]) {
        for line in text.split(|byte| *byte == b'\n') {
            self.line(safe(line.strip_suffix(b"\r").unwrap_or(line)));
        }
    }

    /// Adds the end of what a program printed, at most this much of it, marked at every line.
    pub fn quoted(&mut self, name: &str, output: &[u8], lines: usize, bytes: usize) {
        let output = output.trim_ascii_end();
        if output.is_empty() {
            return;
        }
        let tail = &output[output.len().saturating_sub(bytes)..];
        let all: Vec<&[u8]> = tail.split(|byte| *byte == b'\n').collect();
        let shown = &all[all.len().saturating_sub(lines)..];
        let cut = tail.len() < output.len() || shown.len() < all.len();
        self.line(format!("  its {name}{}:", if cut { ", the end" } else { "" }));
        for line in shown {
            self.line(format!("  | {}", safe(line)));
        }
    }

    /// The text.
    pub fn finish(self) -> String {
        self.0
    }
}

/// One line with its tabs as they are and everything that is hostile escaped.
fn safe(line: &[u8]) -> String {
    line.split(|byte| *byte == b'\t').map(typed).collect::<Vec<_>>().join("\t")
}

/// Words as a list in a sentence.
pub fn listed(words: impl IntoIterator<Item = String>) -> String {
    words.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_bounded_marked_and_harmless() {
        let mut lines = Lines::default();
        lines.quoted("standard error", b"one\n\ttwo \x1b[2J\nthree\n\n", 2, 1000);
        lines.quoted("standard output", b" \n", 2, 1000);
        assert_eq!(lines.finish(), "  its standard error, the end:\n  | \ttwo \\u{1b}[2J\n  | three\n");
        let mut lines = Lines::default();
        lines.quoted("standard error", "\u{e9}\u{e9}".as_bytes(), 9, 3);
        assert_eq!(lines.finish(), "  its standard error, the end:\n  | \\xa9\u{e9}\n");
    }
}
