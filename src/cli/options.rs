//! The options that say what is allowed, the same for `arm` and `run`. The comments are the help texts.

use clap::{Args, ValueEnum};

use super::number::whole;

/// What is allowed, how much of it, and what must pass.
#[derive(Debug, Args)]
pub struct Options {
    /// The role of cordon.toml to arm, as the commit of HEAD has it. `--deny`, `--protect` and `--verify` are added to what
    /// the role says, every other option that is given stands in the place of its key [default: none]
    #[arg(long, value_name = "NAME")]
    pub role: Option<String>,

    /// Patterns of the paths that may change [default: those of --role; without a role there must be one]
    #[arg(long, value_name = "GLOB", required_unless_present = "role", num_args = 1..)]
    pub allow: Vec<String>,

    /// Patterns of paths that must not change, even where --allow covers them [default: none]
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub deny: Vec<String>,

    /// How many paths may change; a rename is two [default: 25]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole("--max-files", 0..=u64::MAX))]
    pub max_files: Option<u64>,

    /// How many lines may be added [default: 2000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole("--max-added-lines", 0..=u64::MAX))]
    pub max_added_lines: Option<u64>,

    /// How many lines may be deleted [default: 1000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole("--max-deleted-lines", 0..=u64::MAX))]
    pub max_deleted_lines: Option<u64>,

    /// How large the changed files may be together, in bytes [default: 2097152]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole("--max-working-bytes", 0..=u64::MAX))]
    pub max_working_bytes: Option<u64>,

    /// How many binary files may change [default: 2]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole("--max-binary-files", 0..=u64::MAX))]
    pub max_binary_files: Option<u64>,

    /// Files whose lines count in no budget, such as lock files [default: none]
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub uncounted: Vec<String>,

    /// Allow HEAD to move to new commits [default: HEAD must not move]
    #[arg(long)]
    pub allow_commits: bool,

    /// Take uncommitted work, untracked files included, as part of the baseline, and keep its content so that it cannot be
    /// lost unnoticed [default: a dirty work tree is refused]
    #[arg(long)]
    pub allow_dirty: bool,

    /// Commands that must exit with 0, each one quoted word; run without a shell in the repository's root, and only if
    /// the change is inside the envelope [default: none]
    #[arg(long, value_name = "CMD", num_args = 1..)]
    pub verify: Vec<String>,

    /// How many seconds each of these commands has, 1 to 86400 [default: 300]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = whole("--verify-timeout", 1..=86_400))]
    pub verify_timeout: Option<u64>,

    /// Whether verifiers believe the caches of the repository: bytecode of Python, answers of mypy, ruff, Babel and Turborepo
    #[arg(long, value_name = "RULE", value_enum, default_value_t = CacheChoice::Private)]
    pub verifier_caches: CacheChoice,

    /// What becomes of an ignored file that existed at arm and was changed or deleted
    #[arg(long, value_name = "RULE", value_enum, default_value_t = IgnoredChoice::Deny)]
    pub ignored: IgnoredChoice,

    /// More scratch zones: places of ignored files that tools fill by themselves [default: see `cordon policy`]
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub scratch: Vec<String>,

    /// Drop the built-in scratch zones [default: they hold]
    #[arg(long)]
    pub no_default_scratch: bool,

    /// Ignored files that may change, installed dependencies included [default: those inside --allow]
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub allow_ignored: Vec<String>,

    /// More protected paths: no --allow pattern opens them [default: see `cordon policy`]
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub protect: Vec<String>,

    /// Protected paths that may change where --allow covers them [default: none]
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub allow_protected: Vec<String>,

    /// How many attempts a wrapped agent has, 1 to 100 [default: 3]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole("--max-attempts", 1..=100))]
    pub max_attempts: Option<u64>,
}

/// Where verifiers have their caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CacheChoice {
    /// Each one starts with empty caches of its own
    Private,
    /// In the repository, where whoever works there can forge them
    Keep,
}

/// What becomes of changed ignored files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IgnoredChoice {
    /// It rejects the change
    Deny,
    /// It is only noted
    Report,
}
