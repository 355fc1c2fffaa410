//! The examples in PROTOCOL.md: each decodes as a message, and encodes to the same text again.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

use std::collections::BTreeSet;

use heliograph_shared::api::CreatedBeam;
use heliograph_shared::ids::DeviceId;
use heliograph_shared::socket::{ClientMessage, ServerMessage};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

const PROTOCOL: &str = include_str!("../PROTOCOL.md");

/// The example lines that begin with this mark, without it.
fn lines(mark: &str) -> impl Iterator<Item = &'static str> {
    PROTOCOL.lines().filter_map(move |line| line.strip_prefix(mark)?.strip_prefix(' '))
}

/// The common fields of all server messages, unparsed.
#[derive(Deserialize)]
struct Example {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default = "nothing")]
    message: Box<RawValue>,
    extra: Option<Box<RawValue>>,
    id: Option<Box<RawValue>>,
    to: Option<Box<RawValue>>,
}

fn nothing() -> Box<RawValue> {
    RawValue::NULL.to_owned()
}

fn parse<T: DeserializeOwned>(json: &RawValue) -> T {
    serde_json::from_str(json.get()).unwrap_or_else(|why| panic!("{why} in {json}"))
}

/// Decodes a server message. Only clients do that, in TypeScript, so this one is for the examples alone.
fn server_message(line: &str) -> ServerMessage {
    let Example { kind, message, extra, id, to } = serde_json::from_str(line).expect(line);
    match kind.as_str() {
        "auth_success" => ServerMessage::AuthSuccess { message: parse(&message) },
        "welcome" => ServerMessage::Welcome { message: parse(&message) },
        "authed_users" => ServerMessage::AuthedUsers { message: parse(&message) },
        "rec_clipboard" => ServerMessage::RecClipboard(serde_json::from_str(line).expect(line)),
        "delete_note" => ServerMessage::DeleteNote {
            message,
            extra: extra.as_deref().map(parse),
            id: id.as_deref().map(parse),
        },
        "sync" => ServerMessage::Sync { message: parse(&message) },
        "wanted" => ServerMessage::Wanted { message: parse(&message) },
        "signal" => ServerMessage::Signal { message, extra: parse(&extra.expect("an extra")) },
        "e2e" => ServerMessage::E2e { message, extra: parse(&extra.expect("an extra")) },
        "beam_saved" => ServerMessage::BeamSaved { message: parse(&message) },
        "beam_renamed" => ServerMessage::BeamRenamed { message: parse(&message) },
        "access_changed" => ServerMessage::AccessChanged { message: parse(&message) },
        "keys_changed" => ServerMessage::KeysChanged,
        "kept" => ServerMessage::Kept { message: parse(&message) },
        "arranged" => ServerMessage::Arranged { message: parse(&message) },
        "ice_servers" => ServerMessage::IceServers { message: parse(&message) },
        "devices_removed" => ServerMessage::DevicesRemoved { message: parse(&message) },
        "error" => ServerMessage::Error {
            message: parse(&message),
            extra: parse(&extra.expect("an extra")),
            id: id.as_deref().map(parse),
            to: to.as_deref().map(parse),
        },
        kind => panic!("no message of the server: {kind}"),
    }
}

/// A name for each kind of message. A new kind does not compile here, so that it gets an example.
fn kind_of_server_message(message: &ServerMessage) -> &'static str {
    match message {
        ServerMessage::AuthSuccess { .. } => "auth_success",
        ServerMessage::Welcome { .. } => "welcome",
        ServerMessage::AuthedUsers { .. } => "authed_users",
        ServerMessage::RecClipboard(_) => "rec_clipboard",
        ServerMessage::DeleteNote { .. } => "delete_note",
        ServerMessage::Sync { .. } => "sync",
        ServerMessage::Wanted { .. } => "wanted",
        ServerMessage::Signal { .. } => "signal",
        ServerMessage::E2e { .. } => "e2e",
        ServerMessage::BeamSaved { .. } => "beam_saved",
        ServerMessage::BeamRenamed { .. } => "beam_renamed",
        ServerMessage::AccessChanged { .. } => "access_changed",
        ServerMessage::KeysChanged => "keys_changed",
        ServerMessage::Arranged { .. } => "arranged",
        ServerMessage::IceServers { .. } => "ice_servers",
        ServerMessage::DevicesRemoved { .. } => "devices_removed",
        ServerMessage::Kept { .. } => "kept",
        ServerMessage::Error { .. } => "error",
    }
}

fn kind_of_client_message(message: &ClientMessage) -> &'static str {
    match message {
        ClientMessage::Auth { .. } => "auth",
        ClientMessage::ShareClipboard { .. } => "share_clipboard",
        ClientMessage::DeleteNote { .. } => "delete_note",
        ClientMessage::SaveBeam { .. } => "save_beam",
        ClientMessage::Keep { .. } => "keep",
        ClientMessage::Sync { .. } => "sync",
        ClientMessage::Arrange { .. } => "arrange",
        ClientMessage::RemoveDevice { .. } => "remove_device",
        ClientMessage::Held { .. } => "held",
        ClientMessage::Restore { .. } => "restore",
        ClientMessage::RenameDevice { .. } => "rename_device",
        ClientMessage::Signal { .. } => "signal",
        ClientMessage::E2e { .. } => "e2e",
    }
}

#[test]
fn what_a_device_says_in_the_examples_is_read_and_written_the_same() {
    let mut kinds = BTreeSet::new();
    for line in lines("→") {
        let message = ClientMessage::decode(line).unwrap_or_else(|why| panic!("{why:?}: {line}"));
        assert_eq!(serde_json::to_string(&message).unwrap(), line);
        kinds.insert(kind_of_client_message(&message));
    }
    assert_eq!(kinds.len(), 13, "the messages without an example are missing here: {kinds:?}");
}

#[test]
fn what_the_server_says_in_the_examples_is_read_and_written_the_same() {
    let mut kinds = BTreeSet::new();
    for line in lines("←") {
        let message = server_message(line);
        assert_eq!(serde_json::to_string(&message).unwrap(), line);
        kinds.insert(kind_of_server_message(&message));
    }
    assert_eq!(kinds.len(), 18, "the messages without an example are missing here: {kinds:?}");
}

#[test]
fn h1_the_beam_of_the_examples_is_an_answer() {
    let line = lines("201").next().expect("an answer");
    let beam: CreatedBeam = serde_json::from_str(line).unwrap();
    assert_eq!(serde_json::to_string(&beam).unwrap(), line);
}

#[test]
fn s5_the_devices_of_the_examples_have_the_ids_of_their_tokens() {
    let tokens = lines("→").filter_map(|line| match ClientMessage::decode(line) {
        Ok(ClientMessage::Auth { extra, .. }) => extra?.device_token,
        _ => None,
    });
    let welcomed = lines("←").filter_map(|line| match server_message(line) {
        ServerMessage::Welcome { message } => Some(message.device_id),
        _ => None,
    });
    let ids = tokens.map(|token| DeviceId::from_token(&token));
    assert_eq!(ids.collect::<Vec<_>>(), welcomed.collect::<Vec<_>>());
}
