//! What a node does that may have missed something: it looks who drives its beams, and what it remembers is read again. That is
//! done beside the beats, because the node is to be heard meanwhile.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::join_all;
use heliograph_shared::ids::BeamId;
use tokio::time::timeout;
use uuid::Uuid;

use super::claim::{self, Claim};
use super::member::{Driven, Member, lock};
use super::trust::Gap;

/// Time for the database's answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Beams that are claimed at once. One after the other they would take longer than a node is heard.
const AT_ONCE: usize = 512;

impl Member {
    /// Waits until this node may have missed something, also since the last call.
    pub async fn has_missed(&self) {
        self.missed.notified().await;
    }

    /// Waits until another node has gone, also since the last call. It may have changed something and not have told it. Nobody was told
    /// of that change, so this node goes on meanwhile.
    pub async fn loses_others(&self) {
        self.others_lost.notified().await;
    }

    /// Gives up the beams that another node drives by now. Call [`Member::caught_up`] with the answer when nothing is remembered
    /// from before this call. `None` when nobody says who drives them, or nobody knows that
    /// this node is there.
    pub async fn looks_back(&self) -> Option<Gap> {
        let gap = self.trust.gap()?;
        self.check_beams(!self.is_bus_gone()).await.ok()?;
        Some(gap)
    }

    /// What this node remembers is what was stored when it began to look.
    pub fn caught_up(&self, gap: Gap) {
        self.trust.caught_up(gap);
    }

    /// Gives up the beams that another node drives, as the database says. With `anew`, tells the bus of the others.
    async fn check_beams(&self, anew: bool) -> Result<(), ()> {
        // A beam that is taken meanwhile is this node's, and need not be in the answer.
        let before: Vec<_> =
            lock(&self.driven).iter().map(|(beam, driven)| (*beam, driven.clone())).collect();
        let driven = timeout(PATIENCE, self.storage().beams_driven_by(self.node())).await;
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
        match claim::make(self.redis(), self.node(), beam, token).await {
            Ok(Claim::Made) => Ok(false),
            Ok(Claim::Elsewhere) => Ok(true),
            Ok(Claim::Unheard) | Err(_) => Err(()),
        }
    }
}
