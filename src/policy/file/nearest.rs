//! The name that somebody meant who wrote another one.

use strsim::damerau_levenshtein;

/// The name among `names` that is the most like `typed`, if one is like it at all.
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let rated = names.into_iter().map(|name| (damerau_levenshtein(&typed, &name.to_lowercase()), name));
    let (distance, name) = rated.min_by_key(|(distance, _)| *distance)?;
    let tolerated = (name.chars().count() / 3).max(2);
    (distance <= tolerated).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_like_nothing_is_no_guess() {
        let names = ["allow", "deny", "max_added_lines"];
        for (typed, meant) in [
            ("alow", Some("allow")),
            ("Allow", Some("allow")),
            ("max_line_added", None),
            ("max_added_line", Some("max_added_lines")),
            ("dney", Some("deny")),
            ("zzzzzz", None),
        ] {
            assert_eq!(nearest(typed, names), meant, "{typed}");
        }
        assert_eq!(nearest("x", []), None);
    }
}
