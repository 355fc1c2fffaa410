//! Keeping an unsaved beam: on request, stored before it is told, and over at its time (S30, S31).

use heliograph_shared::limits::MAX_LIVE_ITEMS;
use heliograph_shared::socket::{KeepTime, Kept};

use super::saved::{OWNER, outcome, visitor};
use super::*;

pub(super) const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

pub(super) fn kept(device: u8, until: Millis) -> Kept {
    Kept { until, by: DeviceId::from_bytes([device; 16]) }
}

/// What the devices are told about the keeping.
fn news(told: &[Told]) -> Vec<(u64, Value)> {
    let of = |told: &Told| match told {
        Told::Message(to, message) if message["type"] == "kept" => {
            Some((*to, message["message"].clone()))
        }
        _ => None,
    };
    told.iter().filter_map(of).collect()
}

impl Beam {
    pub(super) fn asks_to_keep(&mut self, device: u8, time: Option<KeepTime>) -> Vec<Told> {
        self.says(device, Saying::Request(Request::Keep(time)))
    }

    /// A beam with these devices, which Ada keeps for an hour from the time 0.
    fn kept(devices: &[u8]) -> Self {
        let mut beam = Self::of(devices);
        beam.asks_to_keep(ADA, Some(KeepTime::Hour));
        beam.stores();
        beam
    }

    fn welcome(&mut self, device: u8) -> Value {
        let told = self.joins(device);
        let welcome = told.into_iter().find_map(|told| match told {
            Told::Message(_, message) if message["type"] == "welcome" => Some(message),
            _ => None,
        });
        welcome.unwrap()["message"].take()
    }
}

#[test]
fn s30_nothing_is_stored_before_somebody_asks_and_then_everything_is() {
    let mut beam = Beam::of(&[ADA, BOB]);
    for n in 1..=2 {
        let told = beam.shares(BOB, n, &json!(n));
        assert!(!told.iter().any(|told| matches!(told, Told::ToWrite(_))));
    }

    let told = beam.asks_to_keep(BOB, Some(KeepTime::Day));

    let [Told::ToWrite(Write::Keep { kept: wish, expires_at, notes, .. })] = &told[..] else {
        panic!("{told:?}")
    };
    assert_eq!((*wish, *expires_at), (kept(BOB, Millis::new(0) + DAY), EXPIRES));
    let contents: Vec<_> = notes.iter().map(|note| note.content.as_str()).collect();
    assert_eq!(contents, ["1", "2"]);
    let told = beam.stores();
    let expected = json!(kept(BOB, Millis::new(0) + DAY));
    assert_eq!(news(&told), [(1, expected.clone()), (2, expected.clone())]);
    assert_eq!(beam.welcome(CAT)["kept"], expected);
}

#[test]
fn s30_in_a_kept_beam_nothing_is_echoed_before_it_is_stored() {
    let mut beam = Beam::kept(&[ADA, BOB]);

    let told = beam.shares(BOB, 1, &json!("hi"));
    let [Told::ToWrite(Write::PutKept(note))] = &told[..] else { panic!("{told:?}") };
    assert_eq!(note.content, "\"hi\"");
    assert_eq!(types(&beam.stores()), [(1, "rec_clipboard"), (2, "rec_clipboard")]);

    // As in any unsaved beam, everybody may edit and delete.
    let told = beam.shares(ADA, 1, &json!("hello"));
    assert!(matches!(&told[..], [Told::ToWrite(Write::PutKept(_))]), "{told:?}");
    beam.stores();
    let told = beam.deletes(ADA, &json!("hello"), None);
    assert_eq!(told, [Told::ToWrite(Write::Delete(vec![item(1)]))]);
    assert_eq!(types(&beam.stores()), [(1, "delete_note"), (2, "delete_note")]);
    assert_eq!(beam.contents(), [] as [Value; 0]);
    let told = beam.deletes(ADA, &json!("nothing"), None);
    assert_eq!(types(&told), [(1, "delete_note"), (2, "delete_note")]);
}

#[test]
fn s30_who_asked_and_the_creator_end_it_and_nobody_else() {
    for (who, expected) in [(ADA, "yes"), (BOB, "forbidden"), (CAT, "yes")] {
        let mut beam = Beam::kept(&[ADA, BOB]);
        beam.tell(Input::Join(Newcomer { creator: true, ..newcomer(CAT, CAT.into()) }));

        let told = beam.asks_to_keep(who, None);

        assert_eq!(outcome(&told), expected, "{who}");
        if expected == "yes" {
            assert_eq!(told, [Told::ToWrite(Write::StopKeeping)]);
            assert_eq!(news(&beam.stores()).len(), 3);
            assert_eq!(beam.welcome(9).get("kept"), None);
        }
    }
}

#[test]
fn s30_anybody_makes_it_longer_and_it_stays_with_who_asked_first() {
    let mut beam = Beam::kept(&[ADA, BOB]);
    beam.tell(Input::Join(Newcomer { creator: true, ..newcomer(CAT, CAT.into()) }));
    beam.now = Millis::new(1);
    beam.shares(ADA, 1, &json!("hi"));
    beam.stores();
    let told = beam.asks_to_keep(BOB, Some(KeepTime::Day));
    let [Told::ToWrite(Write::Keep { kept: wish, notes, .. })] = &told[..] else {
        panic!("{told:?}")
    };
    // The time for which they were stored may be over when the wish gets there.
    assert_eq!((*wish, notes.len()), (kept(ADA, Millis::new(1) + DAY), 1));
    let longer = json!(kept(ADA, Millis::new(1) + DAY));
    assert_eq!(news(&beam.stores()), [1, 2, 3].map(|to| (to, longer.clone())));

    for shorter in [Some(KeepTime::Hour), None] {
        assert_eq!(outcome(&beam.asks_to_keep(BOB, shorter)), "forbidden");
    }
    for who in [CAT, ADA] {
        let told = beam.asks_to_keep(who, Some(KeepTime::Hour));
        assert_eq!(outcome(&told), "yes", "{who}");
        assert_eq!(news(&beam.stores())[0].1, json!(kept(ADA, Millis::new(1) + HOUR)));
    }
}

#[test]
fn s30_a_keeping_that_is_over_belongs_to_nobody() {
    let mut beam = Beam::kept(&[ADA, BOB]);
    beam.asks_to_keep(ADA, None);
    beam.stores();

    beam.asks_to_keep(BOB, Some(KeepTime::Hour));

    assert_eq!(news(&beam.stores())[0].1, json!(kept(BOB, Millis::new(0) + HOUR)));
    assert_eq!(outcome(&beam.asks_to_keep(ADA, None)), "forbidden");
}

#[test]
fn s30_it_ends_at_its_time_and_what_is_live_stays_live() {
    let mut beam = Beam::with(Terms {
        status: Status::Unsaved { expires_at: Millis::MAX, recorded: true, kept: None },
        ..unsaved(true)
    });
    beam.joins(ADA);
    beam.shares(ADA, 1, &json!("hi"));
    beam.asks_to_keep(ADA, Some(KeepTime::Hour));
    beam.stores();
    let until = Millis::new(0) + HOUR;
    assert_eq!(beam.state.deadline(), until);

    beam.now = until - Duration::from_millis(1);
    assert_eq!(beam.tell(Input::Tick), []);
    beam.now = until;
    assert_eq!(news(&beam.tell(Input::Tick)), [(1, Value::Null)]);

    assert_eq!(beam.contents(), ["hi"]);
    assert_eq!(types(&beam.shares(ADA, 2, &json!("live"))), [(1, "rec_clipboard")]);
}

#[test]
fn s30_the_beam_lives_as_long_as_it_is_kept() {
    let mut beam = Beam::kept(&[ADA]);
    assert!(EXPIRES < Millis::new(0) + HOUR);

    beam.now = EXPIRES;
    assert_eq!(beam.tell(Input::Tick), []);
    assert_eq!(beam.welcome(BOB)["expires_at"], json!(Millis::new(0) + HOUR));
    beam.now = Millis::new(0) + HOUR;
    let told = beam.tell(Input::Tick);
    assert!(told.contains(&Told::Closed(1, CloseCode::Ended)), "{told:?}");
}

#[test]
fn s30_an_item_that_is_being_stored_when_the_time_is_over_goes_on_in_memory() {
    let mut beam = Beam::with(Terms {
        status: Status::Unsaved { expires_at: Millis::MAX, recorded: true, kept: None },
        ..unsaved(true)
    });
    beam.joins(ADA);
    beam.asks_to_keep(ADA, Some(KeepTime::Hour));
    beam.stores();
    beam.now = Millis::new(0) + HOUR - Duration::from_millis(1);
    beam.shares(ADA, 1, &json!("late"));
    assert_eq!(beam.shares(ADA, 2, &json!("waits")), []);
    beam.now = Millis::new(0) + HOUR;

    let told = beam.tell(Input::Written(Written::Refused));

    assert_eq!(types(&told), [(1, "rec_clipboard"), (1, "kept"), (1, "rec_clipboard")]);
    assert_eq!(beam.contents(), ["late", "waits"]);
}

#[test]
fn s30_what_cannot_be_stored_is_refused_with_its_reason() {
    for (written, code) in [
        (Written::Full, "no_room"),
        (Written::DiskFull, "no_room"),
        (Written::Unavailable, "unavailable"),
    ] {
        let mut beam = Beam::of(&[ADA]);
        beam.asks_to_keep(ADA, Some(KeepTime::Hour));
        assert_eq!(outcome(&beam.tell(Input::Written(written))), code);
        assert_eq!(beam.welcome(BOB).get("kept"), None);
    }
    let mut beam = Beam::kept(&[ADA]);
    beam.shares(ADA, 1, &json!("hi"));
    assert_eq!(outcome(&beam.tell(Input::Written(Written::Full))), "no_room");
    assert_eq!(beam.contents(), [] as [Value; 0]);
}

#[test]
fn s30_a_kept_beam_drops_nothing_for_lack_of_room_until_it_is_kept_no_longer() {
    let mut beam = Beam::kept(&[ADA]);
    for n in 0..=MAX_LIVE_ITEMS {
        let [high, low] = u16::try_from(n).unwrap().to_be_bytes();
        let id = ItemId::from_random([high, low, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
        let share = Request::Share { message: content(&json!(n)), kind: text(), id, to: None };
        beam.says(ADA, Saying::Request(share));
        beam.stores();
    }
    assert_eq!(beam.state.items.all().count(), MAX_LIVE_ITEMS + 1);

    beam.asks_to_keep(ADA, None);
    beam.stores();

    assert_eq!(beam.state.items.all().count(), MAX_LIVE_ITEMS);
}

#[test]
fn s30_plain_devices_hear_nothing_of_it() {
    let mut beam = Beam::of(&[ADA]);
    beam.joins_plain(BOB);
    beam.asks_to_keep(ADA, Some(KeepTime::Hour));
    assert_eq!(types(&beam.stores()), [(1, "kept")]);
}

#[test]
fn s30_a_saved_beam_needs_no_keeping_and_a_kept_one_is_saved_whole() {
    let mut beam = Beam::kept(&[ADA]);
    beam.shares(ADA, 1, &json!("hi"));
    beam.stores();
    beam.tell(Input::Join(Newcomer { creator: true, ..visitor(OWNER) }));

    let told = beam.saves(OWNER, "Trip");
    let [Told::ToWrite(Write::Save { notes, .. })] = &told[..] else { panic!("{told:?}") };
    assert_eq!(notes.len(), 1);
    beam.stores();

    assert_eq!(outcome(&beam.asks_to_keep(ADA, Some(KeepTime::Hour))), "bad_request");
    assert_eq!(beam.welcome(BOB).get("kept"), None);
}

#[test]
fn s31_a_beam_without_what_was_shared_in_it_says_so_until_something_is_shared() {
    let mut beam = Beam::with(Terms { forgotten: true, ..unsaved(true) });
    assert_eq!(beam.welcome(ADA)["forgotten"], true);

    beam.shares(ADA, 1, &json!("new"));
    assert_eq!(beam.welcome(BOB).get("forgotten"), None);
    beam.deletes(ADA, &json!("new"), None);
    assert_eq!(beam.welcome(CAT).get("forgotten"), None, "a person deleted it");
}

#[test]
fn s30_s33_an_item_for_one_device_is_not_kept() {
    let mut beam = Beam::of(&[ADA, BOB]);
    let to = Some(DeviceId::from_bytes([BOB; 16]));
    let share = |n: u8| Request::Share {
        message: content(&json!("for Bob")),
        kind: text(),
        id: item(n),
        to,
    };
    beam.says(ADA, Saying::Request(share(1)));

    let told = beam.asks_to_keep(ADA, Some(KeepTime::Hour));
    assert!(
        matches!(&told[..], [Told::ToWrite(Write::Keep { notes, .. })] if notes.is_empty()),
        "{told:?}"
    );
    beam.stores();
    let told = beam.says(ADA, Saying::Request(share(2)));
    assert!(!told.iter().any(|told| matches!(told, Told::ToWrite(_))), "{told:?}");
}
