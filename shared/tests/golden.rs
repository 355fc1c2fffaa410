//! Every server message and body with its JSON.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

use heliograph_shared::api::beams::{LinkAccess, Role};
use heliograph_shared::api::{CreatedBeam, ErrorBody, Site};
use heliograph_shared::close::CloseCode;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::{BeamId, BeamKey, DeviceId, ItemId};
use heliograph_shared::limits::Limits;
use heliograph_shared::socket::{
    Arranged, Cap, Device, DeviceUser, IceServer, JoinPolicy, Json, Kept, LiveItem, Placed,
    RelayUse, SavedBeam, ServerMessage, SignalFrom, SyncPage, Welcome,
};
use heliograph_shared::time::Millis;
use serde_json::value::RawValue;

const ITEM: &str = "0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a";
const DEVICE: &str = "01010101-0101-0101-0101-010101010101";
const LIMITS: &str = r#"{"message_bytes":262144,"live_items":500,"stored_items":5000,"places":500,"upload_bytes":3}"#;
const TOKEN: &str = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI";

fn json(text: &str) -> Json {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn item() -> LiveItem {
    LiveItem {
        message: json(r#"{"b": 1,  "a":2}"#),
        extra: "text".to_owned(),
        id: ItemId::from_random([10; 16]),
        seq: 7,
        from: DeviceId::from_bytes([1; 16]),
        at: Millis::new(1_700_000_000_000),
        to: None,
    }
}

/// Every server message, one per line. The client's tests read the same file.
const SERVER_MESSAGES: &str = include_str!("server-messages.jsonl");

fn server_says(message: &ServerMessage, golden: &str) {
    assert_eq!(serde_json::to_string(message).unwrap(), golden);
    assert!(
        SERVER_MESSAGES.lines().any(|line| line == golden),
        "server-messages.jsonl lacks {golden}"
    );
}

#[test]
fn s4_the_answers_to_auth_look_like_this() {
    let from = DeviceId::from_bytes([1; 16]);
    server_says(
        &ServerMessage::AuthSuccess { message: "Welcome".to_owned() },
        r#"{"type":"auth_success","message":"Welcome"}"#,
    );
    let server = |username: Option<&str>| IceServer {
        urls: vec!["turn:turn.example:3478".to_owned()],
        username: username.map(str::to_owned),
        credential: username.map(|_| "secret".to_owned()),
    };
    server_says(
        &ServerMessage::Welcome {
            message: Welcome {
                device_id: from,
                ice_servers: vec![server(None), server(Some("1:a"))],
                expires_at: Some(Millis::new(2)),
                limits: Some(Limits::with_uploads(3)),
                now: Millis::new(1),
                creator: true,
                saved: None,
                kept: None,
                forgotten: false,
                relay: RelayUse::Fallback,
                join_policy: JoinPolicy::Ask,
            },
        },
        &format!(
            r#"{{"type":"welcome","message":{{"device_id":"{DEVICE}","ice_servers":[{{"urls":["turn:turn.example:3478"]}},{{"urls":["turn:turn.example:3478"],"username":"1:a","credential":"secret"}}],"expires_at":2,"limits":{LIMITS},"now":1,"creator":true,"saved":null}}}}"#
        ),
    );
    server_says(
        &ServerMessage::IceServers { message: vec![server(Some("2:a"))] },
        r#"{"type":"ice_servers","message":[{"urls":["turn:turn.example:3478"],"username":"2:a","credential":"secret"}]}"#,
    );
}

#[test]
fn s6_the_list_of_devices_looks_like_this() {
    let from = DeviceId::from_bytes([1; 16]);
    let device = Device {
        device_id: from,
        name: "Firefox".to_owned(),
        caps: vec![Cap::Files, Cap::Rtc],
        user: DeviceUser::default(),
    };
    server_says(
        &ServerMessage::AuthedUsers { message: vec![device] },
        &format!(
            r#"{{"type":"authed_users","message":[{{"device_id":"{DEVICE}","name":"Firefox","caps":["files","rtc"]}}]}}"#
        ),
    );
    let device = Device {
        device_id: from,
        name: "Chrome".to_owned(),
        caps: Vec::new(),
        user: DeviceUser {
            username: Some("mira".to_owned()),
            first_name: Some("Mira".to_owned()),
            last_name: Some(String::new()),
            profile_picture: Some("/api/pictures/1".to_owned()),
        },
    };
    server_says(
        &ServerMessage::AuthedUsers { message: vec![device] },
        &format!(
            r#"{{"type":"authed_users","message":[{{"device_id":"{DEVICE}","name":"Chrome","caps":[],"username":"mira","first_name":"Mira","last_name":"","profile_picture":"/api/pictures/1"}}]}}"#
        ),
    );
}

#[test]
fn s21_to_s24_what_is_said_of_a_saved_beam_looks_like_this() {
    let cabin = || SavedBeam {
        beam_name: "Cabin".to_owned(),
        role: Role::Owner,
        link_access: LinkAccess::Write,
        by_link: false,
    };
    let saved = r#"{"beam_name":"Cabin","role":"owner","link_access":"write","by_link":false}"#;
    let welcome = Welcome {
        device_id: DeviceId::from_bytes([1; 16]),
        ice_servers: Vec::new(),
        expires_at: None,
        limits: Some(Limits::with_uploads(3)),
        now: Millis::new(1),
        creator: false,
        saved: Some(cabin()),
        kept: None,
        forgotten: false,
        relay: RelayUse::Fallback,
        join_policy: JoinPolicy::Ask,
    };
    server_says(
        &ServerMessage::Welcome { message: welcome },
        &format!(
            r#"{{"type":"welcome","message":{{"device_id":"{DEVICE}","ice_servers":[],"expires_at":null,"limits":{LIMITS},"now":1,"creator":false,"saved":{saved}}}}}"#
        ),
    );
    server_says(
        &ServerMessage::BeamSaved { message: cabin() },
        &format!(r#"{{"type":"beam_saved","message":{saved}}}"#),
    );
    server_says(
        &ServerMessage::BeamRenamed { message: "Cottage".to_owned() },
        r#"{"type":"beam_renamed","message":"Cottage"}"#,
    );
    let reader = SavedBeam { role: Role::Read, link_access: LinkAccess::None, ..cabin() };
    server_says(
        &ServerMessage::AccessChanged { message: reader },
        r#"{"type":"access_changed","message":{"beam_name":"Cabin","role":"read","link_access":"none","by_link":false}}"#,
    );
    server_says(&ServerMessage::KeysChanged, r#"{"type":"keys_changed"}"#);
    server_says(
        &ServerMessage::DevicesRemoved { message: vec![DeviceId::from_bytes([1; 16])] },
        &format!(r#"{{"type":"devices_removed","message":["{DEVICE}"]}}"#),
    );
}

#[test]
fn s30_s31_what_is_said_of_a_kept_beam_and_of_a_forgotten_one_looks_like_this() {
    let kept = Kept { until: Millis::new(9), by: DeviceId::from_bytes([1; 16]) };
    let welcome = |kept, forgotten| ServerMessage::Welcome {
        message: Welcome {
            device_id: DeviceId::from_bytes([1; 16]),
            ice_servers: Vec::new(),
            expires_at: Some(Millis::new(9)),
            limits: Some(Limits::with_uploads(3)),
            now: Millis::new(1),
            creator: false,
            saved: None,
            kept,
            forgotten,
            relay: RelayUse::Fallback,
            join_policy: JoinPolicy::Ask,
        },
    };
    let start = format!(
        r#"{{"type":"welcome","message":{{"device_id":"{DEVICE}","ice_servers":[],"expires_at":9,"limits":{LIMITS},"now":1,"creator":false,"saved":null"#
    );
    let by = format!(r#"{{"until":9,"by":"{DEVICE}"}}"#);
    server_says(&welcome(Some(kept), false), &format!(r#"{start},"kept":{by}}}}}"#));
    server_says(&welcome(None, true), &format!(r#"{start},"forgotten":true}}}}"#));
    server_says(
        &ServerMessage::Kept { message: Some(kept) },
        &format!(r#"{{"type":"kept","message":{by}}}"#),
    );
    server_says(&ServerMessage::Kept { message: None }, r#"{"type":"kept","message":null}"#);
}

#[test]
fn e13_a_welcome_tells_a_join_policy_that_is_not_the_usual_one() {
    let welcome = |join_policy| Welcome {
        device_id: DeviceId::from_bytes([1; 16]),
        ice_servers: Vec::new(),
        expires_at: None,
        limits: None,
        now: Millis::new(1),
        creator: false,
        saved: None,
        kept: None,
        forgotten: false,
        relay: RelayUse::Fallback,
        join_policy,
    };
    let start = format!(
        r#"{{"type":"welcome","message":{{"device_id":"{DEVICE}","ice_servers":[],"expires_at":null,"now":1,"creator":false,"saved":null"#
    );
    for (policy, told) in
        [(JoinPolicy::Ask, ""), (JoinPolicy::Verify, r#","join_policy":"verify""#)]
    {
        server_says(
            &ServerMessage::Welcome { message: welcome(policy) },
            &format!("{start}{told}}}}}"),
        );
    }
}

#[test]
fn s35_news_of_the_shared_arrangement_look_like_this() {
    let place = Placed { id: ItemId::from_random([10; 16]), x: -40, y: 300 };
    let arranged = Arranged { shared: true, places: vec![place], from: None };
    server_says(
        &ServerMessage::Arranged { message: arranged },
        &format!(
            r#"{{"type":"arranged","message":{{"shared":true,"places":[{{"id":"{ITEM}","x":-40,"y":300}}],"from":null}}}}"#
        ),
    );
}

#[test]
fn s8_an_item_looks_like_this_and_its_content_is_untouched() {
    let fields = format!(
        r#""message":{{"b": 1,  "a":2}},"extra":"text","id":"{ITEM}","seq":7,"from":"{DEVICE}","at":1700000000000"#
    );
    server_says(
        &ServerMessage::RecClipboard(item()),
        &format!(r#"{{"type":"rec_clipboard",{fields}}}"#),
    );
    let for_one = LiveItem { to: Some(DeviceId::from_bytes([1; 16])), ..item() };
    server_says(
        &ServerMessage::RecClipboard(for_one),
        &format!(r#"{{"type":"rec_clipboard",{fields},"to":"{DEVICE}"}}"#),
    );
    let page = |next, epoch: &str| SyncPage {
        epoch: epoch.to_owned(),
        oldest: 3,
        dropped: 2,
        items: vec![item()],
        next,
    };
    server_says(
        &ServerMessage::Sync { message: page(Some(7), "e") },
        &format!(
            r#"{{"type":"sync","message":{{"epoch":"e","oldest":3,"dropped":2,"items":[{{{fields}}}],"next":7}}}}"#
        ),
    );
    server_says(
        &ServerMessage::Sync { message: page(None, "e") },
        &format!(
            r#"{{"type":"sync","message":{{"epoch":"e","oldest":3,"dropped":2,"items":[{{{fields}}}],"next":null}}}}"#
        ),
    );
}

#[test]
fn s10_e4_a_deletion_looks_like_this() {
    server_says(
        &ServerMessage::DeleteNote { message: json("[1, 2]"), extra: None, id: None },
        r#"{"type":"delete_note","message":[1, 2]}"#,
    );
    server_says(
        &ServerMessage::DeleteNote {
            message: json(r#""e2e1.AQ""#),
            extra: Some("e2e1.Ag".to_owned()),
            id: None,
        },
        r#"{"type":"delete_note","message":"e2e1.AQ","extra":"e2e1.Ag"}"#,
    );
    server_says(
        &ServerMessage::DeleteNote {
            message: json("null"),
            extra: None,
            id: Some(ItemId::from_random([10; 16])),
        },
        &format!(r#"{{"type":"delete_note","message":null,"id":"{ITEM}"}}"#),
    );
}

#[test]
fn the_other_server_messages_look_like_this() {
    server_says(
        &ServerMessage::Wanted { message: vec![item().id] },
        &format!(r#"{{"type":"wanted","message":["{ITEM}"]}}"#),
    );
    let extra = SignalFrom { from: DeviceId::from_bytes([1; 16]) };
    server_says(
        &ServerMessage::Signal { message: json(r#"{"sdp":"…"}"#), extra },
        &format!(r#"{{"type":"signal","message":{{"sdp":"…"}},"extra":{{"from":"{DEVICE}"}}}}"#),
    );
    server_says(
        &ServerMessage::E2e { message: json(r#"{"op":"refused","why":"proof"}"#), extra },
        &format!(
            r#"{{"type":"e2e","message":{{"op":"refused","why":"proof"}},"extra":{{"from":"{DEVICE}"}}}}"#
        ),
    );
    server_says(
        &ServerMessage::Error {
            message: "No.".to_owned(),
            extra: ErrorCode::DeviceGone,
            id: None,
            to: Some(DeviceId::from_bytes([1; 16])),
        },
        &format!(r#"{{"type":"error","message":"No.","extra":"device_gone","to":"{DEVICE}"}}"#),
    );
    server_says(
        &ServerMessage::Error {
            message: "No.".to_owned(),
            extra: ErrorCode::Forbidden,
            id: Some(ItemId::from_random([10; 16])),
            to: None,
        },
        &format!(r#"{{"type":"error","message":"No.","extra":"forbidden","id":"{ITEM}"}}"#),
    );
    server_says(
        &ServerMessage::Error {
            message: "No.".to_owned(),
            extra: ErrorCode::UnknownType,
            id: None,
            to: None,
        },
        r#"{"type":"error","message":"No.","extra":"unknown_type"}"#,
    );
}

#[test]
fn bodies_look_like_this() {
    let beam = CreatedBeam {
        beam_id: BeamId::from_random([10; 16]),
        beam_key: BeamKey::from_random([2; 32]),
        created_at: Millis::new(1),
        expires_at: Millis::new(2),
    };
    assert_eq!(
        serde_json::to_string(&beam).unwrap(),
        format!(r#"{{"beam_id":"{ITEM}","beam_key":"{TOKEN}","created_at":1,"expires_at":2}}"#)
    );
    let error = ErrorBody { detail: "No.".to_owned(), code: ErrorCode::TooFast };
    assert_eq!(serde_json::to_string(&error).unwrap(), r#"{"detail":"No.","code":"too_fast"}"#);
    let site = Site {
        name: "Heliograph".to_owned(),
        version: "1.0.0".to_owned(),
        public_url: None,
        network_url: Some("http://192.168.1.2:8080".to_owned()),
        self_signed: false,
        repository: "https://example.org".to_owned(),
    };
    assert_eq!(
        serde_json::to_string(&site).unwrap(),
        r#"{"name":"Heliograph","version":"1.0.0","public_url":null,"network_url":"http://192.168.1.2:8080","self_signed":false,"repository":"https://example.org"}"#
    );
}

#[test]
fn s19_close_codes_have_their_numbers_and_three_are_final() {
    let numbers = CloseCode::ALL.map(CloseCode::number);
    let expected =
        [1001, 1002, 1007, 1009, 1012, 1013, 4001, 4008, 4400, 4401, 4403, 4404, 4408, 4409, 4429];
    assert_eq!(numbers, expected);
    let finals: Vec<_> = CloseCode::ALL.iter().filter(|code| code.is_final()).collect();
    assert_eq!(finals, [&CloseCode::SessionEnded, &CloseCode::Forbidden, &CloseCode::Ended]);
}
