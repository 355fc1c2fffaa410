//! The servers of a load: its nodes, and, where it starts them itself, the bus and the database of a cluster.

use rustix::process::Signal;

use super::fault::{Act, Target};
use super::node::Node;
use super::plan::Plan;
use super::proxy::Proxy;
use super::stores::{Postgres, Redis};
use crate::Failure;

/// What several nodes have in common.
struct Stores {
    postgres: Postgres,
    redis: Redis,
    replica: Option<Redis>,
    /// The way of each node to the bus.
    ways: Vec<Proxy>,
}

/// All servers that a load has started.
pub struct Cluster {
    // Dropped first, so that no node misses a store.
    pub nodes: Vec<Node>,
    stores: Option<Stores>,
}

impl Cluster {
    /// Starts what a plan wants.
    pub async fn start(plan: &Plan) -> Result<Self, Failure> {
        let mut cluster = Self { nodes: Vec::new(), stores: None };
        let Some(program) = &plan.serve else { return Ok(cluster) };
        if plan.cluster {
            let fails_over = plan.fault.iter().any(|fault| fault.act == Act::Promote);
            cluster.stores = Some(Stores::start(plan.nodes, fails_over).await?);
        }
        for number in 0..plan.nodes.max(1) {
            let mut with = plan.with.clone();
            if let Some(Stores { postgres, ways, .. }) = &cluster.stores {
                let way = ways.get(number).ok_or("a node without a way to the bus")?;
                with.push(format!("--database={}", postgres.url()));
                with.push(format!("--bus=redis://{}/", way.address));
            }
            let clock = plan.wrong_clock.iter().find(|clock| clock.node == number);
            let clock = clock.map(|clock| clock.by.as_str());
            cluster.nodes.push(Node::start(program, &with, clock).await?);
        }
        Ok(cluster)
    }

    /// Whether something can happen to this.
    pub fn has(&self, target: Target) -> bool {
        match target {
            Target::Node(node) => node < self.nodes.len(),
            Target::Bus | Target::Database => self.stores.is_some(),
        }
    }

    /// Does something to one of them.
    pub async fn meets(&mut self, act: Act, target: Target) -> Result<(), Failure> {
        const NONE: &str = "this load has no such server";
        match (target, act) {
            (Target::Node(node), Act::Cut | Act::Heal) => {
                let stores = self.stores.as_ref().ok_or(NONE)?;
                let way = stores.ways.get(node).ok_or(NONE)?;
                if act == Act::Cut {
                    way.cut();
                } else {
                    way.lead_to(stores.redis.address);
                }
                Ok(())
            }
            (Target::Node(node), _) => self.nodes.get_mut(node).ok_or(NONE)?.meets(act).await,
            (Target::Bus, _) => self.stores.as_mut().ok_or(NONE)?.bus_meets(act).await,
            (Target::Database, _) => {
                let postgres = &self.stores.as_ref().ok_or(NONE)?.postgres;
                match act {
                    Act::Start => postgres.begin().await,
                    _ => postgres.end(act == Act::Kill).await,
                }
            }
        }
    }
}

impl Stores {
    async fn start(nodes: usize, fails_over: bool) -> Result<Self, Failure> {
        let redis = Redis::start(None).await?;
        let replica =
            if fails_over { Some(Redis::start(Some(redis.address)).await?) } else { None };
        let mut ways = Vec::new();
        for _ in 0..nodes.max(1) {
            ways.push(Proxy::to(redis.address).await?);
        }
        Ok(Self { postgres: Postgres::start().await?, redis, replica, ways })
    }

    async fn bus_meets(&mut self, act: Act) -> Result<(), Failure> {
        match act {
            Act::Stop => self.redis.signal(Signal::STOP),
            Act::Continue => self.redis.signal(Signal::CONT),
            Act::Start => self.redis.begin(None).await,
            Act::Promote => {
                self.redis.kill().await?;
                self.redis = self.replica.take().ok_or("the bus has no replica any more")?;
                self.redis.leads().await?;
                for way in &self.ways {
                    way.lead_to(self.redis.address);
                }
                Ok(())
            }
            Act::Kill | Act::End => self.redis.kill().await,
            Act::Fill => self.redis.has_memory("1").await,
            Act::Empty => self.redis.has_memory("0").await,
            Act::Cut | Act::Heal => Err("no bus can do this".into()),
        }
    }
}
