//! F9: a file that a terminal shares into a saved or kept beam is there when the terminal has gone.

use std::fs;

use crate::people::{PASSWORD, Person};
use crate::program::program;
use crate::server::Server;
use crate::stage::sample;

/// More than a piece of 4 MiB.
const SIZE: usize = 5 * 1024 * 1024;

#[test]
fn f9_a_file_that_is_sent_into_a_saved_beam_is_there_when_its_sender_has_gone() {
    let server = Server::start();
    let ada = Person::registers(&server, "ada").has_vault(7);
    ada.logs_in(PASSWORD).is(0, "");
    let (file, bytes) = (ada.home.path().join("film.bin"), sample(SIZE));
    fs::write(&file, &bytes).unwrap();
    let file = file.to_str().unwrap();
    // A saved beam keeps it without an end, and the program ends when the server has it.
    let send = ada.runs(&["send", "--save", "Films", "--keep", "24h", file]).ends();
    send.is(0, "Saved as Films");
    let receives = |name: &str| {
        let into = ada.home.path().join(name);
        ada.runs(&["receive", "Films", into.to_str().unwrap()]).ends().is(0, "");
        into
    };
    assert!(fs::read(receives("one").join("film.bin")).unwrap() == bytes);

    let other = ada.home.path().join("other.bin");
    fs::write(&other, "another file").unwrap();
    let mut send = ada.runs(&["send", "--to", "Films", other.to_str().unwrap()]).starts();
    send.says("The server has a copy of it all");
    send.is_killed();
    assert_eq!(fs::read(receives("two").join("other.bin")).unwrap(), b"another file");

    let folder = ada.home.path().join("folder");
    fs::create_dir(&folder).unwrap();
    let words = ["watch", folder.to_str().unwrap(), "--to", "Films", "--json", "--no-direct"];
    let mut watch = ada.runs(&words).args(&["--settle", "0.2"]).starts();
    watch.event("received");
    fs::write(folder.join("watched.bin"), "a third file").unwrap();
    // When it is shared, and when its copy is there.
    watch.event("shared");
    watch.event("shared");
    watch.is_killed();
    assert_eq!(fs::read(receives("three").join("watched.bin")).unwrap(), b"a third file");
    let copy = ada.runs(&["copy", "--save", "Notes", "--keep", "1h", "--text", "oat milk"]).ends();
    copy.is(0, "Saved as Notes");
}

#[test]
fn h32_files_that_the_server_does_not_keep_are_named_under_the_link_after_the_others() {
    let server = Server::with(&["--guest-file", "1MiB"]);
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    // The first copy is refused at once.
    let large = ["a.bin", "b.bin"].map(|name| file(name, &sample(2_000_000)));
    let small = (0..8).map(|at| file(&format!("small {at}"), b"kept")).collect::<Vec<_>>();
    let url = server.url();
    let send = program(&["send", "--keep", "1h", "--no-direct", "--server", &url]);
    let paths: Vec<_> = large.iter().chain(&small).map(String::as_str).collect();
    let send = send.args(&paths).ends();
    send.is(9, "The server does not keep a.bin: it keeps no file so large.\n");
    send.is(9, "b.bin: it keeps no file so large.");
    let place = |text: &str| send.err.find(text).unwrap();
    assert!(place("/?beam_id=") < place("does not keep"), "{}", send.err);

    let link = send.err.split_whitespace().find(|word| word.contains("/?beam_id=")).unwrap();
    let into = folder.path().join("to");
    let words = ["receive", "--no-direct", "--into", into.to_str().unwrap()];
    program(&words).link(link).ends().is(1, "Not received: a.bin");
    for at in 0..8 {
        assert_eq!(fs::read(into.join(format!("small {at}"))).unwrap(), b"kept");
    }
}

#[test]
fn h40_a_disk_that_is_full_is_said_to_be_the_one_of_the_server() {
    let server = Server::with(&["--guest-total", "1MiB"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.bin");
    fs::write(&path, sample(2_000_000)).unwrap();
    let words = ["send", "--keep", "1h", "--no-direct", "--server", &server.url()];
    let send = program(&words).args(&[path.to_str().unwrap()]).ends();
    let said = "The server does not keep a.bin: its disk, or the part of it for this beam or account, is full.";
    send.is(9, said);
    assert_eq!(send.err.matches("a.bin").count(), 1, "{}", send.err);
}
