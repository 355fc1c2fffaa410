//! S28, S30: devices bring back what a kept beam never stored. In each test the numbers up to 100 are of lost memories.

use heliograph_shared::limits::{MAX_LIVE_ITEMS, MAX_WAITING_CHANGES};
use heliograph_shared::socket::{Held, HeldItem, KeepTime, LiveItem};

use super::super::earlier::Earlier;
use super::keeping::kept;
use super::recovery::{six_hundred, wanted};
use super::*;
use crate::budget::tests::budget;

const LOST: u64 = 100;

/// A kept beam as it wakes with these items, which have the numbers of their ids.
fn woken(earlier: Option<Earlier>, numbers: &[u8]) -> Beam {
    woken_in(earlier, numbers, unlimited())
}

fn woken_in(earlier: Option<Earlier>, numbers: &[u8], room: Share) -> Beam {
    let notes = numbers.iter().map(|&number| (stored(number), None));
    let status =
        Status::Unsaved { expires_at: EXPIRES, recorded: true, kept: Some(kept(ADA, EXPIRES)) };
    let items = Items::stored(notes, earlier, 200, room).unwrap();
    let mut beam = Beam::with(Terms { status, items, ..unsaved(true) });
    beam.joins(ADA);
    beam.joins(BOB);
    beam
}

fn stored(number: u8) -> LiveItem {
    LiveItem {
        message: content(&json!(number)),
        extra: "text".to_owned(),
        id: item(number),
        seq: number.into(),
        from: DeviceId::from_bytes([CAT; 16]),
        at: Millis::new(0),
        to: None,
    }
}

fn lost() -> Earlier {
    Earlier { let_go: LOST, known: Vec::new() }
}

impl Beam {
    /// A device brings back whatever is wanted of what it holds, and each item is stored.
    fn brings_stored(&mut self, device: u8, known: (u64, u64), items: &[u8]) {
        let wanted = wanted(&self.holds(device, known, items));
        for &number in items.iter().filter(|&&number| wanted.contains(&json!(item(number)))) {
            let told = self.restores(device, number);
            assert!(matches!(told[..], [Told::ToWrite(Write::PutKept(_))]), "{told:?}");
            self.stores();
        }
    }

    /// The tables catch up: what they are to know.
    fn learns(&mut self) -> Earlier {
        let told = self.tell(Input::StoreNow);
        let [Told::ToWrite(Write::Learnt(earlier))] = &told[..] else { panic!("{told:?}") };
        let earlier = earlier.clone();
        self.stores();
        earlier
    }
}

#[test]
fn s28_what_a_kept_beam_never_stored_comes_back_in_its_place_and_is_stored_first() {
    let mut beam = woken(Some(lost()), &[150]);

    assert_eq!(wanted(&beam.holds(BOB, (1, 9), &[7])), [json!(item(7))]);
    let told = beam.restores(BOB, 7);

    let [Told::ToWrite(Write::PutKept(note))] = &told[..] else { panic!("{told:?}") };
    assert_eq!((note.seq, note.device), (7, DeviceId::from_bytes([CAT; 16])));
    assert_eq!(types(&beam.stores()), [(1, "rec_clipboard"), (2, "rec_clipboard")]);
    assert_eq!(beam.contents(), [json!(7), json!(150)]);
    assert_eq!(beam.page(None)["oldest"], json!(LOST + 1), "what is older was not deleted");
}

#[test]
fn s28_two_devices_bring_an_item_to_a_kept_beam_once() {
    let mut beam = woken(Some(lost()), &[]);
    for device in [ADA, BOB] {
        assert_eq!(wanted(&beam.holds(device, (1, 9), &[7])).len(), 1);
    }
    beam.restores(ADA, 7);
    assert_eq!(beam.restores(BOB, 7), [], "it waits while the first one is stored");

    let told = beam.stores();

    assert!(!told.iter().any(|told| matches!(told, Told::ToWrite(_))), "{told:?}");
    assert_eq!(beam.contents(), [json!(7)]);
}

#[test]
fn s28_what_a_device_saw_deleted_leaves_a_kept_beam_once_that_is_stored() {
    let mut beam = woken(Some(lost()), &[150]);
    beam.brings_stored(BOB, (1, 2), &[1, 2]);

    let told = beam.holds(ADA, (1, 3), &[1, 3]);

    assert_eq!(told, [Told::ToWrite(Write::Delete(vec![item(2)]))]);
    let told = beam.stores();
    assert_eq!(types(&told), [(1, "delete_note"), (2, "delete_note"), (1, "wanted")]);
    assert_eq!(beam.contents(), [json!(1), json!(150)]);
}

#[test]
fn s28_what_a_device_tells_twice_is_deleted_once() {
    let mut beam = woken(Some(lost()), &[]);
    beam.brings_stored(BOB, (1, 3), &[1, 2, 3]);

    let held = Held { known: vec![(1, 2), (2, 3), (1, 3)], items: Vec::new() };
    let told = beam.says(ADA, Saying::Request(Request::Held(held)));

    let [Told::ToWrite(Write::Delete(ids))] = &told[..] else { panic!("{told:?}") };
    assert_eq!(ids[..], [1, 2, 3].map(item));
}

#[test]
fn s28_what_was_deleted_in_a_kept_beam_stays_deleted_after_it_slept() {
    let mut beam = woken(Some(lost()), &[]);
    beam.brings_stored(ADA, (5, 9), &[3, 7, 8]);
    for number in [3, 7] {
        beam.deletes(ADA, &json!(null), Some(number));
        beam.stores();
    }
    let earlier = beam.learns();

    let mut beam = woken(Some(earlier), &[8]);
    let told = beam.holds(BOB, (1, 1), &[3, 7, 8]);

    assert_eq!(types(&told), [(2, "delete_note"), (2, "delete_note")]);
    assert_eq!(beam.contents(), [json!(8)]);
}

#[test]
fn s28_what_is_still_wanted_when_a_kept_beam_sleeps_is_wanted_again() {
    let mut beam = woken(Some(lost()), &[]);
    beam.holds(ADA, (1, 9), &[6, 7, 8]);
    beam.restores(ADA, 6);
    beam.stores();
    let earlier = beam.learns();
    assert_eq!(earlier, Earlier { let_go: LOST, known: vec![(1, 6), (9, 9)] });

    let mut beam = woken(Some(earlier), &[6]);
    let told = beam.holds(BOB, (1, 9), &[6, 7, 8, 9]);

    assert_eq!(wanted(&told), [json!(item(7)), json!(item(8))]);
    assert_eq!(types(&told), [(2, "delete_note"), (2, "wanted")], "9 was deleted");
}

#[test]
fn s28_a_device_that_claims_to_know_everything_closes_no_outbox() {
    let all: Vec<_> = (0..250).collect();
    let mut beam = woken(Some(Earlier { let_go: 1_000, known: Vec::new() }), &all);
    let notes = (1_000..1_500_u128).map(|number| LiveItem {
        id: ItemId::from_random((number << 64).to_be_bytes()),
        seq: u64::try_from(number).unwrap() - 750,
        ..stored(1)
    });
    for item in notes {
        beam.state.items.restore(item);
    }

    let told = beam.says(
        ADA,
        Saying::Request(Request::Held(Held { known: vec![(0, 999)], items: Vec::new() })),
    );

    let [Told::ToWrite(Write::Delete(ids)), ..] = &told[..] else { panic!("nothing is deleted") };
    assert_eq!(ids.len(), 400);
}

#[test]
fn s28_a_kept_beam_asks_for_more_than_an_unsaved_one_holds() {
    let mut beam = woken(Some(Earlier { let_go: 1_000, known: Vec::new() }), &[]);
    let told = beam.says(ADA, Saying::Request(Request::Held(six_hundred())));
    assert_eq!(wanted(&told).len(), 600);
}

#[test]
fn s28_what_cannot_be_stored_stays_on_its_device_in_silence_and_late_joiners_hear_of_it() {
    for (written, is_wanted_again, dropped) in
        [(Written::Full, false, 1), (Written::DiskFull, false, 1), (Written::Unavailable, true, 0)]
    {
        let mut beam = woken(Some(lost()), &[]);
        beam.holds(ADA, (7, 7), &[7]);
        beam.restores(ADA, 7);

        let told = beam.tell(Input::Written(written));

        assert_eq!(types(&told), []);
        assert_eq!(beam.page(None)["dropped"], json!(dropped));
        assert_eq!(wanted(&beam.holds(ADA, (7, 7), &[7])).len(), usize::from(is_wanted_again));
        assert_eq!(beam.page(None)["dropped"], json!(dropped), "it counts once");
    }
}

#[test]
fn s28_what_a_kept_beam_has_no_memory_for_stays_on_its_device() {
    let mut beam = woken_in(
        Some(lost()),
        &[],
        budget(&["--memory-items", "1000"]).nothing(budget::Kind::Items),
    );
    let held = Held { known: Vec::new(), items: vec![HeldItem { id: item(7), seq: 7 }] };
    assert_eq!(wanted(&beam.says(ADA, Saying::Request(Request::Held(held)))).len(), 1);
    let big = LiveItem { message: content(&json!("x".repeat(900))), ..stored(7) };

    assert_eq!(beam.says(ADA, Saying::Request(Request::Restore(big))), []);

    assert_eq!(beam.page(None)["dropped"], json!(1));
}

#[test]
fn s28_what_finds_no_room_to_wait_is_asked_for_again() {
    let mut beam = woken(Some(lost()), &[]);
    beam.holds(ADA, (1, 9), &[7, 8]);
    beam.restores(ADA, 8);
    for _ in 0..MAX_WAITING_CHANGES {
        assert_eq!(beam.asks_to_keep(BOB, Some(KeepTime::Day)), []);
    }
    assert_eq!(wanted(&beam.restores(ADA, 7)), [json!(item(7))]);
}

#[test]
fn s28_items_that_come_back_leave_half_of_the_places_to_others() {
    let mut beam = woken(Some(Earlier { let_go: 1_000, known: Vec::new() }), &[]);
    beam.says(ADA, Saying::Request(Request::Held(six_hundred())));
    let told: Vec<_> = six_hundred()
        .items
        .into_iter()
        .flat_map(|HeldItem { id, seq }| {
            let item = LiveItem { id, seq, ..stored(1) };
            beam.says(ADA, Saying::Request(Request::Restore(item)))
        })
        .collect();

    let is_being_stored = 1;
    assert_eq!(wanted(&told).len(), 600 - is_being_stored - MAX_WAITING_CHANGES / 2);
    for _ in 0..MAX_WAITING_CHANGES / 2 {
        assert_eq!(beam.shares(BOB, 150, &json!("new")), []);
    }
}

#[test]
fn s28_an_item_that_waits_or_is_here_takes_no_other_place() {
    let mut beam = woken(Some(lost()), &[]);
    beam.holds(ADA, (1, 9), &[6, 7, 8]);
    for number in [6, 7] {
        beam.restores(ADA, number);
    }
    beam.stores();

    for _ in 0..=MAX_WAITING_CHANGES {
        assert_eq!(beam.restores(BOB, 8), []);
    }
    for _ in 0..MAX_WAITING_CHANGES / 2 {
        beam.asks_to_keep(BOB, Some(KeepTime::Day));
    }
    assert_eq!(beam.restores(BOB, 6), [], "it is here, so it is not asked for again");
}

#[test]
fn s28_what_had_no_room_before_a_beam_was_kept_is_wanted_as_soon_as_a_device_tells() {
    let items = Items::none_after(1_000, unlimited());
    let mut beam = Beam::with(Terms { items, ..unsaved(true) });
    beam.joins(ADA);
    let held = || Saying::Request(Request::Held(six_hundred()));
    assert_eq!(wanted(&beam.says(ADA, held())).len(), MAX_LIVE_ITEMS);
    for number in 0..=MAX_LIVE_ITEMS {
        let id = ItemId::from_random(u128::try_from(number).unwrap().to_be_bytes());
        let share = Request::Share { message: content(&json!(number)), kind: text(), id, to: None };
        beam.says(ADA, Saying::Request(share));
    }
    let dropped = HeldItem { id: ItemId::from_random([0; 16]), seq: 1_001 };
    let mut all = six_hundred();
    all.items.push(dropped);

    beam.asks_to_keep(ADA, Some(KeepTime::Hour));
    beam.stores();

    assert_eq!(wanted(&beam.says(ADA, Saying::Request(Request::Held(all)))).len(), 601);
}

#[test]
fn s11_what_was_dropped_before_a_beam_was_kept_is_called_deleted_by_no_later_memory() {
    let mut beam = Beam::of(&[ADA]);
    for number in 0..=MAX_LIVE_ITEMS {
        let id = ItemId::from_random(u128::try_from(number).unwrap().to_be_bytes());
        let share = Request::Share { message: content(&json!(number)), kind: text(), id, to: None };
        beam.says(ADA, Saying::Request(share));
    }

    let told = beam.asks_to_keep(ADA, Some(KeepTime::Hour));

    let [Told::ToWrite(Write::Keep { earlier, .. })] = &told[..] else { panic!("{told:?}") };
    let mut later = woken(Some(earlier.clone()), &[150]);
    assert_eq!(later.page(None)["oldest"], beam.page(None)["oldest"]);
    assert_eq!(later.page(None)["oldest"], 2);
    assert_eq!(wanted(&later.holds(BOB, (1, 1), &[1])).len(), 1, "now there is room for it");
}

#[test]
fn s11_a_beam_that_was_stored_without_that_calls_nothing_deleted_that_is_older_than_its_notes() {
    assert_eq!(woken(None, &[40, 50]).page(None)["oldest"], 40);
    assert_eq!(woken(None, &[]).page(None)["oldest"], 201);
}
