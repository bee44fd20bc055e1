//! PURE. `index.jsonl`: one line for each session, in the order in which they ended.

use serde::{Deserialize, Serialize};

use super::canonical::Object;
use super::id;
use super::record::Ledger;

/// One session in the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The session.
    pub id: String,
    /// When it began.
    pub started_at: String,
    /// How it ended.
    pub outcome: String,
}

/// What an index says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Index {
    /// The sessions, in the order of their lines.
    pub rows: Vec<Row>,
    /// The lines that name no session, from 1.
    pub broken: Vec<usize>,
}

impl Row {
    /// The row of a session.
    pub fn of(ledger: &Ledger) -> Row {
        Row {
            id: ledger.started.id.clone(),
            started_at: ledger.started.ts.clone(),
            outcome: ledger.finished.outcome.name().to_owned(),
        }
    }

    /// The line of the row, with its newline.
    pub fn line(&self) -> Vec<u8> {
        let object =
            Object::new().text("id", &self.id).text("started_at", &self.started_at).text("outcome", &self.outcome);
        format!("{object}\n").into_bytes()
    }

    fn parse(line: &[u8]) -> Option<Row> {
        serde_json::from_slice(line).ok().filter(|row: &Row| id::is_id(row.id.as_bytes()))
    }

    fn began(&self) -> (&str, &str) {
        (&self.started_at, &self.id)
    }
}

impl Index {
    /// Reads the bytes of an index. Lines that are none are told and passed over.
    pub fn parse(bytes: &[u8]) -> Index {
        let mut index = Index::default();
        for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
            match Row::parse(line) {
                Some(row) => index.rows.push(row),
                None => index.broken.push(at + 1),
            }
        }
        index
    }

    /// The session that began last.
    pub fn latest(&self) -> Option<&Row> {
        self.rows.iter().max_by_key(|row| row.began())
    }

    /// The id that sorts behind all others.
    pub fn last_id(&self) -> Option<&str> {
        self.rows.iter().map(|row| row.id.as_str()).max()
    }

    /// The sessions, the one that began last first.
    pub fn newest_first(&self) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by(|left, right| right.began().cmp(&left.began()));
        rows
    }
}

/// The bytes of an index with one more row. A last line that a crash tore is left out; one that only lost its newline
/// gets it back.
pub fn with_row(bytes: &[u8], row: &Row) -> Vec<u8> {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (whole, tail) = bytes.split_at(end);
    let mut index = whole.to_vec();
    if Row::parse(tail).is_some() {
        index.extend_from_slice(tail);
        index.push(b'\n');
    }
    index.extend_from_slice(&row.line());
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, started_at: &str) -> Row {
        Row { id: id.into(), started_at: started_at.into(), outcome: "success".into() }
    }

    const A: &str = "01K0EJ3V9CJ0Q6ZM3S1R8T5W2A";
    const B: &str = "01K0EJ3V9CJ0Q6ZM3S1R8T5W2B";

    #[test]
    fn rows_are_read_as_they_are_written() {
        let first = row(A, "2026-07-19T09:12:45Z");
        let bytes = with_row(b"", &first);
        assert_eq!(
            String::from_utf8(bytes.clone()).unwrap(),
            format!("{{\"id\":\"{A}\",\"outcome\":\"success\",\"started_at\":\"2026-07-19T09:12:45Z\"}}\n")
        );
        let second = row(B, "2026-07-19T09:12:44Z");
        let index = Index::parse(&with_row(&bytes, &second));
        assert_eq!(index, Index { rows: vec![first.clone(), second.clone()], broken: vec![] });
        assert_eq!(index.latest(), Some(&first));
        assert_eq!(index.newest_first(), [&first, &second]);
        assert_eq!(index.last_id(), Some(B));
    }

    #[test]
    fn sessions_of_one_second_are_told_apart_by_their_ids() {
        let (first, second) = (row(A, "2026-07-19T09:12:44Z"), row(B, "2026-07-19T09:12:44Z"));
        let index = Index { rows: vec![second.clone(), first.clone()], broken: vec![] };
        assert_eq!(index.latest(), Some(&second));
    }

    #[test]
    fn what_a_crash_tore_is_mended_and_what_is_no_row_is_told() {
        let (first, second) = (row(A, "2026-07-19T09:12:44Z"), row(B, "2026-07-19T09:12:45Z"));
        let whole = with_row(b"", &first);
        for cut in 1..whole.len() - 1 {
            assert_eq!(with_row(&whole[..cut], &second), second.line(), "a torn line is no row");
        }
        assert_eq!(Index::parse(&with_row(&whole[..whole.len() - 1], &second)).rows.len(), 2);
        let odd =
            [&whole[..], b"\nnonsense\n{\"id\":\"../x\",\"started_at\":\"\",\"outcome\":\"\"}\n", &whole].concat();
        let index = Index::parse(&odd);
        assert_eq!((index.rows.len(), index.broken), (2, vec![3, 4]));
    }
}
