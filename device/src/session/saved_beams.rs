//! The saved beams of an account, and how each opens by what the server shows (E9, E18): it could make keys up, deny a vault, show what
//! lies there for another beam, or what lay there before.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use heliograph_shared::api::keys::BeamKeys;
use heliograph_shared::api::vaults::{KeptBeam, SealedKeys};
use heliograph_shared::e2ee::invite::Invite;
use heliograph_shared::e2ee::vault::Vault;
use heliograph_shared::ids::BeamId;

use crate::keys::found_keys::FoundKeys;
use crate::keys::keyring::Keyring;
use crate::keys::saved_keys::{OwnEntry, SavedShared};
use crate::keys::vault_memory::VaultMemory;
use crate::random::Random;

/// Where the server says that the keys of a saved beam are.
#[derive(Clone, Copy)]
pub enum Place<'a> {
    /// In vaults (H55), sealed to this account or not.
    Vaults(Option<&'a SealedKeys>),
    /// With the server, which can read them (H52).
    Deposit(&'a BeamKeys),
    /// Nowhere: the beam is in clear text, or the server hides that it is sealed.
    Nowhere,
}

/// How the keys of a saved beam are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HowKept {
    /// In vaults, and the server never had them.
    Sealed,
    /// In vaults, since the server had earlier ones.
    SealedSince,
    /// The server has them.
    Readable,
    /// In a vault that does not open here, or not as what is of this beam.
    Closed,
    /// None are kept.
    Nowhere,
}

/// Why a saved beam does not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Closed {
    /// Its keys are in vaults, and the one of this account is not open here.
    #[error("its keys are in a vault that is not open here")]
    Locked,
    /// They are in vaults, and not for this account.
    #[error("its owner has not let this account open it")]
    NotHanded,
    /// What the server shows was not sealed by the account that it has to be of, or was changed.
    #[error("the server shows keys that this account has not sealed")]
    Forged,
    /// What the server shows was sealed for another beam.
    #[error("the server shows the keys of another beam")]
    OtherBeam,
    /// What the server shows lay there before: removed people may have those keys.
    #[error("the server shows older keys than this device has seen")]
    Older,
    /// This device has taken its keys from the vault before, and the server shows them no more.
    #[error("the server hides the keys that lay in the vault")]
    Hidden,
    /// What is deposited is no set of keys.
    #[error("the server shows no keys that could be of a beam")]
    Malformed,
    /// The keys are not of the link.
    #[error("the server shows keys that are not of this link")]
    OtherLink,
    /// No keys are kept: it is in clear text, or only other devices have them.
    #[error("no keys are kept of it")]
    Keyless,
}

/// What opens a saved beam.
pub struct Opened {
    /// The keys.
    pub ring: Keyring,
    /// What lies in the own vault, where it came from there. It is to be remembered (`VaultMemory::note`).
    pub entry: Option<OwnEntry>,
}

/// The own beams of an account, by what lies in its vault.
pub struct OwnBeams<'a> {
    vault: Option<&'a Vault>,
    public: String,
    own: BTreeSet<BeamId>,
    memory: &'a VaultMemory,
    /// What lies in the vault of the beam for which it is shown, as far as this device can tell.
    entries: BTreeMap<BeamId, OwnEntry>,
}

impl<'a> OwnBeams<'a> {
    /// Looks through what the server shows (H56). `own` are the beams that it lists as those of the account (H20).
    #[must_use]
    pub fn of(
        vault: Option<&'a Vault>,
        own: impl IntoIterator<Item = BeamId>,
        kept: &[KeptBeam],
        memory: &'a VaultMemory,
    ) -> Self {
        let public = vault.map(public_of).unwrap_or_default();
        let mut own: BTreeSet<BeamId> = own.into_iter().collect();
        // What this device has taken from the own vault is an own beam, whatever the server lists.
        let known = kept.iter().filter(|one| memory.tag_of(one.beam_id, &public).is_some());
        own.extend(known.map(|one| one.beam_id));
        let mut beams = Self { vault, public, own, memory, entries: BTreeMap::new() };
        beams.entries = beams.right(kept);
        beams
    }

    /// The entries of the beams for which they are shown.
    fn right(&self, kept: &[KeptBeam]) -> BTreeMap<BeamId, OwnEntry> {
        let Some(vault) = self.vault else { return BTreeMap::new() };
        let shown = kept.iter().filter(|one| self.own.contains(&one.beam_id));
        let shown = shown.filter_map(|one| {
            let entry = OwnEntry::open(vault, one.keys.as_ref()?)?;
            let known = self.memory.tag_of(one.beam_id, &self.public);
            known.is_none_or(|tag| tag == entry.tag).then_some((one.beam_id, entry))
        });
        let possible: BTreeMap<BeamId, OwnEntry> = shown.collect();
        // Of two with one tag, only a device can tell that knows the tag of one alone.
        let is_right = |beam: BeamId, entry: &OwnEntry| {
            let others = possible.iter().filter(|(id, one)| **id != beam && one.tag == entry.tag);
            let mut others = others.map(|(id, _)| *id);
            if self.is_named(beam) {
                !others.any(|id| self.is_named(id))
            } else {
                others.next().is_none()
            }
        };
        let right = possible.iter().filter(|(beam, entry)| is_right(**beam, entry));
        right.map(|(beam, entry)| (*beam, entry.clone())).collect()
    }

    fn is_named(&self, beam: BeamId) -> bool {
        self.memory.tag_of(beam, &self.public).is_some()
    }

    /// How the keys of a beam are kept.
    #[must_use]
    pub fn how_kept(&self, beam: BeamId, place: Place<'_>) -> HowKept {
        let since =
            |is_deposited| if is_deposited { HowKept::SealedSince } else { HowKept::Sealed };
        match (place, self.vault) {
            (Place::Vaults(Some(keys)), Some(vault)) if !self.own.contains(&beam) => {
                let handed = SavedShared::open(vault, keys);
                handed.map_or(HowKept::Closed, |handed| since(handed.is_deposited))
            }
            (Place::Vaults(Some(_)), Some(_)) => {
                let entry = self.entries.get(&beam);
                entry.map_or(HowKept::Closed, |entry| since(entry.shared.is_deposited))
            }
            (Place::Vaults(_), _) => HowKept::Closed,
            (Place::Deposit(_), _) => HowKept::Readable,
            (Place::Nowhere, _) => HowKept::Nowhere,
        }
    }

    /// Opens a beam. `link` is that by which the device came, if any.
    ///
    /// # Errors
    /// Why it does not.
    pub fn open(
        &self,
        beam: BeamId,
        place: Place<'_>,
        link: Option<&Invite>,
        random: &mut dyn Random,
    ) -> Result<Opened, Closed> {
        match self.find(beam, place)? {
            FoundKeys::Own { is_behind: true, .. } => Err(Closed::Older),
            FoundKeys::Own { entry, .. } => {
                let ring = Keyring::of_own(&entry, link, random).ok_or(Closed::OtherLink)?;
                Ok(Opened { ring, entry: Some(entry) })
            }
            FoundKeys::Handed(handed) => {
                let ring = Keyring::of_handed(&handed, link, random).ok_or(Closed::OtherLink)?;
                Ok(Opened { ring, entry: None })
            }
            FoundKeys::Deposit(keys) => {
                let why = if link.is_some() { Closed::OtherLink } else { Closed::Malformed };
                let ring = Keyring::of_deposit(&keys, link, random).ok_or(why)?;
                Ok(Opened { ring, entry: None })
            }
        }
    }

    /// What lies with a beam, where that is of it as far as this device can tell.
    ///
    /// # Errors
    /// Why nothing of it counts.
    pub fn find(&self, beam: BeamId, place: Place<'_>) -> Result<FoundKeys, Closed> {
        match (place, self.vault) {
            (Place::Vaults(None), Some(_)) if !self.own.contains(&beam) => Err(Closed::NotHanded),
            (Place::Vaults(_), None) => Err(Closed::Locked),
            (Place::Vaults(keys), Some(vault)) => {
                let keys = keys.ok_or(Closed::Hidden)?;
                if self.own.contains(&beam) {
                    return self.find_own(beam, vault, keys);
                }
                SavedShared::open(vault, keys).map(FoundKeys::Handed).ok_or(Closed::Forged)
            }
            // Once they were in the own vault, the server has none that count.
            (Place::Deposit(_) | Place::Nowhere, Some(_)) if self.is_named(beam) => {
                Err(Closed::Hidden)
            }
            (Place::Deposit(keys), _) => Ok(FoundKeys::Deposit(keys.clone())),
            (Place::Nowhere, _) => Err(Closed::Keyless),
        }
    }

    fn find_own(
        &self,
        beam: BeamId,
        vault: &Vault,
        keys: &SealedKeys,
    ) -> Result<FoundKeys, Closed> {
        // It is shown twice: in the list, by which beams can be told apart, and for this beam.
        let shown = OwnEntry::open(vault, keys).ok_or(Closed::Forged)?;
        let entry = self.entries.get(&beam).filter(|entry| entry.tag == shown.tag);
        let entry = entry.ok_or(Closed::OtherBeam)?.clone();
        let is_behind = self.memory.is_behind(&self.public, &entry.tag, entry.shared.changes);
        Ok(FoundKeys::Own { entry, is_named: self.is_named(beam), is_behind })
    }
}

/// The public key of a vault, as base64url.
#[must_use]
pub fn public_of(vault: &Vault) -> String {
    URL_SAFE_NO_PAD.encode(vault.public())
}
