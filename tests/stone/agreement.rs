//! Random sequences of file operations: both programs see the same directory change in the same way.

use std::fmt::Write as _;

use super::common::{Random, Space, counterpart, run, setting};

/// Names that meet each other, at the top and below, in zones that are observed and in those that are not.
const NAMES: [&str; 16] = [
    "a",
    "b",
    "c",
    "d/a",
    "d/b",
    "d/e/a",
    "d/e/c",
    "f g/\u{e9}",
    "f g/'q'",
    "venv/x",
    "d/venv/x",
    ".git/x",
    "d/.git/x",
    "node_modules",
    "z-\u{1f600}",
    "A",
];
const DIRECTORIES: [&str; 8] = ["d", "d/e", "f g", "venv", "d/venv", ".git", "d/.git", "h"];
const CONTENTS: [&str; 6] = ["", "1", "2", "one more", "1\\n2\\n", "x\\0y"];
const MODES: [&str; 5] = ["600", "644", "755", "700", "4755"];
const TARGETS: [&str; 5] = ["a", "d/a", "nowhere", "1", "/nowhere/at/all"];

#[test]
fn the_events_are_equal_record_by_record() {
    let Some(real) = counterpart() else { return };
    let seed = setting("CORDON_SEED", 1);
    let mut events = 0;
    for number in 0..setting("CORDON_STONE_SEQUENCES", 25) {
        let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(number));
        let (prepare, change) = (script(&mut random, 12), script(&mut random, 10));
        let (ours, theirs) = (Space::new(), Space::new());
        for space in [&ours, &theirs] {
            run(space.command("sh".as_ref(), &["-c", &prepare])).exits(0);
        }
        ours.observe(&change).exits(0);
        theirs.real(&real, &["run", "--", "sh", "-c", &change]).exits(0);
        assert_eq!(ours.events(), theirs.events(), "sequence {number} of seed {seed}\n{prepare}\n---\n{change}");
        events += ours.events().len();
        theirs.stone(&["verify", "latest"]).exits(0);
        ours.real(&real, &["verify", "latest"]).exits(0);
    }
    println!("{events} events are equal");
    assert!(events > 0, "something happens in these sequences");
}

/// A script whose every step may fail, which is no matter.
fn script(random: &mut Random, steps: usize) -> String {
    let mut script = String::from("mkdir -p d/e 'f g' venv d/venv .git d/.git\nexec 2>/dev/null\n");
    for _ in 0..steps {
        writeln!(script, "{}", step(random)).unwrap();
    }
    script + "true\n"
}

fn step(random: &mut Random) -> String {
    let quoted = |name: &str| format!("'{}'", name.replace('\'', "'\\''"));
    let (one, two) = (quoted(random.pick(&NAMES)), quoted(random.pick(&NAMES)));
    let (directory, other) = (quoted(random.pick(&DIRECTORIES)), quoted(random.pick(&DIRECTORIES)));
    let content = random.pick(&CONTENTS);
    let step = match random.below(19) {
        0..4 => format!("printf '{content}' > {one}"),
        4 => format!("printf '{content}' >> {one}"),
        5 => format!("rm {one}"),
        6 | 7 => format!("mv -T {one} {two}"),
        8 => format!("cp -a -T {one} {two}"),
        9 => format!("cp -T {one} {two}"),
        10 => format!("chmod {} {one}", random.pick(&MODES)),
        11 => format!("ln -s {} {one}", random.pick(&TARGETS)),
        12 => format!("ln -sf {} {one}", random.pick(&TARGETS)),
        13 => format!("ln {one} {two}"),
        14 => format!("mv -T {directory} {other}"),
        15 => format!("rm -r {directory}; mkdir {directory}"),
        16 => format!("mv {one} s; mv {two} {one}; mv s {two}"),
        17 => format!("touch {one}"),
        _ => return format!("rm {one} && mkfifo {one}"),
    };
    // Nobody reads the other end of a pipe, so whoever opens it waits for ever.
    format!("[ -p {one} ] || [ -p {two} ] || {{ {step}; }}")
}
