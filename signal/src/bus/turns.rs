//! What one node does for all, and its end.

use std::time::Duration;

use tokio::time::timeout;

use super::keys::{self, millis};
use super::member::Member;

/// How long a node has the turn to remove what has expired.
const SWEEP: Duration = Duration::from_mins(9);
/// Time for an answer of the database.
const PATIENCE: Duration = Duration::from_secs(1);

impl Member {
    /// Whether it is this node's turn. Without Redis each does it: two that sweep at once remove nothing twice.
    pub(super) async fn may_sweep(&self) -> bool {
        let mut turn = redis::cmd("SET");
        turn.arg(keys::SWEEPER).arg(self.node().to_string()).arg("NX").arg("PX").arg(millis(SWEEP));
        let taken: Result<Option<String>, _> = turn.query_async(&mut self.redis()).await;
        !matches!(taken, Ok(None))
    }

    /// The node ends: others may take what it has left at once.
    pub async fn leave(&self) {
        let mut all = redis::pipe();
        all.cmd("DEL").arg(keys::node(self.node())).ignore();
        all.cmd("SREM").arg(keys::NODES).arg(self.node().to_string()).ignore();
        let mut redis = self.redis();
        let forgotten = timeout(PATIENCE, self.storage().forget_node(self.node()));
        let (left, forgotten) = tokio::join!(all.query_async::<()>(&mut redis), forgotten);
        if let Err(error) = left {
            tracing::warn!(%error, "the bus does not know that this node ends");
        }
        if !matches!(forgotten, Ok(Ok(()))) {
            tracing::warn!("the database does not know that this node ends");
        }
    }
}

#[cfg(test)]
mod tests {
    use heliograph_shared::ids::BeamId;
    use heliograph_storage::{Location, Storage};
    use uuid::Uuid;

    use crate::bus::lease::unheard;

    #[tokio::test]
    async fn i6_without_redis_what_has_expired_is_removed_too() {
        let folder = tempfile::tempdir().unwrap();
        let (storage, _) = Storage::open(&Location::Folder(folder.path().into())).await.unwrap();
        let lease = unheard(storage, BeamId::from_random([1; 16]), Uuid::from_u128(1));
        assert!(lease.member.may_sweep().await);
    }
}
