//! Passwords: hashed slowly and with much memory on purpose, so never on an async thread, and never many at a time.

use std::sync::Arc;
use std::thread::available_parallelism;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use heliograph_shared::names::Password;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// KiB of memory for one hash; OWASP's first choice together with the next two.
const MEMORY_KIB: u32 = 19 * 1024;
/// Passes over that memory.
const PASSES: u32 = 2;
/// Lanes of one hash.
const LANES: u32 = 1;
/// Calls that may wait for a core. Who comes later is told so at once: the queue would take longer than patience.
const WAITING: usize = 128;

/// Why there is no answer about a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// More wait already than can be served soon.
    Busy,
    /// The library refused its work.
    Failed,
}

/// Hashes and checks passwords, one a core at a time.
#[derive(Clone, Debug)]
pub struct Passwords {
    argon2: Argon2<'static>,
    /// Who is let in at all: those that work and those that wait.
    entry: Arc<Semaphore>,
    /// Who works.
    cores: Arc<Semaphore>,
    /// The hash of no password, for names that nobody has.
    nobody: Arc<str>,
}

impl Passwords {
    /// As many at a time as there are cores. Takes the time of one hash.
    ///
    /// # Errors
    /// [`Error::Failed`] when the library does not take the parameters.
    pub fn new(salt: [u8; 16]) -> Result<Self, Error> {
        let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(|_| Error::Failed)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let cores = available_parallelism().map_or(1, usize::from);
        Ok(Self {
            nobody: hash(&argon2, b"", &salt)?.into(),
            argon2,
            entry: Arc::new(Semaphore::new(cores + WAITING)),
            cores: Arc::new(Semaphore::new(cores)),
        })
    }

    /// What is stored of a password.
    ///
    /// # Errors
    /// [`Error::Busy`] when too many wait.
    pub async fn hash(&self, password: Password, salt: [u8; 16]) -> Result<String, Error> {
        let argon2 = self.argon2.clone();
        self.work(move || hash(&argon2, password.as_bytes(), &salt)).await?
    }

    /// Whether it is this password. Without a stored hash it is not, which takes as long to find out.
    ///
    /// # Errors
    /// [`Error::Busy`] when too many wait.
    pub async fn is(&self, password: Password, stored: Option<String>) -> Result<bool, Error> {
        let (argon2, nobody) = (self.argon2.clone(), self.nobody.clone());
        let check = move || {
            let hash = stored.as_deref().unwrap_or(&nobody);
            argon2.verify_password(password.as_bytes(), hash).is_ok() && stored.is_some()
        };
        self.work(check).await
    }

    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let _entered = self.entry.try_acquire().map_err(|_| Error::Busy)?;
        let core = self.cores.clone().acquire_owned().await.map_err(|_| Error::Failed)?;
        // Who asked may leave in the middle of it; the core is free only when the work is done.
        let working = spawn_blocking(move || {
            let _core = core;
            work()
        });
        working.await.map_err(|_| Error::Failed)
    }
}

fn hash(argon2: &Argon2<'_>, password: &[u8], salt: &[u8]) -> Result<String, Error> {
    let hash: PasswordHash =
        argon2.hash_password_with_salt(password, salt).map_err(|_| Error::Failed)?;
    Ok(hash.to_string())
}
