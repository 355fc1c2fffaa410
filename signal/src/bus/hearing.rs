//! Which nodes are heard. Each says in Redis that it is there; one that cannot reach Redis says it in the database, so that the
//! others go on with it.

use std::collections::{HashMap, HashSet};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use redis::{RedisError, RedisResult};
use tokio::time::{Instant, sleep, timeout};
use uuid::Uuid;

use super::keys::{self, NODE_LIFE, millis};
use super::lease::{NotHere, busy};
use super::member::{Answered, Member, Reach, lock};
use super::others::Node;
use super::trust::TRUST;

/// Time for an answer of the database, and of a node.
const PATIENCE: Duration = Duration::from_secs(1);
/// Pause between two tries.
const PAUSE: Duration = Duration::from_millis(200);
/// Time for all that Redis is told and asked in a beat, also when it has to be connected first. With the pause before it, a beat
/// that fails takes less than a node is trusted since the last one, unless that one took long too.
const BEATEN_WITHIN: Duration = Duration::from_millis(1_500);
/// A node that said so long ago in the database that it is there has stopped: it acts for [`TRUST`] after it said so, and who looks
/// may have asked for the time before.
const LATELY: Duration = Duration::from_secs(15);
/// A node that is there has said so since then: it does each minute.
const SEEN: Duration = Duration::from_secs(150);
/// So long after the bus was started again all nodes have said what they drive.
const YOUNG: Duration = Duration::from_secs(3);

/// Nodes that are heard, each with its address.
type Heard = HashMap<Uuid, SocketAddr>;

/// Nodes that are there and cannot reach Redis.
#[derive(Default)]
struct CutOff {
    reached: Heard,
    reach: Reach,
}

impl Member {
    /// Says to Redis that this node is there, and looks which others it hears.
    pub(super) async fn say_and_look(&self) -> Result<(Answered, Heard), RedisError> {
        let said = timeout(BEATEN_WITHIN, self.say_and_look_at_redis()).await;
        said.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
    }

    /// While Redis does not hear this node, the others hear it by the database; `false` when they do not.
    pub(super) async fn say_elsewhere(&self) -> bool {
        match timeout(PATIENCE, self.is_seen(true)).await {
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

    /// Says in the database that this node is there; also whether it goes by the database.
    async fn is_seen(&self, is_unheard: bool) -> Result<(), heliograph_storage::Error> {
        // The clock of a machine that was suspended is behind.
        let now = self.storage().now().await?;
        self.storage().see_node(self.node(), &self.address().to_string(), is_unheard, now).await
    }

    /// Waits until a node that could not be told acts no more on what it knew before, if it may act: Redis does not hear it, but
    /// lately the database told it what it drives. One that Redis heard last stopped before Redis forgot it.
    pub(super) async fn outlasts(&self, node: Uuid) {
        if self.may_act_unheard(|id| id == node).await {
            sleep(TRUST).await;
        }
    }

    /// The same of all nodes but these.
    pub(super) async fn outlasts_all_but(&self, told: &[Uuid]) {
        if self.may_act_unheard(|id| id != self.node() && !told.contains(&id)).await {
            sleep(TRUST).await;
        }
    }

    /// Whether one of some nodes may act still although Redis does not hear it.
    pub(super) async fn may_act_unheard(&self, which: impl Fn(Uuid) -> bool) -> bool {
        match timeout(PATIENCE, self.unheard_within(LATELY)).await {
            Ok(Ok(nodes)) => nodes.iter().any(|(id, _)| which(*id)),
            Ok(Err(_)) | Err(_) => true,
        }
    }

    /// The nodes that have gone by the database in so long a time.
    async fn unheard_within(
        &self,
        time: Duration,
    ) -> Result<Vec<(Uuid, String)>, heliograph_storage::Error> {
        let now = self.storage().now().await?;
        self.storage().nodes_unheard_since(now - time).await
    }

    async fn say_and_look_at_redis(&self) -> Result<(Answered, Heard), RedisError> {
        let (mut redis, mut first) = (self.redis(), redis::pipe());
        let own = keys::node(self.node());
        first.atomic().cmd("GET").arg(&own);
        first.cmd("SET").arg(&own).arg(self.address().to_string());
        first.arg("PX").arg(millis(NODE_LIFE)).ignore();
        first.cmd("SADD").arg(keys::NODES).arg(self.node().to_string()).ignore();
        first.cmd("DEL").arg(keys::untold(self.node()));
        first.cmd("SMEMBERS").arg(keys::NODES);
        let said = first.query_async(&mut redis);
        let (said, data) = tokio::join!(said, self.data_of_redis());
        let (before, untold, nodes): (Option<String>, u32, HashSet<String>) = said?;
        let was_there = before.is_some();
        // One that does not say counts as the same.
        let is_same = data.is_none_or(|id| lock(&self.replication).replace(id.clone()) == Some(id));
        if !was_there || !is_same {
            *lock(&self.unheard) = Some(Instant::now());
        }
        let answered = match (is_same, was_there) {
            (true, false) => Answered::GivenUp,
            (true, true) if untold == 0 => Answered::Heard,
            (true, true) => Answered::Untold,
            (false, _) => Answered::Another,
        };
        Ok((answered, self.look(nodes).await?))
    }

    /// The id of the data that Redis has. It is another one when Redis was started again, or a replica has taken its place, which may
    /// lack what was written last.
    async fn data_of_redis(&self) -> Option<String> {
        let mut ask = redis::cmd("INFO");
        let told: Result<String, _> = ask.arg("replication").query_async(&mut self.redis()).await;
        let told = told.ok()?;
        told.lines().find_map(|line| line.strip_prefix("master_replid:")).map(str::to_owned)
    }

    /// Another node could not be told something, and is heard: it is to look what it has missed. Waits until it acts no more on
    /// what it knew before.
    pub(super) async fn could_not_tell(&self, node: Uuid) {
        for pause in [PAUSE, PAUSE, Duration::ZERO] {
            let (mut redis, mut say) = (self.redis(), redis::cmd("SET"));
            say.arg(keys::untold(node)).arg(1).arg("PX").arg(millis(LATELY));
            let said: Result<(), _> = say.query_async(&mut redis).await;
            match said {
                Ok(()) => break,
                // That node sees that this one goes by the database, and cannot be called.
                Err(error) => {
                    tracing::warn!(%error, "a node does not know yet that it was not told");
                }
            }
            sleep(pause).await;
        }
        sleep(TRUST).await;
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

    /// These nodes are heard by Redis, which was asked then. Looks which others are there.
    pub(super) async fn hear(&self, heard: Heard, asked: Instant) -> Reach {
        // The others may only not have found the new bus yet.
        self.hear_all(heard, asked, self.is_bus_young()).await
    }

    async fn hear_all(&self, mut heard: Heard, asked: Instant, may_be_late: bool) -> Reach {
        let cut_off = self.cut_off(|id| !heard.contains_key(&id)).await;
        // They may be known to the database, which does not answer.
        let may_be_late = may_be_late || cut_off.is_none();
        let CutOff { reached, reach } = cut_off.unwrap_or_default();
        heard.extend(reached);
        if self.others.hear(&heard, asked, may_be_late) {
            self.others_lost.notify_one();
        }
        reach
    }

    /// Whether the bus may have been started again just now. Then the others may not have said yet what they drive.
    pub(super) fn is_bus_young(&self) -> bool {
        lock(&self.unheard).is_none_or(|unheard| unheard.elapsed() < YOUNG)
    }

    /// The other nodes that are heard now. When the bus is silent, those that were heard last, and those that began since then.
    pub(super) async fn others_now(&self) -> Vec<Node> {
        let (mut redis, asked) = (self.redis(), Instant::now());
        let nodes: RedisResult<HashSet<String>> =
            redis::cmd("SMEMBERS").arg(keys::NODES).query_async(&mut redis).await;
        let looked = match nodes {
            Ok(nodes) => {
                // A bus that does not know this one was started again since its last beat.
                let is_new = !nodes.contains(&self.node().to_string());
                self.look(nodes).await.map(|heard| (heard, is_new))
            }
            Err(error) => Err(error),
        };
        match looked {
            Ok((heard, is_new)) => {
                self.hear_all(heard, asked, is_new || self.is_bus_young()).await;
            }
            Err(error) => {
                tracing::warn!(%error, "the bus does not say which nodes there are");
                for (id, address) in self.seen_beside().await.unwrap_or_default() {
                    self.others.known(id, address);
                }
            }
        }
        self.others.all()
    }

    /// The nodes that are not known to this one, although the database knows them, and that answer.
    async fn seen_beside(&self) -> Result<Heard, heliograph_storage::Error> {
        let now = self.storage().now().await?;
        let seen = self.storage().nodes_seen_since(now - SEEN).await?;
        let known: HashSet<_> = self.others.all().into_iter().map(|other| other.id).collect();
        // An earlier run of this node had the same address.
        let own = self.address().to_string();
        let beside = seen.into_iter();
        let beside =
            beside.filter(|(id, at)| *id != self.node() && !known.contains(id) && *at != own);
        Ok(self.reached(beside).await)
    }

    /// A node that is heard; `None` when it is not.
    ///
    /// # Errors
    /// When neither the bus nor the database says it.
    pub(super) async fn find(&self, node: Uuid) -> Result<Option<Node>, NotHere> {
        let mut redis = self.redis();
        let mut get = redis::cmd("GET");
        let address: RedisResult<Option<String>> =
            get.arg(keys::node(node)).query_async(&mut redis).await;
        let address = address.map_err(|error| busy(&error))?;
        let address = match address.and_then(|address| address.parse().ok()) {
            Some(address) => Some(address),
            None => self.cut_off(|id| id == node).await.ok_or(NotHere::Busy)?.reached.remove(&node),
        };
        Ok(address.map(|address| self.others.known(node, address)))
    }

    /// Those of some nodes that are there and only cannot reach Redis. They go on with their beams, so none of those is taken
    /// from them. One that cannot be reached either could not be led to. `None` when the database does not say.
    async fn cut_off(&self, which: impl Fn(Uuid) -> bool) -> Option<CutOff> {
        let said = match timeout(PATIENCE, self.unheard_within(NODE_LIFE)).await {
            Ok(Ok(said)) => said,
            Ok(Err(error)) => {
                tracing::warn!(%error, "which nodes go by the database could not be read");
                return None;
            }
            Err(_) => return None,
        };
        let said = said.into_iter().filter(|(id, _)| *id != self.node() && which(*id));
        let said: Vec<_> = said.collect();
        let count = said.len();
        let reached = self.reached(said.into_iter()).await;
        let reach = if reached.len() == count { Reach::Whole } else { Reach::Torn };
        Some(CutOff { reached, reach })
    }

    /// Those of these nodes that answer at their addresses.
    async fn reached(&self, nodes: impl Iterator<Item = (Uuid, String)>) -> Heard {
        let reached = nodes.map(|(id, address)| async move {
            let address = address.parse().ok()?;
            let answers = timeout(PATIENCE, self.answers(id, address)).await;
            answers.unwrap_or(false).then_some((id, address))
        });
        join_all(reached).await.into_iter().flatten().collect()
    }

    /// Says in the database that this node is there. Returns the address of another one that is there, has not lost its bus, and
    /// is not heard by this one: it has another bus. Two buses for one database would each lead to other beams.
    ///
    /// # Errors
    /// [`heliograph_storage::Error`].
    pub async fn look_beside(&self) -> Result<Option<SocketAddr>, heliograph_storage::Error> {
        self.is_seen(false).await?;
        let cut_off = self.unheard_within(SEEN).await?;
        self.others_now().await;
        let beside = self.seen_beside().await?;
        let knows = |id: &Uuid| cut_off.iter().any(|(other, _)| other == id);
        Ok(beside.into_iter().find(|(id, _)| !knows(id)).map(|(_, address)| address))
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
        let member = &lease.member;
        let now = storage.now().await.unwrap();
        let [lately, long_ago, heard, unknown] = [2, 3, 4, 5].map(Uuid::from_u128);
        let at = "192.0.2.1:1";
        storage.see_node(lately, at, true, now - Duration::from_secs(1)).await.unwrap();
        storage.see_node(long_ago, at, true, now - 2 * LATELY).await.unwrap();
        storage.see_node(heard, at, false, now).await.unwrap();
        for (node, may_act) in [(lately, true), (long_ago, false), (heard, false), (unknown, false)]
        {
            assert_eq!(member.may_act_unheard(|id| id == node).await, may_act, "{node}");
        }
    }
}
