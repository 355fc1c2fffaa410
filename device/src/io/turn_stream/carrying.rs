//! Carries the messages of one TURN client between a socket and a stream.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UdpSocket;
use tokio::sync::watch;
use tokio::time::timeout;

use super::framing::{Splitter, for_stream, refusal};
use crate::io::server::Stream;

/// The longest datagram that is taken from the client, in bytes: no network carries a packet of which its own is longer.
const MOST_DATAGRAM: usize = 2_048;
/// Bytes that are read from a stream at once.
const READ: usize = 16 * 1024;

/// When a stream is opened, and when it is given up.
pub(super) struct Terms {
    /// How long it is kept back, for ways that are better.
    pub(super) others_first: Duration,
    /// Whether one of them led to a relay.
    pub(super) has_relay: watch::Receiver<bool>,
    /// For a name, a connection and a handshake of TLS.
    pub(super) dial_within: Duration,
    /// For a message, until the system takes it. One that is not taken in that time has thousands before it that do not arrive.
    pub(super) write_within: Duration,
}

impl Terms {
    /// Whether one of the other ways led to a relay.
    async fn others_succeed(&self) -> bool {
        let mut has_relay = self.has_relay.clone();
        let found = timeout(self.others_first, has_relay.wait_for(|has_relay| *has_relay)).await;
        matches!(found, Ok(Ok(_)))
    }
}

/// Opens a stream whenever a client asks for a relay, and carries what it says for as long as the stream lasts. The client is told where
/// there is none, so that it waits for no answer.
pub(super) async fn run<D, F>(socket: UdpSocket, terms: Terms, dial: D)
where
    D: Fn() -> F,
    F: Future<Output = Option<Box<dyn Stream>>>,
{
    let Ok(own) = socket.local_addr() else { return };
    let mut door = Door { socket, own, gone: None };
    let mut next = None;
    loop {
        let asking = match next.take() {
            Some(asking) => asking,
            None => match door.asking().await {
                Ok(asking) => asking,
                Err(_) => return,
            },
        };
        let client = asking.client;
        next = serve(&door, asking, &terms, &dial).await;
        if next.is_some() {
            door.gone = Some(client);
        }
    }
}

/// Serves a client until its stream ends, or another takes its place, which is returned.
async fn serve<D, F>(door: &Door, mut asking: Asking, terms: &Terms, dial: &D) -> Option<Asking>
where
    D: Fn() -> F,
    F: Future<Output = Option<Box<dyn Stream>>>,
{
    let stream = {
        let dialing = async {
            if terms.others_succeed().await {
                return None;
            }
            timeout(terms.dial_within, dial()).await.ok().flatten()
        };
        let mut dialing = pin!(dialing);
        loop {
            tokio::select! {
                stream = &mut dialing => break stream,
                heard = door.next(asking.client) => match heard.ok()? {
                    // It asks again where it was not answered. One request is enough.
                    Heard::Message(again) => asking.request = again,
                    Heard::Asking(other) => return Some(other),
                },
            }
        }
    };
    let Some(stream) = stream else {
        door.refuse(&asking.request, asking.client).await;
        return None;
    };
    // A stream that breaks says all by that. The client asks for another.
    carry(door, &asking, stream, terms.write_within).await.ok()
}

/// Carries messages until another client takes the place of this one, which is returned. Fails where the stream ends or takes nothing more,
/// or where something else comes than messages.
async fn carry(
    door: &Door,
    Asking { client, request }: &Asking,
    stream: Box<dyn Stream>,
    write_within: Duration,
) -> io::Result<Asking> {
    let (mut reader, mut writer) = tokio::io::split(stream);
    let reading = async {
        let (mut splitter, mut bytes) = (Splitter::default(), vec![0; READ]);
        loop {
            let length = reader.read(&mut bytes).await?;
            if length == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            splitter.take(bytes.get(..length).unwrap_or_default());
            while let Some(message) =
                splitter.next().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?
            {
                // One that is too long for a datagram, or comes too fast, is lost, as on other ways.
                let _ = door.socket.send_to(message, client).await;
            }
        }
    };
    let writing = async {
        let mut message = request.clone();
        loop {
            // Each is written by itself: there are servers that take a record of TLS for a message.
            let written = async {
                writer.write_all(&message).await?;
                writer.flush().await
            };
            timeout(write_within, written).await??;
            message = match door.next(*client).await? {
                Heard::Message(message) => message,
                Heard::Asking(other) => return Ok(other),
            };
        }
    };
    tokio::select! {
        end = reading => end,
        end = writing => end,
    }
}

/// Somebody who asks for a relay.
struct Asking {
    client: SocketAddr,
    request: Vec<u8>,
}

enum Heard {
    /// From the client that is served.
    Message(Vec<u8>),
    /// From one that takes its place.
    Asking(Asking),
}

/// The socket that the client takes for its server.
struct Door {
    socket: UdpSocket,
    own: SocketAddr,
    /// The client whose place was taken last.
    gone: Option<SocketAddr>,
}

impl Door {
    /// Waits for somebody who asks for a relay.
    async fn asking(&self) -> io::Result<Asking> {
        loop {
            let (message, from) = self.message().await?;
            if let Some(asking) = self.heard(message, from).await {
                return Ok(asking);
            }
        }
    }

    /// The next message of the client, or the first of one that takes its place: at each restart of ICE the library has other sockets, and
    /// has closed those before (L4).
    async fn next(&self, client: SocketAddr) -> io::Result<Heard> {
        loop {
            let (message, from) = self.message().await?;
            if from == client {
                return Ok(Heard::Message(message));
            }
            if let Some(asking) = self.heard(message, from).await {
                return Ok(Heard::Asking(asking));
            }
        }
    }

    /// What nobody sent who is served. The client has one socket of the same address, and nobody else's packets come from there. Its
    /// sockets of other addresses are told that they get no relay here.
    async fn heard(&self, request: Vec<u8>, client: SocketAddr) -> Option<Asking> {
        let is_client = client.ip() == self.own.ip() && self.gone != Some(client);
        if is_client && refusal(&request).is_some() {
            return Some(Asking { client, request });
        }
        self.refuse(&request, client).await;
        None
    }

    async fn refuse(&self, message: &[u8], from: SocketAddr) {
        if let Some(refusal) = refusal(message) {
            // It asks again where the answer is lost.
            let _ = self.socket.send_to(&refusal, from).await;
        }
    }

    /// The next message of anybody, as it goes on a stream.
    async fn message(&self) -> io::Result<(Vec<u8>, SocketAddr)> {
        let mut datagram = [0; MOST_DATAGRAM];
        loop {
            match self.socket.recv_from(&mut datagram).await {
                Ok((length, from)) => {
                    if let Some(message) = datagram.get(..length).and_then(for_stream) {
                        return Ok((message, from));
                    }
                }
                // So Windows tells that an earlier datagram has not arrived.
                Err(why) if why.kind() == io::ErrorKind::ConnectionReset => {}
                Err(why) => return Err(why),
            }
        }
    }
}
