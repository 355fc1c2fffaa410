//! What holds for whatever a client sends.

use std::net::{IpAddr, SocketAddr};

use proptest::collection::vec;
use proptest::prelude::*;

use super::lab::{
    Did, Lab, PEER, client, is_host_of_the_internet, is_relay, nothing_reached_a_denied_peer,
    prepared, stream,
};
use super::wire::*;

/// Addresses that a relay could be misled to, and others.
fn any_peer() -> impl Strategy<Value = SocketAddr> {
    let special = prop::sample::select(vec![
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "192.168.0.1",
        "100.64.1.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "198.51.101.9",
        "::1",
        "::",
        "::ffff:10.0.0.1",
        "::ffff:1.1.1.1",
        "64:ff9b::a00:1",
        "2002:a00:1::1",
        "2001::1",
        "fd00::1",
        "fe80::1",
        "ff02::1",
        "2a01:4f8::9",
        "1.1.1.1",
        "2606:4700::1111",
    ]);
    let ip = prop_oneof![
        special.prop_map(|ip| ip.parse().unwrap()),
        any::<[u8; 4]>().prop_map(IpAddr::from),
        any::<[u8; 16]>().prop_map(IpAddr::from),
        (0_u16..4, any::<[u8; 14]>()).prop_map(|(block, rest)| {
            let mut octets = [0; 16];
            octets[..2].copy_from_slice(&(0x2000 + block).to_be_bytes());
            octets[2..].copy_from_slice(&rest);
            IpAddr::from(octets)
        }),
    ];
    (ip, any::<u16>()).prop_map(SocketAddr::from)
}

/// One valid message of each kind.
fn valid(lab: &mut Lab, login: &Login, which: usize) -> Vec<u8> {
    match which {
        0 => lab.message(BINDING).unsigned(),
        1 => lab.allocate().signed(login),
        2 => lab.message(REFRESH).lifetime(700).signed(login),
        3 => lab.message(CREATE_PERMISSION).peer(PEER).signed_with_sha256(login),
        4 => lab.message(CHANNEL_BIND).channel(0x4001).peer(PEER).signed(login),
        5 => lab.message(SEND_INDICATION).peer(PEER).with(DATA, b"data").unsigned(),
        _ => channel_data(0x4000, b"data"),
    }
}

/// Changes bytes, cuts off the end, or appends something.
fn change(message: &mut Vec<u8>, (at, byte, cut): (usize, u8, usize), tail: &[u8]) {
    let length = message.len().max(1);
    message.resize(length, 0);
    message[at % length] ^= byte;
    message.truncate(length - cut % length);
    message.extend(tail);
}

proptest! {
    #[test]
    fn whatever_arrives_is_survived(bytes in vec(any::<u8>(), 0..200), streamed: bool) {
        let client = if streamed { stream(5_000) } else { client(5_000) };
        let (mut lab, _) = prepared(client);
        let did = lab.says(client, &bytes);
        nothing_reached_a_denied_peer(&lab, &did);
        lab.peer_sends(0, PEER, &bytes);
    }

    #[test]
    fn a_changed_message_is_survived(
        which in 0_usize..7,
        changes in vec((any::<usize>(), 1_u8.., 0_usize..8), 1..4),
        tail in vec(any::<u8>(), 0..8),
    ) {
        let client = client(5_000);
        let (mut lab, login) = prepared(client);
        let mut message = valid(&mut lab, &login, which);
        for change_of in changes {
            change(&mut message, change_of, &tail);
        }
        let did = lab.says(client, &message);
        nothing_reached_a_denied_peer(&lab, &did);
        prop_assert_eq!(lab.terms.counts().allocations_made, 1);
    }

    #[test]
    fn a_signed_request_with_one_other_byte_is_not_obeyed(
        which in 1_usize..5,
        at: usize,
        byte in 1_u8..,
    ) {
        let client = client(5_000);
        let (mut lab, login) = prepared(client);
        let mut message = valid(&mut lab, &login, which);
        change(&mut message, (at, byte, 0), &[]);
        // Another byte may make a Binding request of it, which anybody may send.
        let success = |did: &Did| matches!(did, Did::Told(_, bytes)
            if Answer::read(bytes).is_success() && bytes[..2] != [1, 1]);
        let did = lab.says(client, &message);
        prop_assert!(!did.iter().any(success), "{:?}", did);
        prop_assert!(lab.core.has_allocation(client));
    }

    #[test]
    fn nothing_is_ever_sent_to_a_denied_peer(
        peers in vec((any_peer(), 0x4000_u16..0x4004), 1..12),
        streamed: bool,
    ) {
        let client = if streamed { stream(5_000) } else { client(5_000) };
        let (mut lab, login) = prepared(client);
        for (peer, number) in &peers {
            let peer = peer.to_string();
            let permit = lab.message(CREATE_PERMISSION).peer(&peer).signed(&login);
            lab.says(client, &permit);
            let bind = lab.message(CHANNEL_BIND).channel(*number).peer(&peer).signed(&login);
            lab.says(client, &bind);
        }
        for (peer, number) in &peers {
            let send = lab.message(SEND_INDICATION).peer(&peer.to_string()).with(DATA, b"x");
            let did = [lab.says(client, &send.unsigned()),
                lab.says(client, &channel_data(*number, b"x"))].concat();
            nothing_reached_a_denied_peer(&lab, &did);
            // And nothing comes from one.
            for relay in [0, 1] {
                let told = lab.peer_sends(relay, &peer.to_string(), b"y");
                let open = is_relay(*peer) && (50_001..50_100).contains(&peer.port());
                let denied = !is_host_of_the_internet(peer.ip()) || is_relay(*peer);
                prop_assert!(told.is_empty() || open || !denied, "{}", peer);
            }
        }
    }
}
