//! What no command line may do to the reader; what each one comes to is tested with the whole program.

use proptest::prelude::*;

use super::*;

fn paths(command: &str) -> Vec<(String, String)> {
    let place = |act| match act {
        Act::Place(place) => (place.by, place.path),
        Act::Commit(by, cwd) | Act::Discard(by, cwd) => (by, cwd),
    };
    read(command, "/r").into_iter().map(place).collect()
}

#[test]
fn a_command_line_comes_to_its_writes_in_order() {
    let expected = [("a redirection", "/r/a"), ("rm", "/r/d/b"), ("cp", "/e"), ("git commit", "/r/d")];
    let found = paths("echo x >a && cd d; rm -f b | cp x /e; git commit -m 'rm c'");
    assert_eq!(found, expected.map(|(by, path)| (by.to_owned(), path.to_owned())));
}

#[test]
fn what_cannot_be_read_to_its_end_comes_to_nothing() {
    for command in ["rm a; echo 'x", "rm a )", "if true; then rm a", "rm a; fi", "rm a; echo $(x", "rm a; <"] {
        assert_eq!(paths(command), [], "{command}");
    }
}

/// Pieces from which something that is almost a script may come.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "rm", "cp", "git", "commit", "-m", "sed", "-i", "a", "b/c", "/x", " ", "  ", "\n", ";", "&", "&&", "|", "||",
        "(", ")", "((", "))", "{", "}", "[[", "]]", "<", ">", ">>", "<<", "<<EOF", "EOF", "'", "\"", "\\", "$", "$(",
        "${", "`", "if", "then", "fi", "for", "in", "do", "done", "case", "esac", ";;", "while", "sh -c", "eval",
        "env", "sudo", "xargs", "-I{}", "cd", "pushd", "popd", "#", "=", "A=1", "~", "*", "{a,b}", "--", "-t",
        "\u{e9}", "\u{0}", "$'\\x", "2>&1", "timeout", "5",
    ]);
    prop::collection::vec((piece, any::<bool>()), 0..40).prop_map(|pieces| {
        pieces.into_iter().map(|(piece, space)| if space { format!("{piece} ") } else { piece.to_owned() }).collect()
    })
}

proptest! {
    #[test]
    fn no_text_is_too_odd(command in any::<String>()) {
        let _ = read(&command, "/r");
    }

    #[test]
    fn no_almost_script_is_too_odd(command in pieces()) {
        for (_, path) in paths(&command) {
            prop_assert!(path.starts_with('/'), "{path}");
        }
    }
}
