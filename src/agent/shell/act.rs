//! What a command line does to files, as far as it can be told from its words.

/// What happens to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// A file is written or created; a symbolic link is followed.
    Write,
    /// A file that must be there already is written; a symbolic link is followed.
    Change,
    /// A file, or a whole directory if the flag says so, comes to stand there.
    Put {
        /// Whether it may be a directory.
        tree: bool,
    },
    /// What stands there is taken away; a link itself, not what it leads to.
    Remove,
    /// A directory is made.
    Directory,
    /// It is brought back to what Git has of it.
    Restore,
}

/// A path that is acted upon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The program, by its base name, or `a redirection`.
    pub by: String,
    /// The path, absolute, with whatever detours it was written.
    pub path: String,
    /// Names that things get in it if it turns out to be a directory.
    pub names: Vec<String>,
    /// What happens to it.
    pub effect: Effect,
}

/// One thing that a command line does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// It acts upon a path.
    Place(Place),
    /// It makes or publishes commits: the Git command, and the directory where it runs.
    Commit(String, String),
    /// It throws away uncommitted work: the Git command, and the directory where it runs.
    Discard(String, String),
}
