//! SQLite's file, and the turns at the one connection that writes to it.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::sqlite::Sqlite;
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection, SqlitePool};
use tokio::time::{Instant, timeout_at};

/// How long a call waits for the other writers of this process and, in all, for another process that locks the database.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Waits for the writer. What is left of [`PATIENCE`] is for the lock: otherwise, while another process has it, a call
/// would wait once for those before it and once more for itself.
pub(crate) async fn turn(writer: &SqlitePool) -> Result<PoolConnection<Sqlite>, sqlx::Error> {
    let end = Instant::now() + PATIENCE;
    let connection = timeout_at(end, writer.acquire()).await;
    let mut connection = connection.map_err(|_| sqlx::Error::PoolTimedOut)??;
    let left = end.saturating_duration_since(Instant::now()).as_millis();
    let pragma = AssertSqlSafe(format!("PRAGMA busy_timeout = {left}"));
    sqlx::raw_sql(pragma).execute(&mut *connection).await?;
    Ok(connection)
}

/// Creates the file if it does not exist, readable only by its owner whatever the umask. SQLite gives the files beside
/// it (`-wal`, `-shm`) the same permissions.
pub(crate) fn make_private(file: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(file)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    drop(file);
    Ok(())
}

/// Whether a connection has no transaction left. On a full disk SQLite rolls back by itself, so the rollback of sqlx
/// fails, and sqlx counts a transaction forever: such a connection begins no other one and is replaced.
pub(crate) async fn is_sound(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    // The answer comes after the rollback, which a dropped transaction only queues.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::database::{Database, Location, Transaction, args};
    use crate::sharing::Sharing;

    #[tokio::test]
    async fn r3_while_another_process_has_the_lock_nobody_waits_longer_than_five_seconds() {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Folder(folder.path().into());
        let ours = Database::open(&location, Sharing::Alone).await.unwrap();
        let theirs = Database::open(&location, Sharing::Alone).await.unwrap();
        let lock = theirs.begin().await.unwrap();
        let update = "UPDATE upload_room SET turns = turns + 1";

        // The first one waits for the lock, the second one for the first.
        let (first, second) = tokio::join!(
            async { (ours.execute(update, args![]).await.is_err(), Instant::now()) },
            async { (ours.begin().await.is_err(), Instant::now()) },
        );

        assert!(first.0 && second.0);
        // Without a common deadline, the second one would then wait as long for the lock. A machine that stands still delays both.
        let longer = second.1.duration_since(first.1);
        assert!(longer < PATIENCE * 4 / 5, "{longer:?}");
        drop(lock);
        ours.execute(update, args![]).await.unwrap();
    }

    #[tokio::test]
    async fn a_disk_that_was_full_takes_writes_again_when_there_is_room() {
        let place = tempfile::tempdir().unwrap();
        let folder = Location::Folder(place.path().into());
        let database = Database::open(&folder, Sharing::Alone).await.unwrap();
        let insert = "INSERT INTO secrets (name, value) VALUES ($1, $2)";
        let secret = vec![7_u8; 32];
        let fill = async |transaction: &mut Transaction| {
            for n in 0..100_000_i64 {
                transaction.execute(insert, args![n.to_string(), secret.clone()]).await?;
            }
            Ok::<_, Error>(())
        };
        // SQLite keeps the bound with the connection, as if the disk were full for this one.
        database.execute("PRAGMA max_page_count = 1", args![]).await.unwrap();
        let mut transaction = database.begin().await.unwrap();
        let error = fill(&mut transaction).await.unwrap_err();
        assert!(matches!(error, Error::DiskFull(_)), "{error:?}");
        drop(transaction);

        let mut transaction = database.begin().await.unwrap();
        transaction.execute(insert, args!["after", secret.clone()]).await.unwrap();
        transaction.commit().await.unwrap();
    }
}
