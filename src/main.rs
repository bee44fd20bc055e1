//! The `cordon` command: arguments in, exit code out. Everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Cordon starts itself anew to keep the programs that it runs; nobody else asks for that.
    cordon::process::keeper::serve(std::env::args_os())
        .unwrap_or_else(|| cordon::cli::app::run(std::env::args_os()).into())
}
