//! Devices that come without the link (E8): by the id of the beam or a short code.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::program::{Running, copies, program};
use crate::server::Server;

fn id_in(link: &str) -> String {
    let (_, id) = link.split_once("beam_id=").unwrap();
    id.split('#').next().unwrap().to_owned()
}

/// Waits until it is known of a device that it stands so.
#[track_caller]
fn compared(device: &Running, trust: &str, is_in: bool) -> Value {
    loop {
        let event = device.event("compared");
        if event["trust"] == trust && event["is_in"] == is_in {
            return event;
        }
    }
}

fn script(folder: &tempfile::TempDir, exit: u8) -> PathBuf {
    let (path, text_path) = (folder.path().join("compares"), folder.path().join("compares.txt"));
    let text = format!("#!/bin/sh\necho \"$@\" > {}/asked\nexit {exit}\n", folder.path().display());
    fs::write(&text_path, text).unwrap();
    // A process that another test starts at this moment has what this one has open for writing, and such a file cannot be run.
    let copied = Command::new("cp").args([&text_path, &path]).status().unwrap();
    assert!(copied.success());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    path
}

#[test]
fn e8_a_short_code_leads_to_a_text_and_both_devices_show_the_same_pictures() {
    let server = Server::start();
    let url = server.url();
    let mut copy = program(&["copy", "--json", "--code", "--text", "mine"])
        .env("HELIOGRAPH_SERVER", &url)
        .starts();
    let code = copy.event("code")["code"].as_str().unwrap().to_lowercase();
    let paste = program(&["paste", "--json", "--server", &url, "-"]).ends_with(code.as_bytes());
    paste.is(0, "");
    let events = paste.text().lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let events: Vec<_> = events.collect();
    assert_eq!(events.last().unwrap()["text"], "mine");
    let shown = events.iter().rfind(|event| event["event"] == "compared").unwrap();
    let here = compared(&copy, "unverified", true);
    assert_eq!(here["pictures"], shown["pictures"]);
    assert_eq!(here["pictures"].as_array().unwrap().len(), 4);
    assert_eq!(copy.ends(), 0);
}

#[test]
fn e8_with_verify_nothing_is_taken_or_shared_before_people_on_both_ends_have_compared() {
    let server = Server::start();
    let url = server.url();
    let (mut copy, link) = copies(&url, b"begun");
    let mut ada = program(&["join", "--json", "--stay", "--name", "Ada"]).link(&link).starts();
    ada.event("text");
    assert_eq!(copy.ends(), 0);
    let words = ["join", "--json", "--verify", "--server", &url, &id_in(&link)];
    let mut bob = program(&words).starts();
    bob.types("early");
    let asks = compared(&ada, "asking", false);
    ada.types("/match");
    let shows = compared(&bob, "unverified", true);
    assert_eq!(asks["pictures"], shows["pictures"]);
    bob.types("/match");
    let before = bob.lines_until(r#"{"event":"text""#);
    assert!(before.iter().any(|line| line.contains(r#""trust":"verified""#)), "{before:?}");
    let told = ada.lines_until("early");
    assert!(told.iter().any(|line| line.contains(r#""trust":"verified""#)), "{told:?}");
}

#[test]
fn e8_with_verify_no_file_is_offered_before_people_have_compared() {
    let server = Server::start();
    let url = server.url();
    let (_copy, link) = copies(&url, b"begun");
    let mut ada = program(&["join", "--json", "--stay"]).link(&link).starts();
    ada.event("text");
    let folder = tempfile::tempdir().unwrap();
    let (file, compares) = (folder.path().join("film.bin"), script(&folder, 1));
    fs::write(&file, "a film").unwrap();
    let [file, compares] = [&file, &compares].map(|path| path.to_str().unwrap());
    let to = ["--server", &url, "--to", &id_in(&link), "--compare-by", compares];
    let mut send = program(&["send", "--json", "--verify", "--no-direct", file]).args(&to).starts();
    compared(&ada, "asking", false);
    ada.types("/match");
    assert_eq!(send.ends(), 13);
    program(&["copy", "--text", "what comes next"]).link(&link).ends().is(0, "");
    let told = ada.lines_until("what comes next");
    assert!(!told.iter().any(|line| line.contains("film.bin")), "{told:?}");
}

#[test]
fn e8_a_program_compares_in_place_of_the_terminal() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let (file, into) = (folder.path().join("film.bin"), folder.path().join("into"));
    fs::write(&file, "a film").unwrap();
    for exit in [0, 1] {
        let compares = script(&folder, exit);
        let [file, compares, into] = [&file, &compares, &into].map(|path| path.to_str().unwrap());
        let mut send = program(&["send", "--json", "--once", "--code", "--verify", file])
            .env("HELIOGRAPH_SERVER", &server.url())
            .args(&["--compare-by", compares, "--no-direct"])
            .starts();
        let code = send.event("code")["code"].as_str().unwrap().to_owned();
        let words = ["receive", "--server", &server.url(), &code, into, "--no-direct"];
        let mut receive = program(&words).args(&["--name", "Bob's desk"]).starts();
        if exit == 0 {
            receive.prints("film.bin");
            assert_eq!((receive.ends(), send.ends()), (0, 0));
        } else {
            receive.says("does not let this device in");
        }
        let asked = fs::read_to_string(folder.path().join("asked")).unwrap();
        assert!(asked.ends_with(" Bob's desk\n") && asked.split(' ').count() >= 6, "{asked}");
    }
    assert_eq!(fs::read_to_string(into.join("film.bin")).unwrap(), "a film");
}

#[test]
fn e8_pictures_that_differ_end_a_device_that_verifies_with_13() {
    let server = Server::start();
    let url = server.url();
    let (copy, link) = copies(&url, b"begun");
    let mut bob =
        program(&["join", "--json", "--verify", "--server", &url, &id_in(&link)]).starts();
    compared(&copy, "unverified", true);
    compared(&bob, "unverified", true);
    bob.types("/refuse");
    bob.says("The pictures differ");
    assert_eq!(bob.ends(), 13);
}

#[test]
fn a_terminal_shows_the_marks_of_devices_and_pictures_with_their_names() {
    let server = Server::start();
    let url = server.url();
    let (mut copy, link) = copies(&url, b"begun");
    let mut ada = program(&["join", "--stay", "--name", "Ada"]).link(&link).starts();
    ada.prints("begun");
    assert_eq!(copy.ends(), 0);
    let bob =
        program(&["join", "--stay", "--name", "Bob", "--server", &url, &id_in(&link)]).starts();
    bob.says("Compare these pictures");
    let pictures = bob.says("   ");
    ada.prints("* Bob (wants to come in)");
    ada.says("Bob wants to come in");
    assert_eq!(ada.says("   "), pictures);
    assert!(pictures.chars().filter(char::is_ascii_alphabetic).count() >= 12, "{pictures}");
    ada.says("/match, else /refuse");
    ada.types("/match");
    ada.prints("* Bob (verified)");
    bob.prints("* Ada (not verified)");
}

#[test]
fn e8_a_device_that_was_compared_in_an_earlier_run_is_verified_again_unless_it_has_another_key() {
    let server = Server::start();
    let url = server.url();
    let (mut copy, link) = copies(&url, b"begun");
    let mut ada = program(&["join", "--json", "--stay", "--name", "Ada"]).link(&link).starts();
    ada.event("text");
    assert_eq!(copy.ends(), 0);
    let state = tempfile::tempdir().unwrap();
    let bob = |words: &[&str]| {
        program(&[&["join", "--json", "--stay"], words].concat())
            .env("XDG_STATE_HOME", state.path().to_str().unwrap())
    };
    let mut first = bob(&["--server", &url, &id_in(&link)]).starts();
    compared(&ada, "asking", false);
    ada.types("/match");
    compared(&first, "unverified", true);
    first.types("/match");
    compared(&first, "verified", true);
    // What both say of themselves has come then. No picture is called as these texts are.
    first.types("marmalade");
    ada.prints("marmalade");
    ada.types("oat milk");
    first.prints("oat milk");
    first.is_killed();

    let second = bob(&[]).link(&link).starts();
    compared(&second, "verified", true);
    drop(second);

    let folder = state.path().join("heliograph/compared");
    let mut files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let path = files.find(|path| path.extension().is_none()).unwrap();
    let mut kept: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    for key in kept.as_object_mut().unwrap().values_mut() {
        *key = "A".repeat(87).into();
    }
    fs::write(&path, kept.to_string()).unwrap();
    let third = bob(&[]).link(&link).starts();
    assert_eq!(third.event("other_key")["name"], "Ada");
    compared(&third, "unverified", true);
}
