//! The answer of `setup`: what was written and what to do next, or the file itself.

use serde::Serialize;

use super::style::{HINT, paint};
use crate::audit::verdict::SCHEMA_VERSION;
use crate::json;
use crate::policy::text::Text;

/// What is told of a setup.
#[derive(Serialize)]
pub struct Form<'a> {
    schema_version: u32,
    target: &'a str,
    file: &'a str,
    written: Option<&'a Text>,
    text: String,
    next: &'a str,
}

impl<'a> Form<'a> {
    /// About the file of a target; `written` is where it lies, if it was written.
    pub fn of(target: &'a str, file: &'a str, written: Option<&'a Text>, bytes: &[u8], next: &'a str) -> Form<'a> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        Form { schema_version: SCHEMA_VERSION, target, file, written, text, next }
    }
}

/// For people: what was written, or the file as it would be.
pub fn human(form: &Form<'_>) -> String {
    match form.written {
        Some(path) => format!("{} is written\n{} {}\n", path.plain(), paint(HINT, "next:"), form.next),
        None => form.text.clone(),
    }
}

/// For programs.
pub fn json(form: &Form<'_>) -> Vec<u8> {
    json::pretty(form)
}
