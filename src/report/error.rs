//! An error for people: what is wrong, what caused it, and what to do next. Every line is safe to show.

use super::style::{HINT, REJECTED, WARNING, paint};
use super::words::guarded;
use crate::error::Error;

/// The error as `error:`, `caused by:` and `hint:` lines.
pub fn human(error: &Error) -> String {
    let mut out = vec![format!("{} {}\n", paint(REJECTED, "error:"), guarded(error.message.as_bytes()))];
    for cause in error.causes() {
        out.push(format!("  {} {}\n", paint(WARNING, "caused by:"), guarded(cause.as_bytes())));
    }
    for hint in &error.hints {
        out.push(format!("  {} {}\n", paint(HINT, "hint:"), guarded(hint.as_bytes())));
    }
    out.concat()
}

/// A sentence that a person should read although nothing failed.
pub fn warning(message: &str) -> String {
    format!("{} {}\n", paint(WARNING, "warning:"), guarded(message.as_bytes()))
}

/// A sentence that explains what a person sees, or why there is nothing to see.
pub fn note(message: &str) -> String {
    format!("{} {}\n", paint(HINT, "note:"), guarded(message.as_bytes()))
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;

    #[test]
    fn no_line_of_it_can_be_forged() {
        let error =
            Error::io("cannot open `a\\nb\u{1b}[2J`", std::io::Error::other("no such file\nerror: all is well"))
                .hint("Look at `a\\nb` first.")
                .hint("Then run `cordon check` again.");
        insta::assert_snapshot!(strip_str(&human(&error)), @r"
        error: cannot open `a\\nb\u{1b}[2J`
          caused by: no such file\nerror: all is well
          hint: Look at `a\nb` first.
          hint: Then run `cordon check` again.
        ");
    }

    #[test]
    fn the_first_word_is_coloured() {
        assert!(human(&Error::usage("x")).starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m x"));
        assert_eq!(strip_str(&warning("a\rb")).to_string(), "warning: a\\rb\n");
    }
}
