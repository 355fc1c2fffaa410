//! An account of a server: its login and its saved beams (`PROTOCOL.md`, H10 to H56).

use std::io;
use std::sync::Arc;

use heliograph_shared::api::accounts::{CurrentUser, Done};
use heliograph_shared::api::beams::{Beam, Beams, SharedBeam, SharedBeams};
use heliograph_shared::api::keys::BeamKeys;
use heliograph_shared::api::vaults::{
    self, AskedWay, BeamVault, BeamVaultChange, KeptBeam, KeptBeams, LoginWay,
};
use heliograph_shared::ids::BeamId;
use heliograph_shared::time::Millis;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::task::spawn_blocking;
use zeroize::Zeroizing;

use super::file_lock::FileLock;
use super::login::{Kept, Login, LoginStore};
use super::server::{Answer, Call, Cookie, Failure, Server, now};
use crate::keys::password::{OwnVault, Proof, Unsent};
use crate::keys::vault_memory::VaultMemory;

/// Who logs in, as they have typed it.
pub struct Credentials {
    /// Matched without case.
    pub username: String,
    /// The password.
    pub password: Zeroizing<String>,
    /// Whether the person says that the operator has given the password (E16).
    pub is_from_operator: bool,
}

/// Why nobody is logged in.
#[derive(Debug, thiserror::Error)]
pub enum LoginFailure {
    /// The server is not reached, or refuses.
    #[error(transparent)]
    Server(#[from] Failure),
    /// The password was not sent.
    #[error("{0}; the password was not sent")]
    Unsent(#[from] Unsent),
    /// The server answers for another account.
    #[error("the server answers for another account")]
    OtherAccount,
    /// What is to be kept of it cannot be kept.
    #[error("it cannot be kept: {0}")]
    Store(#[from] io::Error),
}

/// What is sent, without a copy that would have to be overwritten.
#[derive(Serialize)]
struct Sent<'a> {
    username: &'a str,
    password: &'a str,
}

/// An account that is logged in.
#[derive(Clone)]
pub struct Account {
    server: Server,
    login: Arc<Login>,
    store: LoginStore,
}

impl Account {
    /// The account that is logged in at a server; `None` where nobody is.
    ///
    /// # Errors
    /// Where what is kept cannot be read.
    pub fn kept(server: &Server, store: &LoginStore) -> io::Result<Option<Self>> {
        let login = store.read(server.url())?;
        Ok(login.map(|login| Self::of(server, store, Arc::new(login))))
    }

    fn of(server: &Server, store: &LoginStore, login: Arc<Login>) -> Self {
        let server = server.clone().with_login(login.clone());
        Self { server, login, store: store.clone() }
    }

    /// Logs in (H11), and opens the vault of the account with the password (E16, E17).
    ///
    /// # Errors
    /// Why nobody is logged in. What was kept of a login before stays then.
    pub async fn log_in(
        server: &Server,
        store: &LoginStore,
        credentials: Credentials,
    ) -> Result<Self, LoginFailure> {
        let Credentials { username, password, is_from_operator } = credentials;
        let known = store.memory(server.url())?.has_vault(&username);
        let before = store.read_kept(server.url())?;
        let asked = AskedWay { username: username.clone() };
        let way = Call::post("/api/auth/way/").with(&asked)?.make(server).await?;
        let way: LoginWay = way.json()?;
        // It takes a second of a whole core.
        let stretching = spawn_blocking(move || {
            let proof = Proof::of(&password, &way, known, is_from_operator)?;
            let sent = proof.sent(&password);
            Ok::<_, Unsent>((proof, sent))
        });
        let (proof, sent) = stretching.await.map_err(Failure::failed)??;

        let call =
            Call::post("/api/auth/login/").with(&Sent { username: &username, password: &sent })?;
        let device = before.map(|before| before.cookies(&[Cookie::Device]));
        let answer = call.with_cookies(device.unwrap_or_default()).make(server).await?;
        let CurrentUser { user } = answer.json()?;
        if !user.username.eq_ignore_ascii_case(username.trim()) {
            return Err(LoginFailure::OtherAccount);
        }
        let mut kept = Kept::new(server.url(), user.username.clone(), &OwnVault::Locked);
        kept.take_cookies(&answer, now());
        let call = Call::get("/api/auth/vault/").with_cookies(kept.cookies(&[Cookie::Access]));
        let shown: vaults::OwnVault = call.make(server).await?.json()?;
        let vault = OwnVault::open(shown.vault.as_ref(), &proof, known);
        store.remember(server.url(), |memory| match vault {
            OwnVault::None => memory.forget_vault(&user.username),
            OwnVault::Open(_) | OwnVault::Locked => memory.remember_vault(&user.username),
        })?;
        let mut opened = Kept::new(server.url(), user.username, &vault);
        std::mem::swap(&mut opened.cookies, &mut kept.cookies);
        opened.renewed_at = kept.renewed_at;
        let lock = locked(store, server).await?;
        store.write(&opened)?;
        drop(lock);
        Ok(Self::of(server, store, Arc::new(Login::new(store.clone(), opened))))
    }

    /// Logs out: at the server (H17), and here, also where the server is not reached.
    ///
    /// # Errors
    /// Where the server is not reached, so that the login goes on there, or what is kept cannot be removed.
    pub async fn log_out(self) -> Result<(), LoginFailure> {
        let cookies = self.login.kept().cookies(&[Cookie::Access, Cookie::Refresh]);
        let lock = locked(&self.store, &self.server).await?;
        self.store.remove(self.server.url())?;
        drop(lock);
        Call::post("/api/auth/logout/")
            .with_cookies(cookies)
            .make(&self.server)
            .await?
            .json::<Done>()?;
        Ok(())
    }

    /// The server, where this account is logged in.
    #[must_use]
    pub const fn server(&self) -> &Server {
        &self.server
    }

    /// The username.
    #[must_use]
    pub fn username(&self) -> String {
        self.login.username()
    }

    /// The vault, as it was opened with the login.
    #[must_use]
    pub fn vault(&self) -> OwnVault {
        self.login.vault()
    }

    /// What this device has seen of vaults.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn memory(&self) -> io::Result<VaultMemory> {
        self.store.memory(self.server.url())
    }

    /// Changes what this device has seen of vaults.
    ///
    /// # Errors
    /// Where it cannot be kept.
    pub fn remember(&self, change: impl FnOnce(&mut VaultMemory, Millis)) -> io::Result<()> {
        self.store.remember(self.server.url(), |memory| change(memory, now()))
    }

    /// The account's own beams, newest first (H20).
    ///
    /// # Errors
    /// Where the server does not tell.
    pub async fn own_beams(&self) -> Result<Vec<Beam>, Failure> {
        self.read::<Beams>("/api/beams/").await.map(|beams| beams.beams)
    }

    /// The beams that others share with the account, newest first (H21).
    ///
    /// # Errors
    /// Where the server does not tell.
    pub async fn shared_beams(&self) -> Result<Vec<SharedBeam>, Failure> {
        self.read::<SharedBeams>("/api/beams/shared-with-me/").await.map(|beams| beams.shared_beams)
    }

    /// How the keys of both are kept (H56).
    ///
    /// # Errors
    /// Where the server does not tell.
    pub async fn kept_beams(&self) -> Result<Vec<KeptBeam>, Failure> {
        self.read::<KeptBeams>("/api/auth/vault/beams/").await.map(|kept| kept.beams)
    }

    /// What lies in vaults for a beam (H55).
    ///
    /// # Errors
    /// Where the server does not tell.
    pub async fn beam_vault(&self, beam: BeamId) -> Result<BeamVault, Failure> {
        self.read(&format!("/api/beams/{beam}/vault/")).await
    }

    /// What is deposited of a beam (H52).
    ///
    /// # Errors
    /// Where the server does not tell.
    pub async fn deposit(&self, beam: BeamId) -> Result<BeamKeys, Failure> {
        self.read(&format!("/api/beams/{beam}/keys/")).await
    }

    /// Writes what lies in vaults for an own beam (H55).
    ///
    /// # Errors
    /// Where the server does not take it: 409 where another device has written meanwhile.
    pub async fn write_vault(&self, beam: BeamId, keys: &BeamVaultChange) -> Result<(), Failure> {
        let path = format!("/api/beams/{beam}/vault/");
        self.server.call_as(&self.login, || Call::put(&path).with(keys)).await.map(drop)
    }

    /// Deposits the keys of a beam (H52): the server can read them.
    ///
    /// # Errors
    /// Where the server does not take them.
    pub async fn write_deposit(&self, beam: BeamId, keys: &BeamKeys) -> Result<(), Failure> {
        let path = format!("/api/beams/{beam}/keys/");
        self.server.call_as(&self.login, || Call::put(&path).with(keys)).await.map(drop)
    }

    async fn read<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        let answer = self.server.call_as(&self.login, || Ok(Call::get(path))).await;
        answer.and_then(|answer: Answer| answer.json())
    }
}

/// Waits until no program renews the login at a server: it would write what it was given over what comes after.
async fn locked(store: &LoginStore, server: &Server) -> Result<FileLock, LoginFailure> {
    let (store, url) = (store.clone(), server.url().clone());
    let lock = spawn_blocking(move || store.lock(&url)).await.map_err(Failure::failed)?;
    Ok(lock?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says so by failing")]
mod tests {
    use super::*;
    use crate::io::private_folder::PrivateFolder;

    #[tokio::test]
    async fn a_login_that_another_program_renews_meanwhile_is_gone_after_logging_out() {
        let folder = tempfile::tempdir().unwrap();
        let store = LoginStore::at(PrivateFolder::at(folder.path().to_owned()));
        // Nothing listens there.
        let server = Server::at(&"http://127.0.0.1:9".parse().unwrap()).unwrap();
        let kept = Kept::new(server.url(), "ada".to_owned(), &OwnVault::None);
        store.write(&kept).unwrap();
        let account = Account::kept(&server, &store).unwrap().unwrap();
        let renewing = store.lock(server.url()).unwrap();
        let logging_out = tokio::spawn(account.log_out());
        tokio::task::yield_now().await;
        store.write(&kept).unwrap();
        drop(renewing);
        assert!(logging_out.await.unwrap().is_err(), "the server is not reached");
        assert!(store.read(server.url()).unwrap().is_none());
    }
}
