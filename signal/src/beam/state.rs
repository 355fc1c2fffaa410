//! The rules of a live beam, free of I/O: told what happened, it says what to do. No clock, no socket, no randomness.

use heliograph_shared::close::CloseCode;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::limits::{LINGER, MAX_DEVICES};
use heliograph_shared::socket::{
    Device, Json, LiveItem, ServerMessage, SignalFrom, SyncFrom, Welcome,
};

use super::ConnectionId;
use super::items::{Items, Shared};
use crate::clock::millis;

/// Somebody who wants in; the key has been looked at already.
#[derive(Clone, Debug)]
pub struct Newcomer {
    /// The socket.
    pub connection: ConnectionId,
    /// What the others are told.
    pub device: Device,
    /// Knows only the messages of the specification (S3).
    pub plain: bool,
    /// Came with the right key (S2).
    pub creator: bool,
}

/// What can happen to a beam.
#[derive(Debug)]
pub enum Input {
    /// A device comes.
    Join(Newcomer),
    /// A device says something.
    Said(ConnectionId, Saying),
    /// A socket is gone.
    Gone(ConnectionId),
    /// Time has passed.
    Tick,
}

/// What a device can say, once the edge has read it.
#[derive(Debug)]
pub enum Saying {
    /// S7, S9.
    Share {
        /// The content.
        message: Json,
        /// The kind.
        extra: String,
        /// The item: the sender's choice or a fresh one.
        id: ItemId,
    },
    /// S10.
    Delete {
        /// The content.
        message: Json,
        /// Only this item.
        id: Option<ItemId>,
    },
    /// S11.
    Sync(SyncFrom),
    /// S12.
    Signal {
        /// Opaque.
        message: Json,
        /// To whom.
        to: DeviceId,
    },
    /// Takes the beam into an account.
    Save,
}

/// What must be done, in order.
#[derive(Debug)]
pub enum Output {
    /// The device is in: it can be relayed to.
    Admit(ConnectionId),
    /// To each of these, the same message.
    Send(Vec<ConnectionId>, ServerMessage),
    /// Close a socket; it is no longer in the beam.
    Close(ConnectionId, CloseCode),
    /// The beam holds something: from now on it is one that exists (S2).
    Record,
    /// The beam is over.
    Finish,
}

/// What is fixed when a beam comes to life.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Names this memory of the beam (S11).
    pub epoch: String,
    /// When the beam ends, in milliseconds since the Unix epoch.
    pub expires_at: i64,
    /// Whether there is a row of it.
    pub recorded: bool,
}

/// One live beam.
#[derive(Debug)]
pub struct BeamState {
    terms: Terms,
    /// In the order in which they joined.
    members: Vec<Newcomer>,
    items: Items,
    empty_since: Option<i64>,
}

impl BeamState {
    /// An empty beam.
    #[must_use]
    pub fn new(terms: Terms, now: i64) -> Self {
        Self { terms, members: Vec::new(), items: Items::default(), empty_since: Some(now) }
    }

    /// Applies one input and says what must happen next, in order.
    pub fn handle(&mut self, input: Input, now: i64) -> Vec<Output> {
        match input {
            Input::Join(newcomer) => self.join(newcomer, now),
            Input::Said(connection, saying) => match self.member(connection) {
                Some(member) => {
                    let device = member.device.device_id;
                    self.listen(connection, device, saying, now)
                }
                None => Vec::new(),
            },
            Input::Gone(connection) => self.leave(connection, now),
            Input::Tick => self.end(now),
        }
    }

    /// When [`Input::Tick`] is next due.
    #[must_use]
    pub fn deadline(&self) -> i64 {
        let lonely = self.empty_since.map(|since| since.saturating_add(millis(LINGER)));
        lonely.map_or(self.terms.expires_at, |lonely| lonely.min(self.terms.expires_at))
    }

    fn join(&mut self, newcomer: Newcomer, now: i64) -> Vec<Output> {
        let connection = newcomer.connection;
        if self.terms.expires_at <= now {
            return vec![Output::Close(connection, CloseCode::Ended)];
        }
        let device = newcomer.device.device_id;
        let same = self.members.iter().position(|member| member.device.device_id == device);
        if same.is_none() && self.members.len() >= MAX_DEVICES {
            return vec![Output::Close(connection, CloseCode::BeamFull)];
        }
        let mut outputs = Vec::with_capacity(5);
        let welcome = self.welcome(&newcomer, now);
        if let Some(at) = same {
            // It goes to the end: it knows no links any more, and the later of two devices initiates them (L1).
            let old = self.members.remove(at);
            outputs.push(Output::Close(old.connection, CloseCode::Replaced));
        }
        self.members.push(newcomer);
        self.empty_since = None;
        let success = ServerMessage::AuthSuccess { message: "Welcome to the beam.".to_owned() };
        outputs.push(Output::Admit(connection));
        outputs.push(Output::Send(vec![connection], success));
        outputs.push(Output::Send(vec![connection], welcome));
        outputs.push(self.tell_who_is_here());
        outputs
    }

    fn welcome(&self, newcomer: &Newcomer, now: i64) -> ServerMessage {
        ServerMessage::Welcome {
            message: Welcome {
                device_id: newcomer.device.device_id,
                ice_servers: Vec::new(),
                expires_at: self.terms.expires_at,
                now,
                creator: newcomer.creator,
                saved: None,
            },
        }
    }

    fn listen(
        &mut self,
        connection: ConnectionId,
        device: DeviceId,
        saying: Saying,
        now: i64,
    ) -> Vec<Output> {
        match saying {
            Saying::Share { message, extra, id } => self
                .share(connection, LiveItem { message, extra, id, seq: 0, from: device, at: now }),
            Saying::Delete { message, id } => vec![self.delete(message, id)],
            Saying::Sync(from) => {
                let message = self.items.page(&self.terms.epoch, from.after);
                vec![Output::Send(vec![connection], ServerMessage::Sync { message })]
            }
            Saying::Signal { message, to } => vec![self.pass_on(connection, device, to, message)],
            Saying::Save => {
                vec![refuse(connection, "Log in to save this beam.", ErrorCode::Unauthorized)]
            }
        }
    }

    fn share(&mut self, connection: ConnectionId, item: LiveItem) -> Vec<Output> {
        let mut outputs = match self.items.share(item) {
            Shared::Again(item) => {
                return vec![Output::Send(vec![connection], ServerMessage::RecClipboard(item))];
            }
            Shared::New(item) => vec![self.tell_all(ServerMessage::RecClipboard(item))],
            Shared::Replaced { old, new } => self.tell_of_change(old, new),
        };
        if !self.terms.recorded {
            self.terms.recorded = true;
            outputs.push(Output::Record);
        }
        outputs
    }

    /// Plain devices know no change in place: the old one goes, the new one comes (S9).
    fn tell_of_change(&self, old: Json, new: LiveItem) -> Vec<Output> {
        let plain: Vec<_> = self.connections(|member| member.plain).collect();
        let mut outputs = Vec::with_capacity(3);
        if !plain.is_empty() {
            let delete = ServerMessage::DeleteNote { message: old, id: None };
            outputs.push(Output::Send(plain, delete));
        }
        outputs.push(self.tell_all(ServerMessage::RecClipboard(new)));
        outputs
    }

    fn delete(&mut self, message: Json, id: Option<ItemId>) -> Output {
        let message = if let Some(id) = id {
            // Plain devices delete by content, so they are told the content that it really had.
            self.items.delete(id).map_or(message, |item| item.message)
        } else {
            self.items.delete_content(&message);
            message
        };
        self.tell_all(ServerMessage::DeleteNote { message, id })
    }

    fn pass_on(
        &self,
        connection: ConnectionId,
        from: DeviceId,
        to: DeviceId,
        message: Json,
    ) -> Output {
        match self.members.iter().find(|member| member.device.device_id == to) {
            Some(member) => {
                let signal = ServerMessage::Signal { message, extra: SignalFrom { from } };
                Output::Send(vec![member.connection], signal)
            }
            None => refuse(connection, "That device is not here.", ErrorCode::DeviceGone),
        }
    }

    fn leave(&mut self, connection: ConnectionId, now: i64) -> Vec<Output> {
        let before = self.members.len();
        self.members.retain(|member| member.connection != connection);
        if self.members.len() == before {
            return Vec::new();
        }
        if self.members.is_empty() {
            self.empty_since = Some(now);
            return Vec::new();
        }
        vec![self.tell_who_is_here()]
    }

    fn end(&mut self, now: i64) -> Vec<Output> {
        if self.deadline() > now {
            return Vec::new();
        }
        let close = |member: Newcomer| Output::Close(member.connection, CloseCode::Ended);
        let mut outputs: Vec<_> = self.members.drain(..).map(close).collect();
        outputs.push(Output::Finish);
        outputs
    }

    fn tell_who_is_here(&self) -> Output {
        let message = self.members.iter().map(|member| member.device.clone()).collect();
        self.tell_all(ServerMessage::AuthedUsers { message })
    }

    fn tell_all(&self, message: ServerMessage) -> Output {
        Output::Send(self.connections(|_| true).collect(), message)
    }

    fn connections(
        &self,
        wanted: impl Fn(&Newcomer) -> bool,
    ) -> impl Iterator<Item = ConnectionId> {
        self.members.iter().filter(move |member| wanted(member)).map(|member| member.connection)
    }

    fn member(&self, connection: ConnectionId) -> Option<&Newcomer> {
        self.members.iter().find(|member| member.connection == connection)
    }
}

fn refuse(connection: ConnectionId, detail: &str, code: ErrorCode) -> Output {
    let error = ServerMessage::Error { message: detail.to_owned(), extra: code };
    Output::Send(vec![connection], error)
}
