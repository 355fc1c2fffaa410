//! Tables of one's own: a fresh SQLite file, and a fresh database on the Postgres server of `scripts/with-postgres`.

use std::env;
use std::process::Command;

use heliograph_storage::{Location, Storage};
use uuid::Uuid;

/// Runs a test on SQLite, then on Postgres.
pub async fn on_both(test: impl AsyncFn(Storage)) {
    let folder = tempfile::tempdir().unwrap();
    for location in [Location::Folder(folder.path().to_owned()), fresh_postgres()] {
        println!("on {location:?}");
        let storage = Storage::open(&location).await.unwrap();
        test(storage.clone()).await;
        storage.close().await;
    }
}

/// An empty database.
pub fn fresh_postgres() -> Location {
    let server = env::var("HELIOGRAPH_TEST_POSTGRES")
        .expect("run this as `scripts/with-postgres cargo test`, or `make test`");
    let name = format!("test_{}", Uuid::now_v7().simple());
    let create = format!("CREATE DATABASE {name}");
    let psql = Command::new("psql").args([&server, "--quiet", "--command", &create]).status();
    assert!(psql.unwrap().success());
    Location::Postgres(server.replace("/postgres?", &format!("/{name}?")))
}
