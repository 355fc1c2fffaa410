//! What the nodes of a server have in common. One node drives a beam at a time. Postgres decides which ([`lease`]), and Redis
//! tells the others who it is, which nodes there are ([`member`]), and what the beams that no table has remember
//! ([`memory`]). Nodes call each other directly ([`peers`]). A server alone needs none of it.

mod claim;
pub mod codes;
mod hearing;
pub mod keys;
pub mod lease;
pub mod member;
pub mod memory;
mod missed;
mod moment;
pub mod notice;
pub mod others;
pub mod peers;
mod silence;
mod trust;
mod turns;

use std::sync::Arc;

use heliograph_shared::ids::BeamId;

use lease::{Lease, NotHere};
use member::Member;
use notice::{News, Notice};
use others::Node;

/// The way from one node to the others. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub enum Bus {
    /// There are no others: everything is in this process.
    #[default]
    Alone,
    /// This is one of several nodes.
    Shared(Arc<Member>),
}

impl Bus {
    /// Tells the other nodes, and waits until each has heeded it or can no longer act on what it knew before.
    pub async fn tell_others(&self, notice: &Notice) {
        if let Self::Shared(member) = self {
            member.tell_others(notice).await;
        }
    }

    /// Tells the other nodes without waiting for them.
    pub fn tell_others_soon(&self, notice: Notice) {
        if let Self::Shared(member) = self {
            let member = member.clone();
            tokio::spawn(async move { member.tell_others(&notice).await });
        }
    }

    /// Tells the node that drives this beam, if it is another one, and waits until it has heeded it.
    pub async fn tell_driver(&self, beam: BeamId, news: News) {
        if let Self::Shared(member) = self {
            member.tell_driver(beam, news).await;
        }
    }

    /// The other node that drives this beam.
    ///
    /// # Errors
    /// [`NotHere::Busy`] when the bus does not say.
    pub async fn driver_elsewhere(&self, beam: BeamId) -> Result<Option<Node>, NotHere> {
        match self {
            Self::Alone => Ok(None),
            Self::Shared(member) => member.driver_elsewhere(beam).await,
        }
    }

    /// Takes the right to drive a beam; `None` where nobody else could.
    ///
    /// # Errors
    /// [`NotHere`] when another node drives it, or nobody can tell.
    pub async fn drive(&self, beam: BeamId) -> Result<Option<Lease>, NotHere> {
        match self {
            Self::Alone => Ok(None),
            Self::Shared(member) => member.clone().drive(beam).await.map(Some),
        }
    }

    /// Whether what is remembered here holds. It does not while this node may have missed a notice.
    #[must_use]
    pub fn is_assured(&self) -> bool {
        match self {
            Self::Alone => true,
            Self::Shared(member) => member.is_assured(),
        }
    }

    /// Whether the bus has not answered for long.
    #[must_use]
    pub fn is_gone_for_long(&self) -> bool {
        match self {
            Self::Alone => false,
            Self::Shared(member) => member.is_bus_gone_for_long(),
        }
    }

    /// Whether there are no other nodes.
    #[must_use]
    pub const fn is_alone(&self) -> bool {
        matches!(self, Self::Alone)
    }

    /// Whether this node is to remove what has expired from the tables now. Of several nodes, one is.
    pub async fn may_sweep(&self) -> bool {
        match self {
            Self::Alone => true,
            Self::Shared(member) => member.may_sweep().await,
        }
    }
}
