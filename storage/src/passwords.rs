//! Password hashing. It is slow and takes much memory on purpose, so it runs outside the async threads, few at a time.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use heliograph_shared::names::Password;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Memory of one hash in KiB. With the next two, the first configuration that OWASP recommends.
const MEMORY_KIB: u32 = 19 * 1024;
/// Passes over that memory.
const PASSES: u32 = 2;
/// Degree of parallelism of one hash.
const LANES: u32 = 1;
/// Length of a hash in bytes.
const OUTPUT: usize = 32;
/// Allocated blocks of 1 KiB, of which only the first [`MEMORY_KIB`] are touched. Allocators keep freed memory for each
/// thread that ever hashed, but above 32 MiB glibc returns it to the system.
const ASKED: usize = 33 * 1024;
/// Most calls that wait for a core. Further ones fail at once, because the wait would be too long.
const WAITING: usize = 128;

/// Why a password cannot be hashed or checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// Too many calls are waiting.
    Busy,
    /// The argon2 library failed.
    Failed,
}

/// Hashes and checks passwords, one per core at a time.
#[derive(Clone, Debug)]
pub struct Passwords {
    hasher: Arc<Hasher>,
    /// Permits to enter, for calls that work and calls that wait.
    entry: Arc<Semaphore>,
    /// Permits to work, one per core.
    cores: Arc<Semaphore>,
    /// The hash of no password, checked for usernames without an account.
    nobody: Arc<str>,
}

impl Passwords {
    /// A hasher with one permit per core. Takes as long as one hash.
    ///
    /// # Errors
    /// [`Error::Failed`] when the library rejects the parameters.
    pub fn new(salt: [u8; 16]) -> Result<Self, Error> {
        let params = Params::new(MEMORY_KIB, PASSES, LANES, Some(OUTPUT));
        let hasher = Hasher { params: params.map_err(|_| Error::Failed)?, spare: Mutex::default() };
        let nobody = hasher.hash(b"", &salt)?.into();
        hasher.let_go();
        let cores = available_parallelism().map_or(1, usize::from);
        Ok(Self {
            hasher: Arc::new(hasher),
            entry: Arc::new(Semaphore::new(cores + WAITING)),
            cores: Arc::new(Semaphore::new(cores)),
            nobody,
        })
    }

    /// Hashes a password to a PHC string for the database.
    ///
    /// # Errors
    /// [`Error::Busy`] when too many calls are waiting.
    pub async fn hash(&self, password: Password, salt: [u8; 16]) -> Result<String, Error> {
        self.work(move |hasher| hasher.hash(password.as_bytes(), &salt)).await
    }

    /// Whether the password matches the stored hash. Without a hash it never does, and takes as long to say so.
    ///
    /// # Errors
    /// [`Error::Busy`] when too many calls are waiting.
    pub async fn is(&self, password: Password, stored: Option<String>) -> Result<bool, Error> {
        let nobody = self.nobody.clone();
        let check = move |hasher: &Hasher| {
            let is_right = hasher.is(password.as_bytes(), stored.as_deref().unwrap_or(&nobody))?;
            Ok(is_right && stored.is_some())
        };
        self.work(check).await
    }

    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Hasher) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let entered = self.entry.clone().try_acquire_owned().map_err(|_| Error::Busy)?;
        let core = self.cores.clone().acquire_owned().await.map_err(|_| Error::Failed)?;
        let (hasher, entry) = (self.hasher.clone(), self.entry.clone());
        // The caller may drop this future, but the core is free only when the work is done.
        let working = spawn_blocking(move || {
            let result = work(&hasher);
            drop((core, entered));
            if entry.available_permits() > WAITING {
                hasher.let_go();
            }
            result
        });
        working.await.map_err(|_| Error::Failed)?
    }
}

/// Argon2id, which reuses memory while there is work.
#[derive(Debug)]
struct Hasher {
    params: Params,
    /// Spare memory, at most one piece per core.
    spare: Mutex<Vec<Vec<Block>>>,
}

impl Hasher {
    /// A hash in the PHC string format, which includes its parameters.
    fn hash(&self, password: &[u8], salt: &[u8]) -> Result<String, Error> {
        let salt = Salt::new(salt).map_err(|_| Error::Failed)?;
        let hash = PasswordHash {
            algorithm: Algorithm::Argon2id.ident(),
            version: Some(Version::V0x13.into()),
            params: ParamsString::try_from(&self.params).map_err(|_| Error::Failed)?,
            salt: Some(salt),
            hash: Some(self.output(&self.params, password, &salt)?),
        };
        Ok(hash.to_string())
    }

    fn is(&self, password: &[u8], stored: &str) -> Result<bool, Error> {
        let stored = PasswordHash::new(stored).map_err(|_| Error::Failed)?;
        let params = Params::try_from(&stored).map_err(|_| Error::Failed)?;
        let salt = stored.salt.ok_or(Error::Failed)?;
        // Outputs are compared in constant time.
        Ok(stored.hash == Some(self.output(&params, password, &salt)?))
    }

    fn output(&self, params: &Params, password: &[u8], salt: &[u8]) -> Result<Output, Error> {
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
        let spare = self.lock().pop();
        let mut memory = spare.unwrap_or_else(|| Vec::with_capacity(ASKED));
        memory.resize(params.block_count().max(memory.len()), Block::new());
        let mut output = [0; OUTPUT];
        let hashed =
            argon2.hash_password_into_with_memory(password, salt, &mut output, &mut memory[..]);
        self.lock().push(memory);
        hashed.map_err(|_| Error::Failed)?;
        Output::new(&output).map_err(|_| Error::Failed)
    }

    /// Returns the spare memory to the system, when no call is waiting.
    fn let_go(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Vec<Block>>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password(text: &str) -> Password {
        Password::parse(text.to_owned()).unwrap()
    }

    #[tokio::test]
    async fn a1_a_password_is_known_by_its_hash_and_no_other_is() {
        let passwords = Passwords::new([1; 16]).unwrap();
        let hash = passwords.hash(password("correct horse"), [2; 16]).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");

        let is = async |text, hash| passwords.is(password(text), hash).await.unwrap();
        assert!(is("correct horse", Some(hash.clone())).await);
        assert!(!is("Correct horse", Some(hash.clone())).await);
        assert!(!is("correct horse", None).await);
        let other = passwords.hash(password("correct horse"), [3; 16]).await.unwrap();
        assert_ne!(other, hash, "the salt is in it");
        assert!(is("correct horse", Some(other)).await, "memory that was used before does no harm");
    }

    /// Created with the reference implementation (through `argon2-cffi`).
    #[tokio::test]
    async fn a1_hashes_are_those_of_the_reference() {
        let passwords = Passwords::new([1; 16]).unwrap();
        let hash = passwords.hash(password("correct horse"), *b"somesaltsomesalt").await.unwrap();
        assert_eq!(
            hash,
            "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$k9ohroejZy1PN5E1SbHNPug6vB8eQAahb5SOAp6iGF4"
        );
    }

    #[tokio::test]
    async fn who_comes_when_too_many_wait_is_told_so_and_the_others_are_served() {
        let passwords =
            Passwords { cores: Arc::new(Semaphore::new(1)), ..Passwords::new([1; 16]).unwrap() };
        let held = passwords.cores.clone().acquire_owned().await.unwrap();
        let all = passwords.entry.available_permits();
        let ask = || {
            let passwords = passwords.clone();
            tokio::spawn(async move { passwords.is(password("a guess"), None).await })
        };
        let early = ask();
        while passwords.entry.available_permits() == all {
            tokio::task::yield_now().await;
        }
        let full = passwords.entry.clone().acquire_many_owned(u32::try_from(all - 1).unwrap());
        let full = full.await.unwrap();

        assert_eq!(ask().await.unwrap(), Err(Error::Busy));
        drop(held);
        assert_eq!(early.await.unwrap(), Ok(false));
        drop(full);
        assert_eq!(ask().await.unwrap(), Ok(false));
    }
}
