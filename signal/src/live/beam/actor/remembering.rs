//! What the task of a beam does where another node could drive it: it acts only while it may, and what is in no table is on
//! the bus before a device learns of it.

use std::ops::ControlFlow::{self, Break, Continue};

use super::Actor;
use super::ending::End;
use crate::bus::lease::{Lease, Lost};

impl Actor {
    /// Waits until this node may act.
    pub(super) async fn assured(&mut self) -> ControlFlow<End> {
        let assured = match &self.keeper.lease {
            Some(lease) => lease.assured().await,
            None => Ok(()),
        };
        if assured == Err(Lost) { Break(self.give_up()) } else { Continue(()) }
    }

    /// Reads the access again if this node may have missed a change of it.
    pub(super) async fn make_up(&mut self) -> ControlFlow<End> {
        let gaps = self.keeper.lease.as_ref().map_or(0, Lease::gaps);
        if gaps == self.gaps {
            return Continue(());
        }
        self.gaps = gaps;
        self.refresh().await?;
        if let Some(lease) = &self.keeper.lease {
            lease.is_made_up(gaps);
        }
        Continue(())
    }

    /// Writes what has changed to the bus, before the devices are told, who are told only while this node may act.
    pub(super) async fn remember(&mut self) -> ControlFlow<End> {
        let Some(memory) = &mut self.memory else { return Continue(()) };
        let behind = memory.behind(&self.state);
        if memory.catch_up(behind).await == Err(Lost) {
            return Break(self.give_up());
        }
        self.assured().await
    }

    /// Writes what the bus lacks, before another node drives the beam.
    pub(super) async fn remember_all(&mut self) -> ControlFlow<End> {
        if let Some(memory) = &mut self.memory {
            memory.hurry();
        }
        self.remember().await
    }

    /// Forgets what the beam remembers on the bus.
    pub(super) async fn forget_all(&mut self) -> ControlFlow<End> {
        let Some(memory) = &mut self.memory else { return Continue(()) };
        let forgotten = memory.forget().await;
        if forgotten == Err(Lost) { Break(self.give_up()) } else { Continue(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt as _;
    use heliograph_shared::ids::DeviceId;
    use uuid::Uuid;

    use super::super::tests::{actor, keeper, newcomer};
    use crate::bus::lease;
    use crate::clock::Clock;
    use crate::live::beam::ConnectionId;
    use crate::live::beam::memory::Memory;
    use crate::live::beam::state::Input;
    use crate::live::outbox::Outbox;

    #[tokio::test]
    async fn a_node_that_may_not_act_any_more_tells_nobody_what_it_has_handled() {
        let folder = tempfile::tempdir().unwrap();
        let mut actor = actor(keeper(&folder).await).await;
        let (storage, beam) = (actor.keeper.storage.clone(), actor.keeper.beam);
        let lease = lease::unheard(storage, beam, Uuid::nil());
        (actor.keeper.lease, actor.memory) = (Some(lease.clone()), Some(Memory::new(lease)));
        let outbox = Arc::<Outbox>::default();
        let device = (DeviceId::from_bytes([1; 16]), outbox.clone());
        actor.outboxes.insert(ConnectionId(1), device);

        assert!(actor.apply(Input::Join(newcomer(1))).now_or_never().is_none());
        assert!(outbox.take(Clock::System).now_or_never().is_none());
    }
}
