//! The ports of the web server: free, taken by Heliograph itself, or by another program.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use serde_json::Value;

use super::http::Place;
use super::report::Check;

/// What is at a port.
#[derive(Debug)]
pub enum Found {
    /// Nothing, so a server can start.
    Free,
    /// A Heliograph server.
    Heliograph,
    /// Another program.
    Other,
    /// The system does not let us listen there.
    Refused(io::Error),
}

/// Looks at a port.
pub async fn look(address: SocketAddr, tls: bool) -> Found {
    match std::net::TcpListener::bind(address) {
        Ok(_) => Found::Free,
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => taken(address, tls).await,
        // A start takes IPv4 instead.
        Err(_) if address.ip() == IpAddr::V6(Ipv6Addr::UNSPECIFIED) => {
            let v4 = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), address.port());
            match std::net::TcpListener::bind(v4) {
                Ok(_) => Found::Free,
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => taken(v4, tls).await,
                Err(error) => Found::Refused(error),
            }
        }
        Err(error) => Found::Refused(error),
    }
}

async fn taken(address: SocketAddr, tls: bool) -> Found {
    if is_heliograph(&place(address, tls)).await { Found::Heliograph } else { Found::Other }
}

/// How this machine reaches its own listener.
#[must_use]
pub fn place(address: SocketAddr, tls: bool) -> Place {
    let ip = match address.ip() {
        ip if !ip.is_unspecified() => ip,
        // A listener on every IPv6 address takes IPv4 as well.
        _ => Ipv4Addr::LOCALHOST.into(),
    };
    Place { tls, host: ip.to_string(), port: address.port() }
}

async fn is_heliograph(place: &Place) -> bool {
    let Ok(answer) = place.get("/api/site").await else { return false };
    let site: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    site["version"].is_string() && site["repository"].is_string()
}

/// Says what to do about what is there; `option` is the one that names the port.
#[must_use]
pub fn judge(name: &'static str, address: SocketAddr, found: &Found, option: &str) -> Check {
    match found {
        Found::Free => Check::ok(name, format!("{address} is free.")),
        Found::Heliograph => Check::ok(name, format!("{address} is used by Heliograph itself.")),
        Found::Other => Check::failed(
            name,
            format!("{address} is taken by another program."),
            format!(
                "End the other program (ss -ltnp shows which one), or take another port with {option}."
            ),
        ),
        Found::Refused(error) if error.kind() == io::ErrorKind::PermissionDenied => Check::failed(
            name,
            format!("This user may not listen on {address}."),
            format!(
                "Take a port above 1023 with {option}, or allow it (AmbientCapabilities=CAP_NET_BIND_SERVICE)."
            ),
        ),
        Found::Refused(error) => Check::failed(
            name,
            format!("Nothing can listen on {address}: {error}."),
            format!("Name an address that this machine has with {option}."),
        ),
    }
}
