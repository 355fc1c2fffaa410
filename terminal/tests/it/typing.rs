//! What is typed, and what a terminal shows beside it.

use std::thread;
use std::time::Duration;

use crate::program::{copies, program};
use crate::server::Server;
use crate::stage::{MIB, Stage, sample};

#[test]
fn a_command_that_there_is_not_is_answered_and_not_shared_and_two_slashes_share_one() {
    let server = Server::start();
    let (_copy, link) = copies(&server.url(), b"begun");
    let watch = program(&["join", "--stay"]).link(&link).starts();
    watch.prints("begun");
    let mut join = program(&["join", "--stay"]).link(&link).starts();
    join.prints("begun");
    join.types("/exit");
    join.says("there is no command /exit");
    join.types("/take");
    join.says("With which file?");
    join.types("/help");
    join.says("/quit");
    join.types("//etc/hosts");
    join.types("/quit");
    assert_eq!(join.ends(), 0);
    let shared = watch.prints(": ");
    assert!(shared.ends_with(": /etc/hosts"), "{shared}");
}

#[test]
fn at_a_terminal_nothing_is_drawn_where_a_person_types() {
    let stage = Stage::new();
    let path = stage.file("large", &sample(24 * MIB));
    stage.file("album/sea.jpg", b"a picture");
    let album = stage.folder.path().join("from/album");
    let (_send, link) = stage.sends(&[&path, album.to_str().unwrap(), "--no-direct"]);
    let into = stage.received();
    let words = ["join", "--no-direct", "--into", into.to_str().unwrap()];
    let mut join = program(&words).link(&link).at_terminal(80, 24).starts();
    join.prints("[folder] album, 1 file, ");
    join.prints("/take 2 receives it");
    join.types("/take 2");
    let lines = join.lines_until("/to/large").concat();
    assert!(lines.contains("Receiving large."), "{lines:?}");
    assert!(!lines.contains(['\u{2588}', '\u{2591}']), "a bar: {lines:?}");
    // Its place is printed a moment before the list has it.
    let is_listed = (0..100).any(|_| {
        thread::sleep(Duration::from_millis(100));
        join.types("/files");
        join.prints("  2  large, ").contains("25.17 MB, received")
    });
    assert!(is_listed);
}

/// What a new beam shows at a terminal before it waits.
fn shown_at(columns: usize, lines: usize) -> Vec<String> {
    let server = Server::start();
    let words = ["copy", "--text", "x", "--color", "never", "--server", &server.url()];
    let copy = program(&words).at_terminal(columns, lines).starts();
    copy.lines_until("Waiting until another device")
}

#[test]
fn a_code_to_scan_fits_a_terminal_of_80_columns_and_24_lines_with_its_link() {
    let shown = shown_at(80, 24);
    let (link, code) = shown.split_first().unwrap();
    assert!(link.contains("/?beam_id="), "{shown:#?}");
    let is_drawn = |line: &String| line.contains('\u{2580}') && line.chars().count() <= 80;
    assert!(code.len() > 16 && code.iter().all(is_drawn), "{shown:#?}");
    // The link takes two lines, and what it waits for and the cursor one each.
    assert!(2 + code.len() + 2 <= 24, "{shown:#?}");
}

#[test]
fn a_terminal_that_is_too_small_for_a_code_has_the_link_alone_and_is_told_why() {
    let shown = shown_at(60, 16);
    assert_eq!(shown.len(), 2, "{shown:#?}");
    assert!(shown[0].contains("/?beam_id="));
    assert!(shown[1].contains("it needs a terminal of"), "{shown:#?}");
}

#[test]
fn a_line_that_is_no_text_keeps_no_other_back_and_a_script_is_told_of_it() {
    let server = Server::start();
    let (_copy, link) = copies(&server.url(), b"begun");
    let watch = program(&["join", "--stay"]).link(&link).starts();
    watch.prints("begun");
    let join = program(&["join"]).link(&link).ends_with(b"one\n\xe4\ntwo\n");
    join.is(1, "its bytes are not UTF-8");
    watch.prints(": one");
    watch.prints(": two");
}
