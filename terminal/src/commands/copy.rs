//! Shares a text.

use std::io::{self, IsTerminal as _, Read as _};

use heliograph_device::io::offering::text_file;
use heliograph_device::io::system_random::SystemRandom;
use heliograph_device::session::{Encryption, Input, News};
use heliograph_shared::ids::ItemId;
use heliograph_shared::json::Json;
use heliograph_shared::limits::MAX_MESSAGE_BYTES;
use serde_json::value::to_raw_value;
use tokio::sync::oneshot;

use super::keeping::Keeping;
use super::send::{How, Until};
use super::{Context, send, stands};
use crate::beam::{Beam, is_too_long};
use crate::cli::CopyArgs;
use crate::clipboard;
use crate::exit::{Exit, NO_TEXT, Stop};
use crate::link::to_share;
use crate::saving::Saving;
use crate::voice::Event;

/// Most bytes that are read. A text is in memory as a whole.
const MOST_READ: u64 = 16 << 20;

pub(super) async fn run(context: &Context<'_>, asked: CopyArgs) -> Result<(), Stop> {
    let saving = context.saving(asked.save.as_deref()).await?;
    let wanted = match &saving {
        Some(saving) => saving.wanted(),
        None => to_share(asked.to.as_deref(), asked.clear, context.server.as_ref())?,
    };
    let destination = context.destination(wanted).await?;
    let text = match asked.text {
        Some(text) => text,
        None if asked.clipboard => clipboard::read()?,
        None => read_text(context).await?,
    };
    if text.is_empty() {
        return Err(Stop::new(Exit::Nothing, "There is no text to share."));
    }
    let message = to_raw_value(&text).map_err(|why| Stop::new(Exit::Failed, why.to_string()))?;
    // As browsers do it.
    if is_too_long(message.get().len(), MAX_MESSAGE_BYTES, destination.is_sealed()) {
        context.voice.hint("A text of this length goes as a file.");
        let files = vec![text_file("Text.txt", &text)];
        let until = asked.keep.map_or(Until::OneHasAll, Until::Kept);
        let how = How { ways: &asked.ways, until, saving, shows_code: asked.code };
        return send::all(context, destination, files, how).await;
    }
    let mut beam = Beam::enter(destination, context.name.clone(), context.timeout).await?;
    beam.compares(context.comparing());
    let keeping = Keeping::new(asked.keep, saving.is_some());
    share(context, &mut beam, message, (saving, keeping), asked.code).await?;
    beam.leave().await;
    Ok(())
}

/// The standard input; at a terminal what is on the clipboard of its person, or what they type where there is none.
async fn read_text(context: &Context<'_>) -> Result<String, Stop> {
    if io::stdin().is_terminal() {
        match clipboard::read() {
            Ok(text) if !text.is_empty() => {
                context.voice.hint("This is what is on the clipboard.");
                return Ok(text);
            }
            _ => {}
        }
        context.voice.hint("Type the text, and end it with Ctrl-D on a line of its own.");
    }
    let (read, bytes) = oneshot::channel();
    // A read cannot be given up, so it is in a thread of its own, which ends with the program.
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let result = io::stdin().lock().take(MOST_READ + 1).read_to_end(&mut bytes);
        let _ = read.send(result.map(|_| bytes));
    });
    let bytes = bytes.await.map_err(|why| Stop::new(Exit::Failed, why.to_string()))??;
    if bytes.len() as u64 > MOST_READ {
        let why = "This text is longer than 16 MiB: write it to a file and `send` that.";
        return Err(Stop::new(Exit::Refused, why));
    }
    String::from_utf8(bytes).map_err(|_| Stop::new(Exit::Failed, NO_TEXT))
}

/// Shares a text, and waits until the server has it and another device can read it, or it is saved or kept.
async fn share(
    context: &Context<'_>,
    beam: &mut Beam,
    message: Json,
    (mut saving, mut keeping): (Option<Saving>, Keeping),
    shows_code: bool,
) -> Result<(), Stop> {
    let voice = context.voice;
    let id = ItemId::from_random(SystemRandom::bytes());
    let mut message = Some(message);
    let (mut is_confirmed, mut is_waiting) = (false, false);
    while !(is_confirmed && keeping.is_done(beam, is_found(beam, saving.as_ref()))) {
        let (news, _) = beam.next().await?;
        keeping.hears(voice, beam, &news)?;
        if let Some(saving) = &mut saving {
            saving.hears(voice, beam, &news).await?;
        }
        match news {
            News::Welcome(_) => {
                let Some(message) = message.take() else { continue };
                if beam.is_too_long(message.get().len()) {
                    return Err(Stop::new(Exit::Refused, "This text is too long for a message."));
                }
                beam.tell(Input::Share { id, message, extra: "text".to_owned(), to: None });
            }
            News::Status(status) => stands(voice, status)?,
            News::Confirmed(one) if one == id => {
                is_confirmed = true;
                // Whoever opens it finds the text.
                if beam.is_new {
                    voice.link(beam.link.beam, &beam.link.to_text(), beam.link.invite.is_some())?;
                }
                if shows_code {
                    voice.code(&beam.code().await?)?;
                }
                voice.event(&Event::Shared { id })?;
                if let Some(saving) = &mut saving {
                    saving.ask(beam);
                }
            }
            News::Refused { id: one, why, .. } if one == id => {
                return Err(Stop::new(
                    Exit::Refused,
                    format!("The server does not take it: {why}"),
                ));
            }
            News::Synced { .. } if !is_waiting => {
                if let Some(hint) = beam.lets_in() {
                    is_waiting = true;
                    voice.hint(hint);
                }
            }
            _ => {}
        }
        let is_kept = beam.is_kept() || keeping.is_wanted();
        let waits = saving.is_none() && !is_kept && !beam.is_found();
        if is_confirmed && !is_waiting && waits {
            is_waiting = true;
            voice.hint(match beam.encryption() {
                Encryption::Clear => "Waiting until another device has opened the link.",
                _ => "Waiting until another device has opened the link: nobody else has the keys.",
            });
        }
    }
    Ok(())
}

/// Whether others find what was shared, also when this device has left.
fn is_found(beam: &Beam, saving: Option<&Saving>) -> bool {
    saving.map_or_else(|| beam.is_found(), Saving::is_done)
}
