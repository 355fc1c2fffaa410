//! Drives one [`BeamState`]: a bounded mailbox in, outboxes out, one timer. Only this task touches the state.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use heliograph_shared::ids::DeviceId;
use heliograph_shared::socket::ServerMessage;
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use super::ConnectionId;
use super::state::{BeamState, Input, Newcomer, Output, Saying, Terms};
use crate::clock::Clock;
use crate::outbox::Outbox;
use crate::relay::Relay;

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
