//! The relay between two devices, against a binary echo with the same framework and messages of the same size.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::Failure;
use crate::client::{beam, join, open, see_devices};
use crate::process::Process;
use crate::table::{Row, Target, median};

/// Bytes of one run.
const RUN_BYTES: usize = 512 * 1024 * 1024;
const RUNS: usize = 5;
/// Bytes in flight, below the 4 MiB that may wait between two devices.
const IN_FLIGHT_BYTES: usize = 3 * 1024 * 1024;
const READ_BUFFER: usize = 128 * 1024;
/// Growth of the server's memory that still counts as flat, in MiB: what may wait for one device (R2).
const FLAT_MIB: f64 = 16.0;

/// Measures speed and memory with messages of one size.
pub async fn measure(
    product: &Process,
    bare: &Process,
    message_bytes: usize,
) -> Result<[Row; 2], Failure> {
    through_product(product, message_bytes).await?;
    through_bare(bare, message_bytes).await?;
    let before = product.resident_bytes()?;
    let (mut ours, mut theirs, mut peak) = (Vec::new(), Vec::new(), before);
    for _ in 0..RUNS {
        let (speed, highest) =
            tokio::join!(through_product(product, message_bytes), highest_memory(product));
        ours.push(speed?);
        peak = peak.max(highest?);
        theirs.push(through_bare(bare, message_bytes).await?);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    let kib = message_bytes / 1024;
    let growth = mib(peak - before);
    Ok([
        Row {
            figure: format!("relay, messages of {kib} KiB"),
            product: format!("{ours:.0} MB/s"),
            reference: format!("{theirs:.0} MB/s"),
            value: ours / theirs,
            target: Target::AtLeast(0.8),
        },
        Row {
            figure: format!("server memory over the relay, {kib} KiB"),
            product: format!("+{growth:.1} MiB"),
            reference: String::new(),
            value: growth,
            target: Target::AtMost(FLAT_MIB),
        },
    ])
}

/// The highest memory of the server in the first second of a run.
async fn highest_memory(product: &Process) -> Result<u64, Failure> {
    let mut highest = 0;
    for _ in 0..50 {
        highest = highest.max(product.resident_bytes()?);
        sleep(Duration::from_millis(20)).await;
    }
    Ok(highest)
}

async fn through_product(product: &Process, message_bytes: usize) -> Result<f64, Failure> {
    let beam = beam(1);
    let (sender, _) = join(product.address, beam, READ_BUFFER).await?;
    let (mut receiver, id) = join(product.address, beam, READ_BUFFER).await?;
    see_devices(&mut receiver, 2).await?;
    let mut message = vec![0; message_bytes];
    message[..16].copy_from_slice(id.as_bytes());
    // Kept alive: a device that drops half of its socket leaves the beam.
    let (sink, _unread) = sender.split();
    let (_unsent, source) = receiver.split();
    pump(sink, source, message.into()).await
}

async fn through_bare(bare: &Process, message_bytes: usize) -> Result<f64, Failure> {
    let (sink, source) = open(bare.address, "/echo", READ_BUFFER).await?.split();
    pump(sink, source, vec![0; message_bytes].into()).await
}

/// Sends the bytes of a run and waits until all have arrived. Returns MB/s.
async fn pump<S, R>(mut sink: S, mut source: R, message: Bytes) -> Result<f64, Failure>
where
    S: Sink<Message, Error = Error> + Unpin + Send + 'static,
    R: Stream<Item = Result<Message, Error>> + Unpin,
{
    let size = message.len();
    let count = RUN_BYTES / size;
    let credit = Arc::new(Semaphore::new(IN_FLIGHT_BYTES / size));
    let grants = Arc::clone(&credit);
    let started = Instant::now();
    let sending = tokio::spawn(async move {
        for _ in 0..count {
            grants.acquire().await?.forget();
            sink.send(Message::Binary(message.clone())).await?;
        }
        Ok::<_, Failure>(sink)
    });
    let mut received = 0;
    while received < count {
        match source.next().await.ok_or("closed in the middle of a run")?? {
            Message::Binary(bytes) if bytes.len() == size => {
                received += 1;
                credit.add_permits(1);
            }
            Message::Close(close) => return Err(format!("closed: {close:?}").into()),
            _ => {}
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    sending.await??;
    Ok(megabytes(count * size) / seconds)
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn mib(bytes: u64) -> f64 {
    bytes as f64 / 1_048_576.0
}
