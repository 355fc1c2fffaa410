//! Drives one [`BeamState`]: a bounded mailbox in, outboxes out, one timer. Only this task touches the state.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use heliograph_shared::ids::DeviceId;
use heliograph_shared::socket::ServerMessage;
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::ConnectionId;
use super::state::{BeamState, Input, Newcomer, Output, Saying, Terms};
use crate::clock::Clock;
use crate::outbox::Outbox;
use crate::relay::Relay;
use crate::websocket::Message;

/// Commands that may wait; a socket whose command finds no room reads more slowly.
const MAILBOX: usize = 256;
/// Commands that are taken at once.
const BATCH: usize = 64;

#[derive(Debug)]
enum Command {
    Join(Newcomer, Arc<Outbox>, oneshot::Sender<()>),
    Said(ConnectionId, Saying),
    Gone(ConnectionId),
}

/// The beam is over.
#[derive(Debug, PartialEq, Eq)]
pub struct Finished;

/// The way to talk to a live beam. Cheap to clone; the beam ends on its own.
#[derive(Clone, Debug)]
pub struct BeamHandle {
    mailbox: mpsc::Sender<Command>,
    relay: Arc<Relay>,
}

impl BeamHandle {
    /// The handle, and the beam itself, to be spawned by whoever keeps the handle. `record` is called once, when the
    /// beam first holds something; it must not wait.
    pub fn new(
        terms: Terms,
        clock: Clock,
        record: impl FnOnce() + Send + 'static,
    ) -> (Self, impl Future<Output = ()> + Send) {
        let (sender, mailbox) = mpsc::channel(MAILBOX);
        let relay = Arc::new(Relay::default());
        let actor = Actor {
            state: BeamState::new(terms, clock.now()),
            clock,
            outboxes: HashMap::new(),
            relay: relay.clone(),
            record: Some(record),
        };
        (Self { mailbox: sender, relay }, actor.run(mailbox))
    }

    /// Asks to be let in, and waits until the beam has read it. A refusal closes the outbox.
    ///
    /// # Errors
    /// [`Finished`] when the beam ended before it read this.
    pub async fn join(&self, newcomer: Newcomer, outbox: Arc<Outbox>) -> Result<(), Finished> {
        let (read, was_read) = oneshot::channel();
        let command = Command::Join(newcomer, outbox, read);
        self.mailbox.send(command).await.map_err(|_| Finished)?;
        was_read.await.map_err(|_| Finished)
    }

    /// Passes on what a device says. A beam that is over has closed the socket already.
    pub async fn said(&self, connection: ConnectionId, saying: Saying) {
        let _ = self.mailbox.send(Command::Said(connection, saying)).await;
    }

    /// The socket is gone.
    pub async fn gone(&self, connection: ConnectionId) {
        let _ = self.mailbox.send(Command::Gone(connection)).await;
    }

    /// The way for frames, past the mailbox.
    #[must_use]
    pub fn relay(&self) -> &Relay {
        &self.relay
    }

    /// Whether both talk to the same live beam.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.mailbox.same_channel(&other.mailbox)
    }
}

struct Actor<R> {
    state: BeamState,
    clock: Clock,
    outboxes: HashMap<ConnectionId, (DeviceId, Arc<Outbox>)>,
    relay: Arc<Relay>,
    record: Option<R>,
}

impl<R: FnOnce()> Actor<R> {
    async fn run(mut self, mut mailbox: mpsc::Receiver<Command>) {
        let mut commands = Vec::new();
        loop {
            let until = self.state.deadline().saturating_sub(self.clock.now());
            let due = Duration::from_millis(u64::try_from(until).unwrap_or_default());
            tokio::select! {
                biased;
                count = mailbox.recv_many(&mut commands, BATCH) => if count == 0 { return },
                () = tokio::time::sleep(due) => {}
            }
            // Time goes first: a beam whose time has come takes nothing more.
            let inputs = std::iter::once(None).chain(commands.drain(..).map(Some));
            for command in inputs {
                let input = command.map_or(Input::Tick, |command| self.open(command));
                if self.apply(input) == Life::Over {
                    return;
                }
            }
        }
    }

    fn open(&mut self, command: Command) -> Input {
        match command {
            Command::Join(newcomer, outbox, read) => {
                let device = newcomer.device.device_id;
                self.outboxes.insert(newcomer.connection, (device, outbox));
                let _ = read.send(());
                Input::Join(newcomer)
            }
            Command::Said(connection, saying) => Input::Said(connection, saying),
            Command::Gone(connection) => {
                self.forget(connection);
                Input::Gone(connection)
            }
        }
    }

    fn apply(&mut self, input: Input) -> Life {
        for output in self.state.handle(input, self.clock.now()) {
            match output {
                Output::Admit(connection) => self.admit(connection),
                Output::Send(to, message) => self.send(&to, &message),
                Output::Close(connection, code) => {
                    if let Some((_, outbox)) = self.forget(connection) {
                        outbox.close(code);
                    }
                }
                Output::Record => {
                    if let Some(record) = self.record.take() {
                        record();
                    }
                }
                Output::Finish => return Life::Over,
            }
        }
        Life::GoesOn
    }

    fn admit(&self, connection: ConnectionId) {
        if let Some((device, outbox)) = self.outboxes.get(&connection) {
            self.relay.add(*device, connection, outbox.clone());
        }
    }

    fn forget(&mut self, connection: ConnectionId) -> Option<(DeviceId, Arc<Outbox>)> {
        let (device, outbox) = self.outboxes.remove(&connection)?;
        self.relay.remove(device, connection);
        Some((device, outbox))
    }

    /// Written once as text, shared by every device that gets it.
    fn send(&self, to: &[ConnectionId], message: &ServerMessage) {
        match serde_json::to_string(message) {
            Ok(text) => {
                let text = Utf8Bytes::from(text);
                for connection in to {
                    if let Some((_, outbox)) = self.outboxes.get(connection) {
                        outbox.push(Message::Text(text.clone()));
                    }
                }
            }
            Err(error) => tracing::error!(%error, "a message could not be written"),
        }
    }
}

#[derive(PartialEq, Eq)]
enum Life {
    GoesOn,
    Over,
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use heliograph_shared::close::CloseCode;
    use heliograph_shared::ids::ItemId;
    use heliograph_shared::limits::{LINGER, OUTBOX_MESSAGES};
    use heliograph_shared::socket::Device;
    use serde_json::value::RawValue;

    use super::*;

    const DAY: i64 = 24 * 60 * 60 * 1000;

    fn beam() -> (BeamHandle, Arc<AtomicUsize>, tokio::task::JoinHandle<()>) {
        let clock = Clock::running(0);
        let terms = Terms { epoch: "e".to_owned(), expires_at: DAY, recorded: false };
        let recorded = Arc::new(AtomicUsize::new(0));
        let count = recorded.clone();
        let record = move || {
            count.fetch_add(1, Ordering::Relaxed);
        };
        let (handle, running) = BeamHandle::new(terms, clock, record);
        (handle, recorded, tokio::spawn(running))
    }

    async fn join(beam: &BeamHandle, number: u8) -> Arc<Outbox> {
        let outbox = Arc::<Outbox>::default();
        let device_id = DeviceId::from_bytes([number; 16]);
        let device =
            Device { device_id, name: String::new(), caps: Vec::new(), user: Default::default() };
        let connection = ConnectionId(number.into());
        let newcomer = Newcomer { connection, device, plain: false, creator: false };
        beam.join(newcomer, outbox.clone()).await.unwrap();
        outbox
    }

    async fn share(beam: &BeamHandle, number: u8, item: usize) {
        let mut id = [0; 16];
        id[8..].copy_from_slice(&item.to_be_bytes());
        let message = RawValue::from_string(item.to_string()).unwrap();
        let id = ItemId::from_random(id);
        let saying = Saying::Share { message, extra: String::new(), id };
        beam.said(ConnectionId(number.into()), saying).await;
    }

    /// Reads until an item comes, and says which.
    async fn next_items(outbox: &Outbox) -> Vec<String> {
        let batch = outbox.take().await;
        outbox.written(&batch);
        let texts = batch.messages.iter().filter_map(|message| match message {
            Message::Text(text) => Some(text.to_string()),
            _ => None,
        });
        texts.filter(|text| text.contains("rec_clipboard")).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn s16_who_never_reads_is_closed_and_the_others_get_everything() {
        let (beam, recorded, _running) = beam();
        let (ada, bob) = (join(&beam, 1).await, join(&beam, 2).await);
        let reader = tokio::spawn(async move {
            let mut seen = 0;
            while seen < 2 * OUTBOX_MESSAGES {
                seen += next_items(&ada).await.len();
            }
        });

        for item in 0..2 * OUTBOX_MESSAGES {
            share(&beam, 1, item).await;
            tokio::task::yield_now().await;
        }

        reader.await.unwrap();
        assert_eq!(bob.closing().await, CloseCode::TooSlow);
        assert_eq!(recorded.load(Ordering::Relaxed), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn s7_everybody_sees_one_order_and_one_text() {
        let (beam, _recorded, _running) = beam();
        let (ada, bob) = (join(&beam, 1).await, join(&beam, 2).await);
        for item in 0..50 {
            share(&beam, 1 + u8::from(item % 3 == 0), item).await;
        }
        let (mut at_ada, mut at_bob) = (Vec::new(), Vec::new());
        while at_ada.len() < 50 || at_bob.len() < 50 {
            if at_ada.len() < 50 {
                at_ada.extend(next_items(&ada).await);
            } else {
                at_bob.extend(next_items(&bob).await);
            }
        }
        assert_eq!(at_ada, at_bob);
    }

    #[tokio::test(start_paused = true)]
    async fn s17_a_lonely_beam_ends_by_itself() {
        let (beam, _recorded, running) = beam();
        let _outbox = join(&beam, 1).await;
        let start = tokio::time::Instant::now();
        beam.gone(ConnectionId(1)).await;

        running.await.unwrap();

        assert_eq!(start.elapsed().as_secs(), LINGER.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn s18_the_end_closes_everybody_and_the_next_join_fails() {
        let (beam, _recorded, running) = beam();
        let outbox = join(&beam, 1).await;

        assert_eq!(outbox.closing().await, CloseCode::Ended);

        running.await.unwrap();
        let device_id = DeviceId::from_bytes([2; 16]);
        let device =
            Device { device_id, name: String::new(), caps: Vec::new(), user: Default::default() };
        let late = Newcomer { connection: ConnectionId(2), device, plain: false, creator: false };
        assert_eq!(beam.join(late, Arc::default()).await, Err(Finished));
    }
}
