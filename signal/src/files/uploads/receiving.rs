//! Receives one file: pending row, bytes, ready row. A failure frees the reserved room and deletes the bytes. After a
//! kill, the sweeper finds the pending row.

use std::ops::RangeInclusive;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt as _;
use heliograph_shared::api::uploads::UploadedFile;
use heliograph_shared::ids::BeamId;
use heliograph_shared::limits::BEAM_LIFETIME;
use heliograph_shared::time::Millis;
use heliograph_storage as storage;
use heliograph_storage::beams::{BeamRecord, Life};
use heliograph_storage::blobs::{self, BlobId, BlobKey, Writer};
use heliograph_storage::uploads::{NewUpload, Room};
use tokio::time::Instant;

use super::sent_file::{FIELD, SentFile};
use super::{Receiving, Uploader, Uploads};
use crate::address::Client;
use crate::error::Error;
use crate::files::{file_name, media, sealed};
use crate::random;

/// Longest lifetime of a guest's file.
const GUEST_LIFETIME: Duration = Duration::from_hours(24);
/// Room reserved ahead of the received bytes, so that the database is updated rarely. It is as much as has come, within
/// these bounds: a sender of next to nothing holds little of the quota, and 2 GiB take 70 updates.
const AHEAD: RangeInclusive<u64> = 1024 * 1024..=32 * 1024 * 1024;
/// Room reserved ahead when the disk is nearly full.
const NEARLY_FULL: u64 = 1024 * 1024;
/// Media type of a file that is no image, audio or video: bytes, which no browser shows.
pub(super) const ANY_TYPE: &str = "application/octet-stream";
/// How often a slow upload is marked as active, so that it is not taken for an abandoned one
/// ([`storage::uploads::ABANDONED`]).
const TOUCH: Duration = Duration::from_mins(10);

impl Uploads {
    /// Stores a file while it is read.
    ///
    /// # Errors
    /// The [`Error`] to answer. Nothing of the file stays.
    pub async fn receive(
        &self,
        receiving: Receiving,
        mut file: SentFile,
    ) -> Result<UploadedFile, Error> {
        let Receiving { uploader, beam, place: _place } = receiving;
        let sent = file.headers.file_name.as_deref().unwrap_or_default().to_owned();
        let (head, rest) = read_head(&mut file).await?;
        let declared = file.headers.content_type.as_deref().unwrap_or_default();
        let (name, media_type) = match (media::recognise(declared, &head), uploader) {
            (Some(media_type), _) => (&*sent, media_type),
            (None, Uploader::Owner { .. } | Uploader::Kept(..)) => (&*sent, ANY_TYPE),
            // A beam whose devices seal would else have no copies.
            (None, Uploader::Account(_) | Uploader::Guest(_))
                if beam.is_some() && sealed::may_be_sealed(declared, &head) =>
            {
                (sealed::NAME, sealed::MEDIA_TYPE)
            }
            (None, Uploader::Account(_) | Uploader::Guest(_)) => return Err(not_media()),
        };
        let name = file_name::clean(name);
        let (new, beam_ends) = self.begin(uploader, beam, name, media_type.to_owned()).await?;
        let is_guest = uploader.is_guest();
        let declared = file.most.unwrap_or(u64::MAX);
        let reserved = Incoming::reserved(self, new.id, is_guest, declared);
        let mut incoming = Incoming { room: 0, is_promised: false, ..reserved };
        let size = match incoming.take([head, rest], file).await {
            Ok(size) => size,
            Err(Failed { why, left }) => {
                self.storage.abandon_upload(new.id, left, self.clock.now()).await?;
                return Err(why);
            }
        };
        Ok(UploadedFile {
            id: new.id.to_string(),
            url: format!("/api/uploads/{}", new.id),
            name: new.name,
            size,
            kind: new.media_type,
            expires_at: new.expires_at.into_iter().chain(beam_ends).min(),
        })
    }

    /// Creates the row of an upload. Returns it, and when its beam expires.
    pub(super) async fn begin(
        &self,
        uploader: Uploader,
        beam: Option<BeamId>,
        name: String,
        media_type: String,
    ) -> Result<(NewUpload, Option<Millis>), Error> {
        let now = self.clock.now();
        let beam_ends = self.find_beam(beam, now).await?;
        let (account, address, expires_at) = match uploader {
            Uploader::Account(account) | Uploader::Owner { owner: account, .. } => {
                (Some(account), None, None)
            }
            Uploader::Kept(client, until) => (None, self.pseudonym(client), Some(until)),
            Uploader::Guest(client) => {
                let address = self.pseudonym(client);
                let ends = [Some(now + GUEST_LIFETIME), beam_ends];
                (None, address, ends.into_iter().flatten().min())
            }
        };
        let sender = if let Uploader::Owner { sender, .. } = uploader { sender } else { None };
        let new = NewUpload {
            id: BlobId::from_random(random::bytes()?),
            account,
            beam,
            sender,
            address,
            name,
            media_type,
            created_at: now,
            expires_at,
            for_item: matches!(uploader, Uploader::Owner { .. } | Uploader::Kept(..)),
        };
        match self.storage.start_upload(&new).await {
            // Since the look-up the beam was renewed, the beam or the account was deleted, or the sender lost the right.
            Err(storage::Error::Missing) => return Err(Error::NotFound),
            started => started?,
        }
        Ok((new, beam_ends))
    }

    pub(super) fn pseudonym(&self, client: Option<Client>) -> Option<String> {
        client.map(|client| client.pseudonym(&self.address_secret))
    }

    /// The end of the beam, if it expires. Creates a beam for an unknown id, as sharing does (S2).
    async fn find_beam(&self, beam: Option<BeamId>, now: Millis) -> Result<Option<Millis>, Error> {
        let Some(beam) = beam else { return Ok(None) };
        if self.storage.find_beam(beam).await?.is_none() {
            // The file is in no item yet (S31).
            self.storage.record_beam(beam, now, now + BEAM_LIFETIME).await?;
        }
        match self.storage.find_beam(beam).await? {
            Some(record) if record.has_ended(now) => Err(Error::NotFound),
            Some(BeamRecord { life: Life::Unsaved { expires_at, .. }, .. }) => Ok(Some(expires_at)),
            _ => Ok(None),
        }
    }
}

/// The first [`media::HEAD`] bytes, and the rest of the piece they came in.
async fn read_head(file: &mut SentFile) -> Result<(Bytes, Bytes), Error> {
    let mut head = BytesMut::new();
    while head.len() < media::HEAD
        && let Some(piece) = file.content.try_next().await?
    {
        head.extend_from_slice(&piece);
    }
    let mut head = head.freeze();
    let rest = head.split_off(head.len().min(media::HEAD));
    Ok((head, rest))
}

pub(super) fn not_media() -> Error {
    Error::Fields(vec![(FIELD, "Only images, audio and video can be uploaded.".to_owned())])
}

/// A file that is being received.
pub(super) struct Incoming<'a> {
    uploads: &'a Uploads,
    is_guest: bool,
    id: BlobId,
    /// Upper bound of its size, by what its sender declared.
    declared: u64,
    received: u64,
    room: u64,
    /// Whether its room on the disk was promised when it began (H45).
    is_promised: bool,
    /// When the database last heard of it.
    touched: Instant,
}

/// Why receiving failed.
pub(super) struct Failed {
    pub why: Error,
    /// Whether written bytes may still be there.
    left: bool,
}

impl From<Error> for Failed {
    fn from(why: Error) -> Self {
        Self { why, left: true }
    }
}

impl<'a> Incoming<'a> {
    /// A file of at most `declared` bytes, for which room is reserved.
    pub fn reserved(uploads: &'a Uploads, id: BlobId, is_guest: bool, declared: u64) -> Self {
        let touched = uploads.clock.steady();
        Self {
            uploads,
            is_guest,
            id,
            declared,
            received: 0,
            room: declared,
            is_promised: true,
            touched,
        }
    }

    /// Receives all bytes and returns their number. On an error it deletes the blob.
    pub async fn take(&mut self, first: [Bytes; 2], file: SentFile) -> Result<u64, Failed> {
        let writer = self.uploads.blobs.write(BlobKey::Upload(self.id)).await;
        let mut writer = writer.map_err(Error::from)?;
        match self.fill(&mut writer, first, file).await {
            Ok(()) => Ok(self.finish(writer).await?),
            Err(why) => {
                let aborted = writer.abort().await;
                if let Err(error) = &aborted {
                    tracing::warn!(%error, "an aborted upload is left to the sweeper");
                }
                Err(Failed { why, left: aborted.is_err() })
            }
        }
    }

    async fn fill(
        &mut self,
        writer: &mut Writer,
        first: [Bytes; 2],
        mut file: SentFile,
    ) -> Result<(), Error> {
        if let Some(parts) = writer.parts() {
            self.uploads.storage.note_upload_parts(self.id, parts).await?;
        }
        for bytes in first {
            self.push(writer, bytes).await?;
        }
        while let Some(bytes) = file.content.try_next().await? {
            self.push(writer, bytes).await?;
        }
        // Also marks the upload as active, before its blob exists.
        self.grow(0).await
    }

    async fn push(&mut self, writer: &mut Writer, bytes: Bytes) -> Result<(), Error> {
        self.received += bytes.len() as u64;
        if self.received > self.uploads.limits.file(self.is_guest) {
            return Err(Error::TooLarge);
        }
        let touched = self.uploads.clock.steady().saturating_duration_since(self.touched);
        if self.received > self.room || touched >= TOUCH {
            let rest = self.declared.saturating_sub(self.received);
            let ahead = self.received.clamp(*AHEAD.start(), *AHEAD.end());
            // What was reserved whole (H45) stays so.
            let is_reserved = self.room >= self.declared;
            self.grow(if is_reserved { rest } else { ahead.min(rest) }).await?;
        }
        Ok(writer.push(bytes).await?)
    }

    /// Reserves room for the received bytes and some ahead, and marks the upload as active.
    async fn grow(&mut self, ahead: u64) -> Result<(), Error> {
        self.touched = self.uploads.clock.steady();
        let ahead = self.disk_room(ahead).await?;
        let wish = self.uploads.limits.wish(self.is_guest, self.received, ahead);
        match self.uploads.storage.grow_upload(self.id, wish, self.uploads.clock.now()).await? {
            Room::Given(room) => self.room = room,
            Room::Full => return Err(Error::NoRoom),
            Room::Gone => return Err(Error::NotFound),
        }
        Ok(())
    }

    /// How much to reserve ahead without exceeding the share of the disk; less when the disk is nearly full.
    async fn disk_room(&self, ahead: u64) -> Result<u64, Error> {
        let capacity = &self.uploads.capacity;
        for ahead in [ahead, ahead.min(NEARLY_FULL)] {
            let has_room = if self.is_promised {
                capacity.has_disk_for_promised(ahead).await?
            } else {
                capacity.has_disk_for(ahead, self.uploads.clock.now()).await?
            };
            if has_room {
                return Ok(ahead);
            }
        }
        Err(Error::NoRoom)
    }

    async fn finish(&self, writer: Writer) -> Result<u64, Error> {
        writer.finish().await?;
        let now = self.uploads.clock.now();
        if self.uploads.storage.finish_upload(self.id, self.received, now).await? {
            Ok(self.received)
        } else {
            // Its account or beam was deleted at the last moment.
            Err(Error::NotFound)
        }
    }
}

impl From<blobs::Error> for Error {
    fn from(error: blobs::Error) -> Self {
        match error {
            blobs::Error::Missing => Self::NotFound,
            blobs::Error::NoRoom => Self::NoRoom,
            error => Self::Blobs(error),
        }
    }
}
