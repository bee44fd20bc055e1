//! What history and the index are held against: one checkout as it was before the work, whoever remembers it.

use super::layers::Counter;
use super::open::Repository;
use super::today::Recorded;
use crate::error::Result;
use crate::policy::path::RepoPath;
use crate::policy::pattern::PatternSet;

/// A baseline. Paths are relative to the whole work tree.
pub trait Ground {
    /// The repository.
    fn repository(&self) -> &Repository;

    /// Where the checkout lies in the work tree.
    fn prefix(&self) -> &RepoPath;

    /// The files whose lines count in no budget.
    fn uncounted(&self) -> &PatternSet;

    /// Counts under the attributes of the baseline.
    fn counter(&self) -> Result<Counter>;

    /// Whether the baseline has something of this name, a directory included.
    fn is_known(&self, path: &[u8]) -> Result<bool>;

    /// The file, link or submodule that the baseline has at a path.
    fn recorded(&self, path: &[u8]) -> Result<Option<Recorded>>;

    /// The links of the baseline.
    fn links(&self) -> Result<Vec<RepoPath>>;
}
