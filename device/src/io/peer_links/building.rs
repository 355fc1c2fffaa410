//! How the connections of a bundle are begun (L1, L6).

use std::mem;
use std::time::Duration;

use heliograph_shared::ids::DeviceId;
use heliograph_shared::socket::IceServer;

use super::PeerLinks;
use super::attempt::{Attempt, Command, Slot};
use crate::io::direct_link::LinkKind;
use crate::io::link_contract::PeerPath;

/// Limit for one attempt (L3): a few round trips of ICE and DTLS through a slow TURN server. Without a limit, a lost answer would be
/// waited for forever. The devices use the relay meanwhile.
const ATTEMPT_LIMIT: Duration = Duration::from_secs(15);
/// The same for an initiator's attempt by QUIC (L7), after which one by WebRTC follows.
const QUIC_LIMIT: Duration = Duration::from_secs(3);
/// Most connections beyond the first ones, to all devices.
const MOST_FURTHER: usize = 48;

impl PeerLinks {
    /// Whether there is room for a connection in a place. The first place of each device always has it.
    pub(super) fn may_add(&self, slot: Slot) -> bool {
        if slot.place >= self.most {
            return false;
        }
        let further = self.attempts.keys().filter(|other| other.place > 0).count();
        slot.place == 0 || self.attempts.contains_key(&slot) || further < MOST_FURTHER
    }

    /// Makes the connections that a bundle lacks, and ends those that it has too many.
    pub(super) fn fit(&mut self, device: DeviceId, now: Duration) {
        let size = self.size_of(device);
        let is_connected = |slot: &Slot| self.attempts.get(slot).is_some_and(|a| a.path.is_some());
        let slots = self.slots_of(device);
        let stays = slots.iter().any(|slot| slot.place < size && is_connected(slot));
        // Without another, a connection that works is better than none.
        let too_many = |slot: &&Slot| slot.place >= size && (stays || !is_connected(slot));
        for slot in slots.iter().filter(too_many).copied().collect::<Vec<_>>() {
            self.drop_attempt(slot);
        }
        self.tell_path(device);
        self.fill(device, now);
    }

    pub(super) fn fill(&mut self, device: DeviceId, now: Duration) {
        if !self.begins(device) {
            return;
        }
        for place in 0..self.size_of(device) {
            let slot = Slot { device, place };
            if !self.attempts.contains_key(&slot) && !self.pauses.is_retrying(slot) {
                self.build(slot, now);
            }
        }
    }

    pub(super) fn build(&mut self, slot: Slot, now: Duration) {
        if slot.place > 0 {
            if self.pauses.is_resting(slot) || !self.may_add(slot) {
                return;
            }
            self.pauses.rest(slot, now);
        }
        self.drop_attempt(slot);
        let session = (self.make_session)();
        let kind = self.ways.kind(slot);
        self.add(slot, session, kind, now);
        if let (LinkKind::Quic, Some(attempt)) = (kind, self.attempts.get_mut(&slot)) {
            attempt.fails_at = now + QUIC_LIMIT;
        }
        self.begin(slot, true);
    }

    pub(super) fn add(&mut self, slot: Slot, session: String, kind: LinkKind, now: Duration) {
        self.links += 1;
        let attempt = Attempt {
            session,
            link: self.links,
            kind,
            early: Vec::new(),
            has_begun: false,
            path: None,
            is_broken: false,
            is_older: false,
            fails_at: now + ATTEMPT_LIMIT,
        };
        self.attempts.insert(slot, attempt);
    }

    pub(super) fn take_up(&mut self, slot: Slot, now: Duration) {
        self.pauses.rest(slot, now);
        self.begin(slot, false);
    }

    fn begin(&mut self, slot: Slot, is_initiator: bool) {
        let ice_servers = self.servers_for(slot);
        let Some(attempt) = self.attempts.get_mut(&slot) else { return };
        attempt.has_begun = true;
        let (link, kind, Slot { device, place }) = (attempt.link, attempt.kind, slot);
        let early = mem::take(&mut attempt.early);
        let open = Command::Open { link, device, place, kind, is_initiator, ice_servers };
        self.commands.push(open);
        self.commands.extend(early.into_iter().map(|signal| Command::Feed { link, signal }));
    }

    /// Further connections of a bundle that goes directly need no TURN, and would each take a place there.
    pub(super) fn servers_for(&self, slot: Slot) -> Vec<IceServer> {
        let mut servers = self.ice_servers.clone();
        if slot.place > 0 && self.first_path(slot.device) == Some(PeerPath::Direct) {
            for server in &mut servers {
                server.urls.retain(|url| url.starts_with("stun"));
            }
            servers.retain(|server| !server.urls.is_empty());
        }
        servers
    }
}
