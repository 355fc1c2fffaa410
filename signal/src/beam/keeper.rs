//! What a live beam asks of the tables: to be loaded when it wakes, and written when it changes.

use std::collections::HashSet;
use std::time::Duration;

use heliograph_shared::ids::BeamId;
use heliograph_shared::limits::BEAM_LIFETIME;
use heliograph_shared::socket::LiveItem;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::beams::Life as Record;
use heliograph_storage::notes::NewNote;
use heliograph_storage::saved_beams::Access;
use heliograph_storage::{Error, Storage};
use serde_json::value::RawValue;

use super::change::{Unwritten, Write};
use super::items::Items;
use super::state::{Life, Terms};
use crate::clock::{Clock, millis};

/// Tries to make a beam a row; after them the beam goes on living in memory only.
const RECORD_TRIES: u32 = 5;
/// Pause between two of them.
const RECORD_PAUSE: Duration = Duration::from_secs(5);

/// The tables, as one beam sees them. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Keeper {
    pub(super) beam: BeamId,
    /// Names the memory that begins with the next waking (S11).
    pub(super) epoch: String,
    pub(super) clock: Clock,
    /// None: nothing is ever stored, as tests of the hub alone want it.
    pub(super) storage: Option<Storage>,
}

impl Keeper {
    /// What the beam is when it wakes.
    ///
    /// # Errors
    /// [`Error`] when the tables cannot be read.
    pub async fn load(&self) -> Result<Terms, Error> {
        let expires_at = self.clock.now() + millis(BEAM_LIFETIME);
        let mut terms = Terms {
            epoch: self.epoch.clone(),
            life: Life::Unsaved { expires_at, recorded: false },
            items: Items::default(),
            removed: HashSet::new(),
        };
        let Some(storage) = &self.storage else { return Ok(terms) };
        let Some(record) = storage.find_beam(self.beam).await? else { return Ok(terms) };
        terms.removed = storage.removed_devices(self.beam).await?.into_iter().collect();
        match record.life {
            Record::Unsaved { expires_at } => {
                terms.life = Life::Unsaved { expires_at, recorded: true };
            }
            Record::Ended => terms.life = Life::Ended,
            Record::Saved(saved) => {
                let notes = storage.notes_of(self.beam).await?;
                terms.items = Items::stored(notes.into_iter().filter_map(item), saved.last_seq);
                terms.life = self.access().await?.map_or(Life::Ended, Life::Saved);
            }
        }
        Ok(terms)
    }

    /// Who may do what, if this is a saved beam.
    ///
    /// # Errors
    /// [`Error`] when the tables cannot be read.
    pub async fn access(&self) -> Result<Option<Access>, Error> {
        match &self.storage {
            Some(storage) => storage.access_to(self.beam).await,
            None => Ok(None),
        }
    }

    /// Stores a change.
    ///
    /// # Errors
    /// [`Unwritten`] says why it is not stored.
    pub async fn write(self, write: Write) -> Result<(), Unwritten> {
        let Some(storage) = &self.storage else { return Err(Unwritten::Unavailable) };
        let (beam, now) = (self.beam, self.clock.now());
        let written = match &write {
            Write::Save { owner, name, notes } => {
                storage.save_beam(beam, *owner, name, notes, now).await
            }
            Write::Rename { actor, name } => {
                storage.change_beam(*actor, beam, Some(name), None).await.map(drop)
            }
            Write::Put(note) => storage.put_note(beam, note).await,
            Write::Delete(ids) => storage.delete_notes(beam, ids).await,
            Write::RemoveDevice(device) => storage.remove_device(beam, *device).await,
        };
        written.map_err(|error| match error {
            Error::Conflict | Error::Missing | Error::Invisible | Error::LevelTooLow => {
                Unwritten::Refused
            }
            error => {
                tracing::error!(%error, "a change of a beam could not be stored");
                Unwritten::Unavailable
            }
        })
    }

    /// Makes the beam a row. Apart from the beam's own task: a database that is locked must not be felt in a live beam.
    pub async fn record(self, expires_at: i64) {
        let Some(storage) = &self.storage else { return };
        let created_at = expires_at - millis(BEAM_LIFETIME);
        for _ in 0..RECORD_TRIES {
            match storage.record_shared_beam(self.beam, created_at, expires_at).await {
                Ok(()) => return,
                Err(error) => tracing::error!(%error, "a beam could not be recorded"),
            }
            tokio::time::sleep(RECORD_PAUSE).await;
        }
    }
}

/// A stored note as the item that it was.
fn item(note: NewNote) -> Option<(LiveItem, Option<AccountId>)> {
    let NewNote { id, seq, content, kind, device, author, created_at } = note;
    // What was stored was JSON; a row that is not shows nothing rather than breaking the others.
    let message = RawValue::from_string(content).ok()?;
    Some((LiveItem { message, extra: kind, id, seq, from: device, at: created_at }, author))
}
