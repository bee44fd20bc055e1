//! Bad arguments on the same way as every other error: clap's words in Cordon's form.

use std::ffi::{OsStr, OsString};

use clap::ValueEnum;
use clap::error::ErrorKind;

use crate::error::Error;
use crate::report::formats::table::Format;

/// Arguments that an option with many values takes for one of its own when they stand behind it.
const SWALLOWED: [(&str, &str); 3] = [
    ("<TASK>", "Write the task before --allow, which takes every word that follows it."),
    ("<LABEL>", "Write the label before --allow, which takes every word that follows it."),
    ("<PATH>", "Write the paths before --allow, which takes every word that follows it, or after `--`."),
];

/// What clap found wrong, as an error with clap's advice as its hints.
pub fn error(refusal: &clap::Error) -> Error {
    if refusal.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return Error::usage("no command given").hint("Run `cordon --help` to see the commands.");
    }
    let text = refusal.render().to_string();
    // What a parser of our own refuses is a sentence already.
    let own = match refusal.kind() {
        ErrorKind::ValueValidation => std::error::Error::source(refusal).map(ToString::to_string),
        _ => None,
    };
    let mut paragraphs = text.split("\n\n").map(one_line).filter(|paragraph| !paragraph.is_empty());
    let first = paragraphs.next().unwrap_or_default();
    let message = own.as_deref().unwrap_or_else(|| first.strip_prefix("error: ").unwrap_or(&first));
    let mut error = Error::usage(message);
    if refusal.kind() == ErrorKind::MissingRequiredArgument {
        for (_, hint) in SWALLOWED.iter().filter(|(argument, _)| message.contains(argument)) {
            error = error.hint(*hint);
        }
    }
    for paragraph in paragraphs {
        let hint = paragraph.strip_prefix("tip: ").unwrap_or(&paragraph);
        error = error.hint(hint);
    }
    error
}

/// `cordon help --help` means `cordon help`, which has no options of its own.
pub fn without_help_about_help(mut argv: Vec<OsString>) -> Vec<OsString> {
    if argv.get(1).is_some_and(|word| word == "help") {
        argv.retain(|word| word != "--help" && word != "-h");
    }
    argv
}

/// The format that a command line asks for that cannot be parsed as a whole.
pub fn format(argv: &[OsString]) -> Option<Format> {
    let options: Vec<&OsStr> = argv.iter().map(OsString::as_os_str).take_while(|word| *word != "--").collect();
    let joined = options.iter().filter_map(|word| word.to_str()?.strip_prefix("--format="));
    let apart = options.windows(2).filter(|pair| pair[0] == "--format").filter_map(|pair| pair[1].to_str());
    joined.chain(apart).find_map(|name| Format::from_str(name, false).ok())
}

fn one_line(paragraph: &str) -> String {
    let separator = if paragraph.starts_with("Usage:") { " | " } else { " " };
    paragraph.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::args::Arguments;
    use crate::report;

    fn told(words: &[&str]) -> String {
        let refusal = Arguments::try_parse_from([&["cordon"], words].concat()).unwrap_err();
        anstream::adapter::strip_str(&report::error::human(&error(&refusal))).to_string()
    }

    #[test]
    fn the_words_are_claps_in_our_form() {
        let all = [
            told(&[]),
            told(&["arm", "--allow", "a", "label"]),
            told(&["explain", "--allow", "a", "path"]),
            told(&["arm", "x", "--alow", "a"]),
            told(&["chek"]),
            told(&["check", "\u{1b}[2J\nerror: no"]),
            told(&["arm", "x", "--allow", "a", "--max-attempts", "0"]),
            told(&["arm", "x", "--allow", "a", "--max-files", "-1"]),
            told(&["arm", "x", "--allow", "a", "--verify-timeout=1h\u{1b}"]),
        ];
        insta::assert_snapshot!(all.concat(), @r"
        error: no command given
          hint: Run `cordon --help` to see the commands.
        error: the following required arguments were not provided: <LABEL>
          hint: Write the label before --allow, which takes every word that follows it.
          hint: Usage: cordon arm <LABEL> --allow <GLOB>... [OPTIONS]
          hint: For more information, try '--help'.
        error: the following required arguments were not provided: <PATH>...
          hint: Write the paths before --allow, which takes every word that follows it, or after `--`.
          hint: Usage: cordon explain <PATH>... [OPTIONS] | cordon explain -z [OPTIONS] < PATHS
          hint: For more information, try '--help'.
        error: unexpected argument '--alow' found
          hint: a similar argument exists: '--allow'
          hint: Usage: cordon arm <LABEL> --allow <GLOB>... [OPTIONS]
          hint: For more information, try '--help'.
        error: unrecognized subcommand 'chek'
          hint: a similar subcommand exists: 'check'
          hint: Usage: cordon [OPTIONS] <COMMAND>
          hint: For more information, try '--help'.
        error: unexpected argument ' error: no' found
          hint: Usage: cordon check [OPTIONS]
          hint: For more information, try '--help'.
        error: --max-attempts takes a whole number from 1 to 100, got 0
          hint: For more information, try '--help'.
        error: --max-files takes a whole number from 0, got -1
          hint: For more information, try '--help'.
        error: --verify-timeout takes a whole number from 1 to 86400, got 1h\u{1b}
          hint: For more information, try '--help'.
        ");
    }

    #[test]
    fn the_format_is_found_without_a_parse() {
        let of = |words: &[&str]| format(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of(&["cordon", "--format", "json", "chek"]), Some(Format::Json));
        assert_eq!(of(&["cordon", "chek", "--format=human"]), Some(Format::Human));
        assert_eq!(of(&["cordon", "--format"]), None);
        assert_eq!(of(&["cordon", "--format", "xml"]), None);
        assert_eq!(of(&["cordon", "explain", "--", "--format", "json"]), None);
    }
}
