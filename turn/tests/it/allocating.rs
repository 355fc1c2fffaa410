//! STUN, credentials and the life of allocations, by the sections of RFC 8489 and RFC 8656.

use heliograph_turn::core::event::Input;
use heliograph_turn::credentials::mint;

use stun_types::attribute::Fingerprint;
use stun_types::prelude::AttributeWrite;

use super::lab::{Did, Lab, PEER, START, client, config, stream};
use super::wire::*;

#[test]
fn a_binding_request_is_answered_with_the_address_it_came_from() {
    let mut lab = Lab::new();
    let request = lab.message(BINDING).unsigned();
    let answer = lab.answer(client(5_000), &request);
    assert!(answer.is_success());
    assert_eq!(answer.addresses(XOR_MAPPED_ADDRESS), [client(5_000).client]);
    assert_eq!(answer.get(FINGERPRINT), None);
}

#[test]
fn a_request_with_a_checksum_is_answered_with_one() {
    let mut lab = Lab::new();
    let mut request = lab.message(BINDING).with(FINGERPRINT, &[0; 4]).unsigned();
    let checksum = Fingerprint::compute(&[&request[..20]]);
    request[24..].copy_from_slice(&Fingerprint::new(checksum).to_raw().value);
    let answer = lab.answer(client(5_000), &request);
    assert!(answer.get(FINGERPRINT).is_some());
    assert!(stun_types::message::Message::from_bytes(&answer.bytes).is_ok());
    request[24] ^= 1;
    assert_eq!(lab.says(client(5_000), &request), []);
}

#[test]
fn an_attribute_that_must_be_understood_and_is_not_is_named() {
    let mut lab = Lab::new();
    let request = lab.message(BINDING).with(0x7F01, &[1]).with(0xFF01, &[2]).unsigned();
    let answer = lab.answer(client(5_000), &request);
    assert_eq!(answer.code(), 420);
    assert_eq!(answer.get(UNKNOWN_ATTRIBUTES), Some(&[0x7F, 0x01][..]));

    let login = lab.login(client(5_000), "ada");
    let request = lab.allocate().with(DONT_FRAGMENT, &[]).signed(&login);
    let answer = lab.answer(client(5_000), &request);
    assert_eq!((answer.code(), answer.is_signed(&login)), (420, true));
    assert_eq!(answer.get(UNKNOWN_ATTRIBUTES), Some(&[0x00, 0x1A][..]));
}

#[test]
fn a_request_without_credentials_is_asked_for_them_and_leaves_nothing_behind() {
    let mut lab = Lab::new();
    let request = lab.allocate().unsigned();
    let answer = lab.answer(client(5_000), &request);
    assert_eq!(answer.code(), 401);
    assert_eq!(answer.text(REALM), "heliograph");
    assert!(!answer.text(NONCE).is_empty());
    assert!(lab.core.is_empty());
    // With the headers of UDP and IPv4, the victim of a forged address gets less than twice what was sent.
    assert!(answer.bytes.len() + 28 < 2 * (request.len() + 28), "{}", answer.bytes.len());
}

#[test]
fn good_credentials_get_a_relay_and_an_answer_that_is_signed() {
    let mut lab = Lab::new();
    let login = lab.login(client(5_000), "ada");
    let request = lab.allocate().signed(&login);
    let answer = lab.answer(client(5_000), &request);
    assert_eq!(answer.code(), 0);
    assert!(answer.is_signed(&login));
    assert_eq!(answer.lifetime(), 600);
    assert_eq!(answer.addresses(XOR_RELAYED_ADDRESS), ["198.51.101.9:50001".parse().unwrap()]);
    assert_eq!(answer.addresses(XOR_MAPPED_ADDRESS), [client(5_000).client]);
    assert_eq!(lab.terms.counts().allocations, 1);
}

#[test]
fn an_answer_is_signed_as_its_request_was() {
    let mut lab = Lab::new();
    let login = lab.login(client(5_000), "ada");
    let request = lab.allocate().signed_with_sha256(&login);
    let answer = lab.answer(client(5_000), &request);
    assert_eq!(answer.code(), 0);
    assert!(answer.get(MESSAGE_INTEGRITY).is_none());
    assert!(answer.get(MESSAGE_INTEGRITY_SHA256).is_some() && answer.is_signed(&login));
}

#[test]
fn a_choice_among_password_algorithms_that_were_never_offered_is_a_bad_request() {
    let mut lab = Lab::new();
    let login = lab.login(client(5_000), "ada");
    let request = lab.allocate().with(PASSWORD_ALGORITHM, &[0, 2, 0, 0]).signed(&login);
    assert_eq!(lab.answer(client(5_000), &request).code(), 400);
}

#[test]
fn forged_expired_and_incomplete_credentials_are_refused() {
    let mut lab = Lab::new();
    let good = lab.login(client(5_000), "ada");
    let mut forged = good.clone();
    forged.password = mint(b"another secret", "ada", START + 3_600).password;
    let mut renamed = good.clone();
    renamed.username = format!("{}:ada", START + 999_999);
    let mut nameless = good.clone();
    nameless.username = "ada".to_owned();
    let expired = lab.login_until(client(5_000), "ada", START);
    for (login, why) in [(&forged, "forged"), (&renamed, "renamed"), (&nameless, "nameless")] {
        let request = lab.allocate().signed(login);
        let answer = lab.answer(client(5_000), &request);
        assert_eq!((answer.code(), answer.text(REALM).is_empty()), (401, false), "{why}");
        assert_eq!(answer.get(MESSAGE_INTEGRITY), None, "{why}");
    }
    let request = lab.allocate().signed(&expired);
    assert_eq!(lab.answer(client(5_000), &request).code(), 401);
    let no_name = lab.allocate().with(MESSAGE_INTEGRITY, &[0; 20]).unsigned();
    assert_eq!(lab.answer(client(5_000), &no_name).code(), 400);
    assert!(lab.core.is_empty());
}

#[test]
fn a_nonce_that_has_expired_or_is_of_another_client_is_stale() {
    let mut lab = Lab::new();
    let login = lab.login_until(client(5_000), "ada", START + 99_999);
    let request = lab.allocate().signed(&login);
    let of_another = lab.answer(client(5_001), &request);
    assert_eq!(of_another.code(), 438);
    lab.passes(3_600);
    let stale = lab.answer(client(5_000), &request);
    assert_eq!(stale.code(), 438);
    let renewed = Login { nonce: stale.text(NONCE), ..login };
    let request = lab.allocate().signed(&renewed);
    assert_eq!(lab.answer(client(5_000), &request).code(), 0);
}

#[test]
fn lifetimes_are_between_ten_minutes_and_an_hour() {
    let mut lab = Lab::new();
    for (port, wished, granted) in [(1, 1, 600), (2, 1_800, 1_800), (3, 99_999, 3_600)] {
        let login = lab.login(client(port), "ada");
        let request = lab.allocate().lifetime(wished).signed(&login);
        assert_eq!(lab.answer(client(port), &request).lifetime(), granted);
    }
}

#[test]
fn an_allocation_ends_with_its_lifetime_and_gives_back_what_it_had() {
    let mut lab = Lab::new();
    lab.allocated(5_000);
    assert_eq!(lab.passes(599), []);
    assert_eq!(lab.passes(1), [Did::Closed(lab.relays[0])]);
    assert!(lab.core.is_empty());
    assert_eq!((lab.terms.counts().allocations, lab.terms.open_relays()), (0, 0));
}

#[test]
fn a_stream_ends_with_its_allocation_and_the_allocation_with_its_stream() {
    let mut lab = Lab::new();
    for end_by_time in [true, false] {
        let client = stream(5_000);
        let login = lab.login(client, "ada");
        let request = lab.allocate().signed(&login);
        assert_eq!(lab.answer(client, &request).code(), 0);
        let closed = Did::Closed(*lab.relays.last().unwrap());
        if end_by_time {
            assert_eq!(lab.passes(600), [closed, Did::Disconnected(client)]);
        } else {
            assert_eq!(lab.handle(Input::Disconnected(client)), [closed]);
        }
        assert!(lab.core.is_empty());
    }
}

#[test]
fn a_refresh_extends_an_allocation_and_one_of_zero_ends_it() {
    let mut lab = Lab::new();
    let (client, login) = lab.allocated(5_000);
    lab.passes(500);
    let request = lab.message(REFRESH).lifetime(1_200).signed(&login);
    assert_eq!(lab.answer(client, &request).lifetime(), 1_200);
    assert_eq!(lab.passes(1_199), []);
    let request = lab.message(REFRESH).lifetime(0).signed(&login);
    let answer = lab.answer(client, &request);
    assert_eq!((answer.code(), answer.lifetime()), (0, 0));
    assert!(lab.core.is_empty());
    let request = lab.message(REFRESH).signed(&login);
    assert_eq!(lab.answer(client, &request).code(), 437);
}

#[test]
fn expired_credentials_extend_nothing_but_what_was_granted_can_be_used_and_given_back() {
    let mut lab = Lab::new();
    let client = client(5_000);
    let login = lab.login_until(client, "ada", START + 300);
    let request = lab.allocate().signed(&login);
    assert_eq!(lab.answer(client, &request).code(), 0);
    lab.passes(300);
    let refresh = lab.message(REFRESH).lifetime(600).signed(&login);
    assert_eq!(lab.answer(client, &refresh).code(), 401);
    let permit = lab.message(CREATE_PERMISSION).peer(PEER).signed(&login);
    assert_eq!(lab.answer(client, &permit).code(), 0);
    let give_back = lab.message(REFRESH).lifetime(0).signed(&login);
    assert_eq!(lab.answer(client, &give_back).code(), 0);
    assert!(lab.core.is_empty());
}

#[test]
fn an_allocate_that_is_sent_again_is_answered_again_and_another_one_is_a_mismatch() {
    let mut lab = Lab::new();
    let login = lab.login(client(5_000), "ada");
    let request = lab.allocate().signed(&login);
    let first = lab.answer(client(5_000), &request);
    assert_eq!(lab.answer(client(5_000), &request), first);
    let another = lab.allocate().signed(&login);
    assert_eq!(lab.answer(client(5_000), &another).code(), 437);
    assert_eq!(lab.relays.len(), 1);
}

#[test]
fn only_who_made_an_allocation_may_change_it() {
    let mut lab = Lab::new();
    let (client, _) = lab.allocated(5_000);
    let eve = lab.login(client, "eve");
    for kind in [REFRESH, CREATE_PERMISSION, CHANNEL_BIND] {
        let request = lab.message(kind).peer(PEER).channel(0x4000).signed(&eve);
        assert_eq!(lab.answer(client, &request).code(), 441);
    }
}

#[test]
fn a_device_over_its_quota_and_a_full_server_refuse_with_486() {
    let mut config = config();
    (config.limits.per_device, config.limits.in_all) = (2, 3);
    let mut lab = Lab::with(&config);
    let codes =
        [(1, "ada"), (2, "ada"), (3, "ada"), (4, "bob"), (5, "eve")].map(|(port, device)| {
            let login = lab.login(client(port), device);
            let request = lab.allocate().signed(&login);
            lab.answer(client(port), &request).code()
        });
    assert_eq!(codes, [0, 0, 486, 0, 486]);
    assert_eq!(lab.terms.counts().over_quota, 2);
}

#[test]
fn without_a_port_there_is_no_allocation_and_no_place_is_taken() {
    let mut lab = Lab::new();
    lab.ports_left = 0;
    let login = lab.login(client(5_000), "ada");
    let request = lab.allocate().signed(&login);
    let answer = lab.answer(client(5_000), &request);
    assert_eq!((answer.code(), answer.is_signed(&login)), (508, true));
    assert!(lab.core.is_empty());
    assert_eq!(lab.terms.counts().allocations, 0);
}

#[test]
fn a_relay_of_another_kind_than_there_is_is_refused_with_its_code() {
    let mut lab = Lab::new();
    let login = lab.login(client(5_000), "ada");
    let mut code = |change: &dyn Fn(Message) -> Message, transport: bool| {
        let message = lab.message(ALLOCATE);
        let message = change(if transport { message.transport() } else { message });
        lab.answer(client(5_000), &message.signed(&login)).code()
    };
    let family =
        |family: u8| move |m: Message| m.with(REQUESTED_ADDRESS_FAMILY, &[family, 0, 0, 0]);
    let additional = |m: Message| m.with(ADDITIONAL_ADDRESS_FAMILY, &[2, 0, 0, 0]);
    assert_eq!(code(&|m| m, false), 400, "no transport");
    assert_eq!(code(&|m| m.with(REQUESTED_TRANSPORT, &[6, 0, 0, 0]), false), 442, "TCP to peers");
    assert_eq!(code(&family(9), true), 440, "an unknown family");
    assert_eq!(code(&|m| additional(family(1)(m)), true), 400, "two wishes for a family");
    assert_eq!(code(&|m| m.with(ADDITIONAL_ADDRESS_FAMILY, &[1, 0, 0, 0]), true), 400);
    assert_eq!(code(&|m| m.with(EVEN_PORT, &[0x80]), true), 508, "a pair of ports");
    assert_eq!(code(&|m| m.with(RESERVATION_TOKEN, &[0; 8]), true), 508, "a port of before");
    assert_eq!(code(&|m| m.with(LIFETIME, &[0; 3]), true), 400, "a lifetime of three bytes");
}

#[test]
fn a_client_gets_ipv6_or_both_families_where_the_server_has_them() {
    let mut lab = Lab::new();
    let login = lab.login(client(1), "ada");
    let request = lab.allocate().with(REQUESTED_ADDRESS_FAMILY, &[2, 0, 0, 0]).signed(&login);
    let relayed = lab.answer(client(1), &request).addresses(XOR_RELAYED_ADDRESS);
    assert_eq!(relayed, ["[2a01:4f8::9]:50001".parse().unwrap()]);

    let login = lab.login(client(2), "ada");
    let both = lab.allocate().with(ADDITIONAL_ADDRESS_FAMILY, &[2, 0, 0, 0]);
    let relayed = lab.answer(client(2), &both.signed(&login)).addresses(XOR_RELAYED_ADDRESS);
    let expected = ["198.51.101.9:50002", "[2a01:4f8::9]:50003"].map(|a| a.parse().unwrap());
    assert_eq!(relayed, expected);
}

#[test]
fn where_one_of_two_families_cannot_be_had_the_other_is_given_and_the_answer_says_why() {
    let mut config = config();
    config.relay_hosts.truncate(1);
    let mut lab = Lab::with(&config);
    let login = lab.login(client(1), "ada");
    let both = lab.allocate().with(ADDITIONAL_ADDRESS_FAMILY, &[2, 0, 0, 0]);
    let answer = lab.answer(client(1), &both.signed(&login));
    assert_eq!(answer.addresses(XOR_RELAYED_ADDRESS).len(), 1);
    assert_eq!(answer.get(ADDRESS_ERROR_CODE).unwrap()[..4], [2, 0, 4, 40]);

    let login = lab.login(client(2), "ada");
    let request = lab.allocate().with(REQUESTED_ADDRESS_FAMILY, &[2, 0, 0, 0]).signed(&login);
    assert_eq!(lab.answer(client(2), &request).code(), 440);
}

#[test]
fn what_is_no_message_is_not_answered() {
    let mut lab = Lab::new();
    let good = lab.message(BINDING).unsigned();
    let mut wrong_cookie = good.clone();
    wrong_cookie[4] ^= 1;
    let longer = [&good[..], &[0; 4]].concat();
    let response = lab.message(0x0101).unsigned();
    let unknown_method = lab.message(0x00FE).unsigned();
    let long = lab.message(BINDING).with(0x8022, &[b'x'; 3_000]).unsigned();
    for bytes in [
        &[][..],
        b"GET / HTTP/1.1\r\n\r\n",
        &wrong_cookie,
        &good[..19],
        &longer,
        &response,
        &unknown_method,
        &long,
    ] {
        assert_eq!(lab.says(client(5_000), bytes), [], "{bytes:?}");
    }
}
