//! JSON as every output and every state file has it: ASCII only, so that no byte of a name reaches a log raw.

use std::io;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

/// `value` as indented ASCII JSON with a final newline.
pub fn pretty(value: &impl Serialize) -> Vec<u8> {
    write(value, Ascii(PrettyFormatter::with_indent(b"  ")))
}

/// `value` as one line of ASCII JSON with a final newline.
pub fn line(value: &impl Serialize) -> Vec<u8> {
    write(value, Ascii(CompactFormatter))
}

fn write<F: Formatter>(value: &impl Serialize, formatter: F) -> Vec<u8> {
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
    value.serialize(&mut serializer).expect("every value has string keys, and a Vec takes every byte");
    out.push(b'\n');
    out
}

/// Escapes what is not printable ASCII on the way through another formatter.
struct Ascii<F>(F);

macro_rules! forward {
    ($($name:ident($($arg:ident: $kind:ty),*)),* $(,)?) => {$(
        fn $name<W: ?Sized + io::Write>(&mut self, writer: &mut W $(, $arg: $kind)*) -> io::Result<()> {
            self.0.$name(writer $(, $arg)*)
        }
    )*};
}

impl<F: Formatter> Formatter for Ascii<F> {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        for c in fragment.chars() {
            match c {
                ' '..='~' => writer.write_all(&[c as u8])?,
                _ => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        write!(writer, "\\u{unit:04x}")?;
                    }
                }
            }
        }
        Ok(())
    }

    forward! {
        begin_array(), end_array(), begin_array_value(first: bool), end_array_value(),
        begin_object(), end_object(), begin_object_key(first: bool), end_object_key(),
        begin_object_value(), end_object_value(),
    }
}
