//! The reports of a verdict, read as their readers read them: schemas, an XML and a Markdown parser, a browser, and the rules
//! of a CI's runner. Hostile names and messages stay text in all of them.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test, which is what it is for")]

mod browser;
mod hostile;
mod markdown;
mod page;
mod runner;
mod schemas;
mod verdict;
