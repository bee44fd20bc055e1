//! What is said about a path, against `git check-attr`.

use cordon::git::attributes::{PathAttributes, Value};
use cordon::policy::path::RepoPath;

use crate::sandbox::{Sandbox, gits};

const NAMES: [&str; 7] = ["text", "crlf", "eol", "ident", "filter", "working-tree-encoding", "diff"];

fn in_order(found: PathAttributes) -> [Value; 7] {
    [found.text, found.crlf, found.eol, found.ident, found.filter, found.encoding, found.diff]
}

/// Asserts that both say the same about every path, and returns how many answers were compared.
fn agree(sandbox: &Sandbox, paths: &[&str], what: &str) -> usize {
    let input = paths.join("\0");
    let output = sandbox.git_with(&[&["check-attr", "-z", "--stdin"], NAMES.as_slice()].concat(), input.as_bytes());
    let fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
    let mut attributes = sandbox.attributes("HEAD");
    let (answers, _) = fields.as_chunks::<3>();
    assert_eq!(answers.len(), paths.len() * NAMES.len());
    for (path, answers) in paths.iter().zip(answers.chunks(NAMES.len())) {
        let ours = in_order(attributes.at(&RepoPath::from(*path)).expect("attributes"));
        for ((ours, answer), name) in ours.iter().zip(answers).zip(NAMES) {
            let ours: &[u8] = match ours {
                Value::Unspecified => b"unspecified",
                Value::Set => b"set",
                Value::Unset => b"unset",
                Value::Is(value) => value,
            };
            assert_eq!(ours, answer[2], "{name} of {path:?}: {what}");
        }
    }
    answers.len()
}

#[test]
fn precedence_and_macros() {
    for git in gits() {
        let sandbox = Sandbox::new(&git, "sha1");
        sandbox.write(
            ".gitattributes",
            b"\xEF\xBB\xBF[attr]mine diff=root ident\n*.m mine\n*.b binary\n*.d !diff\n\"quo\\tted *\" text\n!neg text\n\\#hash text\n/abs text\ndir/ text\n**/deep/*.x eol=lf\n*.bad -te\xFFxt eol=crlf\n*.n text\0 diff\n* filter=root\n",
        );
        sandbox.write("sub/.gitattributes", b"[attr]mine -ident\n*.m diff=sub\n*.s -text\n*.t filter=\n");
        sandbox.write("sub/inner/.gitattributes", b"*.s text=auto\n*.i diff\n");
        sandbox
            .global_attributes(b"[attr]mine text\n[attr]outer mine eol=crlf\n*.o outer\n*.g diff=global\n*.m eol=lf\n");
        sandbox.info_attributes(b"[attr]binary -diff ident\nsub/inner/*.i diff=info\n*.info !filter\n");
        sandbox.commit();
        let paths = [
            "a.m",
            "sub/a.m",
            "sub/inner/a.m",
            "a.b",
            "sub/a.b",
            "a.d",
            "quo\tted x",
            "neg",
            "!neg",
            "#hash",
            "abs",
            "sub/abs",
            "dir",
            "dir/x",
            "a/deep/b.x",
            "deep/b.x",
            "a.bad",
            "a.n",
            "a.o",
            "sub/inner/a.o",
            "a.g",
            "sub/a.s",
            "sub/inner/a.s",
            "sub/inner/a.i",
            "sub/a.t",
            "x.info",
            "sub/x.info",
            "A.M",
        ];
        agree(&sandbox, &paths, "by hand");
    }
}

/// Small deterministic choices, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        from[usize::try_from(self.0 >> 33).expect("31 bits") % from.len()]
    }
}

fn attribute_file(dice: &mut Dice) -> String {
    let patterns = [
        "*",
        "*.c",
        "*.[ch]",
        "a*",
        "?.c",
        "/a.c",
        "a/",
        "a/b",
        "a/*.c",
        "**/b",
        "a/**",
        "**/a/*.c",
        "b/**/c.c",
        "\\*.c",
        "[!a]*",
        "*c",
        "\"a b\"",
        "a?b.c",
        "A.c",
        "[a-",
        "b",
        "/b/*",
        "**",
        "a**",
        "*/c.c",
        "./a.c",
        "a//b",
        "[[:alpha:]].c",
        "\\a.c",
        "[attr]m0",
        "[attr]m1",
        "[attr]binary",
        "# x",
        "!a",
        "  b.c",
    ];
    let states = [
        "text",
        "-text",
        "!text",
        "text=auto",
        "eol=lf",
        "eol=crlf",
        "-eol",
        "crlf",
        "-crlf",
        "diff",
        "-diff",
        "diff=x",
        "!diff",
        "binary",
        "-binary",
        "!binary",
        "m0",
        "m1",
        "-m0",
        "!m1",
        "ident",
        "filter=f",
        "filter=",
        "filter=a=b",
        "foo",
        "-a=b",
        "=x",
        "working-tree-encoding=UTF-16",
        "text=",
    ];
    let mut file = String::new();
    for _ in 0..dice.pick(&["1", "3", "6", "9"]).len() + 6 {
        file.push_str(dice.pick(&patterns));
        for _ in 0..dice.pick(&["a", "bb", "ccc"]).len() {
            file.push_str(dice.pick(&[" ", "\t", "  "]));
            file.push_str(dice.pick(&states));
        }
        file.push_str(dice.pick(&["\n", "\n", "\r\n", " \n"]));
    }
    file
}

#[test]
fn random_attribute_files() {
    let paths = [
        "a.c",
        "b.c",
        "c.h",
        "a",
        "b",
        "A.c",
        "a b",
        "*.c",
        "a.b.c",
        "a/b",
        "a/a.c",
        "a/b/c.c",
        "b/a.c",
        "b/c.c",
        "b/a/c.c",
        "b/a/b/c.c",
        "a/b/a/x",
        "c/b",
        "c/a/b.c",
        "abc",
        "a/abc",
        "axb.c",
        "é.c",
    ];
    let mut compared = 0;
    for git in gits() {
        for seed in 0..40 {
            let mut dice = Dice(seed);
            let sandbox = Sandbox::new(&git, "sha1");
            let (mut files, mut staged) = (Vec::new(), Vec::new());
            for place in [".gitattributes", "a/.gitattributes", "b/.gitattributes", "b/a/.gitattributes"] {
                if dice.pick(&["yes", "yes", "no"]) == "yes" {
                    let file = attribute_file(&mut dice);
                    sandbox.write(place, file.as_bytes());
                    staged.push((place.to_owned(), file.clone().into_bytes()));
                    files.push((place, file));
                }
            }
            for (place, write) in [
                ("info", Sandbox::info_attributes as fn(&Sandbox, &[u8])),
                ("global", Sandbox::global_attributes as fn(&Sandbox, &[u8])),
            ] {
                let file = attribute_file(&mut dice);
                write(&sandbox, file.as_bytes());
                files.push((place, file));
            }
            sandbox.stage_raw(&staged);
            sandbox.git(&["commit", "-q", "--allow-empty", "-m", "c"]);
            compared += agree(&sandbox, &paths, &format!("{} {files:#?}", git.display()));
        }
    }
    assert!(compared > 6_000, "only {compared} answers were compared");
}
