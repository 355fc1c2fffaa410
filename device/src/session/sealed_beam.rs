//! What a beam is to a device that seals: its keys, who is let in, and what is sealed and opened with them (section E).

use std::time::Duration;

use heliograph_shared::device::{Cap, Device};
use heliograph_shared::e2ee::envelope::Kind;
use heliograph_shared::e2ee::key_pair::PublicKey;
use heliograph_shared::ids::{BeamId, DeviceId, ItemId};
use heliograph_shared::join_policy::JoinPolicy;
use heliograph_shared::json::Json;
use heliograph_shared::socket::{ClientMessage, LiveItem, SignalTo};

use super::compared_before::ComparedBefore;
use super::comparing::Knock;
use super::item::{SealedSignal, envelope_of, is_sealed_by_form, kept_keys_of, text_of};
use super::kept_keys::KeptKeys;
use super::key_changes::{Ends, KeyChanges};
use super::moment::Moment;
use super::opened_items::{OpenedItems, Opening, Shared};
use super::outbox::{Encryption, News, json};
use super::trust::{Trust, TrustState};
use super::ways_in::WaysIn;
use super::witness;
use crate::keys::found_keys::FoundKeys;
use crate::keys::keyring::{Keyring, Reading};
use crate::keys::page_numbers::PageNumbers;
use crate::keys::signs::Signs;
use crate::keys::way_in::WayIn;
use crate::random;

pub(super) struct SealedBeam {
    pub(super) ring: Keyring,
    pub(super) ways: WaysIn,
    pub(super) changes: KeyChanges,
    pub(super) items: OpenedItems,
    pub(super) kept: KeptKeys,
    compared_before: ComparedBefore,
    signals: PageNumbers,
    me: Option<DeviceId>,
    name: String,
    /// All devices that are here, and those of them that seal, with this one.
    here: Vec<DeviceId>,
    sealing: Vec<DeviceId>,
    /// Whether something sealed is in the beam; `None` before the server has told.
    has_sealed: Option<bool>,
    /// Whether something in clear text is there for everybody.
    has_clear: bool,
    /// Whether the server has told over this socket what is there: something sealed may have come since the last one.
    is_synced: bool,
}

impl SealedBeam {
    pub(super) fn new(ring: Keyring, beam: BeamId, name: String) -> Self {
        Self {
            ring,
            ways: WaysIn::new(beam),
            changes: KeyChanges::default(),
            items: OpenedItems::default(),
            kept: KeptKeys::default(),
            compared_before: ComparedBefore::default(),
            signals: PageNumbers::default(),
            me: None,
            name,
            here: Vec::new(),
            sealing: Vec::new(),
            has_sealed: None,
            has_clear: false,
            is_synced: false,
        }
    }

    pub(super) fn encryption(&self) -> Encryption {
        if !self.ring.is_keyed() {
            let is_unsealed = self.has_sealed == Some(false) && self.has_clear;
            if self.ring.invite().is_none() && is_unsealed && self.ways.is_nobody_sealing() {
                return Encryption::Unsealed;
            }
            return Encryption::Waiting { is_link_old: self.ways.is_link_old() };
        }
        Encryption::Sealed { is_deposited: self.ring.is_deposited(), unverified: self.unverified() }
    }

    /// This device may be one of them: that is for the others to know.
    fn unverified(&self) -> Vec<DeviceId> {
        let mut unverified = self.ring.unverified();
        unverified.retain(|device| Some(*device) != self.me);
        unverified
    }

    pub(super) fn welcomed(&mut self, me: DeviceId, policy: JoinPolicy) {
        self.me = Some(me);
        self.ways.door.is_required = policy == JoinPolicy::Verify;
        self.ways.welcomed();
        self.changes.welcomed();
        self.is_synced = false;
    }

    /// The person here has the keys kept.
    pub(super) fn are_kept(&mut self, is_vaulted: bool) {
        self.ring.are_kept(is_vaulted);
        self.changes.again();
    }

    /// Something lies with the beam, which is saved: perhaps newer keys, which the others are told of then (E15).
    pub(super) fn finds(&mut self, found: &FoundKeys, moment: &mut Moment<'_>) {
        let before = self.ring.newest();
        self.ring.take_found(found, moment.now, moment.random);
        if self.ring.newest() != before {
            self.changes.again();
        }
    }

    pub(super) fn renamed(&mut self, name: String) {
        self.name = name;
        self.changes.again();
    }

    pub(super) fn listed(&mut self, devices: &[Device]) {
        let seals = |device: &&Device| device.caps.contains(&Cap::E2e1);
        self.here = devices.iter().map(|device| device.device_id).collect();
        let before = self.others();
        self.sealing = devices.iter().filter(seals).map(|device| device.device_id).collect();
        let others = self.others();
        // Whoever has come may have keys that nobody had who was asked before (E11).
        if others.iter().any(|device| !before.contains(device)) {
            self.items.seek_again();
        }
        self.ways.listed(&others);
        self.changes.listed(&others);
    }

    fn others(&self) -> Vec<DeviceId> {
        self.sealing.iter().filter(|device| Some(**device) != self.me).copied().collect()
    }

    /// The other devices that seal, in their order, those that have come after this one first.
    pub(super) fn after_me(&self) -> Vec<DeviceId> {
        let at = self.sealing.iter().position(|device| Some(*device) == self.me);
        let (before, after) = self.sealing.split_at(at.unwrap_or(self.sealing.len()));
        after.iter().skip(1).chain(before).copied().collect()
    }

    /// The server has sent all its items.
    pub(super) fn synced(&mut self, items: &[LiveItem], moment: &mut Moment<'_>) {
        self.has_sealed = Some(items.iter().any(|item| is_sealed_by_form(&item.message)));
        self.is_synced = true;
        self.kept.synced();
        let is_clear = |item: &LiveItem| item.to.is_none() && !is_sealed_by_form(&item.message);
        self.has_clear = items.iter().any(is_clear);
        // What has the keys comes first: the rest waits for it (E10).
        for item in items {
            self.came(item, moment);
        }
    }

    /// An item has come, which may have the keys.
    pub(super) fn came(&mut self, item: &LiveItem, moment: &mut Moment<'_>) {
        if is_sealed_by_form(&item.message) {
            self.has_sealed = Some(true);
        }
        let Some(kept) = kept_keys_of(&item.message) else { return };
        if !self.ring.is_keyed() {
            let here: Vec<DeviceId> = self.here.iter().chain(&self.me).copied().collect();
            self.ring.open_kept(&kept, &here, moment.now, moment.random);
        }
        // Anybody can share what only looks so.
        if self.ring.opens_kept(&kept) {
            self.kept.came(item.id);
        }
    }

    /// The item with the keys, where it is this device's turn to share it (E10).
    pub(super) fn gives_keys(&mut self, moment: &mut Moment<'_>) -> Option<(ItemId, Json)> {
        let place = self.sealing.iter().position(|device| Some(*device) == self.me);
        let place = place.filter(|_| self.ring.is_keyed());
        if !self.kept.is_wanted(place, moment.now) {
            return None;
        }
        let id = ItemId::from_random(random::bytes(moment.random));
        let message = json(&self.ring.seal_kept(moment.random)?)?;
        self.kept.came(id);
        Some((id, message))
    }

    /// Does what follows of what has changed. Returns whether something can be opened now that was left closed.
    pub(super) fn look(&mut self, moment: &mut Moment<'_>) -> bool {
        let Some(me) = self.me else { return false };
        self.make_key(moment);
        if self.items.take_seeks() {
            self.changes.again();
            self.ways.learn(moment.now);
        }
        self.ways.look(&mut self.ring, moment);
        self.changes.look(&mut self.ring, me, &self.name, moment);
        if self.ring.is_keyed() {
            let unverified = self.unverified();
            let (others, trust) = (self.others(), self.ways.trust_mut());
            trust.told(&unverified);
            for device in self.compared_before.look(&others, &mut self.ring, trust) {
                moment.out.tell(News::OtherKey(device));
            }
        }
        for device in self.ways.trust_mut().take_changed() {
            let trust = self.ways.trust().of(device).copied();
            let turned_away = self.ways.trust().turned_away_by(device);
            moment.out.tell(News::Trust { device, trust, turned_away });
        }
        self.items.take_openable(&self.ring)
    }

    /// Makes a key where nobody has one and nothing is sealed: else devices with the link would wait for each other (E11).
    fn make_key(&mut self, moment: &mut Moment<'_>) {
        let is_nothing_sealed = self.is_synced && self.has_sealed == Some(false);
        let is_wanted = !self.ring.is_keyed() && is_nothing_sealed && self.ways.is_nobody_keyed();
        let may = |device: &&DeviceId| Some(**device) == self.me || self.ways.waits(**device);
        let first = self.sealing.iter().find(may).copied();
        if is_wanted && first.is_some() && first == self.me {
            self.ring.make_key(moment.now, moment.random);
        }
    }

    pub(super) fn next_due(&self) -> Option<Duration> {
        [self.ways.next_due(), self.kept.next_due()].into_iter().flatten().min()
    }

    pub(super) fn passed(&mut self, moment: &mut Moment<'_>) {
        self.ways.passed(&self.ring, moment);
    }

    /// A device says something about the ways in. Returns whether the names of devices have changed.
    pub(super) fn heard(
        &mut self,
        from: DeviceId,
        message: &Json,
        moment: &mut Moment<'_>,
    ) -> bool {
        let (Some(me), Some(way)) = (self.me, WayIn::read(message.get())) else { return false };
        // The server could speak for a device that no person sees.
        if from == me || !self.sealing.contains(&from) {
            return false;
        }
        self.ways.spoke(from, &way);
        let (ring, ends) = (&mut self.ring, Ends { from, me });
        match way {
            WayIn::Join(request) => self.ways.joins(ring, from, request, moment),
            WayIn::Commit { commitment } => {
                self.ways.knocks(ring, from, &Knock::Commit(commitment), moment);
            }
            WayIn::Reveal(share) => self.ways.knocks(ring, from, &Knock::Reveal(share), moment),
            WayIn::Accept(share) => self.ways.accepted(from, &share, moment),
            WayIn::Welcome(welcome) => {
                let before = ring.newest();
                self.ways.lets_in(ring, from, &welcome, me, moment);
                // Those who were told before know this device under other keys, and would hand it none (E15).
                if ring.newest() != before {
                    self.changes.again();
                }
            }
            WayIn::Refused { why, has_link } => {
                self.ways.refuses(ring, from, (why, has_link == Some(true)), moment);
            }
            WayIn::Device { sealed, is_answer } => {
                let said = (sealed.0.as_str(), is_answer);
                let heard = self.changes.introduced(ring, ends, said, &self.name, moment);
                if heard.is_in {
                    self.ways.came_otherwise(from);
                }
                let trust = self.ways.trust_mut();
                let is_verified = |one: &Trust| one.state == TrustState::Verified;
                if heard.has_other_key && trust.of(from).is_some_and(is_verified) {
                    self.compared_before.forget(from, trust);
                    moment.out.tell(News::OtherKey(from));
                }
                return heard.is_named;
            }
            WayIn::Keys(keys) => {
                if self.changes.handed(ring, ends, &keys, &self.here, moment) {
                    self.ways.has_learnt();
                }
            }
            WayIn::Wait => {}
        }
        false
    }

    /// The person says that a device shows the same pictures as this one.
    pub(super) fn confirm(&mut self, device: DeviceId, signs: Signs, moment: &mut Moment<'_>) {
        if let Some(me) = self.me {
            self.ways.confirm(&mut self.ring, (device, signs), me, moment);
        }
    }

    /// What the person has compared in earlier runs.
    pub(super) fn remember(&mut self, compared: Vec<(DeviceId, PublicKey)>) {
        self.compared_before.remember(compared);
    }

    /// The devices that the person has compared, with the keys that they have.
    pub(super) fn compared(&self) -> Vec<(DeviceId, PublicKey)> {
        self.compared_before.with_those_of(self.ways.trust(), &self.ring)
    }

    /// Opens an item.
    pub(super) fn open(&mut self, item: &LiveItem, now: Duration) -> Opening {
        self.items.open(&self.ring, item, now)
    }

    /// Whether a deletion concerns a sealed item.
    pub(super) fn is_of_sealed(&self, id: ItemId, message: &Json) -> bool {
        self.items.versions.is_sealed(id) || envelope_of(message).is_some()
    }

    pub(super) fn is_proven(&mut self, id: ItemId, proof: Option<&str>, now: Duration) -> bool {
        self.items.is_proven(&self.ring, id, proof, now)
    }

    /// The message of an item as it goes to the server; `None` before this device can seal.
    pub(super) fn seal(&mut self, shared: Shared<'_>) -> Option<Json> {
        self.items.seal(&mut self.ring, self.me?, shared)
    }

    /// What the server is told to delete an item, as it has it, and what proves that a device of the beam deletes it.
    pub(super) fn delete(&mut self, id: ItemId) -> (Option<Json>, Option<String>) {
        let message = self.items.versions.find(id).and_then(|version| json(&version.sealed));
        let is_sealed = message.is_some() || self.items.versions.is_sealed(id);
        let proof = if is_sealed { OpenedItems::prove(&mut self.ring, id) } else { None };
        self.items.versions.deleted(id);
        (message, proof)
    }

    /// Sends a signal to a device, sealed. Those that do not seal have no key, and get none (E12).
    pub(super) fn signal(&mut self, to: DeviceId, message: Json, moment: &mut Moment<'_>) {
        let Some(from) = self.me.filter(|_| self.ring.is_keyed()) else { return };
        let signal = SealedSignal { from, to, message };
        let content = serde_json::to_vec(&signal).unwrap_or_default();
        let sealed = self.ring.seal(Kind::Signal, &content).ok();
        if let Some(message) = sealed.and_then(|sealed| json(&sealed)) {
            moment.out.send(&ClientMessage::Signal { message, extra: SignalTo { to } });
        }
    }

    /// Opens a signal; `None` for what is none of that device to this one, came before, or is answered already.
    pub(super) fn signalled(
        &mut self,
        from: DeviceId,
        message: &Json,
        moment: &mut Moment<'_>,
    ) -> Option<Json> {
        let envelope = text_of(message)?;
        let opened = match self.ring.open(Kind::Signal, &envelope, moment.now) {
            Reading::Open(opened) => opened,
            Reading::Unknown => {
                self.items.seek(&envelope);
                return None;
            }
            Reading::Past | Reading::Broken => return None,
        };
        let inside: SealedSignal = serde_json::from_slice(&opened.content).ok()?;
        let is_for_me = inside.from == from && Some(inside.to) == self.me;
        if !is_for_me || !self.signals.is_newest(&opened.header) {
            return None;
        }
        let versions = &self.items.versions;
        if let Some(answer) = witness::answer(&inside.message, |id| versions.is_deleted(id)) {
            self.signal(from, answer, moment);
            return None;
        }
        Some(inside.message)
    }
}
