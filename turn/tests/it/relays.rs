//! Relay sockets: their ports, and the way from one to another.

use std::net::SocketAddr;

use heliograph_testing::ports::free_port;
use heliograph_turn::{RelayHost, StartError, TurnServer};
use tokio::time::timeout;

use super::running::{PATIENCE, TurnClient, config};
use super::wire::*;

/// Insufficient capacity: no port is left (RFC 8656, section 19).
const NO_PORT_LEFT: u16 = 508;

/// The relay that a client gets.
async fn relay_of(client: &mut TurnClient) -> SocketAddr {
    let answer = client.allocate(|message| message).await;
    assert_eq!(answer.code(), 0);
    answer.addresses(XOR_RELAYED_ADDRESS)[0]
}

/// The same once the socket is closed of a relay that has ended: that may be after the answer which says that it has.
async fn relay_that_comes_free_for(client: &mut TurnClient) -> SocketAddr {
    let asking = async {
        loop {
            let answer = client.allocate(|message| message).await;
            if answer.code() != NO_PORT_LEFT {
                assert_eq!(answer.code(), 0);
                return answer.addresses(XOR_RELAYED_ADDRESS)[0];
            }
        }
    };
    timeout(PATIENCE, asking).await.expect("a port comes free")
}

#[tokio::test(flavor = "multi_thread")]
async fn when_no_port_is_left_the_answer_says_so_and_a_port_comes_back() {
    let mut config = config();
    let port = free_port();
    config.relay_ports = port..=port;
    // It is free there.
    config.relay_hosts.truncate(1);
    let server = TurnServer::start(&config).unwrap();
    let mut clients = Vec::new();
    for _ in 0..2 {
        clients.push(TurnClient::connect(server.addresses().udp[0]).await);
    }
    let [ada, bob] = &mut clients[..] else { panic!("two clients") };
    assert_eq!(relay_of(ada).await.port(), port);
    assert_eq!(bob.allocate(|message| message).await.code(), NO_PORT_LEFT);
    let ended = ada.request(|number| Message::new(REFRESH, number).lifetime(0)).await;
    assert_eq!(ended.code(), 0);
    assert_eq!(relay_that_comes_free_for(bob).await.port(), port);
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_router_two_clients_meet_by_the_address_that_is_told() {
    let mut config = config();
    config.allowed_peers.clear();
    // Nothing here has this address: what is sent to it would be lost.
    config.relay_hosts = vec![RelayHost {
        bind: "0.0.0.0".parse().unwrap(),
        advertised: "198.51.101.9".parse().unwrap(),
    }];
    let server = TurnServer::start(&config).unwrap();
    let address = server.addresses().udp[0];
    let (mut ada, mut bob) =
        (TurnClient::connect(address).await, TurnClient::connect(address).await);
    let (adas, bobs) = (relay_of(&mut ada).await.to_string(), relay_of(&mut bob).await.to_string());
    for (client, peer) in [(&mut ada, &bobs), (&mut bob, &adas)] {
        let bind = |number| Message::new(CHANNEL_BIND, number).channel(0x4000).peer(peer);
        assert_eq!(client.request(bind).await.code(), 0);
    }
    ada.send(&channel_data(0x4000, b"hello")).await;
    assert_eq!(bob.receive().await, channel_data(0x4000, b"hello"));
    bob.send(&channel_data(0x4000, b"ada")).await;
    assert_eq!(ada.receive().await, channel_data(0x4000, b"ada"));
}

#[tokio::test]
async fn a_configuration_that_makes_no_sense_is_refused() {
    let host = |bind: &str, advertised: &str| RelayHost {
        bind: bind.parse().unwrap(),
        advertised: advertised.parse().unwrap(),
    };
    let (v4, mixed) = (host("127.0.0.1", "127.0.0.1"), host("127.0.0.1", "::1"));
    for hosts in [vec![v4, v4], vec![mixed]] {
        let mut config = config();
        config.relay_hosts = hosts;
        assert!(matches!(TurnServer::start(&config), Err(StartError::RelayHosts)));
    }
    let mut config = config();
    config.secret.clear();
    assert!(matches!(TurnServer::start(&config), Err(StartError::NoSecret)));
    config.secret = b"secret".to_vec();
    config.realm = "x".repeat(64);
    assert!(matches!(TurnServer::start(&config), Err(StartError::Realm)));
    config.realm = "x".to_owned();
    config.relay_hosts = vec![host("192.0.2.77", "192.0.2.77")];
    assert!(matches!(TurnServer::start(&config), Err(StartError::Relay(_))));
}
