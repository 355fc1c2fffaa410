//! This device, which has no link, compares itself with every device that may let it in (E8).

use std::collections::BTreeSet;
use std::time::Duration;

use heliograph_shared::ids::DeviceId;

use super::comparing::Comparing;
use super::letting_in::{LOCKED, LettingIn};
use super::moment::Moment;
use super::trust::{Trust, TrustState, TurnedAway};
use crate::keys::signs::Signs;
use crate::keys::way_in::{Refusal, ShareMessage, WayIn};

#[derive(Default)]
pub(super) struct ComparedJoining {
    /// The devices with which it has begun.
    begun: BTreeSet<DeviceId>,
    /// Those whose person has refused this device: they are not asked again by itself.
    refused_by: BTreeSet<DeviceId>,
    /// How often this device has begun anew with devices that have forgotten it.
    anew: LettingIn,
    /// When it begins again with all devices: one may have been locked, and a message may be lost.
    again: Option<Duration>,
    others: Vec<DeviceId>,
    /// Whether the beam is closed to this device, and it has no link.
    is_locked: bool,
}

impl ComparedJoining {
    /// The socket is new: what was said over the old one may be lost.
    pub(super) fn welcomed(&mut self, with: &mut Comparing) {
        for device in self.begun.clone() {
            self.end_with(device, with);
        }
        self.refused_by.clear();
    }

    /// The devices that are here, or whether the beam is closed to this one, may have changed. `others` are those that may have a key.
    pub(super) fn look(
        &mut self,
        others: &[DeviceId],
        is_locked: bool,
        with: &mut Comparing,
        moment: &mut Moment<'_>,
    ) {
        self.others = others.to_vec();
        self.is_locked = is_locked;
        // One that comes back may have forgotten what both had begun.
        for device in self.begun.clone() {
            if !others.contains(&device) {
                self.end_with(device, with);
            }
        }
        if is_locked {
            self.begin(with, moment);
        } else {
            self.again = None;
        }
    }

    fn begin(&mut self, with: &mut Comparing, moment: &mut Moment<'_>) {
        self.again.get_or_insert(moment.now + LOCKED);
        for device in self.others.clone() {
            self.commit(device, with, moment);
        }
    }

    pub(super) const fn next_due(&self) -> Option<Duration> {
        self.again
    }

    pub(super) fn passed(&mut self, with: &mut Comparing, moment: &mut Moment<'_>) {
        if self.again.is_none_or(|again| moment.now < again) {
            return;
        }
        self.again = None;
        for device in self.begun.clone() {
            if !self.refused_by.contains(&device) {
                self.end_with(device, with);
            }
        }
        self.begin(with, moment);
    }

    /// What this device has begun with another one does not go on.
    fn end_with(&mut self, device: DeviceId, with: &mut Comparing) {
        self.begun.remove(&device);
        with.trust.turn_away(device, None);
    }

    /// With those that have not let this device in, nothing has to be compared any more.
    pub(super) fn is_in(&mut self, with: &mut Comparing) {
        for device in std::mem::take(&mut self.begun) {
            with.trust.learn(device, None);
            with.trust.turn_away(device, None);
        }
    }

    fn commit(&mut self, device: DeviceId, with: &mut Comparing, moment: &mut Moment<'_>) {
        if self.begun.insert(device) {
            let commitment = with.comparisons.commit(device, moment.random);
            moment.out.way(device, &WayIn::Commit { commitment });
        }
    }

    /// A device has accepted.
    pub(super) fn accepted(
        &mut self,
        from: DeviceId,
        share: &ShareMessage,
        with: &mut Comparing,
        moment: &mut Moment<'_>,
    ) {
        if !self.begun.contains(&from) {
            return;
        }
        let Some((share, signs)) = with.comparisons.reveal(from, share) else {
            return self.begin_anew(from, with, moment);
        };
        if self.is_locked {
            let trust = Trust { signs: Some(signs), state: TrustState::Unverified, is_in: false };
            // What its person has compared already stays so.
            if with.trust.of(from).is_none_or(|known| known.signs != Some(signs)) {
                with.trust.learn(from, Some(trust));
            }
            moment.out.way(from, &WayIn::Reveal(share));
        }
    }

    /// A device that was loaded again has other pictures. It could also be somebody who tries until they are the right ones.
    fn begin_anew(&mut self, device: DeviceId, with: &mut Comparing, moment: &mut Moment<'_>) {
        if !self.is_locked || !self.anew.may_begin(moment.now) {
            return;
        }
        self.anew.begins(device, moment.now);
        self.end_with(device, with);
        with.comparisons.forget(device);
        self.commit(device, with, moment);
    }

    /// A device has let this one in, after a comparison of these.
    pub(super) fn let_in_by(&mut self, device: DeviceId, signs: Signs, with: &mut Comparing) {
        self.end_with(device, with);
        with.trust.let_in_by(device, signs);
        self.is_in(with);
    }

    pub(super) fn refused(
        &mut self,
        from: DeviceId,
        why: Refusal,
        with: &mut Comparing,
        moment: &mut Moment<'_>,
    ) {
        if !self.begun.contains(&from) {
            return;
        }
        with.trust.learn(from, None);
        match why {
            Refusal::Keyless => self.end_with(from, with),
            // It has forgotten what both had begun, or somebody says so again and again.
            Refusal::Proof => self.begin_anew(from, with, moment),
            Refusal::Person => {
                with.comparisons.forget(from);
                self.refused_by.insert(from);
                with.trust.turn_away(from, Some(TurnedAway::Person));
            }
            Refusal::Locked => with.trust.turn_away(from, Some(TurnedAway::Locked)),
        }
    }
}
