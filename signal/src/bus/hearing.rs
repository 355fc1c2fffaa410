//! Which nodes are heard. Each says in Redis that it is there; one that cannot reach Redis says it in the database, so that the
//! others go on with it.

use std::collections::{HashMap, HashSet};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use redis::RedisError;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::keys::{self, NODE_LIFE, millis};
use super::member::{Member, lock};
use super::others::Node;

/// Time for an answer of the database, and for a connection to a node.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time for all that Redis is told and asked in a beat, also when it has to be connected first. With the pause before the next
/// beat it is shorter than a node is trusted.
const BEATEN_WITHIN: Duration = Duration::from_millis(1_500);
/// A node that said so long ago that it is there has stopped, however wrong its clock is.
const LATELY: Duration = Duration::from_mins(1);
/// A node that is there has said so since then: it does each minute.
const SEEN: Duration = Duration::from_secs(150);
/// So long after the bus was started again all nodes have said what they drive.
const YOUNG: Duration = Duration::from_secs(3);

/// Nodes that are heard, each with its address.
type Heard = HashMap<Uuid, SocketAddr>;

impl Member {
    /// Says that this node is there, and looks which others are; `false` when they had given it up.
    pub(super) async fn say_and_look(&self) -> Result<bool, RedisError> {
        let said = timeout(BEATEN_WITHIN, self.say_and_look_at_redis()).await;
        let (was_there, heard) =
            said.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))?;
        // How long other nodes take says nothing of Redis.
        self.hear(heard).await;
        Ok(was_there)
    }

    /// While Redis does not hear this node, the others hear it by the database; `false` when they do not.
    pub(super) async fn say_elsewhere(&self) -> bool {
        let (address, now) = (self.address().to_string(), self.clock().now());
        let said = self.storage().see_node(self.node(), &address, true, now);
        match timeout(PATIENCE, said).await {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::warn!(%error, "the database does not hear this node");
                false
            }
            Err(_) => {
                tracing::warn!("the database takes long to hear this node");
                false
            }
        }
    }

    /// Whether a node that Redis does not hear may act still: it was told lately by the database what it drives. One that Redis
    /// heard last stopped before Redis forgot it.
    pub(super) async fn may_act_unheard(&self, node: Uuid) -> bool {
        let said = self.storage().nodes_unheard_since(self.clock().now() - LATELY);
        match timeout(PATIENCE, said).await {
            Ok(Ok(nodes)) => nodes.iter().any(|(id, _)| *id == node),
            Ok(Err(_)) | Err(_) => true,
        }
    }

    async fn say_and_look_at_redis(&self) -> Result<(bool, Heard), RedisError> {
        let (mut redis, own) = (self.redis(), keys::node(self.node()));
        let mut first = redis::pipe();
        first.cmd("SET").arg(&own).arg(self.address().to_string());
        first.arg("XX").arg("PX").arg(millis(NODE_LIFE));
        first.cmd("SADD").arg(keys::NODES).arg(self.node().to_string()).ignore();
        first.cmd("SMEMBERS").arg(keys::NODES);
        let (was_there, nodes): (Option<String>, HashSet<String>) =
            first.query_async(&mut redis).await?;
        if was_there.is_none() {
            *lock(&self.unheard) = Some(Instant::now());
            let mut say = redis::cmd("SET");
            say.arg(&own).arg(self.address().to_string()).arg("PX").arg(millis(NODE_LIFE));
            let () = say.query_async(&mut redis).await?;
        }
        Ok((was_there.is_some(), self.look(nodes).await?))
    }

    /// Looks which of these nodes Redis hears.
    async fn look(&self, nodes: HashSet<String>) -> Result<Heard, RedisError> {
        let nodes: Vec<Uuid> = nodes.iter().filter_map(|id| id.parse().ok()).collect();
        let nodes: Vec<_> = nodes.into_iter().filter(|id| *id != self.node()).collect();
        let mut redis = self.redis();
        let addresses: Vec<Option<String>> = if nodes.is_empty() {
            Vec::new()
        } else {
            let names: Vec<_> = nodes.iter().map(|id| keys::node(*id)).collect();
            redis::cmd("MGET").arg(names).query_async(&mut redis).await?
        };
        let mut heard = HashMap::new();
        let mut gone = redis::pipe();
        for (id, address) in nodes.into_iter().zip(addresses) {
            match address.and_then(|address| address.parse().ok()) {
                Some(address) => drop(heard.insert(id, address)),
                None => drop(gone.cmd("SREM").arg(keys::NODES).arg(id.to_string()).ignore()),
            }
        }
        if gone.cmd_iter().next().is_some() {
            let () = gone.query_async(&mut redis).await?;
        }
        Ok(heard)
    }

    /// These nodes are heard by Redis. Looks which of those that were heard before are still there.
    async fn hear(&self, mut heard: Heard) {
        let missing = self.others.all().into_iter().map(|other| other.id);
        let missing: Vec<_> = missing.filter(|id| !heard.contains_key(id)).collect();
        heard.extend(self.cut_off(&missing).await);
        // The others may only not have found the new bus yet.
        if self.others.hear(&heard, self.is_bus_young()) {
            self.others_lost.notify_one();
        }
    }

    /// Whether the bus may have been started again just now. Then the others may not have said yet what they drive.
    pub(super) fn is_bus_young(&self) -> bool {
        lock(&self.unheard).is_none_or(|unheard| unheard.elapsed() < YOUNG)
    }

    /// The other nodes that are heard now. When the bus is silent, those that were heard last.
    pub(super) async fn others_now(&self) -> Vec<Node> {
        let mut redis = self.redis();
        let nodes = redis::cmd("SMEMBERS").arg(keys::NODES).query_async(&mut redis).await;
        let looked = match nodes {
            Ok(nodes) => self.look(nodes).await,
            Err(error) => Err(error),
        };
        match looked {
            Ok(heard) => self.hear(heard).await,
            Err(error) => tracing::warn!(%error, "the bus does not say which nodes there are"),
        }
        self.others.all()
    }

    /// A node that is heard; `None` when it is not.
    ///
    /// # Errors
    /// When the bus does not answer.
    pub(super) async fn find(&self, node: Uuid) -> Result<Option<Node>, RedisError> {
        let mut redis = self.redis();
        let address: Option<String> =
            redis::cmd("GET").arg(keys::node(node)).query_async(&mut redis).await?;
        let address = match address.and_then(|address| address.parse().ok()) {
            Some(address) => Some(address),
            None => self.cut_off(&[node]).await.remove(&node),
        };
        Ok(address.map(|address| self.others.known(node, address)))
    }

    /// Those of these nodes that are there and only cannot reach Redis. They go on with their beams, so none of those is taken
    /// from them. One that cannot be reached either could not be led to.
    async fn cut_off(&self, nodes: &[Uuid]) -> Heard {
        if nodes.is_empty() {
            return Heard::new();
        }
        let found = async {
            let said = self.storage().nodes_unheard_since(self.clock().now() - NODE_LIFE).await;
            let said = said.unwrap_or_default().into_iter().filter(|(id, _)| nodes.contains(id));
            self.reached(said).await
        };
        timeout(PATIENCE, found).await.unwrap_or_default()
    }

    /// Those of these nodes that answer at their addresses.
    async fn reached(&self, nodes: impl Iterator<Item = (Uuid, String)>) -> Heard {
        let reached = nodes.map(|(id, address)| async move {
            let address = address.parse().ok()?;
            self.answers(id, address).await.then_some((id, address))
        });
        join_all(reached).await.into_iter().flatten().collect()
    }

    /// Says in the database that this node is there. Returns the address of another one that is there, has not lost its bus, and
    /// is not heard by this one: it has another bus. Two buses for one database would each lead to other beams.
    ///
    /// # Errors
    /// [`heliograph_storage::Error`].
    pub async fn look_beside(&self) -> Result<Option<SocketAddr>, heliograph_storage::Error> {
        let now = self.clock().now();
        self.storage().see_node(self.node(), &self.address().to_string(), false, now).await?;
        let seen = self.storage().nodes_seen_since(now - SEEN).await?;
        let cut_off = self.storage().nodes_unheard_since(now - SEEN).await?;
        let others = self.others_now().await.into_iter().map(|other| other.id);
        let known = cut_off.into_iter().map(|(id, _)| id).chain(others).chain([self.node()]);
        let known: HashSet<_> = known.collect();
        // An earlier run of this node had the same address.
        let own = self.address().to_string();
        let beside = seen.into_iter().filter(|(id, at)| !known.contains(id) && *at != own);
        let beside = self.reached(beside).await;
        Ok(beside.into_values().next())
    }
}

#[cfg(test)]
mod tests {
    use heliograph_shared::ids::BeamId;
    use heliograph_storage::{Location, Storage};

    use super::*;
    use crate::bus::lease::unheard;

    #[tokio::test]
    async fn whoever_takes_a_beam_waits_for_a_node_that_went_by_the_database_lately() {
        let folder = tempfile::tempdir().unwrap();
        let (storage, _) = Storage::open(&Location::Folder(folder.path().into())).await.unwrap();
        let lease = unheard(storage.clone(), BeamId::from_random([1; 16]), Uuid::from_u128(1));
        let (member, now) = (&lease.member, lease.member.clock().now());
        let [lately, long_ago, heard, unknown] = [2, 3, 4, 5].map(Uuid::from_u128);
        let at = "192.0.2.1:1";
        storage.see_node(lately, at, true, now - Duration::from_secs(1)).await.unwrap();
        storage.see_node(long_ago, at, true, now - 2 * LATELY).await.unwrap();
        storage.see_node(heard, at, false, now).await.unwrap();
        for (node, may_act) in [(lately, true), (long_ago, false), (heard, false), (unknown, false)]
        {
            assert_eq!(member.may_act_unheard(node).await, may_act, "{node}");
        }
    }
}
