//! PURE. The hash chain: each record carries the digest of the line before it.

use super::record::{Ledger, Record};
use crate::snapshot::digest;

/// What the first record carries.
pub fn genesis() -> String {
    "0".repeat(64)
}

/// Characters that Python takes for the end of a line, in which the older program splits a ledger that it has verified:
/// raw in a name, they keep it from showing the session. Every other such character is a control, and escaped as one.
const LINE_ENDS: [(char, &str); 3] = [('\u{85}', "\\u0085"), ('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")];

/// The line of a record behind the line with this digest, without its newline.
pub fn line(record: &impl Record, prev: &str) -> String {
    let mut line = older_line(record, prev);
    for (end, escape) in LINE_ENDS {
        if line.contains(end) {
            // Outside of strings there is no such character.
            line = line.replace(end, escape);
        }
    }
    line
}

/// The same line as the older program writes it.
pub fn older_line(record: &impl Record, prev: &str) -> String {
    record.object().text("prev", prev).to_string()
}

/// The digest that the line behind this one carries.
pub fn link(line: &[u8]) -> String {
    digest::hex(&digest::sha256(line))
}

/// The whole ledger as its file has it.
pub fn encode(ledger: &Ledger) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut prev = genesis();
    let mut push = |text: String, prev: &mut String| {
        *prev = link(text.as_bytes());
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(b'\n');
    };
    push(line(&ledger.started, &prev), &mut prev);
    for event in &ledger.events {
        push(line(event, &prev), &mut prev);
    }
    push(line(&ledger.finished, &prev), &mut prev);
    bytes
}
