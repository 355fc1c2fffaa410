//! Measures the server from outside, each figure beside a bare reference of the same run.
//! Loopback only; it ends only the processes that it started.
//!
//! `heliograph-bench PATH/TO/heliograph`

mod bare;
mod client;
mod fan_out;
mod idle;
mod process;
mod relay;
mod table;

use std::env;
use std::error::Error;
use std::path::PathBuf;

use crate::process::Process;
use crate::table::Row;

/// Anything that ends a measurement.
type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    match env::args().nth(1).as_deref() {
        None => Err("usage: heliograph-bench PATH/TO/heliograph".into()),
        Some(bare::COMMAND) => bare::serve().await,
        Some(heliograph) => measure(PathBuf::from(heliograph)).await,
    }
}

async fn measure(heliograph: PathBuf) -> Result<(), Failure> {
    Row::heading();
    let bare = Process::bare().await?;
    for message_bytes in [64 * 1024, 240 * 1024] {
        let product = Process::product(&heliograph).await?;
        for row in relay::measure(&product, &bare, message_bytes).await? {
            row.print();
        }
    }
    let product = Process::product(&heliograph).await?;
    fan_out::measure(&product, &bare).await?.print();
    // A fresh process, whose memory nothing has touched.
    let product = Process::product(&heliograph).await?;
    idle::measure(&product).await?.print();
    Ok(())
}
