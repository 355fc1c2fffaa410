//! What clients may send: the accepted variants, and hostile input.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

use heliograph_shared::decode::{Subject, Undecodable};
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::limits::MAX_DELETION_EXTRA_BYTES;
use heliograph_shared::socket::{AuthExtra, Cap, ClientMessage};
use proptest::prelude::*;

const ITEM: &str = "0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a";
const DEVICE: &str = "01010101-0101-0101-0101-010101010101";
const TOKEN: &str = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI";

/// A decoded client message, in the form in which we would write it.
fn heard(text: &str) -> Result<String, Undecodable> {
    ClientMessage::decode(text).map(|message| serde_json::to_string(&message).unwrap())
}

#[test]
fn client_messages_come_back_as_they_were_meant() {
    let signal = format!(r#"{{"type":"signal","message":{{"a":1}},"extra":{{"to":"{DEVICE}"}}}}"#);
    let e2e = signal.replace("signal", "e2e");
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
        &e2e,
        r#"{"type":"delete_note","message":"hi"}"#,
        r#"{"type":"delete_note","message":"e2e1.AQ","extra":"e2e1.Ag"}"#,
        r#"{"type":"save_beam","message":"Kitchen"}"#,
        r#"{"type":"keep","message":"1h"}"#,
        r#"{"type":"keep","message":"24h"}"#,
        r#"{"type":"keep","message":null}"#,
        r#"{"type":"arrange","message":{"shared":true,"places":[]}}"#,
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
fn e4_a_short_text_goes_along_with_a_deletion() {
    let with =
        |extra: &str| heard(&format!(r#"{{"type":"delete_note","message":"hi","extra":{extra}}}"#));
    let text = format!("\"{}\"", "x".repeat(MAX_DELETION_EXTRA_BYTES));
    let expected = format!(r#"{{"type":"delete_note","message":"hi","extra":{text}}}"#);
    assert_eq!(with(&text), Ok(expected));
    let longer = format!("\"{}\"", "x".repeat(MAX_DELETION_EXTRA_BYTES + 1));
    assert_eq!(with(&longer), Err(Undecodable::BadFields));
    for nothing in ["null", "7", r#"{"from":"me"}"#, "[]"] {
        assert_eq!(with(nothing).as_deref(), Ok(r#"{"type":"delete_note","message":"hi"}"#));
    }
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
        r#"{"type":"e2e","message":1}"#,
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
        (format!(r#"{{"type":"e2e","extra":{{"to":"{to}"}}}}"#), Subject::device(to)),
        (r#"{"type":"share_clipboard","id":7}"#.to_owned(), Subject::default()),
        (format!(r#"{{"type":"dance","id":"{id}"}}"#), Subject::default()),
        ("[".repeat(9), Subject::default()),
    ] {
        assert_eq!(Subject::of(&text), about, "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_harms_the_reader(text in ".{0,200}") {
        let _ = heard(&text);
    }

    #[test]
    fn no_field_harms_the_reader(
        kind in "auth|share_clipboard|delete_note|save_beam|sync|signal|e2e|.{0,8}",
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
