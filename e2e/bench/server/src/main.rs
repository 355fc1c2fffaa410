//! Benchmarks the server from outside, against bare references in the same run. It uses only the loopback interface,
//! and ends only processes that it started.
//!
//! `heliograph-bench PATH/TO/heliograph [relay] [text] [fan-out] [idle] [codecs] [calls] [logins] [rude] [load]`
//! `[cluster]`, which needs `scripts/with-postgres`,
//! `heliograph-bench text-at ADDRESS:PORT` for a server that runs already, `heliograph-bench load --help`, or
//! `heliograph-bench faults PATH/TO/heliograph` for what a cluster does when something of it breaks.

mod bare;
mod calls;
mod client;
mod cluster;
mod codecs;
mod fan_out;
mod http;
mod idle;
mod load;
mod logins;
mod people;
mod process;
mod relay;
mod rude;
mod table;
mod text;

use std::env;
use std::error::Error;
use std::path::PathBuf;

use crate::process::Process;
use crate::table::Row;

/// Any error that ends a benchmark.
type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    match env::args().nth(1).as_deref() {
        None => Err("usage: heliograph-bench PATH/TO/heliograph".into()),
        Some(bare::COMMAND) => bare::serve().await,
        Some(cluster::COMMAND) => cluster::serve().await,
        Some(codecs::COMMAND) => codecs::serve().await,
        Some(load::FAULTS) => load::faults(env::args().skip(2)).await,
        Some(load::COMMAND) => load::command(env::args().skip(1)).await,
        Some(text::COMMAND) => text::measure_at(&env::args().nth(2).unwrap_or_default()).await,
        Some(heliograph) => measure(PathBuf::from(heliograph)).await,
    }
}

/// Measures every figure, or those that are named after the path.
async fn measure(heliograph: PathBuf) -> Result<(), Failure> {
    let names: Vec<_> = env::args().skip(2).collect();
    let wanted = |name: &str| names.is_empty() || names.iter().any(|own| own == name);
    Row::heading();
    let bare = Process::own(&[bare::COMMAND]).await?;
    if wanted("relay") {
        for message_bytes in [64 * 1024, 240 * 1024] {
            let product = Process::product(&heliograph).await?;
            print(relay::measure(&product, &bare, message_bytes).await?);
        }
    }
    if wanted("text") {
        for receivers in text::RECEIVERS {
            let product = Process::product(&heliograph).await?;
            print([text::measure(product.address, receivers).await?]);
        }
    }
    if wanted("fan-out") {
        let product = Process::product(&heliograph).await?;
        print([fan_out::measure(&product, &bare).await?]);
    }
    if wanted("idle") {
        // A fresh process, whose memory is untouched.
        let product = Process::product(&heliograph).await?;
        print([idle::measure(&product).await?]);
    }
    if wanted("codecs") {
        print(codecs::measure().await?);
    }
    if wanted("calls") {
        print(calls::measure(&heliograph, &bare).await?);
    }
    if wanted("logins") {
        print(logins::measure(&heliograph).await?);
    }
    if wanted("rude") {
        print(rude::measure(&heliograph).await?);
    }
    if wanted("load") {
        print(load::measure(&heliograph).await?);
    }
    if wanted("cluster") {
        cluster::measure(&heliograph).await?;
    }
    Ok(())
}

fn print(rows: impl IntoIterator<Item = Row>) {
    for row in rows {
        row.print();
    }
}
