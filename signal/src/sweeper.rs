//! Removes what has expired: one interval, nothing that anybody waits for.

use std::sync::Arc;
use std::time::Duration;

use heliograph_storage::dead_blobs::DeadBlob;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::error::Error;

/// Often enough that nothing piles up.
const PAUSE: Duration = Duration::from_mins(10);

/// Blobs that are looked up at a time.
const BLOBS: u32 = 100;

/// Sweeps until it is told to end.
pub async fn run(app: Arc<App>, shutdown: CancellationToken) {
    let mut interval = interval(PAUSE);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = interval.tick() => sweep(&app).await,
            () = shutdown.cancelled() => return,
        }
    }
}

/// Removes what has expired by now.
pub async fn sweep(app: &Arc<App>) {
    app.buffers.clear();
    let now = app.clock.steady();
    app.limits.unknown_joins.sweep(now);
    app.limits.beam_creations.sweep(now);
    app.limits.logins.sweep(now);
    app.limits.registrations.sweep(now);
    app.logins.sweep(now);
    if let Err(error) = app.storage.forget_old_sessions(app.clock.now()).await {
        tracing::error!(%error, "logins that are over could not be forgotten");
    }
    app.uploads.sweep(now);
    match app.storage.bury_old_uploads(app.clock.now()).await {
        Ok(0) => {}
        Ok(uploads) => tracing::info!(uploads, "ended uploads"),
        Err(error) => tracing::error!(%error, "old uploads could not be ended"),
    }
    remove_dead_blobs(app.clone()).await;
    match app.storage.forget_old_beams(app.clock.now()).await {
        Ok(0) => {}
        Ok(beams) => tracing::info!(beams, "forgot beams that ended long ago"),
        Err(error) => tracing::error!(%error, "the sweeper failed"),
    }
}

/// Removes the blobs that nobody wants any more. What cannot be removed now is tried again later.
pub async fn remove_dead_blobs(app: Arc<App>) {
    if let Err(error) = try_to_remove_dead_blobs(&app).await {
        tracing::error!(%error, "blobs could not be removed");
    }
}

async fn try_to_remove_dead_blobs(app: &App) -> Result<(), Error> {
    loop {
        let dead = app.storage.dead_blobs(app.clock.now(), BLOBS).await?;
        if dead.is_empty() {
            return Ok(());
        }
        for DeadBlob { key, parts } in dead {
            app.blobs.delete(key, parts.as_deref()).await?;
            app.storage.forget_dead_blob(key).await?;
        }
    }
}
