//! Copies of the database, and what they name. Only of SQLite: a Postgres server makes its own.

use std::path::Path;
use std::{fs, io};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Row as _};

use crate::blobs::BlobKey;
use crate::database::FILE;
use crate::{Error, sqlite};

/// Copies the database in this folder to a file that does not exist, as it is at one moment, while a server may use it.
///
/// # Errors
/// [`Error::Database`], [`Error::DiskFull`].
pub async fn copy(folder: &Path, to: &Path) -> Result<(), Error> {
    // SQLite takes an empty file too, and this one is private from the start.
    sqlite::make_private(to).map_err(sqlx::Error::Io)?;
    let options = SqliteConnectOptions::new().filename(folder.join(FILE));
    let mut connection = options.busy_timeout(sqlite::PATIENCE).connect().await?;
    let to = to.to_str().ok_or(Error::Corrupt)?;
    sqlx::query("VACUUM INTO $1").bind(to).execute(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

/// The blobs that a copy names: all that must be there for it to be whole.
///
/// # Errors
/// [`Error::Database`], [`Error::Corrupt`].
pub async fn blobs_of(copy: &Path) -> Result<Vec<BlobKey>, Error> {
    let options = SqliteConnectOptions::new().filename(copy).read_only(true).immutable(true);
    let mut connection = options.connect().await?;
    let select = "SELECT 'uploads/' || id AS name FROM uploads WHERE state = 'ready' \
                  UNION ALL SELECT 'pictures/' || picture FROM accounts WHERE picture IS NOT NULL \
                  ORDER BY 1";
    let rows = sqlx::query(select).fetch_all(&mut connection).await?;
    connection.close().await?;
    rows.iter().map(|row| Ok(BlobKey::parse(row.try_get("name")?)?)).collect()
}

/// Puts the database of one folder in place in another, which has none. [`sync_folder`] makes that last.
///
/// # Errors
/// [`Error::Database`]: it is not in place.
pub fn put_in_place(from: &Path, folder: &Path) -> Result<(), Error> {
    Ok(fs::rename(from.join(FILE), folder.join(FILE)).map_err(sqlx::Error::Io)?)
}

/// Waits until the disk has the names of the files in a folder.
///
/// # Errors
/// The folder cannot be opened, or the disk does not take them.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    // Windows opens no folders, and needs none opened.
    if cfg!(unix) { fs::File::open(folder)?.sync_all() } else { Ok(()) }
}
