//! This node among the others: it is heard by a key in Redis that it renews, and knows the others by theirs.

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use heliograph_shared::ids::BeamId;
use heliograph_storage::Storage;
use heliograph_storage::secrets::Secret;
use redis::RedisError;
use redis::aio::ConnectionManager;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::claim::{self, Claim};
use super::keys::{self, LEASE_LIFE, MEMORY_LIFE, millis};
use super::others::Others;
use super::silence::Silence;
use super::trust::Trust;
use crate::clock::Clock;
use crate::error::Error;
use crate::random;

/// Pause between two times that a node is heard.
pub const BEAT: Duration = Duration::from_secs(1);
/// For so long it acts after it was heard. Shorter than [`keys::NODE_LIFE`], so that it has stopped before another one begins.
pub(super) const TRUST: Duration = Duration::from_secs(3);
/// When so much is left of that and the bus is silent, the database is asked.
const ASK: Duration = Duration::from_millis(1_500);
/// Time for the database's answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Pause between two renewals of leases and memories.
const RENEWAL: Duration = Duration::from_mins(5);
/// Beams that are claimed at once. One after the other they would take longer than a node is heard.
const AT_ONCE: usize = 512;

/// What came of a beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beat {
    /// The node is heard, and has missed nothing.
    Heard,
    /// The node may have missed notices. Call [`Member::caught_up`] with this when nothing is remembered from before.
    Missed(Gap),
    /// Neither the bus nor the database answers. Nothing is done until one does.
    Silent,
}

/// What may have been missed until a beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    began: Instant,
    doubts: u64,
}

/// Why a node cannot be one.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address of the bus cannot be read.
    #[error(transparent)]
    Address(#[from] RedisError),
    /// There is no randomness.
    #[error(transparent)]
    Random(#[from] Error),
}

/// This node.
pub struct Member {
    node: Uuid,
    address: SocketAddr,
    redis: ConnectionManager,
    storage: Storage,
    clock: Clock,
    /// By which the nodes know each other.
    secret: Secret,
    trust: Trust,
    driven: Mutex<HashMap<BeamId, Driven>>,
    pub(super) others: Others,
    /// One of them went since somebody looked.
    pub(super) others_lost: Notify,
    renewed: Mutex<Option<Instant>>,
    /// When it was last heard for the first time, or again after a while.
    pub(super) unheard: Mutex<Option<Instant>>,
    /// How often something has raised the doubt that notices were missed, and for how many of these nothing is remembered
    /// from before.
    doubts: AtomicU64,
    settled: AtomicU64,
    /// How often the node has looked what it has missed.
    gaps: AtomicU64,
    silence: Silence,
}

#[derive(Clone)]
struct Driven {
    token: Uuid,
    lost: CancellationToken,
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member")
            .field("node", &self.node)
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Member {
    /// A node that the others reach at this address. Nobody hears it before its first beat.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn new(
        bus: &str,
        address: SocketAddr,
        storage: Storage,
        secret: Secret,
        clock: Clock,
    ) -> Result<Self, OpenError> {
        Ok(Self {
            node: fresh_id()?,
            address,
            redis: keys::connect(bus)?,
            storage,
            clock,
            secret,
            trust: Trust::default(),
            driven: Mutex::default(),
            others: Others::default(),
            others_lost: Notify::new(),
            renewed: Mutex::default(),
            unheard: Mutex::default(),
            doubts: AtomicU64::new(0),
            settled: AtomicU64::new(0),
            gaps: AtomicU64::new(0),
            silence: Silence::default(),
        })
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The node's id.
    #[must_use]
    pub const fn node(&self) -> Uuid {
        self.node
    }

    pub(super) fn redis(&self) -> ConnectionManager {
        self.redis.clone()
    }

    pub(super) const fn storage(&self) -> &Storage {
        &self.storage
    }

    pub(super) const fn clock(&self) -> Clock {
        self.clock
    }

    /// By which the nodes know each other. It is in the database that they share.
    pub(crate) const fn secret(&self) -> &Secret {
        &self.secret
    }

    pub(super) fn gaps(&self) -> u64 {
        self.gaps.load(Ordering::Acquire)
    }

    /// Whether the bus did not answer at the last beat.
    #[must_use]
    pub fn is_bus_gone(&self) -> bool {
        self.silence.is_on()
    }

    pub(super) fn is_bus_gone_for_long(&self) -> bool {
        self.silence.is_long()
    }

    /// Lets the others hear this node, and looks which of them are heard.
    pub async fn beat(&self) -> Beat {
        let began = Instant::now();
        match self.say_and_look().await {
            Ok(was_there) => {
                // Others may have taken this node's beams, or the bus has forgotten everything, or something.
                if self.silence.ends() || !was_there || !self.renew().await {
                    self.doubt();
                }
                if self.doubts() != self.settled.load(Ordering::Acquire) {
                    return self.missed(began, true).await;
                }
                self.trust.extend(began + TRUST);
                Beat::Heard
            }
            Err(error) => {
                if self.silence.begins() {
                    tracing::warn!(%error, "the bus does not answer");
                }
                let is_heard_elsewhere = self.say_elsewhere().await;
                if self.trust.holds(Instant::now() + ASK) {
                    return Beat::Heard;
                }
                // Others may hear each other, and take this node's beams; the database knows. It also has to know that this
                // node goes on: whoever takes a beam then waits for it.
                if is_heard_elsewhere { self.missed(began, false).await } else { Beat::Silent }
            }
        }
    }

    async fn missed(&self, began: Instant, is_bus_there: bool) -> Beat {
        let gap = Gap { began, doubts: self.doubts() };
        self.gaps.fetch_add(1, Ordering::AcqRel);
        self.check_beams(is_bus_there).await.map_or(Beat::Silent, |()| Beat::Missed(gap))
    }

    /// Waits until another node has gone, also since the last call. It may have changed something and not have told it. Nobody was told
    /// of that change, so this node goes on meanwhile.
    pub async fn loses_others(&self) {
        self.others_lost.notified().await;
    }

    /// Something may have been missed. The node is trusted no longer than so far until it has caught up.
    fn doubt(&self) {
        self.doubts.fetch_add(1, Ordering::AcqRel);
    }

    fn doubts(&self) -> u64 {
        self.doubts.load(Ordering::Acquire)
    }

    /// What this node remembered at that beat is what is stored.
    pub fn caught_up(&self, Gap { began, doubts }: Gap) {
        self.settled.store(doubts, Ordering::Release);
        self.trust.extend(began + TRUST);
    }

    /// Whether this node may act on what it remembers.
    pub(super) fn is_assured(&self) -> bool {
        self.trust.holds(Instant::now())
    }

    /// Waits until it may.
    pub(super) async fn assured(&self) {
        self.trust.held().await;
    }

    pub(super) fn drives(&self, beam: BeamId, token: Uuid, lost: CancellationToken) {
        lock(&self.driven).insert(beam, Driven { token, lost });
    }

    pub(super) fn drives_no_longer(&self, beam: BeamId, token: Uuid) {
        let mut driven = lock(&self.driven);
        if driven.get(&beam).is_some_and(|driven| driven.token == token) {
            driven.remove(&beam);
        }
    }

    /// How many nodes are heard, with this one.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.others.all().len() + 1
    }

    /// How many beams this node drives.
    #[must_use]
    pub fn driven(&self) -> usize {
        lock(&self.driven).len()
    }

    /// Gives up the beams that another node drives, as the database says. With `anew`, tells the bus of the others.
    async fn check_beams(&self, anew: bool) -> Result<(), ()> {
        // A beam that is taken meanwhile is this node's, and need not be in the answer.
        let before: Vec<_> =
            lock(&self.driven).iter().map(|(beam, driven)| (*beam, driven.clone())).collect();
        let driven = timeout(PATIENCE, self.storage.beams_driven_by(self.node)).await;
        let Ok(Ok(driven)) = driven else { return Err(()) };
        let driven: HashMap<_, _> = driven.into_iter().collect();
        let driven = &driven;
        for some in before.chunks(AT_ONCE) {
            let checks = some.iter().map(|(beam, Driven { token, lost })| async move {
                let is_ours = driven.get(beam) == Some(token);
                if !is_ours || (anew && self.is_elsewhere(*beam, *token).await?) {
                    tracing::info!("another node drives a beam of this one now");
                    lost.cancel();
                }
                Ok(())
            });
            join_all(checks).await.into_iter().collect::<Result<(), ()>>()?;
        }
        Ok(())
    }

    /// Says again that this node drives a beam; `true` when another one does, which may have said it before the database
    /// knew it. An error when the bus does not say either.
    async fn is_elsewhere(&self, beam: BeamId, token: Uuid) -> Result<bool, ()> {
        match claim::make(self.redis(), self.node, beam, token).await {
            Ok(Claim::Made) => Ok(false),
            Ok(Claim::Elsewhere) => Ok(true),
            Ok(Claim::Unheard) | Err(_) => Err(()),
        }
    }

    /// Renews what runs out on the bus, now and then; `false` when the bus has lost that this node drives a beam.
    async fn renew(&self) -> bool {
        let now = Instant::now();
        let is_due = {
            let mut renewed = lock(&self.renewed);
            let is_due = renewed.is_none_or(|last| now >= last + RENEWAL);
            if is_due {
                *renewed = Some(now);
            }
            is_due
        };
        if !is_due {
            return true;
        }
        let mut all = redis::pipe();
        for beam in lock(&self.driven).keys() {
            all.cmd("PEXPIRE").arg(keys::lease(*beam)).arg(millis(LEASE_LIFE));
            all.cmd("PEXPIRE").arg(keys::memory(*beam)).arg(millis(MEMORY_LIFE)).ignore();
        }
        if all.cmd_iter().next().is_none() {
            return true;
        }
        let renewed: Result<Vec<i64>, _> = all.query_async(&mut self.redis()).await;
        let is_lost = renewed.as_ref().is_ok_and(|renewed| renewed.contains(&0));
        if let Err(error) = &renewed {
            tracing::warn!(%error, "what runs out on the bus could not be renewed");
        }
        if is_lost || renewed.is_err() {
            *lock(&self.renewed) = None;
        }
        !is_lost
    }
}

/// A random id.
pub(super) fn fresh_id() -> Result<Uuid, Error> {
    Ok(uuid::Builder::from_random_bytes(random::bytes()?).into_uuid())
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
