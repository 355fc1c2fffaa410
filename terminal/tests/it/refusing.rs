//! What does not work, and how the program says so.

use crate::program::{copies, program};
use crate::server::Server;

const BEAM: &str = "5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13";

#[test]
fn what_is_no_link_is_refused_without_a_word_to_any_server() {
    let cases = [
        ("", "No link was given"),
        (" \n", "No link was given"),
        ("oat milk", "https://"),
        ("ftp://example.org/?beam_id=1", "https://"),
        ("https://beam.invalid/", "names no beam"),
        (&format!("https://beam.invalid/?beam_id={BEAM}#k=AQEB"), "broken"),
        (&format!("http://192.0.2.1/?beam_id={BEAM}"), "--clear"),
        ("K7MP3", "https://"),
    ];
    for (link, says) in cases {
        program(&["paste", "-"]).ends_with(link.as_bytes()).is(4, says);
    }
}

#[test]
fn a_link_with_a_secret_never_leads_into_clear_text() {
    let link = format!("https://beam.invalid/?beam_id={BEAM}#k={}", "A".repeat(43));
    program(&["paste", "--clear"]).link(&link).ends().is(4, "encrypted");
    program(&["copy", "--clear", "--text", "x"]).link(&link).ends().is(4, "encrypted");
}

#[test]
fn h34_a_code_that_stands_for_no_beam_is_said() {
    let server = Server::start();
    let words = ["paste", "--server", &server.url(), "K7M-P3X"];
    program(&words).ends().is(4, "wrong or has ended");
    program(&["paste", "K7M-P3X"]).ends().is(2, "--server");
}

#[test]
fn a_server_that_is_away_is_said() {
    let mut server = Server::start();
    let (mut copy, link) = copies(&server.url(), b"begun");
    copy.is_killed();
    let url = server.url();
    server.dies();
    program(&["paste"]).link(&link).ends().is(5, "no connection");
    program(&["copy", "--server", &url, "--text", "x"]).ends().is(5, "no connection");
    program(&["copy", "--server", "https://beam.invalid", "--text", "x"]).ends().is(5, "name");
}

#[test]
fn what_answers_there_may_be_no_server_of_ours() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answering = std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi").unwrap();
    });
    program(&["copy", "--server", &url, "--text", "x"]).ends().is(5, "no Heliograph");
    answering.join().unwrap();
}

#[test]
fn e6_a_secret_of_another_beam_lets_nobody_in() {
    let server = Server::start();
    let (_copy, link) = copies(&server.url(), b"mine");
    let (beam, _) = link.split_once('#').unwrap();
    let wrong = format!("{beam}#k={}", "A".repeat(43));
    program(&["paste"]).link(&wrong).ends().is(6, "another one now");
}

#[test]
fn nobody_who_could_let_this_one_in_is_said_in_time() {
    let server = Server::start();
    let (mut copy, link) = copies(&server.url(), b"mine");
    copy.is_killed();
    let paste = program(&["paste", "--timeout", "10"]).link(&link).ends();
    paste.is(6, "No device has let this one in");
}

#[test]
fn a_device_that_finds_nobody_is_told_what_to_do() {
    let server = Server::start();
    let (mut copy, link) = copies(&server.url(), b"mine");
    copy.is_killed();
    let hint = "Nobody else is in this beam now, and only a device that was in it";
    for words in [&["paste", "--timeout", "10"], &["receive", "--timeout", "10"]] {
        let mut ended = program(words).link(&link).ends();
        for _ in 0..3 {
            if ended.err.contains(hint) {
                break;
            }
            // The server may not have noticed before that the one who was there last has gone.
            ended = program(words).link(&link).ends();
        }
        ended.is(6, hint);
        ended.is(6, "Open it on a device that was in it, or share anew there.");
    }
}

#[test]
fn a_beam_without_a_text_has_its_own_code_and_waiting_for_one_another() {
    let server = Server::start();
    let link = format!("{}/?beam_id={BEAM}#k={}", server.url(), "A".repeat(43));
    program(&["paste"]).link(&link).ends().is(3, "no text");
    program(&["paste", "--wait", "--timeout", "5"]).link(&link).ends().is(10, "within 5 s");
    program(&["copy", "--server", &server.url()]).ends().is(3, "no text");
}

#[test]
fn what_is_no_text_is_not_shared() {
    program(&["copy", "--server", "http://localhost:1"]).ends_with(b"\xff\xfe").is(1, "UTF-8");
}

#[test]
fn a_wrong_command_line_or_configuration_is_said() {
    program(&["copy", "--no-such-word"]).ends().is(2, "--no-such-word");
    program(&["copy", "--text", "x"]).ends().is(2, "--server");
    program(&["copy", "--text", "x", "--server", "127.0.0.1:8080"])
        .ends()
        .is(2, "begins with https");
    program(&["copy", "--text", "x"]).config("servr = 1").ends().is(2, "servr");
    program(&["copy", "--text", "x", "--config", "/nowhere"]).ends().is(2, "/nowhere");
    let plain = program(&["copy", "--text", "x", "--server", "http://192.0.2.1"]).ends();
    plain.is(2, "without https");
}
