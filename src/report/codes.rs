//! The codes of the findings for people: what each means, why it matters, what to do.

use super::style::{FAINT, HEADING, HINT, paint};
use super::wrap::wrapped;
use crate::audit::codes::Explained;

/// One paragraph a code, on a screen of this width if it is one.
pub fn human(rows: &[Explained], width: Option<usize>) -> String {
    rows.iter().map(|row| paragraph(row, width)).collect::<Vec<_>>().join("\n")
}

fn paragraph(row: &Explained, width: Option<usize>) -> String {
    let labelled = |label: String, text: &str| wrapped(&format!("  {label} {text}"), 9, width);
    [
        paint(HEADING, row.name()),
        wrapped(&format!("  {}", row.what), 2, width),
        labelled(paint(FAINT, "why:  "), row.why),
        labelled(paint(HINT, "undo: "), row.help),
        labelled(paint(HINT, "allow:"), row.allow),
        String::new(),
    ]
    .join("\n")
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::audit::codes;

    #[test]
    fn a_code_is_a_paragraph() {
        let row = codes::find("lost-work").unwrap();
        let text = strip_str(&human(std::slice::from_ref(row), None)).to_string();
        assert!(text.starts_with("lost-work\n  "), "{text}");
        assert!(text.contains("cordon rescue") && text.lines().count() == 5, "{text}");
        let narrow = strip_str(&human(std::slice::from_ref(row), Some(50))).to_string();
        assert!(narrow.lines().count() > 5 && narrow.lines().all(|line| line.len() <= 50), "{narrow}");
        assert_eq!(narrow.split_whitespace().collect::<Vec<_>>(), text.split_whitespace().collect::<Vec<_>>());
    }
}
