//! The answer to a push for people: Git shows it to whoever pushed, line by line behind `remote:`.

use super::findings;
use super::style::{ACCEPTED, HINT, REJECTED, paint};
use super::words::{counted, len};
use crate::audit::push::{Pushed, Updated};
use crate::policy::escape::plain;

/// How many notes of one ref are shown.
const NOTES: usize = 5;

/// The whole answer.
pub fn human(pushed: &Pushed) -> String {
    let updates: String = pushed.updates.iter().map(update).collect();
    updates + &next(pushed)
}

/// What to do about a push that was rejected.
fn next(pushed: &Pushed) -> String {
    if pushed.passed {
        return String::new();
    }
    let rejected: Vec<&Updated> = pushed.updates.iter().filter(|update| !update.passed).collect();
    let is_all = rejected.len() == pushed.updates.len();
    let rest = if is_all { "" } else { "; the others were not taken over either" };
    let what = counted(len(&rejected), "ref");
    format!("{} {what} rejected{rest}. Mend it and push again.\n", paint(HINT, "next:"))
}

fn update(update: &Updated) -> String {
    let word = if update.passed { paint(ACCEPTED, "ACCEPTED") } else { paint(REJECTED, "REJECTED") };
    let by = update.verdict.as_ref().map_or_else(String::new, |verdict| {
        let role = verdict.role.as_deref().unwrap_or_default();
        format!("  (role {}, {})", plain(role.as_bytes()), counted(verdict.metrics.files, "file"))
    });
    let notes =
        update.notes.iter().take(NOTES).map(|note| format!("  {}\n", note.plain())).collect::<Vec<_>>().concat();
    let more = match len(&update.notes).saturating_sub(NOTES as u64) {
        0 => String::new(),
        more => format!("  ... and {}\n", counted(more, "more note")),
    };
    format!("{word}  {}{by}\n{}{notes}{more}", update.name.plain(), findings::human(&update.findings))
}
