//! Attributes, conversions, counts and blob ids against every real git on the search path.

mod attributes;
mod blobs;
mod counts;
mod sandbox;
