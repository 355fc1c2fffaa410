//! The sweeper: removes expired data at an interval.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::files::dead_blobs;

/// Pause between two sweeps.
const PAUSE: Duration = Duration::from_mins(10);

/// Sweeps until `shutdown`.
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

/// Removes everything that has expired.
pub async fn sweep(app: &Arc<App>) {
    app.live.buffers.clear();
    let now = app.clock.steady();
    app.limits.sweep(now);
    app.codes.sweep(now);
    app.logins.sweep();
    if let Err(error) = app.logins.end_expired(app.clock.now()).await {
        tracing::error!(%error, "expired sessions could not be removed");
    }
    app.uploads.sweep(now);
    // The nodes of a server have the tables in common.
    let sweeps_tables = app.bus.may_sweep().await;
    if sweeps_tables {
        end_uploads(app).await;
    }
    if let Err(error) = app.uploads.sweep_staging().await {
        tracing::error!(%error, "staging files could not be removed");
    }
    if sweeps_tables {
        forget(app).await;
    }
}

/// Ends the uploads whose time is over.
async fn end_uploads(app: &App) {
    match app.storage.forget_kept_beams(app.clock.now()).await {
        Ok(0) => {}
        Ok(beams) => tracing::info!(beams, "removed what was kept of beams"),
        Err(error) => tracing::error!(%error, "what was kept of beams could not be removed"),
    }
    match app.storage.bury_old_uploads(app.clock.now()).await {
        Ok(0) => {}
        Ok(uploads) => tracing::info!(uploads, "removed expired uploads"),
        Err(error) => tracing::error!(%error, "expired uploads could not be removed"),
    }
}

/// Removes bytes that nothing names, and old records.
async fn forget(app: &App) {
    dead_blobs::remove(app.storage.clone(), app.blobs.clone(), app.clock).await;
    match app.storage.forget_old_beams(app.clock.now()).await {
        Ok(0) => {}
        Ok(beams) => tracing::info!(beams, "removed records of beams that ended long ago"),
        Err(error) => tracing::error!(%error, "records of ended beams could not be removed"),
    }
    if let Err(error) = app.storage.forget_old_drivers(app.clock.now()).await {
        tracing::error!(%error, "who drove beams long ago could not be removed");
    }
    if let Err(error) = app.storage.forget_old_nodes(app.clock.now()).await {
        tracing::error!(%error, "nodes that were there long ago could not be removed");
    }
}
