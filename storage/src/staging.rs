//! Staging files: what has come of the uploads in pieces (H45). Each is named by its upload's id. How many of its bytes
//! count is in the database ([`crate::resumable_uploads`]); what is behind them came with a piece that was never
//! acknowledged.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt as _, TryStreamExt as _};
use tokio::fs::{File, OpenOptions};
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _, BufWriter, SeekFrom};
use tokio_util::io::ReaderStream;

use crate::blobs::{BlobId, Error};
use crate::disk;

/// Bytes that wait for the disk, and bytes of one read.
pub const STAGING_BYTES: usize = 1024 * 1024;

/// The folder of the staging files. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Staging {
    folder: PathBuf,
}

/// A staging file to which bytes are appended. Nothing of them is safe before [`Appending::save`].
#[derive(Debug)]
pub struct Appending {
    file: BufWriter<File>,
}

impl Staging {
    /// Opens the folder, and creates it for its owner alone if necessary.
    ///
    /// # Errors
    /// [`Error`] when it cannot be created.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(folder)?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of an upload's file.
    #[must_use]
    pub fn path(&self, id: BlobId) -> PathBuf {
        self.folder.join(id.to_string())
    }

    /// Creates the file of an upload, empty and durably.
    ///
    /// # Errors
    /// [`Error`] when the disk fails.
    pub async fn create(&self, id: BlobId) -> Result<(), Error> {
        let file = OpenOptions::new().write(true).create_new(true).open(self.path(id)).await?;
        file.sync_all().await?;
        Ok(sync_folder(self.folder.clone()).await?)
    }

    /// The length of an upload's file in bytes; `None` when it has none.
    ///
    /// # Errors
    /// [`Error`] when the disk fails.
    pub async fn length(&self, id: BlobId) -> Result<Option<u64>, Error> {
        match tokio::fs::metadata(self.path(id)).await {
            Ok(about) => Ok(Some(about.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Begins to append behind the bytes that count, and drops what is behind them.
    ///
    /// # Errors
    /// [`Error`] when the disk fails.
    pub async fn append(&self, id: BlobId, received: u64) -> Result<Appending, Error> {
        // One that a restored backup lacks begins anew.
        let mut options = OpenOptions::new();
        let options = options.write(true).create(true).truncate(false);
        let mut file = options.open(self.path(id)).await?;
        file.set_len(received).await?;
        file.seek(SeekFrom::Start(received)).await?;
        Ok(Appending { file: BufWriter::with_capacity(STAGING_BYTES, file) })
    }

    /// The first bytes of an upload's file, at most so many.
    ///
    /// # Errors
    /// [`Error::Missing`] when it has none.
    pub async fn head(&self, id: BlobId, most: usize) -> Result<Vec<u8>, Error> {
        let mut head = Vec::new();
        let file = File::open(self.path(id)).await?;
        file.take(most as u64).read_to_end(&mut head).await?;
        Ok(head)
    }

    /// The bytes of a range of an upload's file, which are held in memory.
    ///
    /// # Errors
    /// [`Error::Missing`] when it has none, [`Error::Unreachable`] when it is shorter.
    pub async fn read_range(&self, id: BlobId, range: Range<u64>) -> Result<Bytes, Error> {
        let mut file = File::open(self.path(id)).await?;
        file.seek(SeekFrom::Start(range.start)).await?;
        let length = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
        let mut bytes = vec![0; length];
        file.read_exact(&mut bytes).await?;
        Ok(bytes.into())
    }

    /// All bytes of an upload's file, as fast as the stream is polled.
    ///
    /// # Errors
    /// [`Error::Missing`] when it has none.
    pub async fn read(
        &self,
        id: BlobId,
    ) -> Result<BoxStream<'static, Result<Bytes, Error>>, Error> {
        let file = File::open(self.path(id)).await?;
        Ok(ReaderStream::with_capacity(file, STAGING_BYTES).map_err(Error::from).boxed())
    }

    /// Removes an upload's file, if it has one.
    ///
    /// # Errors
    /// [`Error`] when the disk fails.
    pub async fn remove(&self, id: BlobId) -> Result<(), Error> {
        match tokio::fs::remove_file(self.path(id)).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// The uploads that have files.
    ///
    /// # Errors
    /// [`Error`] when the folder cannot be read.
    pub async fn list(&self) -> Result<Vec<BlobId>, Error> {
        let mut entries = tokio::fs::read_dir(&self.folder).await?;
        let mut found = Vec::new();
        while let Some(entry) = entries.next_entry().await? {
            found.extend(entry.file_name().to_str().and_then(|name| BlobId::parse(name).ok()));
        }
        Ok(found)
    }

    /// The share of the disk that would be used with this many bytes more, in thousandths.
    ///
    /// # Errors
    /// [`Error::Unreachable`] when the operating system does not tell.
    pub async fn fullness(&self, more: u64) -> Result<u64, Error> {
        Ok(disk::fullness(self.folder.clone(), more).await?)
    }
}

impl Appending {
    /// Appends bytes.
    ///
    /// # Errors
    /// [`Error`] when the disk fails.
    pub async fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        Ok(self.file.write_all(bytes).await?)
    }

    /// Waits until everything that was appended was given to the operating system, or could not be.
    pub async fn settle(&mut self) {
        let _ = self.file.flush().await;
    }

    /// Waits until everything that was appended is on the disk.
    ///
    /// # Errors
    /// [`Error`] when the disk fails. It is then not known what is there.
    pub async fn save(&mut self) -> Result<(), Error> {
        self.file.flush().await?;
        Ok(self.file.get_ref().sync_data().await?)
    }
}

/// Makes the entries of a folder durable. Windows does that by itself and cannot open folders.
async fn sync_folder(folder: PathBuf) -> io::Result<()> {
    if cfg!(unix) { File::open(folder).await?.sync_all().await } else { Ok(()) }
}
