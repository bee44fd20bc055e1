//! The answer of `policy check`: the faults of a policy file, or what is worth knowing about it.

use serde::Serialize;

use super::style::{ACCEPTED, HEADING, HINT, REJECTED, WARNING, paint};
use super::words::{counted, len};
use crate::audit::verdict::SCHEMA_VERSION;
use crate::json;
use crate::policy::escape::typed;
use crate::policy::file::fault::Fault;
use crate::policy::file::overlap::Overlap;
use crate::policy::file::review::Review;

/// The review for people.
pub fn human(file: &str, review: &Review) -> String {
    if !review.faults.is_empty() {
        let head = format!("{}  {file}: {}\n\n", paint(REJECTED, "INVALID"), counted(len(&review.faults), "fault"));
        let faults = review.faults.iter().map(|fault| about(file, fault, &paint(REJECTED, "fault:")));
        return head + &faults.collect::<String>();
    }
    let head = format!("{}  {file}: {}\n", paint(ACCEPTED, "VALID"), counted(len(&review.roles), "role"));
    let warnings: String =
        review.warnings.iter().map(|warning| about(file, warning, &paint(WARNING, "warning:"))).collect();
    let sections = [
        pairs("paths that several roles own", &review.overlaps),
        pairs("branches that several roles claim, which cordon gate refuses", &review.contested),
        warnings,
    ];
    sections.iter().filter(|section| !section.is_empty()).fold(head, |text, section| text + "\n" + section)
}

fn about(file: &str, fault: &Fault, word: &str) -> String {
    format!("{word} {}\n  {} {}\n", fault.sentence(file), paint(HINT, "help:"), typed(fault.hint.as_bytes()))
}

fn pairs(heading: &str, overlaps: &[Overlap]) -> String {
    if overlaps.is_empty() {
        return String::new();
    }
    let line = |overlap: &Overlap| {
        let (one, other) = &overlap.roles;
        let example = overlap.example.as_ref().map_or_else(
            || "perhaps; their patterns are too many to look further".to_owned(),
            |path| format!("for example {}", typed(path.as_bytes())),
        );
        format!("  {} and {}: {example}\n", typed(one.as_bytes()), typed(other.as_bytes()))
    };
    format!("{}\n{}", paint(HEADING, heading), overlaps.iter().map(line).collect::<String>())
}

#[derive(Serialize)]
struct Form<'a> {
    schema_version: u32,
    file: &'a str,
    valid: bool,
    #[serde(flatten)]
    review: &'a Review,
}

/// The review for programs.
pub fn json(file: &str, review: &Review) -> Vec<u8> {
    json::pretty(&Form { schema_version: SCHEMA_VERSION, file, valid: review.faults.is_empty(), review })
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::policy::file::review::review;

    fn told(text: &str) -> String {
        strip_str(&human("cordon.toml", &review(text.as_bytes()).unwrap())).to_string()
    }

    #[test]
    fn faults_are_told_one_by_one() {
        let text = "version = 1\n[role.a]\nalow = [\"a\"]\n[role.\"b\\u001b\"]\nallow = [\"/b\"]\n";
        insta::assert_snapshot!(told(text), @r"
        INVALID  cordon.toml: 3 faults

        fault: cordon.toml:3: [role.a] alow: is no key that is known here
          help: Did you mean `allow`?
        fault: cordon.toml:4: [role.b\u{1b}]: has a name that no option can take
          help: Call it by letters, digits, `-`, `_` and `.`, for example [role.docs].
        fault: cordon.toml:5: [role.b\u{1b}] allow: pattern `/b` starts with a slash
          help: Patterns are relative to the repository root; drop the leading `/`.
        ");
    }

    #[test]
    fn what_is_valid_is_told_with_what_is_shared() {
        let text = "version = 1\n[defaults]\nowner = \"x\"\n[role.a]\nallow = [\"src/**\"]\nverify = [\"make\"]\nbranches = [\"a/*\"]\n[role.b]\nallow = [\"**/*.rs\"]\nbranches = [\"*/b\"]\n";
        insta::assert_snapshot!(told(text), @r#"
        VALID  cordon.toml: 2 roles

        paths that several roles own
          a and b: for example src/.rs

        branches that several roles claim, which cordon gate refuses
          a and b: for example a/b

        warning: cordon.toml:8: [role.b] verify: is not said, so work is accepted without any program having run on it
          help: Write verify = ["..."], or verify = [] if that is meant.
        "#);
    }
}
