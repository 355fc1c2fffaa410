//! The rules of a live beam, free of I/O: told what happened, it says what to do. No clock, no socket, no randomness.

use std::collections::{HashSet, VecDeque};

use heliograph_shared::close::CloseCode;
use heliograph_shared::decode::Subject;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::DeviceId;
use heliograph_shared::limits::{LINGER, MAX_DEVICES};
use heliograph_shared::socket::{
    Device, DeviceUser, Json, LiveItem, ServerMessage, SignalFrom, SyncFrom, Welcome,
};
use heliograph_storage::accounts::AccountId;
use heliograph_storage::saved_beams::Access;

use super::ConnectionId;
use super::items::Items;
use super::request::{Request, Speaker};
use super::seen::Seen;
use super::terms::{Status, Terms};
use super::write::{Pending, Write, Written};
use crate::clock::millis;
use crate::live::refusal::Refusal;

const DEVICE_GONE: Refusal = Refusal::new("That device is not here.", ErrorCode::DeviceGone);

/// Somebody who wants in; key and cookie have been looked at already.
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
    /// Who is logged in there.
    pub account: Option<AccountId>,
}

impl Newcomer {
    pub(super) fn speaker(&self) -> Speaker {
        let Self { connection, creator, account, .. } = *self;
        Speaker { connection, device: self.device.device_id, creator, account }
    }
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
    /// The write that was under way has ended.
    Written(Written),
    /// Rights or name were changed elsewhere; none when the beam no longer exists under this id (H31).
    AccessChanged(Option<Access>),
    /// A person has another name or picture.
    UserChanged(AccountId, DeviceUser),
    /// Time has passed.
    Tick,
}

/// What a device can say, once the edge has read it.
#[derive(Debug)]
pub enum Saying {
    /// A change of the beam.
    Request(Request),
    /// S11.
    Sync(SyncFrom),
    /// S12.
    Signal {
        /// Opaque.
        message: Json,
        /// To whom.
        to: DeviceId,
    },
}

/// What must be done, in order.
#[derive(Debug)]
pub enum Output {
    /// The device is in: it can be relayed to.
    Admit(ConnectionId),
    /// Whether this device may send what others asked for (S24).
    AllowChunks(ConnectionId, bool),
    /// To each of these, the same message.
    Send(Vec<ConnectionId>, ServerMessage),
    /// Close a socket; it is no longer in the beam.
    Close(ConnectionId, CloseCode),
    /// The beam holds something: from now on it is one that exists, until this time (S2).
    Record(i64),
    /// To be stored; [`Input::Written`] is due before anything else is to be.
    Write(Write),
    /// The beam is over.
    Finish,
}

/// One live beam.
#[derive(Debug)]
pub struct BeamState {
    pub(super) epoch: String,
    pub(super) status: Status,
    /// In the order in which they joined.
    pub(super) members: Vec<Newcomer>,
    pub(super) items: Items,
    pub(super) removed: HashSet<DeviceId>,
    /// The devices that joined lately.
    pub(super) seen: Seen,
    /// What is being stored.
    pub(super) writing: Option<Pending>,
    /// What waits for it, in order.
    pub(super) waiting: VecDeque<(Speaker, Request)>,
    empty_since: Option<i64>,
}

impl BeamState {
    /// A beam in which nobody is yet.
    #[must_use]
    pub fn new(terms: Terms, now: i64) -> Self {
        let Terms { epoch, status, items, removed } = terms;
        Self {
            epoch,
            status,
            members: Vec::new(),
            items,
            removed,
            seen: Seen::default(),
            writing: None,
            waiting: VecDeque::new(),
            empty_since: Some(now),
        }
    }

    /// Applies one input and says what must happen next, in order.
    pub fn handle(&mut self, input: Input, now: i64) -> Vec<Output> {
        match input {
            Input::Join(newcomer) => self.join(newcomer, now),
            Input::Said(connection, saying) => match self.member(connection) {
                Some(member) => {
                    let speaker = member.speaker();
                    self.listen(speaker, saying, now)
                }
                None => Vec::new(),
            },
            Input::Gone(connection) => self.leave(connection, now),
            Input::Written(written) => self.written(written, now),
            Input::UserChanged(account, user) => self.change_user(account, &user),
            Input::AccessChanged(access) => self.change_access(access, now),
            Input::Tick => self.end(now),
        }
    }

    /// When [`Input::Tick`] is next due; `i64::MAX` for never.
    #[must_use]
    pub fn deadline(&self) -> i64 {
        // A write that is under way decides how the beam goes on.
        if self.writing.is_some() {
            return i64::MAX;
        }
        let lonely = self.empty_since.map(|since| since + millis(LINGER));
        self.expires_at().min(lonely.unwrap_or(i64::MAX))
    }

    /// Whether the beam is over for good, and not only asleep.
    #[must_use]
    pub fn has_ended(&self, now: i64) -> bool {
        self.expires_at() <= now
    }

    fn expires_at(&self) -> i64 {
        match self.status {
            Status::Unsaved { expires_at, .. } => expires_at,
            Status::Saved(_) => i64::MAX,
            Status::Ended => i64::MIN,
        }
    }

    fn join(&mut self, newcomer: Newcomer, now: i64) -> Vec<Output> {
        let connection = newcomer.connection;
        let device = newcomer.device.device_id;
        let same = self.members.iter().position(|member| member.device.device_id == device);
        if let Some(code) = self.refusal(&newcomer, same.is_none(), now) {
            return vec![Output::Close(connection, code)];
        }
        let mut outputs = Vec::with_capacity(6);
        let welcome = self.welcome(&newcomer, now);
        if let Some(at) = same {
            // It goes to the end: it knows no links any more, and the later of two devices initiates them (L1).
            let old = self.members.remove(at);
            outputs.push(Output::Close(old.connection, CloseCode::Replaced));
        }
        let may_write = self.may_write(&newcomer);
        self.seen.add(device);
        self.members.push(newcomer);
        self.empty_since = None;
        let success = ServerMessage::AuthSuccess { message: "Welcome to the beam.".to_owned() };
        outputs.push(Output::Admit(connection));
        outputs.push(Output::AllowChunks(connection, may_write));
        outputs.push(Output::Send(vec![connection], success));
        outputs.push(Output::Send(vec![connection], welcome));
        outputs.push(self.tell_who_is_here());
        outputs
    }

    /// Why somebody does not get in.
    fn refusal(&self, newcomer: &Newcomer, is_new: bool, now: i64) -> Option<CloseCode> {
        if self.has_ended(now) {
            Some(CloseCode::Ended)
        } else if self.removed.contains(&newcomer.device.device_id) || self.is_shut_to(newcomer) {
            Some(CloseCode::Forbidden)
        } else {
            (is_new && self.members.len() >= MAX_DEVICES).then_some(CloseCode::BeamFull)
        }
    }

    fn welcome(&self, newcomer: &Newcomer, now: i64) -> ServerMessage {
        ServerMessage::Welcome {
            message: Welcome {
                device_id: newcomer.device.device_id,
                ice_servers: Vec::new(),
                expires_at: match self.status {
                    Status::Unsaved { expires_at, .. } => Some(expires_at),
                    Status::Saved(_) | Status::Ended => None,
                },
                now,
                creator: newcomer.creator,
                saved: self.saved_for(newcomer),
            },
        }
    }

    fn listen(&mut self, speaker: Speaker, saying: Saying, now: i64) -> Vec<Output> {
        match saying {
            Saying::Request(request) => self.ask(speaker, request, now),
            Saying::Sync(from) => {
                let message = self.items.page(&self.epoch, from.after);
                vec![Output::Send(vec![speaker.connection], ServerMessage::Sync { message })]
            }
            Saying::Signal { message, to } => vec![self.pass_on(speaker, to, message)],
        }
    }

    /// Plain devices know no change in place: the old one goes, the new one comes (S9).
    pub(super) fn tell_of_change(&self, old: Json, new: LiveItem) -> Vec<Output> {
        let plain: Vec<_> = self.connections(|member| member.plain).collect();
        let mut outputs = Vec::with_capacity(3);
        if !plain.is_empty() {
            let delete = ServerMessage::DeleteNote { message: old, id: None };
            outputs.push(Output::Send(plain, delete));
        }
        outputs.push(self.tell_all(ServerMessage::RecClipboard(new)));
        outputs
    }

    fn pass_on(&self, speaker: Speaker, to: DeviceId, message: Json) -> Output {
        match self.members.iter().find(|member| member.device.device_id == to) {
            Some(member) => {
                let from = SignalFrom { from: speaker.device };
                let signal = ServerMessage::Signal { message, extra: from };
                Output::Send(vec![member.connection], signal)
            }
            None => refuse(speaker.connection, DEVICE_GONE.about(Subject::device(to))),
        }
    }

    /// Shows a person differently, if anything is different (S6).
    fn change_user(&mut self, account: AccountId, user: &DeviceUser) -> Vec<Output> {
        let mut is_new = false;
        for member in self.members.iter_mut().filter(|member| member.account == Some(account)) {
            is_new |= member.device.user != *user;
            member.device.user.clone_from(user);
        }
        if is_new { vec![self.tell_who_is_here()] } else { Vec::new() }
    }

    fn leave(&mut self, connection: ConnectionId, now: i64) -> Vec<Output> {
        let before = self.members.len();
        self.members.retain(|member| member.connection != connection);
        if self.members.len() == before { Vec::new() } else { self.after_leaving(now) }
    }

    /// Tells those who are still here, or notes that nobody is.
    pub(super) fn after_leaving(&mut self, now: i64) -> Vec<Output> {
        if self.members.is_empty() {
            self.empty_since = Some(now);
            return Vec::new();
        }
        vec![self.tell_who_is_here()]
    }

    /// Ends the beam if its time has come.
    pub(super) fn end(&mut self, now: i64) -> Vec<Output> {
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

    pub(super) fn tell_all(&self, message: ServerMessage) -> Output {
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

pub(super) fn refuse(connection: ConnectionId, refusal: Refusal) -> Output {
    Output::Send(vec![connection], refusal.into())
}
