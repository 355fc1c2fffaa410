//! Every message with its JSON, the variants that are accepted, and hostile input.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

use heliograph_shared::api::beams::{LinkAccess, Role};
use heliograph_shared::api::{CreatedBeam, ErrorBody, Site};
use heliograph_shared::close::CloseCode;
use heliograph_shared::decode::{Subject, Undecodable};
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::{BeamId, BeamKey, DeviceId, DeviceToken, ItemId};
use heliograph_shared::socket::{
    AuthExtra, Cap, ClientMessage, Device, DeviceUser, IceServer, Json, LiveItem, SavedBeam,
    ServerMessage, SignalFrom, SyncPage, Welcome,
};
use heliograph_shared::time::Millis;
use proptest::prelude::*;
use serde_json::value::RawValue;

const ITEM: &str = "0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a";
const DEVICE: &str = "01010101-0101-0101-0101-010101010101";
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

/// A decoded client message, in the form in which we would write it.
fn heard(text: &str) -> Result<String, Undecodable> {
    ClientMessage::decode(text).map(|message| serde_json::to_string(&message).unwrap())
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
                now: Millis::new(1),
                creator: true,
                saved: None,
            },
        },
        &format!(
            r#"{{"type":"welcome","message":{{"device_id":"{DEVICE}","ice_servers":[{{"urls":["turn:turn.example:3478"]}},{{"urls":["turn:turn.example:3478"],"username":"1:a","credential":"secret"}}],"expires_at":2,"now":1,"creator":true,"saved":null}}}}"#
        ),
    );
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
        now: Millis::new(1),
        creator: false,
        saved: Some(cabin()),
    };
    server_says(
        &ServerMessage::Welcome { message: welcome },
        &format!(
            r#"{{"type":"welcome","message":{{"device_id":"{DEVICE}","ice_servers":[],"expires_at":null,"now":1,"creator":false,"saved":{saved}}}}}"#
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
    server_says(
        &ServerMessage::DevicesRemoved { message: vec![DeviceId::from_bytes([1; 16])] },
        &format!(r#"{{"type":"devices_removed","message":["{DEVICE}"]}}"#),
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
    let page = |next, epoch: &str| SyncPage {
        epoch: epoch.to_owned(),
        oldest: 3,
        items: vec![item()],
        next,
    };
    server_says(
        &ServerMessage::Sync { message: page(Some(7), "e") },
        &format!(
            r#"{{"type":"sync","message":{{"epoch":"e","oldest":3,"items":[{{{fields}}}],"next":7}}}}"#
        ),
    );
    server_says(
        &ServerMessage::Sync { message: page(None, "e") },
        &format!(
            r#"{{"type":"sync","message":{{"epoch":"e","oldest":3,"items":[{{{fields}}}],"next":null}}}}"#
        ),
    );
}

#[test]
fn the_other_server_messages_look_like_this() {
    server_says(
        &ServerMessage::DeleteNote { message: json("[1, 2]"), id: None },
        r#"{"type":"delete_note","message":[1, 2]}"#,
    );
    server_says(
        &ServerMessage::DeleteNote {
            message: json("null"),
            id: Some(ItemId::from_random([10; 16])),
        },
        &format!(r#"{{"type":"delete_note","message":null,"id":"{ITEM}"}}"#),
    );
    let extra = SignalFrom { from: DeviceId::from_bytes([1; 16]) };
    server_says(
        &ServerMessage::Signal { message: json(r#"{"sdp":"…"}"#), extra },
        &format!(r#"{{"type":"signal","message":{{"sdp":"…"}},"extra":{{"from":"{DEVICE}"}}}}"#),
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
        repository: "https://example.org".to_owned(),
    };
    assert_eq!(
        serde_json::to_string(&site).unwrap(),
        r#"{"name":"Heliograph","version":"1.0.0","public_url":null,"network_url":"http://192.168.1.2:8080","repository":"https://example.org"}"#
    );
}

#[test]
fn client_messages_come_back_as_they_were_meant() {
    let signal = format!(r#"{{"type":"signal","message":{{"a":1}},"extra":{{"to":"{DEVICE}"}}}}"#);
    let share = format!(
        r#"{{"type":"share_clipboard","message":{{"b": 1,  "a":2}},"extra":"link","id":"{ITEM}"}}"#
    );
    let delete = format!(r#"{{"type":"delete_note","message":"hi","id":"{ITEM}"}}"#);
    let auth = format!(
        r#"{{"type":"auth","message":"{TOKEN}","extra":{{"v":1,"caps":["files","rtc"],"name":"Firefox","device_token":"{TOKEN}"}}}}"#
    );
    for same in [
        r#"{"type":"auth","message":null}"#,
        &auth,
        &share,
        &delete,
        &signal,
        r#"{"type":"delete_note","message":"hi"}"#,
        r#"{"type":"save_beam","message":"Kitchen"}"#,
        r#"{"type":"sync","message":{"after":7}}"#,
        r#"{"type":"sync","message":{"after":null}}"#,
    ] {
        assert_eq!(heard(same).as_deref(), Ok(same));
    }
}

#[test]
fn s7_any_json_value_is_a_content() {
    for content in ["null", "true", "0", "-1.50", r#""\u0041 ""#, "[]", "{ }", "[[1, 2], {}]"] {
        let text = format!(r#"{{"message":{content},"type":"share_clipboard"}}"#);
        let expected =
            format!(r#"{{"type":"share_clipboard","message":{content},"extra":"text"}}"#);
        assert_eq!(heard(&text), Ok(expected));
    }
}

#[test]
fn s7_s20_what_is_left_out_or_unknown_does_no_harm() {
    let text = r#"{"type":"share_clipboard","message":"hi","extra":"text"}"#;
    for same in [
        r#"{"type":"share_clipboard","message":"hi"}"#,
        r#"{"type":"share_clipboard","message":"hi","extra":null,"id":null}"#,
        r#"{"colour":"red","type":"share_clipboard","message":"hi","more":[{}]}"#,
        r#" { "type" : "share_clipboard" , "message" : "hi" } "#,
        r#"{"type":"share\u005fclipboard","message":"hi"}"#,
    ] {
        assert_eq!(heard(same).as_deref(), Ok(text), "{same}");
    }
    let first = r#"{"type":"sync","message":{"after":null}}"#;
    for same in [r#"{"type":"sync"}"#, r#"{"type":"sync","message":null}"#, first] {
        assert_eq!(heard(same).as_deref(), Ok(first), "{same}");
    }
}

#[test]
fn s3_what_cannot_be_read_in_auth_counts_as_absent_and_takes_nothing_with_it() {
    let extra = |text: &str| {
        let text = format!(r#"{{"type":"auth","message":null,"extra":{text}}}"#);
        match ClientMessage::decode(&text) {
            Ok(ClientMessage::Auth { extra, .. }) => extra,
            other => panic!("{other:?}"),
        }
    };
    for plain in ["null", "\"text\"", "7", "[]", "true"] {
        assert!(extra(plain).is_none(), "{plain}");
    }
    let AuthExtra { v, caps, name, device_token } =
        extra(r#"{"v":1,"caps":["files","smell"],"name":7,"device_token":"short"}"#).unwrap();
    assert_eq!((v, caps, name), (1, vec![Cap::Files, Cap::Unknown], None));
    assert!(device_token.is_none());
    assert_eq!(
        extra(r#"{"v":1,"caps":"files","name":"Ada"}"#).unwrap().name.as_deref(),
        Some("Ada")
    );
    assert_eq!(extra(r#"{"v":-1}"#).unwrap().v, 0);
}

#[test]
fn s14_what_is_no_message_is_told_from_what_is_wrong_with_one() {
    for no_message in [
        "",
        "ping",
        "null",
        "7",
        "[]",
        "\"auth\"",
        "{}",
        r#"{"type":7}"#,
        r#"{"type":null}"#,
        "{",
        r#"{"type":"auth"} x"#,
        r#"{"type":"auth","message":}"#,
        r#"{"type":"auth","type":"auth"}"#,
        r#"{"message":"hi"}"#,
        r#"["auth",null]"#,
    ] {
        assert_eq!(heard(no_message), Err(Undecodable::NotAMessage), "{no_message}");
    }
    for unknown in [r#"{"type":"dance"}"#, r#"{"type":""}"#, r#"{"type":"Auth","message":null}"#] {
        assert_eq!(heard(unknown), Err(Undecodable::UnknownType), "{unknown}");
    }
    for bad in [
        r#"{"type":"share_clipboard"}"#,
        r#"{"type":"share_clipboard","message":1,"extra":7}"#,
        r#"{"type":"share_clipboard","message":1,"id":"7"}"#,
        r#"{"type":"delete_note"}"#,
        r#"{"type":"auth","message":7}"#,
        r#"{"type":"signal","message":1}"#,
        r#"{"type":"signal","message":1,"extra":{"to":"nobody"}}"#,
        r#"{"type":"sync","message":{"after":-1}}"#,
    ] {
        assert_eq!(heard(bad), Err(Undecodable::BadFields), "{bad}");
    }
}

#[test]
fn s14_content_of_more_than_100_levels_is_refused_with_its_id() {
    let id = ItemId::from_random([7; 16]);
    let with = |levels| {
        let content = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let text = format!(r#"{{"type":"share_clipboard","message":{content},"id":"{id}"}}"#);
        assert_eq!(Subject::of(&text), Subject::item(id));
        heard(&text)
    };
    assert!(with(100).is_ok());
    for levels in [101, 100_000] {
        assert_eq!(with(levels), Err(Undecodable::TooDeep));
    }
}

#[test]
fn s14_a_message_that_is_refused_unread_still_says_what_it_is_about() {
    let id = ItemId::from_random([1; 16]);
    let to = DeviceId::from_bytes([2; 16]);
    for (text, about) in [
        (format!(r#"{{"type":"share_clipboard","id":"{id}"}}"#), Subject::item(id)),
        (format!(r#"{{"type":"delete_note","id":"{id}","message":1}}"#), Subject::item(id)),
        (format!(r#"{{"type":"signal","extra":{{"to":"{to}"}}}}"#), Subject::device(to)),
        (r#"{"type":"share_clipboard","id":7}"#.to_owned(), Subject::default()),
        (format!(r#"{{"type":"dance","id":"{id}"}}"#), Subject::default()),
        ("[".repeat(9), Subject::default()),
    ] {
        assert_eq!(Subject::of(&text), about, "{text}");
    }
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

#[test]
fn s5_a_token_gives_one_id_whatever_the_beam_is_called_now() {
    let token = |byte| DeviceToken::from_random([byte; 32]);
    let id = DeviceId::from_token(&token(1));
    assert_eq!(DeviceId::from_token(&token(1)), id);
    assert_ne!(DeviceId::from_token(&token(2)), id);
    assert_eq!(id.to_string().as_bytes()[14], b'8');
}

#[test]
fn b9_a_beam_id_is_a_version_4_uuid_in_one_form() {
    let good = "5f5ec022-109f-4428-94cc-5dd6903352f4";
    for (text, is_good) in [
        (good, true),
        (&good.to_uppercase(), true),
        ("5f5ec022-109f-1428-94cc-5dd6903352f4", false),
        ("5f5ec022-109f-4428-c4cc-5dd6903352f4", false),
        ("5f5ec022109f442894cc5dd6903352f4", false),
        ("{5f5ec022-109f-4428-94cc-5dd6903352f4}", false),
        ("urn:uuid:5f5ec022-109f-4428-94cc-5dd6903352f4", false),
        ("5f5ec022-109f-4428-94cc-5dd6903352f", false),
        ("5f5ec022-109f-4428-94cc-5dd6903352f4 ", false),
        ("5f5ec022_109f_4428_94cc_5dd6903352f4", false),
        ("gf5ec022-109f-4428-94cc-5dd6903352f4", false),
        ("", false),
    ] {
        assert_eq!(BeamId::parse(text).is_ok(), is_good, "{text}");
    }
    assert_eq!(BeamId::parse(&good.to_uppercase()).unwrap().to_string(), good);
}

#[test]
fn a_key_is_43_characters_and_never_shown() {
    let key = BeamKey::from_random([2; 32]);
    assert_eq!(BeamKey::parse(TOKEN), Ok(key.clone()));
    assert_eq!(format!("{key:?}"), "BeamKey(secret)");
    let padded = format!("{TOKEN}=");
    for wrong in ["", &TOKEN[1..], &padded, &format!("{TOKEN}A"), &TOKEN.replace('A', "+")] {
        assert!(BeamKey::parse(wrong).is_err(), "{wrong}");
    }
    assert_ne!(key.hash(), BeamKey::from_random([3; 32]).hash());
}

proptest! {
    #[test]
    fn no_text_harms_the_reader(text in ".{0,200}") {
        let _ = heard(&text);
    }

    #[test]
    fn no_field_harms_the_reader(
        kind in "auth|share_clipboard|delete_note|save_beam|sync|signal|.{0,8}",
        fields in prop::collection::vec(
            ("message|extra|id|type|.{0,3}", r#"null|-?[0-9]{1,20}|"[a-f0-9-]{0,40}"|\{"(to|v|after|caps)":.{0,6}\}|\[.{0,6}\]"#),
            0..5,
        ),
    ) {
        let fields: Vec<_> = fields.iter().map(|(name, value)| format!("{name:?}:{value}")).collect();
        let _ = heard(&format!(r#"{{"type":{kind:?},{}}}"#, fields.join(",")));
        let _ = heard(&format!(r#"{{{},"type":{kind:?}}}"#, fields.join(",")));
    }

    #[test]
    fn s7_every_string_comes_back_byte_for_byte(content in any::<String>()) {
        let content = serde_json::to_string(&content).unwrap();
        let text = format!(r#"{{"type":"share_clipboard","message":{content},"extra":"text"}}"#);
        prop_assert_eq!(heard(&text), Ok(text));
    }
}
