//! The devices in a live beam: they join, leave, and change their names (S4 to S6).

use heliograph_shared::close::CloseCode;
use heliograph_shared::limits::{Limits, MAX_DEVICES};
use heliograph_shared::socket::{DeviceUser, ServerMessage, Welcome};
use heliograph_shared::time::Millis;
use heliograph_storage::accounts::AccountId;

use super::ConnectionId;
use super::state::{BeamState, Newcomer, Output};
use super::terms::Status;

impl BeamState {
    pub(super) fn join(&mut self, newcomer: Newcomer, now: Millis) -> Vec<Output> {
        let connection = newcomer.connection;
        let device = newcomer.device.device_id;
        let same = self.members.iter().position(|member| member.device.device_id == device);
        if let Some(code) = self.refusal(&newcomer, same.is_none(), now) {
            return vec![Output::Close(connection, code)];
        }
        let mut outputs = Vec::with_capacity(6);
        let welcome = self.welcome(&newcomer, now);
        if let Some(at) = same {
            // It moves to the end: it has no links any more, and the later of two devices initiates them (L1).
            let old = self.members.remove(at);
            outputs.push(Output::Close(old.connection, CloseCode::Replaced));
        }
        let may_write = self.may_write(&newcomer);
        let removed: Vec<_> = self.removed.iter().copied().collect();
        let is_plain = newcomer.plain;
        let arranged = if is_plain { Vec::new() } else { self.arrangement.welcome() };
        self.seen.add(device);
        self.members.push(newcomer);
        self.lingered = false;
        let success = ServerMessage::AuthSuccess { message: "Welcome to the beam.".to_owned() };
        outputs.push(Output::Admit(connection));
        outputs.push(Output::AllowChunks(connection, may_write));
        outputs.push(Output::Send(vec![connection], success));
        outputs.push(Output::Send(vec![connection], welcome));
        outputs.extend(
            self.tell_removed(&removed, |member| member.connection == connection && !member.plain),
        );
        outputs.push(self.tell_who_is_here());
        outputs.extend(arranged.into_iter().map(|news| Output::Send(vec![connection], news)));
        if is_plain {
            outputs.extend(self.tell_if_sealed());
        }
        outputs
    }

    /// Why a newcomer is refused, if it is.
    fn refusal(&self, newcomer: &Newcomer, is_new: bool, now: Millis) -> Option<CloseCode> {
        if self.has_ended(now) {
            Some(CloseCode::Ended)
        } else if self.removed.contains(&newcomer.device.device_id) || self.is_shut_to(newcomer) {
            Some(CloseCode::Forbidden)
        } else {
            (is_new && self.members.len() >= MAX_DEVICES).then_some(CloseCode::BeamFull)
        }
    }

    fn welcome(&self, newcomer: &Newcomer, now: Millis) -> ServerMessage {
        ServerMessage::Welcome {
            message: Welcome {
                device_id: newcomer.device.device_id,
                ice_servers: newcomer.ice_servers.clone(),
                expires_at: match self.status {
                    Status::Unsaved { expires_at, .. } => Some(expires_at),
                    Status::Saved(_) | Status::Ended => None,
                },
                limits: Some(Limits::with_uploads(newcomer.upload_bytes)),
                now,
                creator: newcomer.creator,
                saved: self.saved_for(newcomer),
                kept: self.kept(),
                forgotten: self.forgotten && self.is_unsaved() && self.items.is_empty(),
                relay: newcomer.relay,
                join_policy: newcomer.join_policy,
            },
        }
    }

    pub(super) fn rename(&mut self, connection: ConnectionId, name: String) -> Vec<Output> {
        let mut members = self.members.iter_mut();
        let Some(member) = members.find(|member| member.connection == connection) else {
            return Vec::new();
        };
        if member.device.name == name {
            return Vec::new();
        }
        member.device.name = name;
        vec![self.tell_who_is_here()]
    }

    /// Changes how an account's devices are shown, and tells everybody if that is a change (S6).
    pub(super) fn change_user(&mut self, account: AccountId, user: &DeviceUser) -> Vec<Output> {
        let mut is_new = false;
        for member in self.members.iter_mut().filter(|member| member.account == Some(account)) {
            is_new |= member.device.user != *user;
            member.device.user.clone_from(user);
        }
        if is_new { vec![self.tell_who_is_here()] } else { Vec::new() }
    }

    pub(super) fn leave(&mut self, connection: ConnectionId) -> Vec<Output> {
        let before = self.members.len();
        self.members.retain(|member| member.connection != connection);
        if self.members.len() == before { Vec::new() } else { vec![self.after_leaving()] }
    }

    /// Tells the remaining devices, or lingers when nobody remains.
    pub(super) fn after_leaving(&self) -> Output {
        if self.members.is_empty() { Output::Linger } else { self.tell_who_is_here() }
    }

    fn tell_who_is_here(&self) -> Output {
        let message = self.members.iter().map(|member| member.device.clone()).collect();
        self.tell_all(ServerMessage::AuthedUsers { message })
    }
}
