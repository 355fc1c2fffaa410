//! Where STUN and TURN servers are, as their addresses say.

/// The host and the port behind the scheme of an address (RFC 7064, RFC 7065), with the port of a server that names none.
pub(super) fn host_and_port(place: &str, usual: u16) -> Option<(&str, u16)> {
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
        _ => (place, usual),
    };
    Some((host.trim_start_matches('[').trim_end_matches(']'), port))
}
