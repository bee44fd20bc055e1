//! How the verifiers ended, for people: of a failed one the end of what is kept of its output.

use super::style::{BAD, FAINT, GOOD, HEADING, paint};
use super::words::{content_line, count};
use crate::audit::verdict::{Verdict, Verification};
use crate::policy::escape::typed;

/// How many lines of a failed verifier's output are shown, from the end of what is kept.
const TAIL: usize = 15;

/// So much of a stream is kept, less at most a character that the cut would tear apart.
const KEPT: usize = 16 * 1024;

/// The section about the verifiers that ran.
pub fn human(verdict: &Verdict) -> String {
    if verdict.verification.is_empty() {
        return String::new();
    }
    paint(HEADING, "verifiers") + "\n" + &verdict.verification.iter().map(verifier).collect::<String>()
}

fn verifier(run: &Verification) -> String {
    let command = typed(run.command.as_bytes());
    if run.passed {
        return format!("  {} {command}\n", paint(GOOD, "passed"));
    }
    format!(
        "  {} {command}  ({})\n{}{}",
        paint(BAD, "failed"),
        run.ending(),
        tail("stdout", run.stdout.as_bytes()),
        tail("stderr", run.stderr.as_bytes())
    )
}

/// What is shown of one stream of a program that failed.
pub struct Tail {
    /// What is said about it in front, such as how much was left out.
    pub what: String,
    /// The last lines, each of them escaped.
    pub lines: Vec<String>,
}

/// All that is kept of one stream of a program.
pub fn kept(stored: &[u8]) -> Tail {
    let (output, total) = without_marker(stored);
    let output = output.strip_suffix(b"\n").unwrap_or(output);
    let lines = output.split(|byte| *byte == b'\n');
    let what = total.map_or_else(String::new, |total| format!(", first 16 KiB of {total}"));
    Tail { what, lines: lines.map(|line| content_line(line.strip_suffix(b"\r").unwrap_or(line))).collect() }
}

/// The last lines of what a program wrote; `None` of a stream on which nothing was written.
pub fn last_lines(stored: &[u8]) -> Option<Tail> {
    if stored.is_empty() {
        return None;
    }
    let Tail { mut what, mut lines } = kept(stored);
    let left_out = lines.len().saturating_sub(TAIL);
    if left_out > 0 {
        what = if what.is_empty() {
            format!(", last {TAIL} of {} lines", count(lines.len() as u64))
        } else {
            format!("{what}, last {TAIL} lines of that")
        };
    }
    Some(Tail { what, lines: lines.split_off(left_out) })
}

/// The last lines of what a program wrote, marked as not Cordon's own words.
fn tail(stream: &str, stored: &[u8]) -> String {
    let Some(Tail { what, lines }) = last_lines(stored) else { return String::new() };
    let mut out = vec![format!("    {}\n", paint(FAINT, format!("{stream}{what}:")))];
    out.extend(lines.iter().map(|line| format!("    {} {line}\n", paint(FAINT, "|"))));
    out.concat()
}

/// What is stored without the line that says how much is missing, and how much there was in all.
///
/// A program could write such a line itself, but not behind as much as is kept, because then the line would be cut off.
fn without_marker(stored: &[u8]) -> (&[u8], Option<String>) {
    let parsed = || {
        let body = stored.strip_suffix(b" bytes shown]\n")?;
        let start = body.iter().rposition(|byte| *byte == b'\n')?;
        let words = str::from_utf8(&body[start..]).ok()?.strip_prefix("\n[... truncated: ")?;
        let (kept, total) = words.split_once(" of ")?;
        let (more, number) = match total.strip_prefix("more than ") {
            Some(number) => ("more than ", number),
            None => ("", total),
        };
        let whole = kept.parse() == Ok(start) && start + 4 > KEPT;
        whole.then_some((&stored[..start], format!("{more}{} bytes", count(number.parse().ok()?))))
    };
    parsed().map_or((stored, None), |(output, total)| (output, Some(total)))
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::policy::text::Text;

    fn run(command: &str, returncode: i32) -> Verification {
        Verification {
            command: command.into(),
            returncode,
            stdout: Text::default(),
            stderr: Text::default(),
            passed: returncode == 0,
            timed_out: false,
            output_limited: false,
        }
    }

    #[test]
    fn failed_verifiers_show_the_end_of_their_output() {
        let many = (1..=20).map(|n| format!("line {n}\r\n")).collect::<Vec<_>>().concat();
        let runs = [
            run("cargo test", 0),
            Verification {
                stdout: many.into(),
                stderr: Text::from_bytes(&b"\x1b[31mboom\xff\n\tat x"[..]),
                ..run("make\tlint '\\d'", 2)
            },
            Verification { timed_out: true, ..run("sleep 9", -15) },
            Verification { output_limited: true, ..run("yes", -9) },
            run("crash", -11),
        ];
        insta::assert_snapshot!(strip_str(&runs.iter().map(verifier).collect::<String>()), @r"
          passed cargo test
          failed make\tlint '\d'  (exit 2)
            stdout, last 15 of 20 lines:
            | line 6
            | line 7
            | line 8
            | line 9
            | line 10
            | line 11
            | line 12
            | line 13
            | line 14
            | line 15
            | line 16
            | line 17
            | line 18
            | line 19
            | line 20
            stderr:
            | \u{1b}[31mboom\xff
            | 	at x
          failed sleep 9  (timeout)
          failed yes  (output limit)
          failed crash  (ended by signal 11 (SIGSEGV))
        ");
    }

    #[test]
    fn a_cut_stream_says_what_is_shown_of_it() {
        let told = |stored: &str| strip_str(&tail("stdout", stored.as_bytes())).to_string();
        let kept = "x".repeat(KEPT - 40) + &"\ny".repeat(20);
        let many = told(&format!("{kept}\n[... truncated: 16384 of 54010 bytes shown]\n"));
        assert!(
            many.starts_with("    stdout, first 16 KiB of 54,010 bytes, last 15 lines of that:\n    | y\n"),
            "{many}"
        );
        assert_eq!(many.lines().count(), 16);
        let one = "x".repeat(KEPT - 3);
        let over = told(&format!("{one}\n[... truncated: 16381 of more than 4194304 bytes shown]\n"));
        assert!(over.starts_with("    stdout, first 16 KiB of more than 4,194,304 bytes:\n    | xxx"), "{over}");
        for forged in ["a\n[... truncated: 1 of 9 bytes shown]\n", "\n[... truncated: 16384 of 54010 bytes shown]\n"] {
            assert!(told(forged).starts_with("    stdout:\n"), "{forged}");
            assert!(told(forged).contains("truncated"), "{forged}");
        }
    }
}
