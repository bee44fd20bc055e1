//! Operations of Git that stop half way, and the command that takes each of them back.
//!
//! One operation leaves several files; it is told once, and its command is Git's own, because removing a file would only
//! hide that the operation is under way. Where pieces are missing that Git needs to abort, somebody planted the others,
//! and they are removed.

/// One way in which an operation stands in a Git directory.
struct Row {
    /// The file or directory that is told.
    piece: &'static str,
    /// What else must be there for the command to work.
    needs: &'static [&'static str],
    /// The subcommand of Git that ends it and puts things back.
    abort: &'static str,
}

const ROWS: &[Row] = &[
    Row { piece: "MERGE_HEAD", needs: &["MERGE_MODE"], abort: "merge --abort" },
    Row { piece: "CHERRY_PICK_HEAD", needs: &[], abort: "cherry-pick --abort" },
    Row { piece: "REVERT_HEAD", needs: &[], abort: "revert --abort" },
    Row { piece: "BISECT_START", needs: &[], abort: "bisect reset" },
    Row { piece: "rebase-merge", needs: &["rebase-merge/head-name", "rebase-merge/onto"], abort: "rebase --abort" },
    Row { piece: "rebase-apply", needs: &["rebase-apply/applying", "rebase-apply/next"], abort: "am --abort" },
    Row { piece: "rebase-apply", needs: &["rebase-apply/head-name", "rebase-apply/next"], abort: "rebase --abort" },
];

/// Pieces that go with another one when that is taken back.
const COVERED: &[(&str, &[&str])] = &[
    ("MERGE_MODE", &["MERGE_HEAD"]),
    ("MERGE_MSG", &["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG", "rebase-merge", "rebase-apply"]),
    ("MERGE_AUTOSTASH", &["MERGE_HEAD"]),
    ("CHERRY_PICK_HEAD", &["rebase-merge", "rebase-apply"]),
    ("sequencer", &["CHERRY_PICK_HEAD", "REVERT_HEAD"]),
];

/// Whether a piece is told by another one. `is_new` answers for a name in the same Git directory.
pub fn is_covered(piece: &str, is_new: impl Fn(&str) -> bool) -> bool {
    let inside = piece.split_once('/').is_some_and(|(directory, _)| is_new(directory));
    let beside = COVERED.iter().any(|(covered, by)| *covered == piece && by.iter().any(|other| is_new(other)));
    inside || beside
}

/// Git's subcommand that takes back the operation of a piece; `None` when pieces are missing that it needs.
pub fn abort(piece: &str, is_new: impl Fn(&str) -> bool) -> Option<&'static str> {
    let works = |row: &&Row| row.piece == piece && row.needs.iter().all(|needed| is_new(needed));
    ROWS.iter().find(works).map(|row| row.abort)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(new: &[&str]) -> Vec<(String, Option<&'static str>)> {
        let is_new = |name: &str| new.contains(&name);
        let told = new.iter().filter(|piece| !is_covered(piece, is_new));
        told.map(|piece| ((*piece).to_owned(), abort(piece, is_new))).collect()
    }

    #[test]
    fn an_operation_is_told_once_with_its_command() {
        let cases: &[(&[&str], &str, Option<&str>)] = &[
            (&["MERGE_HEAD", "MERGE_MODE", "MERGE_AUTOSTASH"], "MERGE_HEAD", Some("merge --abort")),
            (&["MERGE_HEAD"], "MERGE_HEAD", None),
            (&["CHERRY_PICK_HEAD", "sequencer", "sequencer/todo"], "CHERRY_PICK_HEAD", Some("cherry-pick --abort")),
            (&["REVERT_HEAD"], "REVERT_HEAD", Some("revert --abort")),
            (
                &["rebase-merge", "rebase-merge/head-name", "rebase-merge/onto", "CHERRY_PICK_HEAD"],
                "rebase-merge",
                Some("rebase --abort"),
            ),
            (&["rebase-apply", "rebase-apply/applying", "rebase-apply/next"], "rebase-apply", Some("am --abort")),
            (&["rebase-apply", "rebase-apply/head-name", "rebase-apply/next"], "rebase-apply", Some("rebase --abort")),
            (&["rebase-apply"], "rebase-apply", None),
            (&["sequencer", "sequencer/todo"], "sequencer", None),
            (&["BISECT_START"], "BISECT_START", Some("bisect reset")),
        ];
        for (new, piece, command) in cases {
            assert_eq!(told(new), [((*piece).to_owned(), *command)], "{new:?}");
        }
    }
}
