//! The `stone` command: arguments in, exit code out. Everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Stone starts itself anew to start the command that it observes; nobody else asks for that.
    cordon::process::keeper::serve(std::env::args_os())
        .unwrap_or_else(|| cordon::cli::stone::app::run(std::env::args_os()).into())
}
