//! Blobs: bytes that are too many for a row, in a folder or in an S3 bucket. The one door to
//! `object_store`. What a blob is, whose, and until when, is in the tables; here are only bytes.

mod error;
mod key;
mod location;
mod writer;

use std::ops::Range;
use std::path::PathBuf;
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
pub use writer::Writer;

/// Bytes of one read from a file: large enough that the way to the disk is not what takes the time.
const READ_BYTES: usize = 256 * 1024;
/// Reads of a file on their way at a time.
const READ_AHEAD: usize = 2;
/// Bytes that one [`Reading`] holds at most, with a piece that was handed on and one that is being sent.
pub const READING_BYTES: usize = READ_BYTES * (READ_AHEAD + 2);

/// The bytes of a blob, in order.
pub type Reading = BoxStream<'static, Result<Bytes, Error>>;

/// Where the blobs are. Cheap to clone.
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
    /// Opens the place of the blobs; a folder is made if it is not there.
    ///
    /// # Errors
    /// [`Error`] when the folder cannot be used, or the bucket is not described well. A bucket that cannot be reached
    /// is no error yet: see [`Self::check`].
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

    /// Whether blobs can be read here: the bucket is there and takes our credentials.
    ///
    /// # Errors
    /// [`Error`] says what is wrong.
    pub async fn check(&self) -> Result<(), Error> {
        match self.objects().get(&Path::from("check")).await.map_err(Error::from) {
            Ok(_) | Err(Error::Missing) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Memory that one [`Writer`] takes at most, in bytes.
    #[must_use]
    pub fn writer_bytes(&self) -> usize {
        match self.store {
            Store::Folder { .. } => writer::FILE_BYTES,
            Store::S3(_) => writer::BUCKET_BYTES,
        }
    }

    /// Starts to write a blob; it is there when [`Writer::finish`] says so, and not before.
    ///
    /// # Errors
    /// [`Error`] when the place cannot take it.
    pub async fn write(&self, key: BlobKey) -> Result<Writer, Error> {
        let path = key.path();
        match &self.store {
            Store::Folder { files, .. } => {
                Ok(Writer::to_file(files.put_multipart(&path).await?, path))
            }
            Store::S3(bucket) => Writer::to_store(bucket.clone(), path).await,
        }
    }

    /// Writes a small blob at once.
    ///
    /// # Errors
    /// [`Error`] when the place cannot take it.
    pub async fn put(&self, key: BlobKey, bytes: Bytes) -> Result<(), Error> {
        self.objects().put(&key.path(), bytes.into()).await.map_err(Error::of_writing)?;
        Ok(())
    }

    /// A small blob, whole.
    ///
    /// # Errors
    /// [`Error::Missing`] when there is none.
    pub async fn get(&self, key: BlobKey) -> Result<Bytes, Error> {
        Ok(self.objects().get(&key.path()).await?.bytes().await?)
    }

    /// How many bytes a blob has.
    ///
    /// # Errors
    /// [`Error::Missing`] when there is none.
    pub async fn size(&self, key: BlobKey) -> Result<u64, Error> {
        Ok(self.objects().head(&key.path()).await?.size)
    }

    /// Some bytes of a blob, as they are asked for.
    ///
    /// # Errors
    /// [`Error::Missing`] when there is no such blob.
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

    /// Removes a blob and what an unfinished write left of it; `parts` is what [`Writer::parts`] said. Again is no
    /// error, except that a server may refuse to remove parts that it does not have.
    ///
    /// # Errors
    /// [`Error`] when the place cannot do it; the blob or its parts may be there then.
    pub async fn delete(&self, key: BlobKey, parts: Option<&str>) -> Result<(), Error> {
        let path = key.path();
        if let Some(parts) = parts
            && let Some(store) = self.multipart()
        {
            match allow_missing(store.abort_multipart(&path, &parts.to_owned()).await) {
                // Servers do not agree on how they say that there is no such upload any more. A blob that is whole has
                // no parts: they have become it.
                Err(Error::Refused(_)) if self.size(key).await.is_ok() => {}
                other => other?,
            }
        }
        if let Store::Folder { folder, .. } = &self.store {
            match tokio::fs::remove_file(folder.join(unfinished_file(&path))).await {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error.into());
                }
                _ => {}
            }
        }
        allow_missing(self.objects().delete(&path).await)
    }

    /// The share of the disk that would be full with so many bytes more, in thousandths; none where there is no disk
    /// to ask.
    ///
    /// # Errors
    /// [`Error::Unreachable`] when the system does not say.
    pub async fn fullness(&self, more: u64) -> Result<Option<u64>, Error> {
        let Store::Folder { folder, .. } = &self.store else {
            return Ok(None);
        };
        let folder = folder.clone();
        let disk = tokio::task::spawn_blocking(move || fs4::statvfs(folder))
            .await
            .map_err(|error| Error::Unreachable(error.to_string()))??;
        // As `df` counts it: what is kept back for root is nobody's.
        let used = disk.total_space().saturating_sub(disk.free_space());
        let usable = used.saturating_add(disk.available_space());
        Ok(Some(used.saturating_add(more).saturating_mul(1_000) / usable.max(1)))
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

/// The file that a kill in mid-write leaves: the library writes beside the path and renames. Ids are never used twice,
/// so it is always the first.
fn unfinished_file(path: &Path) -> String {
    format!("{path}#1")
}

fn allow_missing(result: Result<(), object_store::Error>) -> Result<(), Error> {
    match result.map_err(Error::from) {
        Err(Error::Missing) => Ok(()),
        other => other,
    }
}

/// A file's bytes in pieces of our own, the next one already on its way from the disk while one goes out. No thread waits
/// for a slow reader. The library's pieces are a few KiB.
fn from_file(file: std::fs::File, range: Range<u64>) -> Reading {
    let file = Arc::new(file);
    let starts = range.clone().step_by(READ_BYTES);
    let pieces = starts.map(move |start| {
        let (file, end) = (file.clone(), range.end.min(start + READ_BYTES as u64));
        async move {
            let reading = tokio::task::spawn_blocking(move || read_at(&file, start..end));
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
