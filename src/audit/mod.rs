//! PURE. Evidence in, verdict out: no file, clock, process or environment is touched here.

pub mod answer;
pub mod budgets;
pub mod codes;
pub mod denied;
pub mod drift;
pub mod evidence;
pub mod finding;
pub mod gate;
pub mod ignored;
pub mod judge;
pub mod links;
pub mod odd;
pub mod owners;
pub mod propose;
pub mod push;
pub mod touched;
pub mod undo;
pub mod verdict;
