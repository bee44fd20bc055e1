//! Reports about one verdict in the forms that other programs and people elsewhere read: one file a format, all of them fed
//! with the same [`report::Report`], and [`table`] names them.

pub mod fingerprint;
pub mod github;
pub mod gitlab;
pub mod html;
pub mod junit;
pub mod markdown;
pub mod place;
pub mod report;
pub mod sarif;
pub mod span;
pub mod table;
pub mod xml;
