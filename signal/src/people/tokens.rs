//! Tokens: 256 random bits that stand for a login. They are in the cookies and nowhere else; the tables have hashes.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use heliograph_storage::secrets::Secret;
use heliograph_storage::sessions::{NewToken, NewTokens, TokenHash};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

use crate::clock::millis;
use crate::error::Error;
use crate::random;

/// How long an access token is good.
pub const ACCESS_LIFETIME: Duration = Duration::from_mins(15);
/// How long a refresh token is good, and with it a login that nobody uses.
pub const REFRESH_LIFETIME: Duration = Duration::from_hours(30 * 24);

/// One token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token([u8; 32]);

impl Token {
    /// Reads what a cookie says; none when it is no token of ours.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok().map(Self)
    }

    /// For a cookie.
    #[must_use]
    pub fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// What the tables know of it.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        Sha256::digest(self.0).into()
    }

    /// A token that follows from this one: always the same, and nobody without the secret can tell it.
    fn derived(&self, kind: &str, secret: &Secret) -> Result<Self, Error> {
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes());
        let mut mac = mac.map_err(|_| Error::Internal)?;
        mac.update(kind.as_bytes());
        mac.update(&self.0);
        Ok(Self(mac.finalize().into_bytes().into()))
    }
}

/// What a login has at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Tokens {
    /// Shown with every request.
    pub access: Token,
    /// Shown once, for the next two.
    pub refresh: Token,
}

impl Tokens {
    /// The first two of a login.
    ///
    /// # Errors
    /// [`Error::Random`], [`Error::Internal`].
    pub fn fresh(secret: &Secret) -> Result<Self, Error> {
        Self::with(Token(random::bytes()?), secret)
    }

    /// Those that follow a refresh token (A2): the same for everybody who shows it, so that two tabs do not part.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub fn after(refresh: &Token, secret: &Secret) -> Result<Self, Error> {
        Self::with(refresh.derived("refresh", secret)?, secret)
    }

    /// The pair of a refresh token. The access token follows from it, so that a cookie which somebody planted beside
    /// the other is found without a table, also when the access token has long been forgotten there.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub fn with(refresh: Token, secret: &Secret) -> Result<Self, Error> {
        Ok(Self { access: refresh.derived("access", secret)?, refresh })
    }

    /// What the tables are told.
    #[must_use]
    pub fn record(&self, now: i64) -> NewTokens {
        let token = |token: &Token, lifetime| NewToken {
            hash: token.hash(),
            expires_at: now + millis(lifetime),
        };
        NewTokens {
            access: token(&self.access, ACCESS_LIFETIME),
            refresh: token(&self.refresh, REFRESH_LIFETIME),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a2_a_refresh_token_has_one_pair_of_successors_under_one_secret() {
        let old = Token([1; 32]);
        let after = |secret: u8| Tokens::after(&old, &Secret::new([secret; 32])).unwrap();
        assert!(after(7) == after(7));
        assert!(after(7).refresh != after(8).refresh);
        assert!(after(7).access != after(7).refresh);
        assert!(after(7).refresh != old);
    }

    #[test]
    fn h7_an_access_token_follows_from_the_refresh_token_beside_it() {
        let secret = Secret::new([7; 32]);
        let first = Tokens::fresh(&secret).unwrap();
        let second = Tokens::after(&first.refresh, &secret).unwrap();
        for pair in [first, second] {
            assert!(Tokens::with(pair.refresh, &secret).unwrap() == pair);
        }
        assert!(Tokens::fresh(&secret).unwrap() != first);
    }

    #[test]
    fn a_token_is_read_as_it_was_written_and_nothing_else_is_one() {
        let token = Token([9; 32]);
        assert!(Token::parse(&token.encode()) == Some(token));
        for wrong in ["", "x", &token.encode()[1..], &format!("{}=", token.encode()), "é"] {
            assert!(Token::parse(wrong).is_none(), "{wrong:?}");
        }
    }
}
