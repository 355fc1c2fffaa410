//! The rules of a live beam, free of I/O: takes events, returns what to do. No clock, no socket, no randomness.

use std::collections::HashSet;

use heliograph_shared::close::CloseCode;
use heliograph_shared::decode::Subject;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::DeviceId;
use heliograph_shared::socket::{
    Device, DeviceUser, IceServer, JoinPolicy, Json, LiveItem, RelayUse, ServerMessage, SignalFrom,
    SyncFrom,
};
use heliograph_shared::time::Millis;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::saved_beams::Access;

use super::ConnectionId;
use super::arrangement::Arrangement;
use super::behind::Behind;
use super::content::is_sealed;
use super::items::{Items, Shared, may_see};
use super::request::{Deletion, Request, Speaker};
use super::seen::Seen;
use super::terms::{Status, Terms};
use super::waiting::Waiting;
use super::write::{Pending, Write, Written};
use crate::address::Client;
use crate::live::refusal::Refusal;

pub(super) const DEVICE_GONE: Refusal =
    Refusal::new("That device is not in this beam.", ErrorCode::DeviceGone);

/// A device that wants to join. Its key and cookie are already checked.
#[derive(Clone, Debug)]
pub struct Newcomer {
    /// The socket.
    pub connection: ConnectionId,
    /// How the other devices see it.
    pub device: Device,
    /// Whether it knows only the specification's messages (S3).
    pub plain: bool,
    /// Whether it was told that the beam is sealed (E12).
    pub knows_sealed: bool,
    /// Whether it had the right beam key (S2).
    pub creator: bool,
    /// The account, if the device is logged in.
    pub account: Option<AccountId>,
    /// The client that quotas count, if any ([`Client::of`]).
    pub client: Option<Client>,
    /// What it is told for its `RTCPeerConnection`s.
    pub ice_servers: Vec<IceServer>,
    /// Where files go through the server (R6).
    pub relay: RelayUse,
    /// How devices without the link are let into a sealed beam (E13).
    pub join_policy: JoinPolicy,
    /// Largest file that it can upload by itself (H40).
    pub upload_bytes: u64,
}

impl Newcomer {
    pub(super) fn speaker(&self) -> Speaker {
        let Self { connection, creator, account, client, .. } = *self;
        Speaker { connection, device: self.device.device_id, creator, account, client }
    }
}

/// An event in the life of a beam.
#[derive(Debug)]
pub enum Input {
    /// A device wants to join.
    Join(Newcomer),
    /// A device sent a message.
    Said(ConnectionId, Saying),
    /// A socket is gone.
    Gone(ConnectionId),
    /// The write under way has ended.
    Written(Written),
    /// The access or name was changed elsewhere; `None` when the beam no longer exists under this id (H31).
    AccessChanged(Option<Access>),
    /// The keys that lie with the beam were written.
    KeysChanged,
    /// A user has another name or picture.
    UserChanged(AccountId, DeviceUser),
    /// The deadline may have passed.
    Tick,
    /// Its time after the last [`Output::Linger`] is over.
    Lingered,
    /// The time after [`Output::StoreSoon`] is over, or the server ends.
    StoreNow,
}

/// A decoded message of a device.
#[derive(Debug)]
pub enum Saying {
    /// A request to change the beam.
    Request(Request),
    /// Asks for a page of items (S11).
    Sync(SyncFrom),
    /// Gives the device another name (S32).
    Rename(String),
    /// Passes a message on to another device, unread (S12, E6).
    PassOn {
        /// Its type.
        kind: PassedOn,
        /// Opaque to the server.
        message: Json,
        /// The receiver.
        to: DeviceId,
    },
}

/// The types of messages that pass from one device to another unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassedOn {
    /// About links, and about older items (S12, S29).
    Signal,
    /// About the ways in to a sealed beam (E6).
    E2e,
}

impl Saying {
    /// Bytes of content in the message. Its other fields are small.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Request(request) => request.bytes(),
            Self::PassOn { message, .. } => message.get().len(),
            Self::Rename(name) => name.len(),
            Self::Sync(_) => 0,
        }
    }
}

/// An action for the caller, in order.
#[derive(Debug)]
pub enum Output {
    /// Add the device to the relay: it has joined.
    Admit(ConnectionId),
    /// Set whether this device may send chunks (S24).
    AllowChunks(ConnectionId, bool),
    /// Send each of these sockets the same message.
    Send(Vec<ConnectionId>, ServerMessage),
    /// Close a socket, which is no longer in the beam.
    Close(ConnectionId, CloseCode),
    /// Record the beam until this time: it holds something, so from now on it exists (S2).
    Record(Millis),
    /// Store a change. No other write follows before [`Input::Written`].
    Write(Write),
    /// Nobody is in the beam: tell it [`Input::Lingered`] after `LINGER`, by a clock that does not jump. A later one of
    /// these takes the place of this one.
    Linger,
    /// Something is not stored yet: tell it [`Input::StoreNow`] after `WRITE_BEHIND`, by a clock that does not jump. There is
    /// one of these at a time.
    StoreSoon,
    /// The beam has ended.
    Finish,
}

/// The state of one live beam.
#[derive(Debug)]
pub struct BeamState {
    pub(super) epoch: String,
    pub(super) status: Status,
    /// In the order in which they joined.
    pub(super) members: Vec<Newcomer>,
    pub(super) items: Items,
    pub(super) arrangement: Arrangement,
    pub(super) removed: HashSet<DeviceId>,
    /// The devices that joined recently.
    pub(super) seen: Seen,
    /// The write under way.
    pub(super) writing: Option<Pending>,
    /// What the tables do not have yet.
    pub(super) behind: Behind,
    /// The requests that wait for it, in order.
    pub(super) waiting: Waiting,
    /// Whether what was shared earlier is gone, and nothing was shared since (S31).
    pub(super) forgotten: bool,
    /// Whether nobody has come since the beam was told that it had lingered.
    pub(super) lingered: bool,
}

impl BeamState {
    /// A beam without devices. It lingers from now on, as after an [`Output::Linger`].
    #[must_use]
    pub fn new(terms: Terms) -> Self {
        let Terms { epoch, status, items, arrangement, removed, forgotten } = terms;
        let waiting = Waiting::none(items.no_room());
        Self {
            epoch,
            status,
            members: Vec::new(),
            items,
            arrangement,
            removed,
            seen: Seen::default(),
            writing: None,
            behind: Behind::default(),
            waiting,
            forgotten,
            lingered: false,
        }
    }

    /// Applies one input and returns the actions, in order.
    pub fn handle(&mut self, input: Input, now: Millis) -> Vec<Output> {
        let mut outputs = self.obey(input, now);
        outputs.extend(self.store_soon());
        outputs
    }

    fn obey(&mut self, input: Input, now: Millis) -> Vec<Output> {
        match input {
            Input::Join(newcomer) => self.join(newcomer, now),
            Input::Said(connection, saying) => match self.member(connection) {
                Some(member) => {
                    let speaker = member.speaker();
                    self.listen(speaker, saying, now)
                }
                None => Vec::new(),
            },
            Input::Gone(connection) => self.leave(connection),
            Input::Written(written) => self.written(written, now),
            Input::UserChanged(account, user) => self.change_user(account, &user),
            Input::AccessChanged(access) => self.change_access(access, now),
            Input::KeysChanged => self.tell_of_keys(),
            Input::Tick => {
                let mut outputs = self.end_keeping(now);
                outputs.extend(self.end(now));
                outputs
            }
            Input::Lingered => {
                self.lingered = self.members.is_empty();
                let mut outputs = if self.lingered { self.store_now() } else { Vec::new() };
                outputs.extend(self.end(now));
                outputs
            }
            Input::StoreNow => self.store_now(),
        }
    }

    /// When [`Input::Tick`] is next due; [`Millis::MAX`] for never.
    #[must_use]
    pub fn deadline(&self) -> Millis {
        // The write under way decides how the beam goes on.
        if self.writing.is_some() {
            Millis::MAX
        } else if self.lingered {
            Millis::MIN
        } else {
            self.kept_until().unwrap_or(Millis::MAX).min(self.expires_at())
        }
    }

    /// Whether the beam has expired or was deleted, as opposed to being asleep.
    #[must_use]
    pub fn has_ended(&self, now: Millis) -> bool {
        self.expires_at() <= now
    }

    /// Whether it is in no account. Its items are in memory, which the database follows while it is kept.
    #[must_use]
    pub fn is_unsaved(&self) -> bool {
        matches!(self.status, Status::Unsaved { .. })
    }

    /// Whether its items are in no table: it is neither saved nor kept.
    pub(super) fn is_only_in_memory(&self) -> bool {
        self.is_unsaved() && self.kept().is_none()
    }

    /// Whether no table has its items, not even if the write under way is stored.
    pub(super) fn has_no_items_in_tables(&self) -> bool {
        let stores_all = |pending: &Pending| match pending {
            Pending::Asked { effect, .. } => effect.stores_all(),
            Pending::Behind(_) | Pending::Looking(_) => false,
        };
        self.is_only_in_memory() && !self.writing.as_ref().is_some_and(stores_all)
    }

    fn expires_at(&self) -> Millis {
        match self.status {
            Status::Unsaved { expires_at, .. } => expires_at,
            Status::Saved(_) => Millis::MAX,
            Status::Ended => Millis::MIN,
        }
    }

    fn listen(&mut self, speaker: Speaker, saying: Saying, now: Millis) -> Vec<Output> {
        match saying {
            Saying::Request(request) => self.ask(speaker, request, now),
            Saying::Sync(from) => {
                let message = self.items.page(&self.epoch, from.after, speaker.device);
                vec![Output::Send(vec![speaker.connection], ServerMessage::Sync { message })]
            }
            Saying::Rename(name) => self.rename(speaker.connection, name),
            Saying::PassOn { kind, message, to } => {
                vec![self.pass_on(speaker, kind, message, to)]
            }
        }
    }

    /// Tells the devices that may see an item of it.
    pub(super) fn tell_shared(&mut self, shared: Shared) -> Vec<Output> {
        match shared {
            Shared::New(item) | Shared::Again(item) => self.tell_of(item),
            Shared::Replaced { old, new } => self.tell_of_change(old, new),
        }
    }

    /// Tells of an edit. Plain devices know no edits: they get a deletion and a new item (S9).
    fn tell_of_change(&mut self, old: Json, new: LiveItem) -> Vec<Output> {
        let sees = |member: &Newcomer| may_see(&new, member.device.device_id);
        let plain: Vec<_> = self.connections(|member| member.plain && sees(member)).collect();
        let mut outputs = Vec::with_capacity(3);
        if !plain.is_empty() && !is_sealed(&old) {
            let delete = Deletion { message: old, extra: None, id: None };
            outputs.push(Output::Send(plain, delete.into()));
        }
        outputs.extend(self.tell_of(new));
        outputs
    }

    /// Tells the devices for which `may_see` holds of a deletion. Plain ones get nothing that the specification does not
    /// have (E4), and nothing of what is sealed (E12).
    pub(super) fn tell_deletion(
        &self,
        deletion: Deletion,
        may_see: impl Fn(DeviceId) -> bool,
    ) -> Vec<Output> {
        let is_bare = deletion.extra.is_none();
        let is_sealed = is_sealed(&deletion.message);
        let sees =
            |member: &Newcomer| may_see(member.device.device_id) && !(member.plain && is_sealed);
        let mut outputs = Vec::with_capacity(2);
        let plain: Vec<_> =
            self.connections(|member| member.plain && !is_bare && sees(member)).collect();
        if !plain.is_empty() {
            let bare = Deletion { extra: None, ..deletion.clone() };
            outputs.push(Output::Send(plain, bare.into()));
        }
        let others =
            self.connections(|member| (!member.plain || is_bare) && sees(member)).collect();
        outputs.push(Output::Send(others, deletion.into()));
        outputs
    }

    /// Tells of an item. Of what is sealed, plain devices are told once that it is (E12).
    fn tell_of(&mut self, item: LiveItem) -> Vec<Output> {
        let is_sealed = is_sealed(&item.message);
        let sees = |member: &Newcomer| may_see(&item, member.device.device_id);
        let to = self.connections(|member| sees(member) && !(member.plain && is_sealed)).collect();
        let mut outputs = Vec::with_capacity(2);
        if is_sealed {
            outputs.extend(self.tell_sealed(&item));
        }
        outputs.push(Output::Send(to, ServerMessage::RecClipboard(item)));
        outputs
    }

    /// Passes a message on. A plain device would not know it, and is as good as absent.
    fn pass_on(&self, by: Speaker, kind: PassedOn, message: Json, to: DeviceId) -> Output {
        let is_receiver = |member: &&Newcomer| member.device.device_id == to && !member.plain;
        let Some(receiver) = self.members.iter().find(is_receiver) else {
            return refuse(by.connection, DEVICE_GONE.about(Subject::device(to)));
        };
        let extra = SignalFrom { from: by.device };
        let message = match kind {
            PassedOn::Signal => ServerMessage::Signal { message, extra },
            PassedOn::E2e => ServerMessage::E2e { message, extra },
        };
        Output::Send(vec![receiver.connection], message)
    }

    /// Ends the beam if its time has come.
    pub(super) fn end(&mut self, now: Millis) -> Vec<Output> {
        let is_over = self.lingered || self.has_ended(now);
        if self.writing.is_some() || !is_over {
            return Vec::new();
        }
        let close = |member: Newcomer| Output::Close(member.connection, CloseCode::Ended);
        let mut outputs: Vec<_> = self.members.drain(..).map(close).collect();
        outputs.push(Output::Finish);
        outputs
    }

    pub(super) fn tell_all(&self, message: ServerMessage) -> Output {
        Output::Send(self.connections(|_| true).collect(), message)
    }

    pub(super) fn connections(
        &self,
        wanted: impl Fn(&Newcomer) -> bool,
    ) -> impl Iterator<Item = ConnectionId> {
        self.members.iter().filter(move |member| wanted(member)).map(|member| member.connection)
    }

    fn member(&self, connection: ConnectionId) -> Option<&Newcomer> {
        self.members.iter().find(|member| member.connection == connection)
    }
}

pub(super) fn refuse(connection: ConnectionId, refusal: Refusal) -> Output {
    Output::Send(vec![connection], refusal.into())
}
