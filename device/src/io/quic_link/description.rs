//! What two ends tell each other before they connect: where each can be reached, and by what it is known (L7).

use std::net::{IpAddr, SocketAddr};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::identity::Fingerprint;

/// Addresses of one device, at most. Each is tried, so a device that names others' has only so many packets sent there.
pub(super) const MOST_ADDRESSES: usize = 16;
/// Ports of one of them: its own, and that of a NAT before it.
const MOST_PORTS: usize = 2;

/// One end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Description {
    /// Of the only certificate that it shows.
    pub(super) fingerprint: Fingerprint,
    /// Where it may be reached.
    pub(super) addresses: Vec<SocketAddr>,
}

#[derive(Serialize, Deserialize)]
struct Written {
    fingerprint: String,
    addresses: Vec<String>,
}

pub(super) fn offer(description: &Description) -> Value {
    json!({ "type": "offer", "quic": write(description) })
}

pub(super) fn answer(description: &Description) -> Value {
    json!({ "type": "answer", "quic": write(description) })
}

/// Reads a signal that is to be an offer or an answer; `None` where it is not.
pub(super) fn read(signal: &Value, is_offer: bool) -> Option<Description> {
    let kind = if is_offer { "offer" } else { "answer" };
    if signal.get("type")?.as_str()? != kind {
        return None;
    }
    let written = Written::deserialize(signal.get("quic")?).ok()?;
    let fingerprint = URL_SAFE_NO_PAD.decode(&written.fingerprint).ok()?.try_into().ok()?;
    let addresses = written.addresses.iter().filter_map(|address| address.parse().ok());
    let mut known = Vec::new();
    for address in addresses.filter(is_address) {
        let of_ip = |known: &&SocketAddr| known.ip() == address.ip();
        if known.len() < MOST_ADDRESSES
            && !known.contains(&address)
            && known.iter().filter(of_ip).count() < MOST_PORTS
        {
            known.push(address);
        }
    }
    let addresses = known;
    Some(Description { fingerprint, addresses })
}

fn write(description: &Description) -> Written {
    Written {
        fingerprint: URL_SAFE_NO_PAD.encode(description.fingerprint),
        addresses: description.addresses.iter().map(SocketAddr::to_string).collect(),
    }
}

/// Addresses of one link need the number of an interface to lead anywhere.
pub(super) fn is_of_link(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}

/// Whether an address is one of a device.
fn is_address(address: &SocketAddr) -> bool {
    let ip = address.ip();
    if is_of_link(ip) {
        return false;
    }
    let is_broadcast = matches!(address, SocketAddr::V4(v4) if v4.ip().is_broadcast());
    address.port() != 0 && !ip.is_unspecified() && !ip.is_multicast() && !is_broadcast
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l7_what_is_written_is_read() {
        let addresses = vec!["192.0.2.1:9".parse().unwrap(), "[2001:db8::1]:9".parse().unwrap()];
        let description = Description { fingerprint: [7; 32], addresses };
        assert_eq!(read(&offer(&description), true), Some(description.clone()));
        assert_eq!(read(&answer(&description), false), Some(description.clone()));
        assert_eq!(read(&offer(&description), false), None);
    }

    #[test]
    fn l7_addresses_of_no_device_are_left_out_and_of_too_many_the_rest() {
        let fingerprint = "A".repeat(43);
        let wrong = ["0.0.0.0:9", "255.255.255.255:9", "224.0.0.1:9", "192.0.2.1:0", "a.example:9"];
        let wrong = [&wrong[..], &["169.254.169.254:80", "[fe80::1]:9"]].concat();
        let signal =
            json!({ "type": "offer", "quic": { "fingerprint": fingerprint, "addresses": wrong } });
        assert!(read(&signal, true).unwrap().addresses.is_empty());
        let many: Vec<String> = (0..100).map(|last| format!("192.0.2.{last}:9")).collect();
        let signal =
            json!({ "type": "offer", "quic": { "fingerprint": fingerprint, "addresses": many } });
        assert_eq!(read(&signal, true).unwrap().addresses.len(), MOST_ADDRESSES);
    }

    #[test]
    fn l7_an_address_counts_once_and_of_one_device_two_ports() {
        let fingerprint = "A".repeat(43);
        let told = ["192.0.2.1:9", "192.0.2.1:9", "192.0.2.1:8", "192.0.2.1:7", "192.0.2.2:9"];
        let signal =
            json!({ "type": "offer", "quic": { "fingerprint": fingerprint, "addresses": told } });
        let known = read(&signal, true).unwrap().addresses;
        let known: Vec<String> = known.iter().map(SocketAddr::to_string).collect();
        assert_eq!(known, ["192.0.2.1:9", "192.0.2.1:8", "192.0.2.2:9"]);
    }

    #[test]
    fn l7_what_is_no_description_is_not_read() {
        let garbage = [
            json!(null),
            json!({ "type": "offer" }),
            json!({ "type": "offer", "quic": 7 }),
            json!({ "type": "offer", "quic": { "fingerprint": "AAAA", "addresses": [] } }),
            json!({ "type": "offer", "quic": { "fingerprint": "A".repeat(43), "addresses": [7] } }),
            json!({ "type": "offer", "sdp": "v=0" }),
        ];
        for signal in garbage {
            assert_eq!(read(&signal, true), None, "{signal}");
        }
    }
}
