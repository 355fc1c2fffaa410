//! Reads an archive and checks it from beginning to end, before anything of it is used.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use heliograph_storage::blobs::BlobKey;
use sha2::{Digest as _, Sha256};
use tar::EntryType;

use super::{BLOBS, DATABASE, Error, FORMAT, MANIFEST, Manifest, PIECE, SUMS, TLS, of_file};
use crate::operate::sums::sum_line;

/// Largest manifest and largest list of sums, in bytes: of ten million files.
const TEXT_BYTES: u64 = 1 << 30;
/// Size of a block in a tar, of which two empty ones end it.
const BLOCK: u64 = 512;

/// One entry of a good archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The database.
    Database,
    /// A file of the folder `tls`, by its path in the data folder.
    Tls(String),
    /// An uploaded file or a picture.
    Blob(BlobKey),
}

/// Reads the whole archive and hands each entry to `take`, with its bytes, which it may leave unread. Returns the sums,
/// which are those of the archive.
///
/// # Errors
/// [`Error::Archive`] when anything is missing, altered or unknown; what was taken by then must be undone.
pub fn read<'a>(
    path: &Path,
    mut take: impl FnMut(Entry, &mut dyn Read) -> Result<(), Error> + 'a,
) -> Result<String, Error> {
    let file = File::open(path).map_err(of_file(path))?;
    let length = file.metadata().map_err(of_file(path))?.len();
    let mut archive = tar::Archive::new(BufReader::with_capacity(PIECE, file));
    let (mut sums, mut end, mut has_database) = (String::new(), None, false);
    for entry in archive.entries().map_err(Error::Damaged)? {
        let mut entry = entry.map_err(Error::Damaged)?;
        let name = entry.path().map_err(Error::Damaged)?.to_string_lossy().into_owned();
        if entry.header().entry_type() != EntryType::Regular || end.is_some() {
            return Err(foreign(&name));
        }
        let size = entry.size();
        if name == SUMS {
            let expected = text(&mut entry)?;
            if expected != sums {
                return Err(Error::Archive(
                    "the archive is damaged: its sums are wrong".to_owned(),
                ));
            }
            end = Some(entry.raw_file_position() + size.next_multiple_of(BLOCK) + 2 * BLOCK);
            continue;
        }
        let mut summed = Summed { from: entry, sum: Sha256::new(), count: 0 };
        if sums.is_empty() {
            check_manifest(&name, &text(&mut summed)?)?;
        } else {
            let kind = kind(&name)?;
            has_database |= kind == Entry::Database;
            take(kind, &mut summed)?;
        }
        io::copy(&mut summed, &mut io::sink()).map_err(Error::Damaged)?;
        if summed.count != size {
            return Err(incomplete());
        }
        sums += &sum_line(&summed.sum.finalize(), &name);
    }
    if end != Some(length) || !has_database {
        return Err(incomplete());
    }
    Ok(sums)
}

fn kind(name: &str) -> Result<Entry, Error> {
    if name == DATABASE {
        return Ok(Entry::Database);
    }
    if let Some(key) = name.strip_prefix(BLOBS) {
        return BlobKey::parse(key).map(Entry::Blob).map_err(|_| foreign(name));
    }
    let is_plain = |part: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        !part.is_empty() && !part.starts_with('.') && part.chars().all(is_plain)
    };
    if name.starts_with(TLS) && name.split('/').all(is_plain) {
        return Ok(Entry::Tls(name.to_owned()));
    }
    Err(foreign(name))
}

fn check_manifest(name: &str, text: &str) -> Result<(), Error> {
    let manifest: Option<Manifest> = serde_json::from_str(text).ok().filter(|_| name == MANIFEST);
    match manifest {
        Some(manifest) if manifest.format == FORMAT => Ok(()),
        Some(manifest) => Err(Error::Archive(format!(
            "the archive was made by heliograph {}; restore it with that version or a newer one",
            manifest.version
        ))),
        None => Err(Error::Archive("this is no backup of heliograph".to_owned())),
    }
}

fn text(from: &mut impl Read) -> Result<String, Error> {
    let mut text = String::new();
    from.take(TEXT_BYTES).read_to_string(&mut text).map_err(Error::Damaged)?;
    Ok(text)
}

fn incomplete() -> Error {
    Error::Archive("the archive is incomplete".to_owned())
}

fn foreign(name: &str) -> Error {
    Error::Archive(format!("the archive has something unknown in it ({})", name.escape_default()))
}

/// Counts and sums what is read.
struct Summed<R> {
    from: R,
    sum: Sha256,
    count: u64,
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(buffer)?;
        self.sum.update(buffer.get(..count).unwrap_or_default());
        self.count += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_a_backup_are_taken() {
        let id = "0".repeat(32);
        assert_eq!(kind(DATABASE).unwrap(), Entry::Database);
        assert!(matches!(kind(&format!("blobs/uploads/{id}")), Ok(Entry::Blob(_))));
        assert!(matches!(kind("tls/acme/account.json"), Ok(Entry::Tls(_))));
        for wrong in [
            "",
            "blobs/uploads/../../etc/passwd",
            "tls/../heliograph.db",
            "tls/.hidden",
            "tls//x",
            "tls/",
            "/etc/passwd",
            "tls/a\\b",
            "heliograph.db-wal",
        ] {
            assert!(kind(wrong).is_err(), "{wrong}");
        }
    }
}
