//! A database per test: a fresh SQLite file, and a fresh database on the Postgres server of `scripts/with-postgres`.

use std::sync::Arc;
use std::time::Duration;

use heliograph_shared::time::Millis;
use heliograph_storage::quota::Quotas;
use heliograph_storage::{BeamWriter, Location, Storage};
use tokio::sync::Semaphore;

use crate::postgres::fresh_database;

/// Runs a test on SQLite, then on Postgres.
pub async fn on_both(test: impl AsyncFn(Storage)) {
    with_writer(async |storage, _writer| test(storage).await).await;
}

/// Does the same for a test that changes saved beams.
pub async fn with_writer(test: impl AsyncFn(Storage, BeamWriter)) {
    with_each(async |storage, writer, _| test(storage, writer).await).await;
}

/// The same for a test with many changes at once, of which the database takes so many: on SQLite they wait for one another, and
/// none for longer than five seconds; on Postgres each has one of the storage's connections, and none waits for one.
pub async fn with_each(test: impl AsyncFn(Storage, BeamWriter, usize)) {
    let folder = tempfile::tempdir().unwrap();
    for (location, at_once) in [
        (Location::Folder(folder.path().to_owned()), 8),
        (Location::Postgres(fresh_database()), 16),
    ] {
        println!("on {location:?}");
        let (storage, writer) = Storage::open(&location).await.unwrap();
        test(storage.clone(), writer, at_once).await;
        storage.close().await;
    }
}

/// Runs all of these, so many at once. Returns what came of them, in their order.
pub async fn in_turns<J>(at_once: usize, jobs: impl IntoIterator<Item = J>) -> Vec<J::Output>
where
    J: Future + Send + 'static,
    J::Output: Send + 'static,
{
    let places = Arc::new(Semaphore::new(at_once));
    let run = |job: J| {
        let places = places.clone();
        tokio::spawn(async move {
            let _place = places.acquire_owned().await.unwrap();
            job.await
        })
    };
    let tasks: Vec<_> = jobs.into_iter().map(run).collect();
    let mut outcomes = Vec::new();
    for task in tasks {
        outcomes.push(task.await.unwrap());
    }
    outcomes
}

/// Quotas of this many bytes for one account and for one beam, and no others.
pub const fn quotas(own: u64) -> Quotas {
    Quotas { account: own, beam: own, address: u64::MAX, guests: u64::MAX, all: u64::MAX }
}

/// A millisecond.
pub const MS: Duration = Duration::from_millis(1);

/// The time this many milliseconds after the Unix epoch.
pub const fn at(millis: i64) -> Millis {
    Millis::new(millis)
}
