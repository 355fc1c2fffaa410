//! Tables of one's own: a fresh SQLite file, and a fresh database on the Postgres server of `scripts/with-postgres`.

use heliograph_storage::{Location, Storage};

use crate::postgres::fresh_database;

/// Runs a test on SQLite, then on Postgres.
pub async fn on_both(test: impl AsyncFn(Storage)) {
    let folder = tempfile::tempdir().unwrap();
    for location in
        [Location::Folder(folder.path().to_owned()), Location::Postgres(fresh_database())]
    {
        println!("on {location:?}");
        let storage = Storage::open(&location).await.unwrap();
        test(storage.clone()).await;
        storage.close().await;
    }
}
