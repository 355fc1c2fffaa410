//! The commands, each to its end.

mod beams;
mod copy;
mod describe;
mod home;
mod join;
mod keeping;
mod known;
mod login;
mod pair;
mod paste;
mod receive;
mod run;
mod send;
mod shown;
mod staying;
mod storing;
mod taking;
mod typed;
mod watch;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use heliograph_device::session::Status;
use heliograph_shared::limits::MAX_DEVICE_NAME;
use heliograph_shared::names::clean;
use url::Url;

use crate::beam::{AnsweredBy, Comparing};
use crate::cli::{Asked, Command, Common, Home, With};
use crate::config::Config;
use crate::exit::{Exit, Stop};
use crate::link::{Destination, Wanted, typed};
use crate::saved::{self, Opened};
use crate::saving::Saving;
use crate::voice::{Event, Voice};

/// What every command that enters a beam needs.
struct Context<'a> {
    voice: &'a Voice,
    /// The server on which beams are made.
    server: Option<Url>,
    /// The name of this device.
    name: String,
    /// How long all may take.
    timeout: Option<Duration>,
    /// Whether nothing is sent or taken before all that can be compared was.
    verify: bool,
    /// The program that compares.
    compare_by: Option<PathBuf>,
}

impl<'a> Context<'a> {
    fn new(voice: &'a Voice, common: Common) -> Result<Self, Stop> {
        let config = Config::read(common.config.as_deref())?;
        let name = common.name.or(config.name).unwrap_or_default();
        let name = Some(clean(&name, MAX_DEVICE_NAME)).filter(|name| !name.is_empty());
        Ok(Self {
            voice,
            server: common.server.or(config.server),
            name: name.unwrap_or_else(|| format!("Terminal on {}", system())),
            timeout: common.timeout,
            verify: common.verify,
            compare_by: common.compare_by,
        })
    }

    /// A beam that is to be saved under a name; `None` where none is.
    async fn saving(&self, name: Option<&str>) -> Result<Option<Saving>, Stop> {
        match name {
            Some(name) => Saving::of(self.voice, self.server.as_ref(), name).await.map(Some),
            None => Ok(None),
        }
    }

    /// The beam that is wanted. A saved one is opened; what names none may be an id or a short code.
    async fn destination(&self, wanted: Wanted) -> Result<Destination, Stop> {
        match wanted {
            Wanted::Here(destination) => Ok(destination),
            Wanted::Saved { name, is_clear } => {
                let server = self.server.as_ref();
                match saved::open(self.voice, server, &name, is_clear).await? {
                    Opened::Beam(beam) => Ok(Destination::Saved(beam)),
                    Opened::Unknown(why) => {
                        let destination = typed(&name, is_clear, server)?;
                        destination.ok_or_else(|| Stop::new(Exit::BadLink, why))
                    }
                }
            }
        }
    }

    /// How pictures are compared, for a command that does not read lines.
    fn comparing(&self) -> Comparing {
        let by = self.compare_by.clone().map_or(AnsweredBy::Terminal, AnsweredBy::Program);
        Comparing::new(self.voice.clone(), by, self.verify)
    }

    /// The same for one that does.
    fn comparing_by_lines(&self) -> Comparing {
        let by = self.compare_by.clone().map_or(AnsweredBy::Lines, AnsweredBy::Program);
        Comparing::new(self.voice.clone(), by, self.verify)
    }
}

/// Does what the command line of a program says.
///
/// # Errors
/// Why it ends before that is done.
pub async fn run(asked: Asked, program: &clap::Command, voice: &Voice) -> Result<(), Stop> {
    match asked {
        Asked::Command(command) => obey(command, program, voice).await,
        Asked::Home(Home::Run(With { own, common })) => {
            run::run(&Context::new(voice, common)?, own).await
        }
        Asked::Home(Home::Pair(With { own, common })) => {
            pair::run(&Context::new(voice, common)?, &own).await
        }
    }
}

async fn obey(command: Command, program: &clap::Command, voice: &Voice) -> Result<(), Stop> {
    match command {
        Command::Copy(With { own, common }) => copy::run(&Context::new(voice, common)?, own).await,
        Command::Paste(With { own, common }) => {
            paste::run(&Context::new(voice, common)?, &own).await
        }
        Command::Send(With { own, common }) => send::run(&Context::new(voice, common)?, own).await,
        Command::Receive(With { own, common }) => {
            receive::run(&Context::new(voice, common)?, own).await
        }
        Command::Join(With { own, common }) => join::run(&Context::new(voice, common)?, &own).await,
        Command::Watch(With { own, common }) => {
            watch::run(&Context::new(voice, common)?, &own).await
        }
        Command::Login(With { own, common }) => {
            login::log_in(&Context::new(voice, common)?, own).await
        }
        Command::Logout(With { common, .. }) => login::log_out(&Context::new(voice, common)?).await,
        Command::Beams(With { common, .. }) => beams::run(&Context::new(voice, common)?).await,
        Command::Completions { shell } => describe::completions(program.clone(), shell),
        Command::Man { folder } => describe::manual(program.clone(), folder.as_deref()),
    }
}

/// Says how this device stands to its server.
fn stands(voice: &Voice, status: Status) -> io::Result<()> {
    match status {
        Status::Live => voice.event(&Event::Status { status: "live" }),
        Status::Reconnecting { attempt } => {
            if attempt == 1 {
                voice.hint("The connection is lost, and tried again.");
            }
            voice.event(&Event::Status { status: "reconnecting" })
        }
        Status::Connecting | Status::Stopped(_) => Ok(()),
    }
}

/// The system as people call it. The name of the machine would tell the server more than it has to know.
fn system() -> &'static str {
    match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "macOS",
        "windows" => "Windows",
        "android" => "Android",
        other => other,
    }
}
