//! One end of a connection for programs that are no Rust: signals go over stdin and stdout, a line of JSON each, and frames come
//! back as they were sent.
//!
//! `link [--initiator] [--sink] [ADDRESS…]` reads `{"signal": …}`, `{"send": BYTES}` (so many in chunks of 256 KiB, then a frame
//! of one byte) and `{"close": true}`. It writes `{"signal": …}`, `{"opened": {"path", "maxFrame"}}`, `{"received": {"bytes",
//! "ms"}}` at each frame of one byte, and at the end `{"closed": true}`. With `--sink` nothing is sent back.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};

use heliograph_device::io::direct_link::{DirectLink, LinkKind};
use heliograph_device::io::link_contract::{PeerLinkEvent, PeerLinkOptions};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, stdin};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// The first byte of a frame of chunks.
const CHUNK: u8 = 2;
const FRAME_BYTES: u64 = 256 * 1024;

/// What is left to send.
struct Flood {
    left: u64,
    is_sending: bool,
}

impl Flood {
    fn go_on(&mut self, link: &DirectLink) {
        while self.left > 0 && link.buffer().room > 0 {
            let bytes = self.left.min(FRAME_BYTES);
            link.send(vec![CHUNK; usize::try_from(bytes).unwrap_or(0)]);
            self.left -= bytes;
        }
        if self.is_sending && self.left == 0 {
            self.is_sending = false;
            // On the channel for chunks, so that it comes last.
            link.send(vec![0]);
        }
    }
}

/// What came since the last report.
struct Tally {
    bytes: u64,
    since: Option<Instant>,
}

impl Tally {
    fn count(&mut self, frame: &[u8]) {
        let since = *self.since.get_or_insert_with(Instant::now);
        self.bytes += frame.len() as u64;
        if frame.len() == 1 {
            let ms = since.elapsed().as_secs_f64() * 1_000.0;
            println!("{}", json!({ "received": { "bytes": self.bytes, "ms": ms } }));
            *self = Self { bytes: 0, since: None };
        }
    }
}

fn answer(link: &DirectLink, frame: Vec<u8>) {
    if frame.first() == Some(&CHUNK) {
        link.send(frame);
    } else {
        link.say(frame);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (mut is_initiator, mut is_sink, mut addresses) = (false, false, Vec::new());
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--initiator" => is_initiator = true,
            "--sink" => is_sink = true,
            address => addresses.push(SocketAddr::new(address.parse::<IpAddr>()?, 0)),
        }
    }
    if addresses.is_empty() {
        addresses = PeerLinkOptions::every_address();
    }
    let (events, mut told) = mpsc::channel(64);
    let options = PeerLinkOptions { link: 1, is_initiator, ice_servers: Vec::new(), addresses };
    let link = DirectLink::open(LinkKind::WebRtc, options, events);
    let mut lines = BufReader::new(stdin()).lines();
    let mut flood = Flood { left: 0, is_sending: false };
    let mut tally = Tally { bytes: 0, since: None };
    loop {
        tokio::select! {
            read = lines.next_line() => {
                let Some(read) = read? else { return Ok(()) };
                let command: Value = serde_json::from_str(&read)?;
                if let Some(signal) = command.get("signal") {
                    link.signal(signal.clone());
                } else if let Some(bytes) = command.get("send").and_then(Value::as_u64) {
                    flood = Flood { left: bytes, is_sending: true };
                    flood.go_on(&link);
                } else if command.get("close").is_some() {
                    link.close();
                }
            }
            Some(told) = told.recv() => match told.event {
                PeerLinkEvent::Signal(signal) => println!("{}", json!({ "signal": signal })),
                PeerLinkEvent::Opened { path, max_frame } => {
                    let path = format!("{path:?}").to_lowercase();
                    println!("{}", json!({ "opened": { "path": path, "maxFrame": max_frame } }));
                }
                PeerLinkEvent::Frame(frame) if is_sink => tally.count(&frame),
                PeerLinkEvent::Frame(frame) => answer(&link, frame),
                PeerLinkEvent::Room => flood.go_on(&link),
                PeerLinkEvent::Path(_) | PeerLinkEvent::Broken(_) => {}
                PeerLinkEvent::Closed => {
                    println!("{}", json!({ "closed": true }));
                    return Ok(());
                }
            }
        }
    }
}
