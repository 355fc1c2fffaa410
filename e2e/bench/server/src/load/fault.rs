//! What happens to the servers of a load, and when.

use std::str::FromStr;
use std::time::Duration;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// The process ends like with a power cut.
    Kill,
    /// It ends in peace (SIGTERM).
    End,
    /// It stands still (SIGSTOP).
    Stop,
    /// It goes on.
    Continue,
    /// It starts again, as before.
    Start,
    /// Nothing passes between a node and the bus. Neither side is told.
    Cut,
    /// It passes again.
    Heal,
    /// The bus dies, and its replica takes its place.
    Promote,
    /// The bus has no memory left, and refuses what would take more.
    Fill,
    /// It has memory again.
    Empty,
}

/// To what it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The node with this number.
    Node(usize),
    /// Redis.
    Bus,
    /// Postgres.
    Database,
}

/// An act, its target and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    pub act: Act,
    pub target: Target,
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
            Act::Cut => "cut off from the bus",
            Act::Heal => "with the bus again",
            Act::Promote => "failed over",
            Act::Fill => "full",
            Act::Empty => "with room again",
        };
        let target = match self.target {
            Target::Node(node) => format!("node {node}"),
            Target::Bus => "the bus".to_owned(),
            Target::Database => "the database".to_owned(),
        };
        format!("{target} {act} at {:.1} s", self.at.as_secs_f64())
    }

    /// Whether devices may lose their sockets by it.
    pub fn is_loss(self) -> bool {
        !matches!(self.act, Act::Continue | Act::Start | Act::Heal | Act::Empty)
    }
}

impl FromStr for Fault {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "expected a fault such as kill:0@2.5 or stop:bus@3";
        let (act, rest) = text.split_once(':').ok_or(WRONG)?;
        let (target, at) = rest.split_once('@').ok_or(WRONG)?;
        let target = match target {
            "bus" => Target::Bus,
            "database" => Target::Database,
            node => Target::Node(node.parse().map_err(|_| WRONG)?),
        };
        let act = match (act, target) {
            ("kill", _) => Act::Kill,
            ("end", _) => Act::End,
            ("start", _) => Act::Start,
            ("stop", Target::Node(_) | Target::Bus) => Act::Stop,
            ("continue", Target::Node(_) | Target::Bus) => Act::Continue,
            ("cut", Target::Node(_)) => Act::Cut,
            ("heal", Target::Node(_)) => Act::Heal,
            ("promote", Target::Bus) => Act::Promote,
            ("fill", Target::Bus) => Act::Fill,
            ("empty", Target::Bus) => Act::Empty,
            _ => return Err(WRONG),
        };
        let at = at.parse().ok().and_then(|at| Duration::try_from_secs_f64(at).ok());
        Ok(Self { act, target, at: at.ok_or(WRONG)? })
    }
}

/// How wrong the clock of a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongClock {
    pub node: usize,
    /// As libfaketime takes it: `+2d`.
    pub by: String,
}

impl FromStr for WrongClock {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "expected a node and a time, such as 0:+2d";
        let (node, by) = text.split_once(':').ok_or(WRONG)?;
        let node = node.parse().map_err(|_| WRONG)?;
        if by.starts_with(['+', '-']) { Ok(Self { node, by: by.to_owned() }) } else { Err(WRONG) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_names_its_act_its_target_and_its_time() {
        let at = Duration::from_millis(2_500);
        for (text, act, target) in [
            ("stop:1@2.5", Act::Stop, Target::Node(1)),
            ("promote:bus@2.5", Act::Promote, Target::Bus),
            ("fill:bus@2.5", Act::Fill, Target::Bus),
            ("end:database@2.5", Act::End, Target::Database),
            ("cut:0@2.5", Act::Cut, Target::Node(0)),
        ] {
            assert_eq!(text.parse(), Ok(Fault { act, target, at }), "{text}");
        }
        for wrong in [
            "stop",
            "stop:1",
            "rest:1@2",
            "stop:x@2",
            "stop:1@-2",
            "stop:1@soon",
            "cut:bus@1",
            "promote:1@1",
            "fill:1@1",
            "stop:database@1",
        ] {
            assert!(wrong.parse::<Fault>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_wrong_clock_names_its_node_and_its_error() {
        let wrong = WrongClock { node: 2, by: "-2d".to_owned() };
        assert_eq!("2:-2d".parse(), Ok(wrong));
        assert!("2:2d".parse::<WrongClock>().is_err() && "+2d".parse::<WrongClock>().is_err());
    }
}
