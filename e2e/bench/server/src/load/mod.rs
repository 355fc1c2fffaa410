//! Load that checks the server while it runs: many devices of many beams share, listen, relay, and go from server to
//! server, while nodes are killed, stopped and started. What the devices see is held against I1 to I4 (`checker`): every
//! acknowledged item at every device that stays, in its sender's order, once, and in one order for all.
//!
//! `heliograph-bench load --help` says what it can do. It exits with an error when a promise was broken, and with
//! `--plant` when none was: a checker that does not see a planted fault proves nothing.

mod beams;
mod chance;
mod checker;
mod cluster;
mod device;
mod era;
mod fault;
mod faults;
mod figures;
mod filter;
mod frames;
mod item;
mod node;
mod plan;
mod proxy;
mod relaying;
mod report;
mod run;
mod stores;
mod times;
mod violation;
mod wire;
mod world;

use std::iter;

use clap::Parser as _;

use self::plan::Plan;
use self::report::Report;
use crate::Failure;

pub use self::faults::table as faults;
pub use self::figures::measure;
pub use self::node::allow_many_sockets;

/// By which a load is chosen.
pub const COMMAND: &str = "load";
/// By which the table of faults is chosen.
pub const FAULTS: &str = "faults";

/// Runs the load that the command line asks for.
pub async fn command(arguments: impl Iterator<Item = String>) -> Result<(), Failure> {
    let plan = Plan::parse_from(arguments);
    let planted = plan.plant;
    let report = run::run(plan).await?;
    report.print();
    match (planted, report.found.len()) {
        (None, 0) => Ok(()),
        (None, _) => Err("promises were broken".into()),
        (Some(planted), 0) => Err(format!("nothing was found, although {planted:?}").into()),
        (Some(_), _) => Ok(()),
    }
}

/// Runs a load of these options, and returns what it came to.
pub async fn of(options: &[String]) -> Result<Report, Failure> {
    let name = COMMAND.to_owned();
    run::run(Plan::try_parse_from(iter::once(&name).chain(options))?).await
}
