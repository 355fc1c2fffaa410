//! The ways into a sealed beam by its link: this device asks to be let in, and lets others in (E6).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use heliograph_shared::ids::DeviceId;

use super::joining::Joining;
use super::moment::Moment;
use crate::keys::keyring::Keyring;
use crate::keys::link_joining::LinkJoining;
use crate::keys::way_in::{JoinRequest, Refusal, SealedMessage, WayIn};

/// So long the keys of others are asked for: three devices that do not answer.
const LEARN_WITHIN: Duration = Duration::from_secs(9);

#[derive(Default)]
pub(super) struct WaysIn {
    joining: LinkJoining,
    asking: Joining,
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
    /// The socket is new: what was asked over the old one may be lost.
    pub(super) fn welcomed(&mut self) {
        self.refusing.clear();
        self.asking.end();
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
            for (device, request) in std::mem::take(&mut self.early) {
                Self::answer(ring, device, &request, moment);
            }
        }
        if ring.is_keyed() && self.learning_until.is_none() {
            return self.asking.end();
        }
        let asked = self.asking.set_devices(&self.others, moment.now);
        self.ask(asked, ring, moment);
    }

    /// Whether every other device has said that it has no key itself.
    pub(super) fn is_nobody_keyed(&self) -> bool {
        self.others.iter().all(|device| self.keyless.contains_key(device))
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
        [self.asking.next_due(), self.learning_until].into_iter().flatten().min()
    }

    pub(super) fn passed(&mut self, ring: &Keyring, moment: &mut Moment<'_>) {
        if self.learning_until.is_some_and(|until| moment.now >= until) {
            self.learning_until = None;
        }
        let asked = self.asking.passed(moment.now);
        self.ask(asked, ring, moment);
    }

    fn ask(&mut self, device: Option<DeviceId>, ring: &Keyring, moment: &mut Moment<'_>) {
        if let Some(device) = device {
            let request = self.joining.ask(ring, moment.random);
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
        Self::answer(ring, from, &request, moment);
        if !ring.is_keyed() {
            self.early.insert(from, request);
        }
    }

    fn answer(ring: &mut Keyring, from: DeviceId, request: &JoinRequest, moment: &mut Moment<'_>) {
        let answer = LinkJoining::answer(ring, from, request, moment.random);
        moment.out.way(from, &answer.map_or_else(refusal, WayIn::Welcome));
    }

    /// A device without the link wants to compare. Nobody is here who could.
    pub(super) fn commits(ring: &Keyring, from: DeviceId, moment: &mut Moment<'_>) {
        let why = if ring.is_keyed() { Refusal::Locked } else { Refusal::Keyless };
        moment.out.way(from, &refusal(why));
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
        let is_taken = self.joining.welcomed(ring, message, me, &here, moment.now, moment.random);
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
            Refusal::Proof => {
                self.refusing.insert(from);
            }
            Refusal::Person | Refusal::Locked => {}
        }
        self.goes_on(from, ring, moment);
    }

    fn goes_on(&mut self, from: DeviceId, ring: &Keyring, moment: &mut Moment<'_>) {
        if self.asking.asked() == Some(from) {
            let asked = self.asking.next(moment.now);
            self.ask(asked, ring, moment);
        }
    }
}

/// A device of a session came by a link, always.
fn refusal(why: Refusal) -> WayIn {
    WayIn::Refused { why, has_link: (why == Refusal::Keyless).then_some(true) }
}
