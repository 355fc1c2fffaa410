//! The cookies of a session (H7). Their names are only here.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, header};
use axum::response::AppendHeaders;

use crate::edge::scheme::Scheme;
use crate::people::known_devices::{DEVICE_LIFETIME, KnownDevice};
use crate::people::tokens::{ACCESS_LIFETIME, REFRESH_LIFETIME, Token, Tokens};

/// A cookie that the server sets.
#[derive(Clone, Copy, Debug)]
pub enum Cookie {
    /// The access token, sent with every request.
    Access,
    /// The refresh token, which renews a session.
    Refresh,
    /// Marks a device on which somebody logged in before. It outlives the session.
    Device,
}

/// The `Set-Cookie` headers of a response.
pub type SetCookies = AppendHeaders<Vec<(HeaderName, String)>>;

impl Cookie {
    /// The cookie's name. On https its prefix keeps other sites of the domain, and plain http, from setting it
    /// (RFC 6265bis, section 4.1.3.2).
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

    /// Reads the cookie of a request. On https only the prefixed name counts, because plain http cannot set it; without
    /// known https the prefixed name comes first.
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

    /// The token in the cookie.
    pub fn token(self, headers: &HeaderMap, scheme: Scheme) -> Option<Token> {
        self.read(headers, scheme, Token::parse)
    }

    fn set(self, scheme: Scheme, value: &str, seconds: u64) -> (HeaderName, String) {
        let name = self.name(scheme);
        // The prefix requires the path `/`. Without a prefix the refresh token goes only to the paths that read it.
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

/// Sets a session's tokens.
pub fn set(scheme: Scheme, tokens: &Tokens) -> SetCookies {
    let set = |cookie: Cookie, token: &Token, lifetime: Duration| {
        cookie.set(scheme, &token.encode(), lifetime.as_secs())
    };
    AppendHeaders(vec![
        set(Cookie::Access, &tokens.access, ACCESS_LIFETIME),
        set(Cookie::Refresh, &tokens.refresh, REFRESH_LIFETIME),
    ])
}

/// Sets a new session's tokens and marks the device as known.
pub fn log_in(scheme: Scheme, tokens: &Tokens, device: &KnownDevice) -> SetCookies {
    let AppendHeaders(mut cookies) = set(scheme, tokens);
    let seconds = DEVICE_LIFETIME.as_secs();
    cookies.push(Cookie::Device.set(scheme, &device.encode(), seconds));
    AppendHeaders(cookies)
}

/// Removes a session's cookies. The device stays known.
pub fn log_out(scheme: Scheme) -> SetCookies {
    let cookies = [Cookie::Access, Cookie::Refresh];
    AppendHeaders(cookies.map(|cookie| cookie.set(scheme, "", 0)).to_vec())
}

/// Removes all cookies.
pub fn forget(scheme: Scheme) -> SetCookies {
    let AppendHeaders(mut cookies) = log_out(scheme);
    cookies.push(Cookie::Device.set(scheme, "", 0));
    AppendHeaders(cookies)
}

/// Whether the request has a token of a login, which may be over.
pub fn has_login(headers: &HeaderMap, scheme: Scheme) -> bool {
    [Cookie::Access, Cookie::Refresh].iter().any(|cookie| cookie.token(headers, scheme).is_some())
}

/// The proof that somebody logged in on this device before.
pub fn known_device(headers: &HeaderMap, scheme: Scheme) -> Option<KnownDevice> {
    Cookie::Device.read(headers, scheme, KnownDevice::parse)
}

/// The value of a cookie (RFC 6265, section 4.2); `None` for a name with two values. Another host of the domain set one
/// of them, and the request does not tell which.
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
