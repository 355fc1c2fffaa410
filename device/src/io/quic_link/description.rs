//! What two ends tell each other before they connect: where each can be reached, and by what it is known (L7).

use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::identity::Fingerprint;

/// Addresses of one device, at most. Each is tried, so a device that names others' has only so many packets sent there.
pub(super) const MOST_ADDRESSES: usize = 16;

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
    let addresses = addresses.filter(is_address).take(MOST_ADDRESSES).collect();
    Some(Description { fingerprint, addresses })
}

fn write(description: &Description) -> Written {
    Written {
        fingerprint: URL_SAFE_NO_PAD.encode(description.fingerprint),
        addresses: description.addresses.iter().map(SocketAddr::to_string).collect(),
    }
}

/// Whether an address is one of a device.
fn is_address(address: &SocketAddr) -> bool {
    let ip = address.ip();
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
        let signal =
            json!({ "type": "offer", "quic": { "fingerprint": fingerprint, "addresses": wrong } });
        assert!(read(&signal, true).unwrap().addresses.is_empty());
        let many = vec!["192.0.2.1:9"; 100];
        let signal =
            json!({ "type": "offer", "quic": { "fingerprint": fingerprint, "addresses": many } });
        assert_eq!(read(&signal, true).unwrap().addresses.len(), MOST_ADDRESSES);
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
