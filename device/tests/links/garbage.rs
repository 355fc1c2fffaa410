//! Signals of a device that means harm: a link ends or goes on, and nothing panics.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use heliograph_device::io::direct_link::{DirectLink, LinkKind};
use heliograph_device::io::link_contract::{LinkEvent, PeerLinkEvent};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::stage::{self, V4};

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// Counts panics, but for those of other tests: they fail by themselves, and their threads are called as they are.
fn count_panics() {
    let (before, own) = (std::panic::take_hook(), thread::current().id());
    std::panic::set_hook(Box::new(move |info| {
        let here = thread::current();
        let is_named_as_test = here.name().is_some_and(|name| name.contains("::"));
        if here.id() == own || !is_named_as_test {
            PANICS.fetch_add(1, Ordering::SeqCst);
        }
        before(info);
    }));
}

/// What an end says to a signal: the answer to it, or that it ends.
async fn says(signals: &[Value]) -> Option<Value> {
    let (events, mut told) = mpsc::channel(64);
    let link = DirectLink::open(LinkKind::WebRtc, stage::options(2, false, V4), events);
    for signal in signals {
        link.signal(signal.clone());
    }
    // An end that has neither taken nor refused the last of them ends by this one.
    link.signal(json!({ "type": "nonsense" }));
    let mut answer = None;
    while let Some(LinkEvent { event, .. }) = told.recv().await {
        match event {
            PeerLinkEvent::Signal(signal) if signal["type"] == "answer" => answer = Some(signal),
            PeerLinkEvent::Closed => break,
            _ => {}
        }
    }
    answer
}

async fn offer() -> Value {
    let (events, mut told) = mpsc::channel(64);
    let _link = DirectLink::open(LinkKind::WebRtc, stage::options(1, true, V4), events);
    loop {
        match told.recv().await.expect("an offer").event {
            PeerLinkEvent::Signal(signal) if signal["type"] == "offer" => return signal,
            _ => {}
        }
    }
}

/// Numbers that differ, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

/// An offer of which some lines were changed, doubled, swapped or left out.
fn spoilt(sdp: &str, numbers: &mut Numbers) -> String {
    let mut lines: Vec<String> = sdp.lines().map(str::to_owned).collect();
    for _ in 0..=numbers.below(3) {
        let at = numbers.below(lines.len());
        match numbers.below(5) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            2 => {
                let other = numbers.below(lines.len());
                lines.swap(at, other);
            }
            3 => {
                let end = numbers.below(lines[at].len() + 1);
                lines[at].truncate(end);
            }
            _ => lines[at].push_str(&"9\u{202e}".repeat(numbers.below(4_000))),
        }
    }
    lines.join("\r\n") + "\r\n"
}

#[tokio::test]
async fn nothing_that_a_device_signals_makes_an_end_panic() {
    count_panics();
    let good = offer().await;
    assert!(says(std::slice::from_ref(&good)).await.is_some(), "a good offer is answered");
    let wrong = [
        json!(null),
        json!(7),
        json!([]),
        json!({ "type": "offer", "sdp": "" }),
        json!({ "type": "offer", "sdp": "v=0" }),
        json!({ "type": "offer", "sdp": "\u{0}".repeat(60_000) }),
        json!({ "type": "answer", "sdp": good["sdp"] }),
        json!({ "type": "pranswer", "sdp": good["sdp"] }),
    ];
    for signal in wrong {
        assert_eq!(says(std::slice::from_ref(&signal)).await, None, "{signal}");
    }
    let mut numbers = Numbers(1);
    let sdp = good["sdp"].as_str().expect("it has a description");
    for _ in 0..150 {
        says(&[json!({ "type": "offer", "sdp": spoilt(sdp, &mut numbers) })]).await;
    }
    let candidates = [
        "",
        "candidate:",
        "candidate:1 1 udp 4294967296 127.0.0.1 9 typ host",
        "candidate:1 1 tcp 1 127.0.0.1 9 typ host tcptype passive",
        "candidate:1 1 udp 1 0.0.0.0 0 typ relay raddr :: rport 70000",
        "candidate:1 1 udp 1 hidden.local 9 typ host",
        "candidate:1 99 sctp 1 ff02::1 65535 typ prflx",
        "\u{202e}",
    ];
    for candidate in candidates {
        let place = json!({ "candidate": candidate, "sdpMLineIndex": 65_536, "sdpMid": "\u{0}" });
        let signal = json!({ "type": "candidate", "candidate": place });
        assert!(says(&[good.clone(), signal.clone()]).await.is_some(), "{candidate}");
        assert!(says(&[signal, good.clone()]).await.is_some(), "{candidate}");
    }
    assert_eq!(PANICS.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn an_end_ends_when_it_is_flooded_with_signals() {
    let (events, mut told) = mpsc::channel(64);
    let link = DirectLink::open(LinkKind::WebRtc, stage::options(2, false, V4), events);
    for _ in 0..10_000 {
        link.signal(json!({ "type": "restart" }));
    }
    while !matches!(told.recv().await.expect("an end").event, PeerLinkEvent::Closed) {}
}
