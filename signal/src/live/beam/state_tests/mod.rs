//! The rules of a live beam, by their numbers in `PROTOCOL.md`: plain values in, plain values out.

mod addressed;
mod arrangement;
mod items;
mod keeping;
mod kept_files;
mod kept_recovery;
mod memory;
mod recovery;
mod removals;
mod saved;
mod sealed;
mod shared_moves;
mod writes;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::limits::{
    MAX_DEVICES, MAX_LIVE_ITEMS, MAX_MESSAGE_BYTES, MAX_NOTES, MAX_PLACES,
};
use heliograph_shared::names::Kind;
use heliograph_shared::socket::{Device, DeviceUser, JoinPolicy, Json, RelayUse, SyncFrom};
use heliograph_shared::time::Millis;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::ConnectionId;
use super::arrangement::Arrangement;
use super::items::Items;
use super::request::{Deletion, Request};
use super::state::{BeamState, Input, Newcomer, Output, PassedOn, Saying};
use super::terms::{Status, Terms};
use super::write::{Write, Written};
use crate::budget::{self, Budget, Share};

const ADA: u8 = 1;
const BOB: u8 = 2;
const CAT: u8 = 3;
const EXPIRES: Millis = Millis::new(1_000_000);

/// A beam whose devices are numbers: device n joins with socket n.
struct Beam {
    state: BeamState,
    now: Millis,
    may_send_chunks: HashMap<u64, bool>,
}

/// An output of the beam, for one socket where it goes to several.
#[derive(Debug, PartialEq)]
enum Told {
    Message(u64, Value),
    Closed(u64, CloseCode),
    Admitted(u64),
    Recorded,
    ToWrite(Write),
    Lingers,
    StoresSoon,
    Finished,
}

fn newcomer(device: u8, connection: u64) -> Newcomer {
    Newcomer {
        connection: ConnectionId(connection),
        device: Device {
            device_id: DeviceId::from_bytes([device; 16]),
            name: format!("Device {device}"),
            caps: Vec::new(),
            user: DeviceUser::default(),
        },
        plain: false,
        knows_sealed: false,
        creator: false,
        account: None,
        client: None,
        ice_servers: Vec::new(),
        relay: RelayUse::Fallback,
        join_policy: JoinPolicy::Ask,
        upload_bytes: 7,
    }
}

fn content(value: &Value) -> Json {
    RawValue::from_string(value.to_string()).unwrap()
}

fn deletion(message: &Value, id: Option<u8>) -> Deletion {
    Deletion { message: content(message), extra: None, id: id.map(item) }
}

fn text() -> Kind {
    Kind::parse("text".to_owned()).unwrap()
}

fn item(number: u8) -> ItemId {
    ItemId::from_random([number; 16])
}

fn device(number: u8) -> String {
    DeviceId::from_bytes([number; 16]).to_string()
}

fn unsaved(recorded: bool) -> Terms {
    unsaved_in(recorded, unlimited())
}

fn unsaved_in(recorded: bool, room: Share) -> Terms {
    Terms {
        epoch: "epoch".to_owned(),
        status: Status::Unsaved { expires_at: EXPIRES, recorded, kept: None },
        items: Items::none(room),
        arrangement: Arrangement::default(),
        removed: HashSet::new(),
        forgotten: false,
    }
}

fn unlimited() -> Share {
    Budget::unlimited().nothing(budget::Kind::Items)
}

impl Beam {
    fn new() -> Self {
        Self::with(unsaved(true))
    }

    fn with(terms: Terms) -> Self {
        Self { state: BeamState::new(terms), now: Millis::new(0), may_send_chunks: HashMap::new() }
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
                Output::Record(_) => told.push(Told::Recorded),
                Output::AllowChunks(connection, allowed) => {
                    self.may_send_chunks.insert(connection.0, allowed);
                }
                Output::Write(write) => told.push(Told::ToWrite(write)),
                Output::StoreSoon => told.push(Told::StoresSoon),
                Output::Linger => told.push(Told::Lingers),
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
        self.says(
            device,
            Saying::Request(Request::Share { message, kind: text(), id: item(id), to: None }),
        )
    }

    fn deletes(&mut self, device: u8, message: &Value, id: Option<u8>) -> Vec<Told> {
        self.says(device, Saying::Request(Request::Delete(deletion(message, id))))
    }

    /// One page of the beam's items.
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

/// The type of each message, with its socket, in order.
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
    beam.now = Millis::new(5);

    let told = beam.joins(BOB);

    assert_eq!(told[0], Told::Admitted(2));
    let expected = [(2, "auth_success"), (2, "welcome"), (1, "authed_users"), (2, "authed_users")];
    assert_eq!(types(&told), expected);
    let Told::Message(_, welcome) = &told[2] else { panic!() };
    let limits = json!({
        "message_bytes": MAX_MESSAGE_BYTES, "live_items": MAX_LIVE_ITEMS, "stored_items": MAX_NOTES,
        "places": MAX_PLACES, "upload_bytes": 7,
    });
    let expected = json!({"device_id": device(BOB), "ice_servers": [], "expires_at": EXPIRES, "limits": limits, "now": 5, "creator": false, "saved": null});
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

    // A device that joins again moves to the end and initiates its links anew (L1).
    let told = beam.tell(Input::Join(newcomer(CAT, 9)));
    let Some(Told::Message(_, list)) = told.last() else { panic!("{told:?}") };
    assert_eq!(list["message"][1]["device_id"], json!(device(CAT)));
}

#[test]
fn s12_e6_what_is_passed_on_reaches_only_the_device_it_names() {
    for (kind, name) in [(PassedOn::Signal, "signal"), (PassedOn::E2e, "e2e")] {
        let mut beam = Beam::of(&[ADA, BOB, CAT]);
        beam.joins_plain(4);
        let to = |number| Saying::PassOn {
            kind,
            message: content(&json!({"any": "…"})),
            to: DeviceId::from_bytes([number; 16]),
        };

        let told = beam.says(ADA, to(BOB));
        let expected =
            json!({"type": name, "message": {"any": "…"}, "extra": {"from": device(ADA)}});
        assert_eq!(told, [Told::Message(2, expected)]);

        for absent in [77, 4] {
            let told = beam.says(ADA, to(absent));
            let Told::Message(1, error) = &told[0] else { panic!("{told:?}") };
            assert_eq!((&error["type"], &error["extra"]), (&json!("error"), &json!("device_gone")));
            assert_eq!(error["to"], json!(device(absent)));
        }
    }
}

#[test]
fn s17_a_beam_holds_a_hundred_devices() {
    let mut beam = Beam::new();
    for device in 1..=100 {
        assert!(matches!(beam.joins(device)[0], Told::Admitted(_)), "{device}");
    }
    assert_eq!(beam.joins(101), [Told::Closed(101, CloseCode::BeamFull)]);
    // One of the hundred may join again.
    let told = beam.tell(Input::Join(newcomer(ADA, 200)));
    assert_eq!(told[0], Told::Closed(1, CloseCode::Replaced));
    assert_eq!(MAX_DEVICES, 100);
}

#[test]
fn s17_a_lonely_beam_ends_when_it_has_lingered_whatever_the_wall_clock_says() {
    let mut beam = Beam::of(&[ADA]);
    assert_eq!(beam.tell(Input::Gone(ConnectionId(1))), [Told::Lingers]);

    beam.now = EXPIRES - Duration::from_millis(1);
    assert_eq!(beam.tell(Input::Tick), []);
    assert_eq!(beam.state.deadline(), EXPIRES);
    beam.joins(BOB);
    assert_eq!(beam.tell(Input::Lingered), [], "somebody has come in time");

    assert_eq!(beam.tell(Input::Gone(ConnectionId(2))), [Told::Lingers]);
    beam.now = Millis::new(-1_000_000);
    assert_eq!(beam.tell(Input::Tick), []);
    assert_eq!(beam.tell(Input::Lingered), [Told::Finished]);
}

#[test]
fn s17_a_beam_to_which_nobody_comes_ends() {
    assert_eq!(Beam::new().tell(Input::Lingered), [Told::Finished]);
}

#[test]
fn s18_a_beam_ends_at_its_time_for_everybody() {
    let mut beam = Beam::of(&[ADA, BOB]);
    beam.now = EXPIRES - Duration::from_millis(1);
    assert_eq!(beam.tell(Input::Tick), []);
    beam.now = EXPIRES;
    let ended = |connection| Told::Closed(connection, CloseCode::Ended);
    assert_eq!(beam.joins(CAT), [ended(3)]);
    assert_eq!(beam.tell(Input::Tick), [ended(1), ended(2), Told::Finished]);
}

#[test]
fn s2_an_unknown_beam_becomes_a_row_when_something_is_shared_and_only_once() {
    let mut beam = Beam::with(unsaved(false));
    assert!(!beam.joins(ADA).contains(&Told::Recorded));
    assert!(!beam.deletes(ADA, &json!(1), None).contains(&Told::Recorded));
    assert!(beam.shares(ADA, 1, &json!(1)).contains(&Told::Recorded));
    assert!(!beam.shares(ADA, 2, &json!(2)).contains(&Told::Recorded));
}
