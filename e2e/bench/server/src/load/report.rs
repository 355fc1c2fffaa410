//! What a load was like, as a table.

use std::collections::BTreeMap;
use std::time::Duration;

use super::fault::Fault;
use super::violation::Violation;
use super::world::Tally;

/// The result of a load.
#[derive(Debug, Default)]
pub struct Report {
    pub beams: u32,
    pub devices: u32,
    pub nodes: usize,
    /// Time in which devices shared, in seconds.
    pub seconds: f64,
    pub tally: Tally,
    /// Memory of the nodes for each socket before anything was shared, in KiB. Only of nodes that the load has started.
    pub idle_kib: Option<f64>,
    /// What happened to nodes, and how long it took until all devices were back that lost their sockets by it.
    pub faults: Vec<(Fault, Option<Duration>)>,
    /// The beam and what was broken there.
    pub found: Vec<(u32, Violation)>,
}

impl Report {
    /// Adds the counts of a beam.
    pub fn add(&mut self, beam: u32, tally: Tally, found: Vec<Violation>) {
        let sum = &mut self.tally;
        sum.shared += tally.shared;
        sum.answered += tally.answered;
        sum.deliveries += tally.deliveries;
        sum.frames += tally.frames;
        sum.moves += tally.moves;
        add(&mut sum.refused, tally.refused);
        add(&mut sum.losses, tally.losses);
        sum.answers.merge(&tally.answers);
        sum.arrivals.merge(&tally.arrivals);
        sum.outages.extend(tally.outages);
        self.found.extend(found.into_iter().map(|violation| (beam, violation)));
    }

    /// Items that came to devices, in a second.
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    pub fn deliveries_per_second(&self) -> f64 {
        self.tally.deliveries as f64 / self.seconds
    }

    /// The longest time until all were back.
    pub fn back_after(&self) -> Option<Duration> {
        self.faults.iter().filter_map(|(_, back)| *back).max()
    }

    /// Prints the table.
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    pub fn print(&self) {
        let Self { tally, .. } = self;
        let what = format!("{} beams, {} devices, {} nodes", self.beams, self.devices, self.nodes);
        line("load", &what);
        line("time of sharing", &format!("{:.1} s", self.seconds));
        line("items shared / answered", &format!("{} / {}", tally.shared, tally.answered));
        let rate = self.deliveries_per_second();
        line("deliveries", &format!("{}, {rate:.0} /s", tally.deliveries));
        for (what, times) in
            [("a share to its answer", &tally.answers), ("a share to each device", &tally.arrivals)]
        {
            if times.count() > 0 {
                let [half, most, all] = [50, 99, 100].map(|percent| times.percentile(percent));
                let times = format!("{half:.1} / {most:.1} / {all:.1} ms");
                line(&format!("{what}, p50 / p99 / max"), &times);
            }
        }
        if tally.frames > 0 {
            let rate = tally.frames as f64 / self.seconds;
            line("frames relayed", &format!("{}, {rate:.0} /s", tally.frames));
        }
        line("moves to another server", &tally.moves.to_string());
        for (what, counts) in [("refused", &tally.refused), ("sockets lost", &tally.losses)] {
            for (why, count) in counts {
                line(&format!("{what}: {why}"), &count.to_string());
            }
        }
        if let Some(kib) = self.idle_kib {
            line("memory of the nodes for an idle socket", &format!("{kib:.1} KiB"));
        }
        for (fault, back) in &self.faults {
            let back = back.map_or("nobody was lost".to_owned(), |back| {
                format!("all back after {:.2} s", back.as_secs_f64())
            });
            line(&fault.name(), if fault.is_loss() { &back } else { "" });
        }
        line("broken promises", &self.found.len().to_string());
    }
}

fn add(sums: &mut BTreeMap<String, u64>, more: BTreeMap<String, u64>) {
    for (why, count) in more {
        *sums.entry(why).or_default() += count;
    }
}

fn line(what: &str, value: &str) {
    println!("{what:<46} {value}");
}
