//! A text goes from one process to another.

use crate::program::{copies, program, random_text};
use crate::server::Server;

#[test]
fn a_text_is_copied_by_one_process_and_pasted_by_another() {
    let server = Server::start();
    let mut copy = program(&["copy", "--server", &server.url(), "--text", "Oat milk"]).starts();
    let link = copy.says("/?beam_id=");
    assert!(link.contains("#k="), "sealed, as every beam is unless somebody says otherwise");
    copy.says("nobody else has the keys");

    let paste = program(&["paste"]).link(&link).ends();
    paste.is(0, "");
    assert_eq!(paste.text(), "Oat milk");
    assert_eq!(copy.ends(), 0);
}

#[test]
fn a_pipe_gets_the_bytes_that_another_pipe_gave() {
    let server = Server::start();
    let escapes = "\x1b[31mred\x1b[0m\x07 \u{9b}2J \u{202e}gpj";
    let others = ["Grüße, 世界 👩‍👩‍👧 سلام\r\n\r\n", "\n", " tabs\t\0 and nothing else ", "\u{feff}bom"];
    for text in [escapes].into_iter().chain(others) {
        let (mut copy, link) = copies(&server.url(), text.as_bytes());
        assert_eq!(program(&["paste", "-"]).ends_with(link.as_bytes()).text(), text);
        assert_eq!(copy.ends(), 0);
    }
}

#[test]
fn a_text_of_150_kb_arrives_and_one_of_1_mb_comes_as_a_file() {
    let server = Server::start();
    let (long, longer) = (random_text(75_000), random_text(500_000));
    let (mut copy, link) = copies(&server.url(), long.as_bytes());
    assert!(program(&["paste"]).link(&link).ends().text() == long);
    assert_eq!(copy.ends(), 0);

    let folder = tempfile::tempdir().unwrap();
    let mut copy = program(&["copy", "--json", "--no-direct", "--server", &server.url()]).starts();
    copy.gets(longer.as_bytes());
    let link = copy.event("beam")["link"].as_str().unwrap().to_owned();
    let into = folder.path().to_str().unwrap();
    program(&["receive", "--no-direct", "--into", into]).link(&link).ends().is(0, "");
    let come = std::fs::read_to_string(folder.path().join("Text.txt")).unwrap();
    assert!(come == longer);
    assert_eq!(copy.ends(), 0);
}

#[test]
fn a_text_that_is_too_long_to_be_read_is_not_cut() {
    let server = Server::start();
    let url = server.url();
    let copy = program(&["copy", "--server", &url]).ends_with(&vec![b'a'; (16 << 20) + 1]);
    copy.is(9, "longer than 16 MiB");
    assert!(!copy.err.contains("/?beam_id="), "{}", copy.err);
}

#[test]
fn s30_a_text_that_the_server_keeps_is_there_when_no_device_is() {
    let server = Server::start();
    let words = ["copy", "--json", "--keep", "24h", "--text", "kept", "--server", &server.url()];
    let copy = program(&words).ends();
    copy.is(0, "");
    let events = copy.text().lines().map(|line| serde_json::from_str(line).unwrap());
    let events: Vec<serde_json::Value> = events.collect();
    assert!(events.iter().any(|event| event["event"] == "kept"));
    let beam = events.iter().find(|event| event["event"] == "beam").unwrap();
    let paste = program(&["paste"]).link(beam["link"].as_str().unwrap()).ends();
    paste.is(0, "");
    assert_eq!(paste.text(), "kept");
    assert_eq!(paste.err, "", "the keys are kept too, so nobody is waited for");
}

#[test]
fn s30_a_text_for_a_beam_that_is_kept_waits_for_nobody() {
    let server = Server::start();
    for clear in [&[][..], &["--clear"]] {
        let url = server.url();
        let first = ["copy", "--json", "--keep", "24h", "--text", "first", "--server", &url];
        let first = program(&[&first[..], clear].concat()).ends();
        first.is(0, "");
        let events = first.text().lines().map(|line| serde_json::from_str(line).unwrap());
        let events: Vec<serde_json::Value> = events.collect();
        let beam = events.iter().find(|event| event["event"] == "beam").unwrap();
        let link = beam["link"].as_str().unwrap();
        program(&[&["copy", "--text", "second"][..], clear].concat()).link(link).ends().is(0, "");
        let paste = program(&[&["paste"][..], clear].concat()).link(link).ends();
        assert_eq!((paste.code, paste.text()), (0, "second"));
    }
}

#[test]
fn without_a_desktop_there_is_no_clipboard() {
    let server = Server::start();
    program(&["copy", "--clipboard", "--server", &server.url()]).ends().is(1, "no clipboard");
    let (_copy, link) = copies(&server.url(), b"a text");
    program(&["paste", "--clipboard"]).link(&link).ends().is(1, "no clipboard");
}

#[test]
fn s28_a_text_survives_a_restart_of_the_server_before_anybody_has_it() {
    let mut server = Server::start();
    let (mut copy, link) = copies(&server.url(), b"still here");
    server.restarts();
    copy.event("status");
    while copy.event("status")["status"] != "live" {}

    let paste = program(&["paste", "--wait"]).link(&link).ends();
    assert_eq!((paste.code, paste.text()), (0, "still here"));
    assert_eq!(copy.ends(), 0);
}

#[test]
fn the_newest_text_is_pasted_and_as_json_with_who_shared_it() {
    let server = Server::start();
    let (mut first, link) = copies(&server.url(), b"older");
    let watch = program(&["join", "--stay", "--json"]).link(&link).starts();
    watch.event("text");
    assert_eq!(first.ends(), 0);
    // With a link, nobody has to be waited for: there is a device that has the keys.
    let second = program(&["copy", "--name", "Ada's desk"]).link(&link).ends_with(b"newer");
    second.is(0, "");

    let paste = program(&["paste", "--json"]).link(&link).ends();
    // Scripts may take the last line.
    let json = paste.text().lines().last().unwrap();
    let told: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(told["event"], "text");
    assert_eq!(told["text"], "newer");
    assert_eq!(told["is_clear"], false);
}

#[test]
fn a_text_goes_in_clear_where_its_person_says_so_on_both_sides() {
    let server = Server::start();
    let mut copy =
        program(&["copy", "--clear", "--server", &server.url(), "--text", "public"]).starts();
    let link = copy.says("/?beam_id=");
    assert!(!link.contains('#'));

    program(&["paste"]).link(&link).ends().is(4, "--clear");
    assert_eq!(program(&["paste", "--clear"]).link(&link).ends().text(), "public");
    assert_eq!(copy.ends(), 0);
}

#[test]
fn the_server_comes_from_the_configuration_file_too() {
    let server = Server::start();
    let config = format!("server = \"{}\"\nname = \"Ada's desk\"\n", server.url());
    let mut copy = program(&["copy", "--text", "by file"]).config(&config).starts();
    let link = copy.says("/?beam_id=");

    let mut watch = program(&["join", "--stay"]).link(&link).starts();
    watch.prints("Ada's desk: by file");
    assert_eq!(copy.ends(), 0);
    watch.is_killed();
}
