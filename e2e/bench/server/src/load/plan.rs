//! What a load consists of, as the command line says it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Parser, ValueEnum};

use super::checker::Memory;

/// Load a server with devices that share, and check while they do so that nothing is lost, doubled or swapped.
#[derive(Clone, Debug, Parser)]
#[command(name = "heliograph-bench load", args_override_self = true)]
pub struct Plan {
    /// Servers that run already, such as 10.0.0.1:8080. Devices are spread over them.
    #[arg(required_unless_present = "serve", conflicts_with = "serve")]
    pub addresses: Vec<SocketAddr>,

    /// Start nodes of this program instead: target/release/heliograph.
    #[arg(long, value_name = "PROGRAM")]
    pub serve: Option<PathBuf>,

    /// How many nodes to start.
    #[arg(long, default_value_t = 1)]
    pub nodes: usize,

    /// One more argument of `serve` for every node, such as --with=--database=postgres://… (repeat).
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    pub with: Vec<String>,

    /// Number of beams.
    #[arg(long, default_value_t = 20)]
    pub beams: u32,

    /// Devices in each beam.
    #[arg(long, default_value_t = 4)]
    pub devices: u16,

    /// The kinds of beams, in turns.
    #[arg(long, value_delimiter = ',', default_value = "unsaved,kept,saved")]
    pub kinds: Vec<Kind>,

    /// Devices of a beam come to the same server, as a load balancer has it that goes by the beam. Else they are spread.
    #[arg(long)]
    pub together: bool,

    /// Whether unsaved beams outlive the node that holds them: so with a bus.
    #[arg(long)]
    pub lasting: bool,

    /// How long to share, in seconds.
    #[arg(long, default_value_t = 10.0)]
    pub seconds: f64,

    /// Items that each device shares in a second. With 0 they share nothing.
    #[arg(long, default_value_t = 2.0)]
    pub rate: f64,

    /// Most items of one device without an answer.
    #[arg(long, default_value_t = 16)]
    pub in_flight: usize,

    /// Bytes of an item.
    #[arg(long, default_value_t = 100)]
    pub bytes: usize,

    /// Frames that each device relays to the next one in a second.
    #[arg(long, default_value_t = 0.0)]
    pub frames: f64,

    /// Bytes of a relayed frame.
    #[arg(long, default_value_t = 16 * 1024)]
    pub frame_bytes: usize,

    /// Mean time after which a device goes to the next server, in seconds. Without it, devices stay.
    #[arg(long, value_name = "SECONDS")]
    pub churn: Option<f64>,

    /// Pause before a lost socket is opened again, in milliseconds, of which up to a fifth is added by chance. What
    /// devices of the product do, by default.
    #[arg(long, default_value_t = 5_000, value_name = "MS")]
    pub reconnect: u64,

    /// Time without a sign of the server after which a socket counts as lost, in seconds. Devices of the product wait for
    /// 60.
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    pub silence: f64,

    /// What happens to a node: `kill:0@2`, at the second 2, kills node 0 like a power cut; further `end` (SIGTERM),
    /// `stop`, `continue`, and `start` (repeat).
    #[arg(long, value_name = "FAULT:NODE@SECOND")]
    pub fault: Vec<Fault>,

    /// Change what comes to some devices, so that the checker must find something.
    #[arg(long)]
    pub plant: Option<Planted>,

    /// Time for everything to arrive once nothing more is shared, in seconds.
    #[arg(long, default_value_t = 30.0, value_name = "SECONDS")]
    pub patience: f64,
}

impl Plan {
    pub fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    pub fn silence(&self) -> Duration {
        Duration::from_secs_f64(self.silence)
    }

    pub fn patience(&self) -> Duration {
        Duration::from_secs_f64(self.patience)
    }

    /// The pause between two events of this rate; `None` when there are none.
    pub fn pause(rate: f64) -> Option<Duration> {
        (rate > 0.0).then(|| Duration::from_secs_f64(1.0 / rate))
    }

    pub fn kind(&self, beam: u32) -> Kind {
        let at = usize::try_from(beam).unwrap_or_default() % self.kinds.len().max(1);
        self.kinds.get(at).copied().unwrap_or(Kind::Unsaved)
    }

    pub fn memory(&self, kind: Kind) -> Memory {
        match kind {
            Kind::Unsaved if self.lasting => Memory::Nodes,
            Kind::Unsaved => Memory::Process,
            Kind::Kept | Kind::Saved => Memory::Tables,
        }
    }
}

/// A kind of beam.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// In memory only.
    Unsaved,
    /// Kept for an hour (S30).
    Kept,
    /// Saved in an account (S21).
    Saved,
}

/// What happens to the messages for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Planted {
    /// An item does not come.
    Lost,
    /// An item comes twice.
    Doubled,
    /// Two items come in the other order.
    Swapped,
    /// The content of an item is another one.
    Altered,
    /// The answer to `sync` lacks an item.
    Forgotten,
}

/// What happens to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Kill,
    End,
    Stop,
    Continue,
    Start,
}

/// An act, its node and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    pub act: Act,
    pub node: usize,
    pub at: Duration,
}

impl Fault {
    pub fn name(self) -> String {
        let act = match self.act {
            Act::Kill => "killed",
            Act::End => "ended",
            Act::Stop => "stopped",
            Act::Continue => "continued",
            Act::Start => "started",
        };
        format!("node {} {act} at {:.1} s", self.node, self.at.as_secs_f64())
    }

    /// Whether devices lose their sockets by it.
    pub fn is_loss(self) -> bool {
        matches!(self.act, Act::Kill | Act::End | Act::Stop)
    }
}

impl FromStr for Fault {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "expected a fault such as kill:0@2.5";
        let (act, rest) = text.split_once(':').ok_or(WRONG)?;
        let (node, at) = rest.split_once('@').ok_or(WRONG)?;
        let act = match act {
            "kill" => Act::Kill,
            "end" => Act::End,
            "stop" => Act::Stop,
            "continue" => Act::Continue,
            "start" => Act::Start,
            _ => return Err(WRONG),
        };
        let at = at.parse().ok().and_then(|at| Duration::try_from_secs_f64(at).ok());
        Ok(Self { act, node: node.parse().map_err(|_| WRONG)?, at: at.ok_or(WRONG)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_names_its_act_its_node_and_its_time() {
        let fault = Fault { act: Act::Stop, node: 1, at: Duration::from_millis(2_500) };
        assert_eq!("stop:1@2.5".parse(), Ok(fault));
        for wrong in ["stop", "stop:1", "rest:1@2", "stop:x@2", "stop:1@-2", "stop:1@soon"] {
            assert!(wrong.parse::<Fault>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_outlives_a_node_follows_from_the_kind() {
        let plan = |more: &[&str]| {
            Plan::try_parse_from([&["load", "127.0.0.1:8080"], more].concat()).unwrap()
        };
        let memories = |plan: Plan| [0, 1, 2].map(|beam| plan.memory(plan.kind(beam)));
        let [process, tables] = [Memory::Process, Memory::Tables];
        assert_eq!(memories(plan(&[])), [process, tables, tables]);
        assert_eq!(memories(plan(&["--lasting"])), [Memory::Nodes, tables, tables]);
        assert_eq!(memories(plan(&["--kinds", "unsaved"])), [process; 3]);
    }
}
