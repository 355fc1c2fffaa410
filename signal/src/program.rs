//! The command line of the program `heliograph`: the server, and a device in a terminal.

use clap::{Parser, Subcommand};

use crate::config;

/// Move a clipboard and files of any size between devices.
#[derive(Debug, Parser)]
#[command(name = "heliograph", version)]
pub struct Cli {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Those of the server.
    #[command(flatten)]
    Server(config::Command),
    /// Those of a device.
    #[cfg(feature = "device")]
    #[command(flatten)]
    Device(Box<heliograph_terminal::cli::Command>),
    /// A machine that is always on, as a device
    #[cfg(feature = "device")]
    #[command(subcommand, name = "device")]
    Home(Box<heliograph_terminal::cli::Home>),
}
