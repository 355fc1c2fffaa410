//! A beam that a program is in again and again, as the same device.

use heliograph_device::io::system_random::SystemRandom;
use heliograph_device::keys::keyring::Keyring;
use heliograph_device::session::beam_link::BeamLink;
use heliograph_shared::e2ee::invite::Invite;
use heliograph_shared::ids::{BeamId, BeamKey, DeviceToken};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use url::Url;

use crate::exit::{Exit, Stop};

/// What it takes to come back. It is written where its person alone reads it.
#[derive(Clone, Serialize, Deserialize)]
pub struct KnownBeam {
    /// The address of the server.
    pub server: Url,
    /// The beam.
    pub beam: BeamId,
    /// For the device that has made it (S2).
    pub beam_key: Option<BeamKey>,
    /// Keeps the device the same one (S5).
    pub token: DeviceToken,
    /// What it has of the keys; `None` in a beam in clear text.
    pub keys: Option<KnownKeys>,
    /// Whether it is a saved one, in which this device is by the account that is logged in.
    #[serde(default)]
    pub is_of_account: bool,
}

/// What a device has of the keys of a sealed beam.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KnownKeys {
    /// All of them ([`Keyring::keep`]).
    Kept(Box<RawValue>),
    /// The secret of the link, for a device that nobody has let in; `None` where it came without one.
    Link(Option<String>),
}

impl KnownKeys {
    /// What is here.
    #[must_use]
    pub fn of(keys: &Keyring) -> Self {
        let kept = keys.keep().and_then(|kept| serde_json::from_slice(&kept).ok());
        let fragment = || keys.invite().map(|invite| invite.to_fragment().to_string());
        kept.map_or_else(|| Self::Link(fragment()), Self::Kept)
    }

    fn keyring(&self) -> Option<Keyring> {
        match self {
            Self::Kept(kept) => Keyring::kept(kept.get().as_bytes(), &mut SystemRandom),
            Self::Link(None) => Some(Keyring::without_link(&mut SystemRandom)),
            Self::Link(Some(fragment)) => {
                let invite = Invite::from_fragment(fragment).ok()?;
                Some(Keyring::with_link(invite.secret().clone(), &mut SystemRandom))
            }
        }
    }
}

impl KnownBeam {
    /// The keys; `None` for a beam in clear text.
    ///
    /// # Errors
    /// Where they cannot be read.
    pub fn keyring(&self) -> Result<Option<Keyring>, Stop> {
        let Some(keys) = &self.keys else { return Ok(None) };
        let why = "The keys of this beam cannot be read any more.";
        keys.keyring().map(Some).ok_or_else(|| Stop::new(Exit::Failed, why))
    }

    /// Its link, with the secret of now.
    ///
    /// # Errors
    /// As for [`KnownBeam::keyring`].
    pub fn link(&self) -> Result<BeamLink, Stop> {
        let invite = self.keyring()?.and_then(|keys| keys.invite().cloned());
        Ok(BeamLink { server: self.server.clone(), beam: self.beam, invite })
    }
}
