//! What a patch looks like; `tests/diff_apply.rs` gives the same patches to the real `git apply`.

use super::*;
use crate::audit::evidence::{Change, ChangeKind, Layer};
use crate::policy::path::RepoPath;

type Content<'a> = Option<(Mode, &'a [u8])>;

fn file(path: &[u8], before: Content<'_>, after: Content<'_>) -> FileDiff {
    FileDiff {
        change: Change {
            path: RepoPath::new(path),
            kind: ChangeKind::Modified,
            layers: vec![Layer::Worktree],
            added: 0,
            deleted: 0,
            binary: [before, after].iter().flatten().any(|(_, bytes)| bytes.contains(&0)),
            size_before: before.map(|(_, bytes)| bytes.len() as u64),
            size_after: after.map(|(_, bytes)| bytes.len() as u64),
            mode_before: before.map(|(mode, _)| mode),
            mode_after: after.map(|(mode, _)| mode),
            commit: None,
            content: None,
        },
        inside: true,
        id_before: before.map(|_| "a".repeat(40)),
        id_after: after.map(|_| "b".repeat(40)),
        too_big: false,
        before: before.map(|(_, bytes)| bytes.to_vec()),
        after: after.map(|(_, bytes)| bytes.to_vec()),
    }
}

fn raw(path: &[u8], before: Content<'_>, after: Content<'_>) -> String {
    String::from_utf8_lossy(&patch(&file(path, before, after), Form::Raw)).into_owned()
}

#[test]
fn a_modified_file_with_and_without_a_last_line_feed() {
    let before = b"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
    let after = b"1\n2\n3\n4\nfive\n6\n7\n8\n9\n10";
    insta::assert_snapshot!(raw(b"a b", Some((Mode::File, before)), Some((Mode::Executable, after))), @r"
    diff --git a/a b b/a b
    old mode 100644
    new mode 100755
    --- a/a b	
    +++ b/a b	
    @@ -2,9 +2,9 @@
     2
     3
     4
    -5
    +five
     6
     7
     8
     9
    -10
    +10
    \ No newline at end of file
    ");
}

#[test]
fn added_deleted_empty_and_binary_files() {
    let text = [
        raw(b"new\n\xff", None, Some((Mode::File, b"x\n"))),
        raw(b"gone", Some((Mode::File, b"x")), None),
        raw(b"empty", None, Some((Mode::File, b""))),
        raw(b"logo", None, Some((Mode::File, b"\0"))),
        raw(b"logo", Some((Mode::File, b"\0")), Some((Mode::File, b"\0\0"))),
        raw(b"run", Some((Mode::File, b"x")), Some((Mode::Executable, b"x"))),
    ];
    insta::assert_snapshot!(text.concat(), @r#"
    diff --git "a/new\n\377" "b/new\n\377"
    new file mode 100644
    --- /dev/null
    +++ "b/new\n\377"
    @@ -0,0 +1 @@
    +x
    diff --git a/gone b/gone
    deleted file mode 100644
    --- a/gone
    +++ /dev/null
    @@ -1 +0,0 @@
    -x
    \ No newline at end of file
    diff --git a/empty b/empty
    new file mode 100644
    diff --git a/logo b/logo
    new file mode 100644
    index 0000000000000000000000000000000000000000..bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    GIT binary patch
    literal 1
    Ic${MZ000310RR91

    literal 0
    Hc$@<O00001

    diff --git a/logo b/logo
    index aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa..bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb 100644
    GIT binary patch
    literal 2
    Jc${Nk0000200961

    literal 1
    Ic${MZ000310RR91

    diff --git a/run b/run
    old mode 100644
    new mode 100755
    "#);
}

#[test]
fn a_change_of_type_is_two_patches_and_a_fifo_is_none() {
    let text = [
        raw(b"link", Some((Mode::File, b"x\n")), Some((Mode::Symlink, b"y"))),
        raw(b"pipe", Some((Mode::File, b"x\n")), Some((Mode::Other, b""))),
        raw(b"socket", None, Some((Mode::Other, b""))),
    ];
    insta::assert_snapshot!(text.concat(), @r"
    diff --git a/link b/link
    deleted file mode 100644
    --- a/link
    +++ /dev/null
    @@ -1 +0,0 @@
    -x
    diff --git a/link b/link
    new file mode 120000
    --- /dev/null
    +++ b/link
    @@ -0,0 +1 @@
    +y
    \ No newline at end of file
    diff --git a/pipe b/pipe
    deleted file mode 100644
    --- a/pipe
    +++ /dev/null
    @@ -1 +0,0 @@
    -x
    ");
}

#[test]
fn a_terminal_sees_no_control_characters_of_the_content() {
    let bytes =
        patch(&file(b"a", Some((Mode::File, b"\told\n")), Some((Mode::File, b"\t\x1b[2Jnew\r\xff\n"))), Form::Terminal);
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("\u{1b}[32m+\t\\u{1b}[2Jnew\\r\\xff\u{1b}[0m\n"), "{text:?}");
    assert!(text.contains("\u{1b}[31m-\told\u{1b}[0m\n"), "{text:?}");
}

#[test]
fn a_terminal_is_told_that_binary_files_differ_and_a_program_nothing_of_what_is_too_big() {
    let mut logo = file(b"logo", Some((Mode::File, b"\0")), Some((Mode::File, b"\0\0")));
    let told = |file: &FileDiff, form| anstream::adapter::strip_bytes(&patch(file, form)).into_vec();
    let differ = b"diff --git a/logo b/logo\nBinary files a/logo and b/logo differ\n";
    assert_eq!(told(&logo, Form::Terminal), differ);
    (logo.too_big, logo.before, logo.after) = (true, Some(Vec::new()), Some(Vec::new()));
    assert_eq!(told(&logo, Form::Terminal), differ);
    assert_eq!(told(&logo, Form::Raw), b"");
}

#[test]
fn a_file_that_only_left_the_index_has_no_patch_and_one_that_is_hidden_too_is_gone() {
    let left = file(b"a", Some((Mode::File, b"x\n")), Some((Mode::File, b"x\n")));
    assert_eq!(patch(&left, Form::Raw), b"");
    let hidden = FileDiff { after: None, ..left };
    assert!(patch(&hidden, Form::Raw).starts_with(b"diff --git a/a b/a\ndeleted file mode 100644\n"));
}

#[test]
fn a_lone_carriage_return_ends_no_line() {
    assert!(raw(b"a", None, Some((Mode::File, b"x\ry\r\n"))).ends_with("@@ -0,0 +1 @@\n+x\ry\r\n"));
}

#[test]
fn two_large_files_with_nothing_in_common_are_compared_at_once() {
    let side = |mark: &str| (0..100_000).map(|n| format!("{mark}{n}\n")).collect::<Vec<_>>().concat();
    let (old, new) = (side("a"), side("b"));
    let text = raw(b"a", Some((Mode::File, old.as_bytes())), Some((Mode::File, new.as_bytes())));
    assert!(text.contains("@@ -1,100000 +1,100000 @@\n"));
}
