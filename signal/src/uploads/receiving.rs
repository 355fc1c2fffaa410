//! One file on its way in: pending row, bytes, ready row. Whatever ends it early gives back the room and removes what
//! was written; what a kill leaves, the sweeper finds by the row.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::Multipart;
use axum::extract::multipart::Field;
use bytes::{Bytes, BytesMut};
use heliograph_shared::api::uploads::UploadedFile;
use heliograph_shared::ids::BeamId;
use heliograph_shared::limits::BEAM_LIFETIME;
use heliograph_storage::beams::{BeamRecord, Life};
use heliograph_storage::blobs::{self, BlobId, BlobKey, Writer};
use heliograph_storage::uploads::{NewUpload, Room};
use tokio::time::timeout;

use super::limits::GUEST_LIFETIME;
use super::{Place, Uploader};
use crate::app::App;
use crate::clock::millis;
use crate::error::Error;
use crate::{file_name, form, media, random};

/// Time without a byte after which a sender counts as gone.
const SILENCE: Duration = Duration::from_secs(30);
/// Room that is asked for ahead, so that the tables hear of a file rarely.
const AHEAD: u64 = 32 * 1024 * 1024;
/// The same when the disk is nearly full.
const NEARLY_FULL: u64 = 1024 * 1024;
/// The form's field.
const FIELD: &str = "file";

/// What is wanted.
pub struct Receiving {
    /// Whose it is.
    pub uploader: Uploader,
    /// With which beam it ends.
    pub beam: Option<BeamId>,
    /// Held until it ends.
    pub place: Place,
}

/// Reads a form with a file, and keeps the file.
///
/// # Errors
/// Whatever the answer is then; nothing of the file stays.
pub async fn receive(
    app: Arc<App>,
    receiving: Receiving,
    mut form: Multipart,
) -> Result<UploadedFile, Error> {
    let Receiving { uploader, beam, place: _place } = receiving;
    let mut field = loop {
        let field = next_field(&mut form).await?;
        if field.name() == Some(FIELD) {
            break field;
        }
    };
    let name = file_name::clean(field.file_name().unwrap_or_default());
    let declared = field.content_type().unwrap_or_default().to_owned();
    let (head, rest) = read_head(&mut field).await?;
    let media_type = media::recognise(&declared, &head).ok_or_else(not_media)?;
    let now = app.clock.now();
    let (ends, beam_ends) = (expiry(uploader, now), find_beam(&app, beam, now).await?);
    let expires_at = match uploader {
        Uploader(Some(_)) => None,
        Uploader(None) => ends.into_iter().chain(beam_ends).min(),
    };
    let new = NewUpload {
        id: BlobId::from_random(random::bytes()?),
        account: uploader.0,
        beam,
        name,
        media_type: media_type.to_owned(),
        created_at: now,
        expires_at,
    };
    app.storage.start_upload(&new).await?;
    let mut file = Incoming { app: &app, uploader, id: new.id, received: 0, room: 0 };
    let size = match file.take(head, rest, field).await {
        Ok(size) => size,
        Err(error) => {
            app.storage.abandon_upload(new.id, app.clock.now()).await?;
            return Err(error);
        }
    };
    Ok(UploadedFile {
        id: new.id.to_string(),
        url: format!("/api/uploads/{}", new.id),
        name: new.name,
        size,
        kind: new.media_type,
        expires_at: expires_at.into_iter().chain(beam_ends).min(),
    })
}

/// The next field of a form.
async fn next_field(form: &mut Multipart) -> Result<Field<'_>, Error> {
    let field =
        timeout(SILENCE, form.next_field()).await.map_err(silent)?.map_err(form::unreadable)?;
    field.ok_or_else(|| Error::Fields(vec![(FIELD, "Choose a file.".to_owned())]))
}

/// The first bytes, and those that came with them.
async fn read_head(field: &mut Field<'_>) -> Result<(Bytes, Bytes), Error> {
    let mut head = BytesMut::new();
    while head.len() < media::HEAD
        && let Some(chunk) = next(field).await?
    {
        head.extend_from_slice(&chunk);
    }
    let mut head = head.freeze();
    let rest = head.split_off(head.len().min(media::HEAD));
    Ok((head, rest))
}

async fn next(field: &mut Field<'_>) -> Result<Option<Bytes>, Error> {
    timeout(SILENCE, field.chunk()).await.map_err(silent)?.map_err(form::unreadable)
}

fn silent(_: tokio::time::error::Elapsed) -> Error {
    Error::Timeout
}

fn not_media() -> Error {
    Error::Fields(vec![(FIELD, "Only images, audio and video can be uploaded.".to_owned())])
}

fn expiry(uploader: Uploader, now: i64) -> Option<i64> {
    uploader.0.is_none().then(|| now + millis(GUEST_LIFETIME))
}

/// When the beam ends, if it does. An id that nobody created becomes a beam, as it does when something is shared (S2).
async fn find_beam(app: &App, beam: Option<BeamId>, now: i64) -> Result<Option<i64>, Error> {
    let Some(beam) = beam else { return Ok(None) };
    if app.storage.find_beam(beam).await?.is_none() {
        app.storage.record_shared_beam(beam, now, now + millis(BEAM_LIFETIME)).await?;
    }
    match app.storage.find_beam(beam).await? {
        Some(record) if record.has_ended(now) => Err(Error::NotFound),
        Some(BeamRecord { life: Life::Unsaved { expires_at }, .. }) => Ok(Some(expires_at)),
        _ => Ok(None),
    }
}

/// A file of which some bytes are there.
struct Incoming<'a> {
    app: &'a App,
    uploader: Uploader,
    id: BlobId,
    received: u64,
    room: u64,
}

impl Incoming<'_> {
    /// Takes all its bytes, and says how many. An error leaves no blob.
    async fn take(&mut self, head: Bytes, rest: Bytes, field: Field<'_>) -> Result<u64, Error> {
        let mut writer = self.app.blobs.write(BlobKey::Upload(self.id)).await?;
        match self.fill(&mut writer, [head, rest], field).await {
            Ok(()) => self.finish(writer).await,
            Err(error) => {
                if let Err(error) = writer.abort().await {
                    tracing::warn!(%error, "what was written of an upload stays until it is swept");
                }
                Err(error)
            }
        }
    }

    async fn fill(
        &mut self,
        writer: &mut Writer,
        first: [Bytes; 2],
        mut field: Field<'_>,
    ) -> Result<(), Error> {
        if let Some(parts) = writer.parts() {
            self.app.storage.note_upload_parts(self.id, parts).await?;
        }
        for bytes in first {
            self.push(writer, bytes).await?;
        }
        while let Some(bytes) = next(&mut field).await? {
            self.push(writer, bytes).await?;
        }
        // Also says that somebody is at it, for the blob is about to be there.
        self.grow(0).await
    }

    async fn push(&mut self, writer: &mut Writer, bytes: Bytes) -> Result<(), Error> {
        self.received += bytes.len() as u64;
        if self.received > self.app.uploads.limits.file(self.uploader) {
            return Err(Error::TooLarge);
        }
        if self.received > self.room {
            self.grow(AHEAD).await?;
        }
        Ok(writer.push(bytes).await?)
    }

    /// Asks for room for what has been received, and for more ahead.
    async fn grow(&mut self, ahead: u64) -> Result<(), Error> {
        let ahead = self.disk_room(ahead).await?;
        let wish = self.app.uploads.limits.wish(self.uploader, self.received, ahead);
        match self.app.storage.grow_upload(self.id, wish, self.app.clock.now()).await? {
            Room::Given(room) => self.room = room,
            Room::Full => return Err(Error::NoRoom),
            Room::Gone => return Err(Error::NotFound),
        }
        Ok(())
    }

    /// How much may be asked for ahead before the disk has its share: little, when it is nearly full.
    async fn disk_room(&self, ahead: u64) -> Result<u64, Error> {
        let share = u64::from(self.app.uploads.limits.disk_share) * 10;
        for ahead in [ahead, ahead.min(NEARLY_FULL)] {
            let fullness = self.app.blobs.fullness(ahead).await?;
            if fullness.is_none_or(|thousandths| thousandths <= share) {
                return Ok(ahead);
            }
        }
        Err(Error::NoRoom)
    }

    async fn finish(&self, writer: Writer) -> Result<u64, Error> {
        writer.finish().await?;
        let now = self.app.clock.now();
        if self.app.storage.finish_upload(self.id, self.received, now).await? {
            Ok(self.received)
        } else {
            // Its account or its beam has gone in the last moment.
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
