//! Names, files and disks with which something is wrong.

use std::fs;
use std::io::Write as _;
use std::process::Command;

use crate::hostile_server::{HostileServer, is};
use crate::relayed::chunks_of;
use crate::stage::{MIB, RELAY, Stage, first_event, sample};

/// Lets all items of a beam in clear text bear this name.
fn renames(hostile: &HostileServer, name: String) {
    hostile.changes_down(move |mut message| {
        if is("sync")(&message) {
            for item in message["message"]["items"].as_array_mut().unwrap() {
                item["message"]["file"]["name"] = name.as_str().into();
            }
        }
        Some(message)
    });
}

#[test]
fn f24_a_file_with_a_name_of_3_kb_comes_under_one_that_the_disk_takes_and_one_of_4_kb_is_none() {
    let stage = Stage::new();
    let path = stage.file("a", b"bytes");
    let (mut send, link) =
        stage.sends(&[&[path.as_str(), "--once", "--clear"], &RELAY[..]].concat());
    let hostile = HostileServer::before(&stage.server);
    let words = [&["--clear"], &RELAY[..]].concat();
    renames(&hostile, "n".repeat(4096));
    stage.receives(&hostile.link(&link), &words).ends().is(3, "no file");
    // Of three bytes each.
    renames(&hostile, format!("{}.txt", "\u{5b57}".repeat(1000)));
    stage.receives(&hostile.link(&link), &words).ends().is(0, "");
    let names = stage.names();
    assert!(
        names.len() == 1 && names[0].starts_with('\u{5b57}') && names[0].len() <= 255,
        "{names:?}"
    );
    stage.has(&names[0], b"bytes");
    assert_eq!(send.ends(), 0);
}

#[test]
fn a_sparse_file_comes_as_the_zeros_that_it_is_read_as() {
    let stage = Stage::new();
    let path = stage.file("sparse", b"begin");
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(3 * MIB as u64).unwrap();
    let (mut send, link) = stage.sends(&[&[path.as_str(), "--once"], &RELAY[..]].concat());
    stage.receives(&link, &RELAY).ends().is(0, "");
    stage.has("sparse", &[b"begin".to_vec(), vec![0; 3 * MIB - 5]].concat());
    assert_eq!(send.ends(), 0);
}

#[test]
fn f17_a_file_that_changes_while_it_is_sent_comes_nowhere_and_both_ends_say_so() {
    let stage = Stage::new();
    let path = stage.file("diary", &sample(8 * MIB));
    let (mut send, link) = stage.sends(&[&[path.as_str()], &RELAY[..]].concat());
    let hostile = HostileServer::before(&stage.server);
    // Its first chunks come, and no more before it has changed.
    hostile.changes_frames(|frame| {
        if chunks_of(&frame).any(|(place, _)| place >= 64) { vec![] } else { vec![frame] }
    });
    let receive = stage.receives(&hostile.link(&link), &RELAY).starts();
    while receive.event("receiving")["bytes"].as_u64().unwrap() == 0 {}
    fs::write(&path, sample(8 * MIB - 1)).unwrap();
    hostile.changes_frames(|frame| vec![frame]);
    let error = receive.event("error");
    assert_eq!(error["exit"], 1, "{error}");
    assert!(
        error["message"].as_str().unwrap().contains("the other device has it no more"),
        "{error}"
    );
    assert!(!stage.received().join("diary").exists());
    assert_eq!(send.ends(), 1);
    send.says("it has changed, or cannot be read any more");
}

/// A disk of its own, where the test may mount one.
struct Disk(std::path::PathBuf);

impl Disk {
    fn mount(stage: &Stage, options: &str) -> Option<Self> {
        fs::create_dir(stage.received()).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]);
        let mount = mount.arg(stage.received()).output();
        mount.is_ok_and(|done| done.status.success()).then(|| Self(stage.received()))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_file_that_is_larger_than_the_disk_is_not_begun_and_another_one_comes() {
    let stage = Stage::new();
    let Some(_disk) = Disk::mount(&stage, "size=4m") else { return };
    let paths = [stage.file("large", &sample(5 * MIB)), stage.file("small", b"bytes")];
    let words = [&[paths[0].as_str(), &paths[1], "--once"], &RELAY[..]].concat();
    let (_send, link) = stage.sends(&words);
    let receive = stage.receives(&link, &RELAY).ends();
    let said = "Not received: large (it is larger than what is free on this device's disk).";
    receive.is(1, said);
    // A person reads it once, and a program in the event that ends it all.
    assert_eq!(receive.err.matches("Not received").count(), 1, "{}", receive.err);
    assert_eq!(first_event(receive.text(), "error")["message"], said);
    assert_eq!(stage.names(), ["small"]);
}

#[test]
fn a_disk_that_is_full_is_said_to_be_the_one_of_this_device() {
    let stage = Stage::new();
    let Some(_disk) = Disk::mount(&stage, "size=16m") else { return };
    let other = stage.received().join("other");
    let path = stage.file("film", &sample(12 * MIB));
    let (_send, link) = stage.sends(&[&[path.as_str()], &RELAY[..]].concat());
    let hostile = HostileServer::before(&stage.server);
    // Something else takes the room when a part of it is here.
    hostile.changes_frames(move |frame| {
        if chunks_of(&frame).any(|(place, _)| place == 64) {
            let mut other = fs::File::create(&other).unwrap();
            while other.write_all(&[0; 4096]).is_ok() {}
        }
        vec![frame]
    });
    let words = [&["--quiet"], &RELAY[..]].concat();
    let receive = stage.receives(&hostile.link(&link), &words).ends();
    let said =
        "Not received: film (this device's disk is full: free some space and receive again).";
    receive.is(1, said);
    assert_eq!(receive.err.matches("Not received").count(), 1, "{}", receive.err);
    assert_eq!(first_event(receive.text(), "error")["message"], said);
}

#[test]
fn a_folder_that_may_not_be_written_to_is_said() {
    let stage = Stage::new();
    let Some(_disk) = Disk::mount(&stage, "ro") else { return };
    let path = stage.file("a", b"bytes");
    let (_send, link) = stage.sends(&[&[path.as_str()], &RELAY[..]].concat());
    stage.receives(&link, &RELAY).ends().is(1, "Not received: a");
    assert_eq!(stage.names(), [""; 0]);
}
