//! A text beside bulk: how long it takes from device to device while the relay carries as much as it can to its receivers.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_tungstenite::tungstenite::Message;
use uuid::Uuid;

use crate::Failure;
use crate::client::{Socket, beam, join, see_devices};
use crate::table::{Row, Target};

/// By which a running server is measured.
pub const COMMAND: &str = "text-at";
/// How many receive.
pub const RECEIVERS: [usize; 2] = [1, 8];
/// Texts of one run, and the pause between two of them.
const TEXTS: usize = 500;
const PAUSE: Duration = Duration::from_millis(10);
/// A frame of four chunks.
const FRAME_BYTES: usize = 64 * 1024;
/// Frames in flight to each receiver: the window of one that gets 10 MB/s (F4: twice what comes in 50 ms). More would measure
/// how long this program takes to read what its own kernel holds.
const IN_FLIGHT: usize = 16;
const READ_BUFFER: usize = 128 * 1024;
/// The longest that one text of a hundred may take, in milliseconds.
const SOON_MS: f64 = 100.0;

/// Measures a server that runs already, such as one at the other end of a wire.
pub async fn measure_at(server: &str) -> Result<(), Failure> {
    Row::heading();
    for receivers in RECEIVERS {
        measure(server.parse()?, receivers).await?.print();
    }
    Ok(())
}

/// Measures texts to devices that receive files at the same time, against texts to as many that do not.
pub async fn measure(server: SocketAddr, receivers: usize) -> Result<Row, Failure> {
    let alone = run(server, receivers, false).await?;
    let beside = run(server, receivers, true).await?;
    Ok(Row {
        figure: format!("text beside bulk to {receivers}, p50 / p99"),
        product: shown(&beside),
        reference: shown(&alone),
        value: share(&beside, 99),
        target: Target::AtMost(SOON_MS),
    })
}

/// The times of all texts to all receivers, in milliseconds, the shortest first.
async fn run(server: SocketAddr, receivers: usize, has_bulk: bool) -> Result<Vec<f64>, Failure> {
    let beam = beam(1_000 + 2 * receivers as u128 + u128::from(has_bulk));
    let (mut writer, _) = join(server, beam, READ_BUFFER).await?;
    let (sender, _) = join(server, beam, READ_BUFFER).await?;
    let sent = Arc::new(Mutex::new(Vec::with_capacity(TEXTS)));
    let (mut ways, mut reading) = (Vec::new(), Vec::new());
    for _ in 0..receivers {
        let (receiver, id) = join(server, beam, READ_BUFFER).await?;
        let credit = Arc::new(Semaphore::new(IN_FLIGHT));
        ways.push((id, credit.clone()));
        reading.push(tokio::spawn(read(receiver, credit, sent.clone())));
    }
    see_devices(&mut writer, receivers + 2).await?;
    let (bulk, echoes) = sender.split();
    let (texts, own) = writer.split();
    let mut others = vec![drain(echoes), drain(own)];
    if has_bulk {
        others.push(tokio::spawn(send_bulk(bulk, ways)));
        // The queues fill before the first text.
        sleep(Duration::from_secs(1)).await;
    }
    others.push(tokio::spawn(send_texts(texts, sent)));
    let mut times = Vec::new();
    for reading in reading {
        times.extend(reading.await??);
    }
    for other in others {
        other.abort();
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}

/// Reads until all texts have come, and returns how long each took.
async fn read(
    mut socket: Socket,
    credit: Arc<Semaphore>,
    sent: Arc<Mutex<Vec<Instant>>>,
) -> Result<Vec<f64>, Failure> {
    let mut times = Vec::new();
    while times.len() < TEXTS {
        match socket.next().await.ok_or("closed in the middle of a run")?? {
            Message::Binary(_) => credit.add_permits(1),
            Message::Text(text) => {
                let said: Value = serde_json::from_str(&text)?;
                if said["type"] == "rec_clipboard" {
                    let sent = sent.lock().unwrap_or_else(PoisonError::into_inner)[times.len()];
                    times.push(sent.elapsed().as_secs_f64() * 1_000.0);
                }
            }
            _ => {}
        }
    }
    Ok(times)
}

async fn send_bulk(
    mut sink: SplitSink<Socket, Message>,
    ways: Vec<(Uuid, Arc<Semaphore>)>,
) -> Result<(), Failure> {
    let frame = |id: Uuid| Bytes::from([id.as_bytes(), &vec![0; FRAME_BYTES][..]].concat());
    let frames: Vec<_> = ways.into_iter().map(|(id, credit)| (frame(id), credit)).collect();
    loop {
        for (frame, credit) in &frames {
            credit.acquire().await?.forget();
            sink.send(Message::Binary(frame.clone())).await?;
        }
    }
}

async fn send_texts(
    mut sink: SplitSink<Socket, Message>,
    sent: Arc<Mutex<Vec<Instant>>>,
) -> Result<(), Failure> {
    for number in 0..TEXTS {
        sleep(PAUSE).await;
        let share = json!({"type": "share_clipboard", "message": number.to_string()});
        sent.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
        sink.send(Message::text(share.to_string())).await?;
    }
    // A device that drops its half of a socket leaves the beam.
    std::future::pending().await
}

/// Reads what nobody needs.
fn drain(mut source: SplitStream<Socket>) -> JoinHandle<Result<(), Failure>> {
    tokio::spawn(async move {
        while let Some(message) = source.next().await {
            message?;
        }
        Ok(())
    })
}

fn shown(times: &[f64]) -> String {
    format!("{:.1} / {:.1} ms", share(times, 50), share(times, 99))
}

/// The time that so many of a hundred texts keep.
fn share(times: &[f64], percent: usize) -> f64 {
    times.get(times.len() * percent / 100).copied().unwrap_or(f64::NAN)
}
