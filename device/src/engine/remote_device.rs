//! Another device: its links, what is wanted from it, and the ends that it has not answered.

use std::collections::BTreeSet;
use std::time::Duration;

use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::limits::{DIRECT_TIMEOUT, MAX_RELAYED_FRAME_BYTES};
use heliograph_shared::relay::RelayUse;

use super::contract::Carrying;
use super::link::Link;
use crate::bundle::{Bundle, BundleView, RelayBeside};
use crate::receiver::LinkKey;
use crate::relay_joining::{RelayJoining, RelayView};
use crate::scheduler::{Receivers, Scheduler};
use crate::unheard_ends::UnheardEnds;

/// How long nothing is sent through the server after it refused a frame (R4).
const RELAY_PAUSE: Duration = Duration::from_secs(1);

/// Whether the server forwards frames.
pub const fn is_up(relay: Option<RelayUse>) -> bool {
    matches!(relay, Some(RelayUse::Fallback | RelayUse::Boost))
}

/// A device that the server lists.
#[derive(Debug)]
struct Listing {
    /// Whether both devices can have direct links.
    is_direct: bool,
    since: Duration,
}

#[derive(Debug)]
pub struct RemoteDevice {
    pub id: DeviceId,
    pub scheduler: Scheduler,
    pub ends: UnheardEnds,
    pub relay: Link,
    /// Open direct links, all in use; the newest comes last.
    pub direct: Vec<Link>,
    bundle: Bundle,
    bundle_size: u32,
    joining: RelayJoining,
    /// `None` when the server does not list the device; a direct link may outlive that.
    listed: Option<Listing>,
    /// A direct link broke or never opened.
    has_direct_failed: bool,
    /// Until when nothing is sent through the server (R4).
    paused_until: Option<Duration>,
}

impl RemoteDevice {
    pub fn new(id: DeviceId) -> Self {
        Self {
            id,
            scheduler: Scheduler::default(),
            ends: UnheardEnds::default(),
            relay: Link::new(LinkKey::Relay(id), 0, MAX_RELAYED_FRAME_BYTES),
            direct: Vec::new(),
            bundle: Bundle::default(),
            bundle_size: 1,
            joining: RelayJoining::default(),
            listed: None,
            has_direct_failed: false,
            paused_until: None,
        }
    }

    // --- whether it is here

    pub const fn is_listed(&self) -> bool {
        self.listed.is_some()
    }

    /// Whether frames can reach the device now, or will as soon as a link opens.
    pub const fn is_here(&self) -> bool {
        self.listed.is_some() || !self.direct.is_empty()
    }

    pub fn list(&mut self, is_direct: bool, now: Duration) {
        if self.listed.is_none() {
            self.listed = Some(Listing { is_direct, since: now });
            self.has_direct_failed = false;
        }
    }

    /// The server no longer lists the device, so nothing can go through the server.
    pub fn unlist(&mut self, receivers: &mut Receivers) {
        self.listed = None;
        self.paused_until = None;
        self.lost_relay(receivers);
    }

    // --- its links

    /// Every link that may carry frames, the relay last.
    pub fn links(&self) -> impl Iterator<Item = &Link> {
        self.direct.iter().chain([&self.relay])
    }

    pub fn links_mut(&mut self) -> impl Iterator<Item = &mut Link> {
        self.direct.iter_mut().chain([&mut self.relay])
    }

    /// An open link, or the relay.
    pub fn link_mut(&mut self, key: LinkKey) -> Option<&mut Link> {
        self.links_mut().find(|link| link.key == key)
    }

    pub fn opened(&mut self, link: Link) {
        self.direct.push(link);
    }

    /// A direct link closed or never opened. The other device wants again what it wanted there.
    pub fn closed(&mut self, link: u64, receivers: &mut Receivers) {
        let key = LinkKey::Direct(link);
        self.direct.retain(|open| open.key != key);
        self.has_direct_failed = true;
        self.scheduler.lost(receivers, key);
    }

    /// Everything wanted through the server is lost, in both directions (R4).
    pub fn lost_relay(&mut self, receivers: &mut Receivers) {
        self.scheduler.lost(receivers, self.relay.key);
        self.relay.clear();
        self.relay.offered.clear();
    }

    /// The server refused a frame for this device: pauses the relay (R4).
    pub fn pause_relay(&mut self, now: Duration) {
        self.relay.offered.clear();
        self.paused_until = Some(now + RELAY_PAUSE);
    }

    /// Ends a pause that is over. Returns whether one ended just now.
    pub fn resumes_relay(&mut self, now: Duration) -> bool {
        self.paused_until.take_if(|until| now >= *until).is_some()
    }

    pub const fn is_relay_paused(&self) -> bool {
        self.paused_until.is_some()
    }

    /// Whether frames may go through the server now.
    pub const fn can_relay(&self, relay: Option<RelayUse>) -> bool {
        self.listed.is_some() && is_up(relay) && !self.is_relay_paused()
    }

    /// Whether a link takes frames now.
    pub fn can_carry(&self, key: LinkKey, relay: Option<RelayUse>) -> bool {
        if key == self.relay.key {
            return self.can_relay(relay);
        }
        self.direct.iter().any(|link| link.key == key)
    }

    /// The best link for an urgent frame, even while a direct link may still open.
    pub fn best(&self, relay: Option<RelayUse>) -> Option<LinkKey> {
        let direct = self.direct.last().map(|link| link.key);
        direct.or_else(|| self.can_relay(relay).then_some(self.relay.key))
    }

    /// The links on which to want now: none while a direct link may still open (L2).
    pub fn routes(&self, relay: Option<RelayUse>, now: Duration) -> Vec<LinkKey> {
        let can_relay = self.can_relay(relay);
        if self.direct.is_empty() {
            let is_relayed = can_relay && self.is_direct_given_up(now);
            return is_relayed.then_some(self.relay.key).into_iter().collect();
        }
        let beside = (self.joining.is_joined() && can_relay).then_some(self.relay.key);
        self.kept().into_iter().chain(beside).collect()
    }

    /// The direct links to want on: those in the places that the bundle is to have. What is expected on the others arrives before
    /// they end, and need not come twice.
    fn kept(&self) -> Vec<LinkKey> {
        let all = || self.direct.iter().map(|link| (link.place, link.key));
        let kept: Vec<_> = all().filter(|(place, _)| *place < self.bundle.size()).collect();
        let kept = if kept.is_empty() { all().collect() } else { kept };
        kept.into_iter().map(|(_, key)| key).collect()
    }

    /// Whether a direct link is no longer waited for (L2).
    fn is_direct_given_up(&self, now: Duration) -> bool {
        self.listed.as_ref().is_some_and(|listed| {
            let waited = now.saturating_sub(listed.since);
            !listed.is_direct || self.has_direct_failed || waited >= DIRECT_TIMEOUT
        })
    }

    /// Whether only a direct link could carry, and none opens.
    pub fn needs_direct(&self, relay: Option<RelayUse>, now: Duration) -> bool {
        relay == Some(RelayUse::Off) && self.direct.is_empty() && self.is_direct_given_up(now)
    }

    // --- the bundle

    pub const fn bundle_size(&self) -> u32 {
        self.bundle_size
    }

    /// Decides which links are to carry what comes from it, and returns how many of them are direct (L6, R6). `most` is as many as
    /// this device lets a bundle have.
    pub fn fit_links(
        &mut self,
        receivers: &Receivers,
        relay: Option<RelayUse>,
        most: u32,
        now: Duration,
    ) -> u32 {
        let links = self.kept();
        self.rest_others(&links, receivers, now);
        let left = if links.is_empty() { 0 } else { self.scheduler.left(receivers) };
        let rate = self.scheduler.rate(&links, now);
        let round_trip = self.scheduler.round_trip(&links);
        let queuing = self.scheduler.queuing(&links);
        let is_relayed = self.joining.is_joined() && self.can_relay(relay);
        let relayed = if is_relayed { self.scheduler.rate(&[self.relay.key], now) } else { 0.0 };
        let view = RelayView {
            relay_use: relay,
            left,
            direct: rate,
            relay: relayed,
            round_trip: round_trip.map(|round_trip| round_trip.saturating_sub(queuing)),
            is_trying: self.bundle.is_trying(),
        };
        self.joining.next(&view, now);
        let open = u32::try_from(links.len()).unwrap_or(u32::MAX);
        let relay = match &self.joining {
            joining if joining.is_trying() => RelayBeside::Trying,
            joining if joining.is_main(now) => RelayBeside::Most,
            _ => RelayBeside::Little,
        };
        let view = BundleView { left, rate, round_trip, queuing, open, most, relay };
        let size = self.bundle.next(&view, now);
        let is_draining = self.direct.iter().any(|link| {
            let is_waiting = self.scheduler.waiting_on(receivers, link.key) > 0;
            link.place >= size && is_waiting && link.clock.is_carrying(now)
        });
        if size > self.bundle_size || !is_draining {
            self.bundle_size = size;
        }
        self.bundle_size
    }

    /// What is no longer wanted on says nothing about the way.
    fn rest_others(&mut self, kept: &[LinkKey], receivers: &Receivers, now: Duration) {
        for key in self.direct.iter().map(|link| link.key).filter(|key| !kept.contains(key)) {
            if self.scheduler.waiting_on(receivers, key) == 0 {
                self.scheduler.meter(key).idle(now);
            }
        }
    }

    /// The links of a transfer's way. Before its first chunk it is the way that it will take.
    pub fn carrying(&self, keys: &BTreeSet<LinkKey>) -> Carrying {
        if !keys.is_empty() {
            return carrying(keys);
        }
        let next = self.direct.last().map_or(self.relay.key, |link| link.key);
        carrying(&BTreeSet::from([next]))
    }

    // --- what it was told

    /// Whether it was told that a file can be had, on a link that may still bring it the news.
    pub fn was_offered(&self, transfer: ItemId) -> bool {
        self.links().any(|link| link.offered.contains(&transfer))
    }

    /// It waits for a file anew: what it was told before counts no more.
    pub fn misses(&mut self, transfer: ItemId) {
        for link in self.links_mut() {
            link.offered.remove(&transfer);
        }
    }

    /// Whether anything of a transfer is wanted and has not been sent.
    pub fn is_wanted(&self, transfer: ItemId) -> bool {
        self.links().any(|link| link.queue.has(transfer))
    }

    /// Nothing of a transfer that was wanted is sent any more.
    pub fn forget_queued(&mut self, transfer: ItemId) {
        self.links_mut().for_each(|link| link.forget(transfer));
    }

    /// Bytes that were handed over and have not left yet.
    pub fn unsent(&self) -> u64 {
        self.links().map(|link| link.buffer.unsent).sum()
    }
}

/// What links are in the words of the I/O.
pub fn carrying(keys: &BTreeSet<LinkKey>) -> Carrying {
    let mut carrying = Carrying::default();
    for key in keys {
        match key {
            LinkKey::Direct(link) => carrying.links.push(*link),
            LinkKey::Relay(_) => carrying.relay = true,
            LinkKey::Stored => carrying.stored = true,
        }
    }
    carrying
}
