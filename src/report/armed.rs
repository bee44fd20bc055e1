//! What `arm` did, for people: the envelope as it will be enforced, and what to do next.

use super::envelope::{self, Row};
use super::style::{ACCEPTED, HINT, paint};
use super::words::{count, counted, guarded, len};
use crate::audit::answer::Armed;
use crate::policy::escape::typed;
use crate::policy::text::Text;

/// How many scratch zones are listed before the rest is only counted.
const ZONES: usize = 8;

/// The whole answer.
pub fn human(armed: &Armed) -> String {
    let head = format!("{}  {}\n\n", paint(ACCEPTED, "ARMED"), typed(armed.label.as_bytes()));
    let next = format!("\n{} Let the agent work, then run `cordon check`.\n", paint(HINT, "next:"));
    head + &envelope::block(&rows(armed)) + &next
}

fn rows(armed: &Armed) -> Vec<Row> {
    let mut rows = envelope::rows(&armed.policy, &armed.verify, armed.verify_timeout);
    rows.insert(0, envelope::role(armed.role.as_deref()));
    rows.extend([
        envelope::attempts(armed.mode, armed.max_attempts.to_string()),
        ("baseline", vec![baseline(armed)]),
        ("fingerprint", vec![fingerprint(armed)]),
        ("scratch", scratch(armed)),
        ("anchor", vec![guarded(armed.anchor.as_bytes())]),
    ]);
    rows
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

/// Where ignored files may come and go; nothing to say about a repository that ignores none.
fn scratch(armed: &Armed) -> Vec<String> {
    let zones = &armed.scratch_zones;
    if armed.fingerprint.ignored == 0 || zones.is_empty() {
        return Vec::new();
    }
    let shown = &zones[..zones.len().min(ZONES)];
    let mut list: Vec<String> = shown.iter().map(|zone| typed(zone.as_bytes())).collect();
    let rest = len(zones) - len(shown);
    if rest > 0 {
        list.push(format!("... and {} more", count(rest)));
    }
    vec![format!("ignored files in these places may come and go: {}", list.join("  "))]
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::audit::answer::Fingerprinted;
    use crate::policy::envelope::Envelope;
    use crate::policy::limits::Limits;
    use crate::policy::pattern::Pattern;

    fn armed() -> Armed {
        Armed {
            schema_version: 1,
            phase: "armed",
            mode: "manual",
            label: "fix the parser\n\u{1b}[2J".into(),
            role: None,
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
            verify: vec![r"grep -q '\d' src/a".into()],
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
            warnings: Vec::new(),
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
        verify       grep -q '\d' src/a  (at most 300 seconds)
        baseline     1111111111111111111111111111111111111111 on refs/heads/main
        fingerprint  1,234 entries (1,200 tracked, 34 ignored, 12 read), 99,000 bytes, 0.05 s
        scratch      ignored files in these places may come and go: zone0/**  zone1/**  zone2/**  zone3/**  zone4/**  zone5/**  zone6/**  zone7/**  ... and 2 more
        anchor       cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc

        next: Let the agent work, then run `cordon check`.
        ");
    }

    #[test]
    fn rows_without_a_value_are_left_out() {
        let mut armed = armed();
        armed.policy.deny.clear();
        armed.verify.clear();
        armed.fingerprint.ignored = 0;
        armed.branch = None;
        let text = strip_str(&human(&armed)).to_string();
        for absent in ["deny", "verify", "scratch"] {
            assert!(!text.lines().any(|line| line.starts_with(absent)), "{absent} in {text}");
        }
        assert!(text.contains(" on a detached HEAD\n"), "{text}");
    }
}
