//! One changed path as a patch in Git's form: raw bytes that `git apply` takes, or escaped and coloured for a terminal.

use std::collections::HashMap;
use std::ops::Range;

use anstyle::Style;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

use super::binary;
use super::quote::{quoted, quoted_on_its_line};
use super::style::{BAD, GOOD, HEADING, HUNK, paint};
use super::words::content_line;
use crate::audit::answer::FileDiff;
use crate::audit::evidence::Mode;

/// How many unchanged lines stand around a change, as in Git.
const CONTEXT: usize = 3;

/// The type of a submodule in its mode; what Git compares of one is a line of text.
const GITLINK: &str = "160";

/// For whom a patch is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For a program: every byte of the content as it is.
    Raw,
    /// For a terminal: coloured, and with control characters escaped.
    Terminal,
}

/// The patch for one path: empty where nothing can be said in one, as for a FIFO, for a file that only left the index,
/// and for a program when a side is too big. A change of type is two patches, as in Git: the old thing goes, the new one comes.
pub fn patch(file: &FileDiff, form: Form) -> Vec<u8> {
    let before = Side::new(file.change.mode_before, file.before.as_deref(), file.id_before.as_deref());
    let after = Side::new(file.change.mode_after, file.after.as_deref(), file.id_after.as_deref());
    let (path, binary, too_big) = (file.change.path.as_bytes(), file.change.binary, file.too_big);
    let mut writer = Writer { out: Vec::new(), form, path, binary, too_big };
    match (before, after) {
        _ if too_big && form == Form::Raw => {}
        (Some(before), Some(after)) if before.kind() != after.kind() => {
            writer.one(Some(before), None);
            writer.one(None, Some(after));
        }
        (before, after) => writer.one(before, after),
    }
    writer.out
}

/// One side of a change: something that Git can record.
#[derive(Clone, Copy)]
struct Side<'a> {
    /// Git's mode in its six digits; the first three are the type, the others the permissions.
    mode: &'static str,
    content: &'a [u8],
    id: Option<&'a str>,
}

impl<'a> Side<'a> {
    /// `None` for a path that is absent, and for what Git does not record, such as a FIFO.
    fn new(mode: Option<Mode>, content: Option<&'a [u8]>, id: Option<&'a str>) -> Option<Self> {
        let mode = match mode? {
            Mode::File => "100644",
            Mode::Executable => "100755",
            Mode::Symlink => "120000",
            Mode::Gitlink => "160000",
            Mode::Other => return None,
        };
        // A file that left the index and that the exclude rules hide stands on disk, and is gone for Git.
        Some(Side { mode, content: content?, id })
    }

    fn kind(self) -> &'static str {
        &self.mode[..3]
    }
}

struct Writer<'a> {
    out: Vec<u8>,
    form: Form,
    path: &'a [u8],
    binary: bool,
    too_big: bool,
}

impl Writer<'_> {
    fn one(&mut self, before: Option<Side<'_>>, after: Option<Side<'_>>) {
        let (old, new) = (before.map_or(&[][..], |side| side.content), after.map_or(&[][..], |side| side.content));
        let same = old == new && !self.too_big;
        if before.map(|side| side.mode) == after.map(|side| side.mode) && same {
            return;
        }
        let path = self.path;
        self.head(&format!("diff --git {} {}", quoted("a/", path), quoted("b/", path)));
        match (before, after) {
            (None, Some(after)) => self.head(&format!("new file mode {}", after.mode)),
            (Some(before), None) => self.head(&format!("deleted file mode {}", before.mode)),
            (Some(before), Some(after)) if before.mode != after.mode => {
                self.head(&format!("old mode {}", before.mode));
                self.head(&format!("new mode {}", after.mode));
            }
            _ => {}
        }
        let binary = self.binary && [before, after].iter().flatten().all(|side| side.kind() != GITLINK);
        if same {
            return;
        }
        let name = |side: Option<Side<'_>>, prefix: &str, quote: fn(&str, &[u8]) -> String| {
            side.map_or("/dev/null".to_owned(), |_| quote(prefix, path))
        };
        if binary && self.form == Form::Raw {
            self.head(&index_line(before, after));
            self.out.extend(binary::patch(old, new));
            return;
        }
        if binary {
            let (old, new) = (name(before, "a/", quoted), name(after, "b/", quoted));
            self.head(&format!("Binary files {old} and {new} differ"));
            return;
        }
        self.head(&format!("--- {}", name(before, "a/", quoted_on_its_line)));
        self.head(&format!("+++ {}", name(after, "b/", quoted_on_its_line)));
        self.hunks(old, new);
    }

    fn hunks(&mut self, old: &[u8], new: &[u8]) {
        let (old, new) = (lines(old), lines(new));
        for group in group_diff_ops(operations(&old, &new), CONTEXT) {
            let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
            let old_range = span(first.old_range().start..last.old_range().end);
            let new_range = span(first.new_range().start..last.new_range().end);
            self.styled(HUNK, &format!("@@ -{old_range} +{new_range} @@"));
            for operation in group {
                let (tag, old_lines, new_lines) = operation.as_tag_tuple();
                if tag == DiffTag::Equal {
                    self.content(b' ', None, &old[old_lines]);
                } else {
                    self.content(b'-', Some(BAD), &old[old_lines]);
                    self.content(b'+', Some(GOOD), &new[new_lines]);
                }
            }
        }
    }

    fn head(&mut self, line: &str) {
        self.styled(HEADING, line);
    }

    fn styled(&mut self, style: Style, line: &str) {
        match self.form {
            Form::Raw => self.out.extend_from_slice(line.as_bytes()),
            Form::Terminal => self.out.extend_from_slice(paint(style, line).as_bytes()),
        }
        self.out.push(b'\n');
    }

    fn content(&mut self, sign: u8, style: Option<Style>, lines: &[&[u8]]) {
        for line in lines {
            let body = line.strip_suffix(b"\n").unwrap_or(line);
            match self.form {
                Form::Raw => {
                    self.out.push(sign);
                    self.out.extend_from_slice(body);
                }
                Form::Terminal => {
                    let text = format!("{}{}", char::from(sign), content_line(body));
                    self.out.extend_from_slice(paint(style.unwrap_or_default(), text).as_bytes());
                }
            }
            self.out.push(b'\n');
            if body.len() == line.len() {
                self.out.extend_from_slice(b"\\ No newline at end of file\n");
            }
        }
    }
}

/// The objects of both sides in full, and the mode if it stays.
fn index_line(before: Option<Side<'_>>, after: Option<Side<'_>>) -> String {
    let ids = [before, after].map(|side| side.and_then(|side| side.id));
    let absent = "0".repeat(ids.iter().flatten().map(|id| id.len()).max().unwrap_or(40));
    let [old, new] = ids.map(|id| id.unwrap_or(&absent));
    match (before, after) {
        (Some(before), Some(after)) if before.mode == after.mode => format!("index {old}..{new} {}", after.mode),
        _ => format!("index {old}..{new}"),
    }
}

/// The lines with their line feeds. Nothing else ends a line: a lone carriage return is content, as it is for Git.
fn lines(content: &[u8]) -> Vec<&[u8]> {
    content.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Each distinct line becomes a number first, so that the search compares numbers and not text.
fn operations<'a>(old: &[&'a [u8]], new: &[&'a [u8]]) -> Vec<DiffOp> {
    let mut numbers: HashMap<&'a [u8], usize> = HashMap::new();
    let mut number = |line: &&'a [u8]| {
        let next = numbers.len();
        *numbers.entry(line).or_insert(next)
    };
    let old: Vec<usize> = old.iter().map(&mut number).collect();
    let new: Vec<usize> = new.iter().map(&mut number).collect();
    capture_diff_slices(Algorithm::Myers, &old, &new)
}

/// Where a hunk stands on one side: `start,length`, the length left out when it is 1, and an empty range named by the
/// line before it.
fn span(range: Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        length => format!("{},{length}", range.start + 1),
    }
}

#[cfg(test)]
#[path = "unified_tests.rs"]
mod tests;
