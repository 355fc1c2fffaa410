//! The saved beams of who is logged in, by their names.

use heliograph_device::io::account::Account;
use heliograph_device::io::login::LoginStore;
use heliograph_device::io::private_folder::PrivateFolder;
use heliograph_device::io::server::{Failure, Server};
use heliograph_device::io::system_random::SystemRandom;
use heliograph_device::keys::found_keys::FoundKeys;
use heliograph_device::keys::keyring::Keyring;
use heliograph_device::keys::password::OwnVault;
use heliograph_device::keys::saved_keys::OwnEntry;
use heliograph_device::session::beam_link::{BeamLink, server_of};
use heliograph_device::session::saved_beams::{Closed, OwnBeams, Place, public_of};
use heliograph_shared::api::keys::BeamKeys;
use heliograph_shared::api::vaults::KeptBeam;
use heliograph_shared::ids::BeamId;
use url::Url;

use crate::exit::{Exit, Stop};
use crate::files::accounts;
use crate::safe;
use crate::voice::Voice;

/// A saved beam, opened.
pub struct SavedBeam {
    /// The account that opens it.
    pub account: Account,
    /// Its link.
    pub link: BeamLink,
    /// Its keys; `None` where it is in clear text.
    pub keys: Option<Keyring>,
}

/// What has come of opening one.
pub enum Opened {
    /// It is open.
    Beam(Box<SavedBeam>),
    /// None is known by that name here, and why.
    Unknown(&'static str),
}

/// A beam in the lists of an account.
pub struct Listed {
    /// Its id.
    pub id: BeamId,
    /// Its name.
    pub name: String,
    /// Whose it is; `None` for an own one.
    pub owner: Option<String>,
    /// What the account may do there.
    pub level: &'static str,
}

/// All that an account lists.
pub struct Lists {
    /// Its own beams first.
    pub beams: Vec<Listed>,
    /// How their keys are kept.
    pub kept: Vec<KeptBeam>,
}

impl Lists {
    /// Asks the server.
    ///
    /// # Errors
    /// Where it does not tell.
    pub async fn read(account: &Account) -> Result<Self, Stop> {
        let own = account.own_beams().await.map_err(|why| failed(&why))?.into_iter();
        let shared = account.shared_beams().await.map_err(|why| failed(&why))?.into_iter();
        let kept = account.kept_beams().await.map_err(|why| failed(&why))?;
        let own = own.map(|beam| Listed {
            id: beam.beam_id,
            name: beam.beam_name,
            owner: None,
            level: "owner",
        });
        let shared = shared.map(|share| Listed {
            id: share.beam.beam_id,
            name: share.beam.beam_name,
            owner: Some(share.owner.username),
            level: level(share.share_type),
        });
        Ok(Self { beams: own.chain(shared).collect(), kept })
    }

    /// The ids of the own beams.
    pub fn own(&self) -> impl Iterator<Item = BeamId> {
        self.beams.iter().filter(|beam| beam.owner.is_none()).map(|beam| beam.id)
    }

    /// How the keys of a beam are kept; `None` where none are.
    #[must_use]
    pub fn kept(&self, id: BeamId) -> Option<&KeptBeam> {
        self.kept.iter().find(|kept| kept.beam_id == id)
    }

    /// The beam of this id or name. An own one counts before one of others.
    /// `None` where no beam is called so.
    fn find(&self, name: &str) -> Result<Option<&Listed>, Stop> {
        if let Some(beam) = BeamId::parse(name).ok().and_then(|id| self.with_id(id)) {
            return Ok(Some(beam));
        }
        let is_called: [&dyn Fn(&Listed) -> bool; 4] = [
            &|beam| beam.owner.is_none() && beam.name == name,
            &|beam| beam.owner.is_none() && is_alike(&beam.name, name),
            &|beam| beam.name == name,
            &|beam| is_alike(&beam.name, name),
        ];
        for is_called in is_called {
            let called: Vec<&Listed> = self.beams.iter().filter(|beam| is_called(beam)).collect();
            match called[..] {
                [] => {}
                [beam] => return Ok(Some(beam)),
                _ => {
                    let ids: Vec<_> = called.iter().map(|beam| beam.id.to_string()).collect();
                    let ids = ids.join(", ");
                    let why =
                        format!("Several saved beams are called so. Say the id of one: {ids}.");
                    return Err(Stop::new(Exit::BadLink, why));
                }
            }
        }
        Ok(None)
    }

    /// The own beam of this name, in capitals or not.
    #[must_use]
    pub fn own_called(&self, name: &str) -> Option<&str> {
        let mut own = self.beams.iter().filter(|beam| beam.owner.is_none());
        own.find(|beam| is_alike(&beam.name, name)).map(|beam| beam.name.as_str())
    }

    fn with_id(&self, id: BeamId) -> Option<&Listed> {
        self.beams.iter().find(|beam| beam.id == id)
    }
}

fn is_alike(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

const fn level(level: heliograph_shared::api::beams::Level) -> &'static str {
    use heliograph_shared::api::beams::Level;
    match level {
        Level::Read => "read",
        Level::Write => "write",
        Level::Admin => "admin",
    }
}

/// Where logins are kept.
///
/// # Errors
/// Where the system names no place for them.
pub fn store() -> Result<LoginStore, Stop> {
    Ok(LoginStore::at(PrivateFolder::at(accounts()?)))
}

/// The account that is logged in at a server, or at the only one where anybody is; `None` where nobody is.
///
/// # Errors
/// Where it is not clear which is meant, or what is kept cannot be read.
pub fn account(server: Option<&Url>) -> Result<Option<Account>, Stop> {
    let store = store()?;
    let url = match server {
        Some(server) => server_of(server).ok_or_else(|| {
            Stop::new(Exit::Usage, "The address of a server begins with https:// or http://.")
        })?,
        None => match &store.servers()?[..] {
            [] => return Ok(None),
            [url] => url.clone(),
            several => {
                let several: Vec<_> = several.iter().map(Url::as_str).collect();
                let several = several.join(", ");
                let why =
                    format!("At which server? Say --server: somebody is logged in at {several}.");
                return Err(Stop::new(Exit::Usage, why));
            }
        },
    };
    let server = Server::at(&url).map_err(|why| Stop::unreached(&why))?;
    Ok(Account::kept(&server, &store)?)
}

/// The same where somebody has to be logged in.
///
/// # Errors
/// As for [`account`], and [`Exit::LoggedOut`] where nobody is.
pub fn logged_in(server: Option<&Url>) -> Result<Account, Stop> {
    let why = "Nobody is logged in here. `login` does that.";
    account(server)?.ok_or_else(|| Stop::new(Exit::LoggedOut, why))
}

/// Opens the saved beam of a name or an id. `is_clear` is what its person says.
///
/// # Errors
/// Why it does not open.
pub async fn open(
    voice: &Voice,
    server: Option<&Url>,
    name: &str,
    is_clear: bool,
) -> Result<Opened, Stop> {
    let Some(account) = account(server)? else {
        let why = "This is no link: it does not begin with https:// or http://. Once somebody is logged in here (`login`), it can be the \
             name of a saved beam.";
        return Ok(Opened::Unknown(why));
    };
    let lists = Lists::read(&account).await?;
    let Some(listed) = lists.find(name)? else {
        let why = "This is no link, and no saved beam is called so. `beams` lists them.";
        return Ok(Opened::Unknown(why));
    };
    if let Some(owner) = &listed.owner {
        voice.hint(&format!("{} is a beam of {}.", safe::line(&listed.name), safe::line(owner)));
    }
    let keys = keys_of(&account, &lists, listed.id).await;
    let keys = match (keys, is_clear) {
        (Ok(_), true) => {
            let why = "This beam is encrypted: leave out --clear.";
            return Err(Stop::new(Exit::BadLink, why));
        }
        (Ok(keys), false) => Some(keys),
        (Err(Refused::Closed(Closed::Keyless)), true) => None,
        (Err(Refused::Closed(why)), _) => return Err(closed(why)),
        (Err(Refused::Stop(stop)), _) => return Err(stop),
    };
    if keys.as_ref().is_some_and(Keyring::is_deposited) {
        voice.hint(
            "The server has or had keys of this beam, and could read what was shared with them.",
        );
    }
    let invite = keys.as_ref().and_then(|keys| keys.invite().cloned());
    let link = BeamLink { server: account.server().url().clone(), beam: listed.id, invite };
    Ok(Opened::Beam(Box::new(SavedBeam { account, link, keys })))
}

/// Why the keys of a saved beam are not there.
pub enum Refused {
    /// What lies there does not count.
    Closed(Closed),
    /// The server does not tell, or what this device remembers cannot be read.
    Stop(Stop),
}

impl From<Stop> for Refused {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// Looks for the keys of a beam where they lie, as in its account's vault (S38).
///
/// # Errors
/// Why there are none for this device.
pub async fn find(account: &Account, id: BeamId) -> Result<FoundKeys, Refused> {
    let lists = Lists::read(account).await?;
    with_place(account, &lists, id, |own, place| own.find(id, place)).await
}

/// Remembers what this device takes from the own vault: without it, an older state could be shown next time.
///
/// # Errors
/// Where that cannot be kept.
pub fn note(account: &Account, id: BeamId, entry: &OwnEntry) -> Result<(), Stop> {
    let OwnVault::Open(vault) = account.vault() else { return Ok(()) };
    let (public, seen) = (public_of(&vault), (&entry.ends[..], entry.shared.changes));
    let noted = account.remember(|memory, now| memory.note(id, (&public, &entry.tag), seen, now));
    noted.map_err(Stop::from)
}

async fn keys_of(account: &Account, lists: &Lists, id: BeamId) -> Result<Keyring, Refused> {
    let opens = |own: &OwnBeams<'_>, place: Place<'_>| own.open(id, place, None, &mut SystemRandom);
    let opened = with_place(account, lists, id, opens).await?;
    if let Some(entry) = &opened.entry {
        note(account, id, entry)?;
    }
    Ok(opened.ring)
}

/// Does something with what the server shows of a beam, beside all others.
async fn with_place<T>(
    account: &Account,
    lists: &Lists,
    id: BeamId,
    does: impl FnOnce(&OwnBeams<'_>, Place<'_>) -> Result<T, Closed>,
) -> Result<T, Refused> {
    let deposit: BeamKeys;
    let place = match lists.kept(id) {
        Some(KeptBeam { keys: Some(keys), .. }) => Place::Vaults(Some(keys)),
        Some(KeptBeam { keys: None, .. }) => {
            deposit = account.deposit(id).await.map_err(|why| failed(&why))?;
            Place::Deposit(&deposit)
        }
        None => match account.beam_vault(id).await {
            Ok(there) if there.version > 0 => Place::Vaults(None),
            // Who may not read the saved beam has nothing there either (E9).
            Ok(_) | Err(Failure::Refused { status: 403 | 404, .. }) => Place::Nowhere,
            Err(why) => return Err(failed(&why).into()),
        },
    };
    let vault = match account.vault() {
        OwnVault::Open(vault) => Some(vault),
        OwnVault::None | OwnVault::Locked => None,
    };
    let memory = account.memory().map_err(Stop::from)?;
    let own = OwnBeams::of(vault.as_ref(), lists.own(), &lists.kept, &memory);
    does(&own, place).map_err(Refused::Closed)
}

fn closed(why: Closed) -> Stop {
    let (exit, says) = match why {
        Closed::Locked => (
            Exit::NotLetIn,
            "Log in again; after a new password from the operator, first open the vault in a browser.",
        ),
        Closed::NotHanded => (Exit::NotLetIn, "The owner does it in the Share dialog."),
        Closed::Keyless => (
            Exit::BadLink,
            "It is in clear text, which the server can read, or only other devices have them. Say --clear if you want to join in clear text.",
        ),
        Closed::Forged
        | Closed::OtherBeam
        | Closed::Older
        | Closed::Hidden
        | Closed::Malformed
        | Closed::OtherLink => (Exit::Untrusted, "Nothing of it was used."),
    };
    Stop::new(exit, format!("This beam does not open: {why}. {says}"))
}

/// Why the server does not tell of an account.
#[must_use]
pub fn failed(why: &Failure) -> Stop {
    match why {
        Failure::LoggedOut => {
            Stop::new(Exit::LoggedOut, "The login is over. `login` begins another one.")
        }
        other => Stop::unreached(other),
    }
}
