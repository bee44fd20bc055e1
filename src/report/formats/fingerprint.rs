//! Fingerprints of findings: the same finding has the same one in a later check, so that a code host can tell what is new.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::audit::finding::Finding;

/// A fingerprint for each finding, in their order.
///
/// It is made of the code and the path, and where there is no path, of the message without its figures and commits, which
/// differ from check to check. Findings that are alike are numbered.
pub fn of_all(findings: &[Finding]) -> Vec<String> {
    let mut seen: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    findings
        .iter()
        .map(|finding| {
            let mut subject = finding.code.name().as_bytes().to_vec();
            subject.push(0);
            match &finding.path {
                Some(path) => subject.extend_from_slice(path.as_bytes()),
                None => subject.extend(lasting(finding.message.as_bytes())),
            }
            let count = seen.entry(subject.clone()).or_insert(0);
            *count += 1;
            subject.push(0);
            subject.extend_from_slice(count.to_string().as_bytes());
            hex(&subject)
        })
        .collect()
}

/// The words of a message, with a sign in the place of each figure and each commit.
fn lasting(message: &[u8]) -> Vec<u8> {
    let changing = |word: &[u8]| {
        let figure = word.iter().all(u8::is_ascii_digit);
        figure || (word.len() >= 7 && word.iter().all(u8::is_ascii_hexdigit))
    };
    let mut out = Vec::with_capacity(message.len());
    for word in message.split_inclusive(|byte| !byte.is_ascii_alphanumeric()) {
        let (word, end) = match word.split_last() {
            Some((last, rest)) if !last.is_ascii_alphanumeric() => (rest, Some(*last)),
            _ => (word, None),
        };
        out.extend_from_slice(if !word.is_empty() && changing(word) { b"#" } else { word });
        out.extend(end);
    }
    out
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        write!(out, "{byte:02x}").expect("writing to a String cannot fail");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::finding::{Code, Severity};
    use crate::policy::path::RepoPath;

    fn finding(code: Code, path: Option<&str>, message: &str) -> Finding {
        Finding {
            code,
            severity: Severity::Violation,
            path: path.map(RepoPath::from),
            message: message.into(),
            help: "x".into(),
            undo: None,
            owners: None,
        }
    }

    #[test]
    fn what_differs_from_check_to_check_does_not_count() {
        let first = [
            finding(Code::BudgetFiles, None, "file budget exceeded in commit 0123456789abcdef: 30 > 25"),
            finding(Code::PathOutside, Some("a"), "path outside policy: a"),
        ];
        let later = [
            finding(Code::PathOutside, Some("new"), "path outside policy: new"),
            finding(Code::BudgetFiles, None, "file budget exceeded in commit fedcba9876543210: 31 > 25"),
            finding(Code::PathOutside, Some("a"), "path outside policy: a (in the index)"),
        ];
        let (first, later) = (of_all(&first), of_all(&later));
        assert_eq!(first, [later[1].clone(), later[2].clone()]);
        assert!(!first.contains(&later[0]));
    }

    #[test]
    fn what_is_alike_is_numbered_and_the_code_counts() {
        let all = of_all(&[
            finding(Code::PathOutside, Some("a"), "x"),
            finding(Code::PathOutside, Some("a"), "x"),
            finding(Code::PathDenied, Some("a"), "x"),
            finding(Code::BranchChanged, None, "branch changed: topic-1"),
            finding(Code::BranchChanged, None, "branch changed: topic-2"),
        ]);
        let different: std::collections::BTreeSet<&String> = all.iter().collect();
        assert_eq!(different.len(), all.len());
    }
}
