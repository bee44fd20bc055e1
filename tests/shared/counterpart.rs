//! The older `stone`, which more than one test program compares with.

use std::ffi::OsString;
use std::path::Path;

/// The older `stone`; says so when it is not there, and fails when all tests were asked for.
pub fn older_stone() -> Option<OsString> {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/stone-venv/bin/stone");
    let found = std::env::var_os("CORDON_TEST_STONE").or_else(|| installed.exists().then(|| installed.into()));
    assert!(found.is_some() || std::env::var_os("CORDON_TEST_ALL").is_none(), "the older `stone` is not there");
    if found.is_none() {
        eprintln!("skipped: the older `stone` is not there; CORDON_TEST_STONE names it");
    }
    found
}
