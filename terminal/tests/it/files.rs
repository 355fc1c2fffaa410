//! Files go from one process to another.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::people::deletes;
use crate::program::{Running, program};
use crate::stage::{DIRECT, MIB, RELAY, Stage, done, first_event, sample};

#[track_caller]
fn goes(stage: &Stage, ways: &[&str], via: &str) {
    let bytes = sample(5 * MIB + 123);
    let path = stage.file("Grüße 👩‍👩‍👧.bin", &bytes);
    let (mut send, link) = stage.sends(&[&[path.as_str(), "--once"], ways].concat());
    let receive = stage.receives(&link, ways).ends();
    receive.is(0, "");
    stage.has("Grüße 👩‍👩‍👧.bin", &bytes);
    assert_eq!(stage.names().len(), 1, "nothing unfinished is left");
    let done = done(receive.text());
    assert_eq!((&done["via"], &done["twice"]), (&via.into(), &0.into()));
    assert_eq!(send.ends(), 0);
}

#[test]
fn a_file_goes_directly() {
    // Where the machine stands still, a direct way is so slow that the server would help (R6).
    goes(&Stage::with(&["--relay", "off"]), &DIRECT, "direct");
}

#[test]
fn r1_a_file_goes_through_the_server_where_nothing_goes_directly() {
    goes(&Stage::new(), &RELAY, "relay");
}

#[test]
fn f14_files_that_are_named_together_all_come_and_an_empty_one_too() {
    let stage = Stage::new();
    let (one, other) = (sample(MIB), sample(70_001));
    let paths = [stage.file("a.bin", &one), stage.file("b", &other), stage.file("empty.txt", b"")];
    let paths: Vec<_> = paths.iter().map(String::as_str).collect();
    let (mut send, link) = stage.sends(&[&paths[..], &["--once"], &DIRECT].concat());
    stage.receives(&link, &DIRECT).ends().is(0, "");
    stage.has("a.bin", &one);
    stage.has("b", &other);
    stage.has("empty.txt", b"");
    assert_eq!(send.ends(), 0);
}

#[test]
fn f16_a_folder_comes_with_all_that_is_in_it() {
    let stage = Stage::new();
    stage.file("album/first.txt", b"one");
    stage.file("album/deep/er/second.bin", &sample(300_000));
    stage.file("album/empty", b"");
    let album = stage.folder.path().join("from/album");
    fs::create_dir(album.join("nothing here")).unwrap();
    let (mut send, link) =
        stage.sends(&[&[album.to_str().unwrap(), "--once"], &DIRECT[..]].concat());
    stage.receives(&link, &DIRECT).ends().is(0, "");
    stage.has("album/first.txt", b"one");
    stage.has("album/deep/er/second.bin", &sample(300_000));
    stage.has("album/empty", b"");
    assert!(fs::read_dir(stage.received().join("album/nothing here")).unwrap().next().is_none());
    assert_eq!(send.ends(), 0);
}

#[test]
fn what_is_there_is_never_replaced() {
    let stage = Stage::new();
    let path = stage.file("notes.txt", b"theirs");
    fs::create_dir(stage.received()).unwrap();
    fs::write(stage.received().join("notes.txt"), b"mine").unwrap();
    let (mut send, link) = stage.sends(&[&[path.as_str(), "--once"], &RELAY[..]].concat());
    stage.receives(&link, &RELAY).ends().is(0, "");
    stage.has("notes.txt", b"mine");
    let names = stage.names();
    assert_eq!(names.len(), 2, "{names:?}");
    let other = names.iter().find(|name| *name != "notes.txt").unwrap();
    stage.has(other, b"theirs");
    assert_eq!(send.ends(), 0);
}

#[cfg(unix)]
#[test]
fn f24_a_hostile_name_stays_within_the_folder_and_out_of_the_terminal() {
    let stage = Stage::new();
    let path = stage.file("..\\..\\x\x1b[31m\u{202e}gpj.exe", b"bytes");
    let (mut send, link) = stage.sends(&[&[path.as_str(), "--once"], &RELAY[..]].concat());
    let receive = stage.receives(&link, &RELAY).ends();
    receive.is(0, "");
    assert_eq!(stage.names(), [".._.._x_[31m_gpj.exe"]);
    assert!(!receive.text().contains(['\x1b', '\u{202e}']));
    assert_eq!(send.ends(), 0);
}

#[test]
fn what_is_sent_once_is_done_where_a_device_has_all_that_nobody_has_deleted() {
    let stage = Stage::new();
    let bytes = sample(200_000);
    let paths = [stage.file("kept", &bytes), stage.file("deleted", b"x")];
    let paths: Vec<_> = paths.iter().map(String::as_str).collect();
    let url = stage.server.url();
    let words = [&["send", "--json", "--once", "--server", &url], &paths[..], &RELAY].concat();
    let mut send = program(&words).starts();
    let offered = [send.event("offered"), send.event("offered")];
    let link = send.event("beam")["link"].as_str().unwrap().to_owned();
    let id = |file: &str| {
        let one = offered.iter().find(|one| one["file"] == file).unwrap();
        one["id"].as_str().unwrap().to_owned()
    };
    let into = stage.received();
    let words = ["join", "--json", "--stay", "--no-direct", "--into", into.to_str().unwrap()];
    let mut join = program(&words).link(&link).starts();
    while join.event("file")["id"] != id("kept").as_str() {}
    join.types(&format!("/take {}", id("kept")));
    while send.event("sending")["state"] != "done" {}
    deletes(&link, &id("deleted"));
    assert_eq!(send.ends(), 0);
    stage.has("kept", &bytes);
}

#[test]
fn a_file_goes_to_every_device_that_comes() {
    let stage = Stage::new();
    let bytes = sample(200_000);
    let path = stage.file("a", &bytes);
    let (send, link) = stage.sends(&[&[path.as_str()], &RELAY[..]].concat());
    for folder in ["one", "other"] {
        let into = stage.folder.path().join(folder);
        let receive = program(&["receive", "-", into.to_str().unwrap(), "--no-direct"]);
        let receive = receive.ends_with(link.as_bytes());
        receive.is(0, "");
        let placed = into.canonicalize().unwrap().join("a");
        assert_eq!(receive.text(), format!("{}\n", placed.display()));
        assert!(fs::read(placed).unwrap() == bytes);
    }
    send.is_interrupted();
}

#[test]
fn what_an_earlier_run_has_put_elsewhere_is_said_and_not_copied() {
    let stage = Stage::new();
    let path = stage.file("a", b"bytes");
    let (_send, link) = stage.sends(&[&[path.as_str()], &RELAY[..]].concat());
    stage.receives(&link, &RELAY).ends().is(0, "");
    let memory = stage.folder.path().join("state");
    let other = stage.folder.path().join("other");
    let receive = program(&["receive", "--no-direct", "--into", other.to_str().unwrap()]);
    let receive = receive.link(&link).env("XDG_STATE_HOME", memory.to_str().unwrap()).ends();
    receive.is(0, "An earlier run has put this elsewhere: /");
}

#[test]
fn a_receiver_waits_for_a_sender_that_has_lost_the_server_too() {
    let mut stage = Stage::new();
    let bytes = sample(16 * MIB);
    let path = stage.file("large", &bytes);
    let (_send, link) = stage.sends(&[&[path.as_str()], &RELAY[..]].concat());
    let mut receive = stage.receives(&link, &RELAY).starts();
    receive.event("receiving");
    stage.server.restarts();
    assert_eq!(receive.ends(), 0);
    stage.has("large", &bytes);
}

#[test]
fn what_cannot_be_sent_or_received_is_said_with_its_exit_code() {
    let stage = Stage::new();
    let url = stage.server.url();
    program(&["send", "--server", &url, "/no/such/file"]).ends().is(1, "not found");
    let (_join, link) = crate::program::copies(&url, b"a text");
    stage.receives(&link, &RELAY).ends().is(3, "no file");
    let file = stage.file("a", b"");
    program(&["receive", "-", &file]).ends_with(link.as_bytes()).is(1, "it is no folder");
}

#[test]
fn what_is_no_file_is_left_out_with_a_word_and_the_rest_is_sent() {
    let stage = Stage::new();
    let file = stage.file("a", b"bytes");
    let socket = stage.folder.path().join("from/socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let socket = socket.to_str().unwrap();
    let (mut send, link) =
        stage.sends(&[&[socket, &file, "/no/such/file", "--once"], &RELAY[..]].concat());
    send.says("socket (neither a file nor a folder)");
    send.says("Left out: /no/such/file (not found)");
    stage.receives(&link, &RELAY).ends().is(0, "");
    assert_eq!(stage.names(), ["a"]);
    assert_eq!(send.ends(), 0);
    let alone = program(&["send", "--server", &stage.server.url(), socket]).ends();
    alone.is(3, "There is nothing to send");
}

#[test]
fn h32_files_that_the_server_keeps_come_when_no_device_is_there() {
    let stage = Stage::new();
    let (large, small) = (sample(5 * MIB + 3), sample(16_384));
    let paths =
        [stage.file("large", &large), stage.file("small", &small), stage.file("empty", b"")];
    let mut words = vec!["--keep", "1h", "--no-direct"];
    words.extend(paths.iter().map(String::as_str));
    let (mut send, link) = stage.sends(&words);
    assert_eq!(send.ends(), 0);
    stage.receives(&link, &[&RELAY[..], &["--wait"]].concat()).ends().is(0, "");
    stage.has("large", &large);
    stage.has("small", &small);
    stage.has("empty", b"");
}

#[test]
fn a_receiver_that_is_killed_goes_on_where_it_was() {
    before_it_is_done(|| goes_on(Running::is_killed, -1));
}

#[test]
fn a_receiver_that_is_interrupted_goes_on_where_it_was() {
    before_it_is_done(|| goes_on(|receive| receive.is_interrupted(), 130));
}

/// Does something to a direct transfer while it goes on, and anew where all had come before: nothing makes a direct way slow.
fn before_it_is_done(is_in_time: impl Fn() -> bool) {
    assert!((0..5).any(|_| is_in_time()), "it is too fast for this test");
}

fn bytes_of(event: &Value) -> u64 {
    event["bytes"].as_u64().unwrap()
}

/// Waits for an event of a transfer. Returns `None` where the transfer is done before.
#[track_caller]
fn before_done(receive: &Running, is_wanted: impl Fn(&Value) -> bool) -> Option<Value> {
    loop {
        let event = receive.event("receiving");
        if event["state"] == "done" {
            return None;
        }
        if is_wanted(&event) {
            return Some(event);
        }
    }
}

/// A server that makes a transfer last so long that something surely happens to it while it goes on.
const SLOW: [&str; 2] = ["--relay-device-rate", "4MiB"];

/// Most bytes that may come once more: the largest window (F4).
const WINDOW: u64 = 32 * MIB as u64;

/// Stops a receiver, which ends with this code then. Returns whether it was stopped before it was done.
fn goes_on(stop: impl Fn(&mut Running), code: i32) -> bool {
    let stage = Stage::new();
    let bytes = sample(96 * MIB);
    let path = stage.file("large", &bytes);
    let (mut send, link) = stage.sends(&[&[path.as_str(), "--once"], &DIRECT[..]].concat());
    let mut receive = stage.receives(&link, &DIRECT).starts();
    // So early that it does not end before it is stopped, however fast the way is.
    let some = bytes.len() as u64 / 8;
    let Some(event) = before_done(&receive, |event| bytes_of(event) >= some) else {
        return false;
    };
    let reached = bytes_of(&event);
    stop(&mut receive);
    let ended = receive.ends();
    if stage.received().join("large").exists() {
        return false;
    }
    assert_eq!(ended, code);

    let receive = stage.receives(&link, &DIRECT).ends();
    receive.is(0, "");
    stage.has("large", &bytes);
    let kept = first_event(receive.text(), "receiving")["bytes"].as_u64().unwrap();
    let twice = done(receive.text())["twice"].as_u64().unwrap();
    assert!(reached - kept.min(reached) + twice < WINDOW, "{reached} before, {kept} kept");
    assert_eq!(send.ends(), 0);
    true
}

#[test]
fn a_file_is_sent_again_after_its_sender_was_killed() {
    assert!(sent_again(&Stage::with(&SLOW), &RELAY));
}

#[test]
fn a_file_is_sent_again_directly_after_its_sender_was_killed() {
    before_it_is_done(|| sent_again(&Stage::new(), &DIRECT));
}

/// Kills a sender. Returns whether that was before all had come.
fn sent_again(stage: &Stage, ways: &[&str]) -> bool {
    let bytes = sample(48 * MIB);
    let path = stage.file("large", &bytes);
    let (mut send, link) = stage.sends(&[&[path.as_str()], ways].concat());
    let receive = stage.receives(&link, &[ways, &["--stay"]].concat()).starts();
    if before_done(&receive, |event| bytes_of(event) >= 10 * MIB as u64).is_none() {
        return false;
    }
    send.is_killed();
    if before_done(&receive, |event| event["state"] == "parked").is_none() {
        return false;
    }

    let again = [&["send", "--once", path.as_str()], ways].concat();
    program(&again).link(&link).ends().is(0, "");
    receive.event("received");
    stage.has("large", &bytes);
    assert!(Path::new(&path).exists());
    true
}

/// A sender that is started again after it was killed at the half, with the receiver or without it. Through the server, a window has at
/// most 4 MiB (F4).
#[track_caller]
fn sender_goes_on(is_receiver_killed: bool) {
    let stage = Stage::with(&SLOW);
    let bytes = sample(48 * MIB);
    let path = stage.file("large", &bytes);
    let (url, memory) = (stage.server.url(), stage.folder.path().join("sender"));
    let sends = |words: &[&str]| stage.sender(&[&["--no-direct", &path], words].concat());
    let receives = |link: &str| stage.receives(link, &["--no-direct", "--wait"]);
    let mut send = sends(&["--server", &url]).starts();
    let item = send.event("offered")["id"].clone();
    let link = send.event("beam")["link"].as_str().unwrap().to_owned();
    let mut receive = receives(&link).starts();
    while bytes_of(&receive.event("receiving")) < bytes.len() as u64 / 2 {}
    send.is_killed();
    if is_receiver_killed {
        receive.is_killed();
    } else {
        while receive.event("receiving")["state"] != "parked" {}
    }

    let mut send = sends(&["--once"]).link(&link).starts();
    assert_eq!(send.event("offered")["id"], item);
    send.event("shared");
    if is_receiver_killed {
        receive = receives(&link).starts();
    }
    let done = loop {
        let event = receive.event("receiving");
        if event["state"] == "done" {
            break event;
        }
    };
    let twice = done["twice"].as_u64().unwrap();
    assert!(twice <= 4 * MIB as u64, "{twice} once more");
    assert_eq!((receive.ends(), send.ends()), (0, 0));
    assert_eq!(stage.names(), ["large"]);
    stage.has("large", &bytes);
    let kept = fs::read_dir(memory.join("heliograph/shared")).unwrap();
    let kept = kept.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(kept.into_iter().all(|name| name == "lock"), "it forgets what is done");
}

#[test]
fn f17_a_sender_that_was_killed_goes_on_under_the_same_item() {
    sender_goes_on(false);
}

#[test]
fn e15_f17_both_ends_go_on_after_both_were_killed() {
    sender_goes_on(true);
}

/// Who is there already asks for it as soon as it sees the device.
#[test]
fn f17_what_an_earlier_run_has_shared_is_offered_before_its_device_is_in_the_beam() {
    let mut stage = Stage::new();
    let path = stage.file("small", b"small");
    let mut send = stage.sender(&[&path, "--server", &stage.server.url()]).starts();
    let item = send.event("offered")["id"].clone();
    let link = send.event("beam")["link"].as_str().unwrap().to_owned();
    send.is_killed();
    stage.server.dies();
    let mut send = stage.sender(&[&path]).link(&link).starts();
    assert_eq!(send.event("offered")["id"], item);
    assert_eq!(send.ends(), 5);
}

#[test]
fn f18_a_file_is_taken_paused_and_cancelled_by_what_is_typed() {
    let stage = Stage::with(&SLOW);
    let bytes = sample(48 * MIB);
    let (path, other) = (stage.file("large", &bytes), stage.file("other", &bytes));
    let (mut send, link) = stage.sends(&[&path, &other, "--no-direct"]);
    let into = stage.received();
    let words = ["join", "--json", "--no-direct", "--into", into.to_str().unwrap()];
    let mut join = program(&words).link(&link).starts();
    let named = |event: &Value| event["id"].as_str().unwrap().to_owned();
    let (first, second) = (named(&join.event("file")), named(&join.event("file")));
    let wait_for = |join: &Running, id: &str, state: &str| loop {
        let event = join.event("receiving");
        // What had come before something was typed is never paused or cancelled.
        assert!(event["state"] != "done" || state == "done", "it is too fast for this test");
        if (&event["id"], &event["state"]) == (&id.into(), &state.into()) {
            break;
        }
    };
    join.types("/take 1");
    wait_for(&join, &first, "moving");
    join.types("/pause 1");
    wait_for(&join, &first, "paused");
    join.types(&format!("/take {second}"));
    wait_for(&join, &second, "moving");
    join.types("/cancel 2");
    wait_for(&join, &second, "cancelled");
    join.types("/resume 1");
    // It waits until what was taken has come.
    join.input_ends();
    wait_for(&join, &first, "done");
    assert_eq!(join.ends(), 0);
    assert_eq!(stage.names().len(), 1);
    send.is_killed();
}
