//! How two ends find each other: one tries all addresses of the other at once, and both keep the first connection that opens.

use std::sync::Arc;
use std::time::Duration;

use quinn::congestion::BbrConfig;
use quinn::{ClientConfig, Connection, Incoming, RecvStream, SendStream, ServerConfig};
use quinn::{TransportConfig, VarInt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{interval, sleep, timeout};

use super::description::{Description, MOST_ADDRESSES};
use super::identity::{Identity, NAME};
use super::sockets::Sockets;

/// Bytes of one stream that the other device may send ahead of what is read here: 8 MiB are 160 MB/s at a round trip of 50 ms.
pub(super) const AHEAD_BYTES: u32 = 8 * 1024 * 1024;
/// So many more of the connection, so that no frame waits for the room that chunks take.
const SPARE_BYTES: u32 = 1024 * 1024;
/// The same of a connection that is not kept yet, where nothing but the names of the streams is to come.
pub(super) const TRIED_BYTES: u32 = 64 * 1024;
/// An end that says nothing for so long is gone.
const MOST_SILENCE: Duration = Duration::from_secs(15);
/// An end that has nothing to say says so.
pub(super) const SIGN_OF_LIFE: Duration = Duration::from_secs(1);
/// The round trip before any is known. A third of what RFC 9002 (section 6.2.2) names: a first packet that opens the way through a
/// NAT and is lost there is sent again soon.
const FIRST_ROUND_TRIP: Duration = Duration::from_millis(100);
/// How often a way is opened through a NAT of this device, and for how long.
const OPENING_INTERVAL: Duration = Duration::from_millis(200);
const MOST_OPENINGS: u32 = 15;
/// Limit for one connection to prove itself.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);
/// Connections that an end looks at, at most. The other one makes one for each address.
const MOST_TRIED: usize = 2 * MOST_ADDRESSES;
/// Between the first packets to two addresses (RFC 8445, section 14.2): a device that names others' sends no burst there.
const PACE: Duration = Duration::from_millis(50);

/// The first bytes on a stream, in both directions, as the channels of WebRTC are numbered (L5).
pub(super) const BULK: u8 = 10;
const CONTROL: u8 = 11;
/// How many there are.
const STREAMS: u8 = 2;

/// One stream, in both directions.
pub(super) type Stream = (SendStream, RecvStream);

/// A connection that both ends keep.
pub(super) struct Met {
    pub(super) connection: Connection,
    pub(super) bulk: Stream,
    pub(super) control: Stream,
}

/// Connects to the other end; `None` where none of its addresses leads to it.
pub(super) async fn dial(sockets: &Sockets, own: Identity, theirs: &Description) -> Option<Met> {
    let mut config = ClientConfig::new(Arc::new(own.client(theirs.fingerprint)?));
    // The other end opens no streams.
    config.transport_config(transport(0));
    let reached =
        theirs.addresses.iter().filter_map(|address| Some((*address, sockets.to(*address)?)));
    let (mut tried, mut begins_in) = (JoinSet::new(), Duration::ZERO);
    for (address, end) in reached {
        let (endpoint, config) = (end.endpoint.clone(), config.clone());
        let after = begins_in;
        begins_in += PACE;
        tried.spawn(async move {
            sleep(after).await;
            let met = async {
                let connecting = endpoint.connect_with(config, address, NAME).ok()?;
                open(connecting.await.ok()?).await
            };
            timeout(HANDSHAKE_LIMIT, met).await.ok().flatten()
        });
    }
    let met = first(&mut tried).await?;
    keep(&met);
    Some(met)
}

/// Lets the other end connect; `None` once it cannot any more.
pub(super) async fn accept(sockets: &Sockets, own: Identity, theirs: &Description) -> Option<Met> {
    let mut config = ServerConfig::with_crypto(Arc::new(own.server(theirs.fingerprint)?));
    config.transport_config(transport(STREAMS));
    config.max_incoming(MOST_TRIED);
    sockets.listen(Some(&config));
    let (pass, mut incoming) = mpsc::channel(1);
    let mut listening = JoinSet::new();
    for end in &sockets.ends {
        let (endpoint, pass) = (end.endpoint.clone(), pass.clone());
        listening.spawn(async move {
            while let Some(incoming) = endpoint.accept().await {
                if pass.send(incoming).await.is_err() {
                    return;
                }
            }
        });
    }
    drop(pass);
    let (mut openings, mut opened) = (interval(OPENING_INTERVAL), 0);
    let mut tried = JoinSet::new();
    let met = loop {
        tokio::select! {
            next = incoming.recv() => match next {
                Some(next) if tried.len() < MOST_TRIED => {
                    tried.spawn(async { timeout(HANDSHAKE_LIMIT, accepted(next)).await.ok().flatten() });
                }
                Some(next) => next.ignore(),
                None => return None,
            },
            Some(done) = tried.join_next() => if let Ok(Some(met)) = done {
                break met;
            },
            _ = openings.tick(), if opened < MOST_OPENINGS => {
                opened += 1;
                sockets.let_in(&theirs.addresses);
            }
        }
    };
    // The others end with what was tried.
    sockets.listen(None);
    confirm(met).await
}

async fn first(tried: &mut JoinSet<Option<Met>>) -> Option<Met> {
    while let Some(done) = tried.join_next().await {
        if let Ok(Some(met)) = done {
            return Some(met);
        }
    }
    None
}

/// Opens both streams. The other end answers on them if it keeps this connection, and has let this end in.
async fn open(connection: Connection) -> Option<Met> {
    let mut bulk = connection.open_bi().await.ok()?;
    let mut control = connection.open_bi().await.ok()?;
    for (stream, name) in [(&mut bulk, BULK), (&mut control, CONTROL)] {
        stream.0.write_all(&[name]).await.ok()?;
    }
    for (stream, name) in [(&mut bulk, BULK), (&mut control, CONTROL)] {
        is_named(&mut stream.1, name).await?;
    }
    Some(Met { connection, bulk, control })
}

async fn accepted(incoming: Incoming) -> Option<Met> {
    let connection = incoming.await.ok()?;
    let (mut bulk, mut control) = (None, None);
    while bulk.is_none() || control.is_none() {
        let mut stream = connection.accept_bi().await.ok()?;
        let mut name = [0];
        stream.1.read_exact(&mut name).await.ok()?;
        match name {
            [BULK] if bulk.is_none() => bulk = Some(stream),
            [CONTROL] if control.is_none() => control = Some(stream),
            _ => return None,
        }
    }
    // No other takes the place of one that ends.
    connection.set_max_concurrent_bi_streams(0u8.into());
    Some(Met { connection, bulk: bulk?, control: control? })
}

/// Tells the other end that this connection is kept.
async fn confirm(mut met: Met) -> Option<Met> {
    keep(&met);
    for (stream, name) in [(&mut met.bulk, BULK), (&mut met.control, CONTROL)] {
        stream.0.write_all(&[name]).await.ok()?;
    }
    Some(met)
}

/// Lets as much come as a connection that is kept may hold.
fn keep(met: &Met) {
    met.connection.set_receive_window((AHEAD_BYTES + SPARE_BYTES).into());
}

async fn is_named(stream: &mut RecvStream, name: u8) -> Option<()> {
    let mut read = [0];
    stream.read_exact(&mut read).await.ok()?;
    (read == [name]).then_some(())
}

/// The settings under which a connection is fast and its memory bounded. The other end may open so many streams.
fn transport(streams: u8) -> Arc<TransportConfig> {
    let silence = u32::try_from(MOST_SILENCE.as_millis()).unwrap_or(u32::MAX);
    let mut config = TransportConfig::default();
    config
        .max_concurrent_bidi_streams(streams.into())
        .max_concurrent_uni_streams(0u8.into())
        .datagram_receive_buffer_size(None)
        .stream_receive_window(AHEAD_BYTES.into())
        .receive_window(TRIED_BYTES.into())
        .send_window(u64::from(AHEAD_BYTES + SPARE_BYTES))
        .send_fairness(false)
        .max_idle_timeout(Some(VarInt::from_u32(silence).into()))
        .keep_alive_interval(Some(SIGN_OF_LIFE))
        .initial_rtt(FIRST_ROUND_TRIP)
        // A packet in two hundred that is lost says nothing about how much the path carries.
        .congestion_controller_factory(Arc::new(BbrConfig::default()));
    Arc::new(config)
}
