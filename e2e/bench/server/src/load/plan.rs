//! What a load consists of, as the command line says it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};

use super::checker::Memory;
use super::fault::{Fault, WrongClock};

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

    /// Make the nodes a cluster, on a Redis and a Postgres server that are started as well. Unsaved beams outlive a node
    /// then.
    #[arg(long, requires = "serve")]
    pub cluster: bool,

    /// Make the clock of a node wrong, by libfaketime: `0:+2d` (repeat).
    #[arg(long, value_name = "NODE:OFFSET", allow_hyphen_values = true)]
    pub wrong_clock: Vec<WrongClock>,

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

    /// Time for a handshake, in seconds, after which a device tries the next server: as behind a load balancer that leaves
    /// out a server that does not answer. One that refuses the connection is left out at once.
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    pub handshake: f64,

    /// What happens to a node: `kill:0@2`, at the second 2, kills node 0 like a power cut; further `end` (SIGTERM),
    /// `stop`, `continue`, and `start` (repeat). With --cluster, the same for the `bus` and the `database` (except that
    /// the latter cannot be stopped), `cut:0@2` and `heal:0@4` for the network between a node and the bus, and
    /// `promote:bus@2`: the bus dies, and its replica takes its place, `fill:bus@2` and `empty:bus@4`: its memory is full.
    #[arg(long, value_name = "FAULT:TARGET@SECOND")]
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

    /// Time for a handshake.
    pub fn handshake(&self) -> Duration {
        Duration::from_secs_f64(self.handshake.min(self.silence))
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
            Kind::Unsaved if self.lasting || self.cluster => Memory::Nodes,
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

#[cfg(test)]
mod tests {
    use super::*;

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
