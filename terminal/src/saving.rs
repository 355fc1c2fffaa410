//! Saves the beam that was made in the account of who is logged in, with its keys.

use heliograph_device::io::account::Account;
use heliograph_device::io::system_random::SystemRandom;
use heliograph_device::keys::keyring::Keyring;
use heliograph_device::keys::password::OwnVault;
use heliograph_device::keys::saved_keys::new_tag;
use heliograph_device::session::{Input, News};
use heliograph_shared::api::vaults::{BeamVaultChange, KeysForPerson};
use heliograph_shared::e2ee::vault::Vault;
use heliograph_shared::ids::BeamId;
use heliograph_shared::names::BeamName;
use heliograph_shared::opaque::Opaque;
use heliograph_shared::socket::{ClientMessage, ServerMessage};
use serde_json::value::to_raw_value;
use url::Url;

use crate::beam::Beam;
use crate::exit::{Exit, Stop};
use crate::link::{Destination, Wanted};
use crate::safe;
use crate::saved::{Lists, failed, logged_in, note};
use crate::voice::Voice;

/// A beam that is to be saved.
pub struct Saving {
    account: Account,
    name: BeamName,
    vault: Option<Vault>,
    /// Whether the server was asked to.
    is_asked: bool,
    is_done: bool,
}

impl Saving {
    /// A beam under this name, in the account that is logged in at a server. Nothing is made yet.
    ///
    /// # Errors
    /// Where nobody is logged in, its vault is locked, or this is no name; and where the account has a beam of that name, which would then
    /// lead to neither.
    pub async fn of(voice: &Voice, server: Option<&Url>, name: &str) -> Result<Self, Stop> {
        let name = BeamName::parse(name).map_err(|why| Stop::new(Exit::Usage, why.to_string()))?;
        let account = logged_in(server)?;
        if let Some(named) = Lists::read(&account).await?.own_called(name.as_str()) {
            let named = safe::line(named);
            let why = format!(
                "There is a saved beam {named} already. Choose another name, or share into that one with --to."
            );
            return Err(Stop::new(Exit::Usage, why));
        }
        let vault = match account.vault() {
            OwnVault::Open(vault) => Some(vault),
            OwnVault::None => {
                voice.hint("This account has no vault: once the beam is saved, the server can read what is shared in it.");
                None
            }
            OwnVault::Locked => {
                let why = "The vault of this account is locked, so there is no place for the keys of a saved beam. Log in again.";
                return Err(Stop::new(Exit::NotLetIn, why));
            }
        };
        Ok(Self { account, name, vault, is_asked: false, is_done: false })
    }

    /// The beam that is to be made.
    #[must_use]
    pub fn wanted(&self) -> Wanted {
        Wanted::Here(Destination::OfAccount(Box::new(self.account.clone())))
    }

    /// Whether it is saved, and its keys are where whoever may open it finds them.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.is_done
    }

    /// Asks the server to save it: what was shared before is saved with it.
    pub fn ask(&mut self, beam: &mut Beam) {
        if std::mem::replace(&mut self.is_asked, true) {
            return;
        }
        // A text is always JSON.
        let Ok(message) = to_raw_value(self.name.as_str()) else { return };
        // Whoever comes from now on is told where the keys are.
        beam.tell(Input::KeepKeys { is_vaulted: self.vault.is_some() });
        beam.tell(Input::Say(ClientMessage::SaveBeam { message }));
    }

    /// Hears what comes of it.
    ///
    /// # Errors
    /// Where the server does not save it, or takes no keys.
    pub async fn hears(&mut self, voice: &Voice, beam: &Beam, news: &News) -> Result<(), Stop> {
        let News::Server(message) = news else { return Ok(()) };
        match &**message {
            ServerMessage::BeamSaved { .. } if self.is_asked && !self.is_done => {
                let keys = beam.keys().ok_or_else(|| Stop::new(Exit::Failed, ""))?;
                self.keep(beam.link.beam, keys).await?;
                self.is_done = true;
                voice.hint(&format!("Saved as {}.", safe::line(self.name.as_str())));
                Ok(())
            }
            ServerMessage::Error { message, id: None, to: None, .. } if self.is_asked => {
                Err(Stop::new(Exit::Refused, format!("The server does not save it: {message}")))
            }
            _ => Ok(()),
        }
    }

    /// Puts the keys where they go: into the vault, or to the server.
    async fn keep(&self, beam: BeamId, keys: &Keyring) -> Result<(), Stop> {
        let keyless = || Stop::new(Exit::Failed, "This beam has no keys.");
        let Some(vault) = &self.vault else {
            let deposit = keys.for_deposit().ok_or_else(keyless)?;
            return self.account.write_deposit(beam, &deposit).await.map_err(|why| failed(&why));
        };
        let entry = keys.for_vault(new_tag(&mut SystemRandom)).ok_or_else(keyless)?;
        let sealed = entry.seal(vault, &mut SystemRandom);
        let keys = sealed.map_err(|why| Stop::new(Exit::Failed, why.to_string()))?;
        let to = Opaque::new(vault.public().to_vec());
        let keys = vec![KeysForPerson { username: self.account.username(), to, keys }];
        let change = BeamVaultChange { version: 1, keys };
        self.account.write_vault(beam, &change).await.map_err(|why| failed(&why))?;
        note(&self.account, beam, &entry)
    }
}
