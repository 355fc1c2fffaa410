//! The scheme of a request, as far as it is known. The names of the cookies depend on it (H7).

use axum::http::{HeaderMap, header};

use crate::address::{Network, Peer};
use crate::config::Origin;

/// The scheme with which the browser reached the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// http, or not known to be https.
    Http,
    /// https, served here or by a proxy in front.
    Https,
}

impl Scheme {
    /// Determines the scheme of a request.
    #[must_use]
    pub fn of(
        peer: Peer,
        headers: &HeaderMap,
        trusted: &[Network],
        public_url: Option<&Origin>,
    ) -> Self {
        let by_proxy =
            || peer.is_one_of(trusted) && first(headers, "x-forwarded-proto") == Some("https");
        // A proxy may replace Host but not Origin.
        let by_name = || {
            public_url.filter(|url| url.is_https()).is_some_and(|url| {
                first(headers, header::HOST.as_str()) == Some(url.authority())
                    || first(headers, header::ORIGIN.as_str()) == Some(url.as_str())
            })
        };
        if peer.tls || by_proxy() || by_name() { Self::Https } else { Self::Http }
    }
}

/// The first of a header's values, which the outermost proxy wrote.
fn first<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let value = headers.get(name)?.to_str().ok()?;
    value.split(',').next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    fn scheme(ip: &str, tls: bool, lines: &[(&str, &str)]) -> Scheme {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers
                .insert(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        }
        let peer = Peer { ip: ip.parse().unwrap(), tls };
        let url = "https://beam.example.org".parse().unwrap();
        Scheme::of(peer, &headers, &["127.0.0.0/8".parse().unwrap()], Some(&url))
    }

    #[test]
    fn h7_https_is_known_from_the_connection_a_trusted_proxy_or_the_public_address() {
        let forwarded = ("x-forwarded-proto", "https");
        assert_eq!(scheme("192.0.2.1", true, &[]), Scheme::Https);
        assert_eq!(scheme("192.0.2.1", false, &[]), Scheme::Http);
        assert_eq!(scheme("127.0.0.1", false, &[forwarded]), Scheme::Https);
        assert_eq!(scheme("::ffff:127.0.0.1", false, &[forwarded]), Scheme::Https);
        assert_eq!(scheme("192.0.2.1", false, &[forwarded]), Scheme::Http);
        assert_eq!(scheme("127.0.0.1", false, &[("x-forwarded-proto", "http")]), Scheme::Http);
        assert_eq!(scheme("192.0.2.1", false, &[("host", "beam.example.org")]), Scheme::Https);
        let origin = [("host", "10.0.0.1"), ("origin", "https://beam.example.org")];
        assert_eq!(scheme("192.0.2.1", false, &origin), Scheme::Https);
        assert_eq!(scheme("192.0.2.1", false, &[("host", "localhost:8080")]), Scheme::Http);
    }
}
