//! What is wrong with a policy file: the line, the key, what it is, and what to write instead.

use std::ops::Range;

use serde::Serialize;

use crate::error::Error;

/// How many faults an error names.
const NAMED: usize = 8;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The key with its table, such as `[role.docs] allow`; empty where no key is at fault.
    pub key: String,
    /// What is wrong, safe to show.
    pub what: String,
    /// What to do, a whole sentence.
    pub hint: String,
}

impl Fault {
    /// The fault as a line that begins with where it is.
    pub fn sentence(&self, file: &str) -> String {
        let key = if self.key.is_empty() { String::new() } else { format!("{}: ", self.key) };
        format!("{file}:{}: {key}{}", self.line, self.what)
    }
}

/// The error about a file with these faults, of which there is at least one.
pub fn error(file: &str, faults: &[Fault]) -> Error {
    let Some((first, rest)) = faults.split_first() else { return Error::usage(format!("{file} cannot be read")) };
    let mut error = Error::usage(first.sentence(file)).hint(first.hint.clone());
    for fault in rest.iter().take(NAMED) {
        error = error.hint(format!("And {}. {}", fault.sentence(file), fault.hint));
    }
    match rest.len().saturating_sub(NAMED) {
        0 => error,
        more => error.hint(format!("And {more} more faults.")),
    }
}

/// Tells on which line a byte of a text stands.
pub struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// The lines of a text.
    pub fn of(text: &str) -> Lines {
        let after = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Lines { starts: std::iter::once(0).chain(after).collect() }
    }

    /// The line on which a span begins, from 1.
    pub fn line(&self, span: &Range<usize>) -> usize {
        self.starts.partition_point(|start| *start <= span.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_stands_on_its_line() {
        let lines = Lines::of("a\nbc\n\nd");
        for (at, line) in [(0, 1), (1, 1), (2, 2), (4, 2), (5, 3), (6, 4), (7, 4)] {
            assert_eq!(lines.line(&(at..at)), line, "{at}");
        }
    }

    #[test]
    fn an_error_names_the_first_fault_and_hints_at_the_others() {
        let fault = |line| Fault { line, key: "[role.a] allow".into(), what: "is odd".into(), hint: "Mend it.".into() };
        let faults: Vec<Fault> = (1..=11).map(fault).collect();
        let error = error("cordon.toml", &faults);
        assert_eq!(error.message, "cordon.toml:1: [role.a] allow: is odd");
        assert_eq!(error.hints[0], "Mend it.");
        assert_eq!(error.hints[1], "And cordon.toml:2: [role.a] allow: is odd. Mend it.");
        assert_eq!(error.hints.last().map(String::as_str), Some("And 2 more faults."));
    }
}
