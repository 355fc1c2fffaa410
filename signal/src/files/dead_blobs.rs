//! Removes the bytes of what has ended: the outbox of `heliograph_storage::dead_blobs` says which.

use std::time::Duration;

use heliograph_storage::Storage;
use heliograph_storage::blobs::{self, Blobs};
use heliograph_storage::dead_blobs::DeadBlob;

use crate::clock::{Clock, millis};
use crate::error::Error;

/// Blobs that are looked up at a time.
const BLOBS: u32 = 100;

/// Time until a blob that could not be removed is tried again, for the first time.
const PAUSE: Duration = Duration::from_mins(10);
/// Of a blob that could not be removed, each pause is so many times the one before it.
const LONGER: u32 = 6;
/// Pauses that grow: the longest is a day and a half.
const GROWING: u64 = 3;
/// How often a server may refuse to remove the parts of an unfinished upload, over four days in which somebody may change
/// what it allows us.
const TRIES: u64 = 5;
/// Blobs in a row that could not be removed, after which the place is left alone until the next time.
const FAILURES: usize = 8;

/// Removes the blobs that nobody wants any more. What cannot be removed now is tried again later, and keeps none of the
/// others.
pub async fn remove(storage: Storage, blobs: Blobs, clock: Clock) {
    if let Err(error) = try_to_remove(&storage, &blobs, clock).await {
        tracing::error!(%error, "the blobs to be removed could not be looked up");
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
                    tracing::error!(%error, "a blob could not be removed and is tried again later");
                    storage.put_off_dead_blob(key, now + millis(pause_after(tries))).await?;
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

/// Removes a blob and its parts. Some servers refuse to remove parts that they do not have, so in the end a refusal is
/// taken for that.
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
