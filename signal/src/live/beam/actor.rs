//! The task that drives one [`BeamState`]: a bounded mailbox in, outboxes out, one timer, one write at a time. Only
//! this task touches the state.

use std::collections::HashMap;
use std::future::pending;
use std::ops::ControlFlow::{self, Break, Continue};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::DeviceId;
use heliograph_shared::limits::LINGER;
use heliograph_shared::socket::ServerMessage;
use heliograph_shared::time::Millis;
use heliograph_storage::Error;
use heliograph_storage::saved_beams::Access;
use tokio::join;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::ConnectionId;
use super::behind::WRITE_BEHIND;
use super::handle::Command;
use super::keeper::{Keeper, Unknown};
use super::state::{BeamState, Input, Output};
use super::write::Written;
use crate::clock::Clock;
use crate::live::outbox::Outbox;
use crate::live::relay::Relay;
use crate::live::websocket::{Message, Utf8Bytes};

/// Most commands to take from the mailbox at once.
const BATCH: usize = 64;

/// Loads the beam and runs it until it ends. Commands that arrive while it loads wait in the mailbox. A change of
/// access that the load misses waits there too, so it is not lost.
pub(super) async fn run(
    keeper: Keeper,
    clock: Clock,
    relay: Arc<Relay>,
    mut mailbox: mpsc::Receiver<Command>,
) {
    let mut commands = Vec::new();
    let end = match keeper.load().await {
        Ok(terms) => {
            let mut actor = Actor::new(BeamState::new(terms), clock, relay, keeper);
            actor.run(&mut mailbox, &mut commands).await
        }
        Err(error) => {
            tracing::error!(%error, "a beam could not be loaded");
            End::TurnAway(CloseCode::Overload)
        }
    };
    if let End::TurnAway(code) = end {
        turn_away(mailbox, commands, code).await;
    }
}

/// Answers the joins that are still in the mailbox. Otherwise each would wake the ended beam, to end it again (S2).
async fn turn_away(
    mut mailbox: mpsc::Receiver<Command>,
    mut commands: Vec<Command>,
    code: CloseCode,
) {
    mailbox.close();
    while let Some(command) = mailbox.recv().await {
        commands.push(command);
    }
    for command in commands {
        if let Command::Join(_, outbox, read) = command {
            outbox.close(code);
            let _ = read.send(());
        }
    }
}

/// How a beam's task ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Nobody is in the beam. The next join wakes it.
    Asleep,
    /// Close those who still want to join with this code.
    TurnAway(CloseCode),
}

type Writing = Pin<Box<dyn Future<Output = Result<Written, Unknown>> + Send>>;

struct Actor {
    state: BeamState,
    clock: Clock,
    outboxes: HashMap<ConnectionId, (DeviceId, Arc<Outbox>)>,
    relay: Arc<Relay>,
    keeper: Keeper,
    writing: Option<Writing>,
    /// The end of the time for which an empty beam lingers, by the steady clock.
    lingers_until: Option<Instant>,
    /// When what is not stored yet is stored, by the same clock.
    stores_at: Option<Instant>,
}

impl Actor {
    fn new(state: BeamState, clock: Clock, relay: Arc<Relay>, keeper: Keeper) -> Self {
        let lingers_until = Some(clock.steady() + LINGER);
        let outboxes = HashMap::new();
        Self {
            state,
            clock,
            outboxes,
            relay,
            keeper,
            writing: None,
            lingers_until,
            stores_at: None,
        }
    }

    /// Runs until the beam ends. Commands that were taken but not handled stay in `commands`.
    async fn run(
        &mut self,
        mailbox: &mut mpsc::Receiver<Command>,
        commands: &mut Vec<Command>,
    ) -> End {
        loop {
            let sleeping = sleep(self.until_deadline());
            let written = async {
                match &mut self.writing {
                    Some(writing) => writing.await,
                    None => pending().await,
                }
            };
            let written = tokio::select! {
                biased;
                result = written => Some(result),
                count = mailbox.recv_many(commands, BATCH) => {
                    if count == 0 { return End::Asleep }
                    None
                }
                () = sleeping => None,
            };
            if let Break(end) = self.step(written, commands).await {
                return end;
            }
        }
    }

    /// Handles first an ended write, then the time, then the commands, so that a beam whose time has come accepts
    /// nothing more.
    async fn step(
        &mut self,
        written: Option<Result<Written, Unknown>>,
        commands: &mut Vec<Command>,
    ) -> ControlFlow<End> {
        if let Some(result) = written {
            self.writing = None;
            self.finish_write(result)?;
        }
        self.tell_the_time()?;
        commands.reverse();
        while let Some(command) = commands.pop() {
            if let Break(end) = self.obey(command).await {
                commands.reverse();
                return Break(end);
            }
        }
        Continue(())
    }

    /// Tells the state how late it is: by the wall clock, and by the steady one if the beam lingers.
    fn tell_the_time(&mut self) -> ControlFlow<End> {
        let now = self.clock.steady();
        if self.lingers_until.take_if(|until| *until <= now).is_some() {
            self.apply(Input::Lingered)?;
        }
        if self.stores_at.take_if(|at| *at <= now).is_some() {
            self.apply(Input::StoreNow)?;
        }
        self.apply(Input::Tick)
    }

    async fn obey(&mut self, command: Command) -> ControlFlow<End> {
        match command {
            Command::Join(newcomer, outbox, read) => {
                let device = newcomer.device.device_id;
                self.outboxes.insert(newcomer.connection, (device, outbox));
                let _ = read.send(());
                self.apply(Input::Join(newcomer))
            }
            Command::Said(connection, saying, _room) => self.apply(Input::Said(connection, saying)),
            Command::Gone(connection) => {
                self.forget(connection);
                self.apply(Input::Gone(connection))
            }
            Command::Refresh(done) => {
                let outcome = self.refresh().await;
                let _ = done.send(());
                outcome
            }
            Command::KeysChanged => self.apply(Input::KeysChanged),
            Command::Store(done) => {
                let outcome = self.store().await;
                let _ = done.send(());
                outcome
            }
            Command::UserChanged(account, user) => self.apply(Input::UserChanged(account, user)),
        }
    }

    /// Applies the stored access: levels, name, existence. Waits for the write under way, so that afterwards nothing
    /// from a device that lost its level is stored. That write goes on meanwhile, because it may hold the connection for
    /// which the reading waits. It may be older than what was read, so the access is read again after it.
    async fn refresh(&mut self) -> ControlFlow<End> {
        if let Some(writing) = self.writing.take() {
            let (access, result) = join!(self.keeper.access(), writing);
            self.change_access(access)?;
            self.finish_write(result)?;
        }
        let access = self.keeper.access().await;
        self.change_access(access)?;
        self.apply(Input::Tick)
    }

    /// Stores what is not stored yet, and waits until it is.
    async fn store(&mut self) -> ControlFlow<End> {
        self.stores_at = None;
        self.apply(Input::StoreNow)?;
        while let Some(writing) = self.writing.take() {
            let result = writing.await;
            self.finish_write(result)?;
        }
        Continue(())
    }

    /// Applies what was read. An unsaved beam, kept or not, has no access to read: it goes on.
    fn change_access(&mut self, read: Result<Option<Access>, Error>) -> ControlFlow<End> {
        match read {
            Ok(access) => self.apply(Input::AccessChanged(access)),
            Err(error) => {
                tracing::error!(%error, "the rights in a beam could not be read");
                if self.state.is_unsaved() { Continue(()) } else { self.shed() }
            }
        }
    }

    /// A beam whose items are in memory alone refuses what is unknown instead of ending.
    fn finish_write(&mut self, result: Result<Written, Unknown>) -> ControlFlow<End> {
        match result {
            Ok(written) => self.apply(Input::Written(written)),
            Err(Unknown) if self.state.has_no_items_in_tables() => {
                self.apply(Input::Written(Written::Unavailable))
            }
            Err(Unknown) => self.shed(),
        }
    }

    /// Ends the beam because its stored state is unknown. All devices are closed and come back to a freshly loaded
    /// beam.
    fn shed(&mut self) -> ControlFlow<End> {
        for (_, (_, outbox)) in self.outboxes.drain() {
            outbox.close(CloseCode::Overload);
        }
        Break(End::Asleep)
    }

    fn apply(&mut self, input: Input) -> ControlFlow<End> {
        let now = self.clock.now();
        for output in self.state.handle(input, now) {
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
                Output::StoreSoon => self.stores_at = Some(self.clock.steady() + WRITE_BEHIND),
                Output::Linger => self.lingers_until = Some(self.clock.steady() + LINGER),
                Output::Finish if self.state.has_ended(now) => {
                    return Break(End::TurnAway(CloseCode::Ended));
                }
                Output::Finish => return Break(End::Asleep),
            }
        }
        Continue(())
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

    /// Serializes the message once. All its receivers share the text.
    fn send(&self, to: &[ConnectionId], message: &ServerMessage) {
        match serde_json::to_string(message) {
            Ok(text) => {
                let text = Utf8Bytes::from(text);
                for connection in to {
                    if let Some((_, outbox)) = self.outboxes.get(connection) {
                        if let ServerMessage::Error { extra, .. } = message {
                            outbox.count_refusal(*extra);
                        }
                        let text = Message::Text(text.clone());
                        match message {
                            ServerMessage::AuthedUsers { .. } => outbox.push_devices(text),
                            _ => outbox.push(text),
                        }
                    }
                }
            }
            Err(error) => tracing::error!(%error, "a message could not be written"),
        }
    }

    /// Time until the state is next to be told the time; `None` for never.
    fn until_deadline(&self) -> Option<Duration> {
        let deadline = Some(self.state.deadline()).filter(|deadline| *deadline < Millis::MAX);
        let ends = deadline.map(|deadline| deadline.since(self.clock.now()));
        let lingers = self.lingers_until.map(|until| until - self.clock.steady());
        let stores = self.stores_at.map(|at| at - self.clock.steady());
        [ends, lingers, stores].into_iter().flatten().min()
    }
}

/// Sleeps for this time, or forever: a saved beam with a device in it has no deadline.
async fn sleep(due: Option<Duration>) {
    match due {
        Some(due) => tokio::time::sleep(due).await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests;
