//! Prints the newest text.

use std::collections::BTreeMap;
use std::time::Duration;

use heliograph_device::session::News;
use heliograph_device::session::item::Item;
use heliograph_shared::ids::ItemId;

use super::known::Known;
use super::shown::{event, text_of};
use super::{Context, stands};
use crate::beam::Beam;
use crate::cli::PasteArgs;
use crate::clipboard;
use crate::exit::{Exit, Stop};
use crate::link::existing;

/// So long it may take without `--wait` and `--timeout`.
const WITHIN: Duration = Duration::from_secs(30);

pub(super) async fn run(context: &Context<'_>, asked: &PasteArgs) -> Result<(), Stop> {
    if asked.holds_clipboard {
        return clipboard::holds();
    }
    let wanted = existing(asked.link.link.as_deref(), asked.link.clear)?;
    let destination = context.destination(wanted).await?;
    // People take as long as they take to compare pictures.
    let needs_people = context.verify || destination.needs_people();
    let within = context.timeout.or_else(|| (!asked.wait && !needs_people).then_some(WITHIN));
    let mut beam = Beam::enter(destination, context.name.clone(), within).await?;
    beam.compares(context.comparing());
    let Newest { found, has_unproven } = newest(context, &mut beam, asked.wait).await?;
    let Some((item, text)) = found else {
        beam.leave().await;
        let why = if has_unproven {
            "There is no encrypted text in this beam. Others are there that the server could have made up: `join` shows them."
        } else {
            "There is no text in this beam."
        };
        return Err(Stop::new(Exit::Nothing, why));
    };
    context.voice.event(&event(&item, beam.people.name(item.from), &text))?;
    if asked.clipboard {
        clipboard::write(&text)?;
        context.voice.hint("It is on the clipboard.");
    } else {
        context.voice.result(&text)?;
    }
    beam.leave().await;
    Ok(())
}

struct Newest {
    /// `None` where there is none and none is waited for.
    found: Option<(Item, String)>,
    /// Whether there are texts that the server could have made up. A script may run what it pastes, so they are none of them.
    has_unproven: bool,
}

/// The newest text.
async fn newest(context: &Context<'_>, beam: &mut Beam, waits: bool) -> Result<Newest, Stop> {
    let mut texts: BTreeMap<ItemId, (Item, String)> = BTreeMap::new();
    let mut known = Known::default();
    let mut has_unproven = false;
    loop {
        let (news, _) = beam.next().await?;
        known.hears(context.voice, beam, &news);
        match news {
            News::Item(item) if beam.is_unproven(&item) => {
                has_unproven |= text_of(&item).is_some();
                texts.remove(&item.id);
            }
            News::Item(item) => match text_of(&item) {
                Some(text) => drop(texts.insert(item.id, (*item, text))),
                None => drop(texts.remove(&item.id)),
            },
            News::Gone(id) => drop(texts.remove(&id)),
            News::Status(status) => stands(context.voice, status)?,
            _ => {}
        }
        if !known.is_whole() {
            continue;
        }
        let newest =
            texts.values().max_by_key(|(item, _)| (item.at, item.seq)).map(|(item, _)| item.id);
        if let Some(found) = newest.and_then(|id| texts.remove(&id)) {
            return Ok(Newest { found: Some(found), has_unproven });
        }
        if !waits {
            return Ok(Newest { found: None, has_unproven });
        }
    }
}
