//! Stores a copy of a file on the server, for devices that come when the one that has it is away (F9, H44, H45 to H48): in pieces, sealed
//! where the item is (E7). `client/src/transport/uploading` does the same for the browser.

use std::sync::Arc;
use std::time::Duration;

use heliograph_shared::e2ee::file_chunks::{FileCipher, HEADER_BYTES, sealed_size};
use heliograph_shared::ids::BeamId;
use heliograph_shared::limits::CHUNK_BYTES;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::files::error::FileError;
use super::files::source::Source;
use super::files::source_file::OpenFiles;
use super::server::{Failure, Server, Uploaded};
use crate::file_facts::FileFacts;

/// Chunks that are sealed and sent at once: 4 MiB.
const CHUNKS_AT_ONCE: u64 = 256;
/// The bytes of a tag of a sealed chunk.
const TAG_BYTES: u64 = 16;
/// A piece is sent so often before it is given up.
const TRIES: u32 = 5;
/// Pause after the first piece that the server did not take now. It grows by as much with each further one.
const PAUSE: Duration = Duration::from_secs(1);

/// Pause before a copy is asked about that the server still stores. It doubles until it is the last one: of many small files, each would
/// take as long as the pause.
const FIRST_LOOK: Duration = Duration::from_millis(20);
const LAST_LOOK: Duration = Duration::from_secs(1);

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum NotStored {
    /// The file cannot be read, or is another one by now.
    #[error(transparent)]
    File(#[from] FileError),
    /// The server is not reached, or does not take it.
    #[error(transparent)]
    Server(#[from] Failure),
}

/// The bytes of the copy.
struct Copy {
    source: Source,
    size: u64,
    cipher: Option<FileCipher>,
    open: OpenFiles,
}

impl Copy {
    fn of(facts: &FileFacts, source: Source) -> Self {
        let cipher = facts.seal.as_ref().map(|seal| FileCipher::sealing(&seal.key, seal.salt));
        Self { source, size: facts.size.bytes(), cipher, open: OpenFiles::default() }
    }

    /// In bytes.
    fn stored_size(&self) -> u64 {
        if self.cipher.is_some() { sealed_size(self.size).unwrap_or(u64::MAX) } else { self.size }
    }

    /// The bytes from a place on, to the end of a piece. It blocks.
    fn piece(&self, from: u64) -> Result<Vec<u8>, FileError> {
        let chunk_bytes = CHUNK_BYTES as u64;
        let (header, each) = match &self.cipher {
            Some(_) => (HEADER_BYTES as u64, chunk_bytes + TAG_BYTES),
            None => (0, chunk_bytes),
        };
        let piece = from.saturating_sub(header) / each / CHUNKS_AT_ONCE;
        let first = piece * CHUNKS_AT_ONCE;
        let start = (first * chunk_bytes).min(self.size);
        let end = ((first + CHUNKS_AT_ONCE) * chunk_bytes).min(self.size);
        let length = usize::try_from(end - start).map_err(|_| FileError::TooLarge)?;
        let clear = self.source.read(&self.open, start, length)?;
        let Some(cipher) = &self.cipher else {
            return Ok(clear.get(to_skip(from - start)?..).unwrap_or_default().to_vec());
        };
        let is_last = end == self.size;
        let mut sealed = if piece == 0 { cipher.header().to_vec() } else { Vec::new() };
        let begins_at = if piece == 0 { 0 } else { header + first * each };
        let mut chunks: Vec<&[u8]> = clear.chunks(CHUNK_BYTES).collect();
        // The last chunk is a short one, if need be an empty one.
        if is_last && clear.len().is_multiple_of(CHUNK_BYTES) && self.is_short(first, chunks.len())
        {
            chunks.push(&[]);
        }
        for (chunk, bytes) in (first..).zip(chunks) {
            let chunk = u32::try_from(chunk).map_err(|_| FileError::TooLarge)?;
            sealed.extend(cipher.seal(chunk, bytes).map_err(|_| FileError::TooLarge)?);
        }
        Ok(sealed.get(to_skip(from - begins_at)?..).unwrap_or_default().to_vec())
    }

    /// Whether the chunk behind those of this piece belongs to it too.
    fn is_short(&self, first: u64, count: usize) -> bool {
        let last = self.size / CHUNK_BYTES as u64;
        first + count as u64 == last && last - first < CHUNKS_AT_ONCE
    }
}

fn to_skip(bytes: u64) -> Result<usize, FileError> {
    usize::try_from(bytes).map_err(|_| FileError::TooLarge)
}

/// Stores a copy of a file that is offered in a kept or saved beam. `facts` is what the item's message says of it. Returns its address, for
/// the item (F9).
///
/// # Errors
/// Why there is none.
pub async fn store(
    server: &Server,
    beam: BeamId,
    facts: &FileFacts,
    source: Source,
) -> Result<String, NotStored> {
    let copy = Arc::new(Copy::of(facts, source));
    let size = copy.stored_size();
    let (name, media_type) = if copy.cipher.is_some() {
        ("sealed", "application/octet-stream")
    } else {
        (facts.name.as_str(), facts.media_type.as_str())
    };
    let place = server.begin_upload(beam, size, name, media_type).await?;
    let (mut at, mut failures) = (0, 0);
    while at < size {
        let reading = copy.clone();
        let piece = spawn_blocking(move || reading.piece(at)).await;
        let piece = piece.map_err(|why| FileError::Other(std::io::Error::other(why)))??;
        match server.upload_piece(&place, at, piece).await {
            Ok(next) if next > at => (at, failures) = (next, 0),
            Ok(_) => return Err(Failure::Strange.into()),
            Err(why @ Failure::Refused { .. }) if !is_of_now(&why) => return Err(why.into()),
            Err(why) => {
                failures += 1;
                if failures == TRIES {
                    return Err(why.into());
                }
                if is_of_now(&why) {
                    sleep(PAUSE * failures).await;
                }
                // What of it came is told by the server.
                if let Ok(known) = server.uploaded_bytes(&place).await {
                    at = known.min(size);
                }
            }
        }
    }
    let (mut pause, mut failures) = (FIRST_LOOK, 0);
    loop {
        match server.uploaded(&place).await {
            Ok(Uploaded::Stored(url)) => return Ok(url),
            Ok(Uploaded::Storing) => {}
            Err(why) if failures + 1 < TRIES && is_tried_again(&why) => failures += 1,
            Err(why) => return Err(why.into()),
        }
        sleep(pause).await;
        pause = (pause * 2).min(LAST_LOOK);
    }
}

/// Whether a piece may be taken in a moment: another request sends one still, as after one that broke off, there were too many (H46), or
/// the server is busy.
const fn is_of_now(why: &Failure) -> bool {
    matches!(why, Failure::Refused { status: 423 | 429 | 503, .. })
}

/// Whether the server may store a file that it has all of when it is asked again, which goes on where it broke off (H48).
const fn is_tried_again(why: &Failure) -> bool {
    match why {
        Failure::Refused { status, .. } => {
            matches!(status, 408 | 423 | 429) || (*status >= 500 && *status != 507)
        }
        Failure::Name(_) | Failure::Connect(_) | Failure::Broken(_) | Failure::Late => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use heliograph_shared::e2ee::secret::Secret;

    use super::*;
    use crate::file_size::FileSize;

    fn copy(size: usize, is_sealed: bool) -> (Copy, Vec<u8>) {
        let bytes: Vec<u8> = (0..size).map(|at| u8::try_from(at % 251).unwrap()).collect();
        let cipher = is_sealed.then(|| FileCipher::sealing(&Secret::new([7; 32]), [8; 24]));
        let source = Source::Memory(bytes.as_slice().into());
        (Copy { source, size: size as u64, cipher, open: OpenFiles::default() }, bytes)
    }

    fn all_of(copy: &Copy) -> Vec<u8> {
        let mut all = Vec::new();
        while (all.len() as u64) < copy.stored_size() {
            let piece = copy.piece(all.len() as u64).unwrap();
            assert!(!piece.is_empty());
            all.extend(piece);
        }
        all
    }

    #[test]
    fn e7_a_copy_is_the_header_and_all_chunks_of_which_the_last_is_a_short_one() {
        let piece = CHUNK_BYTES * 256;
        for size in [0, 1, CHUNK_BYTES, piece - 1, piece, piece + CHUNK_BYTES, piece * 2 + 5] {
            let (copy, bytes) = copy(size, true);
            let all = all_of(&copy);
            assert_eq!(all.len() as u64, sealed_size(size as u64).unwrap(), "{size}");
            let header = all.first_chunk().unwrap();
            let cipher = FileCipher::opening(&Secret::new([7; 32]), header).unwrap();
            let sealed: Vec<_> = all[HEADER_BYTES..].chunks(CHUNK_BYTES + 16).collect();
            let opened = sealed.iter().enumerate().flat_map(|(at, chunk)| {
                cipher.open(u32::try_from(at).unwrap(), chunk, at + 1 == sealed.len()).unwrap()
            });
            assert!(opened.eq(bytes.iter().copied()), "{size}");
        }
    }

    #[test]
    fn h46_a_copy_goes_on_from_any_byte() {
        for is_sealed in [true, false] {
            let (copy, _) = copy(CHUNK_BYTES * 256 + 10, is_sealed);
            let all = all_of(&copy);
            for at in [1, 55, 56, 57, CHUNK_BYTES, all.len() - 30, all.len() - 1] {
                let piece = copy.piece(at as u64).unwrap();
                assert!(all[at..].starts_with(&piece) && !piece.is_empty(), "{at}");
            }
        }
    }

    /// Answers one request after the other so, each on a connection of its own. Returns how they began.
    fn answers(listener: &TcpListener, answers: &[&str]) -> Vec<String> {
        let asked = answers.iter().map(|answer| {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 4096];
            let length = stream.read(&mut request).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
            String::from_utf8_lossy(&request[..length]).split(' ').next().unwrap().to_owned()
        });
        asked.collect()
    }

    #[tokio::test]
    async fn h48_a_file_that_could_not_be_stored_is_asked_for_again_and_not_sent_again() {
        const EMPTY: &str = "content-length: 0\r\nconnection: close\r\n\r\n";
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let asked = std::thread::spawn(move || {
            let begun = format!("HTTP/1.1 201 Created\r\nlocation: /api/tus/x\r\n{EMPTY}");
            let taken = format!("HTTP/1.1 204 No Content\r\nupload-offset: 3\r\n{EMPTY}");
            let failed = format!("HTTP/1.1 502 Bad Gateway\r\n{EMPTY}");
            let stored = r#"{"url": "/api/uploads/x"}"#;
            let length = stored.len();
            let stored = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{stored}"
            );
            answers(&listener, &[&begun, &taken, &failed, &failed, &stored])
        });
        let server = Server::at(&url.parse().unwrap()).unwrap();
        let facts = FileFacts {
            name: "a".to_owned(),
            size: FileSize::new(3).unwrap(),
            media_type: String::new(),
            modified: None,
            batch: None,
            manifest: None,
            seal: None,
            url: None,
        };
        let source = Source::Memory(b"abc".as_slice().into());
        let stored = store(&server, BeamId::from_random([1; 16]), &facts, source).await;
        assert_eq!(stored.unwrap(), "/api/uploads/x");
        assert_eq!(asked.join().unwrap(), ["POST", "PATCH", "GET", "GET", "GET"]);
    }
}
