//! Bytes of sealed files that a hostile server changes, swaps or makes up are not taken for the file (E7, F19).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::hostile_server::HostileServer;
use crate::program::{Running, program};
use crate::relayed::{
    CHUNK, CHUNK_FRAME, FRAME_BYTES, HASHES_FRAME, KIND, SEALED_CHUNK, chunks_of,
};
use crate::stage::{MIB, RELAY, Stage, sample};

const SIZE: usize = 2 * MIB;

struct Relayed {
    stage: Stage,
    hostile: HostileServer,
    link: String,
    _send: Running,
}

/// A device sends a file, and another will receive it through a server that may change it.
fn sends(bytes: &[u8]) -> Relayed {
    let stage = Stage::new();
    let path = stage.file("film.bin", bytes);
    let (send, link) = stage.sends(&[&[path.as_str()], &RELAY[..]].concat());
    let hostile = HostileServer::before(&stage.server);
    let link = hostile.link(&link);
    Relayed { stage, hostile, link, _send: send }
}

impl Relayed {
    #[track_caller]
    fn is_refused(&self, why: &str) {
        let receive = self.stage.receives(&self.link, &RELAY).ends();
        receive.is(1, why);
        assert_eq!(self.stage.names(), [""; 0], "nothing of it lies in the folder");
    }

    #[track_caller]
    fn comes(&self, bytes: &[u8]) {
        self.stage.receives(&self.link, &RELAY).ends().is(0, "");
        self.stage.has("film.bin", bytes);
        assert_eq!(self.stage.names(), ["film.bin"]);
    }
}

#[test]
fn e7_chunks_that_were_changed_are_not_taken_and_the_file_comes_once_the_server_is_honest() {
    let bytes = sample(SIZE);
    let relayed = sends(&bytes);
    relayed.hostile.changes_frames(|mut frame| {
        if frame[KIND] == CHUNK_FRAME {
            *frame.last_mut().unwrap() ^= 1;
        }
        vec![frame]
    });
    relayed.is_refused("Not received: film.bin (what arrives is damaged");
    relayed.hostile.changes_frames(|frame| vec![frame]);
    relayed.comes(&bytes);
}

#[test]
fn e7_chunks_of_one_place_are_not_taken_for_those_of_another() {
    let relayed = sends(&sample(SIZE));
    relayed.hostile.changes_frames(|mut frame| {
        let places: Vec<_> = chunks_of(&frame).map(|(place, _)| place).collect();
        if places.len() > 1 {
            let (first, second) = frame[FRAME_BYTES..].split_at_mut(SEALED_CHUNK);
            first.swap_with_slice(&mut second[..SEALED_CHUNK]);
        }
        vec![frame]
    });
    relayed.is_refused("what arrives is damaged");
}

#[test]
fn e7_chunks_of_one_file_are_not_taken_for_those_of_another() {
    let stage = Stage::new();
    let (one, two) = (sample(SIZE), sample(SIZE + CHUNK)[CHUNK..].to_vec());
    let paths = [stage.file("one.bin", &one), stage.file("two.bin", &two)];
    let (_send, link) = stage.sends(&[&[paths[0].as_str()], &RELAY[..]].concat());
    let hostile = HostileServer::before(&stage.server);
    let link = hostile.link(&link);
    let kept: Arc<Mutex<BTreeMap<u32, Vec<u8>>>> = Arc::default();
    let keeping = kept.clone();
    hostile.changes_frames(move |frame| {
        keeping.lock().unwrap().extend(chunks_of(&frame).map(|(at, chunk)| (at, chunk.to_vec())));
        vec![frame]
    });
    stage.receives(&link, &RELAY).ends().is(0, "");
    stage.has("one.bin", &one);

    hostile.changes_frames(move |mut frame| {
        let places: Vec<_> = chunks_of(&frame).map(|(place, _)| place).collect();
        if !places.is_empty() {
            frame.truncate(FRAME_BYTES);
            let kept = kept.lock().unwrap();
            frame.extend(places.iter().flat_map(|place| &kept[place]));
        }
        vec![frame]
    });
    let words = ["send", "--no-direct", "--json", &paths[1]];
    let other = program(&words).link(&link).starts();
    other.event("shared");
    stage.receives(&link, &RELAY).ends().is(1, "Not received: two.bin (what arrives is damaged");
    assert_eq!(stage.names(), ["one.bin"]);
}

#[test]
fn f19_pieces_that_are_not_what_the_server_says_of_them_are_no_file() {
    let relayed = sends(&sample(SIZE));
    relayed.hostile.changes_frames(|mut frame| {
        if frame[KIND] == HASHES_FRAME {
            *frame.last_mut().unwrap() ^= 1;
        }
        vec![frame]
    });
    relayed.is_refused("what arrives is damaged");
}

#[test]
fn f8_frames_that_come_twice_or_have_another_place_add_nothing() {
    let bytes = sample(SIZE + 5);
    let relayed = sends(&bytes);
    relayed.hostile.changes_frames(|frame| {
        if frame[KIND] != CHUNK_FRAME {
            return vec![frame];
        }
        let mut beyond = frame.clone();
        beyond[FRAME_BYTES - 4..FRAME_BYTES].copy_from_slice(&u32::MAX.to_be_bytes());
        let head = frame[..FRAME_BYTES].to_vec();
        let (cut, empty) = (frame[..FRAME_BYTES - 1].to_vec(), frame[..KIND].to_vec());
        vec![beyond, head, cut, empty, frame.clone(), frame]
    });
    relayed.comes(&bytes);
}

#[test]
fn e7_a_file_whose_end_is_cut_off_is_not_taken_for_the_whole() {
    let bytes = sample(SIZE + 5);
    let relayed = sends(&bytes);
    let last = u32::try_from(SIZE / CHUNK).unwrap();
    relayed.hostile.changes_frames(move |mut frame| {
        let places = chunks_of(&frame).count();
        if chunks_of(&frame).any(|(place, _)| place == last) {
            // All but the last chunk arrive.
            frame.truncate(FRAME_BYTES + (places - 1) * SEALED_CHUNK);
        }
        vec![frame]
    });
    let mut receive = relayed.stage.receives(&relayed.link, &RELAY).starts();
    while receive.event("receiving")["bytes"] != SIZE {}
    receive.is_killed();
    assert!(!relayed.stage.received().join("film.bin").exists());
    relayed.hostile.changes_frames(|frame| vec![frame]);
    let again = relayed.stage.receives(&relayed.link, &RELAY).ends();
    again.is(0, "");
    relayed.stage.has("film.bin", &bytes);
}
