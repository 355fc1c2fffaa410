//! Database access of a live beam: loads it when it wakes, and writes its changes.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use heliograph_shared::ids::BeamId;
use heliograph_shared::limits::BEAM_LIFETIME;
use heliograph_shared::socket::LiveItem;
use heliograph_shared::time::Millis;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::beams::Life;
use heliograph_storage::blobs::BlobId;
use heliograph_storage::kept_beams::Keep;
use heliograph_storage::notes::{NewNote, Quota};
use heliograph_storage::saved_beams::{Access, Contents};
use heliograph_storage::secrets::Secret;
use heliograph_storage::{BeamWriter, Error, Storage};
use serde_json::value::RawValue;
use tokio::time::{sleep, timeout};

use super::arrangement::Arrangement;
use super::earlier::Earlier;
use super::items::Items;
use super::memory::{self, Memory};
use super::terms::{Status, Terms};
use super::write::{Write, Written};
use crate::address::Client;
use crate::budget::{Budget, Kind, Spent};
use crate::bus::Bus;
use crate::bus::lease::{Lease, NotHere};
use crate::clock::Clock;
use crate::limit::Buckets;
use crate::quota::Capacity;

/// Tries to record an unsaved beam. After them the beam goes on in memory only.
const RECORD_TRIES: u32 = 5;
/// Pause between these tries.
const RECORD_PAUSE: Duration = Duration::from_secs(5);
/// Tries to read the beam again after an uncertain write.
const RELOAD_TRIES: u32 = 5;
/// Time for one of these tries. A new connection may take as long, and so may the lock that a lost connection holds.
const RELOAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Pause between these tries.
const RELOAD_PAUSE: Duration = Duration::from_secs(1);

/// Why nothing is known of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failed {
    /// The stored state is unknown: a write was uncertain, and the beam could not be read again.
    Unknown,
    /// Another node drives the beam. Nothing is stored.
    Lost,
}

/// One beam's access to the database. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Keeper {
    pub beam: BeamId,
    /// Names the memory of the beam from its next waking on (S11).
    pub epoch: String,
    pub clock: Clock,
    /// The way to the other nodes of the server.
    pub bus: Bus,
    /// The right to drive the beam, where another node could have it.
    pub lease: Option<Lease>,
    pub storage: Storage,
    pub writer: BeamWriter,
    /// What owners and guests may store.
    pub capacity: Capacity,
    /// For the pseudonyms of the addresses that ask to keep beams.
    pub address_secret: Secret,
    /// Bounds the memory of the items.
    pub budget: Arc<Budget>,
    /// Bounds the removals of devices, by address (S25).
    pub removals: Arc<Buckets<Client>>,
}

/// Why a beam cannot be loaded now.
#[derive(Debug, thiserror::Error)]
pub(super) enum LoadError {
    #[error(transparent)]
    Tables(#[from] Error),
    #[error(transparent)]
    Spent(#[from] Spent),
    #[error("the bus: {0}")]
    Bus(#[from] redis::RedisError),
}

impl Keeper {
    /// Takes the right to drive the beam, before it is loaded.
    ///
    /// # Errors
    /// [`NotHere`] when another node drives it, or nobody can tell.
    pub async fn drive(&mut self) -> Result<(), NotHere> {
        self.lease = self.bus.drive(self.beam).await?;
        Ok(())
    }

    /// What follows the beam's memory, if it is to outlive this node.
    pub fn memory(&self) -> Option<Memory> {
        self.lease.clone().map(Memory::new)
    }

    /// Loads the beam.
    ///
    /// # Errors
    /// [`LoadError`] when the database cannot be read, or when no memory is left for the stored items.
    pub async fn load(&self) -> Result<Terms, LoadError> {
        let expires_at = self.clock.now() + BEAM_LIFETIME;
        let mut terms = Terms {
            epoch: self.epoch.clone(),
            status: Status::Unsaved { expires_at, recorded: false, kept: None },
            items: Items::none(self.budget.nothing(Kind::Items)),
            arrangement: Arrangement::default(),
            removed: HashSet::new(),
            forgotten: false,
        };
        let Some(record) = self.storage.find_beam(self.beam).await? else {
            self.recall(&mut terms).await?;
            return Ok(terms);
        };
        terms.removed = self.storage.removed_devices(self.beam).await?.into_iter().collect();
        let kept = record.kept(self.clock.now());
        match record.life {
            Life::Unsaved { expires_at, .. } => {
                let recorded = record.had_items;
                terms.status = Status::Unsaved { expires_at, recorded, kept };
                terms.forgotten = recorded && kept.is_none();
                let age = self.age(record.created_at);
                let last_seq = age.max(record.last_seq);
                terms.items = match kept {
                    Some(_) => self.stored_items(record.earlier, last_seq).await?,
                    None => Items::none_after(last_seq, self.budget.nothing(Kind::Items)),
                };
                if kept.is_none() {
                    self.recall(&mut terms).await?;
                }
            }
            Life::Ended => terms.status = Status::Ended,
            Life::Saved(_) => {
                terms.items = self.stored_items(record.earlier, record.last_seq).await?;
                let places = self.storage.arrangement_of(self.beam).await?;
                terms.arrangement = Arrangement::stored(places);
                terms.status = self.access().await?.map_or(Status::Ended, Status::Saved);
            }
        }
        Ok(terms)
    }

    /// Goes on with what an unsaved beam remembered on the node that drove it.
    async fn recall(&self, terms: &mut Terms) -> Result<(), LoadError> {
        let Some(lease) = &self.lease else { return Ok(()) };
        let Some(remembered) = lease.recall().await? else { return Ok(()) };
        let room = self.budget.nothing(Kind::Items);
        if let Some(recalled) = memory::recall(&remembered, room) {
            (terms.epoch, terms.forgotten) = (recalled.epoch, false);
            (terms.items, terms.arrangement) = (recalled.items, recalled.arrangement);
        }
        Ok(())
    }

    /// The stored items of a saved or kept beam, whose numbers were at most `last_seq`.
    async fn stored_items(
        &self,
        earlier: Option<String>,
        last_seq: u64,
    ) -> Result<Items, LoadError> {
        let earlier = earlier.map(|earlier| serde_json::from_str(&earlier)).transpose();
        let earlier = earlier.map_err(|_| Error::Corrupt)?;
        let notes = self.storage.notes_of(self.beam).await?;
        let last_seq = notes.last().map_or(last_seq, |note| note.seq.max(last_seq));
        let room = self.budget.nothing(Kind::Items);
        Ok(Items::stored(notes.into_iter().filter_map(item), earlier, last_seq, room)?)
    }

    /// The age of an unsaved beam in microseconds. It is more than the numbers of all items so far: a beam cannot have a
    /// million items a second (S15, S17). So the numbers of a new memory follow those of the lost ones (S28).
    fn age(&self, created_at: Millis) -> u64 {
        let age = self.clock.now().since(created_at);
        u64::try_from(age.as_micros()).unwrap_or_default()
    }

    /// The access to the beam; `None` for an unsaved one.
    ///
    /// # Errors
    /// [`Error`] when the database cannot be read.
    pub async fn access(&self) -> Result<Option<Access>, Error> {
        self.storage.access_to(self.beam).await
    }

    /// Stores a change. When the connection breaks during the commit, the change may have happened, so the beam is read
    /// again.
    ///
    /// # Errors
    /// [`Failed`] when it cannot be read again, or another node drives the beam.
    pub async fn write(self, write: Write) -> Result<Written, Failed> {
        let driven = self.lease.as_ref().map(|lease| self.writer.driven_with(lease.token()));
        let (beam, writer) = (self.beam, driven.as_ref().unwrap_or(&self.writer));
        let quota = Quota { quotas: self.capacity.quotas(), now: self.clock.now() };
        if !self.has_disk_for(&write).await {
            return Ok(Written::DiskFull);
        }
        let written = match &write {
            Write::Save { owner, name, notes, places, earlier } => {
                let earlier = text(earlier);
                let places = places.as_deref();
                let contents = Contents { notes, places, earlier: Some(&earlier) };
                writer.save_beam(beam, *owner, name, contents, quota).await
            }
            Write::Rename { actor, name } => {
                writer.change_beam(*actor, beam, Some(name), None).await.map(drop)
            }
            Write::Put(note) | Write::PutKept(note) => writer.put_note(beam, note, quota).await,
            Write::Keep { kept, client, expires_at, notes, earlier } => {
                let address = client.map(|client| client.pseudonym(&self.address_secret));
                let earlier = Some(text(earlier));
                let keep = Keep { until: kept.until, by: kept.by, address, earlier };
                writer.keep_beam(beam, &keep, *expires_at, notes, quota).await
            }
            Write::Learnt(earlier) => writer.put_earlier(beam, &text(earlier), quota.now).await,
            Write::StopKeeping => writer.stop_keeping(beam, quota.now).await,
            Write::Delete(ids) => writer.delete_notes(beam, ids, quota.now).await,
            Write::Arrange { shared, places } => writer.arrange(beam, *shared, places).await,
            Write::RemoveDevice { device, client } => {
                if !self.may_remove_now(*client) {
                    return Ok(Written::TooFast);
                }
                writer.remove_device(beam, *device).await
            }
            Write::FindGone(files) => return Ok(self.find_gone(files).await),
        };
        match written {
            Ok(()) => Ok(Written::Done),
            Err(Error::Full) => Ok(Written::Full),
            Err(Error::Superseded) => Err(Failed::Lost),
            Err(error) if error.is_refusal() => Ok(Written::Refused),
            Err(error @ Error::Uncertain(_)) => {
                tracing::error!(%error, "a change of a beam may have been stored or not");
                self.reload().await
            }
            Err(error) => {
                tracing::error!(%error, "a change of a beam could not be stored");
                Ok(if matches!(error, Error::DiskFull(_)) {
                    Written::DiskFull
                } else {
                    Written::Unavailable
                })
            }
        }
    }

    /// Finds out which of these files are gone.
    async fn find_gone(&self, files: &[BlobId]) -> Written {
        let now = self.clock.now();
        let mut gone = HashSet::new();
        for file in files {
            match self.storage.find_upload(*file, now).await {
                Ok(Some(_)) => {}
                Ok(None) => drop(gone.insert(*file)),
                Err(error) => {
                    tracing::error!(%error, "the files of a beam could not be looked for");
                    return Written::Unavailable;
                }
            }
        }
        Written::Gone(gone)
    }

    /// Counts a removal, which a beam writes only for those who may remove: nobody else uses up what the creator has.
    fn may_remove_now(&self, client: Option<Client>) -> bool {
        client.is_none_or(|client| self.removals.take(client, self.clock.steady()).is_ok())
    }

    /// Whether the disk may take what guests ask to keep. A disk that cannot be asked takes it: the write itself fails on
    /// a full one.
    async fn has_disk_for(&self, write: &Write) -> bool {
        let notes = match write {
            Write::Keep { notes, .. } => notes,
            Write::PutKept(note) => std::slice::from_ref(note),
            _ => return true,
        };
        let bytes = notes.iter().map(|note| note.content.len() as u64).sum();
        match self.capacity.has_disk_for(bytes, self.clock.now()).await {
            Ok(has) => has,
            Err(error) => {
                tracing::warn!(%error, "the disk could not be asked for its room");
                true
            }
        }
    }

    async fn reload(&self) -> Result<Written, Failed> {
        let reload = || async {
            self.writer.settle(self.beam).await?;
            self.load().await
        };
        Ok(Written::Reloaded(Box::new(patiently(reload).await?)))
    }

    /// Records an unsaved beam. Runs outside the beam's task, so that a locked database does not delay its devices.
    pub async fn record(self, expires_at: Millis) {
        let created_at = expires_at - BEAM_LIFETIME;
        for _ in 0..RECORD_TRIES {
            match self.storage.record_shared_beam(self.beam, created_at, expires_at).await {
                Ok(()) => return,
                Err(error) => tracing::error!(%error, "a beam could not be recorded"),
            }
            sleep(RECORD_PAUSE).await;
        }
    }
}

/// Waits until it is decided which of the changes of these beams have happened, or nothing can be learnt.
pub(super) async fn settle(writer: &BeamWriter, beams: &[BeamId]) {
    for beam in beams {
        let settle = || async { Ok(writer.settle(*beam).await?) };
        if patiently(settle).await == Err(Failed::Unknown) {
            return;
        }
    }
}

/// Tries to read after an uncertain write, until the database can be reached and has decided.
async fn patiently<T, F>(read: impl Fn() -> F) -> Result<T, Failed>
where
    F: Future<Output = Result<T, LoadError>>,
{
    for _ in 0..RELOAD_TRIES {
        match timeout(RELOAD_TIMEOUT, read()).await {
            Ok(Ok(read)) => return Ok(read),
            Ok(Err(error)) => tracing::error!(%error, "a beam could not be read again"),
            Err(_) => tracing::error!("a beam could not be read again in time"),
        }
        sleep(RELOAD_PAUSE).await;
    }
    Err(Failed::Unknown)
}

/// How the tables hold it.
fn text(earlier: &Earlier) -> String {
    serde_json::to_string(earlier).unwrap_or_default()
}

/// A stored note as the item that it was.
fn item(note: NewNote) -> Option<(LiveItem, Option<AccountId>)> {
    let NewNote { id, seq, content, kind, device, author, created_at, upload: _ } = note;
    // Stored contents are JSON. A row that is not must not keep the others from loading.
    let message = RawValue::from_string(content).ok()?;
    let at = created_at;
    Some((LiveItem { message, extra: kind, id, seq, from: device, at, to: None }, author))
}
