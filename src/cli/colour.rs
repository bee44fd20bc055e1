//! Whether a stream gets colours: the conventions that terminal programs share, in one place.

use std::ffi::OsString;

use anstream::ColorChoice;

/// Values of a switch that mean off.
const OFF: [&str; 5] = ["", "0", "no", "off", "false"];

/// The choice for a stream that is a terminal or is none, in the environment of this process.
pub fn choice(terminal: bool) -> ColorChoice {
    if wanted(terminal, |name| std::env::var_os(name)) { ColorChoice::Always } else { ColorChoice::Never }
}

/// `NO_COLOR` says no, `CLICOLOR_FORCE` says yes, and otherwise a terminal gets colours unless `CLICOLOR` or `TERM` says
/// that it has none.
fn wanted(terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let is_off = |value: OsString| OFF.iter().any(|off| value.eq_ignore_ascii_case(off));
    let is_on = |name| variable(name).is_some_and(|value| !is_off(value));
    if variable("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        return false;
    }
    let refused = variable("CLICOLOR").is_some_and(|value| !value.is_empty() && is_off(value));
    let dumb = variable("TERM").is_some_and(|value| value == "dumb");
    is_on("CLICOLOR_FORCE") || (terminal && !refused && !dumb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_variable_has_its_say() {
        let told = |terminal, set: &[(&str, &str)]| {
            wanted(terminal, |name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
        };
        assert!(told(true, &[("TERM", "xterm")]) && told(true, &[]) && !told(false, &[("TERM", "xterm")]));
        assert!(!told(true, &[("TERM", "dumb")]) && !told(true, &[("CLICOLOR", "0")]));
        assert!(told(true, &[("CLICOLOR", "1")]) && !told(false, &[("CLICOLOR", "1")]));
        assert!(told(false, &[("CLICOLOR_FORCE", "1")]) && told(false, &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")]));
        for off in ["0", "no", "No", "false", "off", ""] {
            assert!(!told(false, &[("CLICOLOR_FORCE", off)]), "{off}");
            assert!(told(true, &[("CLICOLOR_FORCE", off)]), "{off}");
        }
        assert!(!told(true, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]));
        assert!(told(true, &[("NO_COLOR", "")]), "an empty NO_COLOR is none");
    }
}
