//! Which peers a relay takes, asked over the wire: of the embedded server, and of coturn with the
//! configuration that goes with it.

use std::net::SocketAddr;

use heliograph_turn::TurnServer;

use super::programs::Coturn;
use super::running::{SECRET, TurnClient, config};
use super::wire::{CREATE_PERMISSION, Message, REQUESTED_ADDRESS_FAMILY};

/// Every form of address that does not belong to a host of the internet.
const DENIED_V4: [&str; 17] = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.254",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.254",
    "192.0.0.8",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.254",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
];
const DENIED_V6: [&str; 14] = [
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "2002:7f00:1::",
    "2002:808:808::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "febf::1",
    "ff02::1",
];
/// These the embedded server denies besides: unspecified and compatible ones, NAT64 of a network, Teredo.
const DENIED_HERE: [&str; 4] = ["::", "::127.0.0.1", "64:ff9b:1::7f00:1", "2001:0:4136:e378::1"];
const ALLOWED_V4: [&str; 4] = ["1.1.1.1", "9.9.9.9", "100.63.0.1", "172.32.0.1"];
const ALLOWED_V6: [&str; 2] = ["2606:4700::1111", "2a00:1450:4001::200e"];

/// The hosts among these for which a server gives a permission.
async fn permitted<'a>(server: SocketAddr, hosts: &[&'a str]) -> Vec<&'a str> {
    let family = if hosts[0].contains(':') { 2 } else { 1 };
    let mut client = TurnClient::connect(server).await;
    let wish = |message: Message| message.with(REQUESTED_ADDRESS_FAMILY, &[family, 0, 0, 0]);
    let allocated = client.allocate(wish).await;
    assert_eq!(allocated.code(), 0, "{allocated:?}");
    let mut permitted = Vec::new();
    for host in hosts {
        let peer = if family == 2 { format!("[{host}]:80") } else { format!("{host}:80") };
        let answer = client.request(|n| Message::new(CREATE_PERMISSION, n).peer(&peer)).await;
        match answer.code() {
            0 => permitted.push(*host),
            403 => {}
            code => panic!("{host}: {code}"),
        }
    }
    permitted
}

#[tokio::test(flavor = "multi_thread")]
async fn only_hosts_of_the_internet_are_peers_of_the_embedded_server() {
    let mut config = config();
    config.allowed_peers.clear();
    // Relays are told under addresses of the internet, as they would be there.
    config.relay_hosts[0].advertised = "198.51.101.9".parse().unwrap();
    config.relay_hosts[1].advertised = "2a01:4f8::9".parse().unwrap();
    let server = TurnServer::start(&config).unwrap();
    let address = server.addresses().udp[0];
    let v6 = [&DENIED_V6[..], &DENIED_HERE].concat();
    assert_eq!(permitted(address, &DENIED_V4).await, Vec::<&str>::new());
    assert_eq!(permitted(address, &v6).await, Vec::<&str>::new());
    assert_eq!(permitted(address, &ALLOWED_V4).await, ALLOWED_V4);
    assert_eq!(permitted(address, &ALLOWED_V6).await, ALLOWED_V6);
}

#[tokio::test(flavor = "multi_thread")]
async fn coturn_with_its_deny_list_answers_the_same() {
    let coturn = Coturn::as_documented(SECRET).await;
    assert_eq!(permitted(coturn.address, &DENIED_V4).await, Vec::<&str>::new());
    assert_eq!(permitted(coturn.address, &DENIED_V6).await, Vec::<&str>::new());
    assert_eq!(permitted(coturn.address, &ALLOWED_V4).await, ALLOWED_V4);
    assert_eq!(permitted(coturn.address, &ALLOWED_V6).await, ALLOWED_V6);
}
