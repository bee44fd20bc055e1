//! `cordon completions` and `cordon man`: what the definition of the arguments is worth to other programs.

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use super::args::{self, Arguments};
use super::terminal::Terminal;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::policy::escape::typed;
use crate::policy::file::nearest::nearest;

/// The name under which the program is installed.
const PROGRAM: &str = "cordon";

/// Prints the completions of a shell.
pub fn completions(arguments: &args::Completions, terminal: &mut Terminal) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), PROGRAM, &mut script);
    terminal.raw(&script).map(|()| Exit::Accepted)
}

/// Prints a page of the manual.
pub fn man(arguments: &args::Man, terminal: &mut Terminal) -> Result<Exit> {
    let mut root = Arguments::command();
    root.build();
    let mut command = root;
    for word in &arguments.command {
        command = child(&command, word)?;
    }
    let mut page = Vec::new();
    let source = format!("{PROGRAM} {}", env!("CARGO_PKG_VERSION"));
    Man::new(command)
        .source(source)
        .manual("Cordon")
        .render(&mut page)
        .map_err(|error| Error::io("cannot write the page", error))?;
    terminal.raw(&page).map(|()| Exit::Accepted)
}

fn child(command: &Command, name: &str) -> Result<Command> {
    let names = || command.get_subcommands().map(Command::get_name).filter(|name| *name != "help");
    if let Some(found) = command.get_subcommands().find(|child| child.get_name() == name) {
        return Ok(found.clone());
    }
    let error = Error::usage(format!("{} has no command `{}`", command.get_name(), typed(name.as_bytes())));
    Err(match nearest(name, names()) {
        Some(near) => error.hint(format!("Did you mean `{near}`?")),
        None if names().next().is_none() => error.hint("It has no commands of its own."),
        None => error.hint(format!("Its commands: {}.", names().collect::<Vec<_>>().join(", "))),
    })
}
