//! The arguments of every command that gives a verdict: which reports of it to write, and where.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, PossibleValue, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::policy::escape;
use crate::report::formats::table::{ALL, Answer, FORMATS, Format};

/// Reports beside the answer on standard output.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub struct Reports {
    /// Write a report to FILE as well; the option can be repeated. FILE is replaced as a whole once there is a verdict, and
    /// an older one is removed when there is none [default: none]
    #[arg(long, value_name = "FORMAT=FILE", value_parser = OsStringValueParser::new().try_map(parse))]
    pub output: Vec<Output>,
}

/// One report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// In which format.
    pub format: Format,
    /// Where to.
    pub file: PathBuf,
}

fn parse(word: OsString) -> Result<Output, String> {
    let bytes = word.into_vec();
    let told = |what: &str| format!("--output {}: {what}", escape::plain(&bytes));
    let at = bytes.iter().position(|byte| *byte == b'=').ok_or_else(|| told("write FORMAT=FILE"))?;
    let (name, file) = (&bytes[..at], &bytes[at + 1..]);
    let format = FORMATS.iter().find(|row| row.name.as_bytes() == name && row.format.is_of(Answer::Verdict));
    let format = format.ok_or_else(|| told(&format!("the formats are {}", Format::names_of(Answer::Verdict))))?.format;
    if file.is_empty() {
        return Err(told("it names no file"));
    }
    Ok(Output { format, file: PathBuf::from(std::ffi::OsStr::from_bytes(file)) })
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let row = self.row();
        // Every command has these; the pages of those that have more say so themselves.
        Some(PossibleValue::new(row.name).help(row.purpose).hide(!self.is_of(Answer::Any)))
    }
}

/// The table of the formats of a verdict, for the page of a command that has them.
pub fn help(examples: &str) -> String {
    let mut out = "Formats of --format and --output:\n".to_owned();
    for row in FORMATS.iter().filter(|row| row.format.is_of(Answer::Verdict)) {
        writeln!(out, "  {:<10}{}", row.name, row.purpose).expect("writing to a String cannot fail");
    }
    out + "\n" + examples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_a_format_and_a_file() {
        let parsed = parse(OsString::from_vec(b"sarif=a=b\xff".to_vec())).unwrap();
        assert_eq!((parsed.format, parsed.file.as_os_str().as_bytes()), (Format::Sarif, &b"a=b\xff"[..]));
        for (word, told) in [
            ("sarif", "write FORMAT=FILE"),
            ("sarif=", "names no file"),
            ("xml=a\u{1b}", "xml=a\\u{1b}: the formats are human, json, github"),
            ("intoto=a", "the formats are"),
        ] {
            assert!(parse(word.into()).unwrap_err().contains(told), "{word}");
        }
    }
}
