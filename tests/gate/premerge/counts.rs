//! Paths and counts next to git's, on random histories, and the cost of long ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use wait4::Wait4 as _;

use crate::common::json;
use crate::common::run::run;
use crate::common::sandbox::Sandbox;

use super::rig::{gate, git_at, line, team, team_with};

/// What decides the next step of a history.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

const PATHS: [&str; 7] =
    ["src/a.py", "src/b b.py", "docs/\u{fc}.md", "x.bin", "deep/er/file", ".gitattributes", "t.txt"];

/// Some lines, many of them equal.
fn lines(dice: &mut Dice) -> String {
    let all: Vec<String> = (0..dice.next(30)).map(|n| format!("{}\n", n * dice.next(3))).collect();
    all.concat()
}

fn step(sandbox: &Sandbox, dice: &mut Dice) {
    let path = PATHS[usize::try_from(dice.next(7)).unwrap()];
    match dice.next(6) {
        0 => drop(std::fs::remove_file(sandbox.at(path))),
        1 if path == ".gitattributes" => sandbox.write(path, "*.txt -diff\n*.bin diff\n"),
        1 | 2 => sandbox.write(path, lines(dice)),
        3 => sandbox.write(path, [b"\0".as_slice(), &dice.next(9).to_le_bytes()].concat()),
        4 => sandbox.write(path, "no end"),
        _ => {
            if sandbox.at(path).is_file() {
                sandbox.git(&["add", "-A"]).ok();
                sandbox.git(&["update-index", "--chmod=+x", path]).ok();
                sandbox.git(&["checkout-index", "-f", path]).ok();
            }
        }
    }
    sandbox.git(&["add", "-A"]).ok();
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "step"]).ok();
}

/// What git counts from the place where the head left the base, under the attributes of the base.
fn numstat(sandbox: &Sandbox) -> BTreeMap<Vec<u8>, (Option<u64>, Option<u64>)> {
    let (base, head) = (line(sandbox, &["merge-base", "main", "HEAD"]), line(sandbox, &["rev-parse", "HEAD"]));
    // Git takes the attributes of the work tree that it stands in; not every version can be told of another source.
    let place = sandbox.at("../at-the-base");
    if place.exists() {
        git_at(sandbox, &place, &["checkout", "-q", "--detach", "main"]).ok();
    } else {
        sandbox.git(&["worktree", "add", "-q", "--detach", "../at-the-base", "main"]).ok();
    }
    let args = ["diff", "--no-ext-diff", "--no-renames", "--numstat", "-z", &base, &head];
    let out = git_at(sandbox, &place, &args).ok().stdout;
    let rows = out.split(|byte| *byte == 0).filter(|row| !row.is_empty());
    rows.map(|row| {
        let mut parts = row.splitn(3, |byte| *byte == b'\t');
        let mut number = || std::str::from_utf8(parts.next().unwrap()).unwrap().parse().ok();
        let counts = (number(), number());
        (parts.next().unwrap().to_vec(), counts)
    })
    .collect()
}

#[test]
fn paths_and_counts_are_gits_on_random_histories() {
    let sequences = std::env::var("CORDON_GATE_SEQUENCES").map_or(12, |text| text.parse().unwrap());
    for seed in 0..sequences {
        let (sandbox, mut dice) = (team(), Dice(seed));
        for _ in 0..3 {
            step(&sandbox, &mut dice);
        }
        sandbox.git(&["switch", "-q", "-c", "x"]).ok();
        for _ in 0..6 {
            step(&sandbox, &mut dice);
            if dice.next(4) == 0 {
                sandbox.git(&["switch", "-q", "main"]).ok();
                step(&sandbox, &mut dice);
                sandbox.git(&["switch", "-q", "x"]).ok();
                sandbox.git(&["merge", "-q", "--no-edit", "-X", "ours", "-s", "ort", "main"]).orderly_merge(&sandbox);
            }
        }
        let outcome = gate(&sandbox, &["--base", "main", "--role", "all"]);
        let verdict = outcome.json();
        let heads =
            json::array(&verdict["changes"]).iter().filter(|change| change["layers"].to_string().contains("head"));
        let ours: BTreeMap<Vec<u8>, _> = heads
            .map(|change| {
                let number = |key: &str| (change["binary"] == false).then(|| change[key].as_u64().unwrap());
                (json::bytes(&change["path"]), (number("added"), number("deleted")))
            })
            .collect();
        assert_eq!(ours, numstat(&sandbox), "seed {seed}: {outcome:?}");
    }
}

/// A merge that stopped in a conflict takes our side.
trait OrderlyMerge {
    fn orderly_merge(self, sandbox: &Sandbox);
}

impl OrderlyMerge for crate::common::outcome::Outcome {
    fn orderly_merge(self, sandbox: &Sandbox) {
        if self.code() != 0 {
            sandbox.git(&["reset", "-q", "--hard", "HEAD"]).ok();
            sandbox.git(&["merge", "-q", "--no-edit", "-s", "ours", "main"]).ok();
        }
    }
}

/// A branch of so many commits, each with a file of its own, beside `main`.
fn import(sandbox: &Sandbox, commits: usize) {
    let mut stream = String::new();
    for number in 0..commits {
        let from = if number == 0 { "from refs/heads/main^0\n" } else { "" };
        let time = 1_750_000_000 + number;
        write!(
            stream,
            "commit refs/heads/core/long\ncommitter T <t@example.invalid> {time} +0000\ndata 1\nx\n{from}\
             M 100644 inline src/{}/{}/f{number}\ndata 2\ny\n\n",
            number / 1_000,
            number / 10 % 100
        )
        .unwrap();
    }
    run(sandbox.git_command(&["fast-import", "--quiet"]), stream.as_bytes(), Duration::from_secs(60)).ok();
}

/// The time of the processor that a gate takes, and what it says. The clock on the wall would tell of other tests.
fn judged(sandbox: &Sandbox) -> (f64, serde_json::Value) {
    let told = sandbox.outside().join("told");
    let mut command = sandbox.cordon_command(&["gate", "--base", "main", "--head", "core/long", "--format", "json"]);
    let mut child = command.stdout(std::fs::File::create(&told).unwrap()).spawn().unwrap();
    let ended = child.wait4().unwrap();
    assert!(ended.status.success());
    let seconds = (ended.rusage.utime + ended.rusage.stime).as_secs_f64();
    (seconds, json::parse(&std::fs::read(told).unwrap()).unwrap())
}

#[test]
fn ten_thousand_commits_are_judged_and_the_time_grows_in_proportion() {
    let policy = "version = 1\n[role.core]\nallow = [\"src/**\"]\nbranches = [\"core/**\"]\nmax_files = 20000\nmax_added_lines = 20000\n";
    let mut took = Vec::new();
    for commits in [2_000_usize, 10_000] {
        let sandbox = team_with(policy);
        import(&sandbox, commits);
        let (seconds, verdict) = judged(&sandbox);
        assert_eq!((&verdict["passed"], &verdict["metrics"]["files"]), (&true.into(), &commits.into()));
        took.push(seconds);
    }
    eprintln!("2,000 commits: {:.2} s, 10,000 commits: {:.2} s", took[0], took[1]);
    assert!(took[1] < took[0] * 10.0, "{took:?}");
}
