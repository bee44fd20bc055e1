//! Text for XML and HTML: nothing in it is markup, and nothing in it is a character that XML 1.0 cannot hold.

/// `text` for an element or for an attribute in double or single quotes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' => out.push_str("&#9;"),
            // A reader may make a space of a line end in an attribute.
            '\n' => out.push_str("&#10;"),
            c if is_allowed(c) => out.push(c),
            c => out.push_str(&c.escape_unicode().to_string()),
        }
    }
    out
}

/// The characters of XML 1.0, apart from what is handled above.
fn is_allowed(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_the_text_of_an_element_and_of_an_attribute() {
        let hostile = "<b a='1' b=\"2\">&amp;]]>\n\t\u{0}\u{1b}\u{7f}\u{85}\u{fffe}\u{ffff}\u{1f600}";
        let xml = format!("<a b=\"{0}\">{0}</a>", escaped(hostile));
        let document = roxmltree::Document::parse(&xml).unwrap();
        let expected = "<b a='1' b=\"2\">&amp;]]>\n\t\\u{0}\\u{1b}\\u{7f}\\u{85}\\u{fffe}\\u{ffff}\u{1f600}";
        assert_eq!(document.root_element().text(), Some(expected));
        assert_eq!(document.root_element().attribute("b"), Some(expected));
    }
}
