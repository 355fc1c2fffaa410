//! The command line.

mod home;

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use heliograph_shared::socket::KeepTime;
use url::Url;

pub use self::home::{Home, PairArgs, RunArgs, WatchArgs};
use crate::exit::Exit;

/// A terminal or a script in a beam of Heliograph.
#[derive(Debug, Parser)]
#[command(name = "heliograph-device", version, about)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Asked,
}

/// What a program of a device is asked to do.
#[derive(Debug, Subcommand)]
pub enum Asked {
    /// What a person does.
    #[command(flatten)]
    Command(Command),
    /// What a machine does by itself.
    #[command(flatten)]
    Home(Home),
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
    /// Address of the server on which a beam is made, or of an id or a short code; a link names its own
    #[arg(long, env = "HELIOGRAPH_SERVER", value_name = "URL", value_parser = address)]
    pub server: Option<Url>,
    /// Name of this device, as others see it
    #[arg(long, env = "HELIOGRAPH_NAME")]
    pub name: Option<String>,
    /// Configuration file (TOML: server, name); by default device.toml in the folder heliograph of your settings
    #[arg(long, env = "HELIOGRAPH_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print what happens as JSON to the standard output: one object a line, with its kind in `event`, in the order in which it happens
    #[arg(long)]
    pub json: bool,
    /// Say nothing but the link of a new beam, and errors
    #[arg(long, short)]
    pub quiet: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Colour,
    /// Send and take nothing before people have compared the pictures of every device that came without the link. Nobody is let in unasked
    #[arg(long)]
    pub verify: bool,
    /// Program that says whether two devices show the same pictures, in place of the terminal. It gets the names of the four and that of the
    /// other device, and ends with 0 for yes and 1 for no
    #[arg(long, value_name = "PROGRAM")]
    pub compare_by: Option<PathBuf>,
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
    /// To a terminal, control characters of the text are shown and not sent. To a file or a pipe it goes as it is. With --json it is the
    /// last line, behind those of what happened before it was there.
    #[command(after_long_help = exits())]
    Paste(With<PasteArgs>),
    /// Send files and folders to the devices of a beam
    ///
    /// Without a link it makes a beam, and shows its link and a code to scan. It sends to every device that comes until Ctrl-C ends it.
    /// What cannot be read, or is neither a file nor a folder, is said and left out.
    #[command(after_long_help = exits())]
    Send(With<SendArgs>),
    /// Receive the files of a beam into a folder
    ///
    /// It takes all that is there, and never replaces a file. What was begun before goes on where it was.
    #[command(after_long_help = exits())]
    Receive(With<ReceiveArgs>),
    /// Stay in a beam: show what comes, and share each line that is typed
    ///
    /// A file is shown with its number. /take 1 receives it, /pause 1 and /resume 1 let it rest and go on, and /cancel 1 gives it up;
    /// /files lists them. /match and /refuse answer whether a device shows the same pictures. /help lists these commands, and /quit leaves.
    /// No other line that begins with / is shared, unless it begins with //: that shares it from the second / on.
    #[command(after_long_help = exits())]
    Join(With<JoinArgs>),
    /// Keep a folder and a beam in step: what appears in the folder goes to the beam, and what comes lands in it
    ///
    /// A file that is still being written waits until it is whole. What comes is not sent back, nothing is replaced, and hidden or partial
    /// files and symbolic links are left. A folder in it is one item. What was sent is remembered, so that another run sends
    /// nothing twice; it also takes what has appeared meanwhile. It goes on until Ctrl-C, also where the server is away.
    #[command(after_long_help = exits())]
    Watch(With<WatchArgs>),
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

impl Asked {
    /// What it says and how; nothing of what enters no beam.
    #[must_use]
    pub const fn common(&self) -> Option<&Common> {
        match self {
            Self::Command(command) => command.common(),
            Self::Home(Home::Run(With { common, .. }) | Home::Pair(With { common, .. })) => {
                Some(common)
            }
        }
    }
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
            | Self::Watch(With { common, .. })
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
    /// Link, id or short code of the beam, or name or id of a saved one; - asks for it. Other users of this machine may see what is on a
    /// command line, so better use the variable
    #[arg(long, value_name = "LINK|ID|CODE|NAME", env = "HELIOGRAPH_LINK", hide_env_values = true)]
    pub to: Option<String>,
    /// The text, in place of the standard input
    #[arg(long)]
    pub text: Option<String>,
    /// Share what is on the system's clipboard, as without a text at a terminal
    #[arg(long, conflicts_with = "text")]
    pub clipboard: bool,
    /// Have the server keep what is in the beam, so that the text is there when no device is: 1h or 24h. It does not wait for another device
    /// then. A saved beam keeps it without an end
    #[arg(long, value_name = "TIME", value_parser = keep_time)]
    pub keep: Option<KeepTime>,
    /// Make a beam and save it under this name in the account that is logged in
    #[arg(long, value_name = "NAME", conflicts_with_all = ["to", "clear"])]
    pub save: Option<String>,
    /// Show a short code too, which leads to the beam for ten minutes. Who types it has to be let in
    #[arg(long)]
    pub code: bool,
    /// Share in clear text, which the server can read
    #[arg(long, conflicts_with = "verify")]
    pub clear: bool,
    /// How a text goes that is too long for a message.
    #[command(flatten)]
    pub ways: WayArgs,
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
    /// Link, id or short code of the beam, or name or id of a saved one; - asks for it. Other users of this machine may see what is on a
    /// command line, so better use the variable
    #[arg(long, value_name = "LINK|ID|CODE|NAME", env = "HELIOGRAPH_LINK", hide_env_values = true)]
    pub to: Option<String>,
    /// Make a beam and save it under this name in the account that is logged in
    #[arg(long, value_name = "NAME", conflicts_with_all = ["to", "clear"])]
    pub save: Option<String>,
    /// End when one device has it all, or the server of a saved or kept beam
    #[arg(long)]
    pub once: bool,
    /// Have the server keep what is in the beam and a copy of the files, sealed, and end when it does: 1h or 24h. A saved beam keeps it
    /// without an end, and has the copies also without this
    #[arg(long, value_name = "TIME", value_parser = keep_time, conflicts_with = "once")]
    pub keep: Option<KeepTime>,
    /// Show a short code too, which leads to the beam for ten minutes. Who types it has to be let in
    #[arg(long)]
    pub code: bool,
    /// Share in clear text, which the server can read
    #[arg(long, conflicts_with = "verify")]
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
    /// Wait for a file where there is none, and for devices that are not here. Without it, nothing is waited for longer than 30 s, and with it
    /// what its device has no more
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
    /// Link, id or short code of the beam, or name or id of a saved one; without it, or with -, it is asked for, or read from the first
    /// line of the standard input. Other users of this machine may see what is on a command line, so better use the variable. Who comes
    /// without a link is let in by another device, and both show four pictures to be compared
    #[arg(env = "HELIOGRAPH_LINK", hide_env_values = true, value_name = "LINK|ID|CODE|NAME")]
    pub link: Option<String>,
    /// Join a beam in clear text, which the server can read
    #[arg(long, conflicts_with = "verify")]
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
    /// Put the text on the system's clipboard, in place of the standard output
    #[arg(long)]
    pub clipboard: bool,
    /// Read a text from the standard input and have it on the clipboard until another program has something there.
    #[arg(long, hide = true, conflicts_with = "clipboard")]
    pub holds_clipboard: bool,
}

/// Where to stay.
#[derive(Debug, Args)]
pub struct JoinArgs {
    /// Where.
    #[command(flatten)]
    pub link: LinkArgs,
    /// Show a short code too, which leads to the beam for ten minutes. Who types it has to be let in
    #[arg(long)]
    pub code: bool,
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

fn keep_time(text: &str) -> Result<KeepTime, String> {
    match text {
        "1h" => Ok(KeepTime::Hour),
        "24h" => Ok(KeepTime::Day),
        _ => Err("a server keeps for 1h or 24h".to_owned()),
    }
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
