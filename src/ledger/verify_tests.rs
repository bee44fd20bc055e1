//! Ledgers that are whole, and every way to break one.

use super::*;
use crate::ledger::record::{Confinement, Effect, EntryType, Side, seconds};
use crate::policy::text::Text;
use crate::snapshot::digest::sha256;

const ID: &str = "01K0EJ3V9CJ0Q6ZM3S1R8T5W2X";
const TS: &str = "2026-07-19T09:12:44Z";

fn side(content: &str, mode: u16) -> Side {
    let size = content.len() as u64;
    Side { entry_type: EntryType::File, digest: sha256(content.as_bytes()), size, mode: Some(mode) }
}

fn link(target: &str) -> Side {
    Side { entry_type: EntryType::Symlink, ..side(target, 0o777) }
}

fn sample() -> Ledger {
    let effects = [
        Effect::Created { path: "a".into(), side: side("1", 0o644), target: None },
        Effect::Created {
            path: RepoPath::new(&b"b\xff"[..]),
            side: link("\u{e9}"),
            target: Some(Text::from("\u{e9}")),
        },
        Effect::Deleted { path: "c".into(), entry_type: EntryType::File, digest: sha256(b"c") },
        Effect::MetadataModified { path: "d".into(), before: 0o644, after: 0o4755 },
        Effect::Modified { path: "e".into(), before: side("1", 0o644), after: link("x") },
        Effect::Renamed { path: "f/\u{2028}g".into(), path_before: "h".into(), digest: sha256(b"f"), size: 7 },
    ];
    Ledger {
        started: Started {
            id: ID.into(),
            actor: "undeclared".into(),
            command: vec!["sh".into(), "-c".into(), Text::from_bytes(&b"echo \xfe"[..])],
            confinement: Some(Confinement::NONE),
            ts: TS.into(),
        },
        events: effects.into_iter().map(|effect| Event { effect, ts: TS.into() }).collect(),
        finished: Finished {
            outcome: Outcome::Success,
            exit_code: 0,
            duration_s: seconds(std::time::Duration::from_micros(18_399_500)),
            ts: TS.into(),
        },
    }
}

/// The lines of a ledger with their chain made anew, as somebody with access to the file would.
fn chained(lines: &[String]) -> Vec<u8> {
    let mut prev = chain::genesis();
    let mut bytes = Vec::new();
    for line in lines {
        let at = line.find("\"prev\":\"").unwrap() + 8;
        let line = format!("{}{prev}{}", &line[..at], &line[at + 64..]);
        prev = chain::link(line.as_bytes());
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

fn sample_lines() -> Vec<String> {
    String::from_utf8(chain::encode(&sample())).unwrap().lines().map(str::to_owned).collect()
}

fn told(bytes: &[u8]) -> String {
    verify(bytes, Some(ID)).unwrap_err().to_string()
}

#[test]
fn what_is_written_is_read_and_has_the_known_form() {
    let bytes = chain::encode(&sample());
    assert_eq!(verify(&bytes, Some(ID)), Ok(sample()));
    assert_eq!(chained(&sample_lines()), bytes);
    insta::assert_snapshot!(String::from_utf8(bytes).unwrap(), @r#"
    {"actor":"undeclared","command":["sh","-c","echo \udcfe"],"confinement_backend":"none","confinement_profile":"none","confinement_signal_scope":false,"id":"01K0EJ3V9CJ0Q6ZM3S1R8T5W2X","prev":"0000000000000000000000000000000000000000000000000000000000000000","spec":"0.2","ts":"2026-07-19T09:12:44Z","type":"session.started"}
    {"entry_type":"file","hash":"6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b","mode":"0644","path":"a","prev":"d0ec1aa740048435c483b5af1e88b4a3e6b1cfe762bdff68d00a4510b9d14e61","size":1,"ts":"2026-07-19T09:12:44Z","type":"file.created"}
    {"entry_type":"symlink","hash":"4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c","mode":"0777","path":"b\udcff","prev":"16e23d9d6195cec8fbc551833b2b3476bb47da197cb7502f63dac7160de8c8de","size":2,"target":"é","ts":"2026-07-19T09:12:44Z","type":"file.created"}
    {"entry_type":"file","hash_before":"2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6","path":"c","prev":"42a3a09b17c18e88ec4e643c3089f43a6f9525e1c0b867dd5b9ce8c0087ffef8","ts":"2026-07-19T09:12:44Z","type":"file.deleted"}
    {"mode_after":"04755","mode_before":"0644","path":"d","prev":"ca65f17c1af0347fb60d857380ce05c2d7a827fd3a05cc8fbb63ac07d11c3487","ts":"2026-07-19T09:12:44Z","type":"file.metadata_modified"}
    {"entry_type_after":"symlink","entry_type_before":"file","hash_after":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881","hash_before":"6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b","mode_after":"0777","mode_before":"0644","path":"e","prev":"c1e4643a3fd7e447f01de667b0277f8dc334431b5a4d1213b652837512a8018c","size_after":1,"size_before":1,"ts":"2026-07-19T09:12:44Z","type":"file.modified"}
    {"hash":"252f10c83610ebca1a059c0bae8255eba2f95be4d1d7bcfa89d7248a82d9f111","path":"f/\u2028g","path_before":"h","prev":"f909f198263103c68541785b23b48c3d31132fe89841c4b21e91cfd6c1a24f97","size":7,"ts":"2026-07-19T09:12:44Z","type":"file.renamed"}
    {"duration_s":18.4,"exit_code":0,"outcome":"success","prev":"233c0c7be455668027fcedd31cb16350cd49dc2025b6a55b07999d11e2a8e616","ts":"2026-07-19T09:12:44Z","type":"session.finished"}
    "#);
}

#[test]
fn names_that_end_lines_elsewhere_are_read_raw_as_well() {
    let lines = sample_lines();
    let at = lines.iter().position(|line| line.contains("\\u2028")).unwrap();
    let with = |to: &str| {
        let mut lines = lines.clone();
        lines[at] = lines[at].replace("f/\\u2028g", to);
        verify(&chained(&lines), Some(ID))
    };
    assert_eq!(with("f/\u{2028}g"), Ok(sample()));
    assert_eq!(with("f/\\u0067g").unwrap_err().reason, "is not in the canonical form");
    assert!(with("f/\\\\u2028\u{85}").is_ok_and(|ledger| {
        ledger.events.iter().any(|event| event.effect.path() == &RepoPath::from("f/\\u2028\u{85}"))
    }));
    assert_eq!(with("f/\\u2028\u{85}").unwrap_err().reason, "is not in the canonical form", "neither writes both ways");
}

#[test]
fn both_versions_are_known() {
    let mut old = sample();
    old.started.confinement = None;
    assert_eq!(verify(&chain::encode(&old), None), Ok(old));
}

#[test]
fn every_flipped_byte_and_every_cut_is_found() {
    let bytes = chain::encode(&sample());
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        // In the last line only the digest of the line before is bound to anything.
        let last_line = bytes.len() - sample_lines().last().unwrap().len() - 1;
        assert!(at >= last_line || verify(&changed, Some(ID)).is_err(), "byte {at}");
        assert!(verify(&bytes[..at], Some(ID)).is_err(), "cut at {at}");
    }
}

#[test]
fn lines_that_are_moved_doubled_or_left_out_are_found() {
    let lines = sample_lines();
    let join = |lines: &[String]| (lines.join("\n") + "\n").into_bytes();
    for at in 0..lines.len() {
        let (mut without, mut doubled) = (lines.clone(), lines.clone());
        without.remove(at);
        doubled.insert(at, lines[at].clone());
        assert!(verify(&join(&without), Some(ID)).is_err(), "without {at}");
        assert!(verify(&join(&doubled), Some(ID)).is_err(), "doubled {at}");
        if at + 1 < lines.len() {
            let mut swapped = lines.clone();
            swapped.swap(at, at + 1);
            assert!(verify(&join(&swapped), Some(ID)).is_err(), "swapped {at}");
            // A new chain hides nothing of this: the structure tells.
            assert!(verify(&chained(&swapped), Some(ID)).is_err(), "swapped {at}, with a new chain");
        }
    }
    assert!(verify(&[chain::encode(&sample()), chain::encode(&sample())].concat(), Some(ID)).is_err());
}

#[test]
fn a_forged_record_is_named_with_the_reason() {
    let whole = sample_lines();
    let digest = format!("{:064}", 0);
    let (created, modified, last) = (1, 5, whole.len() - 1);
    let cases: [(usize, &str, &str, &str); 32] = [
        (0, "\"type\"", "\"typ\"", "record 1 lacks fields: type"),
        (0, "session.started", "session.begun\\u001b", "record 1 has the unknown type `session.begun\\u{1b}`"),
        (0, "\"0.2\"", "\"0.3\"", "record 1 has the unknown version `0.3`"),
        (0, "\"0.2\"", "\"0.1\"", "record 1 of version 0.1 has the fields of version 0.2"),
        (0, "\"confinement_backend\":\"none\",", "", "record 1 lacks fields: confinement_backend"),
        (0, "backend\":\"none", "backend\":\"magic", "record 1 has the unknown `confinement_backend` `magic`"),
        (0, ":false", ":\"no\"", "record 1 has a `confinement_signal_scope` that is no truth value"),
        (
            0,
            ID,
            "01K0EJ3V9CJ0Q6ZM3S1R8T5W2Y",
            "record 1 belongs to the session 01K0EJ3V9CJ0Q6ZM3S1R8T5W2Y, not to 01K0EJ3V9CJ0Q6ZM3S1R8T5W2X",
        ),
        (0, ID, "../x", "record 1 names the session `../x`, which is no ULID"),
        (0, "[\"sh\",", "{\"sh\":", "record 1 is not valid JSON"),
        (0, "[\"sh\",", "[7,", "record 1 has a `command` that is no list of words"),
        (0, "\"actor\"", "\"actor\":\"x\",\"actor\"", "record 1 is no record: the field `actor` stands there twice"),
        (0, "\"actor\"", "\"aaa\":1,\"actor\"", "record 1 has unknown fields: aaa"),
        (0, "{\"actor\"", "{ \"actor\"", "record 1 is not in the canonical form"),
        (0, "\\udcfe", "\\udcFE", "record 1 is not in the canonical form"),
        (0, "\\udcfe", "\\udcc3\\udca9", "record 1 is not in the canonical form"),
        (0, "\\udcfe", "\\ud800", "record 1 has a `command` that is no list of words"),
        (created, TS, "2026-07-19T09:12:44", "record 2 has a `ts` that is no time in UTC: `2026-07-19T09:12:44`"),
        (created, "\"path\":\"a\"", "\"path\":\"/a\"", "record 2 has a `path` that is no relative path: `/a`"),
        (created, "\"path\":\"a\"", "\"path\":\"x/../a\"", "record 2 has a `path` that is no relative path: `x/../a`"),
        (created, "\"path\":\"a\"", "\"path\":\"\"", "record 2 has a `path` that is no relative path: ``"),
        (
            created,
            "\"path\":\"a\"",
            "\"path\":\"a\\u0000\"",
            "record 2 has a `path` that is no relative path: `a\\u{0}`",
        ),
        (
            created,
            "\"path\":\"a\"",
            "\"path\":\"z\"",
            "record 3 is out of order: events are sorted by type, path and path before",
        ),
        (
            created,
            "\"path\":\"a\"",
            "\"path\":\"c\"",
            "record 3 is out of order: events are sorted by type, path and path before",
        ),
        (created, "\"size\":1", "\"size\":-1", "record 2 has a `size` that is no size in bytes"),
        (created, "\"0644\"", "\"644\"", "record 2 is not in the canonical form"),
        (created, "\"0644\"", "\"17777\"", "record 2 has a `mode` that is no mode in octal digits"),
        (created, "\"size\":1", "\"size\":1,\"target\":\"x\"", "record 2 has a `target` and is no link"),
        (
            modified,
            "\"hash_after\":\"",
            "\"hash_after\":\"0",
            "record 6 has a `hash_after` that is no SHA-256 in 64 lower-case digits",
        ),
        (modified + 1, "\"h\"", "\"e\"", "record 7 is the second one about `e`"),
        (last, "success", "incomplete", "record 8 says that the session is incomplete, and there are events"),
        (last, "18.4", "-18.4", "record 8 has a negative `duration_s`"),
    ];
    for (at, from, to, expected) in cases {
        let mut lines = whole.clone();
        assert!(lines[at].contains(from), "{from} is not in {}", lines[at]);
        lines[at] = lines[at].replacen(from, to, 1);
        assert_eq!(told(&chained(&lines)), expected);
    }
    let unchanged = whole[modified].replace(&crate::snapshot::digest::hex(&sha256(b"x")), &digest);
    let unchanged = unchanged.replace(&crate::snapshot::digest::hex(&sha256(b"1")), &digest).replace("symlink", "file");
    let mut lines = whole;
    lines[modified] = unchanged;
    assert_eq!(told(&chained(&lines)), "record 6 tells of a content that did not change");
}

#[test]
fn what_is_no_ledger_at_all_is_told() {
    let whole = sample_lines();
    assert_eq!(told(b""), "record 1 is missing: the ledger is empty");
    assert_eq!(told(b"\n"), "record 1 is not valid JSON");
    assert_eq!(told(b"[]\n"), "record 1 is no record: invalid type: sequence, expected an object");
    assert_eq!(told(b"{\"\xff\":1}\n"), "record 1 is not valid JSON");
    assert_eq!(
        told(&chained(&whole[..1])),
        "record 1 is the last one and no `session.finished`: what followed is missing"
    );
    assert_eq!(told(&chained(&whole[1..])), "record 1 is the first one and no `session.started`");
    let bytes = chained(&whole);
    assert_eq!(told(&bytes[..bytes.len() - 1]), "record 8 does not end with a newline");
    let edited = String::from_utf8(bytes).unwrap().replacen("\"size\":1", "\"size\":2", 1);
    assert_eq!(
        told(edited.as_bytes()),
        "record 3 does not follow from the record before: one of the two was changed, moved or removed"
    );
    let nested = format!("{}1{}\n", "[".repeat(100_000), "]".repeat(100_000));
    assert!(verify(nested.as_bytes(), None).is_err());
}

proptest::proptest! {
    #[test]
    fn whatever_was_recorded_is_read_back(
        actor in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..20),
        words in proptest::collection::vec(proptest::collection::vec(1_u8.., 0..12), 0..4),
        names in proptest::collection::btree_set(proptest::collection::vec(1_u8.., 1..6), 0..6),
        size in proptest::prelude::any::<u64>(),
        code in proptest::prelude::any::<i64>(),
        micros in 0_u64..1 << 50,
    ) {
        let names = names.into_iter().filter(|name| !name.contains(&b'/') && name != b"." && name != b"..");
        let mut effects: Vec<Effect> = names
            .map(|name| Effect::Created { path: RepoPath::new(name), side: Side { size, ..side("x", 0o644) }, target: None })
            .collect();
        effects.sort_by(compare);
        let mut ledger = sample();
        ledger.started.actor = Text::from_bytes(actor);
        ledger.started.command = words.into_iter().map(Text::from_bytes).collect();
        ledger.events = effects.into_iter().map(|effect| Event { effect, ts: TS.into() }).collect();
        ledger.finished.exit_code = code;
        ledger.finished.duration_s = seconds(std::time::Duration::from_micros(micros));
        proptest::prop_assert_eq!(verify(&chain::encode(&ledger), Some(ID)), Ok(ledger));
    }

    #[test]
    fn no_line_makes_the_reader_panic(line in ".{0,200}", at in 0_usize..8) {
        let mut lines = sample_lines();
        let cut = lines[at].char_indices().map(|(place, _)| place).nth(line.len()).unwrap_or(0);
        lines[at].replace_range(cut..cut, &line);
        let _ = verify(lines.join("\n").as_bytes(), None);
        let _ = verify(format!("{line}\n").as_bytes(), None);
        let _ = opening(line.as_bytes());
    }
}
