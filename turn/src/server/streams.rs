//! Clients on streams: accepted, admitted, decrypted, and then one task each that passes messages on.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, BufWriter};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::admission::Admission;
use super::framing;
use super::outbox::{Outbox, Pool, Waiting, outbox};
use crate::core::event::{FiveTuple, Transport};
use crate::core::terms::Terms;

/// How long an encrypted stream may take to begin.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// The pause after a failed accept: the process has no descriptor left, and asking again at once would not help.
const NO_DESCRIPTOR: Duration = Duration::from_millis(100);
/// How long a client may be without an allocation.
const UNPROVEN: Duration = Duration::from_mins(1);
/// How long a client may leave what is written unread.
const WRITING: Duration = Duration::from_secs(30);
/// Bytes that are read from a stream at once.
const READ: usize = 16 * 1024;
/// Bytes that are written to a stream at once.
const WRITE: usize = 16 * 1024;

/// What happens on a stream.
#[derive(Debug)]
pub enum StreamEvent {
    Connected(FiveTuple, Outbox),
    Message(FiveTuple, Vec<u8>),
    Ended(FiveTuple),
}

/// Where streams go to, and under which conditions.
#[derive(Clone, Debug)]
pub struct Streams {
    pub shards: Vec<Sender<StreamEvent>>,
    pub admission: Arc<Admission>,
    pub waiting: Pool,
    pub terms: Arc<Terms>,
    pub numbers: Arc<AtomicU64>,
    pub stop: CancellationToken,
    pub tasks: TaskTracker,
}

impl Streams {
    /// Takes the clients of one listener until the server stops.
    pub async fn accept(self, listener: TcpListener, acceptor: Option<TlsAcceptor>) {
        loop {
            let accepted = tokio::select! {
                () = self.stop.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, client)) => self.admit(stream, client, acceptor.clone()),
                Err(_) => sleep(NO_DESCRIPTOR).await,
            }
        }
    }

    fn admit(&self, stream: TcpStream, client: SocketAddr, acceptor: Option<TlsAcceptor>) {
        let Some(place) = self.admission.admit(client.ip()) else {
            self.terms.counters.connections_refused.add(1);
            return;
        };
        let streams = self.clone();
        self.tasks.spawn(async move {
            let stop = streams.stop.clone();
            // A stream that breaks is no event for anybody but its client.
            let _: Option<io::Result<()>> =
                stop.run_until_cancelled(streams.begin(stream, client, acceptor)).await;
            drop(place);
        });
    }

    async fn begin(
        self,
        stream: TcpStream,
        client: SocketAddr,
        acceptor: Option<TlsAcceptor>,
    ) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let connection = self.numbers.fetch_add(1, Ordering::Relaxed);
        let transport = if acceptor.is_some() { Transport::Tls } else { Transport::Tcp };
        let client = FiveTuple { transport, client, server: stream.local_addr()?, connection };
        match acceptor {
            None => self.serve(stream, client).await,
            Some(acceptor) => {
                let stream = timeout(HANDSHAKE, acceptor.accept(stream)).await??;
                self.serve(stream, client).await
            }
        }
    }

    async fn serve<S: AsyncRead + AsyncWrite>(
        self,
        stream: S,
        client: FiveTuple,
    ) -> io::Result<()> {
        let turn = usize::try_from(client.connection).unwrap_or(0) % self.shards.len().max(1);
        let Some(shard) = self.shards.get(turn) else { return Ok(()) };
        let (outbox, waiting) = outbox(self.waiting);
        let standing = waiting.standing();
        let (reader, writer) = tokio::io::split(stream);
        tell(shard, StreamEvent::Connected(client, outbox)).await?;
        let reading = async {
            let mut reader = BufReader::with_capacity(READ, reader);
            let began = Instant::now();
            while let Some(message) = framing::next(&mut reader, &standing).await? {
                if began.elapsed() > UNPROVEN && !standing.has_allocation() {
                    break;
                }
                // A shard that is busy makes the stream wait, and with it the client.
                tell(shard, StreamEvent::Message(client, message)).await?;
            }
            Ok(())
        };
        let sending = async {
            // Messages share packets, but not records of TLS: coturn's client takes a record for a message.
            match client.transport {
                Transport::Tls => write(writer, waiting).await,
                _ => write(BufWriter::with_capacity(WRITE, writer), waiting).await,
            }
        };
        let result = tokio::select! {
            result = reading => result,
            result = sending => result,
        };
        tell(shard, StreamEvent::Ended(client)).await?;
        result
    }
}

async fn tell(shard: &Sender<StreamEvent>, event: StreamEvent) -> io::Result<()> {
    shard.send(event).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
}

/// Writes what waits, for as long as the client reads, until the shard closes the outbox.
async fn write(mut stream: impl AsyncWrite + Unpin, mut waiting: Waiting) -> io::Result<()> {
    loop {
        let messages = waiting.next().await;
        if messages.is_empty() {
            // It writes too: what is buffered, and the goodbye of TLS.
            return timeout(WRITING, stream.shutdown()).await?;
        }
        for message in messages.drain(..) {
            timeout(WRITING, stream.write_all(&message)).await??;
        }
        timeout(WRITING, stream.flush()).await??;
    }
}
