//! How much may change: the budgets of an envelope, each inclusive.

use serde::{Deserialize, Serialize};

/// How long each verifier may take, in seconds, unless somebody says otherwise.
pub const VERIFY_TIMEOUT: u64 = 300;

/// The longest time that a verifier may be given, in seconds: a day.
pub const MAX_VERIFY_TIMEOUT: u64 = 86_400;

/// How many attempts an agent has unless somebody says otherwise.
pub const ATTEMPTS: u32 = 3;

/// The most attempts that an envelope may grant.
pub const MAX_ATTEMPTS: u32 = 100;

/// The budgets of an envelope. A value that equals its limit still passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// How many paths may change.
    pub max_files: u64,
    /// How many lines may be added.
    pub max_added_lines: u64,
    /// How many lines may be deleted.
    pub max_deleted_lines: u64,
    /// How many bytes the changed paths may have together, as they stand.
    pub max_working_bytes: u64,
    /// How many binary files may change.
    pub max_binary_files: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_files: 25,
            max_added_lines: 2_000,
            max_deleted_lines: 1_000,
            max_working_bytes: 2 * 1024 * 1024,
            max_binary_files: 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: &str = r#"{"max_files":25,"max_added_lines":2000,"max_deleted_lines":1000,"max_working_bytes":2097152,"max_binary_files":2}"#;

    #[test]
    fn round_trips_in_the_order_written() {
        assert_eq!(serde_json::to_string(&Limits::default()).unwrap(), DEFAULT);
        assert_eq!(serde_json::from_str::<Limits>(DEFAULT).unwrap(), Limits::default());
    }

    #[test]
    fn refuses_missing_unknown_and_ill_typed_fields() {
        for (from, to) in [
            (r#""max_files":25,"#, ""),
            (r#""max_files":25"#, r#""max_files":-1"#),
            (r#""max_files":25"#, r#""max_files":2.5"#),
            (r#""max_files":25"#, r#""max_files":"25""#),
            (r#""max_files":25"#, r#""max_files":18446744073709551616"#),
            (r#""max_files":25"#, r#""max_files":25,"max_fils":1"#),
            (r#""max_files":25"#, r#""max_files":25,"max_files":25"#),
        ] {
            let damaged = DEFAULT.replace(from, to);
            assert_ne!(damaged, DEFAULT);
            assert!(serde_json::from_str::<Limits>(&damaged).is_err(), "{damaged}");
        }
    }
}
