//! The table of formats: what each is called, what it is for, how its files end, and which answers have it.

use super::report::Report;
use super::{github, gitlab, html, junit, markdown, sarif};

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text for people.
    Human,
    /// JSON for programs.
    Json,
    /// Annotations of GitHub Actions.
    Github,
    /// SARIF 2.1.0.
    Sarif,
    /// The XML of `JUnit`.
    Junit,
    /// Markdown.
    Markdown,
    /// Code Quality of GitLab.
    Gitlab,
    /// A page of its own.
    Html,
    /// An in-toto statement.
    Intoto,
}

/// What kind of answer has a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Every answer.
    Any,
    /// A verdict.
    Verdict,
    /// A session as `ledger export` writes it.
    Export,
}

/// One format.
pub struct Row {
    /// The format.
    pub format: Format,
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is for.
    pub purpose: &'static str,
    /// How the name of such a file ends.
    pub extension: &'static str,
    /// Which answers have it.
    pub of: &'static [Answer],
    /// Whether it tells of the session in the ledger as well.
    pub tells_session: bool,
    /// The report about a verdict; `None` where each answer has a form of its own.
    pub render: Option<fn(&Report<'_>) -> Vec<u8>>,
}

const fn own(format: Format, name: &'static str, purpose: &'static str, extension: &'static str) -> Row {
    Row { format, name, purpose, extension, of: &[Answer::Any], tells_session: false, render: None }
}

const fn row(
    format: Format,
    name: &'static str,
    purpose: &'static str,
    extension: &'static str,
    render: fn(&Report<'_>) -> Vec<u8>,
) -> Row {
    Row { format, name, purpose, extension, of: &[Answer::Verdict], tells_session: false, render: Some(render) }
}

/// Every format, in the order of [`Format`].
pub const FORMATS: &[Row] = &[
    own(Format::Human, "human", "Text for people", "txt"),
    own(Format::Json, "json", "JSON for programs", "json"),
    row(Format::Github, "github", "Annotations, step summary and outputs of GitHub Actions", "txt", github::render),
    row(Format::Sarif, "sarif", "SARIF 2.1.0, for code scanning", "sarif", sarif::render),
    row(Format::Junit, "junit", "JUnit XML, for the test reports of a CI", "xml", junit::render),
    Row {
        of: &[Answer::Verdict, Answer::Export],
        tells_session: true,
        ..row(Format::Markdown, "markdown", "Markdown that fits a pull request comment", "md", markdown::render)
    },
    row(Format::Gitlab, "gitlab", "A Code Quality report of GitLab", "json", gitlab::render),
    Row {
        tells_session: true,
        ..row(Format::Html, "html", "One page that needs no other file, for people", "html", html::render)
    },
    Row { of: &[Answer::Export], ..own(Format::Intoto, "intoto", "An in-toto statement", "json") },
];

/// The formats by themselves.
pub static ALL: [Format; FORMATS.len()] = {
    let mut all = [Format::Human; FORMATS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = FORMATS[at].format;
        at += 1;
    }
    all
};

impl Format {
    /// What the table says of it.
    pub fn row(self) -> &'static Row {
        FORMATS.iter().find(|row| row.format == self).expect("the table has a row for each format")
    }

    /// Whether such an answer has it.
    pub fn is_of(self, answer: Answer) -> bool {
        self.row().of.iter().any(|of| *of == answer || *of == Answer::Any)
    }

    /// The names of the formats that such an answer has, for a sentence.
    pub fn names_of(answer: Answer) -> String {
        let known = FORMATS.iter().filter(|row| row.format.is_of(answer));
        known.map(|row| row.name).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_has_one_row_with_a_name_of_its_own() {
        for (at, row) in FORMATS.iter().enumerate() {
            assert_eq!((row.format as usize, row.format.row().name), (at, row.name));
            assert!(FORMATS.iter().filter(|other| other.name == row.name).count() == 1, "{}", row.name);
            assert!(row.purpose.len() > 10 && !row.purpose.ends_with('.'), "{}", row.name);
        }
    }

    #[test]
    fn an_answer_knows_its_formats() {
        assert_eq!(Format::names_of(Answer::Any), "human, json");
        assert_eq!(Format::names_of(Answer::Verdict), "human, json, github, sarif, junit, markdown, gitlab, html");
        assert_eq!(Format::names_of(Answer::Export), "human, json, markdown, intoto");
    }
}
