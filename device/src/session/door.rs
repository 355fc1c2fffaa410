//! The devices that come without the link, as one that is in lets them in or not (E8).

use std::collections::{BTreeMap, BTreeSet};

use heliograph_shared::ids::DeviceId;

use super::comparing::{Comparing, refusal};
use super::letting_in::LettingIn;
use super::moment::Moment;
use super::trust::{Trust, TrustState};
use crate::keys::keyring::Keyring;
use crate::keys::signs::Signs;
use crate::keys::way_in::{Refusal, ShareMessage, Short, WayIn};

#[derive(Default)]
pub(super) struct Door {
    tries: LettingIn,
    /// What this device shows to be compared, of each joiner that waits.
    waiting: BTreeMap<DeviceId, Signs>,
    /// The joiners that the person has not let in, and that are here.
    refused: BTreeSet<DeviceId>,
    /// Whether the person wants to be asked before any device is let in without the link.
    pub(super) asks_before: bool,
    /// Whether the operator of the server wants that of everybody (E13).
    pub(super) is_required: bool,
}

impl Door {
    /// The other devices that are here.
    pub(super) fn listed(&mut self, others: &[DeviceId], with: &mut Comparing) {
        let gone = self.waiting.keys().chain(&self.refused);
        let gone = gone.filter(|device| !others.contains(device)).copied();
        for device in gone.collect::<Vec<_>>() {
            self.withdraw(device, with);
        }
    }

    /// A device was let in by the link. It may have come without it first: nobody has to compare it now.
    pub(super) fn came_otherwise(&mut self, device: DeviceId, with: &mut Comparing) {
        self.withdraw(device, with);
        self.tries.lets_in(device);
    }

    /// A device without the link wants to compare.
    pub(super) fn commits(
        &mut self,
        ring: &Keyring,
        from: DeviceId,
        commitment: &Short,
        with: &mut Comparing,
        moment: &mut Moment<'_>,
    ) {
        if !ring.is_keyed() {
            return moment.out.way(from, &refusal(ring, Refusal::Keyless));
        }
        let may_begin = self.tries.may_begin(moment.now);
        let accepted = with.comparisons.accept(from, commitment, may_begin, moment.random);
        let Some(accepted) = accepted else {
            return moment.out.way(from, &refusal(ring, Refusal::Locked));
        };
        // The answer alone tells who stands between two devices what this one would show.
        if accepted.is_new {
            self.tries.begins(from, moment.now);
        }
        moment.out.way(from, &WayIn::Accept(accepted.share));
    }

    /// A joiner reveals to what it has committed itself.
    pub(super) fn reveals(
        &mut self,
        ring: &mut Keyring,
        from: DeviceId,
        share: &ShareMessage,
        with: &mut Comparing,
        moment: &mut Moment<'_>,
    ) {
        let Some(signs) = with.comparisons.revealed(from, share) else {
            return moment.out.way(from, &refusal(ring, Refusal::Proof));
        };
        // The first other device is trusted on first use, so that whoever types the id is in at once.
        if !ring.has_let_in() && !self.asks_before && !self.is_required {
            return self.let_in(ring, (from, signs), TrustState::Unverified, with, moment);
        }
        self.refused.remove(&from);
        self.waiting.insert(from, signs);
        let asking = Trust { signs: Some(signs), state: TrustState::Asking, is_in: false };
        with.trust.learn(from, Some(asking));
        moment.out.way(from, &WayIn::Wait);
    }

    fn let_in(
        &mut self,
        ring: &mut Keyring,
        (device, signs): (DeviceId, Signs),
        state: TrustState,
        with: &mut Comparing,
        moment: &mut Moment<'_>,
    ) {
        let is_compared = state == TrustState::Verified;
        let random = &mut *moment.random;
        let welcome = with.comparisons.let_in(ring, device, signs, is_compared, random);
        let Some(welcome) = welcome else {
            // It shows other pictures by then, or is not known any more.
            with.trust.learn(device, None);
            return moment.out.way(device, &refusal(ring, Refusal::Proof));
        };
        self.tries.lets_in(device);
        self.refused.remove(&device);
        with.trust.learn(device, Some(Trust { signs: Some(signs), state, is_in: true }));
        moment.out.way(device, &WayIn::Welcome(welcome));
    }

    /// The person says that a device shows these pictures too, which they saw here: one that shows others since goes on waiting.
    pub(super) fn confirm(
        &mut self,
        ring: &mut Keyring,
        (device, signs): (DeviceId, Signs),
        me: DeviceId,
        with: &mut Comparing,
        moment: &mut Moment<'_>,
    ) {
        match self.waiting.get(&device) {
            Some(shown) if *shown == signs => {
                self.waiting.remove(&device);
                self.let_in(ring, (device, signs), TrustState::Verified, with, moment);
            }
            Some(_) => {}
            None => {
                // With it, this device was compared too.
                if with.trust.confirm(device, signs) {
                    ring.compared(&[device, me]);
                }
            }
        }
    }

    /// The person refuses a joiner.
    pub(super) fn refuse(
        &mut self,
        device: DeviceId,
        with: &mut Comparing,
        moment: &mut Moment<'_>,
    ) {
        if self.waiting.remove(&device).is_none() {
            return;
        }
        self.refused.insert(device);
        let refused = Trust { signs: None, state: TrustState::Refused, is_in: false };
        with.trust.learn(device, Some(refused));
        with.comparisons.forget(device);
        moment.out.way(device, &WayIn::Refused { why: Refusal::Person, has_link: None });
    }

    /// A joiner is not waited for any more, or is not kept out: perhaps its keys came otherwise.
    pub(super) fn withdraw(&mut self, device: DeviceId, with: &mut Comparing) {
        let (was_waiting, was_refused) =
            (self.waiting.remove(&device).is_some(), self.refused.remove(&device));
        if was_waiting || was_refused {
            with.trust.learn(device, None);
        }
    }
}
