//! Texts to every device of many beams, against bare rooms with the same number of sockets.

use std::net::SocketAddr;

use futures_util::future::try_join_all;
use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use crate::Failure;
use crate::bare::{READY, rooms_port};
use crate::client::{Socket, beam, join, open, see_devices};
use crate::process::Process;
use crate::table::{Row, Target, median};

const BEAMS: u32 = 100;
const DEVICES: u32 = 8;
/// Messages of one device in one run: within the burst that a socket may send.
const MESSAGES: u32 = 200;
/// Messages of one device in flight. Eight devices stay far below an outbox of 1,024 messages.
const IN_FLIGHT: u32 = 16;
const RUNS: usize = 5;
const READ_BUFFER: usize = 16 * 1024;

/// Measures the deliveries per second.
pub async fn measure(product: &Process, bare: &Process) -> Result<Row, Failure> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for run in 0..=RUNS {
        let mine = deliver(product_beams(product.address, run).await?).await?;
        let others = deliver(bare_rooms(bare.address, run).await?).await?;
        // The first run warms both up.
        if run > 0 {
            ours.push(mine);
            theirs.push(others);
        }
    }
    let (ours, theirs) = (median(ours), median(theirs));
    Ok(Row {
        figure: format!("fan-out, {BEAMS} beams of {DEVICES} devices"),
        product: format!("{:.0} k/s", ours / 1e3),
        reference: format!("{:.0} k/s", theirs / 1e3),
        value: ours / theirs,
        target: Target::AtLeast(0.7),
    })
}

async fn product_beams(address: SocketAddr, run: usize) -> Result<Vec<Socket>, Failure> {
    let mut all = Vec::new();
    for number in 0..BEAMS {
        let id = beam((run as u128 + 1) << 64 | u128::from(number));
        let mut sockets = Vec::new();
        for _ in 0..DEVICES {
            sockets.push(join(address, id, READ_BUFFER).await?.0);
        }
        for socket in &mut sockets {
            see_devices(socket, DEVICES as usize).await?;
        }
        all.append(&mut sockets);
    }
    Ok(all)
}

async fn bare_rooms(mut address: SocketAddr, run: usize) -> Result<Vec<Socket>, Failure> {
    address.set_port(rooms_port(address.port()));
    let mut all = Vec::new();
    for number in 0..BEAMS * DEVICES {
        let room = number / DEVICES;
        let mut socket = open(address, &format!("/{run}/{room}"), READ_BUFFER).await?;
        match socket.next().await.ok_or("closed")?? {
            Message::Text(text) if text.as_str() == READY => all.push(socket),
            other => return Err(format!("not ready: {other:?}").into()),
        }
    }
    Ok(all)
}

/// Makes every device send, and waits until every device has received everything. Returns deliveries per second.
async fn deliver(sockets: Vec<Socket>) -> Result<f64, Failure> {
    let text = json!({"type": "share_clipboard", "message": "x".repeat(100), "extra": "text"});
    let text = Utf8Bytes::from(text.to_string());
    let started = Instant::now();
    let devices = sockets.into_iter().map(|socket| tokio::spawn(device(socket, text.clone())));
    for ended in try_join_all(devices).await? {
        ended?;
    }
    let deliveries = f64::from(BEAMS * DEVICES * DEVICES * MESSAGES);
    Ok(deliveries / started.elapsed().as_secs_f64())
}

/// Sends as fast as the beam keeps up. Returns the socket, so that no device leaves before all have received
/// everything.
async fn device(mut socket: Socket, text: Utf8Bytes) -> Result<Socket, Failure> {
    let (mut sent, mut received) = (0, 0);
    while received < MESSAGES * DEVICES {
        let mut fed = false;
        while sent < MESSAGES && sent * DEVICES < received + IN_FLIGHT * DEVICES {
            socket.feed(Message::Text(text.clone())).await?;
            sent += 1;
            fed = true;
        }
        if fed {
            socket.flush().await?;
        }
        match socket.next().await.ok_or("closed in the middle of a run")?? {
            Message::Text(text) if is_delivery(&text) => received += 1,
            Message::Close(close) => return Err(format!("closed: {close:?}").into()),
            _ => {}
        }
    }
    Ok(socket)
}

fn is_delivery(text: &str) -> bool {
    text.starts_with(r#"{"type":"rec_clipboard""#) || text.starts_with(r#"{"extra":"text""#)
}
