//! Lets devices in that came without the link (E8): commit, accept, reveal, and then a welcome under what the two have in common.
//! A joiner does it with every device of the beam at once, and a device with every joiner.

use std::collections::BTreeMap;
use std::time::Duration;

use heliograph_shared::e2ee::comparing::{Compared, Joiner, Member, Share};
use heliograph_shared::e2ee::key_pair::KeyPair;
use heliograph_shared::e2ee::welcome::Welcome;
use heliograph_shared::ids::{BeamId, DeviceId};

use super::keyring::Keyring;
use super::known_devices::keep_last;
use super::shared_keys::SharedKeys;
use super::signs::Signs;
use super::text::{decode_array, encode};
use super::way_in::{SealedMessage, ShareMessage, Short, Text};
use crate::random::{self, Random};

/// Joiners that a device remembers: as many as a beam has devices.
const MOST_JOINERS: usize = 100;

/// One side of a comparison.
struct Side {
    keys: KeyPair,
    nonce: [u8; 32],
}

impl Side {
    fn new(random: &mut dyn Random) -> Self {
        Self { keys: KeyPair::derive(&random::secret(random)), nonce: random::bytes(random) }
    }

    const fn share(&self) -> Share {
        Share { key: *self.keys.public(), nonce: self.nonce }
    }

    fn joiner(&self, beam: BeamId) -> Joiner<'_> {
        Joiner::new(beam.uuid(), &self.keys, self.nonce)
    }
}

/// What this device, as a joiner, has begun with a device of the beam.
struct Begun {
    mine: Side,
    /// What that one has accepted with first, and what follows of it.
    found: Option<(Share, Compared)>,
}

/// A joiner, as a device of the beam knows it.
struct Coming {
    device: DeviceId,
    mine: Side,
    commitment: [u8; 32],
    /// Known once it has revealed its share.
    found: Option<(Share, Compared)>,
}

/// The answer to a joiner that begins.
#[derive(Debug)]
pub struct Accepted {
    /// What this device gives.
    pub share: ShareMessage,
    /// Whether it is another one than the joiner was given before: then what both show is another chance to guess.
    pub is_new: bool,
}

/// All comparisons of one device in one beam.
pub struct Comparisons {
    beam: BeamId,
    begun: BTreeMap<DeviceId, Begun>,
    /// Those that have begun last at the end.
    joiners: Vec<Coming>,
}

impl Comparisons {
    /// In this beam.
    #[must_use]
    pub const fn new(beam: BeamId) -> Self {
        Self { beam, begun: BTreeMap::new(), joiners: Vec::new() }
    }

    /// Begins to join by a device, over each socket with the same: pictures that change could be made to change until they are right.
    /// Returns the commitment.
    pub fn commit(&mut self, device: DeviceId, random: &mut dyn Random) -> Short {
        let begun = self.begun.entry(device);
        let begun = begun.or_insert_with(|| Begun { mine: Side::new(random), found: None });
        Text(encode(&begun.mine.joiner(self.beam).commitment()))
    }

    /// A joiner begins, or says again what it has said over a socket that is gone. `may_begin`: whether it may, if it has not begun so.
    /// `None` for what is no commitment, and for a joiner that may not.
    pub fn accept(
        &mut self,
        device: DeviceId,
        commitment: &Short,
        may_begin: bool,
        random: &mut dyn Random,
    ) -> Option<Accepted> {
        let commitment = decode_array(&commitment.0)?;
        let begun = self.joiners.iter().find(|one| one.device == device);
        if let Some(begun) = begun.filter(|begun| begun.commitment == commitment) {
            return Some(Accepted { share: message(&begun.mine.share()), is_new: false });
        }
        if !may_begin {
            return None;
        }
        let mine = Side::new(random);
        let share = message(&mine.share());
        self.joiners.retain(|one| one.device != device);
        self.joiners.push(Coming { device, mine, commitment, found: None });
        keep_last(&mut self.joiners, MOST_JOINERS);
        Some(Accepted { share, is_new: true })
    }

    /// The device has accepted. Returns what this one reveals, and what both show; `None` for what is no share, or another one than
    /// that device has given before.
    pub fn reveal(
        &mut self,
        device: DeviceId,
        said: &ShareMessage,
    ) -> Option<(ShareMessage, Signs)> {
        let begun = self.begun.get_mut(&device)?;
        let member = share_in(said)?;
        let (accepted, compared) = if let Some(found) = begun.found.take() {
            found
        } else {
            (member, begun.mine.joiner(self.beam).accept(&member).ok()?.1)
        };
        // What it has accepted first counts: else it could choose what this device shows.
        let is_same = accepted == member;
        let signs = compared.signs;
        begun.found = Some((accepted, compared));
        is_same.then(|| (message(&begun.mine.share()), signs))
    }

    /// A joiner has revealed its share. Returns what both show; `None` where it is not what it has committed itself to.
    pub fn revealed(&mut self, device: DeviceId, said: &ShareMessage) -> Option<Signs> {
        let beam = self.beam.uuid();
        let begun = self.joiners.iter_mut().find(|one| one.device == device)?;
        let joiner = share_in(said)?;
        if let Some((share, compared)) = &begun.found {
            return (*share == joiner).then_some(compared.signs);
        }
        let member = Member::new(beam, &begun.mine.keys, begun.mine.nonce, begun.commitment);
        let compared = member.reveal(&joiner).ok()?;
        let signs = compared.signs;
        begun.found = Some((joiner, compared));
        Some(signs)
    }

    /// The welcome of a joiner; `None` for one that has not revealed its share, or shows other signs than these. `is_compared`: whether
    /// a person has compared them. One that nobody has compared is let in only where no device was before.
    pub fn let_in(
        &mut self,
        ring: &mut Keyring,
        device: DeviceId,
        signs: Signs,
        is_compared: bool,
        random: &mut dyn Random,
    ) -> Option<SealedMessage> {
        let at = self.joiners.iter().position(|one| one.device == device)?;
        let (share, compared) = self.joiners.remove(at).found?;
        if compared.signs != signs || !ring.is_keyed() || (!is_compared && ring.has_let_in()) {
            return None;
        }
        ring.lets_in();
        if is_compared {
            ring.compared(&[device]);
        } else {
            ring.lets_in_unasked(device);
        }
        let content = ring.shared()?.write();
        let (joiner, randomness) = ((&share.key, device), random::secret(random));
        let welcome = Welcome::seal(&content, joiner, &compared.psk, &randomness).ok()?;
        Some(SealedMessage::of(&welcome.encapsulated, &welcome.sealed))
    }

    /// Ends what a joiner has begun, or this device with another one.
    pub fn forget(&mut self, device: DeviceId) {
        self.joiners.retain(|one| one.device != device);
        self.begun.remove(&device);
    }

    /// Takes the welcome of a device. `here` are the devices that are here, with this one. Returns what both showed; `None` where this
    /// device has not been let in by it.
    pub fn welcomed(
        &self,
        ring: &mut Keyring,
        (from, me): (DeviceId, DeviceId),
        message: &SealedMessage,
        here: &[DeviceId],
        now: Duration,
        random: &mut dyn Random,
    ) -> Option<Signs> {
        let begun = self.begun.get(&from)?;
        let (_, compared) = begun.found.as_ref()?;
        let (encapsulated, sealed) = message.parts()?;
        let welcome = Welcome { encapsulated, sealed };
        let content = welcome.open(&begun.mine.keys, me, &compared.psk).ok()?;
        let told = SharedKeys::read(&content)?;
        ring.welcomed(&told, here, now, random).then_some(compared.signs)
    }
}

fn message(share: &Share) -> ShareMessage {
    ShareMessage { key: Text(encode(&share.key)), nonce: Text(encode(&share.nonce)) }
}

/// `None` for what is not base64url of so many bytes.
fn share_in(said: &ShareMessage) -> Option<Share> {
    Some(Share { key: decode_array(&said.key.0)?, nonce: decode_array(&said.nonce.0)? })
}
