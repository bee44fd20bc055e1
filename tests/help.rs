//! The help of every command, as it is printed: it is documentation, so a change of it should be seen in a review.

use clap::{Command, CommandFactory};
use cordon::cli::args::Arguments;

#[test]
fn the_whole_help() {
    insta::assert_snapshot!(whole(Arguments::command()));
}

#[test]
fn the_whole_help_of_stone() {
    insta::assert_snapshot!(whole(cordon::cli::stone::args::Arguments::command()));
}

fn whole(command: Command) -> String {
    let mut root = command.term_width(100);
    root.build();
    let mut pages = vec![root.render_long_help().to_string()];
    for command in root.get_subcommands_mut().filter(|command| command.get_name() != "help") {
        let name = command.get_name().to_owned();
        pages.push(format!("\n======== {name} ========\n{}", command.render_long_help()));
    }
    pages.concat()
}

#[test]
fn every_command_has_an_example_and_every_option_its_default() {
    for mut root in [Arguments::command(), cordon::cli::stone::args::Arguments::command()] {
        root.build();
        assert_complete(&root);
    }
}

fn assert_complete(root: &Command) {
    for command in root.get_subcommands().filter(|command| command.get_name() != "help") {
        let name = command.get_name();
        let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(after.contains(&format!("{} {name}", root.get_name())), "`{name}` has no example");
        for option in command.get_arguments().filter(|argument| !argument.is_positional()) {
            let help = option.get_help().map(ToString::to_string).unwrap_or_default();
            let has_default = !option.get_default_values().is_empty() || help.contains("[default: ");
            let needs_none = option.is_required_set() || ["help", "nul"].contains(&option.get_id().as_str());
            let own_patterns = name == "explain" && option.get_id() == "allow";
            assert!(has_default || needs_none || own_patterns, "`{name} --{}` names no default", option.get_id());
        }
    }
}
