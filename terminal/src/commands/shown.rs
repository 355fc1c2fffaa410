//! Items as they are printed.

use std::fmt::Write as _;
use std::io;

use heliograph_device::file_facts::FileFacts;
use heliograph_device::manifest::ManifestFacts;
use heliograph_device::session::item::Item;
use serde::Deserialize;

use crate::beam::Beam;
use crate::progress;
use crate::safe;
use crate::voice::{ASIDE, Event, NAME, Voice};

/// What a message may hold that is no text: a file (F1) or a note (S36).
#[derive(Deserialize)]
struct Inside {
    file: Option<File>,
    title: Option<String>,
}

#[derive(Deserialize)]
struct File {
    name: String,
    size: u64,
}

/// The text of an item; `None` for a file, a note or anything else.
pub(super) fn text_of(item: &Item) -> Option<String> {
    item.text().filter(|_| item.extra == "text")
}

/// Prints an item that has come.
pub(super) fn show(voice: &Voice, beam: &Beam, item: &Item) -> io::Result<()> {
    let name = beam.people.name(item.from);
    if let Some(text) = text_of(item) {
        voice.event(&event(item, name, &text))?;
        return voice.line(&line(item, name, &safe::lines(&text)));
    }
    let inside = serde_json::from_str::<Inside>(item.message.get()).ok();
    let (file, title) = inside.map_or((None, None), |inside| (inside.file, inside.title));
    let size = file.as_ref().map(|file| file.size);
    let title = file.map(|file| file.name).or(title);
    let (title, kind) = (title.as_deref(), item.extra.as_str());
    let Item { id, from, at, .. } = *item;
    voice.event(&Event::Other { id, from, name, at, kind, title, size })?;
    let mut what = safe::line(title.unwrap_or(kind)).into_owned();
    let manifest = FileFacts::read(&item.message).and_then(|facts| facts.manifest);
    let folder = manifest.filter(|manifest| manifest.folder == Some(true));
    // Nothing that is written to a text fails.
    if let Some(ManifestFacts { files, .. }) = folder {
        let _ = write!(what, ", {files} {}", if files == 1 { "file" } else { "files" });
    }
    if let Some(size) = size {
        let _ = write!(what, ", {}", progress::size(size));
    }
    let kind = if folder.is_some() { "folder".into() } else { safe::line(kind) };
    voice.line(&line(item, name, &format!("{ASIDE}[{kind}] {what}{ASIDE:#}")))
}

/// A text that has come, as JSON has it.
pub(super) const fn event<'a>(item: &Item, name: &'a str, text: &'a str) -> Event<'a> {
    let Item { id, from, at, is_clear, .. } = *item;
    Event::Text { id, from, name, at, text, is_clear }
}

fn line(item: &Item, name: &str, what: &str) -> String {
    let name = safe::line(name);
    let mark =
        if item.is_clear { format!(" {ASIDE}(not encrypted){ASIDE:#}") } else { String::new() };
    // Later lines stand below the first, so that none of them looks like one of another device.
    let what = what.trim_end_matches('\n').replace('\n', "\n  ");
    format!("{NAME}{name}{NAME:#}{mark}: {what}")
}
