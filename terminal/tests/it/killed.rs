//! Programs that are killed in the middle of a file, at points that a server between them makes sure of.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::hostile_server::HostileServer;
use crate::program::{copies, program};
use crate::relayed::{CHUNK, chunks_of};
use crate::stage::{MIB, RELAY, Stage, done, first_event, sample};

const SIZE: usize = 12 * MIB;
/// Most bytes that may come once more: the largest window through the server (F4).
const WINDOW: u64 = 4 * MIB as u64;

/// Lets no chunk through that lies behind so many percent of the file.
fn lets_through(hostile: &HostileServer, percent: usize) -> u64 {
    let end = SIZE / CHUNK * percent / 100;
    let most = u32::try_from(end).unwrap();
    hostile.changes_frames(move |frame| {
        if chunks_of(&frame).any(|(place, _)| place >= most) { vec![] } else { vec![frame] }
    });
    (end * CHUNK) as u64
}

/// Bytes from which a receiver that is killed now would go on, as its journal says.
fn kept(stage: &Stage) -> u64 {
    let folder = stage.folder.path().join("state/heliograph/received");
    let mut paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_entry = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
    let Some(path) = paths.find(is_entry) else { return 0 };
    let entry: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let ranges = entry["stage"]["receiving"].as_array().unwrap();
    ranges.iter().map(|range| range[1].as_u64().unwrap() * CHUNK as u64).sum()
}

/// Waits for the journal, which tells nobody when it is durable: what came later would come again. It is written within a second, and
/// later on a machine that is busy.
#[track_caller]
fn waits_for_journal(stage: &Stage, reached: u64) {
    for _ in 0..200 {
        // Pieces that were not compared yet are left out of it, and what comes twice is to have room in the window too.
        if kept(stage) + WINDOW * 3 / 4 >= reached {
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
    panic!("{reached} bytes came, and {} are in the journal", kept(stage));
}

#[test]
fn f19_a_receiver_that_is_killed_at_1_50_and_99_percent_wants_at_most_a_window_again() {
    let stage = Stage::new();
    let bytes = sample(SIZE);
    let path = stage.file("large", &bytes);
    let (mut send, link) = stage.sends(&[&[path.as_str(), "--once"], &RELAY[..]].concat());
    let hostile = HostileServer::before(&stage.server);
    let link = hostile.link(&link);
    let mut before = 0;
    for percent in [1, 50, 99] {
        let end = lets_through(&hostile, percent);
        let mut receive = stage.receives(&link, &RELAY).starts();
        let mut reached = receive.event("receiving")["bytes"].as_u64().unwrap();
        assert!(reached + WINDOW >= before, "{before} before, {reached} kept");
        // Of the last frame, some chunks may lie behind the end.
        while reached + 4 * (CHUNK as u64) < end {
            reached = receive.event("receiving")["bytes"].as_u64().unwrap();
        }
        waits_for_journal(&stage, reached);
        receive.is_killed();
        assert!(!stage.received().join("large").exists());
        before = reached;
    }
    lets_through(&hostile, 101);
    let receive = stage.receives(&link, &RELAY).ends();
    receive.is(0, "");
    let kept = first_event(receive.text(), "receiving")["bytes"].as_u64().unwrap();
    let twice = done(receive.text())["twice"].as_u64().unwrap();
    assert!(before - kept.min(before) + twice < WINDOW, "{before} before, {kept} kept");
    stage.has("large", &bytes);
    assert_eq!(stage.names(), ["large"]);
    assert_eq!(send.ends(), 0);
}

#[test]
fn f17_of_a_sender_that_is_killed_at_1_50_and_99_percent_at_most_a_window_comes_again() {
    let stage = Stage::new();
    let bytes = sample(SIZE);
    let path = stage.file("large", &bytes);
    let sends = |words: &[&str]| stage.sender(&[&["--no-direct", &path], words].concat());
    let mut send = sends(&["--server", &stage.server.url()]).starts();
    let item = send.event("offered")["id"].clone();
    let link = send.event("beam")["link"].as_str().unwrap().to_owned();
    let hostile = HostileServer::before(&stage.server);
    lets_through(&hostile, 0);
    let words = [&RELAY[..], &["--wait"]].concat();
    let mut receive = stage.receives(&hostile.link(&link), &words).starts();
    for percent in [1, 50, 99] {
        let end = lets_through(&hostile, percent);
        while receive.event("receiving")["bytes"].as_u64().unwrap() + 4 * (CHUNK as u64) < end {}
        send.is_killed();
        send = sends(&["--once"]).link(&link).starts();
        assert_eq!(send.event("offered")["id"], item);
    }
    lets_through(&hostile, 101);
    let done = loop {
        let event = receive.event("receiving");
        if event["state"] == "done" {
            break event;
        }
    };
    let twice = done["twice"].as_u64().unwrap();
    assert!(twice <= WINDOW, "{twice} once more");
    assert_eq!((receive.ends(), send.ends()), (0, 0));
    stage.has("large", &bytes);
    assert_eq!(stage.names(), ["large"]);
}

#[test]
fn ctrl_c_ends_a_program_also_while_its_disk_does_not_answer() {
    let stage = Stage::new();
    let (_copy, link) = copies(&stage.server.url(), b"a text");
    let home = stage.folder.path().join("state");
    let folder = home.join("heliograph/received");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).unwrap();
    let lock = fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let words = ["join", "--stay", "--json", "--no-direct"];
    let home = home.to_str().unwrap();
    let mut join = program(&words).link(&link).env("XDG_STATE_HOME", home).starts();
    join.event("text");
    // So that a program that waits for it ends too.
    let is_free = Arc::new(AtomicBool::new(false));
    let frees = is_free.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_mins(1));
        frees.store(true, Ordering::SeqCst);
        drop(lock);
    });
    join.is_interrupted();
    assert_eq!(join.ends(), 130);
    assert!(!is_free.load(Ordering::SeqCst), "it has waited for its disk");
}
