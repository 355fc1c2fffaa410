//! What comes into a beam lands in a folder: files as they are, and texts and links as files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use heliograph_device::engine::contract::{Progress, TransferFailure};
use heliograph_device::file_facts::FileFacts;
use heliograph_device::io::file_device::Told;
use heliograph_device::io::files::target::Target;
use heliograph_device::piece_hash::PieceHash;
use heliograph_device::session::News;
use heliograph_device::session::item::Item;
use heliograph_shared::ids::ItemId;
use heliograph_shared::time::Millis;
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use crate::beam::Beam;
use crate::exit::{Exit, Stop};
use crate::files::{bytes_of, moves, unusable, why};
use crate::progress::{Bars, Pace};
use crate::safe;
use crate::text_file::TextFile;
use crate::voice::{Event, Voice};

/// Items that have landed and are remembered: more than any beam has.
const MOST_LANDED: usize = 10_000;

/// What has landed in earlier runs and in this one, so that nothing does twice.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Landed(BTreeMap<ItemId, Mark>);

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Mark {
    /// When the item was shared, by the server's clock.
    at: Millis,
    /// The hash of the text: another version of it lands beside the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Landed {
    fn add(&mut self, item: ItemId, at: Millis, text: Option<String>) {
        self.0.insert(item, Mark { at, text });
        while self.0.len() > MOST_LANDED {
            let oldest = self.0.iter().min_by_key(|(_, mark)| mark.at).map(|(id, _)| *id);
            let Some(oldest) = oldest else { return };
            self.0.remove(&oldest);
        }
    }

    /// Whether a file of this item has.
    #[must_use]
    pub fn has(&self, item: ItemId) -> bool {
        self.0.contains_key(&item)
    }

    fn has_text(&self, item: ItemId, text: &str) -> bool {
        self.0.get(&item).is_some_and(|mark| mark.text.as_deref() == Some(text))
    }

    /// Those that were shared before a moment.
    #[must_use]
    pub fn before(&self, at: Millis) -> Vec<ItemId> {
        self.0.iter().filter(|(_, mark)| mark.at < at).map(|(id, _)| *id).collect()
    }
}

/// A file that comes.
struct Coming {
    item: Box<Item>,
    facts: FileFacts,
    /// Whether it is to be tried again: it did not come for a reason that lies here.
    is_to_try: bool,
}

/// What comes into the beam of one socket after the other.
pub struct Landing<'a> {
    voice: &'a Voice,
    target: Arc<Target>,
    takes_texts: bool,
    /// What is in the beam and has not landed, or has in this run.
    files: BTreeMap<ItemId, Coming>,
    /// Everything of others that is in the beam.
    here: BTreeSet<ItemId>,
    bars: Bars<ItemId>,
}

impl<'a> Landing<'a> {
    /// Nothing has come.
    #[must_use]
    pub fn new(voice: &'a Voice, target: Arc<Target>, takes_texts: bool) -> Self {
        let (files, here) = (BTreeMap::new(), BTreeSet::new());
        Self { voice, target, takes_texts, files, here, bars: Bars::new(voice) }
    }

    /// What has landed, was shared before a moment by the server's clock, and is in the beam.
    #[must_use]
    pub fn left_from_before(&self, at: Millis, landed: &Landed) -> Vec<ItemId> {
        landed.before(at).into_iter().filter(|id| self.here.contains(id)).collect()
    }

    /// The bars that show what comes.
    #[must_use]
    pub const fn bars(&self) -> &Bars<ItemId> {
        &self.bars
    }

    /// Takes what was told. Returns where something has landed.
    ///
    /// # Errors
    /// Where nobody reads the output any more.
    pub async fn hears(
        &mut self,
        beam: &mut Beam,
        told: &Told,
        landed: &mut Landed,
    ) -> Result<Vec<PathBuf>, Stop> {
        match told {
            Told::News(News::Item(item)) if Some(item.from) != beam.me() => {
                self.here.insert(item.id);
                return self.came(beam, item, landed).await;
            }
            Told::News(News::Gone(id)) => {
                self.bars.ends(id);
                self.here.remove(id);
                if self.files.remove(id).is_some() {
                    self.voice.event(&Event::Gone { id: *id })?;
                }
            }
            Told::Receiving { id, progress } => self.comes(beam, *id, progress)?,
            Told::Placed { id, paths } => return self.placed(*id, paths, landed),
            _ => {}
        }
        Ok(Vec::new())
    }

    async fn came(
        &mut self,
        beam: &mut Beam,
        item: &Item,
        landed: &mut Landed,
    ) -> Result<Vec<PathBuf>, Stop> {
        // The server could have made it up.
        if beam.is_unproven(item) {
            let name = safe::line(beam.people.name(item.from)).into_owned();
            let said = format!("What {name} shares unencrypted does not land.");
            self.bars.aside(|| self.voice.hint(&said));
            return Ok(Vec::new());
        }
        let Some(facts) = FileFacts::read(&item.message) else {
            return self.said(item, landed).await;
        };
        let is_under_way = self.files.contains_key(&item.id);
        if landed.has(item.id) || is_under_way {
            return Ok(Vec::new());
        }
        let (id, from, size) = (item.id, item.from, facts.size.bytes());
        let files = facts.manifest.map(|manifest| manifest.files);
        let (name, file) = (beam.people.name(from), facts.name.as_str());
        self.voice.event(&Event::File { id, from, name, file, size, files })?;
        beam.receive(item, &facts, self.target.clone());
        self.files.insert(id, Coming { item: Box::new(item.clone()), facts, is_to_try: false });
        Ok(Vec::new())
    }

    /// A text becomes a file. Notes and what is none of both stay in the beam.
    async fn said(&mut self, item: &Item, landed: &mut Landed) -> Result<Vec<PathBuf>, Stop> {
        let text = item.text().filter(|_| self.takes_texts && item.extra == "text");
        let Some(text) = text else { return Ok(Vec::new()) };
        let hash = hash(text.as_bytes());
        if landed.has_text(item.id, &hash) {
            return Ok(Vec::new());
        }
        let Some(TextFile { name, text }) = TextFile::of(&text) else { return Ok(Vec::new()) };
        let (target, id, at) = (self.target.clone(), item.id, item.at);
        let saved = spawn_blocking(move || target.save(id, &name, text.as_bytes(), Some(at.get())));
        let saved = saved.await.map_err(|why| Stop::new(Exit::Failed, why.to_string()))?;
        let path = saved.map_err(|why| unusable(self.target.path(), &why))?;
        landed.add(id, at, Some(hash));
        self.tells(id, std::slice::from_ref(&path))?;
        Ok(vec![path])
    }

    fn comes(&mut self, beam: &Beam, id: ItemId, progress: &Progress) -> Result<(), Stop> {
        let Some(file) = self.files.get_mut(&id) else { return Ok(()) };
        let (name, size) = (&file.facts.name, file.facts.size.bytes());
        let moves = moves(progress, size, beam.is_over_turn(file.item.from));
        self.voice.event(&Event::Receiving { id, file: name, moves })?;
        file.is_to_try = matches!(progress, Progress::Failed { why: TransferFailure::Here(_), .. });
        if progress.has_ended() {
            self.bars.ends(&id);
        } else {
            self.bars.stands(id, name, (bytes_of(progress, size), size), Pace::of(progress));
        }
        if let (Progress::Failed { .. }, Some(why)) = (progress, why(progress)) {
            let said = format!("Not received: {} ({why}).", safe::line(name));
            self.bars.aside(|| self.voice.hint(&said));
        }
        Ok(())
    }

    fn placed(
        &mut self,
        id: ItemId,
        paths: &[PathBuf],
        landed: &mut Landed,
    ) -> Result<Vec<PathBuf>, Stop> {
        self.bars.ends(&id);
        let Some(file) = self.files.get(&id) else { return Ok(paths.to_vec()) };
        if !landed.has(id) {
            landed.add(id, file.item.at, None);
            self.tells(id, paths)?;
        }
        Ok(paths.to_vec())
    }

    fn tells(&self, id: ItemId, paths: &[PathBuf]) -> Result<(), Stop> {
        let paths: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
        self.voice.event(&Event::Received { id, paths: &paths })?;
        let mut paths = paths.iter();
        Ok(self.bars.aside(|| paths.try_for_each(|path| self.voice.line(&safe::line(path))))?)
    }

    /// Tries what did not come for a reason that lies here, as a full disk does.
    pub fn tries_again(&mut self, beam: &mut Beam) {
        for file in self.files.values_mut().filter(|file| file.is_to_try) {
            file.is_to_try = false;
            beam.receive(&file.item, &file.facts, self.target.clone());
        }
    }
}

/// A hash as text.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let PieceHash(hash) = PieceHash::of(bytes);
    hash.iter().fold(String::new(), |mut text, byte| {
        // Nothing that is written to a text fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
