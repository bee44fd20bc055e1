//! What a random sequence is made of: a kind of repository, and operations on a pool of hard names.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;

use proptest::prelude::*;
use proptest::{collection, sample};

/// The names that operations pick from; some lie below others, and some lie where ignore rules reach.
pub const NAMES: &[&[u8]] = &[
    b"a.txt",
    b"b.txt",
    b"src/main.rs",
    b"src/lib.rs",
    b"src/deep/er/and/deeper/still.txt",
    b"src/deep",
    b"pic.bin",
    b"notes.x",
    b"dir/one.txt",
    b"dir/two.bin",
    b"dir",
    b"with space.txt",
    b" lead and trail ",
    b"q\"uote'.txt",
    b"new\nline.txt",
    b"-rf",
    b"[x]*?.txt",
    b"back\\slash.txt",
    b"tab\there.x",
    b"bad\xff\xfe.txt",
    b"bad\xffdir/f\x80.txt",
    "na\u{ef}ve/\u{65e5}\u{672c}.txt".as_bytes(),
    b":(glob)colon.txt",
    b"run.sh",
    b"build/out.o",
    b"build/kept.txt",
    b"ignored/x.txt",
    b"t.log",
    b"{a,b}.txt",
    b"d b/c.txt",
];

/// Where symbolic links point; the last ones dangle.
pub const TARGETS: &[&str] = &["a.txt", "src", "dir/one.txt", "../a.txt", ".", "missing", "no/such/place"];

/// Line endings, terminators and bytes that decide how git reads a file.
pub const CONTENTS: &[&[u8]] = &[
    b"",
    b"one\ntwo\nthree\nfour\nfive\n",
    b"one\r\ntwo\r\nthree\r\n",
    b"one\rtwo\rthree\r",
    b"mixed\nline\r\nends\rhere",
    b"no final newline\nat the end",
    b"\n\n\n",
    b"nul\0byte\nin it\n",
    b"\xff\xfe\x80 not\xc3 UTF-8\n\xa0\n",
    b"same\nsame\nsame\nsame\nother\nsame\nsame\n",
    b"crlf, no end\r\nlast",
    b"x",
];

/// The `.gitattributes` of the baseline.
pub const ATTRIBUTES: &[&str] = &[
    "",
    "* text=auto\n",
    "*.txt text eol=crlf\n",
    "*.bin binary\n",
    "*.x -diff\n*.txt text\n",
    "*.txt eol=lf\n*.x diff\n",
];

/// The values of `core.autocrlf`.
pub const AUTOCRLF: &[&str] = &["false", "input", "true"];

/// One random case.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// SHA-256 objects instead of SHA-1.
    pub sha256: bool,
    /// The work tree is a linked one.
    pub linked: bool,
    /// An untouched submodule lies in it.
    pub submodule: bool,
    /// Index into [`ATTRIBUTES`].
    pub attributes: usize,
    /// Index into [`AUTOCRLF`].
    pub autocrlf: usize,
    /// The baseline: names with contents.
    pub files: Vec<(Name, usize)>,
    /// What happens after arming.
    pub operations: Vec<Op>,
}

/// An index into [`NAMES`] that shows the name.
#[derive(Clone, Copy)]
pub struct Name(pub usize);

impl Name {
    /// The raw bytes.
    pub fn bytes(self) -> &'static [u8] {
        NAMES[self.0]
    }

    /// The name as the system wants it.
    pub fn os(self) -> &'static OsStr {
        os(self.bytes())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.bytes().escape_ascii())
    }
}

/// Bytes as the system wants a name.
pub fn os(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

/// One operation; what is not possible at its moment is left out, so that every sequence means something.
#[derive(Debug, Clone)]
pub enum Op {
    /// Writes a content of the pool.
    Write(Name, usize),
    /// Appends a line, with or without its terminator.
    Append(Name, &'static str),
    /// Inserts a line.
    Insert(Name, usize),
    /// Deletes a line.
    DeleteLine(Name, usize),
    /// Changes one byte and puts the old times back.
    SameSize(Name),
    /// Gives it another time and nothing else.
    Touch(Name),
    /// Rewrites LF as CRLF, or the other way round.
    FlipEnds(Name),
    /// Removes a file or a whole directory.
    Remove(Name),
    /// Renames on disk.
    Rename(Name, Name),
    /// `git mv`.
    GitMove(Name, Name),
    /// Sets or clears the executable bit.
    Chmod(Name, bool),
    /// Puts a symbolic link in its place, with an index into [`TARGETS`].
    Symlink(Name, usize),
    /// Puts a directory with so many files in its place.
    Directory(Name, usize),
    /// Puts a file in place of whatever is there, directories included.
    FileInPlace(Name, usize),
    /// `git add`.
    Stage(Name),
    /// `git add -N`.
    Intend(Name),
    /// `git add -A`.
    StageAll,
    /// `git add -f` of a content that is then taken back on disk.
    StageThenRestore(Name, usize),
    /// `git rm`.
    GitRemove(Name),
    /// `git rm --cached`.
    Untrack(Name),
    /// `git reset -q`.
    Reset,
    /// `git checkout -- NAME`.
    Restore(Name),
    /// `git update-index --chmod`.
    StageMode(Name, bool),
    /// `git commit`, of what is staged or of everything.
    Commit(bool),
}

fn name() -> impl Strategy<Value = Name> {
    (0..NAMES.len()).prop_map(Name)
}

fn content() -> impl Strategy<Value = usize> {
    0..CONTENTS.len()
}

fn op() -> impl Strategy<Value = Op> {
    let tail = sample::select(vec!["more\n", "more", "more\r\n", "\0", "\n"]);
    prop_oneof![
        4 => (name(), content()).prop_map(|(n, c)| Op::Write(n, c)),
        3 => (name(), tail).prop_map(|(n, t)| Op::Append(n, t)),
        3 => (name(), 0..6usize).prop_map(|(n, at)| Op::Insert(n, at)),
        3 => (name(), 0..6usize).prop_map(|(n, at)| Op::DeleteLine(n, at)),
        3 => name().prop_map(Op::SameSize),
        1 => name().prop_map(Op::Touch),
        2 => name().prop_map(Op::FlipEnds),
        3 => name().prop_map(Op::Remove),
        2 => (name(), name()).prop_map(|(a, b)| Op::Rename(a, b)),
        2 => (name(), name()).prop_map(|(a, b)| Op::GitMove(a, b)),
        2 => (name(), any::<bool>()).prop_map(|(n, on)| Op::Chmod(n, on)),
        2 => (name(), 0..TARGETS.len()).prop_map(|(n, t)| Op::Symlink(n, t)),
        2 => (name(), 0..4usize).prop_map(|(n, count)| Op::Directory(n, count)),
        2 => (name(), content()).prop_map(|(n, c)| Op::FileInPlace(n, c)),
        3 => name().prop_map(Op::Stage),
        2 => name().prop_map(Op::Intend),
        1 => Just(Op::StageAll),
        2 => (name(), content()).prop_map(|(n, c)| Op::StageThenRestore(n, c)),
        1 => name().prop_map(Op::GitRemove),
        2 => name().prop_map(Op::Untrack),
        1 => Just(Op::Reset),
        1 => name().prop_map(Op::Restore),
        1 => (name(), any::<bool>()).prop_map(|(n, on)| Op::StageMode(n, on)),
        1 => any::<bool>().prop_map(Op::Commit),
    ]
}

/// All cases, the short ones included.
pub fn scenarios() -> impl Strategy<Value = Scenario> {
    (
        (any::<bool>(), prop::bool::weighted(0.3), prop::bool::weighted(0.3)),
        (0..ATTRIBUTES.len(), 0..AUTOCRLF.len()),
        collection::vec((name(), content()), 6..30),
        collection::vec(op(), 1..40),
    )
        .prop_map(|((sha256, linked, submodule), (attributes, autocrlf), files, operations)| Scenario {
            sha256,
            linked,
            submodule,
            attributes,
            autocrlf,
            files,
            operations,
        })
}
