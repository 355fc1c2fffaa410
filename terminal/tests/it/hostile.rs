//! A hostile server before a terminal learns nothing, and what it makes up is refused (E3 to E12).

use serde_json::{Value, json};

use crate::hostile_server::{HostileServer, is, is_way};
use crate::program::{Running, copies, program};
use crate::server::Server;

/// Sixty-five bytes, in base64url.
fn foreign_key() -> String {
    "BwcH".repeat(21) + "Bwc"
}

/// A beam with a text in it, and a device that stays there. Returns its link too.
fn begun(server: &Server) -> (Running, String) {
    let (mut copy, link) = copies(&server.url(), b"begun");
    let ada = program(&["join", "--json", "--name", "Ada"]).link(&link).starts();
    assert_eq!(ada.event("text")["text"], "begun");
    assert_eq!(copy.ends(), 0);
    (ada, link)
}

struct Beam {
    ada: Running,
    bob: Running,
    /// Before Bob.
    hostile: HostileServer,
    _server: Server,
}

/// Both are in, and Bob has been shown what was there.
fn joined() -> Beam {
    let server = Server::start();
    let (ada, link) = begun(&server);
    let hostile = HostileServer::before(&server);
    let bob = program(&["join", "--json", "--name", "Bob"]).link(&hostile.link(&link)).starts();
    assert_eq!(bob.event("text")["text"], "begun");
    Beam { ada, bob, hostile, _server: server }
}

impl Beam {
    /// Ada shares a text, and nothing else was shown to Bob before it than these events.
    #[track_caller]
    fn next_is(&mut self, text: &str) -> Value {
        self.ada.types(text);
        let told = self.bob.next_of(&["text", "other", "gone"]);
        assert_eq!(told["text"], text, "{told}");
        told
    }

    /// The item of Ada that Bob was given last.
    fn last_item(&self) -> Value {
        self.hostile.hears(1, is("rec_clipboard"))
    }
}

/// Changes one character of a text.
fn spoilt(text: &Value) -> Value {
    let text = text.as_str().unwrap();
    let (before, end) = text.split_at(text.len() - 3);
    let changed = if end.starts_with('A') { 'B' } else { 'A' };
    format!("{before}{changed}{}", &end[1..]).into()
}

fn with(message: &Value, name: &str, value: impl Into<Value>) -> Value {
    let mut message = message.clone();
    message[name] = value.into();
    message
}

#[test]
fn e6_a_key_that_the_server_puts_in_is_not_welcomed() {
    let server = Server::start();
    let (_ada, link) = begun(&server);
    let hostile = HostileServer::before(&server);
    hostile.changes_up(|mut message| {
        if is_way("join")(&message) {
            message["message"]["key"] = foreign_key().into();
        }
        Some(message)
    });
    let paste = program(&["paste"]).link(&hostile.link(&link)).ends();
    paste.is(6, "its link is another one now");
    assert_eq!(paste.text(), "");
    assert!(!hostile.heard().iter().any(is_way("welcome")));
}

#[test]
fn e6_a_welcome_that_the_server_made_up_opens_nothing() {
    let server = Server::start();
    let (_ada, link) = begun(&server);
    let hostile = HostileServer::before(&server);
    hostile.changes_down(|mut message| {
        if is_way("welcome")(&message) {
            message["message"]["sealed"] = "BwcH".repeat(100).into();
        }
        Some(message)
    });
    let paste = program(&["paste", "--timeout", "15"]).link(&hostile.link(&link)).ends();
    paste.is(6, "No device has let this one in");
    assert_eq!(paste.text(), "");
    hostile.hears(1, is_way("welcome"));
}

#[test]
fn e11_nothing_is_shared_in_clear_text_where_the_server_says_that_no_device_seals() {
    let server = Server::start();
    let (_ada, link) = begun(&server);
    let hostile = HostileServer::before(&server);
    hostile.changes_down(|mut message| {
        if is("authed_users")(&message) {
            for device in message["message"].as_array_mut().unwrap() {
                device["caps"].as_array_mut().unwrap().retain(|cap| cap != "e2e1");
            }
        }
        Some(message)
    });
    let words = ["copy", "--text", "marmalade", "--timeout", "15"];
    program(&words).link(&hostile.link(&link)).ends().is(6, "");
    hostile.hears(1, is("authed_users"));
    assert!(!hostile.heard().iter().any(|message| message.to_string().contains("marmalade")));
}

#[test]
fn e3_an_item_of_another_id_is_not_shown() {
    let mut beam = joined();
    beam.next_is("marmalade");
    let item = beam.last_item();
    let id = "01234567-89ab-4cde-8f01-23456789abcd";
    let seq = item["seq"].as_u64().unwrap() + 1;
    beam.hostile.says(&with(&with(&item, "id", id), "seq", seq));
    beam.next_is("lemons");
}

#[test]
fn e3_an_item_that_comes_again_is_shown_once() {
    let mut beam = joined();
    beam.next_is("marmalade");
    let item = beam.last_item();
    beam.hostile.says(&item);
    beam.hostile.says(&with(&item, "seq", item["seq"].as_u64().unwrap() + 1));
    beam.next_is("lemons");
}

#[test]
fn e4_items_stay_when_the_server_says_that_they_were_deleted() {
    let mut beam = joined();
    beam.next_is("marmalade");
    let item = beam.last_item();
    let deletion = json!({"type": "delete_note", "message": item["message"]});
    beam.hostile.says(&deletion);
    beam.hostile.says(&with(&deletion, "id", item["id"].clone()));
    let proven = with(&deletion, "extra", item["message"].clone());
    beam.hostile.says(&with(&proven, "id", item["id"].clone()));
    beam.next_is("lemons");
}

#[test]
fn e3_an_item_that_was_changed_on_its_way_is_not_shown() {
    let mut beam = joined();
    beam.hostile.changes_down(|message| {
        let is_item = is("rec_clipboard")(&message);
        Some(if is_item { with(&message, "message", spoilt(&message["message"])) } else { message })
    });
    beam.ada.types("marmalade");
    beam.hostile.hears(1, is("rec_clipboard"));
    beam.hostile.changes_down(Some);
    beam.next_is("lemons");
}

#[test]
fn e3_an_item_is_of_the_device_that_sealed_it_and_e15_a_device_is_called_as_it_calls_itself() {
    let mut beam = joined();
    let me = beam.hostile.hears(1, is("welcome"))["message"]["device_id"].clone();
    beam.hostile.changes_down(move |mut message| {
        if is("authed_users")(&message) {
            for device in message["message"].as_array_mut().unwrap() {
                device["name"] = "Mallory".into();
            }
        }
        Some(if is("rec_clipboard")(&message) {
            with(&message, "from", me.clone())
        } else {
            message
        })
    });
    assert_eq!(beam.next_is("marmalade")["name"], "Ada");
}

#[test]
fn e5_a_device_that_the_server_makes_up_is_told_nothing_that_it_could_open() {
    let mut beam = joined();
    let id = "21234567-89ab-8cde-8f01-23456789abcd";
    let mut list = beam.hostile.hears(1, is("authed_users"));
    let made = json!({"device_id": id, "name": "phone", "caps": ["files", "e2e1"]});
    list["message"].as_array_mut().unwrap().push(made);
    beam.hostile.says(&list);
    let proof = "BwcH".repeat(10) + "Bwc";
    let message = json!({"op": "join", "id": "BwcHBwcHBwc", "key": foreign_key(), "proof": proof});
    beam.hostile.says(&json!({"type": "e2e", "message": message, "extra": {"from": id}}));
    let is_told = |message: &Value| message["extra"]["to"] == id;
    beam.hostile.hears(1, |message| is_told(message) && is_way("refused")(message));
    beam.next_is("marmalade");
    for message in beam.hostile.heard() {
        if is_told(&message) {
            let is_sealed = is("signal")(&message) || is_way("device")(&message);
            assert!(is_sealed || is_way("refused")(&message), "{message}");
        }
    }
}

/// Adds an item to what the server answers: one in clear text, which nobody has shared, as of the device that is here.
fn adds(hostile: &HostileServer, item: Value) {
    let mut from = Value::Null;
    hostile.changes_down(move |mut message| {
        if is("authed_users")(&message) {
            from = message["message"][0]["device_id"].clone();
        }
        if is("sync")(&message) {
            let items = message["message"]["items"].as_array_mut().unwrap();
            let newer = items.last().unwrap()["seq"].as_u64().unwrap() + 1;
            let item = with(&with(&item, "from", from.clone()), "seq", newer);
            let id = "01234567-89ab-4cde-8f01-23456789abcd";
            items.push(with(&with(&item, "id", id), "at", 4_000_000_000_000_u64));
        }
        Some(message)
    });
}

#[test]
fn e12_a_text_that_the_server_made_up_is_not_pasted_for_one_of_the_beam() {
    let server = Server::start();
    let (_ada, link) = begun(&server);
    let hostile = HostileServer::before(&server);
    adds(&hostile, json!({"message": "rm -r .", "extra": "text"}));
    let paste = program(&["paste"]).link(&hostile.link(&link)).ends();
    paste.is(0, "");
    assert_eq!(paste.text(), "begun");
}

#[test]
fn e12_a_file_that_the_server_made_up_is_not_received() {
    let server = Server::start();
    let (_ada, link) = begun(&server);
    let hostile = HostileServer::before(&server);
    let file = json!({"file": {"name": "payload.sh", "size": 0, "type": "text/x-sh"}});
    adds(&hostile, json!({"message": file, "extra": "file"}));
    let into = tempfile::tempdir().unwrap();
    let receive = program(&["receive", "--no-direct", "--into", into.path().to_str().unwrap()]);
    let receive = receive.link(&hostile.link(&link)).ends();
    receive.is(1, "Not received: payload.sh (it is not encrypted");
    assert_eq!(std::fs::read_dir(into.path()).unwrap().count(), 0);
}
