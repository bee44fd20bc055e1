//! PURE. The canonical form of a line: keys in order, nothing between the parts, UTF-8 as it is, and each byte of a name
//! that is no UTF-8 as the escape `\udcNN`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::policy::escape::json_short;

/// An object in the making: its fields as JSON, sorted by their names.
#[derive(Debug, Default)]
pub struct Object(BTreeMap<&'static str, String>);

impl Object {
    /// An object without fields.
    pub fn new() -> Self {
        Object::default()
    }

    /// Adds a string.
    #[must_use]
    pub fn text(mut self, name: &'static str, bytes: impl AsRef<[u8]>) -> Self {
        let mut json = String::new();
        push_string(&mut json, bytes.as_ref());
        self.0.insert(name, json);
        self
    }

    /// Adds a list of strings.
    #[must_use]
    pub fn texts<T: AsRef<[u8]>>(mut self, name: &'static str, items: impl IntoIterator<Item = T>) -> Self {
        let mut json = String::from("[");
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                json.push(',');
            }
            push_string(&mut json, item.as_ref());
        }
        json.push(']');
        self.0.insert(name, json);
        self
    }

    /// Adds what is JSON in its own words: a number, `true`, `false`, or another object.
    #[must_use]
    pub fn plain(mut self, name: &'static str, value: &(impl ToString + ?Sized)) -> Self {
        self.0.insert(name, value.to_string());
        self
    }

    /// Adds a string if there is one: what is absent is left out, never written as `null`.
    #[must_use]
    pub fn maybe(self, name: &'static str, bytes: Option<impl AsRef<[u8]>>) -> Self {
        match bytes {
            Some(bytes) => self.text(name, bytes),
            None => self,
        }
    }
}

/// The object in its canonical form, without a newline.
impl std::fmt::Display for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_char('{')?;
        for (at, (name, value)) in self.0.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}\"{name}\":{value}")?;
        }
        f.write_char('}')
    }
}

fn push_string(out: &mut String, bytes: &[u8]) {
    let escape = |out: &mut String, unit: u32| write!(out, "\\u{unit:04x}").expect("writing to a String cannot fail");
    out.push('"');
    let is_plain = |text: &str| text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\');
    for chunk in bytes.utf8_chunks() {
        // Most names have nothing to escape, and a ledger has many of them.
        let escaped = if is_plain(chunk.valid()) {
            out.push_str(chunk.valid());
            ""
        } else {
            chunk.valid()
        };
        for c in escaped.chars() {
            match (json_short(c), c) {
                (Some(short), _) => out.push_str(short),
                (None, '\0'..='\u{1f}') => escape(out, u32::from(c)),
                (None, c) => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            escape(out, 0xdc00 + u32::from(*byte));
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_and_nothing_stands_between_the_parts() {
        let object = Object::new()
            .text("b", "x")
            .plain("a", &1.5)
            .texts("c", ["", "y"])
            .maybe("d", None::<&str>)
            .maybe("e", Some("z"))
            .plain("f", &Object::new().plain("g", &true));
        assert_eq!(object.to_string(), r#"{"a":1.5,"b":"x","c":["","y"],"e":"z","f":{"g":true}}"#);
        assert_eq!(Object::new().texts("c", [""; 0]).to_string(), r#"{"c":[]}"#);
    }

    #[test]
    fn strings_are_written_as_the_format_has_them() {
        let cases: [(&[u8], &str); 6] = [
            (b"a/b.c", "\"a/b.c\""),
            (b"\"\\\n\r\t\x08\x0c\x00\x1f\x7f", "\"\\\"\\\\\\n\\r\\t\\b\\f\\u0000\\u001f\x7f\""),
            ("\u{e9}\u{85}\u{2028}\u{2029}\u{1f600}".as_bytes(), "\"\u{e9}\u{85}\u{2028}\u{2029}\u{1f600}\""),
            (b"a\xff\x80b", "\"a\\udcff\\udc80b\""),
            (b"\xc3\xa9\xc3", "\"\u{e9}\\udcc3\""),
            (b"\xed\xb2\x80", "\"\\udced\\udcb2\\udc80\""),
        ];
        for (bytes, expected) in cases {
            let mut out = String::new();
            push_string(&mut out, bytes);
            assert_eq!(out, expected);
        }
    }
}
