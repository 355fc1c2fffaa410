//! The command line.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use url::Url;

use crate::exit::Exit;

/// A terminal or a script in a beam of Heliograph.
#[derive(Debug, Parser)]
#[command(name = "heliograph-device", version, about)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

fn exits() -> String {
    format!("Exit codes:\n{}", Exit::table())
}

/// What every command takes, and what is its own.
#[derive(Debug, Args)]
pub struct With<A: Args> {
    /// Its own.
    #[command(flatten)]
    pub own: A,
    /// What it says and how.
    #[command(flatten)]
    pub common: Common,
}

/// What holds for every command that enters a beam.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Common {
    /// Address of the server on which a beam is made; a link names its own
    #[arg(long, env = "HELIOGRAPH_SERVER", value_name = "URL", value_parser = address)]
    pub server: Option<Url>,
    /// Name of this device, as others see it
    #[arg(long, env = "HELIOGRAPH_NAME")]
    pub name: Option<String>,
    /// Configuration file (TOML: server, name); by default device.toml in the folder heliograph of your settings
    #[arg(long, env = "HELIOGRAPH_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print what happens as JSON, one object a line, to the standard output
    #[arg(long)]
    pub json: bool,
    /// Say nothing but the link of a new beam, and errors
    #[arg(long, short)]
    pub quiet: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Colour,
    /// End with exit code 10 when it is not done by then, or 6 when no device has let this one in
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Share a text: from the standard input, or --text
    ///
    /// Without a link it makes a beam, shows its link and a code to scan, and waits until another device has opened it: only then has
    /// anybody else the keys.
    #[command(after_long_help = exits())]
    Copy(With<CopyArgs>),
    /// Print the newest text of a beam
    ///
    /// To a terminal, control characters of the text are shown and not sent. To a file or a pipe it goes as it is.
    #[command(after_long_help = exits())]
    Paste(With<PasteArgs>),
    /// Send files and folders to the devices of a beam
    ///
    /// Without a link it makes a beam, and shows its link and a code to scan. It sends to every device that comes until Ctrl-C ends it.
    #[command(after_long_help = exits())]
    Send(With<SendArgs>),
    /// Receive the files of a beam into a folder
    ///
    /// It takes all that is there, and never replaces a file. What was begun before goes on where it was.
    #[command(after_long_help = exits())]
    Receive(With<ReceiveArgs>),
    /// Stay in a beam: show what comes, and share each line that is typed
    ///
    /// A file is shown with its number. /take 1 receives it, /pause 1 and /resume 1 let it rest and go on, and /cancel 1 gives it up.
    #[command(after_long_help = exits())]
    Join(With<JoinArgs>),
    /// Log in to an account, so that its saved beams can be named in place of links
    ///
    /// The password is asked for, and goes to no server as it is where the account has a vault. The login is kept until `logout`, in a
    /// file that only this person may read.
    #[command(after_long_help = exits())]
    Login(With<LoginArgs>),
    /// Log out, at the server and here
    #[command(after_long_help = exits())]
    Logout(With<Nothing>),
    /// List the saved beams of the account that is logged in
    #[command(after_long_help = exits())]
    Beams(With<Nothing>),
    /// Print a script that completes this program's words in a shell
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual, or write all of its pages into a folder
    Man {
        /// The folder.
        folder: Option<PathBuf>,
    },
}

impl Command {
    /// What it says and how; nothing of those that enter no beam.
    #[must_use]
    pub const fn common(&self) -> Option<&Common> {
        match self {
            Self::Copy(With { common, .. })
            | Self::Paste(With { common, .. })
            | Self::Send(With { common, .. })
            | Self::Receive(With { common, .. })
            | Self::Join(With { common, .. })
            | Self::Login(With { common, .. })
            | Self::Logout(With { common, .. })
            | Self::Beams(With { common, .. }) => Some(common),
            Self::Completions { .. } | Self::Man { .. } => None,
        }
    }
}

/// Whose text is shared where.
#[derive(Debug, Args)]
pub struct CopyArgs {
    /// Link of the beam, or name or id of a saved one; - asks for it. Other users of this machine may see what is on a command line, so better use the variable
    #[arg(long, value_name = "LINK", env = "HELIOGRAPH_LINK", hide_env_values = true)]
    pub to: Option<String>,
    /// The text, in place of the standard input
    #[arg(long)]
    pub text: Option<String>,
    /// Make a beam and save it under this name in the account that is logged in
    #[arg(long, value_name = "NAME", conflicts_with_all = ["to", "clear"])]
    pub save: Option<String>,
    /// Share in clear text, which the server can read
    #[arg(long)]
    pub clear: bool,
}

/// How files travel.
#[derive(Debug, Args)]
pub struct WayArgs {
    /// Have no direct connections to other devices: files go through the server
    #[arg(long)]
    pub no_direct: bool,
    /// Address of this machine for direct connections; by default all but those of the loopback interface
    #[arg(long, value_name = "IP", conflicts_with = "no_direct")]
    pub address: Vec<IpAddr>,
}

/// What is sent where.
#[derive(Debug, Args)]
pub struct SendArgs {
    /// The files and folders
    #[arg(required = true, value_name = "FILE|FOLDER")]
    pub paths: Vec<PathBuf>,
    /// Link of the beam, or name or id of a saved one; - asks for it. Other users of this machine may see what is on a command line, so better use the variable
    #[arg(long, value_name = "LINK", env = "HELIOGRAPH_LINK", hide_env_values = true)]
    pub to: Option<String>,
    /// Make a beam and save it under this name in the account that is logged in
    #[arg(long, value_name = "NAME", conflicts_with_all = ["to", "clear"])]
    pub save: Option<String>,
    /// End when one device has it all
    #[arg(long)]
    pub once: bool,
    /// Share in clear text, which the server can read
    #[arg(long)]
    pub clear: bool,
    /// How.
    #[command(flatten)]
    pub ways: WayArgs,
}

/// What is received where.
#[derive(Debug, Args)]
pub struct ReceiveArgs {
    /// From where.
    #[command(flatten)]
    pub link: LinkArgs,
    /// The folder, which is made where it is missing; by default this one
    pub folder: Option<PathBuf>,
    /// The same, for where the link is in the variable
    #[arg(long, value_name = "FOLDER", conflicts_with = "folder")]
    pub into: Option<PathBuf>,
    /// Wait for a file where there is none, and for devices that are not here. Without it, nothing is waited for longer than 30 s
    #[arg(long)]
    pub wait: bool,
    /// Stay, and receive all that comes until Ctrl-C ends it
    #[arg(long)]
    pub stay: bool,
    /// How.
    #[command(flatten)]
    pub ways: WayArgs,
}

/// Which beam.
#[derive(Debug, Args)]
pub struct LinkArgs {
    /// Link of the beam, or name or id of a saved one; without it, or with -, it is asked for, or read from the first line of the standard
    /// input. Other users of this machine may see what is on a command line, so better use the variable
    #[arg(env = "HELIOGRAPH_LINK", hide_env_values = true)]
    pub link: Option<String>,
    /// Join a beam in clear text, which the server can read
    #[arg(long)]
    pub clear: bool,
}

/// Who logs in.
#[derive(Debug, Args)]
pub struct LoginArgs {
    /// The username; without it, it is asked for
    #[arg(long, value_name = "NAME", env = "HELIOGRAPH_USERNAME")]
    pub username: Option<String>,
    /// Read the password from the first line of the standard input, in place of asking for it
    #[arg(long)]
    pub password_stdin: bool,
    /// The operator has given the password, so that the server has seen it anyway. Never say so of your own
    #[arg(long)]
    pub from_operator: bool,
}

/// Nothing of its own.
#[derive(Debug, Args)]
pub struct Nothing {}

/// What is pasted.
#[derive(Debug, Args)]
pub struct PasteArgs {
    /// From where.
    #[command(flatten)]
    pub link: LinkArgs,
    /// Wait for a text where there is none, and for a device that lets this one in. Without it, both take 30 s at most
    #[arg(long)]
    pub wait: bool,
}

/// Where to stay.
#[derive(Debug, Args)]
pub struct JoinArgs {
    /// Where.
    #[command(flatten)]
    pub link: LinkArgs,
    /// Stay when the standard input has ended
    #[arg(long)]
    pub stay: bool,
    /// Where files are received that you take by typing /take and their number; by default this folder
    #[arg(long, value_name = "FOLDER")]
    pub into: Option<PathBuf>,
    /// How.
    #[command(flatten)]
    pub ways: WayArgs,
}

fn address(text: &str) -> Result<Url, String> {
    Url::parse(text)
        .map_err(|_| "the address of a server begins with https:// or http://".to_owned())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "this is no number".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_help_of_a_command_names_every_exit_code() {
        let mut cli = Cli::command();
        let help = cli.find_subcommand_mut("copy").unwrap().render_long_help().to_string();
        for (exit, says) in Exit::ALL {
            assert!(help.contains(&format!("{:>3}  {says}", exit.code())), "{exit:?}");
        }
    }
}
