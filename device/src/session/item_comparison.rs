//! Devices tell each other what the server has given them, so that one to which it gave less, or an older version, notices (E14). An honest
//! server gives every device the same, and before it passes on what another says of it. A device that says what it has asks the server for
//! everything first, so what the server has dropped or lost meanwhile is missing nowhere.
//!
//! `client/src/protocol/item-comparison` does the same for the browser.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::json::Json;
use serde::{Deserialize, Deserializer, Serialize};

use crate::bounded_json::{Bounded, safe_integer};

/// A digest is told when nothing has changed for so long, and after `LATEST` in any case.
const QUIET: Duration = Duration::from_secs(2);
const LATEST: Duration = Duration::from_secs(20);
/// So long until a device is asked again about the same difference.
const AGAIN: Duration = Duration::from_secs(30);
/// The newest items that are listed: with names of versions they fill less than half of a message (S14).
const MOST_LISTED: usize = 1_000;
/// A device compares itself with so many that are before it in the list of devices, and with so many after it.
const NEIGHBOURS: usize = 4;
/// Longest name of a version and longest digest.
const MOST_TEXT: usize = 100;

/// By item, the name of the version that the server has given.
pub(super) type Given = BTreeMap<ItemId, String>;

/// What one device tells another, sealed as a signal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "items", rename_all = "snake_case")]
pub(super) enum Message {
    /// Of what the sender was given.
    Digest {
        digest: String,
        /// Whether it knows that of the other device.
        #[serde(rename = "hasYours")]
        has_yours: bool,
    },
    Ask {
        #[serde(deserialize_with = "safe_integer")]
        round: i64,
    },
    List {
        #[serde(deserialize_with = "safe_integer")]
        round: i64,
        /// Items with the names of their versions.
        #[serde(deserialize_with = "listed")]
        list: Vec<(ItemId, String)>,
    },
}

fn listed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(ItemId, String)>, D::Error> {
    Bounded::<_, MOST_LISTED>::deserialize(deserializer).map(|list| list.0)
}

impl Message {
    /// `None` for what is about something else.
    pub(super) fn read(signal: &Json) -> Option<Self> {
        let message: Self = serde_json::from_str(signal.get()).ok()?;
        let is_short = match &message {
            Self::Digest { digest, .. } => digest.len() <= MOST_TEXT,
            Self::Ask { .. } => true,
            Self::List { list, .. } => list.iter().all(|(_, name)| name.len() <= MOST_TEXT),
        };
        is_short.then_some(message)
    }
}

/// What happens.
pub(super) enum Event {
    /// The other devices that seal, in the order of `authed_users`, rotated so that this device would come first.
    Listed(Vec<DeviceId>),
    /// The socket is new: what was told over the old one may be lost.
    Connected,
    /// The server has given or deleted something.
    Changed,
    /// The server has given everything that it has (S11).
    Synced,
    Heard {
        from: DeviceId,
        message: Message,
    },
    /// The person tries again.
    Retried,
    /// The time of [`ItemComparison::due`] has come. The digest is that of what the server has given.
    Due {
        digest: String,
    },
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Act {
    Tell(DeviceId, Message),
    /// The server is to be asked for everything.
    Sync,
}

/// What this device knows of the items that it compares.
pub(super) trait Compared {
    /// What the server has given to this device.
    fn given(&self) -> Given;
    /// The newest of them, the oldest first, so many at most.
    fn newest(&self, most: usize) -> Vec<(ItemId, String)>;
    /// How many versions have been replaced here by others that came after them.
    fn replaced(&self) -> usize;
    /// Whether this device is deleting the item, or has a version that is certainly newer. `since`: how many versions had been replaced here
    /// when the other device was asked: it cannot have been given what was replaced before.
    fn is_past(&self, id: ItemId, version: &str, since: usize) -> bool;
}

#[derive(Default)]
struct Peer {
    /// The digest that it has told last over this socket; `None` before.
    digest: Option<String>,
    /// The digest of this device that it has been told; `None` where it may not know.
    told: Option<String>,
    /// The difference, as both digests, that was asked about last, and when.
    asked: Option<(About, Duration)>,
    /// The number of the question that it has not answered yet.
    open: Option<i64>,
    /// How many versions had been replaced here when it was asked last.
    since: usize,
    /// What it had and this device had not, by its last answer.
    lacking: Given,
    /// What was lacking still after the server had been asked for everything.
    missing: Given,
    /// Whether it is asked again after the next [`Event::Synced`].
    is_doubted: bool,
    /// The number of its own question. It is answered after the next [`Event::Synced`].
    asks: Option<i64>,
}

type About = (Option<String>, Option<String>);

#[derive(Default)]
pub(super) struct ItemComparison {
    peers: BTreeMap<DeviceId, Peer>,
    digest: Option<String>,
    round: i64,
    due: Option<Duration>,
    latest: Option<Duration>,
}

/// What a session compares, and what it has told of it.
#[derive(Default)]
pub(super) struct MissingItems {
    pub(super) comparison: ItemComparison,
    /// The other devices that seal, as they were compared with last.
    pub(super) listed: Vec<DeviceId>,
    /// How many items are missing, as was told.
    pub(super) count: usize,
}

impl ItemComparison {
    /// When to be told the digest; `None` when there is nothing to compare.
    pub(super) const fn due(&self) -> Option<Duration> {
        self.due
    }

    /// The items that another device has been given, and this one has not.
    pub(super) fn missing(&self) -> BTreeSet<ItemId> {
        self.peers.values().flat_map(|peer| peer.missing.keys().copied()).collect()
    }

    pub(super) fn handle(&mut self, event: Event, now: Duration, items: &dyn Compared) -> Vec<Act> {
        match event {
            Event::Listed(devices) => self.listed(&devices, now),
            Event::Connected => {
                for peer in self.peers.values_mut() {
                    (peer.digest, peer.told, peer.open, peer.asks) = (None, None, None, None);
                }
            }
            Event::Changed => self.changed(now, items),
            Event::Synced => {
                self.changed(now, items);
                return self.synced(now, items);
            }
            Event::Heard { from, message } => return self.heard(from, message, now, items),
            Event::Retried => {
                for peer in self.peers.values_mut() {
                    peer.is_doubted |= !peer.missing.is_empty();
                }
                return vec![Act::Sync];
            }
            Event::Due { digest } => return self.is_due(&digest, now, items),
        }
        Vec::new()
    }

    fn listed(&mut self, devices: &[DeviceId], now: Duration) {
        let last = devices.iter().rev().take(NEIGHBOURS);
        let near: BTreeSet<_> = devices.iter().take(NEIGHBOURS).chain(last).copied().collect();
        self.peers.retain(|device, _| near.contains(device));
        for device in near {
            self.peers.entry(device).or_default();
        }
        self.soon(now);
    }

    fn changed(&mut self, now: Duration, items: &dyn Compared) {
        let lacks = |peer: &&mut Peer| !peer.lacking.is_empty();
        for peer in self.peers.values_mut().filter(lacks) {
            let given = items.given();
            for others in [&mut peer.lacking, &mut peer.missing] {
                others.retain(|id, version| is_lacking(*id, version, (&given, peer.since), items));
            }
        }
        self.soon(now);
    }

    fn synced(&mut self, now: Duration, items: &dyn Compared) -> Vec<Act> {
        let mut acts = Vec::new();
        for device in self.peers.keys().copied().collect::<Vec<_>>() {
            let Some(peer) = self.peers.get_mut(&device) else { continue };
            let is_doubted = std::mem::take(&mut peer.is_doubted);
            if let Some(round) = peer.asks.take() {
                let list = items.newest(MOST_LISTED);
                acts.push(Act::Tell(device, Message::List { round, list }));
            }
            if is_doubted {
                acts.extend(self.ask(device, now, items));
            }
        }
        acts
    }

    fn heard(
        &mut self,
        from: DeviceId,
        message: Message,
        now: Duration,
        items: &dyn Compared,
    ) -> Vec<Act> {
        let Some(peer) = self.peers.get_mut(&from) else { return Vec::new() };
        match message {
            Message::Digest { digest, has_yours } => {
                peer.digest = Some(digest);
                if !has_yours {
                    peer.told = None;
                }
                self.by(now + QUIET);
                Vec::new()
            }
            Message::Ask { round } => {
                peer.asks = Some(round);
                vec![Act::Sync]
            }
            Message::List { round, list } if peer.open == Some(round) => {
                self.answered(from, list, now, items)
            }
            Message::List { .. } => Vec::new(),
        }
    }

    fn answered(
        &mut self,
        from: DeviceId,
        list: Vec<(ItemId, String)>,
        now: Duration,
        items: &dyn Compared,
    ) -> Vec<Act> {
        let Some(peer) = self.peers.get_mut(&from) else { return Vec::new() };
        peer.open = None;
        let before = std::mem::take(&mut peer.lacking);
        let (given, since) = (items.given(), peer.since);
        peer.lacking = list.into_iter().collect();
        peer.lacking.retain(|id, version| is_lacking(*id, version, (&given, since), items));
        peer.missing = peer.lacking.clone();
        peer.missing.retain(|id, version| before.get(id) == Some(version));
        peer.is_doubted = peer.missing.len() < peer.lacking.len();
        let (is_missing, is_doubted) = (!peer.missing.is_empty(), peer.is_doubted);
        if is_missing {
            self.by(now + AGAIN);
        }
        if is_doubted { vec![Act::Sync] } else { Vec::new() }
    }

    /// Nothing has changed for a while.
    fn is_due(&mut self, digest: &str, now: Duration, items: &dyn Compared) -> Vec<Act> {
        self.digest = Some(digest.to_owned());
        (self.due, self.latest) = (None, None);
        let mut acts = Vec::new();
        for device in self.peers.keys().copied().collect::<Vec<_>>() {
            let Some(peer) = self.peers.get_mut(&device) else { continue };
            if peer.told.as_deref() == Some(digest) {
                acts.extend(self.compare(device, digest, now, items));
                continue;
            }
            peer.told = Some(digest.to_owned());
            let has_yours = peer.digest.is_some();
            // Where both have changed, the other one is about to tell its digest too.
            self.by(now + QUIET);
            let digest = digest.to_owned();
            acts.push(Act::Tell(device, Message::Digest { digest, has_yours }));
        }
        acts
    }

    fn compare(
        &mut self,
        device: DeviceId,
        mine: &str,
        now: Duration,
        items: &dyn Compared,
    ) -> Option<Act> {
        let peer = self.peers.get_mut(&device)?;
        let theirs = peer.digest.as_deref()?;
        if theirs == mine {
            peer.lacking.clear();
            peer.missing.clear();
            peer.open = None;
            return None;
        }
        let is_same = |(mine_then, theirs_then): &About| {
            mine_then.as_deref() == Some(mine) && theirs_then.as_deref() == Some(theirs)
        };
        let asked_at = peer.asked.as_ref().filter(|(about, _)| is_same(about)).map(|(_, at)| *at);
        // It had nothing more than this device.
        if asked_at.is_some() && peer.open.is_none() && peer.lacking.is_empty() {
            return None;
        }
        match asked_at.map(|at| at + AGAIN).filter(|again| now < *again) {
            Some(again) => {
                self.by(again);
                None
            }
            None => self.ask(device, now, items),
        }
    }

    fn ask(&mut self, device: DeviceId, now: Duration, items: &dyn Compared) -> Option<Act> {
        let peer = self.peers.get_mut(&device)?;
        self.round += 1;
        peer.open = Some(self.round);
        peer.since = items.replaced();
        peer.asked = Some(((self.digest.clone(), peer.digest.clone()), now));
        let round = self.round;
        self.by(now + AGAIN);
        Some(Act::Tell(device, Message::Ask { round }))
    }

    fn soon(&mut self, now: Duration) {
        if !self.peers.is_empty() {
            let latest = *self.latest.get_or_insert(now + LATEST);
            self.due = Some(latest.min(now + QUIET));
        }
    }

    fn by(&mut self, at: Duration) {
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }
}

fn is_lacking(
    id: ItemId,
    version: &str,
    (given, since): (&Given, usize),
    items: &dyn Compared,
) -> bool {
    given.get(&id).is_none_or(|here| here != version) && !items.is_past(id, version, since)
}
