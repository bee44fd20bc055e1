//! Reads Cordon's JSON: ASCII, with an undecodable byte 0xNN of a name as the escape `\udcNN`.
//!
//! A JSON reader for Rust refuses lone surrogates, so they travel through it as private-use characters.

use std::collections::BTreeSet;

use serde_json::Value;

/// Where the undecodable bytes are mapped to while the reader works.
const STAND_IN: u32 = 0xf700;

/// Parses one JSON document.
pub fn parse(raw: &[u8]) -> Result<Value, String> {
    if let Some(byte) = raw.iter().find(|byte| !byte.is_ascii()) {
        return Err(format!("the JSON holds the byte {byte:#04x}, which is not ASCII"));
    }
    serde_json::from_slice(&without_lone_surrogates(raw)).map_err(|error| error.to_string())
}

/// Parses one line of a ledger, which may hold any UTF-8.
pub fn parse_any(raw: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(&without_lone_surrogates(raw)).map_err(|error| error.to_string())
}

/// The bytes that a string of the parsed document stands for.
pub fn bytes(value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap_or_else(|| panic!("not a string: {value}"));
    let mut out = Vec::new();
    for c in text.chars() {
        match u8::try_from(u32::from(c).wrapping_sub(STAND_IN)) {
            Ok(byte) if byte >= 0x80 => out.push(byte),
            _ => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out
}

/// The bytes of each string of an array, as a set.
pub fn set(value: &Value) -> BTreeSet<Vec<u8>> {
    array(value).iter().map(bytes).collect()
}

/// The elements of an array.
pub fn array(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap_or_else(|| panic!("not an array: {value}"))
}

/// A whole number.
pub fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("not a whole number: {value}"))
}

fn without_lone_surrogates(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let mut at = 0;
    while at < raw.len() {
        let taken = match unit(raw, at) {
            Some(0xd800..=0xdbff) => 12,
            Some(unit @ 0xdc80..=0xdcff) => {
                out.extend_from_slice(format!("\\u{:04x}", STAND_IN + (unit & 0xff)).as_bytes());
                at += 6;
                continue;
            }
            Some(_) => 6,
            None if raw[at] == b'\\' => 2,
            None => 1,
        };
        let end = raw.len().min(at + taken);
        out.extend_from_slice(&raw[at..end]);
        at = end;
    }
    out
}

/// The code unit of the `\uXXXX` escape that starts at `at`.
fn unit(raw: &[u8], at: usize) -> Option<u32> {
    let digits = raw.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[test]
fn lone_surrogates_come_back_as_bytes() {
    let value = parse(br#"["a\udcff", "\ud83d\ude00", "\\udcff", "n\n\u00e9"]"#).unwrap();
    let names: Vec<_> = array(&value).iter().map(bytes).collect();
    assert_eq!(names, [b"a\xff".to_vec(), "😀".into(), b"\\udcff".to_vec(), "n\né".into()]);
    assert!(parse("\"é\"".as_bytes()).is_err());
}
