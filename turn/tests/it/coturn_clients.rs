//! coturn's own clients against the embedded server.

use std::net::SocketAddr;

use heliograph_testing::coturn::chose_a_channel_twice;
use heliograph_turn::TurnServer;
use heliograph_turn::credentials::{Credentials, mint};

use super::programs::{Coturn, Peer, Said, client};
use super::running::{SECRET, config, credentials, start, unix_time};

/// `turnutils_uclient` for a device, with these options.
async fn uclient(server: SocketAddr, login: &Credentials, peer: &Peer, options: &[&str]) -> Said {
    let (ip, port) = (peer.address.ip().to_string(), peer.address.port().to_string());
    // Without a second pair of ports for RTCP, and one millisecond between messages.
    let always = ["-c", "-z", "1", "-u", &login.username, "-w", &login.password];
    let to = ["-e", &ip, "-r", &port];
    let all = [&always[..], &to, options].concat();
    let said = client("turnutils_uclient", server, &all).await;
    if !chose_a_channel_twice(&said.text) {
        return said;
    }
    client("turnutils_uclient", server, &all).await
}

async fn all_messages_come_back(server: SocketAddr, peer: &Peer, options: &[&str]) {
    let options = [&["-n", "50"], options].concat();
    let said = uclient(server, &credentials("ada"), peer, &options).await;
    let (sent, received) = said.messages();
    assert!(sent >= 50 && received == sent, "{options:?}: {}", said.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stun_client_learns_its_address() {
    let server = start();
    let said = client("turnutils_stunclient", server.addresses().udp[0], &[]).await;
    assert!(said.text.contains("UDP reflexive addr: 127.0.0.1:"), "{}", said.text);
    let said = client("turnutils_stunclient", server.addresses().udp[1], &[]).await;
    assert!(said.text.contains("UDP reflexive addr: ::1:"), "{}", said.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn data_comes_back_over_udp_by_channels_and_by_indications() {
    let (server, peer) = (start(), Peer::start("127.0.0.1").await);
    all_messages_come_back(server.addresses().udp[0], &peer, &[]).await;
    all_messages_come_back(server.addresses().udp[0], &peer, &["-s"]).await;
    // With requests in between, and with padding that nobody asked for.
    all_messages_come_back(server.addresses().udp[0], &peer, &["-G"]).await;
    all_messages_come_back(server.addresses().udp[0], &peer, &["-D"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn data_comes_back_over_tcp_and_tls_whatever_the_length_of_a_message() {
    let (server, peer) = (start(), Peer::start("127.0.0.1").await);
    for length in ["100", "1001", "1202"] {
        all_messages_come_back(server.addresses().tcp[0], &peer, &["-t", "-l", length]).await;
        all_messages_come_back(server.addresses().tls[0], &peer, &["-t", "-S", "-l", length]).await;
    }
    all_messages_come_back(server.addresses().tcp[0], &peer, &["-t", "-s"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn data_comes_back_over_ipv6_and_from_one_family_to_the_other() {
    let server = start();
    let (peer, peer_v6) = (Peer::start("127.0.0.1").await, Peer::start("::1").await);
    let addresses = server.addresses();
    all_messages_come_back(addresses.udp[1], &peer_v6, &["-x"]).await;
    all_messages_come_back(addresses.tcp[1], &peer_v6, &["-x", "-t"]).await;
    all_messages_come_back(addresses.udp[0], &peer_v6, &["-x"]).await;
    all_messages_come_back(addresses.udp[1], &peer, &["-X"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_clients_reach_each_other_from_relay_to_relay() {
    let mut config = config();
    // Only as relays of this server: no loopback address is allowed as such.
    config.allowed_peers.clear();
    let server = TurnServer::start(&config).unwrap();
    let peer = Peer::start("127.0.0.1").await;
    all_messages_come_back(server.addresses().udp[0], &peer, &["-y"]).await;
    all_messages_come_back(server.addresses().tcp[0], &peer, &["-y", "-t"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_forged_and_missing_credentials_get_no_relay() {
    let (server, peer) = (start(), Peer::start("127.0.0.1").await);
    let good = credentials("ada");
    let expired = mint(SECRET.as_bytes(), "ada", unix_time() - 1);
    let forged = mint(b"another secret", "ada", unix_time() + 600);
    let missing = Credentials { username: String::new(), password: String::new() };
    for (login, why) in [(expired, "expired"), (forged, "forged"), (missing, "missing")] {
        let said = uclient(server.addresses().udp[0], &login, &peer, &[]).await;
        assert!(!said.status.success(), "{why}: {}", said.text);
    }
    assert_eq!(server.counts().allocations_made, 0);
    let said = uclient(server.addresses().udp[0], &good, &peer, &[]).await;
    assert_eq!(said.messages(), (5, 5), "{}", said.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_beyond_its_quota_is_told_so() {
    let mut config = config();
    config.limits.per_device = 2;
    let server = TurnServer::start(&config).unwrap();
    let peer = Peer::start("127.0.0.1").await;
    let said = uclient(server.addresses().udp[0], &credentials("ada"), &peer, &["-m", "3"]).await;
    assert!(said.text.contains("486"), "{}", said.text);
    assert!(server.counts().over_quota > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_clients_at_once_lose_nothing_at_a_pace_that_any_machine_keeps() {
    let (server, peer) = (start(), Peer::start("127.0.0.1").await);
    let paced = ["-m", "20", "-n", "50", "-z", "20"];
    let said = uclient(server.addresses().udp[0], &credentials("ada"), &peer, &paced).await;
    assert_eq!(said.messages(), (1_000, 1_000), "{}", said.text);
    assert_eq!(server.counts().datagrams_to_peers, 1_000);
}

#[ignore = "what is lost at full speed depends on what else the machine does; make test-long runs it"]
#[tokio::test(flavor = "multi_thread")]
async fn twenty_clients_with_a_thousand_messages_each_lose_no_more_than_with_coturn() {
    let (server, peer) = (start(), Peer::start("127.0.0.1").await);
    let options = ["--allow-loopback-peers", "--min-port", "20000", "--max-port", "20999"];
    let coturn = Coturn::start(SECRET, &options).await;
    let many = ["-m", "20", "-n", "1000", "-l", "1000"];
    let ours = uclient(server.addresses().udp[0], &credentials("ada"), &peer, &many).await;
    let theirs = uclient(coturn.address, &credentials("ada"), &peer, &many).await;
    let lost = |said: &Said| {
        let (sent, received) = said.messages();
        assert_eq!(sent, 20_000, "{}", said.text);
        sent - received
    };
    println!("lost of 20,000: {} here, {} with coturn", lost(&ours), lost(&theirs));
    for (name, said) in [("here", &ours), ("coturn", &theirs)] {
        let figures = said.text.lines().filter(|line| line.contains("Average"));
        figures.for_each(|line| println!("{name}: {line}"));
    }
    assert!(lost(&ours) <= lost(&theirs), "here: {}\ncoturn: {}", ours.text, theirs.text);
    assert_eq!(server.counts().datagrams_to_peers, 20_000);
}
