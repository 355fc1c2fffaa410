//! The task that drives one [`BeamState`]: a bounded mailbox in, outboxes out, one timer, one write at a time. Only
//! this task touches the state.

mod ending;
mod remembering;

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

use self::ending::{End, lost, sleep, turn_away};
use super::ConnectionId;
use super::behind::WRITE_BEHIND;
use super::handle::Command;
use super::keeper::{Failed, Keeper};
use super::memory::Memory;
use super::state::{BeamState, Input, Output};
use super::write::Written;
use crate::bus::lease::Lease;
use crate::clock::Clock;
use crate::live::outbox::Outbox;
use crate::live::relay::Relay;
use crate::live::websocket::{Message, Utf8Bytes};

/// Most commands to take from the mailbox at once.
const BATCH: usize = 64;

/// Loads the beam and runs it until it ends. Commands that arrive while it loads wait in the mailbox. A change of
/// access that the load misses waits there too, so it is not lost.
pub(super) async fn run(
    mut keeper: Keeper,
    clock: Clock,
    relay: Arc<Relay>,
    mut mailbox: mpsc::Receiver<Command>,
) {
    if let Err(not_here) = keeper.drive().await {
        return turn_away(mailbox, Vec::new(), not_here.close_code()).await;
    }
    let (lease, memory) = (keeper.lease.clone(), keeper.memory());
    let gaps = lease.as_ref().map_or(0, Lease::gaps);
    if let Some(lease) = &lease {
        relay.is_fenced_by(lease.clone());
        // It is read below.
        lease.is_made_up(gaps);
    }
    let mut commands = Vec::new();
    let end = match keeper.load().await {
        Ok(terms) => {
            let mut actor = Actor::new(BeamState::new(terms), clock, relay, keeper);
            (actor.memory, actor.gaps) = (memory, gaps);
            actor.run(&mut mailbox, &mut commands).await
        }
        Err(error) => {
            tracing::error!(%error, "a beam could not be loaded");
            End::TurnAway(CloseCode::Overload)
        }
    };
    if let Some(lease) = lease {
        lease.end().await;
    }
    if let End::TurnAway(code) = end {
        turn_away(mailbox, commands, code).await;
    }
}

type Writing = Pin<Box<dyn Future<Output = Result<Written, Failed>> + Send>>;

struct Actor {
    state: BeamState,
    clock: Clock,
    outboxes: HashMap<ConnectionId, (DeviceId, Arc<Outbox>)>,
    relay: Arc<Relay>,
    keeper: Keeper,
    /// Follows the state, where it is to outlive this node.
    memory: Option<Memory>,
    /// What [`Lease::gaps`] was when the access was read last.
    gaps: u64,
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
            memory: None,
            gaps: 0,
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
            let lease = self.keeper.lease.clone();
            let written = async {
                match &mut self.writing {
                    Some(writing) => writing.await,
                    None => pending().await,
                }
            };
            let written = tokio::select! {
                biased;
                () = lost(lease.as_ref()) => return self.give_up(),
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
        written: Option<Result<Written, Failed>>,
        commands: &mut Vec<Command>,
    ) -> ControlFlow<End> {
        self.assured().await?;
        if let Some(result) = written {
            self.writing = None;
            self.finish_write(result).await?;
        }
        self.make_up().await?;
        self.tell_the_time().await?;
        commands.reverse();
        while let Some(command) = commands.pop() {
            let may_act = match self.assured().await {
                // The right of whoever says something may have gone while this node waited.
                Continue(()) => self.make_up().await,
                end @ Break(_) => end,
            };
            let obeyed = match may_act {
                Continue(()) => self.obey(command).await,
                Break(end) => {
                    commands.push(command);
                    Break(end)
                }
            };
            if let Break(end) = obeyed {
                commands.reverse();
                return Break(end);
            }
        }
        Continue(())
    }

    /// Tells the state how late it is: by the wall clock, and by the steady one if the beam lingers.
    async fn tell_the_time(&mut self) -> ControlFlow<End> {
        let now = self.clock.steady();
        if self.lingers_until.take_if(|until| *until <= now).is_some() {
            self.apply(Input::Lingered).await?;
        }
        if self.stores_at.take_if(|at| *at <= now).is_some() {
            self.apply(Input::StoreNow).await?;
        }
        self.apply(Input::Tick).await
    }

    async fn obey(&mut self, command: Command) -> ControlFlow<End> {
        match command {
            Command::Join(newcomer, outbox, read) => {
                let device = newcomer.device.device_id;
                self.outboxes.insert(newcomer.connection, (device, outbox));
                let _ = read.send(());
                self.apply(Input::Join(newcomer)).await
            }
            Command::Said(connection, saying, _room) => {
                self.apply(Input::Said(connection, saying)).await
            }
            Command::Gone(connection) => {
                self.forget(connection);
                self.apply(Input::Gone(connection)).await
            }
            Command::Refresh(done) => {
                let outcome = self.refresh().await;
                let _ = done.send(());
                outcome
            }
            Command::KeysChanged => self.apply(Input::KeysChanged).await,
            Command::Store(done) => {
                let outcome = self.store().await;
                let _ = done.send(());
                outcome
            }
            Command::HandOver(done) => {
                let mut outcome = self.store().await;
                if outcome.is_continue() {
                    outcome = self.remember_all().await;
                }
                // Before the devices are told, or they would be led back here.
                if let Some(lease) = &self.keeper.lease {
                    lease.end().await;
                }
                let _ = done.send(());
                outcome?;
                Break(self.give_up())
            }
            Command::UserChanged(account, user) => {
                self.apply(Input::UserChanged(account, user)).await
            }
        }
    }

    /// Applies the stored access: levels, name, existence. Waits for the write under way, so that afterwards nothing
    /// from a device that lost its level is stored. That write goes on meanwhile, because it may hold the connection for
    /// which the reading waits. It may be older than what was read, so the access is read again after it.
    async fn refresh(&mut self) -> ControlFlow<End> {
        if let Some(writing) = self.writing.take() {
            let (access, result) = join!(self.keeper.access(), writing);
            self.change_access(access).await?;
            self.finish_write(result).await?;
        }
        let access = self.keeper.access().await;
        self.change_access(access).await?;
        self.apply(Input::Tick).await
    }

    /// Stores what is not stored yet, and waits until it is.
    async fn store(&mut self) -> ControlFlow<End> {
        self.stores_at = None;
        self.apply(Input::StoreNow).await?;
        while let Some(writing) = self.writing.take() {
            let result = writing.await;
            self.finish_write(result).await?;
        }
        Continue(())
    }

    /// Applies what was read. An unsaved beam, kept or not, has no access to read: it goes on.
    async fn change_access(&mut self, read: Result<Option<Access>, Error>) -> ControlFlow<End> {
        match read {
            Ok(access) => self.apply(Input::AccessChanged(access)).await,
            Err(error) => {
                tracing::error!(%error, "the rights in a beam could not be read");
                if self.state.is_unsaved() { Continue(()) } else { self.shed() }
            }
        }
    }

    /// A beam whose items are in memory alone refuses what is unknown instead of ending.
    async fn finish_write(&mut self, result: Result<Written, Failed>) -> ControlFlow<End> {
        match result {
            Ok(written) => self.apply(Input::Written(written)).await,
            Err(Failed::Unknown) if self.state.has_no_items_in_tables() => {
                self.apply(Input::Written(Written::Unavailable)).await
            }
            Err(Failed::Unknown) => self.shed(),
            Err(Failed::Lost) => {
                if let Some(lease) = &self.keeper.lease {
                    lease.is_lost();
                }
                Break(self.give_up())
            }
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

    /// Another node drives the beam: the devices go there.
    fn give_up(&mut self) -> End {
        for (_, (_, outbox)) in self.outboxes.drain() {
            outbox.close(CloseCode::Restart);
        }
        End::TurnAway(CloseCode::Restart)
    }

    async fn apply(&mut self, input: Input) -> ControlFlow<End> {
        let now = self.clock.now();
        let outputs = self.state.handle(input, now);
        self.remember().await?;
        for output in outputs {
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
                Output::Finish => {
                    self.forget_all().await?;
                    let has_ended = self.state.has_ended(now);
                    return Break(if has_ended {
                        End::TurnAway(CloseCode::Ended)
                    } else {
                        End::Asleep
                    });
                }
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
        let remembers = self.memory.as_ref().and_then(Memory::due);
        let remembers = remembers.map(|at| at - self.clock.steady());
        [ends, lingers, stores, remembers].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests;
