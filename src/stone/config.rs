//! `.stone/config.toml`: what is not observed, and how much output is kept.

use serde::Deserialize;

use crate::error::{Error, Kind, Result};
use crate::ledger::store::Store;
use crate::policy::escape::plain;
use crate::policy::path::RepoPath;

const NAME: &str = "config.toml";

/// What is never observed, at the top of a workspace.
const IGNORED: [&str; 6] = [".stone", ".git", "node_modules", "__pycache__", ".venv", "venv"];

/// How much of each output stream is kept: 10 MiB.
const CAPTURED: u64 = 10 * 1024 * 1024;

/// What the user has set for a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The paths that are not observed, nor what is below them.
    pub ignored: Vec<RepoPath>,
    /// How many bytes of the end of each output stream are kept.
    pub capture_max_bytes: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    #[serde(default)]
    ignore: Vec<String>,
    capture_max_bytes: Option<i64>,
}

impl Config {
    /// The configuration of a workspace; the defaults where it has none.
    pub fn load(store: &Store) -> Result<Config> {
        let shown = plain(store.path().join(NAME).as_os_str().as_encoded_bytes());
        let invalid = |why: String| {
            Error::new(Kind::Workspace, format!("{shown} is not valid: {why}"))
                .hint("It may have `ignore`, a list of relative paths, and `capture_max_bytes`, a number.")
        };
        let bytes = store.read(NAME)?.unwrap_or_default();
        let text = String::from_utf8(bytes).map_err(|_| invalid("it is no UTF-8".into()))?;
        Config::parse(&text).map_err(invalid)
    }

    fn parse(text: &str) -> std::result::Result<Config, String> {
        let form: Form = toml::from_str(text).map_err(|error| plain(error.message().as_bytes()))?;
        let capture = form.capture_max_bytes.map_or(Some(CAPTURED), |bytes| u64::try_from(bytes).ok());
        let capture_max_bytes =
            capture.filter(|bytes| *bytes > 0).ok_or("`capture_max_bytes` must be a number above 0")?;
        let own = form.ignore.iter().map(|path| ignored(path)).collect::<std::result::Result<Vec<_>, _>>()?;
        let ignored = IGNORED.into_iter().map(RepoPath::from).chain(own).collect();
        Ok(Config { ignored, capture_max_bytes })
    }
}

fn ignored(path: &str) -> std::result::Result<RepoPath, String> {
    let shown = plain(path.as_bytes());
    if path.is_empty() || path.starts_with('/') {
        return Err(format!("`ignore` takes paths relative to the workspace, got `{shown}`"));
    }
    if path.contains(['*', '?', '[']) {
        return Err(format!("`ignore` takes plain paths and no patterns, got `{shown}`"));
    }
    Ok(RepoPath::from(path.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_adds_to_the_defaults() {
        let default = Config::parse("").unwrap();
        assert_eq!((default.ignored.len(), default.capture_max_bytes), (6, 10_485_760));
        let set = Config::parse("ignore = [\"data/cache/\", \"tmp\"]\ncapture_max_bytes = 5\n").unwrap();
        assert_eq!(set.ignored[..6], default.ignored[..]);
        assert_eq!(set.ignored[6..], ["data/cache", "tmp"].map(RepoPath::from));
        assert_eq!(set.capture_max_bytes, 5);
    }

    #[test]
    fn what_is_broken_is_told() {
        for text in [
            "ignore = \"tmp/\"",
            "ignore = [1]",
            "ignore = [\"\"]",
            "ignore = [\"/tmp\"]",
            "ignore = [\"*.log\"]",
            "ignore = [\"a?\"]",
            "ignore = [\"[a]\"]",
            "capture_max_bytes = 0",
            "capture_max_bytes = -1",
            "capture_max_bytes = 1.5",
            "capture_max_bytes = true",
            "capture_max_bytes = 99999999999999999999",
            "other = 1",
            "[ignore]",
            "ignore = [",
            "ignore = []\nignore = []",
        ] {
            assert!(Config::parse(text).is_err(), "{text}");
        }
    }
}
