//! This node among the others: it is heard, and answers them.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use heliograph_shared::time::Millis;
use heliograph_storage::Storage;
use heliograph_storage::secrets::Secret;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::http::{self, ACCEPT_PAUSE};
use super::{Error, listen, node_address};
use crate::address::Peer;
use crate::app::App;
use crate::bus::Bus;
use crate::bus::member::{BEAT, Member};
use crate::bus::notice::Notice;
use crate::clock::Clock;
use crate::config::{Config, Hidden};
use crate::edge::nodes::{Known, router};
use crate::random;

/// Name of the secret by which nodes know each other.
const SECRET: &str = "nodes";

/// Connections at a time that have not shown yet that they are of a node. Further ones wait to be accepted.
const STRANGERS: usize = 1024;
/// Time to show it. A node that calls waits no longer for an answer.
const STRANGE: Duration = Duration::from_secs(2);

/// Time between two looks at the database's clock, and at which other nodes there are.
const LOOK: Duration = Duration::from_mins(1);
/// The machine's clock may be off by this. With more, certificates and the signatures of S3 begin to fail.
const OFF: Duration = Duration::from_mins(1);
/// Entries of what was taken of the limits in one notice. What a flood of addresses takes comes in several, one a beat.
const TAKEN: usize = 2_048;
/// Time for other nodes to be heard by a bus, and for an answer of the database.
const PATIENCE: Duration = Duration::from_secs(3);
/// An answer that takes longer says too little of the time.
const SOON: Duration = Duration::from_secs(2);

/// The clock by which a server lives. Several nodes have the database's: one whose own clock is two days fast would end
/// what others have just begun.
pub(super) async fn clock(config: &Config, storage: &Storage, own: Clock) -> Result<Clock, Error> {
    if config.nodes.bus.is_none() || !matches!(own, Clock::System) {
        return Ok(own);
    }
    let (at, shown) = look_at_clock(storage).await.map_err(Error::Storage)?;
    let machine = own.now();
    if machine.since(shown).max(shown.since(machine)) > OFF {
        tracing::warn!(
            machine = machine.get(),
            database = shown.get(),
            "the clock of this machine is wrong, or that of the database: https and S3 need the right time"
        );
    }
    Ok(Clock::shared(at, shown))
}

/// What the database's clock shows, and when it was asked.
async fn look_at_clock(storage: &Storage) -> Result<(Instant, Millis), heliograph_storage::Error> {
    let asked = Instant::now();
    let shown = storage.now().await?;
    // It was read about half way.
    Ok((asked + asked.elapsed() / 2, shown))
}

/// Follows the database's clock.
async fn set_clock(app: &App) {
    let Clock::Shared(clock) = app.clock else { return };
    match look_at_clock(&app.storage).await {
        Ok((at, shown)) if at.elapsed() < SOON => clock.set(at, shown),
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "the database's clock could not be read"),
    }
}

/// Joins the other nodes; a server without a bus is alone. Also returns the listener for the others.
pub(super) async fn join(
    config: &Config,
    storage: &Storage,
    clock: Clock,
) -> Result<(Bus, Option<TcpListener>), Error> {
    let Some(Hidden(url)) = &config.nodes.bus else { return Ok((Bus::Alone, None)) };
    let listener = listen(config.nodes.node, None)?;
    let bound = listener.local_addr().map_err(|error| Error::Listen(config.nodes.node, error))?;
    let address = node_address::published(bound, url).await.map_err(Error::Node)?;
    let fresh = random::bytes().map(Secret::new).map_err(Error::Logins)?;
    let secret = storage.secret(SECRET, fresh).await.map_err(Error::Storage)?;
    let member = Member::new(url, address, storage.clone(), secret, clock).map_err(Error::Bus)?;
    Ok((Bus::Shared(Arc::new(member)), Some(listener)))
}

/// Is heard until the node has left, whatever else it does meanwhile.
pub(super) async fn stay(app: Arc<App>, left: CancellationToken) {
    let Bus::Shared(member) = &app.bus else { return };
    tokio::spawn(left.clone().run_until_cancelled_owned(follow_losses(app.clone())));
    tokio::spawn(left.clone().run_until_cancelled_owned(follow_gaps(app.clone())));
    let mut looked = Instant::now();
    loop {
        member.beat().await;
        let taken = app.limits.taken(TAKEN);
        if !taken.is_empty() {
            app.bus.tell_others_soon(Notice::Taken(taken));
        }
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            // A database that does not answer must not keep this node from being heard.
            let app = app.clone();
            tokio::spawn(async move {
                set_clock(&app).await;
                if let Err(error) = alone_with_its_bus(&app).await {
                    tracing::error!("{error}");
                }
            });
        }
        tokio::select! {
            () = sleep(BEAT) => {}
            () = left.cancelled() => break,
        }
    }
    member.leave().await;
}

/// Refuses to be one of two servers that have one database and each a bus of its own.
///
/// # Errors
/// [`Error::OtherBus`].
pub(super) async fn alone_with_its_bus(app: &App) -> Result<(), Error> {
    let Bus::Shared(member) = &app.bus else { return Ok(()) };
    if member.is_bus_gone() {
        return Ok(());
    }
    for pause in [PATIENCE, Duration::ZERO] {
        match member.look_beside().await {
            Ok(None) => return Ok(()),
            Ok(Some(address)) if pause.is_zero() => return Err(Error::OtherBus(address)),
            // A bus that was started again has not heard all of them.
            Ok(Some(_)) => sleep(pause).await,
            Err(error) => {
                tracing::warn!(%error, "which nodes there are could not be read");
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Reads what another node may have changed and not told, whenever one has gone.
async fn follow_losses(app: Arc<App>) {
    let Bus::Shared(member) = &app.bus else { return };
    loop {
        member.loses_others().await;
        while let Err(error) = app.logins.catch_up().await {
            tracing::warn!(%error, "what a node may not have told could not be read");
            sleep(BEAT).await;
        }
    }
}

/// Catches up whenever this node may have missed something.
async fn follow_gaps(app: Arc<App>) {
    let Bus::Shared(member) = &app.bus else { return };
    loop {
        member.has_missed().await;
        catch_up(&app, member).await;
    }
}

/// Looks what this node has missed. A beat asks for it again while it has not succeeded.
async fn catch_up(app: &App, member: &Member) {
    let Some(gap) = member.looks_back().await else {
        tracing::warn!("who drives the beams of this node could not be read");
        return;
    };
    match timeout(PATIENCE, app.logins.catch_up()).await {
        Ok(Ok(())) => member.caught_up(gap),
        Ok(Err(error)) => tracing::warn!(%error, "what was missed could not be read"),
        Err(_) => tracing::warn!("the database takes long to say what was missed"),
    }
}

/// Is heard for the first time.
pub(super) async fn begin(app: &App, member: &Member) {
    if member.beat().await {
        member.has_missed().await;
        catch_up(app, member).await;
    }
}

/// Answers the other nodes until the shutdown.
pub(super) async fn answer(listener: TcpListener, app: Arc<App>, shutdown: CancellationToken) {
    let router = router(app.clone());
    let strangers = Arc::new(Semaphore::new(STRANGERS));
    loop {
        let place = strangers.clone().acquire_owned();
        let Some(Ok(place)) = shutdown.run_until_cancelled(place).await else { return };
        let Some(accepted) = shutdown.run_until_cancelled(listener.accept()).await else { return };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection of another node could not be accepted");
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        // Frames of files are passed on as they come.
        let _ = stream.set_nodelay(true);
        let (router, shutdown) = (router.clone(), shutdown.clone());
        app.tasks.spawn(async move {
            let peer = Peer { ip: peer.ip(), tls: false };
            let known = Known::default();
            let router = router.layer(Extension(known.clone()));
            let mut serving = pin!(http::serve(stream, router, peer, &shutdown));
            let is_known = tokio::select! {
                () = &mut serving => false,
                shown = timeout(STRANGE, known.0.cancelled()) => shown.is_ok(),
            };
            drop(place);
            if is_known {
                serving.await;
            }
        });
    }
}
