//! Signals in words.

/// A signal by its number, and by its name where it has one: `signal 9 (SIGKILL)`.
pub fn words(number: i32) -> String {
    match signal_hook::low_level::signal_name(number) {
        Some(name) => format!("signal {number} ({name})"),
        None => format!("signal {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_told_by_number_and_name() {
        for (number, expected) in [(9, "signal 9 (SIGKILL)"), (11, "signal 11 (SIGSEGV)"), (40, "signal 40")] {
            assert_eq!(words(number), expected);
        }
    }
}
