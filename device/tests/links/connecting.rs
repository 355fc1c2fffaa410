//! How two ends find each other (L1, L4).

use std::net::SocketAddr;
use std::sync::atomic::Ordering;

use heliograph_device::io::direct_link::{DirectLink, LinkKind};
use heliograph_device::io::link_contract::{PeerLinkOptions, PeerPath};
use heliograph_shared::socket::IceServer;
use serde_json::json;
use tokio::sync::mpsc;

use crate::stage::{self, V4, V6};

#[tokio::test]
async fn l5_two_ends_connect_over_ipv4_and_take_frames_of_256_kib() {
    for kind in stage::KINDS {
        let (mut first, mut second) = stage::pair(kind, V4);
        assert_eq!(first.opened().await, (PeerPath::Direct, 256 * 1024));
        assert_eq!(second.opened().await, (PeerPath::Direct, 256 * 1024));
    }
}

#[tokio::test]
async fn l5_two_ends_connect_over_ipv6() {
    for kind in stage::KINDS {
        let (mut first, mut second) = stage::pair(kind, V6);
        assert_eq!(first.opened().await.0, PeerPath::Direct);
        assert_eq!(second.opened().await.0, PeerPath::Direct);
    }
}

#[tokio::test]
async fn l4_the_other_end_asks_for_a_restart_and_frames_go_on_after_it() {
    let (first, mut second) = stage::connected(LinkKind::WebRtc).await;
    let offers = || first.descriptions.load(Ordering::SeqCst);
    assert_eq!(offers(), 1);
    first.link.signal(json!({ "type": "restart" }));
    while second.descriptions.load(Ordering::SeqCst) < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(offers(), 2);
    first.link.say(b"after".to_vec());
    assert_eq!(second.frame().await, b"after");
}

#[tokio::test]
async fn servers_that_make_no_sense_leave_a_connection_without_servers() {
    let (events, mut told) = mpsc::channel(16);
    let urls = ["stun:", "stun:[::", "turn:nowhere.invalid:1?transport=udp", "http://a", "turns:b"];
    let server = IceServer {
        urls: urls.map(str::to_owned).to_vec(),
        username: Some("name".to_owned()),
        credential: Some("secret".to_owned()),
    };
    let options = PeerLinkOptions {
        ice_servers: vec![server],
        addresses: vec![SocketAddr::new(V4, 0)],
        ..stage::options(1, true, V4)
    };
    let link = DirectLink::open(LinkKind::WebRtc, options, events);
    let first = told.recv().await.expect("an offer");
    assert!(format!("{:?}", first.event).contains("offer"), "{first:?}");
    drop(link);
}
