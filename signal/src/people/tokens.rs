//! Tokens: 256 random bits that prove a session. They are only in cookies; the database has their hashes.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use heliograph_shared::time::Millis;
use heliograph_storage::secrets::Secret;
use heliograph_storage::sessions::{NewToken, NewTokens, TokenHash};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::random;

/// Lifetime of an access token.
pub const ACCESS_LIFETIME: Duration = Duration::from_mins(15);
/// Lifetime of a refresh token, and so of an unused session.
pub const REFRESH_LIFETIME: Duration = Duration::from_hours(30 * 24);

/// A token of 256 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token([u8; 32]);

impl Token {
    /// Parses a cookie's value.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok().map(Self)
    }

    /// The cookie's value.
    #[must_use]
    pub fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// The hash under which the database knows the token.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        Sha256::digest(self.0).into()
    }

    /// Derives another token from this one: always the same, and unpredictable without the secret.
    fn derived(&self, kind: &str, secret: &Secret) -> Result<Self, Error> {
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes());
        let mut mac = mac.map_err(|_| Error::Internal)?;
        mac.update(kind.as_bytes());
        mac.update(&self.0);
        Ok(Self(mac.finalize().into_bytes().into()))
    }
}

/// The tokens of a session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Tokens {
    /// Sent with every request.
    pub access: Token,
    /// Used once, for the next pair.
    pub refresh: Token,
}

impl Tokens {
    /// A first, random pair.
    ///
    /// # Errors
    /// [`Error::Random`], [`Error::Internal`].
    pub fn fresh(secret: &Secret) -> Result<Self, Error> {
        Self::with(Token(random::bytes()?), secret)
    }

    /// The successors of a refresh token (A2). They are the same at each use, so that two tabs get the same pair.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub fn after(refresh: &Token, secret: &Secret) -> Result<Self, Error> {
        Self::with(refresh.derived("refresh", secret)?, secret)
    }

    /// The pair of a refresh token. Its access token is derived from it, so that a planted cookie beside the other is
    /// detected without the database, even when the access token has long expired there.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub fn with(refresh: Token, secret: &Secret) -> Result<Self, Error> {
        Ok(Self { access: refresh.derived("access", secret)?, refresh })
    }

    /// The hashes and lifetimes for the database.
    #[must_use]
    pub fn record(&self, now: Millis) -> NewTokens {
        let token =
            |token: &Token, lifetime| NewToken { hash: token.hash(), expires_at: now + lifetime };
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
