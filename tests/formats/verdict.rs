//! Verdicts to report, made of values.

use cordon::audit::evidence::{Change, ChangeKind, Layer, Mode};
use cordon::audit::finding::{Code, Finding, Severity};
use cordon::audit::touched::Unobserved;
use cordon::audit::verdict::{Left, Metrics, SCHEMA_VERSION, Verdict, Verification};
use cordon::ledger::record::{
    Confinement, Effect, EntryType, Event, Finished, Ledger, Outcome, Side, Started, seconds,
};
use cordon::policy::limits::Limits;
use cordon::policy::path::RepoPath;
use cordon::policy::shell;
use cordon::policy::text::Text;
use cordon::report::formats::report::Report;
use cordon::report::formats::table::Format;

/// An accepted verdict about nothing.
pub fn accepted() -> Verdict {
    Verdict {
        schema_version: SCHEMA_VERSION,
        passed: true,
        label: "fix the parser".into(),
        role: None,
        baseline: "1".repeat(40),
        current_head: Some("1".repeat(40)),
        head_changed: false,
        tree: Some("2".repeat(40)),
        changed_files: Vec::new(),
        metrics: Metrics::default(),
        limits: Limits::default(),
        left: Left { files: 25, added_lines: 2000, deleted_lines: 1000, working_bytes: 2_097_152, binary_files: 2 },
        violations: Vec::new(),
        findings: Vec::new(),
        notes: Vec::new(),
        verification: Vec::new(),
        changes: Vec::new(),
        unobserved: Vec::new(),
        session: Some("01JDZ0000000000000000000AB".into()),
        anchor: "c".repeat(64),
        duration_s: 0.034,
        gate: None,
    }
}

/// A change of one path.
pub fn change(path: &[u8], kind: ChangeKind, added: u64, deleted: u64) -> Change {
    Change {
        path: RepoPath::new(path),
        kind,
        layers: vec![Layer::Worktree],
        added,
        deleted,
        binary: false,
        size_before: Some(10),
        size_after: Some(20),
        mode_before: Some(Mode::File),
        mode_after: Some(Mode::File),
        commit: None,
        content: None,
    }
}

/// A path that left the envelope.
pub fn outside(path: &[u8]) -> Finding {
    let path = RepoPath::new(path);
    Finding {
        code: Code::PathOutside,
        severity: Severity::Violation,
        message: Text::from("path outside policy: ").path(&path),
        help: Text::from("Undo this change, or ask for a wider envelope. Allowed: src/**, tests/**."),
        undo: Some(Text::from(format!("git restore -- {}", shell::word(path.as_bytes())))),
        path: Some(path),
        owners: None,
    }
}

/// A verdict in which `name` stands wherever something foreign can stand.
pub fn hostile(name: &[u8]) -> Verdict {
    let text = || Text::from_bytes(name);
    let failed = Verification {
        command: text(),
        returncode: 1,
        stdout: Text::from_bytes([name, b"\n", name].concat()),
        stderr: Text::from_bytes([b"\n", name, b"\r\n"].concat()),
        passed: false,
        timed_out: false,
        output_limited: false,
    };
    let mut verdict = Verdict {
        passed: false,
        label: text(),
        findings: vec![
            outside(name),
            Finding {
                code: Code::ConfigChanged,
                path: None,
                message: Text::from("configuration changed: ").raw(&text()),
                help: Text::from("Take it back: ").raw(&text()),
                ..outside(name)
            },
            Finding {
                code: Code::VerifierFailed,
                path: None,
                message: Text::from("verifier failed (exit 1): ").raw(&text()),
                undo: None,
                ..outside(name)
            },
            Finding { code: Code::ExcludeSource, severity: Severity::Note, ..outside(name) },
        ],
        notes: vec![text(), Text::from("a note: ").raw(&text())],
        verification: vec![
            Verification {
                passed: true,
                returncode: 0,
                stdout: Text::default(),
                stderr: Text::default(),
                ..failed.clone()
            },
            failed,
        ],
        changes: vec![
            change(name, ChangeKind::Added, 3, 0),
            change(&[b"src/", name].concat(), ChangeKind::Modified, 1, 1),
        ],
        unobserved: vec![Unobserved { zone: text(), reason: "scratch zone".into(), count: 3 }],
        ..accepted()
    };
    verdict.changed_files = verdict.changes.iter().map(|change| change.path.clone()).collect();
    let violations = verdict.findings.iter().filter(|finding| finding.severity == Severity::Violation);
    verdict.violations = violations.map(|finding| finding.message.clone()).collect();
    verdict
}

/// A session in which `name` stands wherever something foreign can stand.
pub fn session(name: &[u8]) -> Ledger {
    let side = Side { entry_type: EntryType::File, digest: [7; 32], size: 3, mode: Some(0o644) };
    let path = RepoPath::new(name);
    let moved = RepoPath::new([b"src/", name].concat());
    let effects = [
        Effect::Created { path: path.clone(), side, target: None },
        Effect::Renamed { path: moved, path_before: path, digest: [7; 32], size: 3 },
    ];
    let ts = || "2026-01-02T03:04:05.678Z".to_owned();
    Ledger {
        started: Started {
            id: "01JDZ0000000000000000000AB".into(),
            actor: Text::from_bytes(name),
            command: vec!["cordon".into(), Text::from_bytes(name)],
            confinement: Some(Confinement::NONE),
            ts: ts(),
        },
        events: effects.into_iter().map(|effect| Event { effect, ts: ts() }).collect(),
        finished: Finished {
            outcome: Outcome::Failed,
            exit_code: 3,
            duration_s: seconds(std::time::Duration::from_millis(34)),
            ts: ts(),
        },
    }
}

/// The report in a format that is made of the verdict.
pub fn rendered(format: Format, verdict: &Verdict, session: Option<&Ledger>) -> String {
    let render = format.row().render.unwrap();
    String::from_utf8(render(&Report { verdict, session })).unwrap()
}
