//! Programs that run another one: where the other's words begin.

use super::options::{self, Form};
use super::word::Word;

/// A program that runs the words behind its own options.
struct Wrapper {
    name: &'static str,
    form: Form,
    /// How many operands of its own stand before the other program.
    own: usize,
    /// Options with which it runs nothing, or nothing that can be told.
    idle: &'static [&'static str],
    /// The option that changes the directory.
    chdir: &'static [&'static str],
    /// Whether assignments may stand before the other program.
    assigns: bool,
}

const fn form(valued: &'static str, attached: &'static str, long: &'static [&'static str]) -> Form {
    Form { valued, attached, long, leading: true }
}

const fn plain(name: &'static str, form: Form, own: usize) -> Wrapper {
    Wrapper { name, form, own, idle: &["help", "version"], chdir: &[], assigns: false }
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "env",
        form: form("uCS", "", &["unset", "chdir", "split-string"]),
        own: 0,
        idle: &["help", "version", "S", "split-string"],
        chdir: &["C", "chdir"],
        assigns: true,
    },
    Wrapper {
        name: "sudo",
        form: form("ughpCrtTUDR", "", &["user", "group", "host", "prompt", "chdir", "chroot", "role", "type"]),
        own: 0,
        idle: &["help", "version", "l", "list", "v", "e", "edit", "R", "chroot", "K", "V"],
        chdir: &["D", "chdir"],
        assigns: true,
    },
    plain("doas", form("uC", "", &[]), 0),
    plain("nohup", form("", "", &[]), 0),
    plain("setsid", form("", "", &[]), 0),
    Wrapper { idle: &["v", "V"], ..plain("command", form("", "", &[]), 0) },
    plain("builtin", form("", "", &[]), 0),
    plain("exec", form("a", "", &[]), 0),
    plain("time", form("fo", "", &["format", "output"]), 0),
    plain("nice", form("n", "0123456789", &["adjustment"]), 0),
    Wrapper { idle: &["p", "pid", "help"], ..plain("ionice", form("cnp", "", &["class", "classdata", "pid"]), 0) },
    plain("timeout", form("ks", "", &["kill-after", "signal"]), 1),
    plain("stdbuf", form("ioe", "", &["input", "output", "error"]), 0),
    plain("busybox", form("", "", &[]), 0),
    plain(
        "xargs",
        form("adEIlLnPs", "ie", &["arg-file", "delimiter", "max-args", "max-procs", "replace", "max-lines"]),
        0,
    ),
];

/// What a wrapper runs.
pub struct Wrapped {
    /// The other program and its words.
    pub words: Vec<Word>,
    /// The directory that it changes to first.
    pub chdir: Option<Word>,
    /// The assignments before the other program.
    pub assigned: Vec<Word>,
}

/// What a program runs, if it is a wrapper; `Some` of no words when it runs nothing that can be told.
pub fn unwrap(name: &str, words: &[Word]) -> Option<Wrapped> {
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.name == name)?;
    let parsed = options::parse(words, &wrapper.form);
    if parsed.has(wrapper.idle) {
        return Some(Wrapped { words: Vec::new(), chdir: None, assigned: Vec::new() });
    }
    let rest = parsed.operands.iter().copied().skip(wrapper.own);
    let assigned = |word: &Word| wrapper.assigns && word.known().is_none_or(|text| text.contains('='));
    let (before, mut inner): (Vec<Word>, Vec<Word>) = {
        let all: Vec<&Word> = rest.collect();
        let (before, inner) = all.split_at(all.iter().take_while(|word| assigned(word)).count());
        (before.iter().copied().cloned().collect(), inner.iter().copied().cloned().collect())
    };
    if name == "xargs" {
        appended(&mut inner, parsed.value(&["I", "replace"]));
    }
    Some(Wrapped { words: inner, chdir: parsed.value(wrapper.chdir).cloned(), assigned: before })
}

/// xargs puts words in that only its input knows: at a mark, or at the end.
fn appended(words: &mut Vec<Word>, mark: Option<&Word>) {
    match mark.and_then(Word::known).filter(|mark| !mark.is_empty()) {
        Some(mark) => words.iter_mut().filter(|word| word.text.contains(mark)).for_each(|word| word.known = false),
        None if !words.is_empty() => words.push(Word::unknown()),
        None => {}
    }
}
