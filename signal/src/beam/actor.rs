//! Drives one [`BeamState`]: a bounded mailbox in, outboxes out, one timer, one write at a time. Only this task touches
//! the state.

use std::collections::HashMap;
use std::future::pending;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::DeviceId;
use heliograph_shared::socket::ServerMessage;
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::ConnectionId;
use super::change::Unwritten;
use super::keeper::Keeper;
use super::state::{BeamState, Input, Newcomer, Output, Saying};
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
    Refresh(oneshot::Sender<()>),
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
    /// The handle, and the beam itself, to be spawned by whoever keeps the handle.
    pub fn new(keeper: Keeper, clock: Clock) -> (Self, impl Future<Output = ()> + Send) {
        let (sender, mailbox) = mpsc::channel(MAILBOX);
        let relay = Arc::new(Relay::default());
        let running = wake(keeper, clock, relay.clone(), mailbox);
        (Self { mailbox: sender, relay }, running)
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

    /// Who may do what has changed in the tables; comes back when it is in effect here (H31).
    pub async fn refresh(&self) {
        let (done, was_done) = oneshot::channel();
        if self.mailbox.send(Command::Refresh(done)).await.is_ok() {
            // A beam that ends instead has nobody left for whom anything could be in effect.
            let _ = was_done.await;
        }
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

/// Loads the beam, then runs it. Whoever comes meanwhile waits in the mailbox: news of a change that the loading missed
/// waits there too, and no change is missed by both.
async fn wake(
    keeper: Keeper,
    clock: Clock,
    relay: Arc<Relay>,
    mut mailbox: mpsc::Receiver<Command>,
) {
    match keeper.load().await {
        Ok(terms) => {
            let state = BeamState::new(terms, clock.now());
            let outboxes = HashMap::new();
            let actor = Actor { state, clock, outboxes, relay, keeper, writing: None };
            actor.run(mailbox).await;
        }
        Err(error) => {
            tracing::error!(%error, "a beam could not be loaded");
            mailbox.close();
            while let Some(command) = mailbox.recv().await {
                if let Command::Join(_, outbox, read) = command {
                    outbox.close(CloseCode::Overload);
                    let _ = read.send(());
                }
            }
        }
    }
}

type Writing = Pin<Box<dyn Future<Output = Result<(), Unwritten>> + Send>>;

struct Actor {
    state: BeamState,
    clock: Clock,
    outboxes: HashMap<ConnectionId, (DeviceId, Arc<Outbox>)>,
    relay: Arc<Relay>,
    keeper: Keeper,
    writing: Option<Writing>,
}

impl Actor {
    async fn run(mut self, mut mailbox: mpsc::Receiver<Command>) {
        let mut commands = Vec::new();
        loop {
            let deadline = Some(self.state.deadline()).filter(|deadline| *deadline < i64::MAX);
            let due = deadline.map(|deadline| {
                let until = deadline.saturating_sub(self.clock.now());
                Duration::from_millis(u64::try_from(until).unwrap_or_default())
            });
            let written = async {
                match &mut self.writing {
                    Some(writing) => writing.await,
                    None => pending().await,
                }
            };
            let written = tokio::select! {
                biased;
                result = written => Some(result),
                count = mailbox.recv_many(&mut commands, BATCH) => {
                    if count == 0 { return }
                    None
                }
                () = sleep(due) => None,
            };
            if let Some(result) = written {
                self.writing = None;
                if self.apply(Input::Written(result)) == Life::Over {
                    return;
                }
            }
            // Time goes first: a beam whose time has come takes nothing more.
            if self.apply(Input::Tick) == Life::Over {
                return;
            }
            for command in commands.drain(..) {
                if self.obey(command).await == Life::Over {
                    return;
                }
            }
        }
    }

    async fn obey(&mut self, command: Command) -> Life {
        match command {
            Command::Join(newcomer, outbox, read) => {
                let device = newcomer.device.device_id;
                self.outboxes.insert(newcomer.connection, (device, outbox));
                let _ = read.send(());
                self.apply(Input::Join(newcomer))
            }
            Command::Said(connection, saying) => self.apply(Input::Said(connection, saying)),
            Command::Gone(connection) => {
                self.forget(connection);
                self.apply(Input::Gone(connection))
            }
            Command::Refresh(done) => {
                let life = self.refresh().await;
                let _ = done.send(());
                life
            }
        }
    }

    /// Puts into effect who may do what. What was being stored when that changed is stored before this is over: afterwards
    /// nothing more comes from those who may no longer.
    async fn refresh(&mut self) -> Life {
        let life = match self.keeper.access().await {
            Ok(access) => self.apply(Input::AccessChanged(access)),
            Err(error) => {
                tracing::error!(%error, "who may do what could not be read");
                self.shed()
            }
        };
        match self.writing.take() {
            Some(writing) if life == Life::GoesOn => {
                let result = writing.await;
                self.apply(Input::Written(result))
            }
            _ => life,
        }
    }

    /// Nobody can say any more who may stay: all come back and are looked at anew.
    fn shed(&mut self) -> Life {
        for (_, (_, outbox)) in self.outboxes.drain() {
            outbox.close(CloseCode::Overload);
        }
        Life::Over
    }

    fn apply(&mut self, input: Input) -> Life {
        for output in self.state.handle(input, self.clock.now()) {
            match output {
                Output::Admit(connection) => self.admit(connection),
                Output::AllowChunks(connection, allowed) => {
                    if let Some((device, _)) = self.outboxes.get(&connection) {
                        self.relay.allow_chunks(*device, allowed);
                    }
                }
                Output::Send(to, message) => self.send(&to, &message),
                Output::Close(connection, code) => {
                    if let Some((_, outbox)) = self.forget(connection) {
                        outbox.close(code);
                    }
                }
                Output::Record(expires_at) => {
                    tokio::spawn(self.keeper.clone().record(expires_at));
                }
                Output::Write(write) => {
                    self.writing = Some(Box::pin(self.keeper.clone().write(write)));
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

/// Sleeps; a saved beam that somebody is in has no end to wait for.
async fn sleep(due: Option<Duration>) {
    match due {
        Some(due) => tokio::time::sleep(due).await,
        None => pending().await,
    }
}

#[derive(PartialEq, Eq)]
enum Life {
    GoesOn,
    Over,
}

#[cfg(test)]
mod tests {
    use heliograph_shared::ids::{BeamId, ItemId};
    use heliograph_shared::limits::{LINGER, OUTBOX_MESSAGES};
    use heliograph_shared::socket::{Device, DeviceUser};
    use serde_json::value::RawValue;

    use super::*;
    use crate::beam::change::Change;

    fn beam() -> (BeamHandle, tokio::task::JoinHandle<()>) {
        let clock = Clock::running(0);
        let beam = BeamId::from_random([7; 16]);
        let keeper = Keeper { beam, epoch: "e".to_owned(), clock, storage: None };
        let (handle, running) = BeamHandle::new(keeper, clock);
        (handle, tokio::spawn(running))
    }

    fn newcomer(number: u8) -> Newcomer {
        let device_id = DeviceId::from_bytes([number; 16]);
        let user = DeviceUser::default();
        let device = Device { device_id, name: String::new(), caps: Vec::new(), user };
        let connection = ConnectionId(number.into());
        Newcomer { connection, device, plain: false, creator: false, account: None }
    }

    async fn join(beam: &BeamHandle, number: u8) -> Arc<Outbox> {
        let outbox = Arc::<Outbox>::default();
        beam.join(newcomer(number), outbox.clone()).await.unwrap();
        outbox
    }

    async fn share(beam: &BeamHandle, number: u8, item: usize) {
        let mut id = [0; 16];
        id[8..].copy_from_slice(&item.to_be_bytes());
        let message = RawValue::from_string(item.to_string()).unwrap();
        let id = ItemId::from_random(id);
        let saying = Saying::Change(Change::Share { message, extra: String::new(), id });
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
        let (beam, _running) = beam();
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
    }

    #[tokio::test(start_paused = true)]
    async fn s7_everybody_sees_one_order_and_one_text() {
        let (beam, _running) = beam();
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
        let (beam, running) = beam();
        let _outbox = join(&beam, 1).await;
        let start = tokio::time::Instant::now();
        beam.gone(ConnectionId(1)).await;

        running.await.unwrap();

        assert_eq!(start.elapsed().as_secs(), LINGER.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn s18_the_end_closes_everybody_and_the_next_join_fails() {
        let (beam, running) = beam();
        let outbox = join(&beam, 1).await;

        assert_eq!(outbox.closing().await, CloseCode::Ended);

        running.await.unwrap();
        assert_eq!(beam.join(newcomer(2), Arc::default()).await, Err(Finished));
    }
}
