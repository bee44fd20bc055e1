//! Whose the paths are that findings are about.

use super::finding::Finding;
use crate::policy::file::territory::Territory;
use crate::policy::text::Text;

/// Names the owner in each finding about a path, as the first thing that its help says: who has to be asked comes before
/// what to do without asking.
pub fn name(findings: &mut [Finding], territory: &Territory) {
    for finding in findings {
        let Some(path) = &finding.path else { continue };
        let ownership = territory.whose(path.as_bytes());
        finding.help = Text::from(format!("{} ", ownership.sentence())).raw(&finding.help);
        finding.owners = Some(ownership);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::finding::{Code, Severity};
    use crate::policy::file::read::read;
    use crate::policy::file::territory::Claims;
    use crate::policy::path::RepoPath;

    #[test]
    fn only_findings_about_a_path_have_an_owner() {
        let text = "version = 1\n[role.docs]\nallow = [\"docs/**\"]\nowner = \"Jane\"\n";
        let territory = Territory::of(&Claims::of(&read("f", text.as_bytes()).unwrap())).unwrap();
        let finding = |path: Option<&str>| Finding {
            code: Code::PathOutside,
            severity: Severity::Violation,
            path: path.map(RepoPath::from),
            message: "path outside policy".into(),
            help: "Undo this change.".into(),
            undo: None,
            owners: None,
        };
        let mut findings = [finding(Some("docs/a")), finding(Some("src/a")), finding(None)];
        name(&mut findings, &territory);
        let help = |at: usize| findings[at].advice();
        assert_eq!(help(0), "Role `docs` (ask Jane) owns it. Undo this change.");
        assert_eq!(help(1), "No role owns it. Undo this change.");
        assert_eq!((help(2).as_str(), &findings[2].owners), ("Undo this change.", &None));
    }
}
