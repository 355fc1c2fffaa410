//! The keys of one beam as one device has them: it seals with one of them and opens with all.

use std::time::Duration;

use heliograph_shared::e2ee::envelope::{ContentKey, Header, Kind, Sealer};
use heliograph_shared::e2ee::error::Error;
use heliograph_shared::e2ee::invite::Invite;
use heliograph_shared::e2ee::kept;
use heliograph_shared::e2ee::key_pair::{KeyPair, PublicKey};
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::ids::DeviceId;

use super::known_devices::{KnownDevices, keep_last};
use super::openers::Openers;
use super::shared_keys::{Changes, KeyId, SharedKeys};
use super::unverified_devices::UnverifiedDevices;
use crate::random::{self, Random};

pub use super::openers::Reading;

/// More changes than a device could have missed would leave no number for the next one, and nothing newer would ever come.
const MOST_MISSED: u64 = 1_000_000;
/// Invites of before that are remembered.
const MOST_PAST: usize = 1_000;

/// How much of what a device is told it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// All of it, where that is newer.
    All,
    /// Only the keys, to open with.
    Keys,
}

/// What counts. It is replaced as a whole.
struct Current {
    key: ContentKey,
    sealer: Sealer,
    invite: Invite,
    /// The invite that follows of the key that seals: a device that has the keys from a deposit makes its links with it (E9).
    invite_of_key: Invite,
    changes: Changes,
    /// The devices that were removed before the key that seals was made.
    removed: Vec<DeviceId>,
}

impl Current {
    fn of(key: ContentKey, invite: Secret<32>, random: &mut dyn Random) -> Self {
        // A page of its own for each key: so no nonce comes twice, and numbers of a page only grow.
        let sealer = key.sealer(random::bytes(random));
        let invite_of_key = Invite::of_key(key.secret());
        let (changes, removed) = (Changes::default(), Vec::new());
        Self { key, sealer, invite: Invite::new(invite), invite_of_key, changes, removed }
    }
}

enum Standing {
    /// Nobody has let this device in. It has the secret of a link, or not even that.
    Outside(Option<Invite>),
    In(Box<Current>),
}

/// The keys of one beam.
pub struct Keyring {
    pub(super) devices: KnownDevices,
    pub(super) unverified: UnverifiedDevices,
    openers: Openers,
    standing: Standing,
    /// The ids of earlier invites. A removed device has them, so that their links lead nowhere.
    past: Vec<[u8; 8]>,
    /// The key pair of this device for this beam (E15), and what it follows from.
    own: KeyPair,
    pub(super) own_seed: Secret<32>,
    pub(super) has_let_in: bool,
    is_deposited: bool,
    is_vaulted: bool,
}

impl Keyring {
    /// Makes the keys of a new beam.
    #[must_use]
    pub fn make(random: &mut dyn Random) -> Self {
        let mut ring = Self::without_link(random);
        ring.rekey(&[], Duration::ZERO, random);
        ring
    }

    /// Begins with the secret of a link, and waits to be let in.
    #[must_use]
    pub fn with_link(invite: Secret<32>, random: &mut dyn Random) -> Self {
        Self::of_device(random::secret(random), Some(invite))
    }

    /// Begins with nothing, as a device whose person typed the id of the beam, and waits to be let in after a comparison (E8).
    #[must_use]
    pub fn without_link(random: &mut dyn Random) -> Self {
        Self::of_device(random::secret(random), None)
    }

    /// Begins as the device whose key pair follows from a secret (E15).
    pub(super) fn of_device(own_seed: Secret<32>, invite: Option<Secret<32>>) -> Self {
        Self {
            devices: KnownDevices::default(),
            unverified: UnverifiedDevices::default(),
            openers: Openers::default(),
            standing: Standing::Outside(invite.map(Invite::new)),
            past: Vec::new(),
            own: KeyPair::derive(&own_seed),
            own_seed,
            has_let_in: false,
            is_deposited: false,
            is_vaulted: false,
        }
    }

    /// Makes a beam key where nobody has one (E11): only who has the secret of a link does.
    pub fn make_key(&mut self, now: Duration, random: &mut dyn Random) {
        if let Standing::Outside(Some(invite)) = &self.standing {
            let key = ContentKey::new(random::secret(random));
            let made = Current::of(key, invite.secret().clone(), random);
            self.replace(made, now);
        }
    }

    /// Makes a new beam key and a new invite, which removed devices do not have (E15). What was sealed before stays readable.
    pub fn rekey(&mut self, removed: &[DeviceId], now: Duration, random: &mut dyn Random) {
        self.devices.forget(removed);
        let mut made =
            Current::of(ContentKey::new(random::secret(random)), random::secret(random), random);
        let Changes { keys, invites } = self.changes();
        // Where nobody told how often they were changed, there is one more of them for every time.
        let known = u64::try_from(self.openers.len()).unwrap_or(u64::MAX);
        let keys = if keys == 0 { known } else { keys };
        made.changes = Changes { keys: keys + 1, invites: invites + 1 };
        made.removed = self.devices.gone().to_vec();
        self.unverified.drop(self.devices.gone());
        self.replace(made, now);
    }

    fn replace(&mut self, next: Current, now: Duration) {
        let invites: Vec<[u8; 8]> = self.invites().map(Invite::id).collect();
        self.past.extend(invites);
        keep_last(&mut self.past, MOST_PAST);
        let before = self.current_id();
        self.openers.seals_with(&next.key, before, now);
        // Who is said to be removed has the key all the same where that has not changed.
        if before != Some(next.key.id()) {
            self.unverified.drop_told(&next.removed);
        }
        self.standing = Standing::In(Box::new(next));
    }

    fn current(&self) -> Option<&Current> {
        match &self.standing {
            Standing::In(current) => Some(current),
            Standing::Outside(_) => None,
        }
    }

    fn changes(&self) -> Changes {
        self.current().map(|current| current.changes).unwrap_or_default()
    }

    /// The invites that count.
    fn invites(&self) -> impl Iterator<Item = &Invite> {
        let (first, second) = match &self.standing {
            Standing::In(current) => (Some(&current.invite), Some(&current.invite_of_key)),
            Standing::Outside(invite) => (invite.as_ref(), None),
        };
        first.into_iter().chain(second)
    }

    /// Whether this device has been let in.
    #[must_use]
    pub const fn is_keyed(&self) -> bool {
        matches!(self.standing, Standing::In(_))
    }

    /// The id of the key that seals.
    #[must_use]
    pub fn current_id(&self) -> Option<KeyId> {
        self.current().map(|current| current.key.id())
    }

    /// The key that seals and the invite, by which the other devices know this one. A key that is made keeps the invite.
    #[must_use]
    pub fn newest(&self) -> (Option<KeyId>, Option<[u8; 8]>) {
        (self.current_id(), self.invite().map(Invite::id))
    }

    /// The invite that the link carries; `None` where this device came without it and was not let in yet.
    #[must_use]
    pub fn invite(&self) -> Option<&Invite> {
        match &self.standing {
            Standing::In(current) => Some(&current.invite),
            Standing::Outside(invite) => invite.as_ref(),
        }
    }

    /// An invite of this device; `None` where that is none, or not any more.
    #[must_use]
    pub fn invite_named(&self, id: [u8; 8]) -> Option<&Invite> {
        self.invites().find(|invite| invite.id() == id)
    }

    /// Whether an invite was one before the keys were changed.
    #[must_use]
    pub fn is_past(&self, id: [u8; 8]) -> bool {
        self.past.contains(&id)
    }

    /// The key pair of this device (E15).
    #[must_use]
    pub const fn own(&self) -> &KeyPair {
        &self.own
    }

    /// Whether the server may have the keys.
    #[must_use]
    pub const fn is_deposited(&self) -> bool {
        self.is_deposited
    }

    /// The beam is saved, and its keys go into vaults (E18) or to the server as they are (E9). All that are let in are told.
    pub(crate) const fn are_kept(&mut self, is_vaulted: bool) {
        self.is_vaulted |= is_vaulted;
        self.is_deposited |= !is_vaulted;
    }

    /// Whether a device was removed: it is handed nothing any more.
    #[must_use]
    pub fn is_removed(&self, device: DeviceId) -> bool {
        self.devices.is_removed(device)
    }

    /// The public key of a device that is in; `None` where it is not known.
    #[must_use]
    pub fn key_of(&self, device: DeviceId) -> Option<&PublicKey> {
        self.devices.key_of(device)
    }

    /// A device is being let in.
    pub(super) const fn lets_in(&mut self) {
        self.has_let_in = true;
    }

    /// What a device that joins is told; `None` before this one has been let in.
    #[must_use]
    pub fn shared(&self) -> Option<SharedKeys> {
        let current = self.current()?;
        Some(SharedKeys {
            keys: self.openers.keys().cloned().collect(),
            current: current.key.id(),
            invite: current.invite.secret().clone(),
            has_let_in: self.has_let_in,
            is_deposited: self.is_deposited,
            is_vaulted: self.is_vaulted,
            changes: current.changes,
            devices: self.devices.keys().to_vec(),
            removed: current.removed.clone(),
            unverified: self.unverified.ids(),
        })
    }

    /// Another device that is in tells which were not compared, and whether the keys were deposited. Of a device that was removed it
    /// counts only from who has the key that seals. Returns whether any of it is news.
    pub(super) fn hears(&mut self, unverified: &[DeviceId], key: KeyId) -> bool {
        let removed = match self.current() {
            Some(current) if current.key.id() != key => current.removed.clone(),
            _ => Vec::new(),
        };
        let told = unverified.iter().filter(|device| !removed.contains(device));
        self.unverified.merge(told.copied())
    }

    /// A device that is in says that the keys were deposited (E9). Who has heard that they are in vaults was told with that whether
    /// the server has them. Returns whether it is news.
    pub(super) const fn hears_deposited(&mut self, were_deposited: bool) -> bool {
        let is_news = were_deposited && !self.is_deposited && !self.is_vaulted;
        self.is_deposited |= is_news;
        is_news
    }

    /// Takes what was told. Returns false where it cannot be; nothing of it is taken then.
    pub(super) fn take(
        &mut self,
        told: &SharedKeys,
        taken: Taken,
        now: Duration,
        random: &mut dyn Random,
    ) -> bool {
        let known = self.changes();
        let is_possible = told.changes.keys <= known.keys.saturating_add(MOST_MISSED)
            && told.changes.invites <= known.invites.saturating_add(MOST_MISSED);
        let sealing = told.keys.iter().find(|key| key.id() == told.current);
        let Some(sealing) = sealing.filter(|_| is_possible) else { return false };
        self.openers.add(&told.keys);
        self.has_let_in |= told.has_let_in;
        self.is_deposited |= told.is_deposited && (told.is_vaulted || !self.is_vaulted);
        if taken == Taken::All {
            self.is_vaulted |= told.is_vaulted;
            self.devices.merge(&told.devices, &told.removed);
            if self.shared().is_none_or(|own| told.compare(&own).is_gt()) {
                let mut next = Current::of(sealing.clone(), told.invite.clone(), random);
                next.changes = told.changes;
                next.removed.clone_from(&told.removed);
                self.replace(next, now);
            }
        }
        self.hears(&told.unverified, told.current);
        true
    }

    /// A state in which nobody is said to be removed who is here: this device would take nothing of those any more.
    fn as_seen(&self, told: &SharedKeys, here: &[DeviceId]) -> SharedKeys {
        let mut seen = told.clone();
        seen.removed.retain(|device| !self.devices.is_contradicted_by(*device, here));
        seen
    }

    /// Takes what a welcome tells. A device that is in takes the keys alone: a removed device has the invite of before, and could
    /// welcome one that was away. One that made its key where it found none (E11) takes all.
    ///
    /// `here` are the devices that are here, with this one. Returns whether anything was taken.
    pub fn welcomed(
        &mut self,
        told: &SharedKeys,
        here: &[DeviceId],
        now: Duration,
        random: &mut dyn Random,
    ) -> bool {
        let taken = if self.changes().keys == 0 { Taken::All } else { Taken::Keys };
        self.take(&self.as_seen(told, here), taken, now, random)
    }

    /// Takes what is kept for those who have the link (E10), where this device has no keys. Returns whether it opens.
    pub fn open_kept(
        &mut self,
        message: &str,
        here: &[DeviceId],
        now: Duration,
        random: &mut dyn Random,
    ) -> bool {
        let content = self.invite().and_then(|invite| kept::open(invite, message).ok());
        let Some(told) = content.and_then(|content| SharedKeys::read(&content)) else {
            return false;
        };
        self.is_keyed() || self.take(&self.as_seen(&told, here), Taken::All, now, random)
    }

    /// Whether a message is the item that lets in whoever has the link of now (E10).
    #[must_use]
    pub fn opens_kept(&self, message: &str) -> bool {
        let content = self.invite().and_then(|invite| kept::open(invite, message).ok());
        content.is_some_and(|content| SharedKeys::read(&content).is_some())
    }

    /// The message of the item that lets in whoever has the link (E10); `None` before this device has been let in.
    pub fn seal_kept(&self, random: &mut dyn Random) -> Option<String> {
        let shared = SharedKeys { has_let_in: true, ..self.shared()? };
        kept::seal(self.invite()?, &shared.write(), random::bytes(random)).ok()
    }

    /// Seals a content.
    ///
    /// # Errors
    /// [`Error::UnknownKey`] before this device has been let in, [`Error::TooLong`] and [`Error::Spent`].
    pub fn seal(&mut self, kind: Kind, content: &[u8]) -> Result<String, Error> {
        match &mut self.standing {
            Standing::In(current) => current.sealer.seal(kind, content),
            Standing::Outside(_) => Err(Error::UnknownKey),
        }
    }

    /// Whether a key is here.
    #[must_use]
    pub fn knows(&self, key: KeyId) -> bool {
        self.openers.has(key)
    }

    /// Whether an envelope is under the key that seals.
    #[must_use]
    pub fn is_current(&self, envelope: &str) -> bool {
        let header = Header::of(envelope).ok();
        header.is_some_and(|header| Some(header.key_id) == self.current_id())
    }

    /// Opens an envelope.
    #[must_use]
    pub fn open(&self, kind: Kind, envelope: &str, now: Duration) -> Reading {
        self.openers.open(kind, envelope, self.current_id(), now)
    }
}
