//! From the arguments of `stone` to its exit code.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use clap::Parser;
use clap::error::ErrorKind;

use super::args::{Arguments, Attest, Command, Policy, Run};
use crate::cli::terminal::{Terminal, talk};
use crate::cli::usage;
use crate::error::{Error, Kind, Result};
use crate::exit::StoneExit;
use crate::policy::text::Text;
use crate::report::formats::table::Format;
use crate::report::{error, session, session_json};
use crate::stone::attest::{self, Answer};
use crate::stone::read::{self, Found, RECEIPT};
use crate::stone::run::{self, Request};

/// Runs the command that `argv` names.
pub fn run(argv: impl IntoIterator<Item = OsString>) -> StoneExit {
    let argv = usage::without_help_about_help(argv.into_iter().collect());
    match Arguments::try_parse_from(&argv) {
        Ok(arguments) => {
            let mut terminal = terminal(arguments.json);
            let result = dispatch(arguments.command, &mut terminal);
            conclude(result.and_then(|exit| terminal.flush().map(|()| exit)), &mut terminal)
        }
        Err(refusal) if is_help(&refusal) => {
            let mut terminal = Terminal::new(None);
            // Nobody who asks for help and goes away before it is printed has met an error.
            let _ = terminal.human(&refusal.render().ansi().to_string()).and_then(|()| terminal.flush());
            StoneExit::Done
        }
        Err(refusal) => {
            let json = argv.iter().take_while(|word| *word != "--").any(|word| word == "--json");
            conclude(Err(usage::error(&refusal)), &mut terminal(json))
        }
    }
}

/// A call without arguments asks for help as well: that is what callers of the older program rely on.
fn is_help(refusal: &clap::Error) -> bool {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    matches!(refusal.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand)
}

/// Text unless JSON is asked for, also in a pipe: scripts that read the older program's output read this one's.
fn terminal(json: bool) -> Terminal {
    Terminal::new(Some(if json { Format::Json } else { Format::Human }))
}

fn conclude(result: Result<StoneExit>, terminal: &mut Terminal) -> StoneExit {
    match result {
        Ok(exit) => exit,
        Err(error) => {
            if error.kind != Kind::BrokenPipe {
                terminal.fail(&error);
            }
            error.kind.stone_exit()
        }
    }
}

fn dispatch(command: Command, terminal: &mut Terminal) -> Result<StoneExit> {
    let root = workspace()?;
    match command {
        Command::Run(arguments) => run_command(&root, arguments, terminal),
        Command::Show(arguments) => show(&read::find(&root, &arguments.session)?, terminal),
        Command::Verify(arguments) => verify(&read::find(&root, &arguments.session)?, terminal),
        Command::Attest(arguments) => attest(&root, &arguments, terminal),
        Command::List => list(&read::list(&root)?, terminal),
    }
}

/// The directory that `stone` was started in.
fn workspace() -> Result<PathBuf> {
    std::env::current_dir().map_err(|error| {
        Error::new(Kind::Workspace, "the present directory cannot be used")
            .caused_by(error)
            .hint("Go to one that exists.")
    })
}

fn run_command(root: &Path, arguments: Run, terminal: &mut Terminal) -> Result<StoneExit> {
    let strict = arguments.attest_policy == Policy::Strict;
    if strict && arguments.attest.is_none() {
        return Err(Error::usage("--attest-policy strict needs an authority").hint("Name it with --attest URL."));
    }
    let request = Request {
        actor: Text::from_bytes(arguments.actor.into_vec()),
        command: arguments.command,
        capture_output: arguments.capture_output,
        confine: arguments.confine,
        attest: arguments.attest.map(|url| run::Attest { url, strict }),
    };
    let done = run::run(root, &request)?;
    for note in &done.notes {
        talk(&error::note(note));
    }
    let attested = done.attested.as_ref();
    let human = || {
        let line = attested.map_or_else(String::new, |attested| session::attested(attested, RECEIPT));
        session::summary(&done.ledger) + &line
    };
    terminal.answer(human, || session_json::session(&done.ledger, attested, &done.notes))?;
    Ok(done.exit)
}

fn show(found: &Found, terminal: &mut Terminal) -> Result<StoneExit> {
    let Ok(ledger) = &found.ledger else { return verify(found, terminal) };
    terminal.answer(|| session::summary(ledger), || session_json::session(ledger, None, &[]))?;
    Ok(StoneExit::Done)
}

fn verify(found: &Found, terminal: &mut Terminal) -> Result<StoneExit> {
    let told = || match &found.ledger {
        Ok(ledger) => session::intact(ledger, found.has_receipt),
        Err(broken) => session::broken(broken),
    };
    terminal.answer(told, || session_json::verified(&found.id, found.ledger.as_ref(), found.has_receipt))?;
    Ok(if found.ledger.is_ok() { StoneExit::Done } else { StoneExit::NoLedger })
}

fn attest(root: &Path, arguments: &Attest, terminal: &mut Terminal) -> Result<StoneExit> {
    let (id, answer) = attest::attest(root, &arguments.session, arguments.url.as_deref())?;
    match answer {
        // A statement is JSON, and nothing else may stand on its stream.
        Answer::Statement(statement) => terminal.raw(format!("{statement}\n").as_bytes())?,
        Answer::Present => {
            terminal.answer(|| session::receipt_present(RECEIPT), || session_json::receipt(&id, true))?;
        }
        Answer::Accepted => {
            terminal.answer(|| session::attested(&Ok(()), RECEIPT), || session_json::receipt(&id, false))?;
        }
    }
    Ok(StoneExit::Done)
}

fn list(list: &read::List, terminal: &mut Terminal) -> Result<StoneExit> {
    for line in &list.broken {
        talk(&error::warning(&format!("line {line} of .stone/index.jsonl names no session")));
    }
    let rows = list.sessions.iter().map(|listed| {
        let actor = listed.actor.as_ref().map(Text::plain);
        (listed.row.id.as_str(), listed.row.started_at.as_str(), actor, listed.row.outcome.as_str())
    });
    let forms = list.sessions.iter().map(|listed| session_json::ListedForm {
        session: &listed.row.id,
        started_at: &listed.row.started_at,
        actor: listed.actor.as_ref(),
        outcome: &listed.row.outcome,
    });
    terminal.answer(|| session::list(rows), || session_json::list(forms, &list.broken))?;
    Ok(StoneExit::Done)
}
