//! What was denied so far: a line a denial, appended at once and by whoever denies, so that nobody waits for anybody.
//!
//! The file is nothing that a verdict depends on. What is in it is counted, and what cannot be read counts as nothing.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::json;
use crate::policy::text::Text;
use crate::session::store::{DENIALS, Store};

/// How long the file may become, in bytes; after that denials are answered and no longer counted.
const MAX_BYTES: u64 = 256 * 1024;

/// One line.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    what: Text,
}

/// The denials of one envelope.
pub struct Denials(PathBuf);

impl Denials {
    /// Those of the envelope that has this store.
    pub fn of(store: &Store) -> Denials {
        Denials(store.directory().join(DENIALS))
    }

    /// Takes note of a denial; says how often the same was denied before.
    pub fn add(&self, what: &Text) -> u64 {
        let before = u64::try_from(self.lines().iter().filter(|denied| *denied == what).count()).unwrap_or(u64::MAX);
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        if let Some(mut file) =
            self.open(&options).filter(|file| file.metadata().is_ok_and(|now| now.len() < MAX_BYTES))
        {
            // One call, so that lines of several hooks do not mix; a denial that is not counted is a denial all the same.
            let _ = file.write_all(&json::line(&Line { what: what.clone() }));
        }
        before
    }

    /// What was denied, and how often, most often first.
    pub fn counts(&self) -> Vec<(Text, u64)> {
        let mut counts: Vec<(Text, u64)> = Vec::new();
        for what in self.lines() {
            match counts.iter_mut().find(|(known, _)| *known == what) {
                Some((_, count)) => *count += 1,
                None => counts.push((what, 1)),
            }
        }
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }

    fn lines(&self) -> Vec<Text> {
        let Some(file) = self.open(OpenOptions::new().read(true)) else { return Vec::new() };
        let lines = BufReader::new(file.take(2 * MAX_BYTES)).split(b'\n').map_while(Result::ok);
        lines.filter_map(|line| serde_json::from_slice::<Line>(&line).ok()).map(|line| line.what).collect()
    }

    /// Opens the file if it is one: no link is followed, and nobody waits for a pipe.
    fn open(&self, options: &OpenOptions) -> Option<File> {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let file = options.clone().mode(0o600).custom_flags(flags.bits().cast_signed()).open(&self.0).ok()?;
        file.metadata().is_ok_and(|metadata| metadata.is_file()).then_some(file)
    }
}
