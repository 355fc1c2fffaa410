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
    pub(super) async fn may_sweep(&self) -> bool {
        let mut turn = redis::cmd("SET");
        turn.arg(keys::SWEEPER).arg(self.node().to_string()).arg("NX").arg("PX").arg(millis(SWEEP));
        let taken: Result<Option<String>, _> = turn.query_async(&mut self.redis()).await;
        matches!(taken, Ok(Some(_)))
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
