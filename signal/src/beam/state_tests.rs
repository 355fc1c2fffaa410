//! The rules of a live beam, by their numbers in `PROTOCOL.md`: plain values in, plain values out.

use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::limits::{
    MAX_DEVICES, MAX_LIVE_BYTES, MAX_LIVE_ITEMS, MAX_MESSAGE_BYTES, SYNC_PAGE_ITEMS,
};
use heliograph_shared::socket::{Device, Json, SyncFrom};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::ConnectionId;
use super::state::{BeamState, Input, Newcomer, Output, Saying, Terms};

const ADA: u8 = 1;
const BOB: u8 = 2;
const CAT: u8 = 3;
const EXPIRES: i64 = 1_000_000;

/// A beam whose devices are numbers: device n joins by socket n.
struct Beam {
    state: BeamState,
    now: i64,
}

/// What one socket was told, or why it was closed.
#[derive(Debug, PartialEq)]
enum Told {
    Message(u64, Value),
    Closed(u64, CloseCode),
    Admitted(u64),
    Recorded,
    Finished,
}

fn newcomer(device: u8, connection: u64) -> Newcomer {
    Newcomer {
        connection: ConnectionId(connection),
        device: Device {
            device_id: DeviceId::from_bytes([device; 16]),
            name: format!("Device {device}"),
            caps: Vec::new(),
        },
        plain: false,
        creator: false,
    }
}

fn content(value: &Value) -> Json {
    RawValue::from_string(value.to_string()).unwrap()
}

fn item(number: u8) -> ItemId {
    ItemId::from_random([number; 16])
}

fn device(number: u8) -> String {
    DeviceId::from_bytes([number; 16]).to_string()
}

impl Beam {
    fn new() -> Self {
        Self::with(Terms { epoch: "epoch".to_owned(), expires_at: EXPIRES, recorded: true })
    }

    fn with(terms: Terms) -> Self {
        Self { state: BeamState::new(terms, 0), now: 0 }
    }

    fn of(devices: &[u8]) -> Self {
        let mut beam = Self::new();
        for &device in devices {
            beam.joins(device);
        }
        beam
    }

    fn tell(&mut self, input: Input) -> Vec<Told> {
        let mut told = Vec::new();
        for output in self.state.handle(input, self.now) {
            match output {
                Output::Admit(connection) => told.push(Told::Admitted(connection.0)),
                Output::Send(to, message) => {
                    let message = serde_json::to_value(message).unwrap();
                    told.extend(to.iter().map(|to| Told::Message(to.0, message.clone())));
                }
                Output::Close(connection, code) => told.push(Told::Closed(connection.0, code)),
                Output::Record => told.push(Told::Recorded),
                Output::Finish => told.push(Told::Finished),
            }
        }
        told
    }

    fn joins(&mut self, device: u8) -> Vec<Told> {
        self.tell(Input::Join(newcomer(device, device.into())))
    }

    fn joins_plain(&mut self, device: u8) -> Vec<Told> {
        self.tell(Input::Join(Newcomer { plain: true, ..newcomer(device, device.into()) }))
    }

    fn says(&mut self, device: u8, saying: Saying) -> Vec<Told> {
        self.tell(Input::Said(ConnectionId(device.into()), saying))
    }

    fn shares(&mut self, device: u8, id: u8, message: &Value) -> Vec<Told> {
        let message = content(message);
        self.says(device, Saying::Share { message, extra: "text".to_owned(), id: item(id) })
    }

    fn deletes(&mut self, device: u8, message: &Value, id: Option<u8>) -> Vec<Told> {
        self.says(device, Saying::Delete { message: content(message), id: id.map(item) })
    }

    /// One page of what the beam holds.
    fn page(&mut self, after: Option<u64>) -> Value {
        match self.says(ADA, Saying::Sync(SyncFrom { after })).pop() {
            Some(Told::Message(1, mut page)) => page["message"].take(),
            other => panic!("{other:?}"),
        }
    }

    fn contents(&mut self) -> Vec<Value> {
        let page = self.page(None);
        page["items"].as_array().unwrap().iter().map(|item| item["message"].clone()).collect()
    }
}

/// The types of what each socket was told, in order.
fn types(told: &[Told]) -> Vec<(u64, &str)> {
    let kind = |told| match told {
        &Told::Message(to, ref message) => Some((to, message["type"].as_str().unwrap())),
        _ => None,
    };
    told.iter().filter_map(kind).collect()
}

#[test]
fn s4_a_newcomer_is_welcomed_and_then_everybody_hears_of_it() {
    let mut beam = Beam::of(&[ADA]);
    beam.now = 5;

    let told = beam.joins(BOB);

    assert_eq!(told[0], Told::Admitted(2));
    let expected = [(2, "auth_success"), (2, "welcome"), (1, "authed_users"), (2, "authed_users")];
    assert_eq!(types(&told), expected);
    let Told::Message(_, welcome) = &told[2] else { panic!() };
    let expected = json!({"device_id": device(BOB), "ice_servers": [], "expires_at": EXPIRES, "now": 5, "creator": false});
    assert_eq!(welcome["message"], expected);
}

#[test]
fn s5_a_device_that_comes_again_replaces_itself_and_late_news_is_ignored() {
    let mut beam = Beam::of(&[ADA, BOB]);

    let told = beam.tell(Input::Join(newcomer(ADA, 9)));

    assert_eq!(told[0], Told::Closed(1, CloseCode::Replaced));
    assert_eq!(beam.tell(Input::Gone(ConnectionId(1))), []);
    assert_eq!(beam.shares(ADA, 1, &json!("late")), []);
    let told = beam.shares(BOB, 1, &json!("hi"));
    assert_eq!(types(&told), [(2, "rec_clipboard"), (9, "rec_clipboard")]);
}

#[test]
fn s6_devices_are_listed_in_the_order_in_which_they_joined() {
    let mut beam = Beam::of(&[CAT, ADA, BOB]);

    let told = beam.tell(Input::Gone(ConnectionId(ADA.into())));
    let Told::Message(3, list) = &told[0] else { panic!("{told:?}") };
    let ids: Vec<_> = list["message"].as_array().unwrap().iter().map(|d| &d["device_id"]).collect();
    assert_eq!(ids, [&json!(device(CAT)), &json!(device(BOB))]);

    // Who comes again is the latest, and initiates its links anew (L1).
    let told = beam.tell(Input::Join(newcomer(CAT, 9)));
    let Some(Told::Message(_, list)) = told.last() else { panic!("{told:?}") };
    assert_eq!(list["message"][1]["device_id"], json!(device(CAT)));
}

#[test]
fn s7_s8_an_item_goes_to_everybody_with_its_place_in_the_order() {
    let mut beam = Beam::of(&[ADA, BOB]);
    beam.now = 42;

    let first = beam.shares(ADA, 1, &json!({"any": ["value", null]}));
    let second = beam.shares(BOB, 2, &json!(null));

    let expected = json!({
        "type": "rec_clipboard", "message": {"any": ["value", null]}, "extra": "text",
        "id": item(1), "seq": 1, "from": device(ADA), "at": 42,
    });
    assert_eq!(first, [Told::Message(1, expected.clone()), Told::Message(2, expected)]);
    let Told::Message(_, second) = &second[0] else { panic!() };
    assert_eq!((&second["seq"], &second["message"]), (&json!(2), &json!(null)));
}

#[test]
fn s9_the_same_item_again_is_echoed_to_its_sender_alone() {
    let mut beam = Beam::of(&[ADA, BOB]);
    let first = beam.shares(ADA, 1, &json!("hi"));
    beam.now = 9;

    let again = beam.shares(ADA, 1, &json!("hi"));

    assert_eq!(again, first[..1]);
    assert_eq!(beam.contents(), [json!("hi")]);
}

#[test]
fn s9_the_same_item_with_other_content_is_replaced() {
    let mut beam = Beam::of(&[ADA, BOB]);
    beam.joins_plain(CAT);
    beam.shares(ADA, 1, &json!("old"));
    beam.shares(ADA, 2, &json!("other"));

    let told = beam.shares(BOB, 1, &json!("new"));

    let expected =
        [(3, "delete_note"), (1, "rec_clipboard"), (2, "rec_clipboard"), (3, "rec_clipboard")];
    assert_eq!(types(&told), expected);
    let Told::Message(_, delete) = &told[0] else { panic!() };
    assert_eq!(*delete, json!({"type": "delete_note", "message": "old"}));
    assert_eq!(beam.contents(), [json!("other"), json!("new")]);
    let Told::Message(_, echo) = &told[1] else { panic!() };
    assert_eq!((&echo["seq"], &echo["from"]), (&json!(3), &json!(device(BOB))));
}

#[test]
fn s9_another_kind_is_another_content() {
    let mut beam = Beam::of(&[ADA]);
    beam.shares(ADA, 1, &json!("hi"));
    let (message, extra) = (content(&json!("hi")), "link".to_owned());
    beam.says(ADA, Saying::Share { message, extra, id: item(1) });
    assert_eq!(beam.page(None)["items"][0]["extra"], "link");
}

#[test]
fn s10_equal_values_are_deleted_and_everybody_hears_of_it() {
    let mut beam = Beam::of(&[ADA, BOB]);
    for (id, value) in [(1, json!("a")), (2, json!({"x": 1, "y": 2})), (3, json!("a"))] {
        beam.shares(ADA, id, &value);
    }

    let told = beam.deletes(BOB, &json!("a"), None);

    let expected = json!({"type": "delete_note", "message": "a"});
    assert_eq!(told, [Told::Message(1, expected.clone()), Told::Message(2, expected)]);
    let turned = RawValue::from_string(r#"{ "y": 2, "x": 1.0 }"#.to_owned()).unwrap();
    beam.says(BOB, Saying::Delete { message: turned, id: None });
    assert_eq!(beam.contents(), [] as [Value; 0]);
}

#[test]
fn s10_with_an_id_only_that_item_goes_and_plain_devices_learn_its_content() {
    let mut beam = Beam::of(&[ADA]);
    beam.shares(ADA, 1, &json!("a"));
    beam.shares(ADA, 2, &json!("a"));

    let told = beam.deletes(ADA, &json!("whatever"), Some(2));

    let expected = json!({"type": "delete_note", "message": "a", "id": item(2)});
    assert_eq!(told, [Told::Message(1, expected)]);
    assert_eq!(beam.page(None)["items"][0]["id"], json!(item(1)));
}

#[test]
fn s11_pages_are_full_until_the_last() {
    for (items, pages) in [(99, 1), (100, 1), (101, 2), (250, 3)] {
        let mut beam = Beam::of(&[ADA]);
        for n in 0..items {
            beam.shares(ADA, n, &json!(n));
        }
        let (mut seen, mut after, mut count) = (Vec::new(), None, 0);
        loop {
            let page = beam.page(after);
            assert_eq!((&page["epoch"], &page["oldest"]), (&json!("epoch"), &json!(1)));
            seen.extend(
                page["items"].as_array().unwrap().iter().map(|i| i["seq"].as_u64().unwrap()),
            );
            count += 1;
            after = page["next"].as_u64();
            if after.is_none() {
                break;
            }
        }
        assert!(seen.iter().copied().eq(1..=u64::from(items)), "{seen:?}");
        assert_eq!(count, pages, "{items} items");
    }
    assert_eq!(SYNC_PAGE_ITEMS, 100);
}

#[test]
fn s11_a_page_is_small_unless_one_item_is_not() {
    let mut beam = Beam::of(&[ADA]);
    let large = json!("x".repeat(MAX_MESSAGE_BYTES));
    for id in 0..3 {
        beam.shares(ADA, id, &large);
    }
    let page = beam.page(Some(1));
    assert_eq!((page["items"].as_array().unwrap().len(), &page["next"]), (1, &json!(2)));
    assert_eq!(beam.page(Some(2))["next"], json!(null));
}

#[test]
fn s11_what_was_let_go_is_told_from_what_was_deleted() {
    let mut beam = Beam::of(&[ADA]);
    for n in 0..=MAX_LIVE_ITEMS {
        let id =
            ItemId::from_random([[0; 8], (n as u64).to_be_bytes()].concat().try_into().unwrap());
        let (message, extra) = (content(&json!(n)), String::new());
        beam.says(ADA, Saying::Share { message, extra, id });
    }
    assert_eq!(beam.page(None)["oldest"], 2);
    beam.deletes(ADA, &json!(1), None);
    let page = beam.page(None);
    assert_eq!((&page["oldest"], &page["items"][0]["seq"]), (&json!(2), &json!(3)));
}

#[test]
fn s12_a_signal_reaches_only_the_device_it_names() {
    let mut beam = Beam::of(&[ADA, BOB, CAT]);
    let signal = |to| Saying::Signal { message: content(&json!({"sdp": "…"})), to };

    let told = beam.says(ADA, signal(DeviceId::from_bytes([BOB; 16])));
    let expected =
        json!({"type": "signal", "message": {"sdp": "…"}, "extra": {"from": device(ADA)}});
    assert_eq!(told, [Told::Message(2, expected)]);

    let told = beam.says(ADA, signal(DeviceId::from_bytes([77; 16])));
    let Told::Message(1, error) = &told[0] else { panic!("{told:?}") };
    assert_eq!((&error["type"], &error["extra"]), (&json!("error"), &json!("device_gone")));
}

#[test]
fn s17_a_beam_holds_a_hundred_devices() {
    let mut beam = Beam::new();
    for device in 1..=100 {
        assert!(matches!(beam.joins(device)[0], Told::Admitted(_)), "{device}");
    }
    assert_eq!(beam.joins(101), [Told::Closed(101, CloseCode::BeamFull)]);
    // One of the hundred may come again.
    let told = beam.tell(Input::Join(newcomer(ADA, 200)));
    assert_eq!(told[0], Told::Closed(1, CloseCode::Replaced));
    assert_eq!(MAX_DEVICES, 100);
}

#[test]
fn s17_the_oldest_items_go_first() {
    let mut beam = Beam::of(&[ADA]);
    let large = "x".repeat(MAX_MESSAGE_BYTES - 10);
    let fitting = u8::try_from(MAX_LIVE_BYTES / MAX_MESSAGE_BYTES).unwrap();
    for id in 0..fitting {
        beam.shares(ADA, id, &json!(large));
    }
    assert_eq!(beam.page(None)["oldest"], 1);

    beam.shares(ADA, fitting, &json!(large));

    let page = beam.page(None);
    assert_eq!((&page["oldest"], &page["items"][0]["seq"]), (&json!(2), &json!(2)));
}

#[test]
fn s17_deleting_makes_room() {
    let mut beam = Beam::of(&[ADA]);
    let large = "x".repeat(MAX_MESSAGE_BYTES - 10);
    for id in 0..200 {
        beam.shares(ADA, id, &json!(large));
        if id % 2 == 0 {
            beam.deletes(ADA, &json!(large), None);
        } else {
            beam.deletes(ADA, &json!(null), Some(id));
        }
    }
    assert_eq!(beam.page(None)["oldest"], 1);
}

#[test]
fn s17_a_lonely_beam_ends_after_a_minute_and_not_before() {
    let mut beam = Beam::of(&[ADA]);
    assert_eq!(beam.state.deadline(), EXPIRES);
    beam.now = 1_000;
    beam.tell(Input::Gone(ConnectionId(1)));
    assert_eq!(beam.state.deadline(), 61_000);

    beam.now = 60_999;
    assert_eq!(beam.tell(Input::Tick), []);
    beam.joins(BOB);
    assert_eq!(beam.state.deadline(), EXPIRES);
    beam.tell(Input::Gone(ConnectionId(2)));
    beam.now = 60_999 + 60_000;
    assert_eq!(beam.tell(Input::Tick), [Told::Finished]);
}

#[test]
fn s18_a_beam_ends_at_its_time_for_everybody() {
    let mut beam = Beam::of(&[ADA, BOB]);
    beam.now = EXPIRES - 1;
    assert_eq!(beam.tell(Input::Tick), []);
    beam.now = EXPIRES;
    let ended = |connection| Told::Closed(connection, CloseCode::Ended);
    assert_eq!(beam.joins(CAT), [ended(3)]);
    assert_eq!(beam.tell(Input::Tick), [ended(1), ended(2), Told::Finished]);
}

#[test]
fn s2_an_unknown_beam_becomes_a_row_when_something_is_shared_and_only_once() {
    let terms = Terms { epoch: String::new(), expires_at: EXPIRES, recorded: false };
    let mut beam = Beam::with(terms);
    assert!(!beam.joins(ADA).contains(&Told::Recorded));
    assert!(!beam.deletes(ADA, &json!(1), None).contains(&Told::Recorded));
    assert!(beam.shares(ADA, 1, &json!(1)).contains(&Told::Recorded));
    assert!(!beam.shares(ADA, 2, &json!(2)).contains(&Told::Recorded));
}

#[test]
fn b4_nobody_can_save_a_beam_who_is_not_logged_in() {
    let told = Beam::of(&[ADA]).says(ADA, Saying::Save);
    let Told::Message(1, error) = &told[0] else { panic!("{told:?}") };
    assert_eq!(error["message"], "Log in to save this beam.");
    assert_eq!(error["extra"], "unauthorized");
}
