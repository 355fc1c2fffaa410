//! Uploads in pieces (H45): bytes gather in a staging file, and the offset that a sender is told is on the disk and in
//! the database. Once all are there, the file becomes a blob and the row a finished upload. Every step can be repeated,
//! so that after a kill the sender goes on where the server was.

use bytes::Bytes;
use heliograph_shared::api::uploads::UploadedFile;
use heliograph_shared::ids::BeamId;
use heliograph_shared::time::Millis;
use heliograph_storage as storage;
use heliograph_storage::blobs::{self, BlobId, BlobKey};
use heliograph_storage::resumable_uploads::{BEGUN_WITHIN, ResumableUpload};
use heliograph_storage::staging::{Appending, STAGING_BYTES};
use heliograph_storage::uploads::{Room, Wish};

use super::arriving::Arriving;
use super::checksum::Checksum;
use super::holds::Held;
use super::receiving::{ANY_TYPE, Failed, Incoming, not_media};
use super::sent_file::SentFile;
use super::{Place, Uploader, Uploads};
use crate::address::Client;
use crate::budget::Kind;
use crate::error::Error;
use crate::files::{file_name, media};
use crate::multipart::{Headers, PIECE, PIECE_CAPACITY};
use crate::paced_body::PacedBody;

/// Longest declared media type that is stored; only its category counts.
const TYPE_BYTES: usize = 127;

/// An upload in pieces that begins.
#[derive(Debug)]
pub struct NewResumable {
    /// The sender.
    pub uploader: Uploader,
    /// The beam with which the file expires.
    pub beam: Option<BeamId>,
    /// The file's name as the sender wrote it.
    pub name: String,
    /// The declared media type.
    pub media_type: String,
    /// What its sender said of it, for its sender to read again.
    pub metadata: Option<String>,
    /// The file's length in bytes.
    pub length: u64,
    /// The permit, held until the upload has begun.
    pub place: Place,
}

/// A piece of an upload.
#[derive(Debug)]
pub struct Piece {
    /// Where it begins.
    pub offset: u64,
    /// Its checksum, if its sender computed one.
    pub checksum: Option<Checksum>,
    /// Its length, if declared.
    pub length: Option<u64>,
    /// Its bytes.
    pub body: PacedBody,
    /// The permit, held until the piece ends.
    pub place: Place,
}

/// What is known of an upload in pieces.
#[derive(Debug)]
pub struct Progress {
    /// Bytes that are safely here.
    pub offset: u64,
    /// The file's length in bytes.
    pub length: u64,
    /// When it ends unless more of it comes; `None` for a stored one that stays.
    pub ends_at: Option<Millis>,
    /// What its sender said of it.
    pub metadata: Option<String>,
    /// Present when all bytes are here and [`Uploads::store`] is next.
    pub complete: Option<Held>,
}

impl Uploads {
    /// Admits one more piece of an upload.
    ///
    /// # Errors
    /// [`Error::TooFast`] when the address exceeds its rate, [`Error::Busy`] when it has too many running uploads or the
    /// memory is spent.
    pub fn enter_with_piece(&self, client: Option<Client>) -> Result<Place, Error> {
        if let Some(client) = client {
            self.rate_of_pieces.take(client, self.clock.steady()).map_err(Error::TooFast)?;
        }
        // What waits for the disk: in our buffer, and in the one of its file.
        self.place(client, 2 * STAGING_BYTES)
    }

    /// Creates an upload in pieces and reserves room for all of it.
    ///
    /// # Errors
    /// [`Error::TooLarge`], [`Error::NoRoom`], [`Error::NotFound`] when the beam has ended.
    pub async fn create_resumable(&self, new: NewResumable) -> Result<(BlobId, Millis), Error> {
        let NewResumable { uploader, beam, name, media_type, metadata, length, place: _place } =
            new;
        let is_guest = uploader.is_guest();
        if length > self.limits.file(is_guest) || i64::try_from(length).is_err() {
            return Err(Error::TooLarge);
        }
        let media_type = media_type[..media_type.floor_char_boundary(TYPE_BYTES)].to_owned();
        let (new, _) = self.begin(uploader, beam, file_name::clean(&name), media_type).await?;
        // The sweeper must not take its staging file for one that nobody needs.
        let _held = self.held.try_hold(new.id);
        let staged = self.staging.create(new.id).await;
        let _promising = self.promising.lock().await;
        let reserved = match staged {
            Ok(()) => self.reserve(new.id, length, metadata.as_deref()).await,
            Err(why) => Err(why.into()),
        };
        if let Err(why) = reserved {
            self.storage.abandon_upload(new.id, false, self.clock.now()).await?;
            self.staging.remove(new.id).await?;
            return Err(why);
        }
        let ends = self.clock.now() + BEGUN_WITHIN;
        Ok((new.id, new.expires_at.map_or(ends, |end| end.min(ends))))
    }

    async fn reserve(&self, id: BlobId, length: u64, metadata: Option<&str>) -> Result<(), Error> {
        let now = self.clock.now();
        let wish = Wish { least: length, most: length, quotas: self.limits.quotas() };
        match self.storage.grow_upload(id, wish, now).await? {
            Room::Given(_) => {}
            Room::Full => return Err(Error::NoRoom),
            Room::Gone => return Err(Error::NotFound),
        }
        if !self.storage.resume_upload_later(id, metadata, now).await? {
            return Err(Error::NotFound);
        }
        if self.keeps_promises().await? { Ok(()) } else { Err(Error::NoRoom) }
    }

    /// Whether the disks stay within their share when all uploads in pieces come whole.
    async fn keeps_promises(&self) -> Result<bool, Error> {
        let now = self.clock.now();
        let promised = self.storage.promised_room(now).await?;
        let fullness = self.staging.fullness(promised.missing).await?;
        Ok(self.capacity.is_within(fullness) && self.capacity.has_disk_for(0, now).await?)
    }

    /// How far an upload is.
    ///
    /// # Errors
    /// [`Error::NotFound`] when it is unknown or has ended.
    pub async fn progress(&self, id: BlobId) -> Result<Progress, Error> {
        Ok(Progress::of(&self.find_resumable(id).await?))
    }

    /// Appends a piece. When it breaks off, what came stays, unless it has a checksum.
    ///
    /// # Errors
    /// [`Error::Held`] while another piece comes, [`Error::WrongOffset`], [`Error::WrongChecksum`], [`Error::TooLarge`],
    /// [`Error::NoRoom`], [`Error::NotFound`] when the upload is unknown or has ended.
    pub async fn append(&self, id: BlobId, piece: Piece) -> Result<Progress, Error> {
        let Piece { offset, checksum, length, mut body, place: _place } = piece;
        // Before anything is held, so that unknown ids cost nothing. A stored file takes no more bytes, so it is not held:
        // whoever stored it may still remove what is left of the pieces.
        let is_stored = self.find_resumable(id).await?.is_ready;
        let held = if is_stored { None } else { Some(self.held.try_hold(id).ok_or(Error::Held)?) };
        let upload = self.find_resumable(id).await?;
        if offset != upload.received {
            return Err(Error::WrongOffset);
        }
        if length.is_some_and(|length| length > upload.length.saturating_sub(upload.received)) {
            return Err(Error::TooLarge);
        }
        let file = self.staging_for(id, &upload).await?;
        let arriving = Arriving::new(self, id, &upload, file, checksum);
        let received = arriving.take(&mut body).await?;
        let progress = Progress::of(&ResumableUpload { received, ..upload });
        let is_complete = progress.offset == progress.length && !upload.is_ready;
        let ends_at = if is_complete { progress.ends_at } else { self.ends_of(id).await? };
        Ok(Progress { ends_at, complete: held.filter(|_| is_complete), ..progress })
    }

    async fn ends_of(&self, id: BlobId) -> Result<Option<Millis>, Error> {
        Ok(self.find_resumable(id).await?.ends_at)
    }

    /// The staging file to append to; `None` when there is nothing more to come.
    async fn staging_for(
        &self,
        id: BlobId,
        upload: &ResumableUpload,
    ) -> Result<Option<Appending>, Error> {
        if upload.is_complete() {
            return Ok(None);
        }
        Ok(Some(self.staging.append(id, upload.received).await?))
    }

    /// Turns an upload of which all bytes are here into a finished one, once nobody else works on it.
    ///
    /// # Errors
    /// [`Error::WrongOffset`] while bytes are missing, [`Error::NotFound`], [`Error::Fields`] for a guest's file that is no
    /// medium, and those of the store, after which it can be tried again.
    pub async fn store(&self, id: BlobId, held: Held) -> Result<UploadedFile, Error> {
        let upload = self.find_resumable(id).await?;
        if !upload.is_complete() {
            return Err(Error::WrongOffset);
        }
        if !upload.is_ready {
            self.write_blob(id, &upload).await?;
            if let Err(error) = self.staging.remove(id).await {
                tracing::warn!(%error, "a staging file is left to the sweeper");
            }
        }
        drop(held);
        self.describe(id).await
    }

    /// The file of an upload of which all bytes are here; it is stored if that failed before, or was cut short by a kill.
    /// `None` while somebody works on it.
    ///
    /// # Errors
    /// Those of [`Self::store`].
    pub async fn finish(&self, id: BlobId) -> Result<Option<UploadedFile>, Error> {
        if self.find_resumable(id).await?.is_ready {
            return Ok(Some(self.describe(id).await?));
        }
        match self.held.try_hold(id) {
            Some(held) => Ok(Some(self.store(id, held).await?)),
            None => Ok(None),
        }
    }

    /// Ends an unfinished upload and frees its room.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is none.
    pub async fn end_resumable(&self, id: BlobId) -> Result<(), Error> {
        if self.find_resumable(id).await?.is_ready {
            return Err(Error::NotFound);
        }
        // A task that still works on it finds its row or its file gone. What it writes meanwhile, the sweeper deletes.
        self.storage.abandon_upload(id, true, self.clock.now()).await?;
        Ok(self.staging.remove(id).await?)
    }

    /// Removes the staging files of uploads that have ended, or were stored right before a kill.
    ///
    /// # Errors
    /// [`Error`] when the folder or the database cannot be read.
    pub async fn sweep_staging(&self) -> Result<(), Error> {
        for id in self.staging.list().await? {
            // What is needed is not held: the next piece of it would be refused meanwhile.
            if self.storage.needs_staging(id, self.clock.now()).await? {
                continue;
            }
            // One that is held may have been created just now, after the first look.
            let Some(_held) = self.held.try_hold(id) else { continue };
            if !self.storage.needs_staging(id, self.clock.now()).await? {
                self.staging.remove(id).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn find_resumable(&self, id: BlobId) -> Result<ResumableUpload, Error> {
        let found = self.storage.find_resumable_upload(id, self.clock.now()).await?;
        let mut upload = found.ok_or(Error::NotFound)?;
        if upload.is_ready {
            return Ok(upload);
        }
        let staged = self.staging.length(id).await?.unwrap_or_default();
        // A database that was restored from a backup knows of bytes that are gone. They come again.
        let is_lost = staged < upload.received;
        if is_lost && !(upload.is_complete() && self.has_blob(id, upload.length).await?) {
            upload.received = staged;
        }
        Ok(upload)
    }

    /// Whether the blob was written before a kill.
    async fn has_blob(&self, id: BlobId, length: u64) -> Result<bool, Error> {
        match self.blobs.size(BlobKey::Upload(id)).await {
            Ok(size) => Ok(size == length),
            Err(blobs::Error::Missing) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    async fn write_blob(&self, id: BlobId, upload: &ResumableUpload) -> Result<(), Error> {
        // Or else its time might end between the blob and the row, and a blob without a row would stay for ever.
        if !self.storage.claim_upload(id, self.clock.now()).await? {
            return Err(Error::NotFound);
        }
        let has_blob = self.has_blob(id, upload.length).await?;
        self.recognise(id, upload, has_blob).await?;
        let is_to_finish = has_blob || self.make_blob(id, upload).await?;
        if is_to_finish && !self.storage.finish_upload(id, upload.length, self.clock.now()).await? {
            return Err(Error::NotFound);
        }
        Ok(self.storage.forget_upload_parts(id).await?)
    }

    /// Makes the staging file the blob. Returns whether the row is still to be finished.
    async fn make_blob(&self, id: BlobId, upload: &ResumableUpload) -> Result<bool, Error> {
        let key = BlobKey::Upload(id);
        if let Some(parts) = self.blobs.parts(key, upload.length) {
            self.copy_to_bucket(id, upload, &parts).await?;
            return Ok(true);
        }
        // What an earlier attempt to copy it to another disk left.
        self.blobs.delete(key, None).await?;
        if self.blobs.adopt(key, &self.staging.path(id)).await? {
            return Ok(true);
        }
        self.copy(id, upload).await?;
        Ok(false)
    }

    /// Records the media type, also of a blob that a kill or a restored database has parted from its row. Ends a guest's
    /// upload for no item that is no medium.
    async fn recognise(
        &self,
        id: BlobId,
        upload: &ResumableUpload,
        has_blob: bool,
    ) -> Result<(), Error> {
        let head = if has_blob {
            self.head_of_blob(id, upload.length).await?
        } else {
            self.staging.head(id, media::HEAD).await?
        };
        let media_type = match media::recognise(&upload.media_type, &head) {
            Some(media_type) => media_type,
            None if upload.for_item => ANY_TYPE,
            None => {
                self.end_resumable(id).await?;
                return Err(not_media());
            }
        };
        Ok(self.storage.note_media_type(id, media_type).await?)
    }

    async fn head_of_blob(&self, id: BlobId, length: u64) -> Result<Vec<u8>, Error> {
        let range = 0..length.min(media::HEAD as u64);
        let reading = self.blobs.read(BlobKey::Upload(id), range).await?;
        let pieces: Vec<Bytes> = futures_util::TryStreamExt::try_collect(reading).await?;
        Ok(pieces.concat())
    }

    /// Copies the staging file to a folder on another disk, as a file that comes in one request, and finishes the upload.
    async fn copy(&self, id: BlobId, upload: &ResumableUpload) -> Result<(), Error> {
        let written = self.blobs.writer_bytes() * PIECE_CAPACITY / PIECE;
        let _memory = self.budget.take(Kind::Uploads, written + 2 * STAGING_BYTES)?;
        let content = self.staging.read(id).await?;
        let content = Box::pin(futures_util::TryStreamExt::map_err(content, Error::from));
        let file = SentFile { headers: Headers::default(), most: Some(upload.length), content };
        let mut incoming = Incoming::reserved(self, id, upload.is_guest, upload.length);
        match incoming.take(<[Bytes; 2]>::default(), file).await {
            Ok(_) => Ok(()),
            Err(Failed { why, .. }) => Err(why),
        }
    }

    async fn describe(&self, id: BlobId) -> Result<UploadedFile, Error> {
        let found = self.storage.find_upload(id, self.clock.now()).await?;
        let storage::uploads::Upload { name, media_type, size, expires_at } =
            found.ok_or(Error::NotFound)?;
        let url = format!("/api/uploads/{id}");
        Ok(UploadedFile { id: id.to_string(), url, name, size, kind: media_type, expires_at })
    }

    /// Whether the disk of the staging files stays within its share with so many bytes more, which were promised.
    pub(super) async fn has_staging_for(&self, bytes: u64) -> Result<bool, Error> {
        Ok(self.capacity.is_within(self.staging.fullness(bytes).await?))
    }
}

impl Progress {
    fn of(upload: &ResumableUpload) -> Self {
        let ResumableUpload { received: offset, length, ends_at, .. } = *upload;
        Self { offset, length, ends_at, metadata: upload.metadata.clone(), complete: None }
    }
}
