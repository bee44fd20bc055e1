//! PURE. Answers as text: one file an answer for people, `json` for programs. Colours are in the text; the terminal
//! removes them where nobody would see them.

pub mod armed;
pub mod codes;
pub mod error;
pub mod explain;
pub mod json;
pub mod quote;
pub mod status;
pub mod style;
pub mod unified;
pub mod verdict;
pub mod words;
