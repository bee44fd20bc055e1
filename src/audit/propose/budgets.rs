//! Budgets that most of some changes fit.

use crate::audit::verdict::Metrics;
use crate::policy::limits::Limits;

/// Fewer changes than these say nothing about the next one.
pub(super) const ENOUGH: usize = 20;

/// How many of a hundred changes must fit.
const PERCENT: usize = 95;

/// No budget is smaller than this, because what people commit in small steps an agent does in one, and the files
/// that are edited grow.
const LEAST: Limits = Limits {
    max_files: 5,
    max_added_lines: 100,
    max_deleted_lines: 100,
    max_working_bytes: 524_288,
    max_binary_files: 0,
};

/// The smallest round budgets that 95 of a hundred changes fit in every respect; `None` for too few changes.
pub(super) fn fitting(changes: &[Metrics]) -> Option<Limits> {
    if changes.len() < ENOUGH {
        return None;
    }
    let sorted = |of: fn(&Metrics) -> u64| {
        let mut numbers: Vec<u64> = changes.iter().map(of).collect();
        numbers.sort_unstable();
        numbers
    };
    let columns = [
        sorted(|metrics| metrics.files),
        sorted(|metrics| metrics.added_lines),
        sorted(|metrics| metrics.deleted_lines),
        sorted(|metrics| metrics.working_bytes),
        sorted(|metrics| metrics.binary_files),
    ];
    let enough = (changes.len() * PERCENT).div_ceil(100);
    let at = |rank: usize| Limits {
        max_files: columns[0][rank],
        max_added_lines: columns[1][rank],
        max_deleted_lines: columns[2][rank],
        max_working_bytes: columns[3][rank],
        max_binary_files: columns[4][rank],
    };
    let limits = (enough - 1..changes.len()).map(at);
    limits.map(rounded).find(|limits| changes.iter().filter(|change| fits(change, limits)).count() >= enough)
}

fn fits(change: &Metrics, limits: &Limits) -> bool {
    change.files <= limits.max_files
        && change.added_lines <= limits.max_added_lines
        && change.deleted_lines <= limits.max_deleted_lines
        && change.working_bytes <= limits.max_working_bytes
        && change.binary_files <= limits.max_binary_files
}

fn rounded(limits: Limits) -> Limits {
    Limits {
        max_files: round(limits.max_files).max(LEAST.max_files),
        max_added_lines: round(limits.max_added_lines).max(LEAST.max_added_lines),
        max_deleted_lines: round(limits.max_deleted_lines).max(LEAST.max_deleted_lines),
        max_working_bytes: round(limits.max_working_bytes).max(LEAST.max_working_bytes),
        max_binary_files: limits.max_binary_files,
    }
}

/// The next number upwards with two digits that say something.
fn round(number: u64) -> u64 {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    number.div_ceil(unit).saturating_mul(unit).min(i64::MAX.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(files: u64, added: u64, deleted: u64) -> Metrics {
        Metrics { files, added_lines: added, deleted_lines: deleted, working_bytes: files * 100_000, binary_files: 0 }
    }

    #[test]
    fn ninety_five_of_a_hundred_fit_in_all_respects_together() {
        // The five largest of each respect are other changes, so that each respect alone would say less than all of them.
        let mut changes: Vec<Metrics> = (1..=90).map(|n| change(n, 200 + n, 200 + n)).collect();
        changes.extend((0..5).map(|_| change(1000, 1, 1)));
        changes.extend((0..5).map(|_| change(1, 100_000, 1)));
        let limits = fitting(&changes).unwrap();
        let count = changes.iter().filter(|change| fits(change, &limits)).count();
        assert!((95..=100).contains(&count), "{count} {limits:?}");
    }

    #[test]
    fn small_changes_have_room_and_few_say_nothing() {
        let changes = vec![change(1, 1, 0); ENOUGH];
        assert_eq!(fitting(&changes), Some(LEAST));
        assert_eq!(fitting(&changes[1..]), None);
    }

    #[test]
    fn numbers_are_rounded_up() {
        for (number, up) in [(0, 0), (7, 7), (99, 99), (100, 100), (101, 110), (12_345, 13_000), (999_999, 1_000_000)] {
            assert_eq!(round(number), up);
        }
        assert_eq!(round(u64::MAX), i64::MAX.unsigned_abs());
    }
}
