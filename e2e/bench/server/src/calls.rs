//! The two calls that every page of a logged-in user makes, against a handler that answers the same bytes.

use std::path::Path;
use std::time::Duration;

use crate::Failure;
use crate::http::{Connection, Load, load};
use crate::people::{register, save_beam};
use crate::process::Process;
use crate::table::{Row, Target, median};

const BEAMS: u32 = 50;
const CONNECTIONS: usize = 64;
const RUNS: usize = 3;
const TIME: Duration = Duration::from_secs(3);

/// Measures the requests per second, and the ratio of the 99th percentile to the median.
pub async fn measure(heliograph: &Path, bare: &Process) -> Result<Vec<Row>, Failure> {
    let product = Process::product(heliograph).await?;
    let cookie = register(product.address, "ada").await?;
    for number in 0..BEAMS {
        save_beam(product.address, &cookie, &format!("Beam {number}")).await?;
    }
    let mut rows = Vec::new();
    for path in ["/api/auth/me", "/api/beams/"] {
        rows.extend(compare(&product, bare, path, &cookie).await?);
    }
    Ok(rows)
}

async fn compare(
    product: &Process,
    bare: &Process,
    path: &'static str,
    cookie: &str,
) -> Result<[Row; 2], Failure> {
    let body = Connection::open(product.address).await?.ask("GET", path, cookie, b"").await?.body;
    let kept = Connection::open(bare.address).await?.ask("PUT", "/fixed", "", &body).await?;
    if kept.status != 200 {
        return Err("the reference did not take the body".into());
    }
    let (mut ours, mut theirs, mut spread) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..=RUNS {
        let mine = load(product.address, path, cookie, CONNECTIONS, TIME).await?;
        let others = load(bare.address, "/fixed", cookie, CONNECTIONS, TIME).await?;
        // The first run warms both up.
        if run > 0 {
            ours.push(mine.requests_per_second);
            theirs.push(others.requests_per_second);
            spread.push(times(&mine));
        }
    }
    let (ours, theirs) = (median(ours), median(theirs));
    Ok([
        Row {
            figure: format!("GET {path}, {CONNECTIONS} connections"),
            product: format!("{:.1} k/s", ours / 1e3),
            reference: format!("{:.1} k/s", theirs / 1e3),
            value: ours / theirs,
            target: Target::AtLeast(0.5),
        },
        Row {
            figure: format!("GET {path}, p99 over median"),
            product: String::new(),
            reference: String::new(),
            value: median(spread),
            target: Target::AtMost(10.0),
        },
    ])
}

fn times(load: &Load) -> f64 {
    load.p99.as_secs_f64() / load.median.as_secs_f64()
}
