//! The table of faults: what a cluster of three nodes does under load when something of it breaks.

use std::time::Duration;

use clap::Parser as _;

use super::plan::Plan;
use super::report::Report;
use super::run::run;
use crate::Failure;

/// All devices are back after this, whatever breaks.
const BACK_WITHIN: Duration = Duration::from_secs(10);

/// The load: 36 devices of 12 beams of all kinds share and move from node to node. They notice a silent node after 5 s, come
/// back after one, and try another node when one does not answer for 2 s.
const LOAD: [&str; 10] = [
    "--cluster",
    "--nodes=3",
    "--beams=12",
    "--devices=3",
    "--rate=5",
    "--churn=4",
    "--reconnect=1000",
    "--silence=5",
    "--handshake=2",
    "--patience=30",
];

/// The faults, each with its options.
const FAULTS: [(&str, &[&str]); 13] = [
    ("nothing", &["--seconds=5"]),
    ("a node is killed", &["--seconds=13", "--fault=kill:0@3"]),
    ("a node ends in peace", &["--seconds=10", "--fault=end:0@3"]),
    (
        "a node stands still for 30 s",
        &["--seconds=40", "--fault=stop:0@3", "--fault=continue:0@33"],
    ),
    (
        "Redis is killed, and back after 2 s",
        &["--seconds=13", "--fault=kill:bus@3", "--fault=start:bus@5"],
    ),
    (
        "Redis stands still for 10 s",
        &["--seconds=22", "--fault=stop:bus@3", "--fault=continue:bus@13"],
    ),
    ("Redis is full for 10 s", &["--seconds=22", "--fault=fill:bus@3", "--fault=empty:bus@13"]),
    ("Redis fails over to its replica", &["--seconds=12", "--fault=promote:bus@3"]),
    (
        "Redis fails over, then a node is killed",
        &["--seconds=20", "--fault=promote:bus@3", "--fault=kill:0@9"],
    ),
    (
        "Postgres is killed, and back after 2 s",
        &["--seconds=14", "--fault=kill:database@3", "--fault=start:database@5"],
    ),
    (
        "Postgres is restarted",
        &["--seconds=12", "--fault=end:database@3", "--fault=start:database@3"],
    ),
    (
        "a node is cut off from Redis for 10 s",
        &["--seconds=24", "--fault=cut:0@3", "--fault=heal:0@13"],
    ),
    (
        "clocks are two days fast and slow, a node is killed",
        &["--seconds=15", "--wrong-clock=1:+2d", "--wrong-clock=2:-2d", "--fault=kill:0@4"],
    ),
];

/// The control: a load in which a checker has to find something.
const CONTROLS: [(&str, &[&str]); 2] = [
    (
        "control: an item is lost, a node killed",
        &["--seconds=10", "--patience=5", "--plant=lost", "--fault=kill:0@3"],
    ),
    (
        "control: an item comes twice, a node killed",
        &["--seconds=10", "--patience=5", "--plant=doubled", "--fault=kill:0@3"],
    ),
];

/// Prints the table for a program, or those rows of it that contain one of these words.
pub async fn table(mut arguments: impl Iterator<Item = String>) -> Result<(), Failure> {
    let program = arguments.next().ok_or("usage: heliograph-bench faults PATH/TO/heliograph")?;
    let words: Vec<_> = arguments.collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(&**word));
    line("fault", ["all back after", "broken promises", "unanswered", "deliveries"]);
    let mut failed = Vec::new();
    for (name, options) in FAULTS.into_iter().filter(|(name, _)| wanted(name)) {
        let report = load(&program, options).await?;
        print(name, &report);
        if !report.found.is_empty() || report.back_after().is_some_and(|back| back > BACK_WITHIN) {
            failed.push(name);
        }
    }
    for (name, options) in CONTROLS.into_iter().filter(|(name, _)| wanted(name)) {
        let report = load(&program, options).await?;
        print(name, &report);
        if report.found.is_empty() {
            failed.push(name);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join("; ")).into()) }
}

async fn load(program: &str, options: &[&str]) -> Result<Report, Failure> {
    let first = ["load", "--serve", program];
    run(Plan::try_parse_from(first.iter().chain(&LOAD).chain(options))?).await
}

fn print(name: &str, report: &Report) {
    let back = report
        .back_after()
        .map_or("nobody was lost".to_owned(), |back| format!("{:.1} s", back.as_secs_f64()));
    let tally = &report.tally;
    let refused: u64 = tally.refused.values().sum();
    let unanswered = tally.shared.saturating_sub(tally.answered + refused).to_string();
    let (found, deliveries) = (report.found.len().to_string(), tally.deliveries.to_string());
    line(name, [&back, &found, &unanswered, &deliveries]);
    let losses: Vec<_> =
        tally.losses.iter().map(|(why, count)| format!("{count} × {why}")).collect();
    if !losses.is_empty() {
        println!("    sockets lost: {}", losses.join(", "));
    }
}

fn line(what: &str, [back, broken, unanswered, deliveries]: [&str; 4]) {
    println!("{what:<54} {back:>15} {broken:>15} {unanswered:>10} {deliveries:>10}");
}
