//! The codes of the findings for people: what each means, why it matters, what to do.

use super::style::{FAINT, HEADING, HINT, paint};
use crate::audit::codes::Explained;

/// One paragraph a code.
pub fn human(rows: &[Explained]) -> String {
    rows.iter().map(paragraph).collect::<Vec<_>>().join("\n")
}

fn paragraph(row: &Explained) -> String {
    format!(
        "{}\n  {}\n  {} {}\n  {} {}\n  {} {}\n",
        paint(HEADING, row.name()),
        row.what,
        paint(FAINT, "why:  "),
        row.why,
        paint(HINT, "undo: "),
        row.help,
        paint(HINT, "allow:"),
        row.allow
    )
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::audit::codes;

    #[test]
    fn a_code_is_a_paragraph() {
        let row = codes::find("lost-work").unwrap();
        let text = strip_str(&human(std::slice::from_ref(row))).to_string();
        assert!(text.starts_with("lost-work\n  "), "{text}");
        assert!(text.contains("cordon rescue") && text.lines().count() == 5, "{text}");
    }
}
