//! The names under which this server answers. A page of another site may resolve its own name to this machine (DNS
//! rebinding). Its requests then look like those of our own pages, except for the name in `Host`.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::address::{Network, Peer};
use crate::config::Origin;
use crate::error::Error;

/// The header in which a proxy passes on the name that it was asked under.
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// The server's names. IP addresses, `localhost` and names that end in `.local` are always accepted, since no foreign
/// page can have one of them.
#[derive(Clone, Debug)]
pub struct Hosts {
    names: Arc<[String]>,
    trusted_proxies: Arc<[Network]>,
}

/// The name under which the server was asked, without a port: the one by which the client reaches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedHost(pub String);

impl Hosts {
    /// The names `machine`, the machine's host name, the host of `public_url`, and those of the certificate.
    #[must_use]
    pub fn new(
        public_url: Option<&Origin>,
        certified: &[String],
        machine: Option<&str>,
        trusted_proxies: &[Network],
    ) -> Self {
        let public =
            public_url.and_then(|url| name_of(url.authority())).map(|(name, _)| name.to_owned());
        let machine = machine.map(str::to_ascii_lowercase);
        // A machine called host.example.org is also opened as host.
        let short = machine.as_deref().and_then(|name| name.split_once('.'));
        let short = short.map(|(short, _)| short.to_owned());
        let names = [public, machine, short].into_iter().flatten();
        let names = names.chain(certified.iter().cloned()).collect();
        Self { names, trusted_proxies: trusted_proxies.into() }
    }

    /// Checks that a request has exactly one host and that it is this server's.
    ///
    /// # Errors
    /// [`Error::BadRequest`] without a host or with two, [`Error::UnknownHost`] for a foreign one.
    fn check(&self, request: &Request) -> Result<AskedHost, Error> {
        const NO_HOST: Error = Error::BadRequest("A request must have exactly one Host.");
        let headers = request.headers();
        let mut hosts = headers.get_all(header::HOST).into_iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return Err(NO_HOST) };
        let own = self.check_name(host.to_str().map_err(|_| NO_HOST)?)?;
        // An absolute target replaces Host (RFC 9112, section 3.2.2).
        let target = request.uri().authority();
        let own = target.map_or(Ok(own), |target| self.check_name(target.as_str()))?;
        // A trusted proxy's header is checked in addition to Host, never instead: pages on this machine, which is
        // trusted by default, can send that header too.
        let forwarded = self.forwarded(request, headers);
        let name = forwarded.map_or(Ok(own), |host| self.check_name(host))?;
        Ok(AskedHost(name.to_owned()))
    }

    /// The name under which a trusted proxy was asked. Only the last value is the proxy's own.
    fn forwarded<'a>(&self, request: &Request, headers: &'a HeaderMap) -> Option<&'a str> {
        let peer: &Peer = request.extensions().get()?;
        if !peer.is_one_of(&self.trusted_proxies) {
            return None;
        }
        let last: &HeaderValue = headers.get_all(FORWARDED_HOST).into_iter().next_back()?;
        last.to_str().ok()?.rsplit(',').next().map(str::trim)
    }

    /// Returns the name without its port.
    fn check_name<'a>(&self, host: &'a str) -> Result<&'a str, Error> {
        const WRONG: Error = Error::BadRequest("The host name is malformed.");
        let (name, authority) = name_of(host).ok_or(WRONG)?;
        let is_ours = name.parse::<Ipv4Addr>().is_ok()
            || is_ipv6(name)
            || name.eq_ignore_ascii_case("localhost")
            || (is_plain(name) && name.to_ascii_lowercase().ends_with(".local"))
            || self.names.iter().any(|own| own.eq_ignore_ascii_case(name));
        match is_ours {
            true => Ok(name),
            false if is_plain(name) => Err(Error::UnknownHost(authority.as_str().to_owned())),
            false => Err(WRONG),
        }
    }
}

/// The name in `name:port`, without a final dot; `None` if it is malformed.
fn name_of(host: &str) -> Option<(&str, Authority)> {
    let authority: Authority = host.parse().ok()?;
    let length = authority.host().len();
    let (name, port) = host.split_at_checked(length)?;
    let is_port = port.is_empty() || port.strip_prefix(':')?.bytes().all(|b| b.is_ascii_digit());
    let name = name.strip_suffix('.').unwrap_or(name);
    (is_port && !name.is_empty() && !host.contains('@')).then_some((name, authority))
}

/// Whether the name consists of letters, digits and hyphens between dots (RFC 1123, section 2.1). An authority may have
/// other characters too, some of which mean something in a policy or a list.
fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    name.split('.').all(|label| !label.is_empty() && label.chars().all(is_plain))
}

fn is_ipv6(name: &str) -> bool {
    let inside = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    inside.is_some_and(|address| address.parse::<Ipv6Addr>().is_ok())
}

/// Refuses requests for other hosts. Tells the handlers which of its names the server was asked under.
pub async fn check(State(hosts): State<Hosts>, mut request: Request, next: Next) -> Response {
    match hosts.check(&request) {
        Ok(asked) => {
            request.extensions_mut().insert(asked);
            next.run(request).await
        }
        Err(error) => error.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn hosts(public_url: Option<&str>) -> Hosts {
        let url: Option<Origin> = public_url.map(|url| url.parse().unwrap());
        let certified = ["one.example.org", "two.example.org"].map(ToOwned::to_owned);
        let proxies = ["127.0.0.0/8".parse().unwrap()];
        Hosts::new(url.as_ref(), &certified, Some("Attic.example.org"), &proxies)
    }

    /// The response's status for this peer and these headers.
    fn status(hosts: &Hosts, peer: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = Request::builder().uri("/");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::empty()).unwrap();
        request.extensions_mut().insert(Peer { ip: peer.parse().unwrap(), tls: false });
        match hosts.check(&request) {
            Ok(_) => 200,
            Err(error) => error.into_response().status().as_u16(),
        }
    }

    #[test]
    fn h9_addresses_and_names_that_only_this_machine_can_have_are_answered() {
        let hosts = hosts(None);
        for ours in [
            "127.0.0.1:8080",
            "192.168.1.4",
            "[::1]:8080",
            "[fe80::1]",
            "localhost",
            "LocalHost:1",
            "localhost.",
            "laptop.local:8080",
            "attic.example.org",
            "attic:8080",
            "one.example.org",
            "two.example.org:443",
        ] {
            assert_eq!(status(&hosts, "192.0.2.1", &[("host", ours)]), 200, "{ours}");
        }
        for foreign in [
            "evil.example",
            "beam.example.org",
            "localhost.evil.example",
            "local",
            "127.0.0.1.evil.example",
            "0x7f.1",
            "evil.example.",
        ] {
            assert_eq!(status(&hosts, "192.0.2.1", &[("host", foreign)]), 421, "{foreign}");
        }
        let no_names = ["a;script-src*.local", "*.local", "a,b.local", "a_b.local", "a..local"];
        let wrong = ["", "a b", "x; script-src *", "a@b", "localhost:x", ":8080", "[::1"];
        for wrong in wrong.into_iter().chain(no_names) {
            assert_eq!(status(&hosts, "192.0.2.1", &[("host", wrong)]), 400, "{wrong}");
        }
    }

    #[test]
    fn h9_the_public_address_is_answered_too() {
        let hosts = hosts(Some("https://beam.example.org:444"));
        for ours in ["beam.example.org", "BEAM.example.org:444", "beam.example.org.:8080", "[::1]"]
        {
            assert_eq!(status(&hosts, "192.0.2.1", &[("host", ours)]), 200, "{ours}");
        }
        assert_eq!(status(&hosts, "192.0.2.1", &[("host", "www.beam.example.org")]), 421);
    }

    #[test]
    fn h9_a_trusted_proxy_says_under_which_name_it_was_asked_and_cannot_make_a_name_ours() {
        let hosts = hosts(Some("https://beam.example.org"));
        let asked = |peer, host, forwarded| {
            status(&hosts, peer, &[("host", host), ("x-forwarded-host", forwarded)])
        };
        assert_eq!(asked("127.0.0.1", "127.0.0.1:8080", "beam.example.org"), 200);
        assert_eq!(asked("127.0.0.1", "127.0.0.1:8080", "evil.example"), 421);
        assert_eq!(asked("::ffff:127.0.0.1", "127.0.0.1:8080", "evil.example"), 421);
        assert_eq!(asked("127.0.0.1", "localhost", "localhost, evil.example"), 421);
        assert_eq!(asked("127.0.0.1", "localhost", "evil.example, beam.example.org"), 200);
        assert_eq!(asked("127.0.0.1", "evil.example", "beam.example.org"), 421);
        assert_eq!(asked("192.0.2.1", "192.0.2.9", "evil.example"), 200, "not a proxy of ours");
    }
}
