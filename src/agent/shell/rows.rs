//! The programs that write files, as a table: how each writes its options, and what its operands are to it.

use super::act::Effect;
use super::options::Form;

/// What the operands of a program are to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    /// Each one suffers this.
    Each(Effect),
    /// Each one is changed in place, but for the first, which is a script unless one of these options brings it.
    BehindScript(&'static [&'static str]),
    /// The last one, or what `-t` names, receives the others; these stay, or go.
    Into {
        /// Whether directories may be among them: always, or with one of these options.
        trees: &'static [&'static str],
        /// Whether the others go away.
        moves: bool,
    },
    /// The last one receives something below it that only the program knows.
    Fill,
    /// Those with the form `of=FILE` are written.
    Assigned,
    /// None; what these options name is written.
    Named(&'static [&'static str]),
}

/// One program.
#[derive(Debug)]
pub struct Row {
    /// Its base names.
    pub names: &'static [&'static str],
    /// How it writes its options.
    pub form: Form,
    /// Options without which it writes nothing.
    pub only_with: &'static [&'static str],
    /// Options with which it writes nothing.
    pub not_with: &'static [&'static str],
    /// What it does.
    pub operands: Operands,
}

const fn form(valued: &'static str, attached: &'static str, long: &'static [&'static str]) -> Form {
    Form { valued, attached, long, leading: false }
}

const HELP: &[&str] = &["help", "version"];
const DRY: &[&str] = &["help", "version", "n", "dry-run", "list-only"];

/// The table.
pub const ROWS: &[Row] = &[
    Row {
        names: &["cp", "gcp"],
        form: form("tS", "", &["target-directory", "suffix"]),
        only_with: &[],
        not_with: HELP,
        operands: Operands::Into { trees: &["r", "R", "a", "recursive", "archive"], moves: false },
    },
    Row {
        names: &["mv", "gmv"],
        form: form("tS", "", &["target-directory", "suffix"]),
        only_with: &[],
        not_with: HELP,
        operands: Operands::Into { trees: &[], moves: true },
    },
    Row {
        names: &["ln", "gln", "link"],
        form: form("tS", "", &["target-directory", "suffix"]),
        only_with: &[],
        not_with: HELP,
        operands: Operands::Into { trees: &["never"], moves: false },
    },
    Row {
        names: &["install", "ginstall"],
        form: form("gmotS", "", &["group", "mode", "owner", "target-directory", "suffix"]),
        only_with: &[],
        not_with: &["help", "version", "d", "directory"],
        operands: Operands::Into { trees: &["never"], moves: false },
    },
    Row {
        names: &["install", "ginstall"],
        form: form("gmotS", "", &["group", "mode", "owner", "target-directory", "suffix"]),
        only_with: &["d", "directory"],
        not_with: HELP,
        operands: Operands::Each(Effect::Directory),
    },
    Row {
        names: &["rm", "grm", "unlink", "rmdir"],
        form: form("", "", &[]),
        only_with: &[],
        not_with: HELP,
        operands: Operands::Each(Effect::Remove),
    },
    Row {
        names: &["shred"],
        form: form("ns", "", &["iterations", "size"]),
        only_with: &[],
        not_with: HELP,
        operands: Operands::Each(Effect::Write),
    },
    Row {
        names: &["tee", "gtee"],
        form: form("", "", &[]),
        only_with: &[],
        not_with: HELP,
        operands: Operands::Each(Effect::Write),
    },
    Row {
        names: &["touch", "gtouch"],
        form: form("drt", "", &["date", "reference"]),
        only_with: &[],
        not_with: &["help", "version", "c", "no-create"],
        operands: Operands::Each(Effect::Write),
    },
    Row {
        names: &["mkdir", "gmkdir"],
        form: form("m", "Z", &["mode"]),
        only_with: &[],
        not_with: HELP,
        operands: Operands::Each(Effect::Directory),
    },
    Row {
        names: &["truncate", "gtruncate"],
        form: form("rs", "", &["reference", "size"]),
        only_with: &[],
        not_with: HELP,
        operands: Operands::Each(Effect::Write),
    },
    Row {
        names: &["sed", "gsed"],
        form: form("efl", "i", &["expression", "file", "line-length"]),
        only_with: &["i", "in-place"],
        not_with: HELP,
        operands: Operands::BehindScript(&["e", "f", "expression", "file"]),
    },
    Row {
        names: &["perl", "ruby"],
        form: form("eEI", "i0FMmCdDVx", &[]),
        only_with: &["i"],
        not_with: &["c", "v"],
        operands: Operands::BehindScript(&["e", "E"]),
    },
    Row { names: &["dd"], form: form("", "", &[]), only_with: &[], not_with: HELP, operands: Operands::Assigned },
    Row {
        names: &["rsync"],
        form: form(
            "efBTM@",
            "",
            &[
                "rsh",
                "filter",
                "exclude",
                "exclude-from",
                "include",
                "include-from",
                "files-from",
                "temp-dir",
                "compare-dest",
                "copy-dest",
                "link-dest",
                "backup-dir",
                "suffix",
                "block-size",
                "max-size",
                "min-size",
                "timeout",
                "port",
                "bwlimit",
                "log-file",
                "out-format",
                "chmod",
                "chown",
                "partial-dir",
            ],
        ),
        only_with: &[],
        not_with: DRY,
        operands: Operands::Fill,
    },
    Row {
        names: &["sort", "gsort"],
        form: form("kotST", "", &["key", "output", "field-separator", "buffer-size", "temporary-directory"]),
        only_with: &[],
        not_with: HELP,
        operands: Operands::Named(&["o", "output"]),
    },
    Row {
        names: &["curl"],
        form: form("AbcCdDeEFhHKmoPQrTtuUwxXyYz", "", &["output", "header", "data", "request", "user", "max-time"]),
        only_with: &[],
        not_with: &["help", "version", "output-dir"],
        operands: Operands::Named(&["o", "output"]),
    },
    Row {
        names: &["wget"],
        form: form("aBeoOPQtTUwDRAlI", "", &["output-document", "output-file", "tries", "timeout", "user-agent"]),
        only_with: &[],
        not_with: HELP,
        operands: Operands::Named(&["O", "output-document"]),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_letter_is_both_valued_and_attached() {
        for row in ROWS {
            assert!(!row.form.valued.chars().any(|letter| row.form.attached.contains(letter)), "{:?}", row.names);
            assert!(!row.names.is_empty());
        }
    }
}
