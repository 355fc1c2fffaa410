//! The ways into a sealed beam: this device asks to be let in, and lets others in (E6, E8).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use heliograph_shared::ids::{BeamId, DeviceId};

use super::compared_joining::ComparedJoining;
use super::comparing::{Comparing, Knock, refusal};
use super::door::Door;
use super::joining::Joining;
use super::moment::Moment;
use super::trust::TrustBook;
use crate::keys::comparisons::Comparisons;
use crate::keys::keyring::Keyring;
use crate::keys::link_joining::LinkJoining;
use crate::keys::signs::Signs;
use crate::keys::way_in::{JoinRequest, Refusal, SealedMessage, ShareMessage, WayIn};

/// So long the keys of others are asked for: three devices that do not answer.
const LEARN_WITHIN: Duration = Duration::from_secs(9);

pub(super) struct WaysIn {
    joining: LinkJoining,
    asking: Joining,
    /// For a device that has no link.
    compared: ComparedJoining,
    with: Comparing,
    pub(super) door: Door,
    /// The other devices that seal and are here, in the order in which they joined.
    others: Vec<DeviceId>,
    /// Those that have no key themselves, each with whether it has the secret of a link.
    keyless: BTreeMap<DeviceId, bool>,
    /// Those that say that the link of this one is none of the beam.
    refusing: BTreeSet<DeviceId>,
    /// What devices asked before this one had a key. They are let in once it has.
    early: BTreeMap<DeviceId, JoinRequest>,
    /// Until when the others are asked for keys that this device lacks, though it is in.
    learning_until: Option<Duration>,
}

impl WaysIn {
    pub(super) fn new(beam: BeamId) -> Self {
        let with = Comparing { comparisons: Comparisons::new(beam), trust: TrustBook::default() };
        Self {
            joining: LinkJoining::default(),
            asking: Joining::default(),
            compared: ComparedJoining::default(),
            with,
            door: Door::default(),
            others: Vec::new(),
            keyless: BTreeMap::new(),
            refusing: BTreeSet::new(),
            early: BTreeMap::new(),
            learning_until: None,
        }
    }

    /// What is known of the devices that came without the link.
    pub(super) const fn trust(&self) -> &TrustBook {
        &self.with.trust
    }

    /// The same, for news of it.
    pub(super) const fn trust_mut(&mut self) -> &mut TrustBook {
        &mut self.with.trust
    }

    /// The socket is new: what was asked over the old one may be lost.
    pub(super) fn welcomed(&mut self) {
        self.refusing.clear();
        self.asking.end();
        self.compared.welcomed(&mut self.with);
    }

    pub(super) fn listed(&mut self, others: &[DeviceId]) {
        // One that comes back may have a key by then.
        self.keyless.retain(|device, _| others.contains(device));
        self.refusing.retain(|device| others.contains(device));
        self.early.retain(|device, _| others.contains(device));
        self.others = others.to_vec();
    }

    /// Whether this device has keys may have changed, or who is here.
    pub(super) fn look(&mut self, ring: &mut Keyring, moment: &mut Moment<'_>) {
        if ring.is_keyed() {
            // The keys may have come otherwise, as with the item of a kept beam (E10).
            self.compared.is_in(&mut self.with);
            for (device, request) in std::mem::take(&mut self.early) {
                self.answer(ring, device, &request, moment);
            }
        }
        self.door.listed(&self.others, &mut self.with);
        let is_locked = !ring.is_keyed() && ring.invite().is_none();
        // Two without a key would ask each other without an end.
        let has_key = |device: &&DeviceId| !self.keyless.contains_key(device);
        let keyed: Vec<_> = self.others.iter().filter(has_key).copied().collect();
        self.compared.look(&keyed, is_locked, &mut self.with, moment);
        if is_locked || (ring.is_keyed() && self.learning_until.is_none()) {
            return self.asking.end();
        }
        let asked = self.asking.set_devices(&self.others, moment.now);
        self.ask(asked, ring, moment);
    }

    /// Whether every other device has said that it has no key itself.
    pub(super) fn is_nobody_keyed(&self) -> bool {
        self.others.iter().all(|device| self.keyless.contains_key(device))
    }

    /// Whether no other device has a key, or the secret of a link with which it makes one.
    pub(super) fn is_nobody_sealing(&self) -> bool {
        self.others.iter().all(|device| self.keyless.get(device) == Some(&false))
    }

    /// Whether a device has no key itself, and has the secret of a link.
    pub(super) fn waits(&self, device: DeviceId) -> bool {
        self.keyless.get(&device) == Some(&true)
    }

    /// Whether all others that have keys say that the link of this device is wrong.
    pub(super) fn is_link_old(&self) -> bool {
        let mut keyed = self.others.iter().filter(|device| !self.keyless.contains_key(device));
        keyed.clone().next().is_some() && keyed.all(|device| self.refusing.contains(device))
    }

    /// A device has said something: perhaps what only one says that has a key.
    pub(super) fn spoke(&mut self, from: DeviceId, way: &WayIn) {
        if way.is_of_keyed() {
            self.keyless.remove(&from);
        }
    }

    /// Asks the others for the keys that they have and this device has not.
    pub(super) fn learn(&mut self, now: Duration) {
        self.learning_until.get_or_insert(now + LEARN_WITHIN);
    }

    /// Nobody is asked for keys any more.
    pub(super) const fn has_learnt(&mut self) {
        self.learning_until = None;
    }

    pub(super) fn next_due(&self) -> Option<Duration> {
        let dues = [self.asking.next_due(), self.learning_until, self.compared.next_due()];
        dues.into_iter().flatten().min()
    }

    pub(super) fn passed(&mut self, ring: &Keyring, moment: &mut Moment<'_>) {
        if self.learning_until.is_some_and(|until| moment.now >= until) {
            self.learning_until = None;
        }
        let asked = self.asking.passed(moment.now);
        self.ask(asked, ring, moment);
        self.compared.passed(&mut self.with, moment);
    }

    fn ask(&mut self, device: Option<DeviceId>, ring: &Keyring, moment: &mut Moment<'_>) {
        let request = device.and_then(|_| self.joining.ask(ring, moment.random));
        if let (Some(device), Some(request)) = (device, request) {
            moment.out.way(device, &WayIn::Join(request));
        }
    }

    /// A device asks to be let in.
    pub(super) fn joins(
        &mut self,
        ring: &mut Keyring,
        from: DeviceId,
        request: JoinRequest,
        moment: &mut Moment<'_>,
    ) {
        self.answer(ring, from, &request, moment);
        if !ring.is_keyed() {
            self.early.insert(from, request);
        }
    }

    fn answer(
        &mut self,
        ring: &mut Keyring,
        from: DeviceId,
        request: &JoinRequest,
        moment: &mut Moment<'_>,
    ) {
        match LinkJoining::answer(ring, from, request, moment.random) {
            Ok(welcome) => {
                // It may have come without the link first: nobody has to compare it now.
                self.door.came_otherwise(from, &mut self.with);
                moment.out.way(from, &WayIn::Welcome(welcome));
            }
            Err(why) => moment.out.way(from, &refusal(ring, why)),
        }
    }

    /// What a device says that comes without the link.
    pub(super) fn knocks(
        &mut self,
        ring: &mut Keyring,
        from: DeviceId,
        knock: &Knock,
        moment: &mut Moment<'_>,
    ) {
        match knock {
            Knock::Commit(commitment) => {
                self.door.commits(ring, from, commitment, &mut self.with, moment);
            }
            Knock::Reveal(share) => self.door.reveals(ring, from, share, &mut self.with, moment),
        }
    }

    /// The person says that a device shows these pictures too, which they saw here.
    pub(super) fn confirm(
        &mut self,
        ring: &mut Keyring,
        seen: (DeviceId, Signs),
        me: DeviceId,
        moment: &mut Moment<'_>,
    ) {
        self.door.confirm(ring, seen, me, &mut self.with, moment);
    }

    /// The person refuses a joiner.
    pub(super) fn refuse(&mut self, device: DeviceId, moment: &mut Moment<'_>) {
        self.door.refuse(device, &mut self.with, moment);
    }

    /// A device is in. If it still waited for a person here, its keys came otherwise.
    pub(super) fn came_otherwise(&mut self, device: DeviceId) {
        self.door.withdraw(device, &mut self.with);
    }

    /// A device has accepted that this one compares itself with it.
    pub(super) fn accepted(
        &mut self,
        from: DeviceId,
        share: &ShareMessage,
        moment: &mut Moment<'_>,
    ) {
        self.compared.accepted(from, share, &mut self.with, moment);
    }

    /// A device lets this one in. Returns whether anything was taken.
    pub(super) fn lets_in(
        &mut self,
        ring: &mut Keyring,
        from: DeviceId,
        message: &SealedMessage,
        me: DeviceId,
        moment: &mut Moment<'_>,
    ) -> bool {
        if ring.is_keyed() && self.learning_until.is_none() {
            return false;
        }
        let here: Vec<DeviceId> = [me].into_iter().chain(self.others.iter().copied()).collect();
        let is_locked = !ring.is_keyed() && ring.invite().is_none();
        let (now, random) = (moment.now, &mut *moment.random);
        let is_taken = if is_locked {
            let ends = (from, me);
            let signs = self.with.comparisons.welcomed(ring, ends, message, &here, now, random);
            if let Some(signs) = signs {
                self.compared.let_in_by(from, signs, &mut self.with);
            }
            signs.is_some()
        } else {
            self.joining.welcomed(ring, message, me, &here, now, random)
        };
        if is_taken {
            self.has_learnt();
        } else {
            // Whoever is listed can send something that is no welcome: the others are asked on.
            self.goes_on(from, ring, moment);
        }
        is_taken
    }

    pub(super) fn refuses(
        &mut self,
        ring: &Keyring,
        from: DeviceId,
        (why, has_link): (Refusal, bool),
        moment: &mut Moment<'_>,
    ) {
        match why {
            Refusal::Keyless => {
                self.keyless.insert(from, has_link);
            }
            Refusal::Proof if ring.invite().is_some() => {
                self.refusing.insert(from);
            }
            Refusal::Proof | Refusal::Person | Refusal::Locked => {}
        }
        self.compared.refused(from, why, &mut self.with, moment);
        self.goes_on(from, ring, moment);
    }

    fn goes_on(&mut self, from: DeviceId, ring: &Keyring, moment: &mut Moment<'_>) {
        if self.asking.asked() == Some(from) {
            let asked = self.asking.next(moment.now);
            self.ask(asked, ring, moment);
        }
    }
}
