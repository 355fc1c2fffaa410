//! Stays in a beam: shows what comes, and shares what is typed.

use std::io::{self, IsTerminal as _};

use heliograph_device::io::file_device::Told;
use heliograph_device::io::system_random::SystemRandom;
use heliograph_device::session::trust::TrustState;
use heliograph_device::session::{Encryption, Input, News};
use heliograph_shared::ids::ItemId;
use serde_json::value::to_raw_value;
use tokio::sync::mpsc;

use super::taking::Taking;
use super::{Context, shown, stands};
use crate::beam::Beam;
use crate::cli::JoinArgs;
use crate::exit::Stop;
use crate::files::settings;
use crate::link::existing;
use crate::people::Change;
use crate::pictures::state_of;
use crate::safe;
use crate::voice::{ASIDE, Event, Named, Voice};

/// The lines that answer whether another device shows the same pictures.
const SAME: &str = "/match";
const OTHERS: &str = "/refuse";
/// The line that asks once more for what is missing (E14).
const AGAIN: &str = "/again";
/// Lines that were typed and wait.
const MOST_WAITING: usize = 16;

pub(super) async fn run(context: &Context<'_>, asked: &JoinArgs) -> Result<(), Stop> {
    let voice = context.voice;
    let wanted = existing(asked.link.link.as_deref(), asked.link.clear)?;
    let destination = context.destination(wanted).await?;
    let (name, settings) = (context.name.clone(), settings(&asked.ways)?);
    let mut beam = Beam::enter_with_files(destination, name, context.timeout, settings).await?;
    beam.compares(context.comparing_by_lines());
    let mut taking = Taking::new(voice, asked.into.as_deref());
    let mut typed = Typed::begin();
    if typed.is_terminal {
        voice.hint("Each line that you type is shared. Ctrl-D leaves.");
    }
    let mut shows_code = asked.code;
    // What was typed while everything waits for a comparison.
    let mut waiting = Vec::new();
    loop {
        tokio::select! {
            told = beam.next_told() => match told? {
                (Told::News(news), change) => {
                    let item = match &news {
                        News::Item(item) => Some(item.clone()),
                        _ => None,
                    };
                    if let News::Gone(id) = &news {
                        taking.gone(*id);
                    }
                    if shows_code && matches!(news, News::Welcome(_)) {
                        shows_code = false;
                        voice.code(&beam.code().await?)?;
                    }
                    show(voice, &beam, news, &change)?;
                    if let Some(item) = item {
                        taking.came(&beam, item)?;
                    }
                }
                (Told::Receiving { id, progress }, _) => taking.comes(&beam, id, &progress)?,
                (Told::Placed { id, paths }, _) => taking.placed(id, &paths)?,
                (Told::Sending { .. } | Told::Path { .. }, _) => {}
            },
            line = typed.lines.recv(), if !typed.is_over => match line {
                Some(line) if line == SAME => compared(voice, &mut beam, true)?,
                Some(line) if line == OTHERS => compared(voice, &mut beam, false)?,
                Some(line) if line == AGAIN => beam.tell(Input::LookForMissing),
                Some(line) if taking.does(&mut beam, &line)? => {}
                Some(line) => {
                    if !beam.is_open() && typed.is_terminal {
                        voice.hint("It is shared once the pictures were compared.");
                    }
                    waiting.push(line);
                }
                None => typed.is_over = true,
            },
        }
        share_open(voice, &mut beam, &mut waiting);
        let is_busy = beam.has_unconfirmed() || taking.is_busy() || !waiting.is_empty();
        if typed.is_over && !asked.stay && !is_busy {
            beam.leave().await;
            return Ok(());
        }
    }
}

/// The lines of the standard input.
struct Typed {
    lines: mpsc::Receiver<String>,
    is_terminal: bool,
    is_over: bool,
}

impl Typed {
    fn begin() -> Self {
        let (line, lines) = mpsc::channel(MOST_WAITING);
        // A read cannot be given up, so it is in a thread of its own, which ends with the program.
        std::thread::spawn(move || {
            let texts = io::stdin().lines().map_while(Result::ok);
            for text in texts {
                if line.blocking_send(text).is_err() {
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

/// Shares what was typed, unless everything waits for a comparison.
fn share_open(voice: &Voice, beam: &mut Beam, waiting: &mut Vec<String>) {
    if beam.is_open() {
        for line in waiting.drain(..) {
            share(voice, beam, &line);
        }
    }
}

fn share(voice: &Voice, beam: &mut Beam, line: &str) {
    if line.trim().is_empty() {
        return;
    }
    // A text is always JSON.
    let Ok(message) = to_raw_value(line) else { return };
    if beam.is_too_long(message.get().len()) {
        return voice.hint("This line is too long for a message.");
    }
    let id = ItemId::from_random(SystemRandom::bytes());
    beam.tell(Input::Share { id, message, extra: "text".to_owned(), to: None });
}

fn show(voice: &Voice, beam: &Beam, news: News, change: &Change) -> io::Result<()> {
    let me = beam.me();
    match news {
        // What was typed here stands here already.
        News::Item(item) if Some(item.from) == me && !voice.is_json() => Ok(()),
        News::Item(item) => shown::show(voice, beam, &item),
        News::Gone(id) => voice.event(&Event::Gone { id }),
        News::Confirmed(id) => voice.event(&Event::Shared { id }),
        News::Refused { why, .. } => {
            voice.hint(&format!("The server does not take it: {}", safe::line(&why)));
            Ok(())
        }
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
        News::Encryption(Encryption::Waiting { .. }) => {
            voice.hint("Waiting for a device of the beam to let this one in.");
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
