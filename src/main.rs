//! The `cordon` command: arguments in, exit code out. Everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    cordon::cli::app::run(std::env::args_os()).into()
}
