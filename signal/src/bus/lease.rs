//! The right of a node to drive a beam. Redis has who it is, so that the others find it; a node takes the beam of another
//! only when that one is not heard any more. That alone is not safe: a node that is not heard may only stand still, and go on
//! later. So each right has a token, which is in Postgres before the beam is loaded, and every change of a beam holds its row
//! there. What no table has is written to Redis with the same token ([`super::memory`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::BeamId;
use heliograph_storage::beam_drivers::EarlierDriver;
use redis::Script;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::claim::{self, Claim};
use super::keys;
use super::member::{Member, fresh_id};
use super::others::Node;
use super::trust::TRUST;

/// Why a beam cannot be driven by this node now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotHere {
    /// Another node drives it.
    Elsewhere,
    /// The bus or the database does not answer.
    Busy,
}

impl NotHere {
    /// What the devices that wait to join are told. Of a beam that is elsewhere they come to the right node next.
    #[must_use]
    pub const fn close_code(self) -> CloseCode {
        match self {
            Self::Elsewhere => CloseCode::Restart,
            Self::Busy => CloseCode::Overload,
        }
    }
}

/// Another node drives the beam now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost;

/// The right to drive one beam. Cheap to clone; it ends with [`Lease::end`].
#[derive(Clone, Debug)]
pub struct Lease {
    pub(super) member: Arc<Member>,
    pub(super) beam: BeamId,
    token: Uuid,
    pub(super) lost: CancellationToken,
    /// What [`Lease::gaps`] was when the access was read last.
    made_up: Arc<AtomicU64>,
}

/// Ends the lease if it is still this one.
const END: &str = r"
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1";

impl Member {
    /// The other node that drives this beam. While Redis does not answer, Postgres says who that is.
    ///
    /// # Errors
    /// [`NotHere::Busy`] when nobody says it.
    pub async fn driver_elsewhere(&self, beam: BeamId) -> Result<Option<Node>, NotHere> {
        // Nobody waits each time for an answer that does not come.
        if !self.is_bus_gone()
            && let Ok(driver) = self.driver_in_redis(beam).await
        {
            return Ok(driver);
        }
        let driver = self.storage().driver_of(beam).await.map_err(|_| NotHere::Busy)?;
        let (node, _) = driver.ok_or(NotHere::Busy)?;
        let other = self.others.all().into_iter().find(|other| other.id == node);
        other.map(Some).ok_or(NotHere::Busy)
    }

    async fn driver_in_redis(&self, beam: BeamId) -> Result<Option<Node>, NotHere> {
        let mut redis = self.redis();
        let held: Option<String> = redis::cmd("GET")
            .arg(keys::lease(beam))
            .query_async(&mut redis)
            .await
            .map_err(|error| busy(&error))?;
        match held.as_deref().and_then(holder) {
            Some((node, _)) if node != self.node() => self.find(node).await,
            _ => Ok(None),
        }
    }

    /// Takes the right to drive a beam.
    ///
    /// # Errors
    /// [`NotHere`].
    pub async fn drive(self: Arc<Self>, beam: BeamId) -> Result<Lease, NotHere> {
        if self.is_bus_gone() {
            return Err(NotHere::Busy);
        }
        let token = fresh_id().map_err(|_| NotHere::Busy)?;
        let gaps = self.gaps();
        self.is_free(beam).await?;
        match claim::make(self.redis(), self.node(), beam, token).await {
            Ok(Claim::Made) => {}
            Ok(Claim::Elsewhere) => return Err(NotHere::Elsewhere),
            Ok(Claim::Unheard) => return Err(NotHere::Busy),
            Err(error) => return Err(busy(&error)),
        }
        let driven = self.storage().drive_beam(beam, self.node(), token, self.clock().now()).await;
        let earlier = driven.map_err(|error| {
            tracing::error!(%error, "a beam could not be driven");
            NotHere::Busy
        })?;
        let lost = CancellationToken::new();
        self.drives(beam, token, lost.clone());
        let made_up = Arc::new(AtomicU64::new(gaps));
        let lease = Lease { member: self, beam, token, lost, made_up };
        let followed = match lease.follow(earlier).await {
            // The beams that were looked through meanwhile did not have this one among them.
            Ok(()) if lease.gaps() != gaps => Err(NotHere::Busy),
            followed => followed,
        };
        if let Err(not_here) = followed {
            lease.end().await;
            return Err(not_here);
        }
        Ok(lease)
    }

    /// Whether no other node drives a beam. One that does and is heard is led to from now on: the bus may have lost its lease.
    async fn is_free(&self, beam: BeamId) -> Result<(), NotHere> {
        let driver = self.storage().driver_of(beam).await.map_err(|error| {
            tracing::error!(%error, "who drives a beam could not be read");
            NotHere::Busy
        })?;
        let Some(driver) = driver.filter(|(node, _)| *node != self.node()) else { return Ok(()) };
        if self.find(driver.0).await?.is_some() {
            let restored = claim::restore(self.redis(), self.node(), beam, driver).await;
            return Err(restored.map_or_else(|error| busy(&error), |()| NotHere::Elsewhere));
        }
        // It may not have found the new bus yet.
        if self.is_bus_young() { Err(NotHere::Busy) } else { Ok(()) }
    }
}

impl Lease {
    /// Waits until the node that had the beam acts no more, and begins without its memory if that is behind.
    async fn follow(&self, earlier: EarlierDriver) -> Result<(), NotHere> {
        let other = earlier.node.filter(|node| *node != self.member.node());
        if let Some(other) = other
            && self.member.may_act_unheard(|id| id == other).await
        {
            // It may have asked the database just before this node took the beam, and act for so long after it.
            let waited = self.lost.run_until_cancelled(sleep(TRUST)).await;
            waited.ok_or(NotHere::Elsewhere)?;
        }
        if !earlier.is_behind {
            return Ok(());
        }
        if !self.forget().await {
            return Err(NotHere::Busy);
        }
        match self.is_whole().await {
            Ok(true) => Ok(()),
            Ok(false) => Err(NotHere::Busy),
            Err(Lost) => Err(NotHere::Elsewhere),
        }
    }

    /// With which its changes are written.
    #[must_use]
    pub const fn token(&self) -> Uuid {
        self.token
    }

    /// Waits until this node may act.
    ///
    /// # Errors
    /// [`Lost`] when another node drives the beam.
    pub async fn assured(&self) -> Result<(), Lost> {
        if self.lost.is_cancelled() {
            return Err(Lost);
        }
        self.lost.run_until_cancelled(self.member.assured()).await.ok_or(Lost)
    }

    /// Whether this node may act now on the access as it was read last.
    #[must_use]
    pub fn holds(&self) -> bool {
        let is_made_up = self.made_up.load(Ordering::Acquire) == self.gaps();
        is_made_up && !self.lost.is_cancelled() && self.member.is_assured()
    }

    /// The access was read when [`Lease::gaps`] was this.
    pub fn is_made_up(&self, gaps: u64) {
        self.made_up.store(gaps, Ordering::Release);
    }

    /// Whether the bus did not answer when this node was to be heard last.
    #[must_use]
    pub fn is_bus_gone(&self) -> bool {
        self.member.is_bus_gone()
    }

    /// Is another number whenever this node may have missed something: a notice, or that another one drives its beams. It is before
    /// [`Lease::assured`] returns.
    #[must_use]
    pub fn gaps(&self) -> u64 {
        self.member.gaps()
    }

    /// Is another number whenever the bus may have lost what was written to it.
    #[must_use]
    pub fn losses(&self) -> u64 {
        self.member.losses()
    }

    /// Waits until another node drives the beam.
    pub async fn lost(&self) {
        self.lost.cancelled().await;
    }

    /// Another node drives the beam, as a refused change has told.
    pub fn is_lost(&self) {
        self.lost.cancel();
    }

    /// Lets other nodes drive the beam.
    pub async fn end(&self) {
        self.member.drives_no_longer(self.beam, self.token);
        if self.lost.is_cancelled() {
            return;
        }
        if let Err(error) = self.member.storage().stop_driving(self.beam, self.token).await {
            tracing::warn!(%error, "a beam could not be given back");
        }
        let (script, mut redis) = (Script::new(END), self.member.redis());
        let mut call = script.key(keys::lease(self.beam));
        call.arg(self.held());
        let ended: Result<i64, _> = call.invoke_async(&mut redis).await;
        if let Err(error) = ended {
            tracing::warn!(%error, "the bus does not know that a beam was given back");
        }
    }

    /// The value of the lease's key.
    pub(super) fn held(&self) -> String {
        format!("{} {}", self.member.node(), self.token)
    }
}

fn holder(held: &str) -> Option<(Uuid, Uuid)> {
    let (node, token) = held.split_once(' ')?;
    Some((node.parse().ok()?, token.parse().ok()?))
}

/// A lease of a node that is not heard, on a bus that nobody answers on.
#[cfg(test)]
pub(crate) fn unheard(storage: heliograph_storage::Storage, beam: BeamId, token: Uuid) -> Lease {
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    let secret = heliograph_storage::secrets::Secret::new([1; 32]);
    let clock = crate::clock::Clock::System;
    let member = Member::new("redis://127.0.0.1:1/", address, storage, secret, clock).unwrap();
    let (lost, made_up) = (CancellationToken::new(), Arc::default());
    Lease { member: Arc::new(member), beam, token, lost, made_up }
}

pub(super) fn busy(error: &redis::RedisError) -> NotHere {
    tracing::warn!(%error, "the bus does not answer");
    NotHere::Busy
}
