//! One load, from the first socket to the last check.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::beams::{self, Crowd};
use super::cluster::Cluster;
use super::fault::Fault;
use super::node;
use super::plan::Plan;
use super::report::Report;
use super::world::{Beam, Outage, Phase, World};
use crate::Failure;

/// Between two looks whether everything has arrived.
const LOOKS: Duration = Duration::from_millis(20);
/// Devices for which the memory of a node tells that of a socket.
const MANY: u32 = 500;
/// Time for a thousand devices to join.
const JOINING: Duration = Duration::from_secs(30);

/// Runs a load.
pub async fn run(plan: Plan) -> Result<Report, Failure> {
    node::allow_many_sockets()?;
    let cluster = Cluster::start(&plan).await?;
    if plan.fault.iter().any(|fault| !cluster.has(fault.target)) {
        return Err("a fault is of a server that this load has not started".into());
    }
    let started_here = cluster.nodes.iter().map(|node| node.address);
    let addresses = plan.addresses.iter().copied().chain(started_here).collect();
    let world = World::new(plan, addresses, Instant::now());
    let crowds = beams::make(&world).await?;
    let load = Load { cluster, tasks: JoinSet::new(), world };
    load.run(crowds).await
}

struct Load {
    cluster: Cluster,
    tasks: JoinSet<()>,
    world: Arc<World>,
}

impl Load {
    async fn run(mut self, crowds: Vec<Crowd>) -> Result<Report, Failure> {
        let devices = u32::from(self.world.plan.devices) * self.world.plan.beams;
        let before = self.memory();
        let (mut beams, mut auditors) = (Vec::new(), Vec::new());
        for crowd in crowds {
            beams.push(crowd.beam);
            auditors.push(crowd.auditor);
            for device in crowd.devices {
                self.tasks.spawn(device.run());
            }
        }
        self.are_present(devices, JOINING * devices.div_ceil(1_000)).await?;
        let idle_kib = before.zip(self.memory()).map(|(before, now)| {
            #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
            let kib = now.saturating_sub(before) as f64 / 1024.0;
            kib / f64::from(devices)
        });
        let idle_kib = idle_kib.filter(|_| devices >= MANY);
        self.world.phase.send_replace(Phase::Sharing);
        let started = Instant::now();
        let faults = self.share(started).await?;
        let seconds = started.elapsed().as_secs_f64();
        self.world.phase.send_replace(Phase::Settling);
        self.settle(&beams, devices, 0..self.world.plan.devices).await;
        // Whoever comes now is told everything.
        let auditor = self.world.plan.devices;
        for device in auditors {
            self.tasks.spawn(device.run());
        }
        self.settle(&beams, devices + self.world.plan.beams, 0..auditor + 1).await;
        let (count, nodes) = (self.world.plan.beams, self.world.addresses.len());
        let mut report =
            Report { beams: count, devices, nodes, seconds, idle_kib, ..Report::default() };
        for beam in beams {
            for device in 0..=auditor {
                beam.settles(device);
            }
            let (tally, found) = beam.ends();
            report.add(beam.number, tally, found);
        }
        self.world.phase.send_replace(Phase::Over);
        report.faults = back_after(&faults, &report.tally.outages);
        self.tasks.shutdown().await;
        Ok(report)
    }

    /// Lets devices share, and things happen to nodes. Returns when each happened.
    async fn share(&mut self, started: Instant) -> Result<Vec<(Fault, Instant)>, Failure> {
        let mut faults = self.world.plan.fault.clone();
        faults.sort_by_key(|fault| fault.at);
        let mut happened = Vec::new();
        for fault in faults {
            sleep_until(started + fault.at).await;
            happened.push((fault, Instant::now()));
            self.cluster.meets(fault.act, fault.target).await?;
        }
        sleep_until(started + self.world.plan.time()).await;
        Ok(happened)
    }

    async fn are_present(&self, count: u32, patience: Duration) -> Result<(), Failure> {
        let mut present = self.world.present.subscribe();
        let wanted = usize::try_from(count)?;
        let all = present.wait_for(|present| *present >= wanted);
        timeout(patience, all).await.map_err(|_| "devices could not join")??;
        Ok(())
    }

    /// Waits until everything has come to all of these, or long enough.
    async fn settle(&self, beams: &[Arc<Beam>], count: u32, devices: std::ops::Range<u16>) {
        let patience = self.world.plan.patience();
        let all = async {
            // Whoever is not back is found by the check.
            let _ = self.are_present(count, patience).await;
            // All at one moment: whoever was there may lose its socket while others are waited for.
            let is_settled =
                |beam: &Arc<Beam>| devices.clone().all(|device| beam.is_settled(device));
            while !beams.iter().all(is_settled) {
                sleep(LOOKS).await;
            }
        };
        let _ = timeout(patience, all).await;
    }

    /// Memory of all nodes in bytes, where there are some.
    fn memory(&self) -> Option<u64> {
        let nodes = &self.cluster.nodes;
        let sum = nodes.iter().map(|node| node.resident_bytes().ok()).sum::<Option<u64>>()?;
        (!nodes.is_empty()).then_some(sum)
    }
}

/// How long after each fault all devices were back that lost their sockets by it, and before the next one that costs
/// sockets.
fn back_after(faults: &[(Fault, Instant)], outages: &[Outage]) -> Vec<(Fault, Option<Duration>)> {
    let losses: Vec<_> = faults.iter().filter(|(fault, _)| fault.is_loss()).collect();
    let after = |at: Instant| losses.iter().map(|(_, next)| *next).find(|next| *next > at);
    faults
        .iter()
        .map(|(fault, at)| {
            let own = outages
                .iter()
                .filter(|away| away.lost >= *at && after(*at).is_none_or(|next| away.lost < next));
            // Who moves to a node that is dead was not lost by that, long ago, and has to be back as soon.
            let since = |away: &Outage| if away.has_moved { away.lost } else { *at };
            let back = own.map(|away| away.back.duration_since(since(away))).max();
            (*fault, back.filter(|_| fault.is_loss()))
        })
        .collect()
}
