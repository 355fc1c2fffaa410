//! The figures of a load for the table of all benchmarks.

use std::path::Path;

use clap::Parser as _;

use super::plan::Plan;
use super::report::Report;
use super::run::run;
use crate::Failure;
use crate::table::{Row, Target};

/// Seconds until all devices are back after a kill and a start: the product's pause and its chance, and the time of a
/// start.
const BACK_SECONDS: f64 = 10.0;
/// The longest that one share of a hundred may take to each device, in milliseconds.
const SOON_MS: f64 = 100.0;

/// Measures a load of text with moves, a load as large as sockets may send, and a kill with a restart.
pub async fn measure(heliograph: &Path) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    let churn = ["--beams=150", "--rate=0.5", "--churn=5", "--frames=2", "--seconds=10"];
    let churn = load(heliograph, &churn).await?;
    let late = churn.tally.arrivals.percentile(99);
    rows.push(Row {
        figure: "p99 of a share to each of 600 devices that move".to_owned(),
        product: format!("{late:.1} ms"),
        reference: format!("{:.0} /s", churn.deliveries_per_second()),
        value: late,
        target: Target::AtMost(SOON_MS),
    });
    let full = ["--kinds=unsaved", "--beams=100", "--devices=8", "--rate=100", "--seconds=10"];
    let full = load(heliograph, &full).await?;
    rows.push(Row {
        figure: "deliveries, checked, of 800 devices at their limit".to_owned(),
        product: format!("{:.0} k/s", full.deliveries_per_second() / 1e3),
        reference: format!("p99 {:.0} ms", full.tally.arrivals.percentile(99)),
        value: full.deliveries_per_second() / 1e3,
        target: Target::AtLeast(100.0),
    });
    let killed =
        ["--beams=250", "--rate=0.5", "--seconds=10", "--fault=kill:0@2", "--fault=start:0@3"];
    let killed = load(heliograph, &killed).await?;
    let back = killed.back_after().map_or(f64::NAN, |back| back.as_secs_f64());
    rows.push(Row {
        figure: "1,000 devices back after a kill, s".to_owned(),
        product: format!("{back:.1} s"),
        reference: String::new(),
        value: back,
        target: Target::AtMost(BACK_SECONDS),
    });
    let broken = [&churn, &full, &killed].map(|report| report.found.len()).iter().sum::<usize>();
    rows.push(Row {
        figure: "promises broken under these loads".to_owned(),
        product: broken.to_string(),
        reference: String::new(),
        value: u32::try_from(broken).map_or(f64::MAX, f64::from),
        target: Target::AtMost(0.0),
    });
    Ok(rows)
}

async fn load(heliograph: &Path, options: &[&str]) -> Result<Report, Failure> {
    let heliograph = heliograph.to_str().ok_or("a path without a name")?;
    let first = ["load", "--serve", heliograph];
    run(Plan::try_parse_from(first.iter().chain(options))?).await
}
