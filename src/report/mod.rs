//! PURE. Answers as text: one file an answer for people, `json` for programs. Colours are in the text; the terminal
//! removes them where nobody would see them.

pub mod agent;
pub mod armed;
pub mod binary;
pub mod changes;
pub mod codes;
pub mod envelope;
pub mod error;
pub mod explain;
pub mod findings;
pub mod formats;
pub mod hook;
pub mod json;
pub mod ledger;
pub mod policy;
pub mod proposal;
pub mod push;
pub mod quote;
pub mod review;
pub mod roles;
pub mod session;
pub mod session_json;
pub mod setup;
pub mod status;
pub mod style;
pub mod unified;
pub mod verdict;
pub mod verifiers;
pub mod whose;
pub mod words;
pub mod wrap;
