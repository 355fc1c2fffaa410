//! The program `heliograph-device`: the commands of a device, without the server.

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use heliograph_terminal::cli::Cli;
use heliograph_terminal::program;

fn main() -> ExitCode {
    program::run(Cli::parse().command, &Cli::command())
}
