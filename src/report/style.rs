//! The one table of colours: styles by meaning, so that no report holds an escape code.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// Accepted, passed, inside, an added line.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Rejected, failed, outside, a deleted line.
pub const BAD: Style = AnsiColor::Red.on_default();
/// The first word of an answer that is good news.
pub const ACCEPTED: Style = GOOD.bold();
/// The first word of an answer that is bad news, and of an error.
pub const REJECTED: Style = BAD.bold();
/// The first word of a warning or a note.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// What to do next.
pub const HINT: Style = AnsiColor::Cyan.on_default();
/// The head of a section or of a file in a diff.
pub const HEADING: Style = Style::new().bold();
/// Where a hunk of a diff stands.
pub const HUNK: Style = AnsiColor::Cyan.on_default();
/// What matters less than the rest.
pub const FAINT: Style = Style::new().dimmed();

/// `text` in `style`.
pub fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
