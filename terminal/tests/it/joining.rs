//! Devices that stay.

use crate::program::{copies, program};
use crate::server::Server;

#[test]
fn what_one_types_the_other_shows_both_ways() {
    let server = Server::start();
    let (mut copy, link) = copies(&server.url(), b"begun");
    let mut ada = program(&["join", "--json", "--name", "Ada"]).link(&link).starts();
    assert_eq!(ada.event("text")["text"], "begun");
    assert_eq!(copy.ends(), 0);
    let mut bob = program(&["join", "--name", "Bob"]).link(&link).starts();
    bob.prints("begun");

    ada.types("Hello \u{1f44b}");
    bob.prints("Ada: Hello \u{1f44b}");
    bob.types("and back");
    assert_eq!(ada.event("text")["text"], "Hello \u{1f44b}");
    let told = ada.event("text");
    assert_eq!((&told["text"], &told["name"]), (&"and back".into(), &"Bob".into()));
    bob.input_ends();
    assert_eq!(bob.ends(), 0);
    ada.sees_devices(1);
}

#[test]
fn lines_of_a_pipe_are_shared_before_the_program_ends() {
    let server = Server::start();
    let (_copy, link) = copies(&server.url(), b"begun");
    let watch = program(&["join", "--stay"]).link(&link).starts();
    watch.prints("begun");

    program(&["join"]).link(&link).ends_with(b"one\n\ntwo\nthree").is(0, "");
    for line in [": one", ": two", ": three"] {
        watch.prints(line);
    }
}

#[test]
fn escapes_of_others_are_shown_and_do_nothing() {
    let server = Server::start();
    let name = "A\u{1b}]0;owned\u{7}da\u{202e}";
    let (_copy, link) =
        copies(&server.url(), "\u{1b}]52;c;cm0=\u{7}\nBob: forged\r\u{9b}2J".as_bytes());
    let watch = program(&["join", "--stay"]).link(&link).starts();
    assert!(watch.prints("52;c;cm0=").ends_with(r": \u{1b}]52;c;cm0=\u{7}"));
    assert_eq!(watch.prints("forged"), r"  Bob: forged\u{d}\u{9b}2J");

    let json = program(&["paste", "--json"]).link(&link).ends();
    let is_harmful = |c: char| c.is_control() && c != '\n';
    assert!(!json.text().chars().any(is_harmful), "{:?}", json.text());

    let _named = program(&["join", "--name", name]).link(&link).starts();
    assert_eq!(watch.prints("]0;owned"), "* A]0;ownedda is here");
}

#[test]
fn ctrl_c_ends_it_with_130() {
    let server = Server::start();
    let (mut copy, link) = copies(&server.url(), b"begun");
    let mut join = program(&["join", "--json"]).link(&link).starts();
    join.event("text");
    join.is_interrupted();
    assert_eq!(join.ends(), 130);
    assert_eq!(copy.ends(), 0);
}
