//! The checks of STUN and TURN, with the servers that devices are told.

use std::net::SocketAddr;

use heliograph_shared::ids::DeviceId;
use heliograph_shared::socket::IceServer;
use heliograph_turn::client::Family;
use rustls::pki_types::ServerName;

use super::certificate::{self, Fault, Verdict};
use super::http::Place;
use super::joining::join;
use super::machine::is_on_the_internet;
use super::ports;
use super::relay::{By, Reach, Relay, Trouble, seen_by, stun_of};
use super::report::{Check, State};
use crate::clock::Clock;
use crate::config::Config;
use crate::https;
use crate::https::options::Tls;
use crate::ice::options::Server;
use crate::start::{descriptors, turn};

const TURN: &str = "TURN";
const STUN: &str = "STUN";
const UDP: &str = "TURN over UDP";
const TCP: &str = "TURN over TCP";
const TLS: &str = "TURN over TLS";
const V6: &str = "TURN for IPv6";
const ADDRESS: &str = "TURN relay address";
const PORTS: &str = "TURN relay ports";

/// How the server is meant to be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Whether devices come over the internet.
    pub public: bool,
    /// Whether the server is looked at from another place.
    pub from_outside: bool,
}

/// TURN of this machine's set-up. `running` says that a Heliograph server has the ports now.
pub async fn own(config: &Config, running: bool, setting: Setting, clock: Clock) -> Vec<Check> {
    let is_embedded = !matches!(config.turn.server, Some(Server::Off | Server::Other(_)));
    if running && is_embedded {
        return match join(&ports::place(config.listen, false)).await {
            Ok((_, servers)) if servers.is_empty() => vec![none(), off()],
            Ok((_, servers)) => {
                [vec![in_use()], examine(&servers, setting, None, clock).await].concat()
            }
            Err(why) => {
                vec![Check::skipped(TURN, format!("The running server was not joined: {why}."))]
            }
        };
    }
    let is_default = config.turn.server.is_none() && config.turn.listen.is_none();
    if is_default && turn::is_behind_proxy(config) {
        return vec![behind_proxy()];
    }
    // Under its own address, whatever name devices are told.
    let mut local = config.clone();
    local.public_url = None;
    local.turn.host = None;
    // Says why it cannot start, where a server would go on without.
    local.turn.server = local.turn.server.or(Some(Server::Embedded));
    let acceptor = match config.tls.certificate {
        Tls::Files { .. } => {
            let https = https::open(&config.tls, None, &config.data, clock).ok().flatten();
            https.map(|https| https.acceptor)
        }
        // Nothing is written, and nobody asked, for a certificate that the server would make or get.
        Tls::Off | Tls::SelfSigned | Tls::Acme => None,
    };
    let started = turn::start(&local, acceptor.as_ref(), descriptors::raise());
    let started = match started {
        Ok(started) => started,
        Err(error) => {
            let check = judge_start(&error);
            let state = if is_default { State::Warning } else { check.state };
            return vec![Check { state, ..check }];
        }
    };
    let host = config.turn.listen.map_or(config.listen.ip(), |at| at.ip());
    let host = if host.is_unspecified() { "127.0.0.1".to_owned() } else { host.to_string() };
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    let device = DeviceId::from_bytes([0; 16]);
    let servers = started.ice_servers.for_device(device, &host, clock.now());
    if servers.is_empty() {
        return vec![off()];
    }
    let first = match &started.embedded {
        Some(_) => Check::ok(TURN, "The embedded server can listen."),
        None => Check::ok(TURN, "Devices are told a server of your own."),
    };
    let told = config.turn.host.as_ref().map(|host| host.0.clone());
    let told = told.or_else(|| config.public_url.as_ref().map(|url| Place::of(url).host));
    let checks = [vec![first], examine(&servers, setting, told.as_deref(), clock).await].concat();
    // The ports are free again when the doctor is done.
    if let Some(embedded) = started.embedded {
        embedded.stop().await;
    }
    checks
}

fn in_use() -> Check {
    Check::ok(TURN, "The running server offers it.")
}

fn none() -> Check {
    Check::skipped(STUN, "The server tells devices none.")
}

/// Devices are told no server.
#[must_use]
pub fn off() -> Check {
    Check::warning(
        TURN,
        "TURN is off: devices that cannot meet directly send everything through the web server.",
        "Start the server with --turn embedded, or name a TURN server of your own.",
    )
}

fn behind_proxy() -> Check {
    Check::warning(
        TURN,
        "There is none behind a proxy on this machine: devices that cannot meet directly send everything through the \
         web server.",
        "Name an address that devices reach with --turn-listen, such as [::]:3478.",
    )
}

fn judge_start(error: &turn::Error) -> Check {
    let advice = match error {
        turn::Error::Start(_) => {
            "End the program that has the port (ss -lunp shows it), or take another one with --turn-listen."
        }
        turn::Error::NoAddress => "Name this machine's address with --turn-relay-address.",
        turn::Error::NoSecret | turn::Error::EmptySecret(_) | turn::Error::Secret(..) => {
            "Write the secret of your TURN server (static-auth-secret) into a file, and name it with --turn-secret-file."
        }
        turn::Error::Randomness(_) => "Restart this machine.",
    };
    Check::failed(TURN, format!("It cannot start: {}.", crate::error::causes(error)), advice)
}

/// Everything that can be tried with the servers that a device is told. `told` is the name by which devices know the
/// server, where it is not asked by that name.
pub async fn examine(
    servers: &[IceServer],
    setting: Setting,
    told: Option<&str>,
    clock: Clock,
) -> Vec<Check> {
    let stuns = stun_of(servers);
    let mut checks = vec![match stuns.first() {
        Some(place) => judge_stun(&seen_by(place).await),
        None => none(),
    }];
    let relays = Relay::of(servers);
    let mut relayed = None;
    for (name, by) in [(UDP, By::Udp), (TCP, By::Tcp), (TLS, By::Tls)] {
        let Some(relay) = relays.iter().find(|relay| relay.by == by) else {
            checks.push(Check::skipped(name, "The server offers no such way."));
            continue;
        };
        let tried = relay.try_out(Family::V4).await;
        relayed = relayed.or(tried.as_ref().ok().copied());
        let verdict = if by == By::Tls { verdict(relay, told, clock).await } else { None };
        checks.push(judge_way(name, tried, verdict.as_ref()));
    }
    if let Some(relay) = relays.iter().find(|relay| relay.by == By::Udp)
        && relayed.is_some()
    {
        checks.push(judge_v6(relay.try_out(Family::V6).await));
    }
    checks.extend(relayed.map(|relay| judge_address(relay, setting.public)));
    if setting.from_outside
        && let (Some(stun), Some(relay)) =
            (stuns.first(), relays.iter().find(|relay| relay.by == By::Udp))
        && checks.iter().any(|check| check.name == UDP && check.state == State::Ok)
    {
        checks.push(judge_ports(relay.reach(stun).await));
    }
    checks
}

async fn verdict(relay: &Relay, told: Option<&str>, clock: Clock) -> Option<Verdict> {
    let connection = relay.place.connect().await.ok()?;
    let name = ServerName::try_from(told.unwrap_or(&relay.place.host)).ok()?;
    Some(certificate::examine(&connection.chain, Some(&name), clock.now()))
}

fn judge_stun(seen: &Result<SocketAddr, Trouble>) -> Check {
    match seen {
        Ok(address) => {
            let kind = if is_on_the_internet(address.ip()) { "public" } else { "local" };
            Check::ok(STUN, format!("It answers; it sees a {kind} address."))
        }
        Err(_) => Check::failed(
            STUN,
            "It does not answer.",
            "Let UDP to the TURN port (3478 unless you changed it) in through the firewall and the router.",
        ),
    }
}

fn judge_way(
    name: &'static str,
    tried: Result<SocketAddr, Trouble>,
    verdict: Option<&Verdict>,
) -> Check {
    let Err(trouble) = tried else { return judge_relaying(name, verdict) };
    let protocol = if name == UDP { "UDP" } else { "TCP" };
    match trouble {
        Trouble::Unreachable(why) => Check::failed(
            name,
            format!("The server cannot be reached: {why}."),
            format!(
                "Start the TURN server, and let {protocol} to its port in through the firewall and the router."
            ),
        ),
        Trouble::Credentials => Check::failed(
            name,
            "The server does not take the credentials.",
            "Give both servers the same secret (--turn-secret-file here, static-auth-secret there), and set their clocks.",
        ),
        Trouble::Full => Check::failed(
            name,
            "The server has no room for another relay.",
            "Allow it more ports with --turn-ports, or wait until others have ended.",
        ),
        Trouble::NoSuchFamily => Check::skipped(name, "The server has no such relays."),
        Trouble::Refused(code) => Check::failed(
            name,
            format!("The server refuses a relay with {code}."),
            "Look into the TURN server's log for the reason.",
        ),
        Trouble::NotRelayed(relay) => Check::failed(
            name,
            format!("There is a relay at {relay}, but nothing comes through it."),
            "Let UDP to the relay ports (--turn-ports) in through the firewall and the router, and check \
             --turn-relay-address.",
        ),
        Trouble::Denied(relay) => Check::failed(
            name,
            format!("The server does not let its relays at {} reach each other.", relay.ip()),
            "Allow the TURN server's own address as a peer (allowed-peer-ip in coturn.conf).",
        ),
    }
}

/// A way that relays, with a certificate where there is one.
fn judge_relaying(name: &'static str, verdict: Option<&Verdict>) -> Check {
    let is_own = verdict.is_some_and(|verdict| verdict.is_own);
    match verdict.and_then(|verdict| verdict.fault.as_ref()) {
        None => Check::ok(name, "A packet went through a relay and back."),
        Some(Fault::Untrusted) if is_own => Check::skipped(
            name,
            "It relays, but as expected browsers do not use it with the certificate of --tls self-signed.",
        ),
        Some(Fault::Untrusted) => Check::warning(
            name,
            "It relays, but browsers do not trust its certificate.",
            "Use a certificate of a public authority for the TURN server's name.",
        ),
        Some(_) => Check::failed(
            name,
            "It relays, but browsers refuse its certificate.",
            "Use a certificate that is valid now, for the name by which devices are told the TURN server.",
        ),
    }
}

/// Relays for IPv6, which help devices that have no IPv4. Those of IPv4 work already.
fn judge_v6(tried: Result<SocketAddr, Trouble>) -> Check {
    match tried {
        Ok(relay) => {
            Check::ok(V6, format!("A packet went through a relay at {} and back.", relay.ip()))
        }
        Err(Trouble::NoSuchFamily) => Check::skipped(V6, "The server has relays for IPv4 only."),
        Err(trouble) => {
            let check = judge_way(V6, Err(trouble), None);
            Check { state: State::Warning, ..check }
        }
    }
}

fn judge_address(relay: SocketAddr, public: bool) -> Check {
    let ip = relay.ip();
    if public && !is_on_the_internet(ip) {
        return Check::failed(
            ADDRESS,
            format!(
                "Relays are at {ip}, which nobody on the internet reaches, but the server is public."
            ),
            "Name the address at which the internet reaches this machine with --turn-relay-address.",
        );
    }
    Check::ok(ADDRESS, format!("Relays are at {ip}."))
}

fn judge_ports(tried: Result<Reach, Trouble>) -> Check {
    match tried {
        Ok(Reach::SameAddress) => Check::skipped(
            PORTS,
            "This machine has the relays' own address. Run this command on a machine of another network.",
        ),
        Ok(Reach::ThereAndBack) => {
            Check::ok(PORTS, "A packet from this machine reached a relay, and one came back.")
        }
        Ok(Reach::BehindRouter(relay)) => Check::warning(
            PORTS,
            format!(
                "Nothing reaches the relay at {relay} from here, in the server's own network: few routers lead back to \
                 their own address."
            ),
            "Run this command in another network, such as a phone's, to see whether the router lets the relay ports in.",
        ),
        Ok(Reach::NotPermitted) => {
            Check::skipped(PORTS, "The server relays nothing to this machine's local address.")
        }
        Err(Trouble::NotRelayed(relay)) => Check::failed(
            PORTS,
            format!("Nothing reaches the relay at {relay}."),
            "Let UDP to the relay ports (--turn-ports) in through the firewall and the router, and check \
             --turn-relay-address.",
        ),
        Err(trouble) => {
            let seen = judge_way(PORTS, Err(trouble), None).seen;
            Check::skipped(PORTS, format!("It could not be tried. {seen}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(name: &'static str, tried: Result<SocketAddr, Trouble>) -> Check {
        judge_way(name, tried, None)
    }

    #[test]
    fn each_trouble_gets_its_own_advice() {
        let relay: SocketAddr = "203.0.113.9:50000".parse().unwrap();
        for (trouble, word) in [
            (Trouble::Unreachable("refused".to_owned()), "UDP to its port"),
            (Trouble::Credentials, "same secret"),
            (Trouble::Full, "more ports"),
            (Trouble::Refused(500), "log"),
            (Trouble::NotRelayed(relay), "relay ports"),
            (Trouble::Denied(relay), "allowed-peer-ip"),
        ] {
            let shown = format!("{trouble:?}");
            let check = way(UDP, Err(trouble));
            assert_eq!(check.state, State::Failed);
            assert!(check.advice.unwrap_or_default().contains(word), "{shown}");
        }
        assert_eq!(way(UDP, Ok(relay)).state, State::Ok);
        for (fault, is_own, state) in [
            (None, false, State::Ok),
            (Some(Fault::Untrusted), false, State::Warning),
            (Some(Fault::Untrusted), true, State::Skipped),
            (Some(Fault::Expired(1)), true, State::Failed),
        ] {
            let verdict = Verdict { fault, ends: None, is_own };
            assert_eq!(judge_way(TLS, Ok(relay), Some(&verdict)).state, state, "{verdict:?}");
        }
    }

    #[test]
    fn relays_of_ipv6_may_be_missing_and_must_not_be_broken() {
        let relay: SocketAddr = "[2001:db8::1]:50000".parse().unwrap();
        assert_eq!(judge_v6(Ok(relay)).state, State::Ok);
        assert_eq!(judge_v6(Err(Trouble::NoSuchFamily)).state, State::Skipped);
        assert_eq!(judge_v6(Err(Trouble::NotRelayed(relay))).state, State::Warning);
    }

    #[test]
    fn a_public_server_needs_a_public_relay() {
        let private = "10.0.0.2:50000".parse().unwrap();
        let public = "93.184.216.34:50000".parse().unwrap();
        assert_eq!(judge_address(private, false).state, State::Ok);
        assert_eq!(judge_address(private, true).state, State::Failed);
        assert_eq!(judge_address(public, true).state, State::Ok);
        assert_eq!(judge_ports(Err(Trouble::NotRelayed(private))).state, State::Failed);
        assert_eq!(judge_ports(Ok(Reach::SameAddress)).state, State::Skipped);
        assert_eq!(judge_ports(Ok(Reach::BehindRouter(public))).state, State::Warning);
    }
}
