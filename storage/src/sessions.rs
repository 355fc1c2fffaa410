//! Sessions: the logins of accounts. The database has only hashes of their tokens.

use std::collections::HashSet;
use std::time::Duration;

use heliograph_shared::time::Millis;
use uuid::Uuid;

use crate::accounts::{self, Account, AccountId, NewAccount, account_columns};
use crate::database::{Database, Row, Transaction, args};
use crate::quota::lock_account;
use crate::{Error, Storage};

/// How long a used refresh token is answered like the first time, because two tabs may refresh at once or the response
/// may get lost. A later use means that the token was stolen (A2).
pub const GRACE: Duration = Duration::from_secs(30);

/// Most sessions of an account: more than a person has browsers. Beyond them the oldest end, so that a program that logs
/// in again and again does not fill the tables.
pub const MAX_SESSIONS: i64 = 100;

/// A session's id. A session is one login, with all tokens that descend from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionId(Uuid);

impl SessionId {
    /// An id from 16 random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }

    /// The id from another node of the server.
    #[must_use]
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// The id as a UUID, for the other nodes of the server.
    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

/// SHA-256 of a token of 256 random bits. Comparing hashes needs no constant time.
pub type TokenHash = [u8; 32];

/// The session of a valid access token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The session's id.
    pub id: SessionId,
    /// The account.
    pub account: Account,
    /// When the token expires.
    pub expires_at: Millis,
}

/// An issued token.
#[derive(Clone, Copy, Debug)]
pub struct NewToken {
    /// The token's hash.
    pub hash: TokenHash,
    /// When it expires.
    pub expires_at: Millis,
}

/// The current tokens of a session.
#[derive(Clone, Copy, Debug)]
pub struct NewTokens {
    /// Sent with every request.
    pub access: NewToken,
    /// Used once, for the next pair. The session expires with it.
    pub refresh: NewToken,
}

/// A new session.
#[derive(Clone, Copy, Debug)]
pub struct NewSession {
    /// The session's id.
    pub id: SessionId,
    /// The account.
    pub account: AccountId,
    /// The first tokens.
    pub tokens: NewTokens,
    /// When it was created.
    pub created_at: Millis,
}

/// The result of using a refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refreshed {
    /// The successors are valid, now or since an earlier use.
    Renewed,
    /// The token was used long ago, so its session was ended.
    Replayed(SessionId),
    /// The token is unknown or has expired.
    Unknown,
}

impl Storage {
    /// Creates an account and its first session, in one transaction.
    ///
    /// # Errors
    /// [`Error::Conflict`] when the username is taken.
    pub async fn create_account(
        &self,
        account: &NewAccount,
        session: &NewSession,
    ) -> Result<(), Error> {
        let mut transaction = self.database.begin().await?;
        accounts::insert(&mut transaction, account).await?;
        insert(&mut transaction, session).await?;
        transaction.commit().await
    }

    /// Creates a session of an account whose password was proved by this hash. Ends the oldest ones of the account beyond
    /// [`MAX_SESSIONS`], and returns their ids.
    ///
    /// # Errors
    /// [`Error::Missing`] when the account has another password by now, or is gone.
    pub async fn open_session(
        &self,
        session: &NewSession,
        proved_hash: &str,
    ) -> Result<Vec<SessionId>, Error> {
        let mut transaction = self.database.begin().await?;
        // One login of an account at a time, so that together they make no more sessions than one after the other.
        lock_by_password(&mut transaction, session.account, proved_hash).await?;
        let account = session.account.uuid();
        let end = "DELETE FROM sessions WHERE account_id = $1 AND id NOT IN \
                   (SELECT id FROM sessions WHERE account_id = $1 ORDER BY created_at DESC, id LIMIT $2) \
                   RETURNING id";
        let ended = transaction.fetch_all(end, args![account, MAX_SESSIONS - 1]).await?;
        insert(&mut transaction, session).await?;
        transaction.commit().await?;
        session_ids(&ended)
    }

    /// The session of an access token that is valid at this time.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn find_session(
        &self,
        access: TokenHash,
        now: Millis,
    ) -> Result<Option<Session>, Error> {
        let select = concat!(
            "SELECT t.session_id, t.expires_at, ",
            account_columns!("a", ""),
            " FROM tokens t JOIN sessions s ON s.id = t.session_id JOIN accounts a ON a.id = s.account_id \
             WHERE t.hash = $1 AND t.kind = 'access' AND t.expires_at > $2"
        );
        let row = self.database.fetch_optional(select, args![access, now]).await?;
        row.map(|row| {
            let id = SessionId(row.get("session_id")?);
            Ok(Session { id, account: Account::read(&row)?, expires_at: row.time("expires_at")? })
        })
        .transpose()
    }

    /// The current state of a session's account; `None` when the session has ended.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn account_of(&self, session: SessionId) -> Result<Option<Account>, Error> {
        let select = concat!(
            "SELECT ",
            account_columns!("a", ""),
            " FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.id = $1"
        );
        let row = self.database.fetch_optional(select, args![session.0]).await?;
        row.as_ref().map(Account::read).transpose()
    }

    /// Those of these sessions that have not ended, asked for at once.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn lasting(&self, sessions: &[SessionId]) -> Result<HashSet<SessionId>, Error> {
        let select = match &self.database {
            Database::Sqlite { .. } => {
                "SELECT id FROM sessions WHERE lower(hex(id)) IN (SELECT value FROM json_each($1))"
            }
            Database::Postgres(_) => {
                "SELECT id FROM sessions WHERE id IN (SELECT CAST(value AS uuid) FROM json_array_elements_text(CAST($1 AS json)))"
            }
        };
        let ids: Vec<_> = sessions.iter().map(|id| format!("\"{}\"", id.0.simple())).collect();
        let ids = format!("[{}]", ids.join(","));
        let rows = self.database.fetch_all(select, args![ids]).await?;
        rows.iter().map(|row| Ok(SessionId(row.get("id")?))).collect()
    }

    /// Exchanges a refresh token for its successors. A repeated use within [`GRACE`] finds the successors in place; a
    /// later one ends the session, because one of the two users stole the token.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn refresh_session(
        &self,
        old: TokenHash,
        successors: &NewTokens,
        now: Millis,
    ) -> Result<Refreshed, Error> {
        let mut transaction = self.database.begin().await?;
        // The session before its tokens, in the order in which its end deletes them.
        let lock = "SELECT 1 FROM sessions WHERE id = \
                    (SELECT session_id FROM tokens WHERE hash = $1 AND kind = 'refresh') FOR UPDATE";
        transaction.lock(lock, args![old]).await?;
        // The condition admits only one of several. The others wait for it here and then find the token used.
        let take = "UPDATE tokens SET used_at = $2 \
                    WHERE hash = $1 AND kind = 'refresh' AND used_at IS NULL AND expires_at > $2 \
                    RETURNING session_id";
        let taken = transaction.fetch_optional(take, args![old, now]).await?;
        let refreshed = if let Some(row) = taken {
            let session = SessionId(row.get("session_id")?);
            insert_tokens(&mut transaction, session, successors).await?;
            let prolong = "UPDATE sessions SET expires_at = $2 WHERE id = $1";
            let until = successors.refresh.expires_at;
            transaction.execute(prolong, args![session.0, until]).await?;
            Refreshed::Renewed
        } else {
            used_before(&mut transaction, old, now).await?
        };
        transaction.commit().await?;
        Ok(refreshed)
    }

    /// Ends a session. Does nothing if it has ended already.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn end_session(&self, session: SessionId) -> Result<(), Error> {
        self.database.execute("DELETE FROM sessions WHERE id = $1", args![session.0]).await?;
        Ok(())
    }

    /// The session of a refresh token, used or not.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn find_refreshable(&self, refresh: TokenHash) -> Result<Option<SessionId>, Error> {
        let select = "SELECT session_id FROM tokens WHERE hash = $1 AND kind = 'refresh'";
        let row = self.database.fetch_optional(select, args![refresh]).await?;
        row.map(|row| row.get("session_id").map(SessionId)).transpose()
    }

    /// Removes expired sessions and tokens, and returns the ids of these sessions.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn forget_old_sessions(&self, now: Millis) -> Result<Vec<SessionId>, Error> {
        let mut transaction = self.database.begin().await?;
        let delete = "DELETE FROM sessions WHERE expires_at <= $1 RETURNING id";
        let ended = transaction.fetch_all(delete, args![now]).await?;
        transaction.commit().await?;
        self.database.execute("DELETE FROM tokens WHERE expires_at <= $1", args![now]).await?;
        session_ids(&ended)
    }
}

/// Locks an account whose password was proved by this hash before. Checking a password takes long, so the password may have been
/// replaced meanwhile; until the end of the transaction it is not.
///
/// # Errors
/// [`Error::Missing`] when the account has another password by now, or is gone.
pub(crate) async fn lock_by_password(
    transaction: &mut Transaction,
    account: AccountId,
    proved_hash: &str,
) -> Result<(), Error> {
    lock_account(transaction, account).await?;
    let select = "SELECT 1 AS found FROM accounts WHERE id = $1 AND password_hash = $2";
    let row = transaction.fetch_optional(select, args![account.uuid(), proved_hash]).await?;
    row.map(drop).ok_or(Error::Missing)
}

/// Fails with [`Error::Missing`] when a session of the account has ended.
pub(crate) async fn require_session(
    transaction: &mut Transaction,
    account: AccountId,
    session: SessionId,
) -> Result<(), Error> {
    let select = "SELECT 1 AS found FROM sessions WHERE id = $1 AND account_id = $2";
    let row = transaction.fetch_optional(select, args![session.0, account.uuid()]).await?;
    row.map(drop).ok_or(Error::Missing)
}

/// Ends the sessions of an account but one, and returns their ids.
pub(crate) async fn end_other_sessions(
    transaction: &mut Transaction,
    account: AccountId,
    kept: SessionId,
) -> Result<Vec<SessionId>, Error> {
    let end = "DELETE FROM sessions WHERE account_id = $1 AND id <> $2 RETURNING id";
    session_ids(&transaction.fetch_all(end, args![account.uuid(), kept.0]).await?)
}

fn session_ids(rows: &[Row]) -> Result<Vec<SessionId>, Error> {
    rows.iter().map(|row| row.get("id").map(SessionId)).collect()
}

/// The result for a refresh token that could not be used: used recently, replayed, or unknown.
async fn used_before(
    transaction: &mut Transaction,
    old: TokenHash,
    now: Millis,
) -> Result<Refreshed, Error> {
    let select = "SELECT session_id, used_at FROM tokens WHERE hash = $1 AND kind = 'refresh' AND used_at IS NOT NULL";
    let Some(row) = transaction.fetch_optional(select, args![old]).await? else {
        return Ok(Refreshed::Unknown);
    };
    let (session, used_at): (Uuid, Millis) = (row.get("session_id")?, row.time("used_at")?);
    if now.since(used_at) <= GRACE {
        return Ok(Refreshed::Renewed);
    }
    transaction.execute("DELETE FROM sessions WHERE id = $1", args![session]).await?;
    Ok(Refreshed::Replayed(SessionId(session)))
}

async fn insert(transaction: &mut Transaction, session: &NewSession) -> Result<(), Error> {
    let NewSession { id, account, tokens, created_at } = session;
    let insert =
        "INSERT INTO sessions (id, account_id, created_at, expires_at) VALUES ($1, $2, $3, $4)";
    let values = args![id.0, account.uuid(), *created_at, tokens.refresh.expires_at];
    transaction.execute(insert, values).await?;
    insert_tokens(transaction, *id, tokens).await
}

async fn insert_tokens(
    transaction: &mut Transaction,
    session: SessionId,
    tokens: &NewTokens,
) -> Result<(), Error> {
    let insert = "INSERT INTO tokens (hash, session_id, kind, expires_at) \
                  VALUES ($1, $2, 'access', $3), ($4, $2, 'refresh', $5)";
    let NewTokens { access, refresh } = tokens;
    let values = args![access.hash, session.0, access.expires_at, refresh.hash, refresh.expires_at];
    transaction.execute(insert, values).await?;
    Ok(())
}
