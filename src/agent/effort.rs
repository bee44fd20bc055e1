//! How hard an agent is to think, in the names that the agents share.

use crate::error::Error;

/// An effort, from the least to the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Quick answers.
    Low,
    /// The usual.
    Medium,
    /// More than usual.
    High,
    /// Much more than usual.
    Xhigh,
    /// As much as one agent can.
    Max,
    /// As much as many agents can.
    Ultracode,
}

impl Effort {
    /// All of them, in order.
    pub const ALL: [Effort; 6] =
        [Effort::Low, Effort::Medium, Effort::High, Effort::Xhigh, Effort::Max, Effort::Ultracode];

    /// The name on every command line.
    pub fn name(self) -> &'static str {
        match self {
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
            Effort::Xhigh => "xhigh",
            Effort::Max => "max",
            Effort::Ultracode => "ultracode",
        }
    }

    /// The effort with this name.
    ///
    /// # Errors
    /// Of kind `Usage` for every other text.
    pub fn parse(text: &str) -> Result<Effort, Error> {
        let known = Effort::ALL.into_iter().find(|effort| effort.name() == text);
        known.ok_or_else(|| {
            let shown = crate::policy::escape::typed(text.as_bytes());
            Error::usage(format!("--effort knows no `{shown}`")).hint(format!("It knows {}.", names(&Effort::ALL)))
        })
    }
}

/// Names of efforts as a list in a sentence.
pub fn names(efforts: &[Effort]) -> String {
    efforts.iter().map(|effort| effort.name()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_known_by_its_name_and_by_no_other() {
        for effort in Effort::ALL {
            assert_eq!(Effort::parse(effort.name()).unwrap(), effort);
        }
        for other in ["", "High", "highest", " low", "low\n", "ultra", "none"] {
            assert!(Effort::parse(other).is_err(), "{other:?}");
        }
        assert!(Effort::parse("x\u{1b}").unwrap_err().message.contains("\\u{1b}"));
    }
}
