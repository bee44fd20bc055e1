//! What `arm` did, for people: the envelope as it will be enforced, and what to do next.

use super::style::{ACCEPTED, HEADING, HINT, paint};
use super::words::{count, counted, guarded, len};
use crate::audit::answer::Armed;
use crate::policy::escape::plain;
use crate::policy::pattern::Pattern;
use crate::policy::text::Text;

/// How many scratch zones are listed before the rest is only counted.
const ZONES: usize = 8;

/// The whole answer.
pub fn human(armed: &Armed) -> String {
    let mut out = vec![format!("{}  {}\n\n", paint(ACCEPTED, "ARMED"), armed.label.plain())];
    for (name, values) in rows(armed) {
        for (index, value) in values.iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            out.push(format!("{} {value}\n", paint(HEADING, format!("{name:<12}"))));
        }
    }
    out.push(format!("\n{} Let the agent work, then run `cordon check`.\n", paint(HINT, "next:")));
    out.concat()
}

fn rows(armed: &Armed) -> Vec<(&'static str, Vec<String>)> {
    let commits = if armed.policy.allow_commits { "allowed" } else { "not allowed" };
    vec![
        ("allow", patterns(&armed.policy.allow)),
        ("deny", patterns(&armed.policy.deny)),
        ("budgets", budgets(armed)),
        ("commits", vec![commits.to_owned()]),
        ("verify", verifiers(armed)),
        ("attempts", vec![armed.max_attempts.to_string()]),
        ("baseline", vec![baseline(armed)]),
        ("fingerprint", vec![fingerprint(armed)]),
        ("scratch", zones(&armed.scratch_zones)),
        ("anchor", vec![guarded(armed.anchor.as_bytes())]),
    ]
}

fn patterns(patterns: &[Pattern]) -> Vec<String> {
    patterns.iter().map(|pattern| plain(pattern.as_str().as_bytes())).collect()
}

fn budgets(armed: &Armed) -> Vec<String> {
    let limits = &armed.policy.limits;
    vec![
        counted(limits.max_files, "file"),
        counted(limits.max_added_lines, "added line"),
        counted(limits.max_deleted_lines, "deleted line"),
        counted(limits.max_working_bytes, "working byte"),
        counted(limits.max_binary_files, "binary file"),
    ]
}

fn verifiers(armed: &Armed) -> Vec<String> {
    let limit = counted(armed.verify_timeout, "second");
    armed.verify.iter().map(|command| format!("{}  (at most {limit})", plain(command.as_bytes()))).collect()
}

fn baseline(armed: &Armed) -> String {
    let branch = armed.branch.as_ref().map_or("a detached HEAD".to_owned(), Text::plain);
    format!("{} on {branch}", guarded(armed.baseline.as_bytes()))
}

fn fingerprint(armed: &Armed) -> String {
    let taken = &armed.fingerprint;
    let entries = if taken.entries == 1 { "entry" } else { "entries" };
    format!(
        "{} {entries} ({} tracked, {} ignored, {} read), {}, {:.2} s",
        count(taken.entries),
        count(taken.tracked),
        count(taken.ignored),
        count(taken.hashed),
        counted(taken.bytes, "byte"),
        armed.duration_s
    )
}

/// Ignored files may come and go in these places, so the user should know them.
fn zones(zones: &[String]) -> Vec<String> {
    let shown = &zones[..zones.len().min(ZONES)];
    let mut list: Vec<String> = shown.iter().map(|zone| plain(zone.as_bytes())).collect();
    let rest = len(zones) - len(shown);
    if rest > 0 {
        list.push(format!("... and {} more", count(rest)));
    }
    if list.is_empty() { Vec::new() } else { vec![list.join("  ")] }
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::audit::answer::Fingerprinted;
    use crate::policy::envelope::Envelope;
    use crate::policy::limits::Limits;

    fn armed() -> Armed {
        Armed {
            phase: "armed",
            mode: "manual",
            label: "fix the parser\n\u{1b}[2J".into(),
            baseline: "1".repeat(40),
            branch: Some("refs/heads/main".into()),
            anchor: "c".repeat(64),
            policy: Envelope {
                allow: vec![Pattern::parse("src/**").unwrap(), Pattern::parse("tests/\u{202e}*").unwrap()],
                deny: vec![Pattern::parse("src/secret/**").unwrap()],
                limits: Limits {
                    max_files: 1,
                    max_added_lines: 2000,
                    max_deleted_lines: 1000,
                    max_working_bytes: 2_097_152,
                    max_binary_files: 0,
                },
                allow_commits: false,
            },
            verify: vec!["cargo test -q".into()],
            verify_timeout: 300,
            max_attempts: 3,
            scratch_zones: (0..10).map(|n| format!("zone{n}/**")).collect(),
            fingerprint: Fingerprinted {
                entries: 1234,
                tracked: 1200,
                ignored: 34,
                hashed: 12,
                kept: 0,
                bytes: 99_000,
            },
            duration_s: 0.051,
        }
    }

    #[test]
    fn the_envelope_is_shown_as_it_will_be_enforced() {
        insta::assert_snapshot!(strip_str(&human(&armed())), @r"
        ARMED  fix the parser\n\u{1b}[2J

        allow        src/**
                     tests/\u{202e}*
        deny         src/secret/**
        budgets      1 file
                     2,000 added lines
                     1,000 deleted lines
                     2,097,152 working bytes
                     0 binary files
        commits      not allowed
        verify       cargo test -q  (at most 300 seconds)
        attempts     3
        baseline     1111111111111111111111111111111111111111 on refs/heads/main
        fingerprint  1,234 entries (1,200 tracked, 34 ignored, 12 read), 99,000 bytes, 0.05 s
        scratch      zone0/**  zone1/**  zone2/**  zone3/**  zone4/**  zone5/**  zone6/**  zone7/**  ... and 2 more
        anchor       cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc

        next: Let the agent work, then run `cordon check`.
        ");
    }

    #[test]
    fn rows_without_a_value_are_left_out() {
        let mut armed = armed();
        armed.policy.deny.clear();
        armed.verify.clear();
        armed.scratch_zones.clear();
        armed.branch = None;
        let text = strip_str(&human(&armed)).to_string();
        for absent in ["deny", "verify", "scratch"] {
            assert!(!text.lines().any(|line| line.starts_with(absent)), "{absent} in {text}");
        }
        assert!(text.contains(" on a detached HEAD\n"), "{text}");
    }
}
