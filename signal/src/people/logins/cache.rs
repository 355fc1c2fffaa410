//! A cache of sessions by access token, since most requests repeat the token of the one before. It is exact within one
//! server, because every change goes through [`super::Logins`] and is reported here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use heliograph_shared::time::Millis;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::sessions::{Session, SessionId, TokenHash};

/// Most tokens in the cache, of about half a KiB each.
const TOKENS: usize = 16_384;

/// The cached sessions.
#[derive(Debug, Default)]
pub struct Cache(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Counts changes, so that a result which was read before a change is not cached after it.
    changes: u64,
    sessions: HashMap<TokenHash, Arc<Session>>,
}

/// The number of changes when a read began.
#[derive(Clone, Copy, Debug)]
pub struct Moment(u64);

impl Cache {
    /// The cached session of this token, else the moment to pass to [`Self::remember`].
    pub fn find(&self, token: &TokenHash, now: Millis) -> Result<Arc<Session>, Moment> {
        let known = self.lock();
        match known.sessions.get(token) {
            Some(session) if now < session.expires_at => Ok(session.clone()),
            _ => Err(Moment(known.changes)),
        }
    }

    /// Caches a result, unless something changed since the moment.
    pub fn remember(&self, token: TokenHash, session: &Arc<Session>, now: Millis, read: Moment) {
        let mut known = self.lock();
        if known.changes != read.0 {
            return;
        }
        if known.sessions.len() >= TOKENS {
            known.sessions.retain(|_, session| now < session.expires_at);
            if known.sessions.len() >= TOKENS {
                known.sessions.clear();
            }
        }
        known.sessions.insert(token, session.clone());
    }

    pub fn forget_session(&self, session: SessionId) {
        self.forget(|known| known.id == session);
    }

    pub fn forget_account(&self, account: AccountId) {
        self.forget(|known| known.account.id == account);
    }

    pub fn forget_all(&self) {
        self.forget(|_| true);
    }

    fn forget(&self, is_it: impl Fn(&Session) -> bool) {
        let mut known = self.lock();
        known.changes += 1;
        known.sessions.retain(|_, session| !is_it(session));
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use heliograph_storage::accounts::Account;

    use super::*;

    fn session(account: u8) -> Arc<Session> {
        let account = Account {
            id: AccountId::from_random([account; 16]),
            username: "ada".to_owned(),
            first_name: "Ada".to_owned(),
            last_name: String::new(),
            email: "ada@example.org".to_owned(),
            picture: None,
            created_at: Millis::new(0),
        };
        let id = SessionId::from_random([7; 16]);
        Arc::new(Session { id, account, expires_at: Millis::new(1_000) })
    }

    fn remembering(cache: &Cache, token: u8, session: &Arc<Session>, now: Millis) {
        let moment = cache.find(&[token; 32], now).unwrap_err();
        cache.remember([token; 32], session, now, moment);
    }

    #[test]
    fn a_token_is_remembered_until_its_end() {
        let cache = Cache::default();
        remembering(&cache, 1, &session(1), Millis::new(0));
        assert!(cache.find(&[2; 32], Millis::new(9)).is_err());
        assert!(cache.find(&[1; 32], Millis::new(999)).is_ok());
        assert!(cache.find(&[1; 32], Millis::new(1_000)).is_err());
    }

    #[test]
    fn a_change_forgets_whom_it_concerns_and_nobody_else() {
        let cache = Cache::default();
        remembering(&cache, 1, &session(1), Millis::new(0));
        remembering(&cache, 2, &session(2), Millis::new(0));

        cache.forget_account(session(1).account.id);

        assert!(cache.find(&[1; 32], Millis::new(0)).is_err());
        assert!(cache.find(&[2; 32], Millis::new(0)).is_ok());
        cache.forget_session(session(2).id);
        assert!(cache.find(&[2; 32], Millis::new(0)).is_err());
    }

    #[test]
    fn what_was_read_before_a_change_is_not_remembered_after_it() {
        let cache = Cache::default();
        let moment = cache.find(&[1; 32], Millis::new(0)).unwrap_err();
        cache.forget_account(session(1).account.id);

        cache.remember([1; 32], &session(1), Millis::new(0), moment);

        assert!(cache.find(&[1; 32], Millis::new(0)).is_err());
    }

    #[test]
    fn a_flood_of_tokens_costs_bounded_memory() {
        let cache = Cache::default();
        let session = session(1);
        for n in 0..TOKENS * 2 + 10 {
            let mut token = [0; 32];
            token[..8].copy_from_slice(&n.to_be_bytes());
            let moment = cache.find(&token, Millis::new(0)).unwrap_err();
            cache.remember(token, &session, Millis::new(0), moment);
        }
        assert!(cache.lock().sessions.len() <= TOKENS);
    }
}
