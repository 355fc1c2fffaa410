//! An account logs in, and its saved beams are named in place of links.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::thread;

use crate::people::{PASSWORD, Person};
use crate::program::program;
use crate::server::Server;

#[test]
fn e18_a_saved_beam_is_opened_by_its_name_with_the_password_and_texts_go_both_ways() {
    let server = Server::start();
    let ada = Person::registers(&server, "ada").has_vault(7);
    let (id, _) = ada.saves("Kitchen", "oat milk", PASSWORD);
    ada.runs(&["beams"]).ends().is(11, "Nobody is logged in");
    ada.logs_in(PASSWORD).is(0, "The vault is open.");

    let beams = ada.runs(&["beams", "--json"]).ends();
    let told: serde_json::Value = serde_json::from_str(beams.text().trim()).unwrap();
    assert_eq!((&told["event"], &told["name"]), (&"saved_beam".into(), &"Kitchen".into()));
    assert_eq!((&told["level"], &told["keys"]), (&"owner".into(), &"sealed".into()));
    // Nobody else is in the beam, and nobody has to let anybody in.
    for name in ["Kitchen", "kitchen", &id.to_string()] {
        let paste = ada.runs(&["paste", name]).ends();
        paste.is(0, "");
        assert_eq!(paste.text(), "oat milk");
    }
    ada.runs(&["copy", "--to", "Kitchen", "--text", "and bread"]).ends().is(0, "");
    assert_eq!(ada.runs(&["paste", "kitchen"]).ends().text(), "and bread");
    ada.runs(&["paste", "Kitchen", "--clear"]).ends().is(4, "leave out --clear");
    ada.runs(&["paste", "Cellar"]).ends().is(4, "no saved beam is called so");
}

#[test]
fn e18_a_beam_is_saved_with_its_keys_in_the_vault_and_is_opened_by_its_name_alone() {
    let server = Server::start();
    let ada = Person::registers(&server, "ada").has_vault(7);
    ada.runs(&["copy", "--save", "Kitchen", "--text", "x"]).ends().is(11, "Nobody is logged in");
    ada.logs_in(PASSWORD).is(0, "");
    ada.runs(&["copy", "--save", "Kitchen", "--text", "oat milk"]).ends().is(0, "Saved as Kitchen");
    assert!(ada.runs(&["beams"]).ends().text().contains("the server cannot read it"));
    assert_eq!(ada.runs(&["paste", "Kitchen"]).ends().text(), "oat milk");

    for taken in ["Kitchen", "kitchen"] {
        let again = ada.runs(&["copy", "--save", taken, "--text", "x"]).ends();
        again.is(2, "There is a saved beam Kitchen already. Choose another name");
    }

    let file = ada.home.path().join("film.bin");
    std::fs::write(&file, vec![7; 70_000]).unwrap();
    let file = file.to_str().unwrap();
    let local = ["--address", "127.0.0.1"];
    let send = ["send", "--once", "--save", "Films", file].into_iter().chain(local);
    let mut send = ada.runs(&send.collect::<Vec<_>>()).starts();
    send.says("Saved as Films");
    let into = tempfile::tempdir().unwrap();
    let receive = ["receive", "Films", into.path().to_str().unwrap()].into_iter().chain(local);
    ada.runs(&receive.collect::<Vec<_>>()).ends().is(0, "");
    assert_eq!(send.ends(), 0);
    assert_eq!(std::fs::read(into.path().join("film.bin")).unwrap(), vec![7; 70_000]);
}

#[test]
fn a_text_that_is_still_to_be_typed_can_be_given_up_after_the_server_was_asked() {
    let server = Server::start();
    let ada = Person::registers(&server, "ada").has_vault(7);
    ada.logs_in(PASSWORD).is(0, "");
    let mut copy = ada.runs(&["copy", "--save", "Kitchen"]).at_terminal(80, 24).starts();
    copy.prints("Type the text");
    copy.types("\x03");
    assert_eq!(copy.ends(), 130);
}

#[test]
fn e9_without_a_vault_it_is_said_before_a_beam_is_saved_that_the_server_will_read_it() {
    let server = Server::start();
    let ada = Person::registers(&server, "ada");
    ada.logs_in(Person::first_password()).is(0, "");
    let saves = ada.runs(&["copy", "--save", "Kitchen", "--text", "oat milk"]).ends();
    saves.is(0, "the server can read what is shared in it");
    let paste = ada.runs(&["paste", "Kitchen"]).ends();
    paste.is(0, "could read");
    assert_eq!(paste.text(), "oat milk");
    ada.runs(&["copy", "--save", " ", "--text", "x"]).ends().is(2, "beam name");
    ada.runs(&["copy", "--save", "x", "--clear", "--text", "x"]).ends().is(2, "--clear");
}

#[test]
fn what_is_kept_of_a_login_only_its_person_may_read_and_logging_out_removes_it_on_both_sides() {
    let server = Server::start();
    let ada = Person::registers(&server, "ada").has_vault(7);
    ada.saves("Kitchen", "oat milk", PASSWORD);
    ada.logs_in(PASSWORD).is(0, "until `logout`");
    let kept = ada.kept();
    for (path, text) in &kept {
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
        assert!(!text.contains(PASSWORD));
    }
    let (path, text) = ada.login().unwrap();

    ada.runs(&["logout"]).ends().is(0, "Logged out.");
    assert!(ada.login().is_none());
    ada.runs(&["logout"]).ends().is(0, "Nobody is logged in");
    ada.runs(&["paste", "Kitchen"]).ends().is(4, "`login`");
    // Whoever has copied it has nothing either.
    std::fs::write(&path, text).unwrap();
    ada.runs(&["beams"]).ends().is(11, "The login is over");
    assert!(ada.login().is_none());
}

#[test]
fn h16_a_stale_login_is_renewed_by_whichever_program_comes_first() {
    let server = Server::start();
    let ada = Person::registers(&server, "ada");
    ada.logs_in(Person::first_password()).is(0, "");
    let (path, text) = ada.login().unwrap();
    let mut stale: serde_json::Value = serde_json::from_str(&text).unwrap();
    stale["renewed_at"] = 0.into();
    std::fs::write(&path, stale.to_string()).unwrap();
    let mut both = [(); 2].map(|()| ada.runs(&["beams", "--json"]).starts());
    assert_eq!(both.each_mut().map(crate::program::Running::ends), [3, 3], "it has no beams");
    let renewed: serde_json::Value = serde_json::from_str(&ada.login().unwrap().1).unwrap();
    for cookie in ["access", "refresh"] {
        assert_ne!(renewed["cookies"][cookie], stale["cookies"][cookie]);
    }
    assert_eq!(renewed["cookies"]["device"], stale["cookies"]["device"]);
}

#[test]
fn a_wrong_password_is_said_and_leaves_the_login_of_before() {
    let server = Server::start();
    let ada = Person::registers(&server, "ada");
    ada.logs_in(Person::first_password()).is(0, "no vault");
    ada.logs_in("a guess").is(11, "wrong");
    ada.runs(&["beams"]).ends().is(3, "no saved beam");
    program(&["login", "--server", &server.url(), "--password-stdin"]).ends().is(2, "--username");
    let far = ["login", "--server", "http://192.0.2.1", "--username", "ada", "--password-stdin"];
    program(&far).ends_with(b"secret").is(2, "without https");
}

#[test]
fn e9_a_saved_beam_of_an_account_without_a_vault_opens_and_it_is_said_that_the_server_can_read_it()
{
    let server = Server::start();
    let ada = Person::registers(&server, "ada");
    ada.saves("Kitchen", "oat milk", Person::first_password());
    ada.logs_in(Person::first_password()).is(0, "the server can read its saved beams");
    let paste = ada.runs(&["paste", "Kitchen"]).ends();
    paste.is(0, "could read");
    assert_eq!(paste.text(), "oat milk");
    assert!(ada.runs(&["beams"]).ends().text().contains("the server can read it"));
}

#[test]
fn two_beams_of_one_name_are_told_apart_by_their_ids() {
    let server = Server::start();
    let ada = Person::registers(&server, "ada").has_vault(7);
    let ids = ["one", "two"].map(|text| (text, ada.saves("List", text, PASSWORD).0.to_string()));
    ada.logs_in(PASSWORD).is(0, "");
    let both = ada.runs(&["paste", "List"]).ends();
    both.is(4, "Several saved beams");
    for (text, id) in &ids {
        assert!(both.err.contains(id));
        assert_eq!(ada.runs(&["paste", id]).ends().text(), *text);
    }
}

/// A server that answers whoever asks how a password is sent, and nobody else. Returns its address, and what it was told by the end.
fn asks_for(stretch: &str) -> (String, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let body = format!("{{\"stretch\":{stretch}}}");
    let told = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut bytes = [0; 4096];
        let read = stream.read(&mut bytes).unwrap();
        let length = body.len();
        write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
        listener.set_nonblocking(true).unwrap();
        String::from_utf8_lossy(&bytes[..read]).into_owned()
    });
    (url, told)
}

#[test]
fn e16_a_server_that_wants_the_password_stretched_too_little_is_sent_nothing_of_it() {
    let weak = r#"{"salt":"AAAAAAAAAAAAAAAAAAAAAA","memory_kib":8,"passes":1}"#;
    let (url, told) = asks_for(weak);
    let login = ["login", "--server", &url, "--username", "ada", "--password-stdin"];
    let refused = program(&login).ends_with(PASSWORD.as_bytes());
    refused.is(12, "too little");
    assert!(!told.join().unwrap().contains(PASSWORD));
    assert!(!refused.err.contains(PASSWORD));
}

#[test]
fn e16_a_server_that_denies_a_vault_is_sent_no_password_by_a_device_that_knows_of_it() {
    let server = Server::start();
    // By the operator's word it has none any more; by this device's memory, it had one.
    let ada = Person::registers(&server, "ada");
    ada.remembers_vault();
    ada.logs_in(PASSWORD).is(12, "The password was not sent");
    assert!(ada.login().is_none());
    let url = server.url();
    let words = ["login", "--server", &url, "--username", "ada", "--password-stdin"];
    let operator = [&words[..], &["--from-operator"]].concat();
    let typed = ada.runs(&operator).ends_with(Person::first_password().as_bytes());
    typed.is(0, "no vault");
    // The account was made anew: from now on nothing is known of one.
    ada.logs_in(Person::first_password()).is(0, "no vault");
}
