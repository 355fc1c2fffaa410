//! Sessions: where somebody is logged in. Of tokens only the hashes are here.

use uuid::Uuid;

use crate::accounts::Account;
use crate::database::args;
use crate::{Error, Storage};

/// One login: the family of all tokens that came from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionId(Uuid);

/// SHA-256 of a token of 256 random bits, so comparing hashes needs no constant time.
pub type TokenHash = [u8; 32];

/// Who an access token stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The login.
    pub id: SessionId,
    /// The person.
    pub account: Account,
}

impl Storage {
    /// Who an access token stands for, if it is good at this time.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn find_session(
        &self,
        access: TokenHash,
        now: i64,
    ) -> Result<Option<Session>, Error> {
        let select = "SELECT session_id, a.id, a.username, a.first_name, a.last_name, a.email, a.picture, \
                      a.created_at \
                      FROM tokens t JOIN sessions s ON s.id = t.session_id JOIN accounts a ON a.id = s.account_id \
                      WHERE t.hash = $1 AND t.kind = 'access' AND t.expires_at > $2";
        let row = self.database.fetch_optional(select, args![access, now]).await?;
        row.map(|row| {
            let id = SessionId(row.get("session_id")?);
            Ok(Session { id, account: Account::read(&row)? })
        })
        .transpose()
    }
}
