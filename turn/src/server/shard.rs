//! One shard: a task that owns a core, the relays of its clients and its share of the listeners. Nobody else touches
//! them, so nothing is locked. It never waits for a client or a peer: what cannot be sent at once is dropped.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{AbortHandle, Abortable, BoxFuture, FutureExt as _};
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::net::UdpSocket;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Sleep, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::clock;
use super::outbox::Outbox;
use super::ports::{Port, Ports};
use super::sockets;
use super::streams::StreamEvent;
use crate::core::event::{
    Family, FiveTuple, Input, NoPortLeft, Now, Output, Parity, RelayId, Transport,
};
use crate::core::state::Core;
use crate::core::terms::Terms;

/// Datagrams of one socket, or messages of streams, that are taken before the others have their turn.
const BATCH: usize = 64;
/// The longest datagram.
const LONGEST: usize = 65_536;
/// Pause after a panic.
const AFTER_PANIC: Duration = Duration::from_secs(1);

/// A socket that has something to read.
#[derive(Clone, Copy, Debug)]
enum Source {
    Listener(SocketAddr),
    Relay(RelayId),
}

struct OpenRelay {
    socket: Arc<UdpSocket>,
    watch: AbortHandle,
    _port: Port,
}

/// The ports of relays, by family.
pub type PortsByFamily = HashMap<Family, Arc<Ports>>;

pub struct Shard {
    core: Core,
    terms: Arc<Terms>,
    ports: Arc<PortsByFamily>,
    listeners: HashMap<SocketAddr, Arc<UdpSocket>>,
    relays: HashMap<RelayId, OpenRelay>,
    outboxes: HashMap<FiveTuple, Outbox>,
    readable: FuturesUnordered<BoxFuture<'static, Option<Source>>>,
    events: Receiver<StreamEvent>,
    buffer: Vec<u8>,
}

impl Shard {
    pub fn new(
        terms: Arc<Terms>,
        ports: Arc<PortsByFamily>,
        listeners: HashMap<SocketAddr, Arc<UdpSocket>>,
        events: Receiver<StreamEvent>,
    ) -> Self {
        Self {
            core: Core::new(Arc::clone(&terms)),
            terms,
            ports,
            listeners,
            relays: HashMap::new(),
            outboxes: HashMap::new(),
            readable: FuturesUnordered::new(),
            events,
            buffer: vec![0; LONGEST],
        }
    }

    /// Works until the server stops. After a panic it begins anew, since otherwise its share of the clients would get no
    /// answer any more and nobody would know why.
    pub async fn run(mut self, stop: CancellationToken) {
        while AssertUnwindSafe(self.work(&stop)).catch_unwind().await.is_err() {
            tracing::error!(
                "a part of the TURN server failed; its relays are closed, and it begins anew. Please report this with \
                 the lines before it."
            );
            self.forget();
            // A cause that stays does not fill the log.
            tokio::select! {
                () = stop.cancelled() => return,
                () = sleep(AFTER_PANIC) => {}
            }
        }
    }

    /// Closes all relays, and ends all streams. Places in the quotas are given back by what is dropped.
    fn forget(&mut self) {
        self.core = Core::new(Arc::clone(&self.terms));
        self.relays.clear();
        for (_, outbox) in self.outboxes.drain() {
            outbox.tell_allocation(false);
        }
        self.readable.clear();
        self.buffer = vec![0; LONGEST];
    }

    async fn work(&mut self, stop: &CancellationToken) {
        for (address, socket) in &self.listeners {
            let ready = readable(Arc::clone(socket), Source::Listener(*address));
            self.readable.push(Box::pin(async { Some(ready.await) }));
        }
        let mut timer = pin!(sleep_until(tokio::time::Instant::now()));
        loop {
            let deadline = self.core.deadline().map(tokio::time::Instant::from);
            if let Some(at) = deadline {
                set(timer.as_mut(), at);
            }
            tokio::select! {
                () = stop.cancelled() => return,
                Some(event) = self.events.recv() => self.streams(event),
                Some(source) = self.readable.next() => self.drain(source),
                () = &mut timer, if deadline.is_some() => self.feed(Input::Tick, clock::now()),
            }
        }
    }

    /// Reads what has arrived at a socket, and watches it again.
    fn drain(&mut self, source: Option<Source>) {
        let socket = match source {
            Some(Source::Listener(address)) => self.listeners.get(&address),
            Some(Source::Relay(id)) => self.relays.get(&id).map(|relay| &relay.socket),
            None => None,
        };
        let (Some(source), Some(socket)) = (source, socket.map(Arc::clone)) else { return };
        let now = clock::now();
        let mut buffer = std::mem::take(&mut self.buffer);
        for _ in 0..BATCH {
            match socket.try_recv_from(&mut buffer) {
                Ok((length, from)) => self.arrived((source, from), &buffer[..length], now),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => break,
                // News that an earlier datagram did not arrive.
                Err(_) => {}
            }
        }
        self.buffer = buffer;
        self.watch(source, &socket);
    }

    fn arrived(&mut self, (source, from): (Source, SocketAddr), bytes: &[u8], now: Now) {
        match source {
            Source::Relay(relay) => self.feed(Input::FromPeer(relay, from, bytes), now),
            Source::Listener(server) => {
                let transport = Transport::Udp;
                let client = FiveTuple { transport, client: from, server, connection: 0 };
                self.feed(Input::FromClient(client, bytes), now);
            }
        }
    }

    fn watch(&mut self, source: Source, socket: &Arc<UdpSocket>) {
        let ready = readable(Arc::clone(socket), source);
        match source {
            Source::Listener(_) => self.readable.push(Box::pin(async { Some(ready.await) })),
            Source::Relay(id) => {
                if let Some(relay) = self.relays.get_mut(&id) {
                    let (watch, registration) = AbortHandle::new_pair();
                    relay.watch = watch;
                    let ready = Abortable::new(ready, registration);
                    self.readable.push(Box::pin(async { ready.await.ok() }));
                }
            }
        }
    }

    /// Takes what has come from streams, a batch at most.
    fn streams(&mut self, first: StreamEvent) {
        let now = clock::now();
        self.stream(first, now);
        for _ in 1..BATCH {
            let Ok(event) = self.events.try_recv() else { return };
            self.stream(event, now);
        }
    }

    fn stream(&mut self, event: StreamEvent, now: Now) {
        match event {
            StreamEvent::Connected(client, outbox) => drop(self.outboxes.insert(client, outbox)),
            StreamEvent::Message(client, message) => {
                self.feed(Input::FromClient(client, &message), now);
                if let Some(outbox) = self.outboxes.get(&client) {
                    outbox.tell_allocation(self.core.has_allocation(client));
                }
            }
            StreamEvent::Ended(client) => {
                self.outboxes.remove(&client);
                self.feed(Input::Disconnected(client), now);
            }
        }
    }

    fn feed(&mut self, input: Input<'_>, now: Now) {
        for output in self.core.handle(input, now) {
            self.apply(output, now);
        }
    }

    fn apply(&mut self, output: Output<'_>, now: Now) {
        match output {
            Output::ToClient(client, bytes) => self.to_client(client, bytes),
            Output::ToPeer(relay, peer, data) => {
                if let Some(relay) = self.relays.get(&relay)
                    && relay.socket.try_send_to(data, peer).is_err()
                {
                    self.terms.counters.dropped_by_system.add(1);
                }
            }
            Output::OpenRelay(id, family, parity) => {
                let opened = self.open(id, family, parity).ok_or(NoPortLeft);
                self.feed(Input::RelayOpened(id, opened), now);
            }
            Output::CloseRelay(id) => {
                if let Some(relay) = self.relays.remove(&id) {
                    relay.watch.abort();
                }
            }
            Output::Disconnect(client) => {
                if let Some(outbox) = self.outboxes.remove(&client) {
                    outbox.tell_allocation(false);
                }
            }
        }
    }

    fn to_client(&self, client: FiveTuple, bytes: Vec<u8>) {
        let counters = &self.terms.counters;
        if client.is_stream() {
            if self.outboxes.get(&client).is_some_and(|outbox| !outbox.put(bytes)) {
                counters.dropped_by_slow_client.add(1);
            }
        } else if let Some(listener) = self.listeners.get(&client.server)
            && listener.try_send_to(&bytes, client.client).is_err()
        {
            counters.dropped_by_system.add(1);
        }
    }

    fn open(&mut self, id: RelayId, family: Family, parity: Parity) -> Option<SocketAddr> {
        let host = self.terms.relay_host(family)?;
        let (socket, port) = sockets::relay(host, self.ports.get(&family)?, parity)?;
        let address = socket.local_addr().ok()?;
        let (watch, _) = AbortHandle::new_pair();
        self.relays.insert(id, OpenRelay { socket: Arc::clone(&socket), watch, _port: port });
        self.watch(Source::Relay(id), &socket);
        Some(address)
    }
}

async fn readable(socket: Arc<UdpSocket>, source: Source) -> Source {
    // An error is found by reading.
    let _ = socket.readable().await;
    source
}

/// A timer is only set anew when its time is another one.
fn set(timer: Pin<&mut Sleep>, at: tokio::time::Instant) {
    if timer.deadline() != at {
        timer.reset(at);
    }
}

#[cfg(test)]
mod tests {
    use std::future::{Future as _, poll_fn};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::mpsc;
    use tokio::task::yield_now;
    use tokio::time::advance;

    use super::*;
    use crate::Config;
    use crate::client::Client;

    #[tokio::test(start_paused = true)]
    async fn without_allocations_it_rests_however_long_it_runs() {
        let terms = Arc::new(Terms::new(&Config::new("heliograph", b"secret"), [0; 64]));
        let (_events, receiver) = mpsc::channel(1);
        let shard = Shard::new(terms, Arc::default(), HashMap::new(), receiver);
        let mut running = Box::pin(shard.run(CancellationToken::new()));
        let turns = Arc::new(AtomicUsize::new(0));
        let counted = turns.clone();
        let task = tokio::spawn(poll_fn(move |context| {
            counted.fetch_add(1, Ordering::Relaxed);
            running.as_mut().poll(context)
        }));
        for _ in 0..3 {
            advance(Duration::from_hours(25)).await;
            for _ in 0..100 {
                yield_now().await;
            }
        }
        assert!(turns.load(Ordering::Relaxed) < 10, "{turns:?}");
        task.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_panic_it_answers_again() {
        let terms = Arc::new(Terms::new(&Config::new("heliograph", b"secret"), [0; 64]));
        let listener = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let address = listener.local_addr().unwrap();
        let (_events, receiver) = mpsc::channel(1);
        let listeners = HashMap::from([(address, listener)]);
        let shard = Shard::new(terms, Arc::default(), listeners, receiver);
        shard.readable.push(Box::pin(async { panic!("as a fault would") }));
        let stop = CancellationToken::new();
        let running = tokio::spawn(shard.run(stop.clone()));

        let mut client = Client::datagrams(address).await.unwrap();
        assert!(client.mapped().await.is_ok());
        stop.cancel();
        running.await.unwrap();
    }
}
