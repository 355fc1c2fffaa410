//! Which way the packets of a connection take, by the two addresses in use.

use std::collections::BTreeSet;
use std::net::IpAddr;

use webrtc::peer_connection::{RTCIceCandidate, RTCIceCandidateType};

use crate::io::link_contract::PeerPath;

/// Addresses of TURN servers that are remembered of the other device, at most.
const MOST_RELAYS: usize = 64;

/// The addresses that the other device has at TURN servers. A packet from one may come before the device has told of it: the library
/// then takes it for one of the device's own (RFC 8445, section 7.3.1.3).
#[derive(Debug, Default)]
pub(super) struct RemoteRelays(BTreeSet<(IpAddr, u16)>);

impl RemoteRelays {
    /// Takes a candidate that the other device tells, as a line of SDP (RFC 8839, section 5.1).
    pub(super) fn told(&mut self, candidate: &str) {
        let words: Vec<_> = candidate.split_whitespace().collect();
        if let [_, _, _, _, address, port, "typ", "relay", ..] = words[..]
            && let (Ok(address), Ok(port)) = (address.parse(), port.parse())
            && self.0.len() < MOST_RELAYS
        {
            self.0.insert((address, port));
        }
    }

    /// The path between two candidates.
    pub(super) fn path(&self, local: &RTCIceCandidate, remote: &RTCIceCandidate) -> PeerPath {
        let is_relay = [local.typ, remote.typ].contains(&RTCIceCandidateType::Relay);
        let address = remote.address.parse().map(|address| (address, remote.port));
        let is_told = address.is_ok_and(|address| self.0.contains(&address));
        if is_relay || is_told { PeerPath::Turn } else { PeerPath::Direct }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says so by failing")]
mod tests {
    use super::*;

    fn candidate(typ: RTCIceCandidateType, port: u16) -> RTCIceCandidate {
        RTCIceCandidate { typ, address: "192.0.2.1".to_owned(), port, ..RTCIceCandidate::default() }
    }

    #[test]
    fn a_relay_that_was_met_before_it_was_told_is_one() {
        let mut relays = RemoteRelays::default();
        let host = candidate(RTCIceCandidateType::Host, 1);
        let met = candidate(RTCIceCandidateType::Prflx, 50_000);
        assert_eq!(relays.path(&host, &met), PeerPath::Direct);
        relays.told("candidate:1 1 udp 41885439 192.0.2.1 50000 typ relay raddr 0.0.0.0 rport 0");
        relays.told("candidate:2 1 udp 2113937151 192.0.2.1 50001 typ host");
        relays.told("candidate:3 1 udp 1 a-name.local 50002 typ relay");
        relays.told("");
        assert_eq!(relays.path(&host, &met), PeerPath::Turn);
        let other = candidate(RTCIceCandidateType::Prflx, 50_001);
        assert_eq!(relays.path(&host, &other), PeerPath::Direct);
        assert_eq!(relays.path(&candidate(RTCIceCandidateType::Relay, 1), &other), PeerPath::Turn);
    }
}
