//! The rate limits, by address and by account, which several nodes have in common.

use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use heliograph_storage::accounts::AccountId;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use uuid::Uuid;

use crate::address::Client;
use crate::error::Error;
use crate::limit::{Buckets, Counts, Rate};

/// Open sockets from one address: a family or an office behind one NAT, with a few tabs each.
const SOCKETS_PER_CLIENT: usize = 200;
/// Ten a minute: guessing the id or key of a beam is hopeless, mistyping it does no harm.
const GUESSES: Rate = Rate { burst: 10, every: Duration::from_secs(6) };
/// Enough to share a beam with a class. At one name every 20 s, nobody can list the accounts.
const USERNAMES: Rate = Rate { burst: 30, every: Duration::from_secs(20) };
/// A client asks before each login. With the answers to many names, asked again later, somebody could tell accounts from made-up ones.
const LOGIN_WAYS: Rate = Rate { burst: 90, every: Duration::from_secs(7) };
/// More than a person asks for. Each wish writes all items of a beam.
const KEEPS: Rate = Rate { burst: 30, every: Duration::from_secs(20) };
/// A beam full of devices at once. Each removal writes a row.
const REMOVALS: Rate = Rate { burst: 100, every: Duration::from_secs(1) };
/// 240 an hour: every visit to the page may create a beam.
const BEAM_CREATIONS: Rate = Rate { burst: 240, every: Duration::from_secs(15) };
/// 30 in ten minutes, over all accounts: the throttle by account does not stop a guesser who tries many accounts.
const PASSWORDS: Rate = Rate { burst: 30, every: Duration::from_secs(20) };
/// Registration forms, of which some are refused: a person may need a few tries. Each may carry 5 MiB.
const REGISTRATION_FORMS: Rate = Rate { burst: 60, every: Duration::from_secs(20) };
/// Profile pictures of one account. Each costs up to a second of work; a person tries a few.
const PICTURES: Rate = Rate { burst: 10, every: Duration::from_secs(30) };
/// 20 accounts an hour: enough for a family that registers together.
const REGISTRATIONS: Rate = Rate { burst: 20, every: Duration::from_mins(3) };

/// The rate limits, by address and by account. A program on this machine is not limited by address (see
/// [`Client::of`]).
#[derive(Debug)]
pub struct Limits {
    /// Open sockets.
    pub sockets: Counts<Client>,
    /// Guesses of ids and keys, over HTTP and on the socket.
    pub(crate) guesses: Arc<Buckets<Client>>,
    /// Wishes to keep a beam.
    pub(crate) keeps: Arc<Buckets<Client>>,
    pub(crate) removals: Arc<Buckets<Client>>,
    beam_creations: Buckets<Client>,
    passwords: Buckets<Client>,
    /// Passwords from known devices, right ones too: each costs a hash, and a login.
    known_passwords: Buckets<AccountId>,
    forms: Buckets<Client>,
    registrations: Buckets<Client>,
    pictures: Buckets<AccountId>,
    login_ways: Buckets<Client>,
    usernames: Buckets<Client>,
    /// By account as well as by address, since an attacker can have many of either.
    usernames_by_account: Buckets<AccountId>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sockets: Counts::new(SOCKETS_PER_CLIENT),
            guesses: Arc::new(Buckets::new(GUESSES)),
            keeps: Arc::new(Buckets::new(KEEPS)),
            removals: Arc::new(Buckets::new(REMOVALS)),
            beam_creations: Buckets::new(BEAM_CREATIONS),
            passwords: Buckets::new(PASSWORDS),
            known_passwords: Buckets::new(PASSWORDS),
            forms: Buckets::new(REGISTRATION_FORMS),
            registrations: Buckets::new(REGISTRATIONS),
            pictures: Buckets::new(PICTURES),
            login_ways: Buckets::new(LOGIN_WAYS),
            usernames: Buckets::new(USERNAMES),
            usernames_by_account: Buckets::new(USERNAMES),
        }
    }
}

impl Limits {
    /// Counts a request for a beam that does not exist or is not visible to the caller, or one with a wrong key. All of
    /// them share one limit, so that trying both HTTP and the socket gains nothing.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn guess(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.guesses, client, now)
    }

    /// Counts the creation of a beam.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn create_beam(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.beam_creations, client, now)
    }

    /// Counts a login or another check of a password.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn try_password(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.passwords, client, now)
    }

    /// Counts a login or another check of a password on a known device of the account, whatever its outcome.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn try_known_password(&self, account: AccountId, now: Instant) -> Result<(), Error> {
        take(&self.known_passwords, Some(account), now)
    }

    /// Counts a registration.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn register(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.registrations, client, now)
    }

    /// Counts a registration form, accepted or not.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn send_form(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.forms, client, now)
    }

    /// Counts a profile picture.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn send_picture(&self, account: AccountId, now: Instant) -> Result<(), Error> {
        take(&self.pictures, Some(account), now)
    }

    /// Counts a request whose answer tells whether a username exists. It counts whether or not the name exists:
    /// otherwise the limit itself would tell.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn ask_for_username(
        &self,
        account: AccountId,
        client: Option<Client>,
        now: Instant,
    ) -> Result<(), Error> {
        take(&self.usernames_by_account, Some(account), now)?;
        take(&self.usernames, client, now)
    }

    /// Counts a question how a password is stretched (H53), whether or not somebody has the username.
    ///
    /// # Errors
    /// [`Error::TooFast`].
    pub fn ask_for_way(&self, client: Option<Client>, now: Instant) -> Result<(), Error> {
        take(&self.login_ways, client, now)
    }

    /// Forgets the keys whose buckets are full.
    pub fn sweep(&self, now: Instant) {
        let Self { guesses, keeps, removals, beam_creations, passwords, forms, .. } = self;
        for buckets in [guesses, keeps, removals] {
            buckets.sweep(now);
        }
        let Self { registrations, login_ways, usernames, .. } = self;
        for buckets in [beam_creations, passwords, forms, registrations, login_ways, usernames] {
            buckets.sweep(now);
        }
        for buckets in [&self.pictures, &self.usernames_by_account, &self.known_passwords] {
            buckets.sweep(now);
        }
    }
}

fn take<K: Copy + Eq + Hash>(
    buckets: &Buckets<K>,
    key: Option<K>,
    now: Instant,
) -> Result<(), Error> {
    key.map_or(Ok(()), |key| buckets.take(key, now)).map_err(Error::TooFast)
}

/// One of the limits, as the nodes name it to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Limit {
    /// See [`Limits::guess`].
    Guesses,
    /// Wishes to keep a beam.
    Keeps,
    /// Removals of devices.
    Removals,
    /// See [`Limits::create_beam`].
    BeamCreations,
    /// See [`Limits::try_password`].
    Passwords,
    /// See [`Limits::try_known_password`].
    KnownPasswords,
    /// See [`Limits::send_form`].
    Forms,
    /// See [`Limits::register`].
    Registrations,
    /// See [`Limits::send_picture`].
    Pictures,
    /// See [`Limits::ask_for_way`].
    LoginWays,
    /// See [`Limits::ask_for_username`].
    Usernames,
    /// By account.
    UsernamesByAccount,
}

/// What somebody took of a limit at a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    limit: Limit,
    /// An address, or the id of an account.
    who: String,
    count: u32,
}

impl Limits {
    fn by_client(&self) -> [(Limit, &Buckets<Client>); 9] {
        [
            (Limit::Guesses, &self.guesses),
            (Limit::Keeps, &self.keeps),
            (Limit::Removals, &self.removals),
            (Limit::BeamCreations, &self.beam_creations),
            (Limit::Passwords, &self.passwords),
            (Limit::Forms, &self.forms),
            (Limit::Registrations, &self.registrations),
            (Limit::LoginWays, &self.login_ways),
            (Limit::Usernames, &self.usernames),
        ]
    }

    const fn by_account(&self) -> [(Limit, &Buckets<AccountId>); 3] {
        [
            (Limit::KnownPasswords, &self.known_passwords),
            (Limit::Pictures, &self.pictures),
            (Limit::UsernamesByAccount, &self.usernames_by_account),
        ]
    }

    /// What was taken here since the last call, at most so many entries.
    pub fn taken(&self, most: usize) -> Vec<Taken> {
        let mut taken = Vec::new();
        for (limit, buckets) in self.by_client() {
            tell(&mut taken, most, (limit, buckets), |client| client.to_string());
        }
        for (limit, buckets) in self.by_account() {
            tell(&mut taken, most, (limit, buckets), |account| account.uuid().to_string());
        }
        taken
    }

    /// What was taken at another node counts here too.
    pub fn was_taken(&self, taken: &[Taken], now: Instant) {
        for Taken { limit, who, count } in taken {
            if let Some(client) = Client::named(who)
                && let Some((_, buckets)) = self.by_client().iter().find(|(name, _)| name == limit)
            {
                buckets.was_taken(client, *count, now);
            }
            if let Ok(account) = who.parse::<Uuid>()
                && let Some((_, buckets)) = self.by_account().iter().find(|(name, _)| name == limit)
            {
                buckets.was_taken(AccountId::from_uuid(account), *count, now);
            }
        }
    }
}

/// Adds what was taken of a limit, until there are so many entries.
fn tell<K: Copy + Eq + Hash>(
    taken: &mut Vec<Taken>,
    most: usize,
    (limit, buckets): (Limit, &Buckets<K>),
    name: impl Fn(K) -> String,
) {
    let new = buckets.taken(most - taken.len()).into_iter();
    taken.extend(new.map(|(key, count)| Taken { limit, who: name(key), count }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_at_one_node_counts_at_another_once() {
        let (here, there, now) = (Limits::default(), Limits::default(), Instant::now());
        let (client, other) = (Client::named("192.0.2.1"), Client::named("2001:db8::1"));
        let account = AccountId::from_random([1; 16]);
        for _ in 0..GUESSES.burst {
            here.guess(client, now).unwrap();
        }
        assert!(here.guess(client, now).is_err(), "what is refused is not taken");
        here.guess(other, now).unwrap();
        for _ in 0..PICTURES.burst {
            here.send_picture(account, now).unwrap();
        }

        let taken = here.taken(100);
        let told = serde_json::to_string(&taken).unwrap();
        there.was_taken(&serde_json::from_str::<Vec<Taken>>(&told).unwrap(), now);

        assert!(there.guess(client, now).is_err());
        assert!(there.send_picture(account, now).is_err());
        assert_eq!((1..GUESSES.burst).filter(|_| there.guess(other, now).is_ok()).count(), 9);
        assert!(there.guess(other, now).is_err());
        assert_eq!(here.taken(100), [], "it is told once");
        let by_itself: u32 = there.taken(100).iter().map(|taken| taken.count).sum();
        assert_eq!(by_itself, 9, "what others have taken is not told on");
    }

    #[test]
    fn what_does_not_fit_is_told_later() {
        let (limits, now) = (Limits::default(), Instant::now());
        for n in 0..5 {
            limits.create_beam(Client::named(&format!("192.0.2.{n}")), now).unwrap();
        }
        assert_eq!([3, 3, 3].map(|most| limits.taken(most).len()), [3, 2, 0]);
    }
}
