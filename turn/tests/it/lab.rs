//! A core without sockets: relays open when they are asked for, and time passes when a test says so.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use heliograph_turn::core::event::{
    Family, FiveTuple, Input, NoPortLeft, Now, Output, RelayId, Transport,
};
use heliograph_turn::core::state::Core;
use heliograph_turn::core::terms::Terms;
use heliograph_turn::credentials::mint;
use heliograph_turn::{Config, RelayHost};

use super::wire::{ADDITIONAL_ADDRESS_FAMILY, ALLOCATE, Answer, CHANNEL_BIND, Login, Message};

pub const SECRET: &[u8] = b"a secret of the tests";
pub const SERVER: &str = "192.0.2.1:3478";
/// When the tests begin, in seconds since 1970.
pub const START: u64 = 1_800_000_000;
/// A peer on the internet.
pub const PEER: &str = "93.184.216.34:7000";
/// Another one.
pub const PEER_V6: &str = "[2606:4700::1111]:7000";

/// What the core did, besides opening relays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Did {
    Told(FiveTuple, Vec<u8>),
    Sent(SocketAddr, Vec<u8>),
    Closed(RelayId),
    Disconnected(FiveTuple),
}

pub struct Lab {
    pub core: Core,
    pub terms: Arc<Terms>,
    pub now: Now,
    /// How many relays can still be opened.
    pub ports_left: u16,
    /// The relays that were opened, in order.
    pub relays: Vec<RelayId>,
    transactions: u64,
}

/// A configuration with a public relay host of each family.
pub fn config() -> Config {
    let mut config = Config::new("heliograph", SECRET);
    config.relay_hosts = ["198.51.101.9", "2a01:4f8::9"]
        .map(|ip| RelayHost { bind: ip.parse().unwrap(), advertised: ip.parse().unwrap() })
        .to_vec();
    config
}

impl Lab {
    pub fn new() -> Self {
        Self::with(&config())
    }

    #[expect(clippy::disallowed_methods, reason = "any moment will do")]
    pub fn with(config: &Config) -> Self {
        let terms = Arc::new(Terms::new(config, [7; 64]));
        let now = Now { steady: Instant::now(), unix: START };
        let core = Core::new(Arc::clone(&terms));
        Self { core, terms, now, ports_left: 1_000, relays: Vec::new(), transactions: 0 }
    }

    /// A message with a transaction of its own.
    pub fn message(&mut self, kind: u16) -> Message {
        self.transactions += 1;
        Message::new(kind, self.transactions)
    }

    /// A well-formed request for a relay.
    pub fn allocate(&mut self) -> Message {
        self.message(ALLOCATE).transport()
    }

    pub fn passes(&mut self, seconds: u64) -> Vec<Did> {
        self.now.steady += Duration::from_secs(seconds);
        self.now.unix += seconds;
        self.handle(Input::Tick)
    }

    pub fn says(&mut self, client: FiveTuple, bytes: &[u8]) -> Vec<Did> {
        self.handle(Input::FromClient(client, bytes))
    }

    /// What a client gets for a request: exactly one answer.
    pub fn answer(&mut self, client: FiveTuple, bytes: &[u8]) -> Answer {
        let did = self.says(client, bytes);
        let answers: Vec<_> = did
            .iter()
            .filter_map(|did| match did {
                Did::Told(to, bytes) if *to == client => Some(Answer::read(bytes)),
                _ => None,
            })
            .collect();
        let [answer] = &answers[..] else { panic!("not one answer: {did:?}") };
        assert_eq!(answer.bytes[8..20], bytes[8..20], "the transaction");
        answer.clone()
    }

    pub fn peer_sends(&mut self, relay: usize, peer: &str, data: &[u8]) -> Vec<Did> {
        self.handle(Input::FromPeer(self.relays[relay], peer.parse().unwrap(), data))
    }

    pub fn handle(&mut self, input: Input<'_>) -> Vec<Did> {
        let mut all = Vec::new();
        for output in self.core.handle(input, self.now) {
            match output {
                Output::ToClient(client, bytes) => all.push(Did::Told(client, bytes)),
                Output::ToPeer(_, peer, data) => all.push(Did::Sent(peer, data.to_vec())),
                Output::CloseRelay(relay) => all.push(Did::Closed(relay)),
                Output::Disconnect(client) => all.push(Did::Disconnected(client)),
                Output::OpenRelay(relay, family, _) => {
                    let opened = self.open(relay, family);
                    all.extend(self.handle(Input::RelayOpened(relay, opened)));
                }
            }
        }
        all
    }

    fn open(&mut self, relay: RelayId, family: Family) -> Result<SocketAddr, NoPortLeft> {
        self.ports_left = self.ports_left.checked_sub(1).ok_or(NoPortLeft)?;
        self.relays.push(relay);
        let host = self.terms.relay_host(family).unwrap();
        Ok(SocketAddr::new(host.bind, 50_000 + u16::try_from(self.relays.len()).unwrap()))
    }

    /// What this client needs to sign, with credentials that are good for an hour.
    pub fn login(&mut self, client: FiveTuple, device: &str) -> Login {
        self.login_until(client, device, self.now.unix + 3_600)
    }

    pub fn login_until(&mut self, client: FiveTuple, device: &str, expires: u64) -> Login {
        let request = self.allocate().unsigned();
        let challenge = self.answer(client, &request);
        assert_eq!(challenge.code(), 401);
        Login::new(mint(SECRET, device, expires), &challenge)
    }

    /// A client with an allocation.
    pub fn allocated(&mut self, port: u16) -> (FiveTuple, Login) {
        let client = client(port);
        let login = self.login(client, "ada");
        let request = self.allocate().signed(&login);
        assert_eq!(self.answer(client, &request).code(), 0);
        (client, login)
    }
}

/// A client that sends datagrams.
pub fn client(port: u16) -> FiveTuple {
    let server = SERVER.parse().unwrap();
    let client = SocketAddr::new([203, 0, 114, 5].into(), port);
    FiveTuple { transport: Transport::Udp, client, server, connection: 0 }
}

/// A client that sends a stream.
pub fn stream(port: u16) -> FiveTuple {
    FiveTuple { transport: Transport::Tcp, connection: 1, ..client(port) }
}

/// Said again in other words than the server's own: a host of the internet, as IANA gives them out.
pub fn is_host_of_the_internet(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => {
            let [a, b, c, _] = ip.octets();
            let carrier = a == 100 && (64..128).contains(&b);
            let measured = a == 198 && (b == 18 || b == 19);
            let assigned = (a, b, c) == (192, 0, 0) || (a, b, c) == (192, 88, 99);
            !(ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_documentation())
                && !(a == 0 || a >= 224 || carrier || measured || assigned)
        }
        IpAddr::V6(ip) => {
            let [first, second, ..] = ip.segments();
            let assigned = first == 0x2001 && (second < 0x200 || second == 0xdb8);
            let ended = first == 0x3ffe || (first == 0x3fff && second < 0x1000);
            (0x2000..0x4000).contains(&first) && !assigned && first != 0x2002 && !ended
        }
    }
}

/// Relays of the lab are told under these addresses.
pub fn is_relay(peer: SocketAddr) -> bool {
    let hosts: [IpAddr; 2] = ["198.51.101.9", "2a01:4f8::9"].map(|ip| ip.parse().unwrap());
    hosts.contains(&peer.ip())
}

pub fn nothing_reached_a_denied_peer(lab: &Lab, did: &[Did]) {
    for did in did {
        if let Did::Sent(peer, _) = did {
            let relay = is_relay(*peer) && (50_001..50_100).contains(&peer.port());
            let host = is_host_of_the_internet(peer.ip()) && !is_relay(*peer);
            assert!(relay || host, "{peer}, {:?}", lab.terms.counts());
        }
    }
}

/// A client with relays of both families, a permission and a channel.
pub fn prepared(client: FiveTuple) -> (Lab, Login) {
    let mut lab = Lab::new();
    let login = lab.login(client, "ada");
    let both = lab.allocate().with(ADDITIONAL_ADDRESS_FAMILY, &[2, 0, 0, 0]).signed(&login);
    assert_eq!(lab.answer(client, &both).code(), 0);
    let bind = lab.message(CHANNEL_BIND).channel(0x4000).peer(PEER).signed(&login);
    assert_eq!(lab.answer(client, &bind).code(), 0);
    (lab, login)
}
