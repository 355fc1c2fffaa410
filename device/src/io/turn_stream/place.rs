//! Which servers are reached by a stream.

use crate::io::ice_address::host_and_port;

/// The port of a server that names none, without and with TLS (RFC 7065, section 3.2).
const PORT: u16 = 3478;
const TLS_PORT: u16 = 5349;

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) is_tls: bool,
}

impl Place {
    /// The server at an address; `None` where it is not reached by a stream.
    pub(super) fn of(url: &str) -> Option<Self> {
        let (place, transport) = match url.split_once('?') {
            Some((place, query)) => (place, Some(query.strip_prefix("transport=")?)),
            None => (url, None),
        };
        // What says nothing of it goes over UDP, or over TLS on TCP.
        let (place, is_tls) = match (place.split_once(':')?, transport) {
            (("turn", place), Some("tcp")) => (place, false),
            (("turns", place), None | Some("tcp")) => (place, true),
            _ => return None,
        };
        let (host, port) = host_and_port(place, if is_tls { TLS_PORT } else { PORT })?;
        (!host.is_empty()).then(|| Self { host: host.to_owned(), port, is_tls })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_over_tcp_and_tls_are_found_and_no_others() {
        let place = |url| Place::of(url).map(|place| (place.host, place.port, place.is_tls));
        let found = |host: &str, port, is_tls| Some((host.to_owned(), port, is_tls));
        assert_eq!(place("turn:a.example:9?transport=tcp"), found("a.example", 9, false));
        assert_eq!(place("turn:[2001:db8::1]?transport=tcp"), found("2001:db8::1", 3478, false));
        assert_eq!(place("turns:a.example"), found("a.example", 5349, true));
        assert_eq!(place("turns:192.0.2.1:443?transport=tcp"), found("192.0.2.1", 443, true));
        let others = [
            "turn:a.example",
            "turn:a.example?transport=udp",
            "turns:a.example?transport=udp",
            "turn:a.example:70000?transport=tcp",
            "turn:?transport=tcp",
            "turn:a.example?tcp",
            "stun:a.example?transport=tcp",
            "",
        ];
        for url in others {
            assert_eq!(Place::of(url), None, "{url}");
        }
    }
}
