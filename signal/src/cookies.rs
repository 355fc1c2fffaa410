//! The two cookies of a login (H7). Nobody else spells their names.

use axum::http::{HeaderMap, HeaderName, header};
use axum::response::AppendHeaders;

use crate::scheme::Scheme;
use crate::tokens::{ACCESS_LIFETIME, REFRESH_LIFETIME, Token, Tokens};

/// One of the two.
#[derive(Clone, Copy, Debug)]
pub enum Cookie {
    /// Sent with every request.
    Access,
    /// Sent to the calls about logins only.
    Refresh,
}

/// What an answer says about both cookies.
pub type SetCookies = AppendHeaders<[(HeaderName, String); 2]>;

impl Cookie {
    /// On https the prefixes keep other sites of the domain, and plain http, from setting ours.
    const fn name(self, scheme: Scheme) -> &'static str {
        match (self, scheme) {
            (Self::Access, Scheme::Https) => "__Host-access",
            (Self::Access, Scheme::Http) => "access",
            (Self::Refresh, Scheme::Https) => "__Secure-refresh",
            (Self::Refresh, Scheme::Http) => "refresh",
        }
    }

    /// The token that a request shows. On https only the cookie that plain http cannot have set counts; where nobody
    /// says what it is, that one comes first.
    pub fn read(self, headers: &HeaderMap, scheme: Scheme) -> Option<Token> {
        let token = |scheme| value(headers, self.name(scheme)).and_then(Token::parse);
        match scheme {
            Scheme::Https => token(Scheme::Https),
            Scheme::Http => token(Scheme::Https).or_else(|| token(Scheme::Http)),
        }
    }

    fn set(self, scheme: Scheme, value: &str, seconds: u64) -> (HeaderName, String) {
        let name = self.name(scheme);
        let path = match self {
            Self::Access => "/",
            Self::Refresh => "/api/auth",
        };
        let secure = if scheme == Scheme::Https { "; Secure" } else { "" };
        let cookie = format!(
            "{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
        );
        (header::SET_COOKIE, cookie)
    }
}

/// Gives both cookies their tokens.
pub fn set(scheme: Scheme, tokens: &Tokens) -> SetCookies {
    let set = |cookie: Cookie, token: &Token, lifetime: std::time::Duration| {
        cookie.set(scheme, &token.encode(), lifetime.as_secs())
    };
    AppendHeaders([
        set(Cookie::Access, &tokens.access, ACCESS_LIFETIME),
        set(Cookie::Refresh, &tokens.refresh, REFRESH_LIFETIME),
    ])
}

/// Takes both cookies away.
pub fn clear(scheme: Scheme) -> SetCookies {
    AppendHeaders([Cookie::Access, Cookie::Refresh].map(|cookie| cookie.set(scheme, "", 0)))
}

/// The value of a cookie (RFC 6265, section 4.2).
fn value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let values =
        headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(own, _)| *own == name).map(|(_, value)| value)
}
