//! What two ends of a connection tell each other, in the words of simple-peer 9, and the one of our own (L4).

use serde_json::{Value, json};
use webrtc::peer_connection::RTCIceCandidateInit;

/// A signal of the other device.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// A description in SDP.
    Offer(String),
    /// The answer to one.
    Answer(String),
    /// An address to try.
    Candidate(RTCIceCandidateInit),
    /// ICE is to be restarted.
    Restart,
    /// What has no meaning for data channels, or none for this end.
    Nothing,
}

/// Reads a signal; `None` where it is none.
pub(super) fn read(signal: &Value) -> Option<Signal> {
    if let Some(sdp) = signal.get("sdp").and_then(Value::as_str) {
        return match signal.get("type")?.as_str()? {
            "offer" => Some(Signal::Offer(sdp.to_owned())),
            "answer" => Some(Signal::Answer(sdp.to_owned())),
            _ => None,
        };
    }
    if let Some(candidate) = signal.get("candidate") {
        return read_candidate(candidate);
    }
    match signal.get("type")?.as_str()? {
        "restart" => Some(Signal::Restart),
        // A browser asks for these when it wants to send a picture or a sound, which it never does here.
        "renegotiate" | "transceiverRequest" => Some(Signal::Nothing),
        _ => None,
    }
}

fn read_candidate(candidate: &Value) -> Option<Signal> {
    let text = candidate.get("candidate")?.as_str()?;
    // Empty at the end of the candidates of a generation (RFC 8838, section 8.2).
    if text.is_empty() {
        return Some(Signal::Nothing);
    }
    let place = candidate.get("sdpMLineIndex").and_then(Value::as_u64);
    Some(Signal::Candidate(RTCIceCandidateInit {
        candidate: text.to_owned(),
        sdp_mid: candidate.get("sdpMid").and_then(Value::as_str).map(str::to_owned),
        sdp_mline_index: place.and_then(|place| u16::try_from(place).ok()),
        username_fragment: None,
        url: None,
    }))
}

pub(super) fn offer(sdp: &str) -> Value {
    json!({ "type": "offer", "sdp": sdp })
}

pub(super) fn answer(sdp: &str) -> Value {
    json!({ "type": "answer", "sdp": sdp })
}

/// The only section of a description is the one for data channels, whatever it is called.
pub(super) fn candidate(candidate: &str) -> Value {
    json!({
        "type": "candidate",
        "candidate": { "candidate": candidate, "sdpMLineIndex": 0, "sdpMid": null },
    })
}

pub(super) fn restart() -> Value {
    json!({ "type": "restart" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_of_simple_peer_are_read() {
        let candidate = json!({
            "type": "candidate",
            "candidate": { "candidate": "candidate:1 1 udp 1 192.0.2.1 9 typ host", "sdpMLineIndex": 0, "sdpMid": "0" },
        });
        assert_eq!(read(&offer("v=0")), Some(Signal::Offer("v=0".to_owned())));
        assert_eq!(read(&answer("v=0")), Some(Signal::Answer("v=0".to_owned())));
        assert!(matches!(read(&candidate), Some(Signal::Candidate(_))));
        let renegotiate = json!({ "type": "renegotiate", "renegotiate": true });
        assert_eq!(read(&renegotiate), Some(Signal::Nothing));
        assert_eq!(read(&restart()), Some(Signal::Restart));
    }

    #[test]
    fn what_is_no_signal_is_not_read() {
        let garbage = [
            json!(null),
            json!([]),
            json!("offer"),
            json!({}),
            json!({ "type": 7 }),
            json!({ "type": "offer" }),
            json!({ "type": "rollback", "sdp": "" }),
            json!({ "type": "candidate", "candidate": {} }),
            json!({ "type": "candidate", "candidate": { "candidate": 1 } }),
        ];
        for value in garbage {
            assert_eq!(read(&value), None, "{value}");
        }
    }
}
