//! The login of an account at a server, as it is kept on this machine until its person logs out: the tokens, and the secret of the vault
//! (E17). A terminal has no other place for it than a file that only its person may read.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::e2ee::vault::Vault;
use heliograph_shared::time::Millis;
use serde::{Deserialize, Serialize};
use url::Url;
use zeroize::{Zeroize, Zeroizing};

use super::file_lock::FileLock;
use super::private_folder::PrivateFolder;
use crate::keys::password::OwnVault;
use crate::keys::vault_memory::VaultMemory;

/// Where logins are kept, and what this device has seen of vaults, which stays longer.
#[derive(Clone, Debug)]
pub struct LoginStore(PrivateFolder);

/// What is kept.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    /// Its address.
    server: String,
    /// The account.
    pub(super) username: String,
    /// By their names, which say how they were sent (H7).
    pub(super) cookies: BTreeMap<String, String>,
    /// When the access token was given.
    pub(super) renewed_at: Millis,
    vault: KeptVault,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KeptVault {
    /// Its secret, as base64url.
    Open(String),
    None,
    Locked,
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.cookies.values_mut().for_each(Zeroize::zeroize);
        if let KeptVault::Open(secret) = &mut self.vault {
            secret.zeroize();
        }
    }
}

impl Kept {
    pub(super) fn new(server: &Url, username: String, vault: &OwnVault) -> Self {
        let vault = match vault {
            OwnVault::Open(vault) => {
                KeptVault::Open(URL_SAFE_NO_PAD.encode(vault.secret().expose()))
            }
            OwnVault::None => KeptVault::None,
            OwnVault::Locked => KeptVault::Locked,
        };
        let (cookies, renewed_at) = (BTreeMap::new(), Millis::MIN);
        Self { server: server.to_string(), username, cookies, renewed_at, vault }
    }

    fn vault(&self) -> OwnVault {
        match &self.vault {
            KeptVault::None => OwnVault::None,
            KeptVault::Locked => OwnVault::Locked,
            KeptVault::Open(secret) => {
                let bytes = URL_SAFE_NO_PAD.decode(secret).map(Zeroizing::new).ok();
                let secret = bytes.and_then(|bytes| Secret::from_slice(&bytes).ok());
                secret.map_or(OwnVault::Locked, |secret| OwnVault::Open(Vault::new(secret)))
            }
        }
    }
}

impl LoginStore {
    /// The one in a folder.
    #[must_use]
    pub const fn at(folder: PrivateFolder) -> Self {
        Self(folder)
    }

    /// The servers at which somebody is logged in.
    ///
    /// # Errors
    /// Where the folder cannot be read.
    pub fn servers(&self) -> io::Result<Vec<Url>> {
        let names = self.0.names()?.into_iter().filter(|name| name.ends_with(LOGIN));
        let logins = names.map(|name| self.read_named(&name));
        let logins = logins.collect::<io::Result<Vec<_>>>()?;
        Ok(logins.into_iter().flatten().filter_map(|kept| Url::parse(&kept.server).ok()).collect())
    }

    /// The login at a server; `None` where nobody is logged in.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn read(&self, server: &Url) -> io::Result<Option<Login>> {
        let kept = self.read_kept(server)?;
        Ok(kept.map(|kept| Login::new(self.clone(), kept)))
    }

    pub(super) fn read_kept(&self, server: &Url) -> io::Result<Option<Kept>> {
        let kept = self.read_named(&name_of(server.as_str(), LOGIN))?;
        Ok(kept.filter(|kept| kept.server == server.as_str()))
    }

    fn read_named(&self, name: &str) -> io::Result<Option<Kept>> {
        let Some(bytes) = self.0.read(name)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|_| damaged(name))
    }

    pub(super) fn write(&self, kept: &Kept) -> io::Result<()> {
        let bytes = Zeroizing::new(serde_json::to_vec(kept).map_err(io::Error::other)?);
        self.0.write(&name_of(&kept.server, LOGIN), &bytes)
    }

    pub(super) fn remove(&self, server: &Url) -> io::Result<()> {
        self.0.remove(&name_of(server.as_str(), LOGIN))
    }

    /// Taken while a login is renewed, which can be done once with its token. It blocks.
    pub(super) fn lock(&self, server: &Url) -> io::Result<FileLock> {
        self.0.lock(&name_of(server.as_str(), LOGIN))
    }

    /// What this device has seen of the vaults of a server.
    ///
    /// # Errors
    /// Where it cannot be read: without it, an older vault could be believed.
    pub fn memory(&self, server: &Url) -> io::Result<VaultMemory> {
        let name = name_of(server.as_str(), MEMORY);
        let Some(bytes) = self.0.read(&name)? else { return Ok(VaultMemory::default()) };
        serde_json::from_slice(&bytes).map_err(|_| damaged(&name))
    }

    /// Changes what this device has seen of the vaults of a server.
    ///
    /// # Errors
    /// Where it cannot be read or written.
    pub fn remember(&self, server: &Url, change: impl FnOnce(&mut VaultMemory)) -> io::Result<()> {
        let name = name_of(server.as_str(), MEMORY);
        let _lock = self.0.lock(&name)?;
        let mut memory = self.memory(server)?;
        change(&mut memory);
        self.0.write(&name, &serde_json::to_vec(&memory).map_err(io::Error::other)?)
    }
}

/// A login of now.
pub struct Login {
    pub(super) store: LoginStore,
    kept: Mutex<Kept>,
    /// Taken while this program renews it.
    pub(super) renewing: Mutex<()>,
}

impl Login {
    pub(super) fn new(store: LoginStore, kept: Kept) -> Self {
        Self { store, kept: Mutex::new(kept), renewing: Mutex::default() }
    }

    pub(super) fn kept(&self) -> Kept {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn replace(&self, kept: Kept) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }

    /// The account.
    #[must_use]
    pub fn username(&self) -> String {
        self.kept().username.clone()
    }

    /// The vault of the account, as it was opened with the login.
    #[must_use]
    pub fn vault(&self) -> OwnVault {
        self.kept().vault()
    }
}

const LOGIN: &str = ".login.json";
const MEMORY: &str = ".seen.json";

/// Of a server's address, which has characters that no file may have.
fn name_of(server: &str, ending: &str) -> String {
    let hash = blake3::hash(server.as_bytes()).to_hex();
    format!("{}{ending}", &hash[..32])
}

fn damaged(name: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{name} is damaged"))
}
