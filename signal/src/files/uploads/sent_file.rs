//! A file on its way from its form to the task that stores it. The form is read where its connection is served, because
//! a change of tasks for each read of the connection would cost more than storing the bytes.

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt as _, try_unfold};
use tokio::sync::mpsc;

use crate::error::Error;
use crate::multipart::{Headers, Multipart, PIECE_CAPACITY, UNREADABLE};

/// Name of the form field with the file.
pub const FIELD: &str = "file";
/// Most bytes between the form and the disk: a piece that waits, and one that is being stored.
pub const WAITING_BYTES: usize = 2 * PIECE_CAPACITY;

/// A file in a form.
pub struct SentFile {
    /// The headers of its part.
    pub headers: Headers,
    /// Upper bound of its size in bytes, if its sender declared one.
    pub most: Option<u64>,
    /// Its bytes, or the error to answer when it breaks off or cannot be read.
    pub content: BoxStream<'static, Result<Bytes, Error>>,
}

/// The reader of the form. When it is dropped before the file's end, the file has broken off.
#[derive(Debug)]
pub struct Reader {
    form: Multipart,
    pieces: mpsc::Sender<Result<Option<Bytes>, Error>>,
}

/// Finds the file in a form. Its content comes while [`Reader::read`] runs.
///
/// # Errors
/// [`Error::Fields`] when the form has no file, [`Error`] when it cannot be read.
pub async fn find_file(mut form: Multipart) -> Result<(Reader, SentFile), Error> {
    while let Some(headers) = form.next_part().await? {
        if headers.name.as_deref() == Some(FIELD) {
            let (pieces, received) = mpsc::channel(1);
            let content = try_unfold(received, async |mut received| {
                let piece: Option<Bytes> = received.recv().await.unwrap_or(Err(UNREADABLE))?;
                Ok(piece.map(|piece| (piece, received)))
            });
            let file = SentFile { headers, most: form.most(), content: content.fuse().boxed() };
            return Ok((Reader { form, pieces }, file));
        }
    }
    Err(Error::Fields(vec![(FIELD, "Choose a file.".to_owned())]))
}

impl Reader {
    /// Reads to the end of the file, or until nobody wants it any more.
    pub async fn read(mut self) {
        // No piece is read before there is a place for it.
        while let Ok(place) = self.pieces.reserve().await {
            let piece = tokio::select! {
                piece = self.form.content() => piece,
                // A refusal does not wait for a slow sender's next piece.
                () = self.pieces.closed() => return,
            };
            let is_last = !matches!(piece, Ok(Some(_)));
            place.send(piece);
            if is_last {
                return;
            }
        }
    }
}
