//! Access to a beam: who may be in it, what each device may do there (S24), and how a change takes effect (H31).

use std::mem;

use heliograph_shared::api::beams::Role;
use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::DeviceId;
use heliograph_shared::socket::{SavedBeam, ServerMessage};
use heliograph_shared::time::Millis;
use heliograph_storage::saved_beams::Access;

use super::state::{BeamState, Newcomer, Output};
use super::terms::Status;

impl BeamState {
    /// Applies access that was changed elsewhere: levels, name, or the beam's deletion (H31).
    pub(super) fn change_access(&mut self, access: Option<Access>, now: Millis) -> Vec<Output> {
        let Some(access) = access else {
            // An unsaved beam has no access that could change.
            if matches!(self.status, Status::Saved(_)) {
                self.status = Status::Ended;
            }
            return self.end(now);
        };
        let Status::Saved(old) = mem::replace(&mut self.status, Status::Saved(access.clone()))
        else {
            // Saved a moment ago: `beam_saved` tells the devices.
            return Vec::new();
        };
        let is_out = |member: &&Newcomer| access.role(member.account).is_none();
        let out: Vec<_> =
            self.members.iter().filter(is_out).map(|member| member.device.device_id).collect();
        let mut outputs = self.send_away(&out);
        if old.name != access.name {
            outputs
                .push(self.tell_all(ServerMessage::BeamRenamed { message: access.name.clone() }));
        }
        let touched = |member: &&Newcomer| {
            old.link_access != access.link_access
                || old.role(member.account) != access.role(member.account)
                || old.named_role(member.account) != access.named_role(member.account)
        };
        for member in self.members.iter().filter(touched) {
            outputs.push(Output::AllowChunks(member.connection, self.may_write(member)));
            if let Some(message) = self.saved_for(member) {
                let changed = ServerMessage::AccessChanged { message };
                outputs.push(Output::Send(vec![member.connection], changed));
            }
        }
        outputs
    }

    /// Tells the devices of ours that other keys may lie with the beam now (S38).
    pub(super) fn tell_of_keys(&self) -> Vec<Output> {
        let to = self.connections(|member| !member.plain).collect();
        vec![Output::Send(to, ServerMessage::KeysChanged)]
    }

    /// Closes the sockets of these devices with 4403 and tells the others. A device without a socket may still have
    /// links to them.
    pub(super) fn send_away(&mut self, out: &[DeviceId]) -> Vec<Output> {
        let is_out = |member: &mut Newcomer| out.contains(&member.device.device_id);
        let close = |member: Newcomer| Output::Close(member.connection, CloseCode::Forbidden);
        let mut outputs: Vec<_> = self.members.extract_if(.., is_out).map(close).collect();
        if !outputs.is_empty() {
            outputs.push(self.after_leaving());
        }
        outputs.extend(self.tell_removed(out, |member| !member.plain));
        outputs
    }

    /// Tells members that these devices may no longer be here, so that they end their links to them (S25).
    pub(super) fn tell_removed(
        &self,
        removed: &[DeviceId],
        whom: impl Fn(&Newcomer) -> bool,
    ) -> Option<Output> {
        let to: Vec<_> = self.connections(whom).collect();
        let message = removed.to_vec();
        (!to.is_empty() && !removed.is_empty())
            .then_some(Output::Send(to, ServerMessage::DevicesRemoved { message }))
    }

    /// Outputs that tell every device the same news, each with its own role.
    pub(super) fn tell_each(&self, news: impl Fn(SavedBeam) -> ServerMessage) -> Vec<Output> {
        let to = |member: &Newcomer| {
            let message = news(self.saved_for(member)?);
            Some(Output::Send(vec![member.connection], message))
        };
        self.members.iter().filter_map(to).collect()
    }

    /// The beam as this device sees it; `None` for an unsaved beam or without access.
    pub(super) fn saved_for(&self, member: &Newcomer) -> Option<SavedBeam> {
        let Status::Saved(access) = &self.status else { return None };
        let role = access.role(member.account)?;
        let by_link = access.named_role(member.account).is_none();
        let beam_name = access.name.clone();
        Some(SavedBeam { beam_name, role, link_access: access.link_access, by_link })
    }

    /// Whether the newcomer has no access at all.
    pub(super) fn is_shut_to(&self, newcomer: &Newcomer) -> bool {
        match &self.status {
            Status::Saved(access) => access.role(newcomer.account).is_none(),
            Status::Unsaved { .. } | Status::Ended => false,
        }
    }

    /// Whether a device may share. In an unsaved beam every device may.
    pub(super) fn may_write(&self, member: &Newcomer) -> bool {
        match &self.status {
            Status::Saved(access) => access.role(member.account).is_some_and(Role::may_write),
            Status::Unsaved { .. } | Status::Ended => true,
        }
    }
}
