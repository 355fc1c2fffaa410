//! Blobs: file contents in a folder or in an S3 bucket. The only module that uses `object_store`. Owners and lifetimes
//! of blobs are in the database.

mod error;
mod key;
mod location;
mod parts;
mod trial;
mod writer;

use std::io;
use std::ops::Range;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::aws::AmazonS3;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResultPayload, ObjectStore, ObjectStoreExt as _};

pub use error::Error;
pub use key::{BlobId, BlobKey};
pub use location::{Credentials, Location, S3};
pub use parts::{PARTS_AT_ONCE, Parts};
pub use trial::Step;
pub use writer::Writer;

use crate::disk;

/// Bytes per read from a file, enough that the cost of a read hardly counts.
const READ_BYTES: usize = 256 * 1024;
/// Concurrent reads of a file.
const READ_AHEAD: usize = 2;
/// Most bytes that a [`Reading`] holds, including a piece that was handed on and one that is being sent.
pub const READING_BYTES: usize = READ_BYTES * (READ_AHEAD + 2);

/// The bytes of a blob, in order.
pub type Reading = BoxStream<'static, Result<Bytes, Error>>;

/// The blob store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Blobs {
    store: Store,
}

#[derive(Clone, Debug)]
enum Store {
    Folder { files: Arc<LocalFileSystem>, folder: PathBuf },
    S3(Arc<AmazonS3>),
}

impl Blobs {
    /// Opens the store, and creates the folder if necessary.
    ///
    /// # Errors
    /// [`Error`] when the folder cannot be used or the location is invalid. An unreachable bucket is not an error yet:
    /// see [`Self::check`].
    pub fn open(location: &Location) -> Result<Self, Error> {
        let store = match location {
            Location::Folder(folder) => {
                std::fs::create_dir_all(folder)?;
                let probe = folder.join("check");
                std::fs::write(&probe, b"")?;
                std::fs::remove_file(probe)?;
                let files = LocalFileSystem::new_with_prefix(folder)?.with_fsync(true);
                Store::Folder { files: Arc::new(files), folder: folder.clone() }
            }
            Location::S3(s3) => Store::S3(Arc::new(s3.connect()?)),
        };
        Ok(Self { store })
    }

    /// Checks that the store can be read: the bucket exists and accepts the credentials.
    ///
    /// # Errors
    /// [`Error`] with the reason.
    pub async fn check(&self) -> Result<(), Error> {
        match self.objects().get(&Path::from("check")).await.map_err(Error::from) {
            Ok(_) | Err(Error::Missing) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Most memory that one [`Writer`] takes, in bytes.
    #[must_use]
    pub fn writer_bytes(&self) -> usize {
        match self.store {
            Store::Folder { .. } => writer::FILE_BYTES,
            Store::S3(_) => writer::BUCKET_BYTES,
        }
    }

    /// Begins to write a blob, which exists once [`Writer::finish`] succeeds.
    ///
    /// # Errors
    /// [`Error`] when the store fails.
    pub async fn write(&self, key: BlobKey) -> Result<Writer, Error> {
        let path = key.path();
        match &self.store {
            Store::Folder { files, .. } => {
                Ok(Writer::to_file(files.put_multipart(&path).await?, path))
            }
            Store::S3(bucket) => Writer::to_store(bucket.clone(), path).await,
        }
    }

    /// Makes a file of this machine the blob, in one step, if the store is a folder on the same disk. Returns `false`,
    /// and leaves the file, if it is not.
    ///
    /// # Errors
    /// [`Error`] when the store fails.
    pub async fn adopt(&self, key: BlobKey, file: &FilePath) -> Result<bool, Error> {
        let Store::Folder { folder, .. } = &self.store else {
            return Ok(false);
        };
        let (from, to) = (file.to_owned(), folder.join(key.to_string()));
        let moving = tokio::task::spawn_blocking(move || move_durably(&from, &to));
        match moving.await.map_err(|error| Error::Unreachable(error.to_string()))? {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => Ok(false),
            moved => moved.map(|()| true).map_err(Error::from),
        }
    }

    /// Writes a small blob in one call.
    ///
    /// # Errors
    /// [`Error`] when the store fails.
    pub async fn put(&self, key: BlobKey, bytes: Bytes) -> Result<(), Error> {
        self.objects().put(&key.path(), bytes.into()).await.map_err(Error::of_writing)?;
        Ok(())
    }

    /// Reads a small blob whole.
    ///
    /// # Errors
    /// [`Error::Missing`] when it does not exist.
    pub async fn get(&self, key: BlobKey) -> Result<Bytes, Error> {
        Ok(self.objects().get(&key.path()).await?.bytes().await?)
    }

    /// The size of a blob in bytes.
    ///
    /// # Errors
    /// [`Error::Missing`] when it does not exist.
    pub async fn size(&self, key: BlobKey) -> Result<u64, Error> {
        Ok(self.objects().head(&key.path()).await?.size)
    }

    /// Reads a range of a blob, as fast as the stream is polled.
    ///
    /// # Errors
    /// [`Error::Missing`] when it does not exist.
    pub async fn read(&self, key: BlobKey, range: Range<u64>) -> Result<Reading, Error> {
        if range.is_empty() {
            self.size(key).await?;
            return Ok(futures_util::stream::empty().boxed());
        }
        let options =
            GetOptions { range: Some(GetRange::Bounded(range.clone())), ..GetOptions::default() };
        let found = self.objects().get_opts(&key.path(), options).await?;
        Ok(match found.payload {
            GetResultPayload::File(file, _) => from_file(file, range),
            GetResultPayload::Stream(stream) => stream.map_err(Error::from).boxed(),
        })
    }

    /// Deletes a blob and the leftovers of an unfinished write; `parts` is the value of [`Writer::parts`]. Succeeds if
    /// they do not exist, except that a server may refuse to delete parts that it does not have.
    ///
    /// # Errors
    /// [`Error`] when the store fails; the blob or its parts may still exist.
    pub async fn delete(&self, key: BlobKey, parts: Option<&str>) -> Result<(), Error> {
        let path = key.path();
        if let Some(parts) = parts
            && let Some(store) = self.multipart()
        {
            match allow_missing(store.abort_multipart(&path, &parts.to_owned()).await) {
                // Servers differ in how they report an upload that no longer exists. If the blob exists, it has no
                // parts any more: they became the blob.
                Err(Error::Refused(_)) if self.size(key).await.is_ok() => {}
                other => other?,
            }
        }
        if let Store::Folder { folder, .. } = &self.store {
            match tokio::fs::remove_file(folder.join(unfinished_file(&path))).await {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(error.into());
                }
                _ => {}
            }
        }
        allow_missing(self.objects().delete(&path).await)
    }

    /// The share of the disk that would be used with this many bytes more, in thousandths; `None` for a store that is
    /// not on a disk of this machine.
    ///
    /// # Errors
    /// [`Error::Unreachable`] when the operating system does not tell.
    pub async fn fullness(&self, more: u64) -> Result<Option<u64>, Error> {
        let Store::Folder { folder, .. } = &self.store else {
            return Ok(None);
        };
        Ok(Some(disk::fullness(folder.clone(), more).await?))
    }

    /// Whether [`Self::adopt`] takes files of this folder: the store is a folder on the same disk.
    #[must_use]
    pub fn adopts_from(&self, staging: &FilePath) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let Store::Folder { folder, .. } = &self.store else { return false };
        let disk = |folder: &FilePath| std::fs::metadata(folder).map(|about| about.dev());
        matches!((disk(folder), disk(staging)), (Ok(own), Ok(other)) if own == other)
    }

    fn objects(&self) -> &dyn ObjectStore {
        match &self.store {
            Store::Folder { files, .. } => files,
            Store::S3(bucket) => bucket,
        }
    }

    fn multipart(&self) -> Option<&dyn object_store::multipart::MultipartStore> {
        match &self.store {
            Store::Folder { .. } => None,
            Store::S3(bucket) => Some(&**bucket),
        }
    }
}

/// The path of the file that a kill during a write leaves: the library writes to a temporary file and renames it. Ids
/// are used once, so the temporary file is always the first.
fn unfinished_file(path: &Path) -> String {
    format!("{path}#1")
}

/// Moves a file whose content is durable, so that afterwards the move is durable too.
fn move_durably(from: &FilePath, to: &FilePath) -> io::Result<()> {
    let folder = to.parent().unwrap_or(to);
    std::fs::create_dir_all(folder)?;
    std::fs::rename(from, to)?;
    // Windows does that by itself and cannot open folders.
    if cfg!(unix) { std::fs::File::open(folder)?.sync_all() } else { Ok(()) }
}

fn allow_missing(result: Result<(), object_store::Error>) -> Result<(), Error> {
    match result.map_err(Error::from) {
        Err(Error::Missing) => Ok(()),
        other => other,
    }
}

/// A file's bytes, read in pieces of our own size and one piece ahead. No thread waits for a slow reader. The library's
/// own pieces have only a few KiB.
fn from_file(file: std::fs::File, range: Range<u64>) -> Reading {
    let file = Arc::new(file);
    let starts = range.clone().step_by(READ_BYTES);
    let pieces = starts.map(move |start| {
        let (file, end) = (file.clone(), range.end.min(start + READ_BYTES as u64));
        async move {
            let reading = tokio::task::spawn_blocking(move || {
                disk::read_ahead(&file, end);
                read_at(&file, start..end)
            });
            reading.await.map_err(|error| Error::Unreachable(error.to_string()))?
        }
    });
    futures_util::stream::iter(pieces).buffered(READ_AHEAD).boxed()
}

fn read_at(file: &std::fs::File, range: Range<u64>) -> Result<Bytes, Error> {
    use std::os::unix::fs::FileExt as _;
    let length = usize::try_from(range.end - range.start).unwrap_or(READ_BYTES);
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, range.start)?;
    Ok(bytes.into())
}
