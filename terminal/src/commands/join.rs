//! Stays in a beam: shows what comes, and shares what is typed.

use std::io::{self, IsTerminal as _};

use heliograph_device::io::file_device::Told;
use heliograph_device::io::system_random::SystemRandom;
use heliograph_device::session::trust::TrustState;
use heliograph_device::session::{Input, News};
use heliograph_shared::ids::ItemId;
use serde_json::value::to_raw_value;
use tokio::sync::mpsc;

use super::taking::Taking;
use super::typed::{HELP, Line};
use super::{Context, shown, stands};
use crate::beam::Beam;
use crate::cli::JoinArgs;
use crate::exit::{Exit, NO_TEXT, Stop};
use crate::files::settings;
use crate::link::existing;
use crate::people::Change;
use crate::pictures::state_of;
use crate::safe;
use crate::voice::{ASIDE, Event, Named, Voice};

/// Lines that were typed and wait.
const MOST_WAITING: usize = 16;

pub(super) async fn run(context: &Context<'_>, asked: &JoinArgs) -> Result<(), Stop> {
    let voice = context.voice;
    let wanted = existing(asked.link.link.as_deref(), asked.link.clear)?;
    let destination = context.destination(wanted).await?;
    let (name, settings) = (context.name.clone(), settings(&asked.ways)?);
    let mut beam = Beam::enter_with_files(destination, name, context.timeout, settings).await?;
    beam.compares(context.comparing_by_lines());
    let mut typed = Typed::begin();
    if typed.is_terminal {
        voice.hint("Each line that you type is shared. /help lists commands, /quit leaves.");
    }
    let mut joined = Joined {
        voice,
        beam,
        taking: Taking::new(voice, asked.into.as_deref(), typed.is_terminal),
        is_typed: typed.is_terminal,
        shows_code: asked.code,
        waiting: Vec::new(),
        not_shared: None,
        quitting: 0,
    };
    loop {
        tokio::select! {
            told = joined.beam.next_told() => {
                let (told, change) = told?;
                joined.hears(told, &change).await?;
            }
            line = typed.lines.recv(), if !typed.is_over => match line {
                Some(Ok(line)) => joined.is_told(&line)?,
                Some(Err(why)) if is_no_text(&why) => joined.is_not_shared(Exit::Failed, NO_TEXT),
                Some(Err(why)) => {
                    joined.is_not_shared(Exit::Failed, &format!("No more is read: {why}."));
                    typed.is_over = true;
                }
                None => typed.is_over = true,
            },
        }
        joined.share_open();
        if joined.is_done(typed.is_over && !asked.stay) {
            break;
        }
    }
    let Joined { beam, taking, not_shared, .. } = joined;
    drop(taking);
    beam.leave().await;
    not_shared.map_or(Ok(()), Err)
}

/// A beam in which a person stays.
struct Joined<'a> {
    voice: &'a Voice,
    beam: Beam,
    taking: Taking<'a>,
    /// Whether a person types at a terminal.
    is_typed: bool,
    /// Whether a short code is still to be shown.
    shows_code: bool,
    /// What was typed while everything waits for a comparison.
    waiting: Vec<String>,
    /// Why the last line of a program that was not shared was not.
    not_shared: Option<Stop>,
    /// How often its person has said that they leave.
    quitting: u32,
}

impl Joined<'_> {
    async fn hears(&mut self, told: Told, change: &Change) -> Result<(), Stop> {
        let Self { voice, beam, taking, .. } = self;
        match told {
            Told::News(news) => {
                let item = match &news {
                    News::Item(item) => Some(item.clone()),
                    _ => None,
                };
                if let News::Gone(id) = &news {
                    taking.gone(*id);
                }
                if self.shows_code && matches!(news, News::Welcome(_)) {
                    self.shows_code = false;
                    voice.code(&beam.code().await?)?;
                }
                if let News::Refused { why, .. } = &news {
                    let why = format!("The server does not take it: {}", safe::line(why));
                    self.is_not_shared(Exit::Refused, &why);
                    return Ok(());
                }
                show(voice, beam, news, change)?;
                item.map_or(Ok(()), |item| taking.came(beam, item))
            }
            Told::Receiving { id, progress } => taking.comes(beam, id, &progress),
            Told::Placed { id, paths } => taking.placed(id, &paths),
            Told::Sending { .. } | Told::Path { .. } => Ok(()),
        }
    }

    /// Its person has typed a line.
    fn is_told(&mut self, line: &str) -> Result<(), Stop> {
        let Self { voice, beam, taking, .. } = self;
        match Line::read(line) {
            Line::Text(text) => {
                if !beam.is_open() && self.is_typed {
                    voice.hint("It is shared once the pictures were compared.");
                }
                self.waiting.push(text.into_owned());
            }
            Line::Compared { is_same } => compared(voice, beam, is_same)?,
            Line::Again => beam.tell(Input::LookForMissing),
            Line::File(word, named) => taking.does(beam, word, named)?,
            Line::Files => taking.lists(beam)?,
            Line::Help => voice.warn(HELP),
            Line::Quit => self.quitting += 1,
            Line::Unknown(word) => unknown(voice, word),
        }
        Ok(())
    }

    /// A line was not shared. A person reads why, and types it anew.
    fn is_not_shared(&mut self, exit: Exit, why: &str) {
        self.voice.warn(why);
        if !self.is_typed {
            self.not_shared = Some(Stop { heard: why.to_owned(), ..Stop::new(exit, "") });
        }
    }

    /// Shares what was typed, unless everything waits for a comparison.
    fn share_open(&mut self) {
        if self.beam.is_open() {
            for line in std::mem::take(&mut self.waiting) {
                self.share(&line);
            }
        }
    }

    fn share(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        // A text is always JSON.
        let Ok(message) = to_raw_value(line) else { return };
        if self.beam.is_too_long(message.get().len()) {
            return self.is_not_shared(Exit::Refused, "This line is too long for a message.");
        }
        let id = ItemId::from_random(SystemRandom::bytes());
        self.beam.tell(Input::Share { id, message, extra: "text".to_owned(), to: None });
    }

    /// Whether its person has left, or has nothing more to type. Whoever says twice that they leave waits for nothing.
    fn is_done(&self, is_over: bool) -> bool {
        let is_shared = !self.beam.has_unconfirmed();
        let has_all = !self.taking.is_busy() && self.waiting.is_empty();
        match self.quitting {
            0 => is_over && is_shared && has_all,
            1 => is_shared,
            _ => true,
        }
    }
}

/// What looks like a command may have been meant as one, so it is not shared.
fn unknown(voice: &Voice, word: &str) {
    let word = safe::line(word);
    voice.warn(&format!(
        "Not shared: there is no command /{word}. See /help; // begins a text with /."
    ));
}

/// The lines of the standard input.
struct Typed {
    lines: mpsc::Receiver<io::Result<String>>,
    is_terminal: bool,
    is_over: bool,
}

impl Typed {
    fn begin() -> Self {
        let (line, lines) = mpsc::channel(MOST_WAITING);
        // A read cannot be given up, so it is in a thread of its own, which ends with the program.
        std::thread::spawn(move || {
            for text in io::stdin().lines() {
                let is_over = text.as_ref().is_err_and(|why| !is_no_text(why));
                if line.blocking_send(text).is_err() || is_over {
                    return;
                }
            }
        });
        Self { lines, is_terminal: io::stdin().is_terminal(), is_over: false }
    }
}

fn compared(voice: &Voice, beam: &mut Beam, is_same: bool) -> Result<(), Stop> {
    if !beam.answer(is_same)? {
        voice.hint("There is nothing to compare now.");
    }
    Ok(())
}

/// Whether a line was read and is no text.
fn is_no_text(why: &io::Error) -> bool {
    why.kind() == io::ErrorKind::InvalidData
}

fn show(voice: &Voice, beam: &Beam, news: News, change: &Change) -> io::Result<()> {
    let me = beam.me();
    match news {
        // What was typed here stands here already.
        News::Item(item) if Some(item.from) == me && !voice.is_json() => Ok(()),
        News::Item(item) => shown::show(voice, beam, &item),
        News::Gone(id) => voice.event(&Event::Gone { id }),
        News::Confirmed(id) => voice.event(&Event::Shared { id }),
        News::Devices(_) => {
            let people = &beam.people;
            let named = |id| {
                let trust = beam.trust(id).map(|trust| state_of(trust.state));
                Named { id, name: people.name(id), is_me: Some(id) == me, trust }
            };
            let devices = people.here().iter().copied().map(named).collect();
            voice.event(&Event::Devices { devices })?;
            let said = [(&change.came, "is here"), (&change.left, "has left")];
            for (devices, what) in said {
                for device in devices.iter().filter(|device| Some(**device) != me) {
                    let name = safe::line(people.name(*device));
                    let mark = beam.trust(*device).map_or("", |trust| mark(trust.state));
                    voice.line(&format!("{ASIDE}* {name} {what}{mark}{ASIDE:#}"))?;
                }
            }
            Ok(())
        }
        News::Trust { device, trust: Some(trust), .. } => {
            let name = safe::line(beam.people.name(device));
            voice.line(&format!("{ASIDE}* {name}{}{ASIDE:#}", mark(trust.state)))
        }
        News::Synced { .. } => {
            if let Some(hint) = beam.lets_in() {
                voice.hint(hint);
            }
            Ok(())
        }
        News::Status(status) => stands(voice, status),
        _ => Ok(()),
    }
}

/// What stands beside the name of a device that came without the link: the words of the browser.
const fn mark(state: TrustState) -> &'static str {
    match state {
        TrustState::Asking => " (wants to come in)",
        TrustState::Refused => " (not let in)",
        TrustState::Unverified => " (not verified)",
        TrustState::Verified => " (verified)",
    }
}
