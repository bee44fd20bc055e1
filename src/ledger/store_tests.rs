//! `.stone/` on disk: what is written, what is refused, and what a swap or a kill can do.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;
use crate::ledger::lock::Lock;
use crate::ledger::record::{Confinement, Finished, Outcome, Started, seconds};

fn ledger(id: &str) -> Ledger {
    let ts = "2026-07-19T09:12:44Z".to_owned();
    let started = Started {
        id: id.into(),
        actor: "me".into(),
        command: vec!["true".into()],
        confinement: Some(Confinement::NONE),
        ts: ts.clone(),
    };
    let finished = Finished { outcome: Outcome::Success, exit_code: 0, duration_s: seconds(Duration::ZERO), ts };
    Ledger { started, events: Vec::new(), finished }
}

fn sealed(store: &Store) -> String {
    let id = store.next_id().unwrap();
    store.seal(&ledger(&id), &[Beside { name: "stdout.log", bytes: b"x", mode: 0o600 }]).unwrap();
    id
}

fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_session_is_written_whole_and_read_back() {
    let root = tempfile::tempdir().unwrap();
    assert!(Store::open(root.path()).unwrap().is_none());
    let store = Store::create(root.path()).unwrap();
    let (first, second) = (sealed(&store), sealed(&store));
    assert!(second > first);
    let (bytes, read) = store.ledger(&first).unwrap().unwrap();
    assert_eq!((read, bytes), (Ok(ledger(&first)), chain::encode(&ledger(&first))));
    let index = store.index().unwrap();
    assert_eq!(index.rows.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), [&first, &second]);
    let top = root.path().join(".stone");
    assert_eq!(names(&top), ["index.jsonl", "sessions"]);
    assert_eq!(names(&top.join("sessions").join(&first)), ["events.jsonl", "stdout.log"]);
    let log = fs::metadata(top.join("sessions").join(&first).join("stdout.log")).unwrap();
    assert_eq!(log.permissions().mode() & 0o777, 0o600);
    assert!(store.ledger("01K0EJ3V9CJ0Q6ZM3S1R8T5W2X").unwrap().is_none());
    assert!(store.ledger("../sessions").unwrap().is_none());
}

#[test]
fn a_session_is_never_written_over_and_a_file_beside_it_never_replaced() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::create(root.path()).unwrap();
    let id = sealed(&store);
    assert!(store.seal(&ledger(&id), &[]).is_err());
    assert_eq!(store.index().unwrap().rows.len(), 1);
    let receipt = |bytes| Beside { name: "receipt.json", bytes, mode: 0o644 };
    store.add(&id, &receipt(b"1")).unwrap();
    assert!(store.add(&id, &receipt(b"2")).is_err());
    assert_eq!(store.file(&id, "receipt.json").unwrap().unwrap(), b"1");
    assert_eq!(names(&root.path().join(".stone/sessions").join(&id)), ["events.jsonl", "receipt.json", "stdout.log"]);
}

#[test]
fn what_a_kill_left_is_swept() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::create(root.path()).unwrap();
    let left = root.path().join(".stone/sessions/.tmp-01K0EJ3V9CJ0Q6ZM3S1R8T5W2X");
    fs::create_dir(&left).unwrap();
    fs::write(left.join("events.jsonl"), "{").unwrap();
    fs::write(root.path().join(".stone/.tmp-index.jsonl"), "{").unwrap();
    fs::write(root.path().join(".stone/.tmp-lock-01K0EJ3V9CJ0Q6ZM3S1R8T5W2X"), "{").unwrap();
    let about_to_be_placed = fs::File::create(root.path().join(".stone/.tmp-lock-X")).unwrap();
    rustix::fs::flock(&about_to_be_placed, FlockOperation::LockExclusive).unwrap();
    store.sweep().unwrap();
    assert_eq!(names(&root.path().join(".stone")), [".tmp-lock-X", "sessions"]);
    drop(about_to_be_placed);
    fs::write(root.path().join(".stone/sessions/.tmp-file"), "no session").unwrap();
    fs::create_dir(root.path().join(".stone/.tmp-directory")).unwrap();
    store.sweep().unwrap();
    fs::remove_file(root.path().join(".stone/sessions/.tmp-file")).unwrap();
    fs::remove_dir(root.path().join(".stone/.tmp-directory")).unwrap();
    store.sweep().unwrap();
    assert_eq!(names(&root.path().join(".stone/sessions")), [""; 0]);
    sealed(&store);
    assert_eq!(names(&root.path().join(".stone")), ["index.jsonl", "sessions"]);
}

#[test]
fn links_and_other_kinds_are_refused_and_lead_nowhere() {
    let root = tempfile::tempdir().unwrap();
    let at = |path: &str| root.path().join(path);
    fs::create_dir(at("elsewhere")).unwrap();
    symlink("elsewhere", at(".stone")).unwrap();
    assert_eq!(Store::create(root.path()).unwrap_err().kind, Kind::Workspace);
    assert_eq!(Store::open(root.path()).unwrap_err().kind, Kind::Workspace);
    fs::remove_file(at(".stone")).unwrap();
    fs::create_dir(at(".stone")).unwrap();
    symlink("../elsewhere", at(".stone/sessions")).unwrap();
    assert_eq!(Store::create(root.path()).unwrap_err().kind, Kind::Workspace);
    fs::remove_file(at(".stone/sessions")).unwrap();
    for kind in ["link", "fifo", "directory"] {
        let index = at(".stone/index.jsonl");
        match kind {
            "link" => symlink("../elsewhere/index", &index).unwrap(),
            "fifo" => rustix::fs::mkfifoat(rustix::fs::CWD, &index, rustix::fs::Mode::from_raw_mode(0o644)).unwrap(),
            _ => fs::create_dir(&index).unwrap(),
        }
        assert_eq!(Store::create(root.path()).unwrap_err().kind, Kind::Workspace, "{kind}");
        fs::remove_file(&index).or_else(|_| fs::remove_dir(&index)).unwrap();
    }
    assert_eq!(names(&at("elsewhere")), [""; 0]);
}

#[test]
fn a_directory_that_is_swapped_for_a_link_redirects_nothing() {
    let root = tempfile::tempdir().unwrap();
    let at = |path: &str| root.path().join(path);
    fs::create_dir(at("elsewhere")).unwrap();
    let store = Store::create(root.path()).unwrap();
    fs::rename(at(".stone"), at("moved")).unwrap();
    symlink("elsewhere", at(".stone")).unwrap();
    let id = sealed(&store);
    assert_eq!(names(&at("elsewhere")), [""; 0]);
    assert_eq!(names(&at("moved/sessions")), [id]);
}

#[test]
fn a_ledger_that_is_no_regular_file_is_refused_at_once() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::create(root.path()).unwrap();
    for kind in ["link", "fifo", "endless"] {
        let id = sealed(&store);
        let path = root.path().join(".stone/sessions").join(&id).join(EVENTS);
        fs::rename(&path, root.path().join("kept")).unwrap();
        match kind {
            "link" => symlink(root.path().join("kept"), &path).unwrap(),
            "endless" => fs::File::create(&path).unwrap().set_len(1 << 40).unwrap(),
            _ => rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::from_raw_mode(0o644)).unwrap(),
        }
        assert_eq!(store.ledger(&id).unwrap_err().kind, Kind::Ledger, "{kind}");
    }
}

#[test]
fn the_lock_is_held_by_one_and_taken_over_only_from_the_gone() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::create(root.path()).unwrap();
    let path = root.path().join(".stone/lock");
    let id = store.next_id().unwrap();
    let held = Lock::take(&store, &id).unwrap();
    assert!(held.note.is_none());
    let own = std::process::id();
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{{\"id\":\"{id}\",\"pid\":{own}}}\n"));
    assert_eq!(Lock::take(&store, &id).unwrap_err().kind, Kind::Busy);
    drop(held);
    assert!(!path.exists());

    // A process that runs holds its lock although it does not know of advisory ones.
    let mut child = std::process::Command::new("sleep").arg("100").spawn().unwrap();
    fs::write(&path, format!("{{\"id\":\"X\",\"pid\":{}}}\n", child.id())).unwrap();
    assert_eq!(Lock::take(&store, &id).unwrap_err().kind, Kind::Busy);
    child.kill().unwrap();
    child.wait().unwrap();
    let taken = Lock::take(&store, &id).unwrap();
    assert_eq!(
        taken.note.as_deref(),
        Some(&*format!("took over the lock of session X: its process {} is gone and has left no record", child.id()))
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{{\"id\":\"{id}\",\"pid\":{own}}}\n"));
    assert_eq!(Lock::take(&store, &id).unwrap_err().kind, Kind::Busy);
    drop(taken);
    assert!(!path.exists());

    for odd in ["", "nonsense", "{\"id\":\"X\"}"] {
        fs::write(&path, odd).unwrap();
        assert_eq!(Lock::take(&store, &id).unwrap_err().kind, Kind::Busy, "{odd}");
    }
    fs::remove_file(&path).unwrap();
    symlink("elsewhere", &path).unwrap();
    assert_eq!(Lock::take(&store, &id).unwrap_err().kind, Kind::Busy);
    assert_eq!(names(&root.path().join(".stone")), ["lock", "sessions"]);
}

#[test]
fn a_lock_of_somebody_else_in_our_place_stays() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::create(root.path()).unwrap();
    let held = Lock::take(&store, "X").unwrap();
    let path = root.path().join(".stone/lock");
    fs::remove_file(&path).unwrap();
    fs::write(&path, "somebody else").unwrap();
    drop(held);
    assert_eq!(fs::read_to_string(&path).unwrap(), "somebody else");
}
