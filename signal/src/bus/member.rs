//! This node among the others: it is heard by a key in Redis that it renews, and knows the others by theirs.

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use heliograph_shared::ids::BeamId;
use heliograph_storage::Storage;
use heliograph_storage::secrets::Secret;
use redis::RedisError;
use redis::aio::ConnectionManager;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::keys::{self, LEASE_LIFE, MEMORY_LIFE, millis};
use super::moment::Moment;
use super::others::Others;
use super::silence::Silence;
use super::trust::Trust;
use crate::clock::Clock;
use crate::error::Error;
use crate::random;

/// Pause between two times that a node is heard.
pub const BEAT: Duration = Duration::from_secs(1);
/// When so much is left of that and the bus is silent, the database is asked.
const ASK: Duration = Duration::from_millis(1_500);
/// Pause between two renewals of leases and memories.
const RENEWAL: Duration = Duration::from_mins(5);

/// What Redis says to a beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answered {
    /// The node is heard, as before.
    Heard,
    /// It is heard, but another node could not tell it something.
    Untold,
    /// Redis has been started again, or another Redis has taken its place, which may lack what was written last.
    Another,
    /// The node was not heard any more: others may have taken its beams.
    GivenUp,
}

/// Which of the nodes can be called that are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reach {
    /// All.
    #[default]
    Whole,
    /// One goes by the database and does not answer: it cannot tell this node anything, nor say so in Redis.
    Torn,
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
    /// A connection for what beams remember, which may be long: by the other one this node is heard.
    bulk: ConnectionManager,
    storage: Storage,
    clock: Clock,
    /// By which the nodes know each other.
    secret: Secret,
    pub(super) trust: Trust,
    pub(super) driven: Mutex<HashMap<BeamId, Driven>>,
    pub(super) others: Others,
    /// One of them went since somebody looked.
    pub(super) others_lost: Notify,
    /// This node may have missed something since it looked last.
    pub(super) missed: Notify,
    renewed: Mutex<Option<Instant>>,
    /// When it was last heard for the first time, or again after a while, or by another Redis.
    pub(super) unheard: Mutex<Option<Instant>>,
    /// How often Redis may have lost what was written to it.
    losses: AtomicU64,
    /// The id of the data that Redis had at the last beat.
    pub(super) replication: Mutex<Option<String>>,
    silence: Silence,
}

/// A beam that this node drives.
#[derive(Clone)]
pub(super) struct Driven {
    pub token: Uuid,
    pub lost: CancellationToken,
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
            bulk: keys::connect(bus)?,
            storage,
            clock,
            secret,
            trust: Trust::default(),
            driven: Mutex::default(),
            others: Others::default(),
            others_lost: Notify::new(),
            missed: Notify::new(),
            renewed: Mutex::default(),
            unheard: Mutex::default(),
            losses: AtomicU64::default(),
            replication: Mutex::default(),
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

    pub(super) fn bulk(&self) -> ConnectionManager {
        self.bulk.clone()
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
        self.trust.gaps()
    }

    pub(super) fn losses(&self) -> u64 {
        self.losses.load(Ordering::Acquire)
    }

    /// Whether the bus did not answer at the last beat.
    #[must_use]
    pub fn is_bus_gone(&self) -> bool {
        self.silence.is_on()
    }

    pub(super) fn is_bus_gone_for_long(&self) -> bool {
        self.silence.is_long()
    }

    /// Lets the others hear this node, and looks which of them are heard. Returns whether this node may have missed notices, and has
    /// to look ([`Member::looks_back`]). While neither the bus nor the database answers, nothing is done.
    pub async fn beat(&self) -> bool {
        let began = Moment::now();
        match self.say_and_look().await {
            Ok((answered, heard)) => {
                let was_silent = self.silence.ends();
                let has_lost = was_silent
                    || matches!(answered, Answered::GivenUp | Answered::Another)
                    || !self.renew().await;
                if has_lost {
                    self.losses.fetch_add(1, Ordering::AcqRel);
                }
                if answered == Answered::GivenUp {
                    self.trust.end();
                } else if has_lost || answered == Answered::Untold {
                    self.trust.doubt();
                }
                let has_missed = !self.trust.heard(began);
                if has_missed {
                    self.missed.notify_one();
                }
                // How long the database and other nodes take says nothing of this one.
                if self.hear(heard, began.steady).await == Reach::Whole {
                    return has_missed;
                }
                self.trust.doubt();
            }
            Err(error) => {
                if self.silence.begins() {
                    tracing::warn!(%error, "the bus does not answer");
                }
                // Others may hear each other, and take this node's beams; the database knows. It also has to know that this
                // node goes on: whoever takes a beam then waits for it.
                let said = Moment::now();
                let is_heard_elsewhere = self.say_elsewhere().await;
                if is_heard_elsewhere {
                    self.trust.said(said);
                }
                if self.trust.holds(Moment::now() + ASK) {
                    return false;
                }
                if !is_heard_elsewhere {
                    tracing::warn!("neither the bus nor the database answers");
                    return false;
                }
            }
        }
        self.missed.notify_one();
        true
    }

    /// Whether this node may act on what it remembers.
    pub(super) fn is_assured(&self) -> bool {
        self.trust.holds(Moment::now())
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

    pub(super) fn is_driving(&self, beam: BeamId) -> bool {
        lock(&self.driven).contains_key(&beam)
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

    /// Renews what runs out on the bus, now and then; `false` when the bus has lost that this node drives a beam.
    async fn renew(&self) -> bool {
        let now = Instant::now();
        if lock(&self.renewed).is_some_and(|last| now < last + RENEWAL) {
            return true;
        }
        let mut all = redis::pipe();
        for beam in lock(&self.driven).keys() {
            all.cmd("PEXPIRE").arg(keys::lease(*beam)).arg(millis(LEASE_LIFE));
            all.cmd("PEXPIRE").arg(keys::memory(*beam)).arg(millis(MEMORY_LIFE)).ignore();
        }
        let renewed: Result<Vec<i64>, _> = if all.cmd_iter().next().is_none() {
            Ok(Vec::new())
        } else {
            all.query_async(&mut self.redis()).await
        };
        let is_lost = match renewed {
            Ok(renewed) => renewed.contains(&0),
            Err(error) => {
                tracing::warn!(%error, "what runs out on the bus could not be renewed");
                return true;
            }
        };
        if !is_lost {
            *lock(&self.renewed) = Some(now);
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
