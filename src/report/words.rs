//! Small words that every report needs: safe text, numbers with separators, plurals.

use crate::policy::escape;

/// `text` with hostile characters escaped, for text that may be escaped already.
///
/// [`escape::plain`] doubles the backslashes of a text that was escaped before; here they stay as they are unless
/// something hostile stands beside them.
pub fn guarded(text: &[u8]) -> String {
    let without_backslashes: Vec<u8> = text.iter().copied().filter(|byte| *byte != b'\\').collect();
    if escape::plain(&without_backslashes).as_bytes() == without_backslashes {
        // Nothing was escaped, so the text is valid UTF-8.
        return String::from_utf8_lossy(text).into_owned();
    }
    escape::plain(text)
}

/// One line of a file or of a program's output, safe to show: tabs stay, everything else is as [`guarded`] has it.
pub fn content_line(line: &[u8]) -> String {
    line.split(|byte| *byte == b'\t').map(guarded).collect::<Vec<_>>().join("\t")
}

/// `number` with a comma between thousands.
pub fn count(number: u64) -> String {
    grouped(&number.to_string())
}

/// `number` with its sign and a comma between thousands.
pub fn signed(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}", grouped(&number.unsigned_abs().to_string()))
}

/// `number` with the noun in the form that belongs to it.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number))
}

/// The length of a list as the number that [`count`] takes.
pub fn len<T>(list: &[T]) -> u64 {
    u64::try_from(list.len()).unwrap_or(u64::MAX)
}

fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (2_097_152, "2,097,152")] {
            assert_eq!(count(number), text);
        }
        assert_eq!(signed(-1_234_567), "-1,234,567");
        assert_eq!(signed(i64::MIN), "-9,223,372,036,854,775,808");
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(1200, "file"), "1,200 files");
    }

    #[test]
    fn escaped_text_is_not_escaped_twice() {
        let once = escape::plain(b"a\n\xff\\");
        assert_eq!(guarded(once.as_bytes()), once);
        assert_eq!(guarded(b"a\x1b[31m\\"), "a\\u{1b}[31m\\\\");
        assert_eq!(guarded(b"\xff"), "\\xff");
    }

    #[test]
    fn a_line_keeps_its_tabs_and_nothing_else_that_moves_the_cursor() {
        assert_eq!(content_line(b"\tprintf(\"a\\n\");\r"), "\tprintf(\"a\\\\n\");\\r");
        assert_eq!(content_line(b"\tputs(\"\\n\")"), "\tputs(\"\\n\")");
    }
}
