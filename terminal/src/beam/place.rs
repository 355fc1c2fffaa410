//! Which beam a device enters, and as whom.

use std::path::Path;

use heliograph_device::io::account::Account;
use heliograph_device::io::files::error::FileError;
use heliograph_device::io::files::shared_files::{FilePrint, SharedFiles};
use heliograph_device::io::server::{Failure, Server};
use heliograph_device::io::system_clock::now_ms;
use heliograph_device::io::system_random::SystemRandom;
use heliograph_device::keys::keyring::Keyring;
use heliograph_device::session::Why;
use heliograph_device::session::beam_link::BeamLink;
use heliograph_shared::ids::{BeamKey, DeviceToken};

use crate::exit::{Exit, Stop};
use crate::known_beam::{KnownBeam, KnownKeys};
use crate::link::Destination;
use crate::saved::{SavedBeam, account, logged_in};

/// A beam, and who this device is there.
pub(super) struct Place {
    pub(super) link: BeamLink,
    pub(super) beam_key: Option<BeamKey>,
    pub(super) token: DeviceToken,
    pub(super) keys: Option<Keyring>,
    pub(super) is_new: bool,
    pub(super) is_saved: bool,
    pub(super) server: Server,
    /// Whether this device is in it by the login of an account.
    pub(super) is_of_account: bool,
    /// The account in whose vault the keys may lie.
    pub(super) account: Option<Account>,
}

impl Place {
    /// The beam of a link, or a new one.
    pub(super) async fn of(destination: Destination) -> Result<Self, Stop> {
        let token = DeviceToken::from_random(SystemRandom::bytes());
        match destination {
            Destination::Saved(saved) => {
                let SavedBeam { account, link, keys } = *saved;
                let server = account.server().clone();
                let there = Self::there(server, link, false, token);
                let account = Some(account);
                Ok(Self { keys, is_saved: true, is_of_account: true, account, ..there })
            }
            Destination::OfAccount(account) => {
                let made = Self::made(account.server().clone(), true).await?;
                Ok(Self { is_of_account: true, account: Some(*account), ..made })
            }
            Destination::Existing { link, is_sealed } => {
                let server = Server::at(&link.server).map_err(|why| unreached(&why))?;
                Ok(Self::there(server, link, is_sealed, token))
            }
            Destination::Code { server, code, is_sealed } => {
                let server = Server::at(&server).map_err(|why| unreached(&why))?;
                let beam = server.find_by_code(code).await.map_err(|why| not_found(&why))?;
                let link = BeamLink { server: server.url().clone(), beam, invite: None };
                Ok(Self::there(server, link, is_sealed, token))
            }
            Destination::New { server, is_sealed } => {
                let server = Server::at(&server).map_err(|why| unreached(&why))?;
                Self::made(server, is_sealed).await
            }
            Destination::Known(known) => {
                let (link, keys) = (known.link()?, known.keyring()?);
                let KnownBeam { beam_key, token, is_of_account, .. } = *known;
                let (server, account) = if is_of_account {
                    let account = logged_in(Some(&link.server))?;
                    (account.server().clone(), Some(account))
                } else {
                    let server = Server::at(&link.server).map_err(|why| unreached(&why))?;
                    // Its person may have saved it since, with another device.
                    (server, account(Some(&link.server)).ok().flatten())
                };
                let there = Self::there(server, link, false, token);
                let is_saved = is_of_account;
                Ok(Self { beam_key, keys, is_saved, is_of_account, account, ..there })
            }
        }
    }

    /// What it takes to come back.
    pub(super) fn known(&self) -> KnownBeam {
        KnownBeam {
            server: self.link.server.clone(),
            beam: self.link.beam,
            beam_key: self.beam_key.clone(),
            token: self.token.clone(),
            keys: self.keys.as_ref().map(KnownKeys::of),
            is_of_account: self.is_of_account,
        }
    }

    /// A beam that is there, and not opened as a saved one.
    fn there(server: Server, link: BeamLink, is_sealed: bool, token: DeviceToken) -> Self {
        let keys = is_sealed.then(|| keys_of(&link));
        Self {
            link,
            beam_key: None,
            token,
            keys,
            is_new: false,
            is_saved: false,
            server,
            is_of_account: false,
            account: None,
        }
    }

    /// A new beam.
    async fn made(server: Server, is_sealed: bool) -> Result<Self, Stop> {
        let token = DeviceToken::from_random(SystemRandom::bytes());
        let made = server.create_beam().await.map_err(|why| unreached(&why))?;
        let keys = is_sealed.then(|| Keyring::make(&mut SystemRandom));
        let invite = keys.as_ref().and_then(|keys| keys.invite().cloned());
        let link = BeamLink { server: server.url().clone(), beam: made.beam_id, invite };
        let beam_key = Some(made.beam_key);
        Ok(Self { beam_key, keys, is_new: true, ..Self::there(server, link, false, token) })
    }

    /// Becomes the device that has shared these files here in an earlier run, unless the link has another secret by now.
    pub(super) fn shared_before(
        &mut self,
        folder: &Path,
        prints: &[FilePrint],
    ) -> Option<SharedFiles> {
        // What cannot be read is shared as new.
        let (shared, keys) =
            SharedFiles::find(folder, self.link.beam, prints, now_ms()).ok().flatten()?;
        let is_of_link = match (&self.link.invite, &keys) {
            (Some(invite), Some(keys)) => keys.invite_named(invite.id()).is_some(),
            (None, None) => self.keys.is_none(),
            // What was compared in the earlier run is not remembered.
            (None, Some(_)) | (Some(_), None) => false,
        };
        if !is_of_link {
            return None;
        }
        self.token = shared.token().clone();
        self.beam_key = shared.beam_key().cloned();
        self.keys = keys;
        Some(shared)
    }

    pub(super) fn begins_to_share(&self, folder: &Path) -> Result<SharedFiles, FileError> {
        SharedFiles::begin(folder, self.link.beam, self.token.clone(), self.beam_key.clone())
    }
}

/// The keys with which a device begins that comes into a sealed beam.
fn keys_of(link: &BeamLink) -> Keyring {
    match &link.invite {
        Some(invite) => Keyring::with_link(invite.secret().clone(), &mut SystemRandom),
        None => Keyring::without_link(&mut SystemRandom),
    }
}

fn not_found(why: &Failure) -> Stop {
    match why {
        Failure::Refused { status: 404, .. } => {
            let why = "This code is wrong or has ended. Ask for a new one on the other device.";
            Stop::new(Exit::BadLink, why)
        }
        _ => unreached(why),
    }
}

/// Why a server is of no use.
pub(super) fn unreached(why: &Failure) -> Stop {
    Stop::unreached(why)
}

/// Why a device is not in its beam any more.
pub(super) fn stopped(why: Why, failure: Option<&Failure>) -> Stop {
    match why {
        Why::Unreachable => failure.map_or_else(
            || Stop::new(Exit::Unreachable, "The server has closed the connection."),
            unreached,
        ),
        Why::Ended => Stop::new(Exit::Ended, "This beam has ended, or there is none of that link."),
        Why::Forbidden => Stop::new(Exit::Forbidden, "This device may not be in the beam."),
        Why::LoggedOut => {
            Stop::new(Exit::LoggedOut, "The login has ended: `login` again to be in this beam.")
        }
        Why::Left => Stop::new(Exit::Failed, ""),
    }
}
