//! Finds the JSON objects in what a program printed, whatever stands around them.
//!
//! Each member is kept as raw text and read on its own, so that one odd value, such as a number out of range or half of
//! a surrogate pair, costs no more than itself. Of duplicated keys the last one counts.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// How many bytes may be looked at in vain for each byte of the text, so that no text takes for ever.
const PATIENCE: usize = 32;

/// The members of one object, unread.
#[derive(Debug, Default)]
pub struct Object(BTreeMap<String, Box<RawValue>>);

impl Object {
    /// A member as a value of the type that is wanted; `None` when it is missing, `null` or anything else.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        serde_json::from_str(self.0.get(key)?.get()).ok()
    }

    /// A member that is text; halves of surrogate pairs become U+FFFD.
    pub fn text(&self, key: &str) -> Option<String> {
        decoded(self.0.get(key)?.get())
    }

    /// A member that is an object.
    pub fn object(&self, key: &str) -> Option<Object> {
        object(self.0.get(key)?.get())
    }

    /// The elements of a member that is a list.
    pub fn list(&self, key: &str) -> Vec<Element> {
        self.get::<Vec<Box<RawValue>>>(key).unwrap_or_default().into_iter().map(Element).collect()
    }

    /// A member as it stands, in JSON.
    pub fn raw(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(|value| value.get()).filter(|raw| *raw != "null")
    }

    /// A whole number; one that is written with a fraction of zero counts as one.
    pub fn count(&self, key: &str) -> Option<u64> {
        self.get(key).or_else(|| {
            let number: f64 = self.get(key)?;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was looked at")]
            (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then_some(number as u64)
        })
    }

    /// An amount: finite and not negative.
    pub fn amount(&self, key: &str) -> Option<f64> {
        self.get(key).filter(|amount: &f64| amount.is_finite() && *amount >= 0.0)
    }
}

/// One element of a list, unread.
pub struct Element(Box<RawValue>);

impl Element {
    /// The element as an object.
    pub fn object(&self) -> Option<Object> {
        object(self.0.get())
    }

    /// The element as text.
    pub fn text(&self) -> Option<String> {
        decoded(self.0.get())
    }
}

/// The object that a text is as a whole.
pub fn only(text: &[u8]) -> Option<Object> {
    object(std::str::from_utf8(text).ok()?)
}

fn object(raw: &str) -> Option<Object> {
    serde_json::from_str(raw).ok().map(Object)
}

fn decoded(raw: &str) -> Option<String> {
    serde_json::from_str(raw).ok().or_else(|| {
        // Bytes may hold what no string can: a lone surrogate arrives as three bytes that are no UTF-8.
        struct Bytes;
        impl serde::de::Visitor<'_> for Bytes {
            type Value = String;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<String, E> {
                Ok(String::from_utf8_lossy(bytes).into_owned())
            }
        }
        serde::Deserializer::deserialize_bytes(&mut serde_json::Deserializer::from_str(raw), Bytes).ok()
    })
}

/// All objects that stand in `output` and in no other object, in order.
pub fn objects(output: &[u8]) -> Vec<Object> {
    let text = String::from_utf8_lossy(output);
    let (mut found, mut rest) = (Vec::new(), &*text);
    let mut patience = text.len().saturating_mul(PATIENCE);
    while let Some(at) = rest.find('{') {
        rest = &rest[at..];
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<BTreeMap<String, Box<RawValue>>>();
        match stream.next() {
            Some(Ok(members)) => {
                rest = &rest[stream.byte_offset()..];
                found.push(Object(members));
            }
            Some(Err(error)) => {
                let looked_at = if error.line() == 1 { error.column() } else { rest.len() };
                match patience.checked_sub(looked_at) {
                    Some(left) => patience = left,
                    None => break,
                }
                rest = &rest[1..];
            }
            None => break,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Object {
        objects(text.as_bytes()).pop().unwrap()
    }

    #[test]
    fn finds_objects_between_anything() {
        for (text, number) in [
            ("", 0),
            ("no object", 0),
            ("{}", 1),
            ("{} {}\n{}", 3),
            ("warning: {x}\n{\"a\":{\"b\":1}} bye }{", 1),
            ("{\"a\":1,\n \"b\":[\n{}]}\n", 1),
            ("[{\"a\":1},{\"a\":2}]", 2),
            ("{\"a\":{\"b\":1}", 1),
        ] {
            assert_eq!(objects(text.as_bytes()).len(), number, "{text}");
        }
        assert_eq!(objects(b"\xff\xfe{\"a\":\"\xff\"}\xff")[0].text("a").unwrap(), "\u{fffd}");
    }

    #[test]
    fn one_odd_member_costs_no_other() {
        let odd = one(
            r#"{"n":1e999,"half":"a\ud800b","deep":[[[[]]]],"a":1,"a":2,"f":3.0,"g":3.5,"neg":-1,"big":99999999999999999999,"nul":null}"#,
        );
        assert_eq!(odd.get::<u64>("a"), Some(2));
        assert!(odd.text("half").unwrap().starts_with('a'));
        assert_eq!((odd.amount("n"), odd.amount("neg"), odd.amount("g")), (None, None, Some(3.5)));
        assert_eq!((odd.count("f"), odd.count("g"), odd.count("neg"), odd.count("big")), (Some(3), None, None, None));
        assert_eq!((odd.raw("nul"), odd.raw("f"), odd.text("nul")), (None, Some("3.0"), None));
    }

    #[test]
    fn a_text_made_to_be_slow_is_given_up() {
        let deep = "{\"a\":".repeat(200_000);
        assert!(objects(deep.as_bytes()).is_empty());
        let open = format!("{{\"a\":[\n{}", "{\"b\":[\n".repeat(100_000));
        assert!(objects(open.as_bytes()).is_empty());
    }
}
