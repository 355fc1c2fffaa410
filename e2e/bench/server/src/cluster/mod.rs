//! Several nodes on one bus, each figure beside one server alone in the same run: what the bus costs, how soon a share is
//! on other nodes, the memory of sockets, and the time until devices are back when a node dies.
//!
//! Clients, nodes, Redis and Postgres have the same processors. So more nodes do not deliver more here; what they cost
//! is to be seen.

mod holding;
mod nodes;

use std::net::SocketAddr;
use std::path::Path;

use self::holding::Held;
use self::nodes::{Bus, Nodes};
use crate::Failure;
use crate::load;
use crate::table::{Row, Target, median};

pub use self::holding::{COMMAND, serve};

const RUNS: usize = 3;
/// Devices share as much as sockets may send.
const FULL: [&str; 6] =
    ["--kinds=unsaved", "--beams=100", "--devices=8", "--rate=100", "--seconds=4", "--lasting"];
/// Devices share as people do.
const CALM: [&str; 5] = ["--beams=150", "--rate=0.5", "--frames=2", "--seconds=6", "--lasting"];
const KILLED: [&str; 5] =
    ["--beams=250", "--rate=0.5", "--seconds=12", "--lasting", "--fault=kill:0@2"];
/// Devices whose memory is measured.
const IDLE: u32 = 5_000;
/// Devices of two nodes.
const MANY: u32 = 20_000;
/// The least share of the deliveries of one server alone, which writes nothing to Redis.
const DELIVERED: f64 = 0.2;
/// The longest that one share of a hundred may take to each device, in milliseconds.
const SOON_MS: f64 = 100.0;
/// The most memory of a node for an idle socket, in KiB.
const IDLE_KIB: f64 = 24.0;
/// Seconds until all devices are back.
const BACK_SECONDS: f64 = 10.0;

/// How devices come to nodes.
#[derive(Clone, Copy)]
struct Shape {
    name: &'static str,
    nodes: usize,
    /// Those of a beam come to the same node, as a load balancer can have it.
    is_together: bool,
}

const SHAPES: [Shape; 4] = [
    Shape { name: "one node with a bus", nodes: 1, is_together: false },
    Shape { name: "devices spread over 2 nodes", nodes: 2, is_together: false },
    Shape { name: "devices spread over 3 nodes", nodes: 3, is_together: false },
    Shape { name: "3 nodes, chosen by the beam", nodes: 3, is_together: true },
];

/// Measures the figures, and prints each as soon as it is there.
pub async fn measure(heliograph: &Path) -> Result<(), Failure> {
    let mut broken = 0;
    for row in deliveries(heliograph, &mut broken).await? {
        row.print();
    }
    soon(heliograph, &mut broken).await?.print();
    for row in idle(heliograph).await? {
        row.print();
    }
    back(heliograph, &mut broken).await?.print();
    let row = Row {
        figure: "promises broken by nodes under these loads".to_owned(),
        product: broken.to_string(),
        reference: String::new(),
        value: u32::try_from(broken).map_or(f64::MAX, f64::from),
        target: Target::AtMost(0.0),
    };
    row.print();
    Ok(())
}

/// What a load comes to.
struct Delivered {
    per_second: f64,
    /// Processor time of the nodes and of Redis for a delivery, in microseconds.
    micros: f64,
    late_ms: f64,
}

async fn deliver(
    nodes: &Nodes,
    options: &[&str],
    is_together: bool,
    broken: &mut usize,
) -> Result<Delivered, Failure> {
    let mut all: Vec<_> = options.iter().map(|option| (*option).to_owned()).collect();
    if is_together {
        all.push("--together".to_owned());
    }
    all.extend(nodes.addresses().iter().map(SocketAddr::to_string));
    let before = nodes.processor_seconds()?;
    let report = load::of(&all).await?;
    let seconds = nodes.processor_seconds()? - before;
    *broken += report.found.len();
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let count = report.tally.deliveries as f64;
    let late_ms = report.tally.arrivals.percentile(99);
    let per_second = report.deliveries_per_second();
    Ok(Delivered { per_second, micros: seconds * 1e6 / count, late_ms })
}

async fn deliveries(heliograph: &Path, broken: &mut usize) -> Result<Vec<Row>, Failure> {
    let mut alone = Vec::new();
    let mut with_bus = SHAPES.map(|_| Vec::new());
    for _ in 0..RUNS {
        alone.push(deliver(&Nodes::alone(heliograph).await?, &FULL, false, broken).await?);
        for (shape, found) in SHAPES.iter().zip(&mut with_bus) {
            let nodes = Nodes::start(heliograph, shape.nodes).await?;
            found.push(deliver(&nodes, &FULL, shape.is_together, broken).await?);
        }
    }
    let of =
        |all: &[Delivered], what: fn(&Delivered) -> f64| median(all.iter().map(what).collect());
    let rate = |all: &[Delivered]| of(all, |one| one.per_second / 1e3);
    let cost = |all: &[Delivered]| of(all, |one| one.micros);
    let rows = SHAPES.iter().zip(&with_bus).map(|(shape, found)| Row {
        figure: format!("deliveries, {}", shape.name),
        product: format!("{:.0} k/s, {:.1} us", rate(found), cost(found)),
        reference: format!("{:.0} k/s, {:.1} us", rate(&alone), cost(&alone)),
        value: rate(found) / rate(&alone),
        target: Target::AtLeast(DELIVERED),
    });
    Ok(rows.collect())
}

async fn soon(heliograph: &Path, broken: &mut usize) -> Result<Row, Failure> {
    let alone = Nodes::alone(heliograph).await?;
    let alone = deliver(&alone, &CALM, false, broken).await?.late_ms;
    let nodes = Nodes::start(heliograph, 3).await?;
    let across = deliver(&nodes, &CALM, false, broken).await?.late_ms;
    Ok(Row {
        figure: "p99 of a share across 3 nodes, 600 devices".to_owned(),
        product: format!("{across:.1} ms"),
        reference: format!("{alone:.1} ms"),
        value: across,
        target: Target::AtMost(SOON_MS),
    })
}

async fn idle(heliograph: &Path) -> Result<Vec<Row>, Failure> {
    let alone = Nodes::alone(heliograph).await?;
    let (alone, _) = hold(&alone, IDLE, true).await?;
    let spread = Nodes::start(heliograph, 2).await?;
    let (spread, _) = hold(&spread, IDLE, false).await?;
    let many = Nodes::start(heliograph, 2).await?;
    let (many, count) = hold(&many, MANY, true).await?;
    Ok(vec![
        Row {
            figure: format!("memory of an idle device, {IDLE} over 2 nodes"),
            product: format!("{spread:.1} KiB"),
            reference: format!("{alone:.1} KiB"),
            value: spread,
            target: Target::AtMost(IDLE_KIB),
        },
        Row {
            figure: format!("idle devices at 2 nodes, of {MANY}"),
            product: count.to_string(),
            reference: format!("{many:.1} KiB"),
            value: f64::from(count) / f64::from(MANY),
            target: Target::AtLeast(1.0),
        },
    ])
}

/// Joins devices that only listen: KiB of the nodes for each, and how many there are.
async fn hold(nodes: &Nodes, count: u32, is_together: bool) -> Result<(f64, u32), Failure> {
    let before = nodes.resident_bytes()?;
    let addresses = nodes.addresses();
    let parts: Vec<&[SocketAddr]> =
        if is_together { addresses.chunks(1).collect() } else { vec![&addresses] };
    let each = count / u32::try_from(parts.len())?;
    let mut held = Vec::new();
    for (part, first) in parts.into_iter().zip((0..).step_by(usize::try_from(each)?)) {
        held.push(Held::start(first, each, part)?);
    }
    for sockets in &mut held {
        sockets.joined().await?;
    }
    let grown = nodes.resident_bytes()?.saturating_sub(before);
    let mut there = 0;
    for sockets in &mut held {
        there += sockets.still().await?;
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let kib = grown as f64 / 1024.0 / f64::from(there);
    Ok((kib, there))
}

/// A node is killed and its devices come to the other one; a server alone is started again.
async fn back(heliograph: &Path, broken: &mut usize) -> Result<Row, Failure> {
    let serve = format!("--serve={}", heliograph.display());
    let bus = Bus::start().await?;
    let with = bus.flags().map(|flag| format!("--with={flag}"));
    let started = ["--fault=start:0@3".to_owned()];
    let two = ["--nodes=2".to_owned()];
    let mut seconds = [f64::NAN; 2];
    for (seconds, more) in seconds.iter_mut().zip([&started[..], &[&two[..], &with].concat()]) {
        let plan = KILLED.iter().map(|option| (*option).to_owned()).chain([serve.clone()]);
        // What only the process remembers is gone with a server alone.
        let is_alone = more == started;
        let plan = plan.filter(|option| !is_alone || option != "--lasting");
        let report = load::of(&plan.chain(more.iter().cloned()).collect::<Vec<_>>()).await?;
        *broken += report.found.len();
        *seconds = report.back_after().map_or(f64::NAN, |back| back.as_secs_f64());
    }
    let [alone, across] = seconds;
    Ok(Row {
        figure: "1,000 devices back after a node is killed, s".to_owned(),
        product: format!("{across:.1} s"),
        reference: format!("{alone:.1} s"),
        value: across,
        target: Target::AtMost(BACK_SECONDS),
    })
}
