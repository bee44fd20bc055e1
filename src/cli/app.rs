//! From the arguments to the exit code.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use clap::Parser;
use clap::error::ErrorKind;

use super::args::ledger::LedgerAction;
use super::args::{Arguments, Command};
use super::terminal::{Terminal, talk};
use super::{
    arm, check, codes, diff, explain, gate, hook, init, ledger, policy, rescue, reset, run, setup, shell, status,
    usage, whose,
};
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::policy::escape;
use crate::report::formats::table::{Answer, Format};

/// Runs the command that `argv` names.
pub fn run(argv: impl IntoIterator<Item = OsString>) -> Exit {
    let argv = usage::without_help_about_help(argv.into_iter().collect());
    match Arguments::try_parse_from(&argv) {
        Ok(arguments) => {
            let mut terminal = Terminal::new(arguments.format.or(own_format(&arguments.command)));
            let result = dispatch(&arguments, &mut terminal);
            conclude(result.and_then(|exit| terminal.flush().map(|()| exit)), &mut terminal)
        }
        Err(refusal) if matches!(refusal.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            let mut terminal = Terminal::new(None);
            // Nobody who asks for help and goes away before it is printed has met an error.
            let _ = terminal.human(&refusal.render().ansi().to_string()).and_then(|()| terminal.flush());
            Exit::Accepted
        }
        Err(refusal) => {
            let mut terminal = Terminal::new(usage::format(&argv));
            if refusal.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
                talk(&refusal.render().ansi().to_string());
            }
            conclude(Err(usage::error(&refusal)), &mut terminal)
        }
    }
}

/// The format of a command whose output for people is also the one for programs, as a patch or a file is, or goes to
/// people through a pipe, as that of a hook does.
fn own_format(command: &Command) -> Option<Format> {
    let for_people = match command {
        Command::Diff(_) => true,
        Command::Gate(gate) => gate.pre_receive,
        Command::Init(init) => init.dry_run,
        Command::Setup(setup) => setup.dry_run,
        _ => false,
    };
    for_people.then_some(Format::Human)
}

/// What a command answers with, which decides about its formats.
fn kind_of_answer(command: &Command) -> Answer {
    match command {
        Command::Check(_) => Answer::Verdict,
        Command::Gate(gate) if !gate.pre_receive => Answer::Verdict,
        Command::Ledger(ledger) => match ledger.action {
            LedgerAction::Show(_) => Answer::Verdict,
            LedgerAction::Export(_) => Answer::Export,
            _ => Answer::Any,
        },
        _ => Answer::Any,
    }
}

fn dispatch(arguments: &Arguments, terminal: &mut Terminal) -> Result<Exit> {
    let repo = &arguments.repo;
    let kind = kind_of_answer(&arguments.command);
    if let Some(format) = arguments.format.filter(|format| !format.is_of(kind)) {
        return Err(Error::usage(format!("--format {} is not for this command", format.row().name))
            .hint(format!("It has the formats {}.", Format::names_of(kind))));
    }
    // A hook answers with silence where others refuse.
    let is_hook = matches!(arguments.command, Command::Hook(_));
    if !is_hook && std::fs::metadata(repo).is_ok_and(|metadata| !metadata.is_dir()) {
        return Err(Error::usage(format!("--repo: {} is no directory", escape::plain(repo.as_os_str().as_bytes())))
            .hint("Name the repository's root, or any directory in it."));
    }
    match &arguments.command {
        Command::Arm(arm) => arm::run(repo, arm, terminal),
        Command::Check(check) => check::run(repo, check, terminal),
        Command::Gate(gate) => gate::run(repo, gate, terminal),
        Command::Run(arguments) => run::run(repo, arguments, terminal),
        Command::Resume => run::resume(repo, terminal),
        Command::Status => status::run(repo, terminal),
        Command::Reset(arguments) => reset::run(repo, arguments, terminal),
        Command::Diff(diff) => diff::run(repo, diff, terminal),
        Command::Explain(explain) => explain::run(repo, explain, terminal),
        Command::Policy(arguments) => policy::run(repo, arguments, terminal),
        Command::Init(init) => init::run(repo, init, terminal),
        Command::Whose(arguments) => whose::run(repo, arguments, terminal),
        Command::Rescue(rescue) => rescue::run(repo, rescue, terminal),
        Command::Ledger(named) => ledger::run(repo, named, arguments.format, terminal),
        Command::Codes(codes) => codes::run(codes, terminal),
        Command::Setup(setup) => setup::run(repo, setup, terminal),
        Command::Completions(completions) => shell::completions(completions, terminal),
        Command::Man(man) => shell::man(man, terminal),
        Command::Hook(hook) => hook::run(repo, hook.event, terminal),
    }
}

fn conclude(result: Result<Exit>, terminal: &mut Terminal) -> Exit {
    match result {
        Ok(exit) => exit,
        Err(error) => {
            if error.kind != Kind::BrokenPipe {
                terminal.fail(&error);
            }
            error.kind.exit()
        }
    }
}
