//! The commands that stay.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::{WayArgs, With, exits, seconds};

/// What a machine does by itself that is always on.
#[derive(Debug, Subcommand)]
pub enum Home {
    /// Receive into a folder all that is shared into a beam of this machine, as a service
    ///
    /// It makes the beam once, keeps it as long as it runs, and shows its link where a person looks. Files land as they are, texts as .txt
    /// and links as .url. What has landed leaves the beam after a day. It goes on until it is ended, also where the server is away.
    #[command(after_long_help = exits())]
    Run(With<RunArgs>),
    /// Show the link of this machine's beam and a code to scan, for a device that is to share into it
    #[command(after_long_help = exits())]
    Pair(With<PairArgs>),
}

/// What is kept in step with what.
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// The folder
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Link, id or short code of the beam, or name or id of a saved one; without it, or with -, it is asked for, or read from the first
    /// line of the standard input. Other users of this machine may see what is on a command line, so better use the variable
    #[arg(long, value_name = "LINK|ID|CODE|NAME", env = "HELIOGRAPH_LINK", hide_env_values = true)]
    pub to: Option<String>,
    /// Send what is there already too, and not only what appears from now on
    #[arg(long)]
    pub all: bool,
    /// Have texts and links land too, as files
    #[arg(long)]
    pub texts: bool,
    /// How long a file has to be the same before it counts as whole
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "2")]
    pub settle: Duration,
    /// Share in clear text, which the server can read
    #[arg(long)]
    pub clear: bool,
    /// How.
    #[command(flatten)]
    pub ways: WayArgs,
}

/// Where what comes lands.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The folder, which is made where it is missing; by default Heliograph in your home folder
    #[arg(long, value_name = "FOLDER", env = "HELIOGRAPH_INTO")]
    pub into: Option<PathBuf>,
    /// Which beam.
    #[command(flatten)]
    pub beam: PairArgs,
    /// How.
    #[command(flatten)]
    pub ways: WayArgs,
}

/// The beam of a machine.
#[derive(Debug, Args)]
pub struct PairArgs {
    /// Where there is no beam yet: make one in clear text, which the server can read
    #[arg(long)]
    pub clear: bool,
}
