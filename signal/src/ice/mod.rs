//! What devices are told for their `RTCPeerConnection`s: where STUN and TURN are, and credentials that last an hour.

pub mod options;

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use heliograph_shared::ids::DeviceId;
use heliograph_shared::socket::IceServer;
use heliograph_shared::time::Millis;
use heliograph_turn::credentials;

/// How long credentials are good for a new allocation, or for the renewal of one.
const LIFE: Duration = Duration::from_hours(1);
/// After this time a device is sent new ones. The rest is for clocks and for sockets that are down for a while.
pub const RENEW_AFTER: Duration = Duration::from_mins(50);

/// The servers that devices use.
#[derive(Clone)]
pub struct IceServers {
    source: Source,
    /// Signs credentials; coturn calls it `static-auth-secret`.
    secret: Vec<u8>,
}

#[derive(Clone)]
enum Source {
    Off,
    /// The server inside of this one.
    Embedded(Embedded),
    /// Addresses of another server, as the operator gave them.
    Other(Vec<String>),
}

/// How the embedded server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedded {
    /// The name to tell devices. Without one it is the name under which each of them reached this server.
    pub host: Option<String>,
    /// Its addresses. A device that reached this server at another one is not told it: the machine has changed networks
    /// since the start, and nobody listens there.
    pub addresses: Vec<IpAddr>,
    /// The port for datagrams and streams.
    pub port: u16,
    /// The port for encrypted streams, if there is one.
    pub tls_port: Option<u16>,
}

impl IceServers {
    /// No servers: only devices of one network meet directly.
    #[must_use]
    pub const fn off() -> Self {
        Self { source: Source::Off, secret: Vec::new() }
    }

    /// The embedded server, which checks credentials by the same secret.
    #[must_use]
    pub fn embedded(embedded: Embedded, secret: &[u8]) -> Self {
        Self { source: Source::Embedded(embedded), secret: secret.to_vec() }
    }

    /// Another server at these `turn:` and `turns:` addresses, which checks credentials by the same secret.
    #[must_use]
    pub fn other(urls: Vec<String>, secret: &[u8]) -> Self {
        let urls = urls.into_iter().flat_map(ways).collect();
        Self { source: Source::Other(urls), secret: secret.to_vec() }
    }

    /// The servers for one device, which reached this server as `host`, with credentials that are good for an hour.
    #[must_use]
    pub fn for_device(&self, device: DeviceId, host: &str, now: Millis) -> Vec<IceServer> {
        let (stun, turn) = match &self.source {
            Source::Off => return Vec::new(),
            Source::Embedded(embedded) if embedded.is_missing_at(host) => return Vec::new(),
            Source::Embedded(embedded) => embedded.urls(host),
            Source::Other(urls) => (stun_of(urls), urls.clone()),
        };
        let expires = u64::try_from((now + LIFE).get() / 1000).unwrap_or_default();
        let minted = credentials::mint(&self.secret, &device.to_string(), expires);
        let stun = IceServer { urls: stun, username: None, credential: None };
        let turn = IceServer {
            urls: turn,
            username: Some(minted.username),
            credential: Some(minted.password),
        };
        [stun, turn].into_iter().filter(|server| !server.urls.is_empty()).collect()
    }
}

/// An address without a transport stands for both. Browsers would take it for UDP alone (RFC 7065, section 3.1).
fn ways(url: String) -> Vec<String> {
    if url.starts_with("turns:") || url.contains('?') {
        return vec![url];
    }
    ["udp", "tcp"].map(|by| format!("{url}?transport={by}")).to_vec()
}

impl Embedded {
    fn is_missing_at(&self, asked: &str) -> bool {
        let address = asked.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        self.host.is_none() && address.is_ok_and(|address| !self.addresses.contains(&address))
    }

    /// Its addresses for STUN, and for TURN by each transport (RFC 7064, RFC 7065).
    fn urls(&self, asked: &str) -> (Vec<String>, Vec<String>) {
        let host = self.host.as_deref().unwrap_or(asked);
        let Self { port, tls_port, .. } = self;
        let mut turn: Vec<_> = ["udp", "tcp"]
            .map(|transport| format!("turn:{host}:{port}?transport={transport}"))
            .into();
        turn.extend(tls_port.map(|port| format!("turns:{host}:{port}?transport=tcp")));
        (vec![format!("stun:{host}:{port}")], turn)
    }
}

/// A TURN server answers STUN at its address for datagrams.
fn stun_of(urls: &[String]) -> Vec<String> {
    let mut datagrams = urls.iter().filter(|url| !url.ends_with("?transport=tcp"));
    let address = datagrams.find_map(|url| url.strip_prefix("turn:"));
    let address = address.map(|url| url.split('?').next().unwrap_or(url));
    address.map(|address| format!("stun:{address}")).into_iter().collect()
}

/// Without the secret.
impl fmt::Debug for IceServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::Off => f.write_str("IceServers::Off"),
            Source::Embedded(embedded) => f.debug_tuple("IceServers").field(embedded).finish(),
            Source::Other(urls) => f.debug_tuple("IceServers").field(urls).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis::new(1_700_000_000_500);

    fn told(servers: &IceServers, host: &str) -> Vec<IceServer> {
        servers.for_device(DeviceId::from_bytes([7; 16]), host, NOW)
    }

    fn embedded(host: Option<&str>, tls_port: Option<u16>) -> IceServers {
        let host = host.map(str::to_owned);
        let addresses = ["192.168.1.4", "2001:db8::1"].map(|ip| ip.parse().unwrap()).into();
        IceServers::embedded(Embedded { host, addresses, port: 3478, tls_port }, b"secret")
    }

    #[test]
    fn s37_a_device_finds_the_embedded_server_where_it_found_the_page() {
        let servers = told(&embedded(None, None), "192.168.1.4");
        assert_eq!(servers[0].urls, ["stun:192.168.1.4:3478"]);
        assert_eq!(servers[0].credential, None);
        let turn = ["turn:192.168.1.4:3478?transport=udp", "turn:192.168.1.4:3478?transport=tcp"];
        assert_eq!(servers[1].urls, turn);
    }

    #[test]
    fn s37_the_operator_may_name_another_host_and_tls_has_its_own_port() {
        let servers = told(&embedded(Some("turn.example.org"), Some(5349)), "[2001:db8::1]");
        assert_eq!(servers[0].urls, ["stun:turn.example.org:3478"]);
        assert_eq!(servers[1].urls[2], "turns:turn.example.org:5349?transport=tcp");
        let servers = told(&embedded(None, Some(5349)), "[2001:db8::1]");
        assert_eq!(servers[1].urls[2], "turns:[2001:db8::1]:5349?transport=tcp");
    }

    #[test]
    fn s37_credentials_are_of_the_device_and_end_after_an_hour() {
        let servers = told(&embedded(None, None), "localhost");
        let username = servers[1].username.as_deref().unwrap();
        let claim = credentials::Claim::read(username).unwrap();
        assert_eq!(claim.expires, 1_700_003_600);
        assert_eq!(claim.device, DeviceId::from_bytes([7; 16]).to_string());
        let password = credentials::password(b"secret", username);
        assert_eq!(servers[1].credential.as_deref(), Some(password.as_str()));
    }

    #[test]
    fn s37_another_server_is_told_as_given_and_answers_stun_too() {
        let urls = ["turns:a.example:5349", "turn:a.example:3478?transport=udp"];
        let other = IceServers::other(urls.map(str::to_owned).into(), b"secret");
        let servers = told(&other, "localhost");
        assert_eq!(servers[0].urls, ["stun:a.example:3478"]);
        assert_eq!(servers[1].urls, urls);
        let only_tls = IceServers::other(vec!["turns:a.example:5349".to_owned()], b"secret");
        assert_eq!(told(&only_tls, "localhost").len(), 1);
    }

    #[test]
    fn s37_a_device_that_came_by_an_address_without_turn_is_told_none() {
        assert!(told(&embedded(None, None), "192.168.9.9").is_empty());
        assert!(!told(&embedded(Some("turn.example.org"), None), "192.168.9.9").is_empty());
        assert!(!told(&embedded(None, None), "laptop.local").is_empty());
    }

    #[test]
    fn without_a_server_devices_are_told_none() {
        assert!(told(&IceServers::off(), "localhost").is_empty());
    }

    #[test]
    fn secrets_are_not_shown() {
        let shown = format!("{:?}", IceServers::other(Vec::new(), b"hush"));
        assert!(!shown.contains("hush") && !shown.contains("104, 117"), "{shown}");
    }
}
