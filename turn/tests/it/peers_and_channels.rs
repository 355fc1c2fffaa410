//! Permissions, channels and data, by RFC 8656 sections 9 to 12, and who may be a peer at all.

use heliograph_turn::RelayHost;

use super::lab::{Did, Lab, PEER, PEER_V6, client, config, stream};
use super::wire::*;

/// What a client was told, as one message.
fn told(did: &[Did]) -> &[u8] {
    let [Did::Told(_, bytes)] = did else { panic!("nothing was told: {did:?}") };
    bytes
}

fn sent(to: &str, data: &[u8]) -> Did {
    Did::Sent(to.parse().unwrap(), data.to_vec())
}

#[test]
fn data_passes_both_ways_while_a_permission_lasts() {
    let mut lab = Lab::new();
    let (client, login) = lab.allocated(5_000);
    let send = lab.message(SEND_INDICATION).peer(PEER).with(DATA, b"hello").unsigned();
    assert_eq!(lab.says(client, &send), []);
    assert_eq!(lab.peer_sends(0, PEER, b"too early"), []);

    let permit = lab.message(CREATE_PERMISSION).peer(PEER).signed(&login);
    let answer = lab.answer(client, &permit);
    assert!(answer.is_success() && answer.is_signed(&login));
    assert_eq!(lab.says(client, &send), [sent(PEER, b"hello")]);
    // A permission is for the host, whatever its port.
    let indication = Answer::read(told(&lab.peer_sends(0, "93.184.216.34:9", b"welcome")));
    assert_eq!(indication.kind, DATA_INDICATION);
    assert_eq!(indication.addresses(XOR_PEER_ADDRESS), ["93.184.216.34:9".parse().unwrap()]);
    assert_eq!(indication.get(DATA), Some(&b"welcome"[..]));
    assert_eq!(lab.peer_sends(0, "93.184.216.35:7000", b"who is it"), []);

    lab.passes(299);
    assert_eq!(lab.says(client, &send).len(), 1);
    lab.passes(1);
    assert_eq!(lab.says(client, &send), []);
    assert_eq!(lab.peer_sends(0, PEER, b"too late"), []);
}

#[test]
fn a_request_permits_all_of_its_peers_or_none() {
    let mut lab = Lab::new();
    let (client, login) = lab.allocated(5_000);
    let other = "93.184.216.99:1";
    let with_denied = lab.message(CREATE_PERMISSION).peer(PEER).peer("10.0.0.1:1").signed(&login);
    assert_eq!(lab.answer(client, &with_denied).code(), 403);
    assert_eq!(lab.peer_sends(0, PEER, b"x"), []);
    let both = lab.message(CREATE_PERMISSION).peer(PEER).peer(other).signed(&login);
    assert_eq!(lab.answer(client, &both).code(), 0);
    assert_eq!(lab.peer_sends(0, PEER, b"x").len() + lab.peer_sends(0, other, b"x").len(), 2);
    let nobody = lab.message(CREATE_PERMISSION).signed(&login);
    assert_eq!(lab.answer(client, &nobody).code(), 400);
}

#[test]
fn a_channel_carries_data_both_ways_in_its_short_form() {
    let mut lab = Lab::new();
    let (client, login) = lab.allocated(5_000);
    let bind = lab.message(CHANNEL_BIND).channel(0x4000).peer(PEER).signed(&login);
    assert_eq!(lab.answer(client, &bind).code(), 0);
    let data = channel_data(0x4000, b"hello");
    assert_eq!(lab.says(client, &data), [sent(PEER, b"hello")]);
    assert_eq!(told(&lab.peer_sends(0, PEER, b"back!")), channel_data(0x4000, b"back!"));
    assert_eq!(lab.says(client, &channel_data(0x4001, b"unbound")), []);
    // The channel outlives its permission (ten minutes, and five), and ends then.
    lab.passes(300);
    assert_eq!(lab.peer_sends(0, PEER, b"x"), []);
    lab.passes(299);
    assert_eq!(lab.says(client, &data).len(), 1);
    let refresh = lab.message(REFRESH).signed(&login);
    lab.answer(client, &refresh);
    lab.passes(1);
    assert_eq!(lab.says(client, &data), []);
}

#[test]
fn on_a_stream_data_is_filled_up_to_four_bytes() {
    let mut lab = Lab::new();
    let client = stream(5_000);
    let login = lab.login(client, "ada");
    let request = lab.allocate().signed(&login);
    lab.answer(client, &request);
    let bind = lab.message(CHANNEL_BIND).channel(0x4000).peer(PEER).signed(&login);
    lab.answer(client, &bind);
    let padded = [&channel_data(0x4000, b"12345")[..], &[0; 3]].concat();
    assert_eq!(told(&lab.peer_sends(0, PEER, b"12345")), padded);
    assert_eq!(lab.says(client, &padded), [sent(PEER, b"12345")]);
}

#[test]
fn a_channel_is_bound_to_one_peer_and_a_peer_to_one_channel() {
    let mut lab = Lab::new();
    let (client, login) = lab.allocated(5_000);
    let mut bind = |number: u16, peer: &str| {
        let request = lab.message(CHANNEL_BIND).channel(number).peer(peer).signed(&login);
        lab.answer(client, &request).code()
    };
    assert_eq!(bind(0x4000, PEER), 0);
    assert_eq!(bind(0x4000, PEER), 0, "again");
    assert_eq!(bind(0x4000, "93.184.216.34:7001"), 400, "the number has another peer");
    assert_eq!(bind(0x4001, PEER), 400, "the peer has another number");
    assert_eq!(bind(0x3FFF, "93.184.216.34:7001"), 400, "no number of a channel");
    assert_eq!(bind(0x8000, "93.184.216.34:7001"), 400, "no number of a channel");
    assert_eq!(bind(0x7FFF, "93.184.216.34:7001"), 0);
    assert_eq!(bind(0x4002, "10.0.0.1:1"), 403);
    assert_eq!(bind(0x4002, PEER_V6), 443);
}

#[test]
fn hosts_and_channels_of_one_allocation_are_bounded() {
    let mut lab = Lab::new();
    let (client, login) = lab.allocated(5_000);
    let codes: Vec<_> = (0..257_u16)
        .map(|n| {
            let peer = format!("93.184.{}.{}:1", 1 + n / 200, n % 200);
            let request = lab.message(CHANNEL_BIND).channel(0x4000 + n).peer(&peer).signed(&login);
            lab.answer(client, &request).code()
        })
        .collect();
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 256);
    assert_eq!(codes[256], 508);
}

#[test]
fn a_peer_of_a_family_without_a_relay_is_refused_and_one_with_is_reached_by_it() {
    let mut lab = Lab::new();
    let (of_v4, login) = lab.allocated(5_000);
    let permit = lab.message(CREATE_PERMISSION).peer(PEER_V6).signed(&login);
    assert_eq!(lab.answer(of_v4, &permit).code(), 443);

    let of_both = client(5_001);
    let login = lab.login(of_both, "ada");
    let both = lab.allocate().with(ADDITIONAL_ADDRESS_FAMILY, &[2, 0, 0, 0]).signed(&login);
    lab.answer(of_both, &both);
    let permit = lab.message(CREATE_PERMISSION).peer(PEER).peer(PEER_V6).signed(&login);
    assert_eq!(lab.answer(of_both, &permit).code(), 0);
    let send = lab.message(SEND_INDICATION).peer(PEER_V6).with(DATA, b"six").unsigned();
    assert_eq!(lab.says(of_both, &send), [sent(PEER_V6, b"six")]);
}

#[test]
fn what_is_beyond_the_bandwidth_is_dropped_and_counted() {
    let mut config = config();
    config.limits.bandwidth = 1_000;
    let mut lab = Lab::with(&config);
    let (client, login) = lab.allocated(5_000);
    let bind = lab.message(CHANNEL_BIND).channel(0x4000).peer(PEER).signed(&login);
    lab.answer(client, &bind);
    let data = channel_data(0x4000, &[7; 400]);
    let up = (0..3).filter(|_| !lab.says(client, &data).is_empty()).count();
    let down = (0..3).filter(|_| !lab.peer_sends(0, PEER, &[7; 400]).is_empty()).count();
    assert_eq!((up, down), (2, 2));
    let counts = lab.terms.counts();
    assert_eq!((counts.bytes_to_peers, counts.bytes_to_clients), (800, 800));
    assert_eq!((counts.datagrams_to_peers, counts.datagrams_to_clients), (2, 2));
    assert_eq!(counts.dropped_by_bandwidth, 2);
    lab.passes(1);
    assert_eq!(lab.says(client, &data).len(), 1);
}

#[test]
fn empty_datagrams_use_up_bandwidth_by_their_headers() {
    let mut config = config();
    config.limits.bandwidth = 100;
    let mut lab = Lab::with(&config);
    let (client, login) = lab.allocated(5_000);
    let bind = lab.message(CHANNEL_BIND).channel(0x4000).peer(PEER).signed(&login);
    lab.answer(client, &bind);
    let empty = channel_data(0x4000, b"");
    assert_eq!((0..9).filter(|_| !lab.says(client, &empty).is_empty()).count(), 3);
}

#[test]
fn two_clients_on_relays_of_this_server_reach_each_other_and_nothing_else_there() {
    let mut config = config();
    // Behind a router: neither address is one that a peer may have.
    config.relay_hosts = vec![RelayHost {
        bind: "10.0.0.5".parse().unwrap(),
        advertised: "192.168.7.7".parse().unwrap(),
    }];
    let mut lab = Lab::with(&config);
    let (ada, ada_login) = lab.allocated(5_000);
    let (_bob, _) = lab.allocated(5_001);
    let bobs_relay = "192.168.7.7:50002";
    let bind = lab.message(CHANNEL_BIND).channel(0x4000).peer(bobs_relay).signed(&ada_login);
    assert_eq!(lab.answer(ada, &bind).code(), 0);
    // It does not leave the host, and its sender is known by the address that was told.
    assert_eq!(lab.says(ada, &channel_data(0x4000, b"hi")), [sent("10.0.0.5:50002", b"hi")]);
    assert_eq!(told(&lab.peer_sends(0, "10.0.0.5:50002", b"ho")), channel_data(0x4000, b"ho"));

    let ssh = lab.message(SEND_INDICATION).peer("192.168.7.7:22").with(DATA, b"x").unsigned();
    assert_eq!(lab.says(ada, &ssh), []);
    assert_eq!(lab.peer_sends(0, "192.168.7.7:22", b"x"), []);
    let inside = lab.message(CREATE_PERMISSION).peer("10.0.0.5:22").signed(&ada_login);
    assert_eq!(lab.answer(ada, &inside).code(), 403);
    lab.passes(600);
    assert_eq!(lab.terms.open_relays(), 0);
}

#[test]
fn services_of_the_host_are_no_peers_even_where_its_address_is_public() {
    let mut lab = Lab::new();
    let (client, login) = lab.allocated(5_000);
    let permit = lab.message(CREATE_PERMISSION).peer("198.51.101.9:1").signed(&login);
    assert_eq!(lab.answer(client, &permit).code(), 0);
    let send = lab.message(SEND_INDICATION).peer("198.51.101.9:5432").with(DATA, b"x").unsigned();
    assert_eq!(lab.says(client, &send), []);
    assert_eq!(lab.terms.counts().dropped_by_permission, 1);
}

#[test]
fn a_send_indication_that_is_not_understood_is_dropped() {
    let mut lab = Lab::new();
    let (client, login) = lab.allocated(5_000);
    let permit = lab.message(CREATE_PERMISSION).peer(PEER).signed(&login);
    lab.answer(client, &permit);
    let whole = |m: Message| m.peer(PEER).with(DATA, b"x");
    let unfragmented = whole(lab.message(SEND_INDICATION)).with(DONT_FRAGMENT, &[]).unsigned();
    let without_data = lab.message(SEND_INDICATION).peer(PEER).unsigned();
    let without_peer = lab.message(SEND_INDICATION).with(DATA, b"x").unsigned();
    for bytes in [unfragmented, without_data, without_peer] {
        assert_eq!(lab.says(client, &bytes), []);
    }
    let good = whole(lab.message(SEND_INDICATION)).unsigned();
    assert_eq!(lab.says(client, &good).len(), 1);
}
