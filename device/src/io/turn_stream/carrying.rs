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

/// How long a stream is kept back, for ways that are better.
pub(super) struct OthersFirst {
    pub(super) time: Duration,
    pub(super) has_relay: watch::Receiver<bool>,
}

impl OthersFirst {
    /// Whether one of them led to a relay.
    async fn succeed(&self) -> bool {
        let mut has_relay = self.has_relay.clone();
        let found = timeout(self.time, has_relay.wait_for(|has_relay| *has_relay)).await;
        matches!(found, Ok(Ok(_)))
    }
}

/// Opens a stream whenever a client asks for a relay, and carries what it says for as long as the stream lasts. The client is told where
/// there is none, so that it waits for no answer.
pub(super) async fn run<D, F>(socket: UdpSocket, others_first: OthersFirst, dial: D)
where
    D: Fn() -> F,
    F: Future<Output = Option<Box<dyn Stream>>>,
{
    let Ok(own) = socket.local_addr() else { return };
    let door = Door { socket, own };
    while let Ok((client, request)) = door.client().await {
        let mut request = request;
        let stream = {
            let dialing = async { if others_first.succeed().await { None } else { dial().await } };
            let mut dialing = pin!(dialing);
            loop {
                tokio::select! {
                    stream = &mut dialing => break stream,
                    // It asks again where it was not answered. One request is enough.
                    again = door.next(client) => match again {
                        Ok(again) => request = again,
                        Err(_) => return,
                    },
                }
            }
        };
        match stream {
            // A stream that breaks says all by that. The client asks for another.
            Some(stream) => {
                let _ = carry(&door, client, &request, stream).await;
            }
            None => door.refuse(&request, client).await,
        }
    }
}

/// Carries messages until the stream ends, or something else comes than messages.
async fn carry(
    door: &Door,
    client: SocketAddr,
    request: &[u8],
    stream: Box<dyn Stream>,
) -> io::Result<()> {
    let (mut reader, mut writer) = tokio::io::split(stream);
    let reading = async {
        let (mut splitter, mut bytes) = (Splitter::default(), vec![0; READ]);
        loop {
            let length = reader.read(&mut bytes).await?;
            if length == 0 {
                return Ok(());
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
        let mut message = request.to_vec();
        loop {
            // Each is written by itself: there are servers that take a record of TLS for a message.
            writer.write_all(&message).await?;
            writer.flush().await?;
            message = door.next(client).await?;
        }
    };
    tokio::select! {
        end = reading => end,
        end = writing => end,
    }
}

/// The socket that the client takes for its server.
struct Door {
    socket: UdpSocket,
    own: SocketAddr,
}

impl Door {
    /// Waits for somebody who asks for a relay.
    async fn client(&self) -> io::Result<(SocketAddr, Vec<u8>)> {
        loop {
            let (message, from) = self.message().await?;
            // The client has a socket of the same address. Nobody else's packets come from there.
            if refusal(&message).is_some() && from.ip() == self.own.ip() {
                return Ok((from, message));
            }
            self.refuse(&message, from).await;
        }
    }

    /// The next message of the client. Sockets of other addresses of the same connection are told that they get no relay here.
    async fn next(&self, client: SocketAddr) -> io::Result<Vec<u8>> {
        loop {
            let (message, from) = self.message().await?;
            if from == client {
                return Ok(message);
            }
            self.refuse(&message, from).await;
        }
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
