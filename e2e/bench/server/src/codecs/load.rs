//! The load on a codec. It costs next to nothing: it sends prepared frames and counts what comes back.

use std::net::SocketAddr;
use std::sync::Arc;

use futures_util::future::try_join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::Failure;

/// Bytes of one relay run.
const RELAY_BYTES: usize = 256 * 1024 * 1024;
/// Bytes in flight, as in the benchmark of the relay.
const IN_FLIGHT_BYTES: usize = 3 * 1024 * 1024;

const ROOMS: usize = 100;
const MEMBERS: usize = 8;
/// Messages of one member in one run.
const MESSAGES: usize = 100;
/// Messages of one member in flight.
const IN_FLIGHT_MESSAGES: usize = 16;
const TEXT_BYTES: usize = 150;

const IDLE_SOCKETS: usize = 5000;

const TEXT: u8 = 0x81;
const BINARY: u8 = 0x82;
const MASK: [u8; 4] = [0x1d, 0xc3, 0x55, 0xa7];

/// A frame of a client with a mask, or of a server without one (RFC 6455, section 5.2).
fn frame(first: u8, payload: &[u8], mask: Option<[u8; 4]>) -> Vec<u8> {
    let masked = if mask.is_some() { 0x80 } else { 0 };
    let length = payload.len().to_be_bytes();
    let mut frame = vec![first];
    match payload.len() {
        0..126 => frame.push(masked + length[7]),
        126..0x1_0000 => frame.extend([&[masked + 126][..], &length[6..]].concat()),
        _ => frame.extend([&[masked + 127][..], &length].concat()),
    }
    frame.extend(mask.iter().flatten());
    let mask = mask.unwrap_or_default();
    frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

/// Opens a socket in a room.
async fn open(address: SocketAddr, room: &str) -> Result<TcpStream, Failure> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let request = format!(
        "GET /{room} HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        if stream.read_buf(&mut answer).await? == 0 {
            return Err("the server closed".into());
        }
    }
    Ok(stream)
}

/// Checks the server: texts must reach everybody, binary messages everybody else, both unchanged.
pub async fn check(address: SocketAddr) -> Result<(), Failure> {
    let (mut ada, mut bob) = (open(address, "check").await?, open(address, "check").await?);
    let large: Vec<u8> = (0..200_000_u32).map(|number| number.to_le_bytes()[1]).collect();
    let (text, short) = ("grüße".as_bytes(), &b"short"[..]);
    for (first, payload) in [(TEXT, text), (BINARY, short), (BINARY, &large)] {
        ada.write_all(&frame(first, payload, Some(MASK))).await?;
    }
    let of = |first, payload| frame(first, payload, None);
    let to_all = of(TEXT, text);
    let to_others = [to_all.clone(), of(BINARY, short), of(BINARY, &large)].concat();
    for (socket, expected) in [(&mut ada, to_all), (&mut bob, to_others)] {
        let mut bytes = vec![0; expected.len()];
        socket.read_exact(&mut bytes).await?;
        if bytes != expected {
            return Err("the server changed a message".into());
        }
    }
    Ok(())
}

/// Measures the bytes per second from one socket to another.
pub async fn relay(address: SocketAddr, room: usize, bytes: usize) -> Result<f64, Failure> {
    let room = format!("relay/{bytes}/{room}");
    let (mut sender, mut receiver) = (open(address, &room).await?, open(address, &room).await?);
    let payload = vec![7; bytes];
    let masked = frame(BINARY, &payload, Some(MASK));
    let unmasked_bytes = frame(BINARY, &payload, None).len();
    let count = RELAY_BYTES / bytes;
    let credit = Arc::new(Semaphore::new(IN_FLIGHT_BYTES / bytes));
    let grants = credit.clone();
    let started = Instant::now();
    let sending = tokio::spawn(async move {
        for _ in 0..count {
            grants.acquire().await?.forget();
            sender.write_all(&masked).await?;
        }
        Ok::<_, Failure>(sender)
    });
    let (mut buffer, mut total, mut granted) = (vec![0; 256 * 1024], 0, 0);
    while total < count * unmasked_bytes {
        total += match receiver.read(&mut buffer).await? {
            0 => return Err("the server closed".into()),
            some => some,
        };
        credit.add_permits(total / unmasked_bytes - granted);
        granted = total / unmasked_bytes;
    }
    let speed = per_second(count * bytes, started);
    drop(sending.await??);
    Ok(speed)
}

/// Measures the deliveries per second.
pub async fn fan_out(address: SocketAddr, run: usize) -> Result<f64, Failure> {
    let mut members = Vec::new();
    for room in 0..ROOMS {
        for _ in 0..MEMBERS {
            members.push(open(address, &format!("fan-out/{run}/{room}")).await?);
        }
    }
    let started = Instant::now();
    let members = members.into_iter().map(|stream| tokio::spawn(member(stream)));
    for ended in try_join_all(members).await? {
        drop(ended?);
    }
    Ok(per_second(ROOMS * MEMBERS * MEMBERS * MESSAGES, started))
}

/// Sends as fast as the room keeps up, until everything has arrived.
async fn member(mut stream: TcpStream) -> Result<TcpStream, Failure> {
    let payload = "x".repeat(TEXT_BYTES);
    let sent = frame(TEXT, payload.as_bytes(), Some(MASK));
    let received = frame(TEXT, payload.as_bytes(), None).len();
    let (mut buffer, mut total, mut said) = (vec![0; 16 * 1024], 0, 0);
    while total < MESSAGES * MEMBERS * received {
        let heard = total / received / MEMBERS;
        let more = (heard + IN_FLIGHT_MESSAGES).min(MESSAGES).saturating_sub(said);
        stream.write_all(&sent.repeat(more)).await?;
        said += more;
        total += match stream.read(&mut buffer).await? {
            0 => return Err("the server closed".into()),
            some => some,
        };
    }
    Ok(stream)
}

/// Opens sockets that stay idle after one message each.
pub async fn idle(address: SocketAddr) -> Result<Vec<TcpStream>, Failure> {
    let text = frame(TEXT, &[b'x'; TEXT_BYTES], Some(MASK));
    let mut echo = frame(TEXT, &[b'x'; TEXT_BYTES], None);
    let mut sockets = Vec::new();
    for number in 0..IDLE_SOCKETS {
        let mut socket = open(address, &format!("idle/{number}")).await?;
        socket.write_all(&text).await?;
        socket.read_exact(&mut echo).await?;
        sockets.push(socket);
    }
    Ok(sockets)
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn per_second(count: usize, since: Instant) -> f64 {
    count as f64 / since.elapsed().as_secs_f64()
}
