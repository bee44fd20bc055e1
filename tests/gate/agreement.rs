//! Agreement with real git: after any sequence of operations, the changed paths and the counts are those that git gives.
//!
//! `CORDON_SEQUENCES` says how many sequences run, `CORDON_SEED` where they start; a failure prints both and the
//! shortest list of operations that still fails.

mod act;
mod oracle;
mod scenario;

use std::cell::Cell;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use self::scenario::Scenario;
use crate::common::sandbox::git_program;
use crate::common::tree;

/// How many sequences run when nothing else is asked for.
const SEQUENCES: u64 = 12;

#[test]
fn changed_paths_and_counts_are_those_of_git() {
    let (first, sequences) = (setting("CORDON_SEED", 1), setting("CORDON_SEQUENCES", SEQUENCES));
    let (next, changed, failures) = (AtomicU64::new(first), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while failures.lock().unwrap().len() < 5 {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + sequences {
                break;
            }
            match sequence(seed) {
                Ok(paths) => drop(changed.fetch_add(paths, Ordering::Relaxed)),
                Err(report) => {
                    failures.lock().unwrap().push(format!("CORDON_SEED={seed} CORDON_SEQUENCES=1\n{report}"));
                }
            }
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    let (changed, failures) = (changed.into_inner(), failures.into_inner().unwrap());
    let git = git_program();
    println!("{sequences} sequences from seed {first} against {}: {changed} changed paths", git.display());
    assert!(failures.is_empty(), "{} of them disagree:\n\n{}", failures.len(), failures.join("\n\n"));
    assert!(changed > 0, "no sequence changed anything, so nothing was compared");
}

/// Runs one sequence and returns how many changed paths were compared.
fn sequence(seed: u64) -> Result<usize, String> {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases: 1,
        failure_persistence: None,
        max_shrink_iters: 300,
        max_shrink_time: 15_000,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &key));
    let compared = Cell::new(0);
    let result = runner.run(&scenario::scenarios(), |scenario| {
        let paths = compare(&scenario).map_err(TestCaseError::fail)?;
        compared.set(paths);
        Ok(())
    });
    match result {
        Ok(()) => Ok(compared.get()),
        Err(TestError::Fail(reason, scenario)) => Err(format!("{reason}\nwith {scenario:#?}")),
        Err(other) => Err(other.to_string()),
    }
}

fn compare(scenario: &Scenario) -> Result<usize, String> {
    let place = act::prepare(scenario)?;
    let base = String::from_utf8(place.git(&["rev-parse", "HEAD"]).ok().stdout).unwrap().trim().to_owned();
    let budgets =
        ["--max-files", "--max-added-lines", "--max-deleted-lines", "--max-working-bytes", "--max-binary-files"];
    let mut args = vec!["--allow", "**", "--allow-commits"];
    args.extend(budgets.into_iter().flat_map(|budget| [budget, "1000000000"]));
    place.arm(&args).ok();
    let log = act::perform(&place, scenario);
    let before = tree::picture(place.outside());
    let outcome = place.check();
    let after = tree::picture(place.outside());
    let report = |what: String| format!("{what}\n{outcome:?}\nwhat was done:\n{}", log.join("\n"));
    let touched = tree::differences(&before, &after);
    if !touched.is_empty() {
        return Err(report(format!("the check touched something outside its own directory:\n{}", touched.join("\n"))));
    }
    if !matches!(outcome.code(), 0 | 3) {
        return Err(report("no verdict".to_owned()));
    }
    let verdict = outcome.json();
    let expected = oracle::ask_git(&place, &base);
    let compared = expected.paths.len();
    if let Some(what) = oracle::disagreement(&place, &verdict, &expected) {
        return Err(report(what));
    }
    // Where git makes no tree, nothing is asked of Cordon.
    match place.written_tree() {
        Some(tree) if verdict["tree"] != *tree => Err(report(format!("git makes the tree {tree}"))),
        _ => Ok(compared),
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name}={value} is no number")))
}

/// The names of the pool are the hard ones, so a file system that refuses them must not make the test easier.
#[test]
fn the_file_system_takes_every_name_of_the_pool() {
    for name in scenario::NAMES {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(scenario::os(name));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap_or_else(|error| panic!("{}: {error}", name.escape_ascii()));
    }
}
