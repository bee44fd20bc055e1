//! How a child process ended, with everything that it wrote; a failed assertion shows all of it.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use serde_json::Value;

use super::json;

/// The end of one child process.
pub struct Outcome {
    /// The command line, for messages.
    pub command: String,
    /// The status that the system reported.
    pub status: ExitStatus,
    /// Standard output, raw.
    pub stdout: Vec<u8>,
    /// Standard error, raw.
    pub stderr: Vec<u8>,
    /// How long it took.
    pub took: Duration,
}

impl Outcome {
    /// The exit code; minus the signal's number when one ended it.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| -self.status.signal().unwrap_or(0))
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        json::parse(&self.stdout).unwrap_or_else(|error| panic!("no JSON ({error}) in {self:?}"))
    }

    /// Both streams as lossy text.
    pub fn text(&self) -> String {
        format!("{}\n{}", String::from_utf8_lossy(&self.stdout), String::from_utf8_lossy(&self.stderr))
    }

    /// Expects exit 0.
    #[track_caller]
    pub fn ok(self) -> Self {
        self.ends_with(0)
    }

    /// Expects exit 2 and a sentence that says why.
    #[track_caller]
    pub fn refused(self) -> Self {
        let this = self.ends_with(2);
        assert!(!this.text().trim().is_empty(), "refused without a word: {this:?}");
        this
    }

    /// Expects exit 3.
    #[track_caller]
    pub fn rejected(self) -> Self {
        self.ends_with(3)
    }

    /// Expects this exit code.
    #[track_caller]
    pub fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.code(), code, "{self:?}");
        self
    }

    /// Expects each of these words somewhere in the output, whatever the case of its letters.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Self {
        let text = self.text().to_lowercase();
        for word in words {
            assert!(text.contains(&word.to_lowercase()), "{word:?} is missing in {self:?}");
        }
        self
    }

    /// Expects an orderly end: no panic, no signal, and one of the documented exit codes.
    #[track_caller]
    pub fn orderly(self) -> Self {
        assert!(matches!(self.code(), 0 | 2 | 3 | 4), "{self:?}");
        assert!(!self.text().contains("panicked at"), "{self:?}");
        self
    }

    /// Expects anything but an accept, in an orderly way.
    #[track_caller]
    pub fn never_accepts(self) -> Self {
        let this = self.orderly();
        assert_ne!(this.code(), 0, "{this:?}");
        this
    }

    /// Expects a violation that holds each of these words.
    #[track_caller]
    pub fn violates(self, words: &[&str]) -> Self {
        let this = self.rejected();
        let json = this.json();
        assert_eq!(json["passed"], false, "{this:?}");
        let all: Vec<String> = json::array(&json["violations"])
            .iter()
            .map(|violation| String::from_utf8_lossy(&json::bytes(violation)).into_owned())
            .collect();
        for word in words {
            assert!(all.iter().any(|violation| violation.contains(word)), "no violation says {word:?}: {all:#?}");
        }
        this
    }
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "$ {} (ended with {} after {:?})", self.command, self.code(), self.took)?;
        writeln!(f, "--- stdout\n{}", shown(&self.stdout))?;
        write!(f, "--- stderr\n{}", shown(&self.stderr))
    }
}

/// Output with its line ends as they are and everything else that is not ASCII escaped.
fn shown(bytes: &[u8]) -> String {
    let one = |byte: &u8| match byte {
        b'\n' | b' '..=b'~' => char::from(*byte).to_string(),
        byte => byte.escape_ascii().to_string(),
    };
    bytes.iter().map(one).collect()
}
