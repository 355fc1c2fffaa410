//! The cookies of a login (H7). Nobody else spells their names.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, header};
use axum::response::AppendHeaders;

use crate::edge::scheme::Scheme;
use crate::people::known_devices::{DEVICE_LIFETIME, KnownDevice};
use crate::people::tokens::{ACCESS_LIFETIME, REFRESH_LIFETIME, Token, Tokens};

/// One of them.
#[derive(Clone, Copy, Debug)]
pub enum Cookie {
    /// Shows a login with every request.
    Access,
    /// Renews a login.
    Refresh,
    /// Shows that somebody logged in here before; it outlives the login.
    Device,
}

/// What an answer says about cookies.
pub type SetCookies = AppendHeaders<Vec<(HeaderName, String)>>;

impl Cookie {
    /// On https the prefix keeps other sites of the domain, and plain http, from setting ours (RFC 6265bis, section
    /// 4.1.3.2).
    const fn name(self, scheme: Scheme) -> &'static str {
        match (self, scheme) {
            (Self::Access, Scheme::Https) => "__Host-access",
            (Self::Access, Scheme::Http) => "access",
            (Self::Refresh, Scheme::Https) => "__Host-refresh",
            (Self::Refresh, Scheme::Http) => "refresh",
            (Self::Device, Scheme::Https) => "__Host-device",
            (Self::Device, Scheme::Http) => "device",
        }
    }

    /// What a request shows. On https only the cookie that plain http cannot have set counts; where nobody says what it
    /// is, that one comes first.
    fn read<T>(
        self,
        headers: &HeaderMap,
        scheme: Scheme,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let read = |scheme| value(headers, self.name(scheme)).and_then(&parse);
        match scheme {
            Scheme::Https => read(Scheme::Https),
            Scheme::Http => read(Scheme::Https).or_else(|| read(Scheme::Http)),
        }
    }

    /// The token that a request shows.
    pub fn token(self, headers: &HeaderMap, scheme: Scheme) -> Option<Token> {
        self.read(headers, scheme, Token::parse)
    }

    fn set(self, scheme: Scheme, value: &str, seconds: u64) -> (HeaderName, String) {
        let name = self.name(scheme);
        // The prefix demands the root. Without it the refresh token is sent only where it is read.
        let path = match (self, scheme) {
            (Self::Access, _) | (_, Scheme::Https) => "/",
            (Self::Refresh | Self::Device, Scheme::Http) => "/api/auth",
        };
        let secure = if scheme == Scheme::Https { "; Secure" } else { "" };
        let cookie = format!(
            "{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
        );
        (header::SET_COOKIE, cookie)
    }
}

/// Gives a login its tokens.
pub fn set(scheme: Scheme, tokens: &Tokens) -> SetCookies {
    let set = |cookie: Cookie, token: &Token, lifetime: Duration| {
        cookie.set(scheme, &token.encode(), lifetime.as_secs())
    };
    AppendHeaders(vec![
        set(Cookie::Access, &tokens.access, ACCESS_LIFETIME),
        set(Cookie::Refresh, &tokens.refresh, REFRESH_LIFETIME),
    ])
}

/// Gives a login its tokens, and remembers the device.
pub fn log_in(scheme: Scheme, tokens: &Tokens, device: &KnownDevice) -> SetCookies {
    let AppendHeaders(mut cookies) = set(scheme, tokens);
    let seconds = DEVICE_LIFETIME.as_secs();
    cookies.push(Cookie::Device.set(scheme, &device.encode(), seconds));
    AppendHeaders(cookies)
}

/// Takes a login's cookies away; the device stays known.
pub fn log_out(scheme: Scheme) -> SetCookies {
    let cookies = [Cookie::Access, Cookie::Refresh];
    AppendHeaders(cookies.map(|cookie| cookie.set(scheme, "", 0)).to_vec())
}

/// Takes everything away.
pub fn forget(scheme: Scheme) -> SetCookies {
    let AppendHeaders(mut cookies) = log_out(scheme);
    cookies.push(Cookie::Device.set(scheme, "", 0));
    AppendHeaders(cookies)
}

/// What a request shows that somebody logged in here before.
pub fn known_device(headers: &HeaderMap, scheme: Scheme) -> Option<KnownDevice> {
    Cookie::Device.read(headers, scheme, KnownDevice::parse)
}

/// The value of a cookie (RFC 6265, section 4.2). A name that comes with two values has none: a neighbour of the domain
/// set one of them, and nothing says which.
fn value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(header::COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(own, _)| *own == name).map(|(_, value)| value);
    let value = values.next()?;
    values.all(|other| other == value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h7_a_cookie_that_comes_twice_with_different_values_is_none() {
        let read = |cookie: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, cookie.parse().unwrap());
            value(&headers, "refresh").map(ToOwned::to_owned)
        };
        assert_eq!(read("a=1; refresh=x; b=2").as_deref(), Some("x"));
        assert_eq!(read("refresh=x; refresh=x").as_deref(), Some("x"));
        assert_eq!(read("refresh=x; refresh=y"), None);
        assert_eq!(read("xrefresh=x; refreshx=y"), None);
    }
}
