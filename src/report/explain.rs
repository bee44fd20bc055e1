//! The answer of `explain` for people: one line a path.

use super::style::{BAD, FAINT, GOOD, paint};
use crate::policy::envelope::Decision;
use crate::policy::escape;
use crate::policy::path::RepoPath;

/// Which side a path is on, and the pattern that decides.
pub fn human(path: &RepoPath, decision: Decision<'_>) -> String {
    let (side, why) = match decision {
        Decision::Allowed(pattern) => (paint(GOOD, "inside "), format!("allowed by {}", quoted(pattern.as_str()))),
        Decision::Denied(pattern) => (paint(BAD, "outside"), format!("denied by {}", quoted(pattern.as_str()))),
        Decision::Outside => (paint(BAD, "outside"), "no allow pattern matches".to_owned()),
    };
    format!("{side}  {}  {}\n", path.plain(), paint(FAINT, format!("({why})")))
}

fn quoted(pattern: &str) -> String {
    format!("`{}`", escape::typed(pattern.as_bytes()))
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::policy::pattern::Pattern;

    #[test]
    fn each_way_to_decide_has_its_words() {
        let pattern = Pattern::parse("src/**").unwrap();
        let path = RepoPath::new(&b"src/a\n\xff"[..]);
        let text: String = [Decision::Allowed(&pattern), Decision::Denied(&pattern), Decision::Outside]
            .into_iter()
            .map(|decision| human(&path, decision))
            .collect();
        insta::assert_snapshot!(strip_str(&text), @r"
        inside   src/a\n\xff  (allowed by `src/**`)
        outside  src/a\n\xff  (denied by `src/**`)
        outside  src/a\n\xff  (no allow pattern matches)
        ");
    }
}
