//! Deletes the blobs on the list of `heliograph_storage::dead_blobs`.

use std::time::Duration;

use heliograph_storage::Storage;
use heliograph_storage::blobs::{self, Blobs};
use heliograph_storage::dead_blobs::DeadBlob;

use crate::clock::Clock;
use crate::error::Error;

/// Blobs per look-up.
const BLOBS: u32 = 100;

/// Pause before the second try to delete a blob.
const PAUSE: Duration = Duration::from_mins(10);
/// Factor by which each pause is longer than the one before.
const LONGER: u32 = 6;
/// Number of pauses that grow; the longest is a day and a half.
const GROWING: u64 = 3;
/// Refusals to delete the parts of an unfinished upload before they are given up. They span four days, in which an
/// operator can correct the server's permissions.
const TRIES: u64 = 5;
/// Consecutive failures after which the rest waits for the next run.
const FAILURES: usize = 8;

/// Deletes the blobs that are no longer needed. Tries again later where that fails; a blob that keeps failing does not
/// keep the others.
pub async fn remove(storage: Storage, blobs: Blobs, clock: Clock) {
    if let Err(error) = try_to_remove(&storage, &blobs, clock).await {
        tracing::error!(%error, "the list of dead blobs could not be read");
    }
}

async fn try_to_remove(storage: &Storage, blobs: &Blobs, clock: Clock) -> Result<(), Error> {
    let mut failures = 0;
    loop {
        let now = clock.now();
        let dead = storage.dead_blobs(now, BLOBS).await?;
        if dead.is_empty() {
            return Ok(());
        }
        for blob in dead {
            let (key, tries) = (blob.key, blob.tries);
            match remove_one(blobs, blob).await {
                Ok(()) => {
                    failures = 0;
                    storage.forget_dead_blob(key).await?;
                }
                Err(error) => {
                    failures += 1;
                    tracing::error!(%error, "a blob could not be deleted; trying again later");
                    storage.put_off_dead_blob(key, now + pause_after(tries)).await?;
                }
            }
            if failures == FAILURES {
                return Ok(());
            }
        }
    }
}

fn pause_after(tries: u64) -> Duration {
    (0..tries.min(GROWING)).fold(PAUSE, |pause, _| pause * LONGER)
}

/// Deletes a blob and its parts. Some stores refuse to delete parts that do not exist, so after [`TRIES`] refusals the
/// parts count as gone.
async fn remove_one(
    blobs: &Blobs,
    DeadBlob { key, parts, tries }: DeadBlob,
) -> Result<(), blobs::Error> {
    match blobs.delete(key, parts.as_deref()).await {
        Err(blobs::Error::Refused(why)) if parts.is_some() && tries >= TRIES => {
            tracing::error!(why, "parts of an unfinished upload may stay in the bucket for good");
            blobs.delete(key, None).await
        }
        result => result,
    }
}
