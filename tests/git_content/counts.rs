//! Counts and converted content against `git diff --numstat` and `git hash-object`.

use cordon::git::attributes::{PathAttributes, Value};
use cordon::git::content::{Conversion, LineEndings};
use cordon::git::lines::{BIG_FILE, Drivers, Lines, Side, count};
use cordon::policy::path::RepoPath;

use crate::sandbox::{Sandbox, gits};

const ATTRIBUTES: &[u8] = b"\
*.crlf text eol=crlf
*.lf text eol=lf
*.auto text=auto
*.autocrlf text=auto eol=crlf
*.text text
*.old crlf
*.oldin crlf=input
*.notext -text
*.id ident
*.idno ident=yes
*.u16 text working-tree-encoding=UTF-16LE
*.u16m working-tree-encoding=UTF-16
*.u16b working-tree-encoding=UTF-16LE-BOM eol=crlf
*.u32 working-tree-encoding=utf-32
*.latin working-tree-encoding=ISO-8859-1
*.sjis working-tree-encoding=SHIFT-JIS
*.odd working-tree-encoding=no-such
*.nodiff -diff
*.diff diff
*.bin binary
*.drv diff=custom
*.drvtext diff=plain
*.drvauto diff=auto
*.drvnone diff=unknown
*.filtered filter=missing eol=crlf
";

/// Contents that are written under every name.
fn contents() -> Vec<(&'static str, Vec<u8>)> {
    let utf16 = |text: &str, mark: bool| {
        let units = mark.then_some(0xFEFF).into_iter().chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()
    };
    let utf32 = |text: &str| {
        let units = std::iter::once(0xFEFF).chain(text.chars().map(u32::from));
        units.flat_map(u32::to_be_bytes).collect::<Vec<u8>>()
    };
    vec![
        ("empty", Vec::new()),
        ("one", b"x".to_vec()),
        ("onenl", b"x\n".to_vec()),
        ("lf", b"a\nb\nc\n".to_vec()),
        ("nofinal", b"a\nb\nc".to_vec()),
        ("crlf", b"a\r\nb\r\nc\r\n".to_vec()),
        ("mixed", b"a\r\nb\nc\r\nd".to_vec()),
        ("cr", b"a\rb\rc\r".to_vec()),
        ("crcrlf", b"a\r\r\nb\r\n\n\r".to_vec()),
        ("nul", b"a\0b\r\nc\n".to_vec()),
        ("latenul", [vec![b'a'; 7_999], b"\n\0\r\n".to_vec()].concat()),
        ("edgenul", [vec![b'a'; 7_999], b"\0\r\n".to_vec()].concat()),
        ("ident", b"$Id: abc $\n$Id$ $Id:$\n$Id: x\n$ $Ident$\n$Id: $Id: y$\r\n".to_vec()),
        ("eof", b"a\r\nb\r\n\x1a".to_vec()),
        ("ctrl", [b"a\r\n".to_vec(), vec![1; 9]].concat()),
        ("u16", utf16("\u{e4}\r\n\u{1f600}\n", false)),
        ("u16mark", utf16("\u{e4}\r\n\u{1f600}\n", true)),
        ("u16cut", [utf16("a\n", false), vec![0]].concat()),
        ("u32mark", utf32("\u{e4}\r\n\u{1f600}\n")),
        ("latin", b"\xe4\xf6\x80\r\n\xff\n".to_vec()),
        ("sjis", b"\x83\x65\x83\x58\r\n".to_vec()),
    ]
}

const ENDINGS: [&str; 26] = [
    "crlf", "lf", "auto", "autocrlf", "text", "old", "oldin", "notext", "id", "idno", "u16", "u16m", "u16b", "u32",
    "latin", "sjis", "odd", "nodiff", "diff", "bin", "drv", "drvtext", "drvauto", "drvnone", "filtered", "plain",
];

fn drivers() -> Drivers {
    let entries = [("custom", Some(true)), ("plain", Some(false)), ("auto", None)];
    entries.map(|(name, binary)| (name.as_bytes().to_vec(), binary)).into()
}

#[test]
fn every_content_under_every_attribute_and_setting() {
    let mut compared = 0;
    for git in gits() {
        let settings: [(&str, &[(&str, &str)]); 5] = [
            ("sha1", &[]),
            ("sha256", &[("core.autocrlf", "true")]),
            ("sha1", &[("core.autocrlf", "input")]),
            ("sha1", &[("core.eol", "crlf")]),
            ("sha1", &[("core.autocrlf", "Yes"), ("diff.default.binary", "true")]),
        ];
        for (format, config) in settings {
            let sandbox = Sandbox::new(&git, format);
            for (key, value) in
                [("diff.custom.binary", "true"), ("diff.plain.binary", "no"), ("diff.auto.binary", "auto")]
            {
                sandbox.git(&["config", key, value]);
            }
            let mut drivers = drivers();
            for (key, value) in config {
                sandbox.git(&["config", key, value]);
                if *key == "diff.default.binary" {
                    drivers.insert(b"default".to_vec(), Some(true));
                }
            }
            sandbox.write(".gitattributes", ATTRIBUTES);
            sandbox.commit();
            // In the baseline each file holds one content, on disk it holds the next one.
            let contents = contents();
            let mut staged = Vec::new();
            for ending in ENDINGS {
                for (at, (name, content)) in contents.iter().enumerate() {
                    let path = format!("{name}.{ending}");
                    let before = &contents[(at * 5 + ending.len()) % contents.len()].1;
                    staged.push((path.clone(), before.clone()));
                    sandbox.write(&path, content);
                }
            }
            sandbox.stage_raw(&staged);
            sandbox.git(&["commit", "-q", "-m", "baseline"]);
            let mut attributes = sandbox.attributes("HEAD");
            let theirs = sandbox.numstat("HEAD");
            let ours = sandbox.ours("HEAD", &mut attributes, &drivers);
            for path in theirs.keys().chain(ours.keys()) {
                assert_eq!(theirs.get(path), ours.get(path), "{path:?} by {} with {config:?}", git.display());
            }
            compared += theirs.len();
            hashes_agree(&sandbox, format);
        }
    }
    assert!(compared > 2_000, "only {compared} files were compared");
}

/// `git hash-object` knows no index, so what it says is the conversion of a new file.
fn hashes_agree(sandbox: &Sandbox, format: &str) {
    let hash = if format == "sha1" { gix::hash::Kind::Sha1 } else { gix::hash::Kind::Sha256 };
    let (mut attributes, endings) = (sandbox.attributes("HEAD"), sandbox.endings());
    let names: Vec<String> =
        contents().iter().flat_map(|(name, _)| ENDINGS.map(|ending| format!("{name}.{ending}"))).collect();
    let ids = sandbox.git_with(&["hash-object", "--stdin-paths"], names.join("\n").as_bytes());
    let ids = String::from_utf8(ids).expect("text");
    assert_eq!(ids.lines().count(), names.len());
    for (name, id) in names.iter().zip(ids.lines()) {
        let found = attributes.at(&RepoPath::from(name.as_str())).expect("attributes");
        let conversion = Conversion::new(&found, endings);
        let mut file = std::fs::File::open(sandbox.root().join(name)).expect("a file");
        let size = file.metadata().expect("a file").len();
        let ours = conversion.identify(hash, &mut file, size, &mut || Ok(None)).expect("an id");
        assert_eq!(ours.id.to_string(), id, "{name}");
    }
}

#[test]
fn kinds_of_entries_and_changes_between_them() {
    for git in gits() {
        for format in ["sha1", "sha256"] {
            let sandbox = Sandbox::new(&git, format);
            sandbox.write(".gitattributes", b"*.nodiff -diff\n*.txt text eol=crlf\n");
            let files = [
                "file.txt",
                "file.nodiff",
                "tolink.txt",
                "tolink.nodiff",
                "gone.nodiff",
                "gone.txt",
                "mode.nodiff",
                "mode.txt",
                "tosub",
                "subgone/keep",
            ];
            for file in files {
                sandbox.write(file, b"a\r\nb\r\nc");
            }
            for link in ["link", "link.nodiff", "tofile", "tofile.nodiff", "linkgone"] {
                sandbox.link(link, b"some/target\nwith two lines");
            }
            for sub in ["sub", "dirty", "subtofile", "subtogone"] {
                nested(&sandbox, sub);
            }
            sandbox.commit();
            sandbox.write("file.txt", b"a\r\nx\r\nc");
            sandbox.write("file.nodiff", b"z");
            sandbox.link("tolink.txt", b"a\r\nb");
            sandbox.link("tolink.nodiff", b"a\nb");
            sandbox.link("link", b"other\0target".split(|byte| *byte == 0).next().expect("a part"));
            sandbox.link("link.nodiff", b"other");
            sandbox.write("tofile", b"some/target\nx\n");
            sandbox.write("tofile.nodiff", b"some/target\nx\n");
            sandbox.mode("mode.nodiff", 0o755);
            sandbox.mode("mode.txt", 0o755);
            for path in ["gone.nodiff", "gone.txt", "linkgone", "tosub", "subtofile", "subtogone", "subgone/keep"] {
                sandbox.remove(path);
            }
            sandbox.write("subtofile", b"1\n2\n3\n");
            nested(&sandbox, "tosub");
            sandbox.git(&["-C", "sub", "commit", "-q", "--allow-empty", "-m", "next"]);
            sandbox.write("dirty/inner", b"changed\n");
            sandbox.write("new.nodiff", b"n\n");
            sandbox.write("new.txt", b"n\r\n\r\n");
            sandbox.write("new.empty", b"");
            sandbox.link("new.link", b"there");
            sandbox.git(&["add", "-N", "new.nodiff", "new.txt", "new.empty", "new.link"]);
            let mut attributes = sandbox.attributes("HEAD");
            let theirs = sandbox.numstat("HEAD");
            let ours = sandbox.ours("HEAD", &mut attributes, &Drivers::new());
            assert!(theirs.len() >= 20, "{theirs:?}");
            assert_eq!(theirs, ours, "{} {format}", git.display());
        }
    }
}

/// A repository inside the repository, with one commit.
fn nested(sandbox: &Sandbox, name: &str) {
    let format = String::from_utf8(sandbox.git(&["rev-parse", "--show-object-format"])).expect("text");
    sandbox.git(&["init", "-q", "--object-format", format.trim_end(), name]);
    sandbox.write(&format!("{name}/inner"), b"content\n");
    sandbox.git(&["-C", name, "add", "inner"]);
    let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
    sandbox.git(&[&["-C", name], identity.as_slice(), &["commit", "-q", "-m", "c"]].concat());
    sandbox.git(&["-C", name, "config", "user.name", "T"]);
    sandbox.git(&["-C", name, "config", "user.email", "t@example.org"]);
}

#[test]
fn todays_attributes_and_drivers_have_no_say() {
    for git in gits() {
        let sandbox = Sandbox::new(&git, "sha1");
        sandbox.write("a.txt", b"1\n2\n");
        sandbox.write("b.x", b"1\n");
        sandbox.write(".gitattributes", b"b.x filter=evil\n");
        sandbox.commit();
        let mut attributes = sandbox.attributes("HEAD");
        let before = sandbox.numstat("HEAD");
        assert!(before.is_empty());
        sandbox.write("a.txt", b"1\n2\n3\n");
        let expected = sandbox.numstat("HEAD");
        sandbox.write(".gitattributes", b"* -diff\n");
        sandbox.info_attributes(b"* -diff\n");
        let ours = sandbox.ours("HEAD", &mut attributes, &Drivers::new());
        let path = RepoPath::from("a.txt");
        assert_eq!(ours.get(&path), expected.get(&path));
        assert_eq!(ours.get(&path), Some(&Lines { added: 1, deleted: 0, binary: false }));
        // The driver is reported, and run by nobody.
        let marker = sandbox.root().join("ran");
        sandbox.git(&["config", "filter.evil.clean", &format!("touch '{}'; cat", marker.display())]);
        let found = attributes.at(&RepoPath::from("b.x")).expect("attributes");
        let conversion = Conversion::new(&found, LineEndings::default());
        assert_eq!(conversion.driver(), Some(b"evil".as_slice()));
        assert_eq!(&*conversion.to_git(b"1\n2\n", &mut || Ok(None)).expect("content").bytes, b"1\n2\n");
        assert!(!marker.exists());
    }
}

#[test]
fn large_files_and_errors_of_the_index() {
    let huge = count(Side::Absent, Side::Huge, &Value::Unspecified, &Drivers::new());
    assert_eq!(huge, Lines { binary: true, ..Lines::default() });
    assert_eq!(BIG_FILE, 512 << 20);
    let auto = PathAttributes { text: Value::Is(b"auto".to_vec()), ..PathAttributes::default() };
    let conversion = Conversion::new(&auto, LineEndings::default());
    let failing = conversion.to_git(b"a\r\n", &mut || Err(cordon::error::Error::repository("no such blob")));
    assert_eq!(failing.expect_err("the index cannot be read").message, "no such blob");
    assert!(conversion.to_git(b"a\n", &mut || Err(cordon::error::Error::repository("not asked"))).is_ok());
}

#[test]
fn a_stream_that_needs_no_conversion_is_not_held() {
    use std::io::Cursor;
    let auto = PathAttributes { text: Value::Is(b"auto".to_vec()), ..PathAttributes::default() };
    let conversion = Conversion::new(&auto, LineEndings::default());
    let hash = gix::hash::Kind::Sha1;
    for (unit, converted) in [(b"ab\n".as_slice(), false), (b"ab\r\n", true), (b"a\0\r\n", false)] {
        let content = unit.repeat(6 << 20);
        let found = conversion.identify(hash, &mut Cursor::new(&content), content.len() as u64, &mut || Ok(None));
        let expected = conversion.to_git(&content, &mut || Ok(None)).expect("content");
        let id = cordon::git::blob::id_of(hash, &expected.bytes).expect("an id");
        assert_eq!(found.expect("an id"), cordon::git::content::Identity { id, converted });
        let shorter = conversion.identify(hash, &mut Cursor::new(&content), content.len() as u64 + 1, &mut || Ok(None));
        assert!(shorter.is_err());
    }
}
