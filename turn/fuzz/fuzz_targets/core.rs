//! Everything that can happen to a core, in any order: what arrives from strangers, from a client who signs, and from
//! peers, and time that passes. Nothing may panic, and nothing may reach a denied peer.

#![no_main]
#![allow(dead_code, clippy::unwrap_used, clippy::panic, reason = "a fuzzer fails by a panic")]

#[path = "../../tests/it/lab.rs"]
mod lab;
#[path = "../../tests/it/wire.rs"]
mod wire;

use heliograph_turn::core::event::FiveTuple;
use libfuzzer_sys::fuzz_target;

use lab::{Did, Lab, client, nothing_reached_a_denied_peer, prepared, stream};
use wire::{ALLOCATE, CHANNEL_BIND, CREATE_PERMISSION, Login, REFRESH, SEND_INDICATION};

fuzz_target!(|bytes: &[u8]| {
    let client = if bytes.first().is_some_and(|b| b & 1 == 1) { stream(5_000) } else { client(5_000) };
    let (mut lab, login) = prepared(client);
    let mut rest = bytes.get(1..).unwrap_or_default();
    // Each event: what it is, how many bytes it has, and these.
    while let [kind, length, more @ ..] = rest {
        let (part, after) = more.split_at(usize::from(*length).min(more.len()));
        let did = event(&mut lab, (client, &login), *kind, part);
        nothing_reached_a_denied_peer(&lab, &did);
        rest = after;
    }
});

fn event(lab: &mut Lab, (client, login): (FiveTuple, &Login), kind: u8, part: &[u8]) -> Vec<Did> {
    match kind % 8 {
        0 => lab.says(client, part),
        1 => lab.passes(part.len().try_into().unwrap()),
        2 => match lab.relays.len() {
            0 => Vec::new(),
            count => lab.peer_sends(usize::from(kind) % count, lab::PEER, part),
        },
        3 => lab.says(client, &[&[0x40, kind % 4][..], part].concat()),
        which => {
            let method = [ALLOCATE, REFRESH, CREATE_PERMISSION, CHANNEL_BIND][usize::from(which) - 4];
            let attributes = |mut message: wire::Message, mut left: &[u8]| {
                while let [high, low, length, value @ ..] = left {
                    let (value, after) = value.split_at(usize::from(*length).min(value.len()));
                    message = message.with(u16::from_be_bytes([*high, *low]), value);
                    left = after;
                }
                message
            };
            if kind & 0x80 == 0 {
                let message = lab.message(method);
                lab.says(client, &attributes(message, part).signed(login))
            } else {
                let message = lab.message(SEND_INDICATION);
                lab.says(client, &attributes(message, part).unsigned())
            }
        }
    }
}
