//! Which nodes are heard. Each says in Redis that it is there; one that cannot reach Redis says it in the database, so that the
//! others go on with it.

use std::collections::{HashMap, HashSet};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use redis::RedisError;
use tokio::net::TcpStream;
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
/// So long after the bus was started again all nodes have said what they drive.
const YOUNG: Duration = Duration::from_secs(3);

impl Member {
    /// Says that this node is there, and looks which others are; `false` when they had given it up.
    pub(super) async fn say_and_look(&self) -> Result<bool, RedisError> {
        let said = timeout(BEATEN_WITHIN, self.say_and_look_at_redis()).await;
        said.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
    }

    /// While Redis does not hear this node, the others hear it by the database.
    pub(super) async fn say_elsewhere(&self) {
        if !self.silence.is_on() {
            return;
        }
        let (address, now) = (self.address().to_string(), self.clock().now());
        let said = self.storage().beat(self.node(), &address, now);
        match timeout(PATIENCE, said).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the database does not hear this node"),
            Err(_) => tracing::warn!("the database takes long to hear this node"),
        }
    }

    async fn say_and_look_at_redis(&self) -> Result<bool, RedisError> {
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
        self.look(nodes).await?;
        Ok(was_there.is_some())
    }

    /// Looks which of these nodes are heard, and which of those that were heard are still there.
    async fn look(&self, nodes: HashSet<String>) -> Result<(), RedisError> {
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
        let missing = self.others.all().into_iter().map(|other| other.id);
        let missing: Vec<_> = missing.filter(|id| !heard.contains_key(id)).collect();
        heard.extend(self.cut_off(&missing).await);
        // The others may only not have found the new bus yet.
        self.others.hear(&heard, self.is_bus_young());
        Ok(())
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
        if let Err(error) = looked {
            tracing::warn!(%error, "the bus does not say which nodes there are");
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
    async fn cut_off(&self, nodes: &[Uuid]) -> HashMap<Uuid, SocketAddr> {
        if nodes.is_empty() {
            return HashMap::new();
        }
        let said = self.storage().nodes_since(self.clock().now() - NODE_LIFE);
        let Ok(Ok(said)) = timeout(PATIENCE, said).await else { return HashMap::new() };
        let said = said.into_iter().filter(|(id, _)| nodes.contains(id));
        let reached = said.map(|(id, address)| async move {
            let address = address.parse().ok()?;
            let connected = timeout(PATIENCE, TcpStream::connect(address)).await;
            matches!(connected, Ok(Ok(_))).then_some((id, address))
        });
        join_all(reached).await.into_iter().flatten().collect()
    }
}
