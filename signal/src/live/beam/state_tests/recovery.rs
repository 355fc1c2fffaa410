//! S28: devices bring back what the server has lost. In each test the numbers up to 100 are of lost memories.

use heliograph_shared::limits::MAX_LIVE_ITEMS;
use heliograph_shared::socket::{Held, HeldItem, LiveItem};

use super::*;
use crate::budget::tests::budget;

const START: u64 = 100;

/// A beam after a restart, with these devices.
fn restarted(devices: &[u8]) -> Beam {
    let terms = Terms { items: Items::none_after(START, unlimited()), ..unsaved(true) };
    let mut beam = Beam::with(terms);
    for &device in devices {
        beam.joins(device);
    }
    beam
}

impl Beam {
    /// A device knows everything in this range, and holds the items with these numbers, which are also their ids.
    pub(super) fn holds(&mut self, device: u8, known: (u64, u64), items: &[u8]) -> Vec<Told> {
        let items = items.iter().map(|&n| HeldItem { id: item(n), seq: n.into() }).collect();
        let held = Held { known: vec![known], items };
        self.says(device, Saying::Request(Request::Held(held)))
    }

    pub(super) fn restores(&mut self, device: u8, number: u8) -> Vec<Told> {
        self.restores_as(device, number, u64::from(number))
    }

    fn restores_as(&mut self, device: u8, number: u8, seq: u64) -> Vec<Told> {
        self.restores_for(device, number, seq, None)
    }

    fn restores_for(
        &mut self,
        device: u8,
        number: u8,
        seq: u64,
        to: Option<DeviceId>,
    ) -> Vec<Told> {
        let item = LiveItem {
            message: content(&json!(number)),
            extra: "text".to_owned(),
            id: item(number),
            seq,
            from: DeviceId::from_bytes([CAT; 16]),
            at: Millis::new(i64::from(number)),
            to,
        };
        self.says(device, Saying::Request(Request::Restore(item)))
    }

    /// A device holds these and brings back whatever is wanted.
    pub(super) fn brings(&mut self, device: u8, known: (u64, u64), items: &[u8]) {
        let told = self.holds(device, known, items);
        let wanted = wanted(&told);
        for &number in items.iter().filter(|&&number| wanted.contains(&json!(item(number)))) {
            self.restores(device, number);
        }
    }
}

/// The items that a device is asked for.
pub(super) fn wanted(told: &[Told]) -> Vec<Value> {
    let ids = told.iter().filter_map(|told| match told {
        Told::Message(_, message) if message["type"] == "wanted" => message["message"].as_array(),
        _ => None,
    });
    ids.flatten().cloned().collect()
}

/// What a device is told that holds an item which was deleted.
fn gone(device: u8, number: u8, proof: Option<&str>) -> Told {
    let mut deletion = json!({"type": "delete_note", "message": null, "id": item(number)});
    if let Some(proof) = proof {
        deletion["extra"] = json!(proof);
    }
    Told::Message(device.into(), deletion)
}

#[test]
fn s28_items_come_back_in_their_order_with_their_device_and_time() {
    let mut beam = restarted(&[ADA, BOB]);
    beam.now = Millis::new(1_000);
    beam.shares(BOB, 200, &json!("new"));

    let told = beam.holds(ADA, (1, 3), &[1, 3]);
    assert_eq!(wanted(&told), [json!(item(1)), json!(item(3))]);
    let told = beam.restores(ADA, 3);
    assert_eq!(types(&told), [(1, "rec_clipboard"), (2, "rec_clipboard")]);
    beam.restores(ADA, 1);

    let page = beam.page(None);
    let numbers: Vec<_> =
        page["items"].as_array().unwrap().iter().map(|item| item["seq"].clone()).collect();
    assert_eq!(numbers, [json!(1), json!(3), json!(START + 1)]);
    let first = &page["items"][0];
    assert_eq!((&first["from"], &first["at"]), (&json!(device(CAT)), &json!(1)));
    assert_eq!(page["oldest"], json!(START + 1), "what is older was not deleted");
}

#[test]
fn s28_an_item_for_one_device_does_not_come_back() {
    let mut beam = restarted(&[ADA, BOB]);
    beam.holds(ADA, (1, 1), &[1]);
    let to = Some(DeviceId::from_bytes([BOB; 16]));

    assert_eq!(beam.restores_for(ADA, 1, 1, to), []);

    assert_eq!(beam.contents(), Vec::<Value>::new());
}

#[test]
fn s31_a_beam_whose_items_came_back_has_forgotten_nothing() {
    let terms =
        Terms { items: Items::none_after(START, unlimited()), forgotten: true, ..unsaved(true) };
    let mut beam = Beam::with(terms);
    beam.joins(ADA);
    beam.brings(ADA, (1, 1), &[1]);
    beam.deletes(ADA, &json!(1), Some(1));

    let told = beam.joins(BOB);

    let Told::Message(_, welcome) = &told[2] else { panic!("{told:?}") };
    assert_eq!(welcome["message"].get("forgotten"), None);
}

#[test]
fn s28_two_devices_bring_each_item_once() {
    let mut beam = restarted(&[ADA, BOB]);
    beam.holds(ADA, (1, 2), &[1, 2]);
    assert_eq!(
        wanted(&beam.holds(BOB, (1, 2), &[1, 2])).len(),
        2,
        "the other one may be gone soon"
    );
    beam.restores(ADA, 1);
    assert_eq!(beam.restores(BOB, 1), []);
    beam.restores(BOB, 2);
    assert_eq!(beam.contents(), [json!(1), json!(2)]);
    assert_eq!(beam.holds(BOB, (1, 2), &[1, 2]), []);
}

#[test]
fn s28_what_somebody_saw_deleted_does_not_come_back_from_a_device_that_slept() {
    let mut beam = restarted(&[ADA, BOB]);
    beam.brings(ADA, (1, 3), &[1, 3]);

    let told = beam.holds(BOB, (1, 2), &[1, 2]);

    assert_eq!(told, [gone(BOB, 2, None)]);
    assert_eq!(beam.restores(BOB, 2), [gone(BOB, 2, None)]);
    assert_eq!(beam.contents(), [json!(1), json!(3)]);
}

#[test]
fn s28_what_is_deleted_before_anybody_tells_of_it_does_not_come_back_and_its_proof_goes_along() {
    let mut beam = restarted(&[ADA]);
    let deletion = Deletion { extra: Some("a proof".to_owned()), ..deletion(&json!(1), Some(1)) };
    beam.says(ADA, Saying::Request(Request::Delete(deletion)));
    beam.joins(BOB);

    let told = beam.holds(BOB, (1, 2), &[1, 2]);

    assert_eq!(told[0], gone(BOB, 1, Some("a proof")));
    assert_eq!(wanted(&told), [json!(item(2))]);
    assert_eq!(beam.restores(BOB, 1), [gone(BOB, 1, Some("a proof"))]);
    beam.restores(BOB, 2);
    assert_eq!(beam.contents(), [json!(2)]);
    beam.shares(ADA, 1, &json!("undone"));
    assert_eq!(beam.holds(BOB, (1, 2), &[1, 2]), []);
}

#[test]
fn s28_who_brings_back_what_another_knows_to_be_deleted_is_told() {
    let mut beam = restarted(&[ADA, BOB]);
    beam.holds(BOB, (1, 2), &[1, 2]);
    beam.holds(ADA, (1, 2), &[2]);
    assert_eq!(beam.restores(BOB, 1), [gone(BOB, 1, None)]);
    beam.restores(BOB, 2);
    assert_eq!(beam.contents(), [json!(2)]);
}

#[test]
fn s28_what_a_sleeper_brought_back_goes_when_somebody_knows_better() {
    let mut beam = restarted(&[ADA, BOB]);
    beam.brings(BOB, (1, 2), &[1, 2]);
    assert_eq!(beam.contents(), [json!(1), json!(2)]);

    let told = beam.holds(ADA, (1, 3), &[1, 3]);

    let types: Vec<_> = types(&told);
    assert_eq!(types, [(1, "delete_note"), (2, "delete_note"), (1, "wanted")]);
    assert_eq!(beam.contents(), [json!(1)]);
}

#[test]
fn s28_what_was_deleted_after_the_restart_does_not_come_back() {
    let mut beam = restarted(&[ADA, BOB]);
    beam.brings(ADA, (1, 2), &[1, 2]);
    beam.deletes(ADA, &json!(null), Some(1));
    beam.holds(ADA, (1, 2), &[1, 2]);
    beam.brings(BOB, (1, 2), &[1, 2]);
    assert_eq!(beam.contents(), [json!(2)]);
}

#[test]
fn s28_an_item_that_is_deleted_while_it_is_wanted_is_not_taken() {
    let mut beam = restarted(&[ADA]);
    beam.holds(ADA, (1, 1), &[1]);
    beam.deletes(ADA, &json!(1), Some(1));
    assert_eq!(beam.restores(ADA, 1), [gone(ADA, 1, None)]);
    assert_eq!(beam.contents(), [json!(null); 0]);
}

#[test]
fn s28_what_no_range_covers_comes_back_however_late() {
    let mut beam = restarted(&[ADA, BOB]);
    beam.brings(ADA, (5, 9), &[5]);
    beam.brings(BOB, (1, 2), &[1, 2]);
    assert_eq!(beam.contents(), [json!(1), json!(2), json!(5)]);
}

#[test]
fn s28_only_what_is_wanted_is_taken_and_only_under_its_number() {
    let mut beam = restarted(&[ADA]);
    assert_eq!(beam.restores(ADA, 7), []);
    assert_eq!(beam.holds(ADA, (101, 200), &[150]), [], "no number of this memory");
    beam.holds(ADA, (1, 9), &[7, 8]);
    assert_eq!(beam.restores_as(ADA, 7, 8), []);
    beam.restores(ADA, 8);
    assert_eq!(beam.contents(), [json!(8)]);
}

#[test]
fn s28_no_two_items_have_one_number() {
    let mut beam = restarted(&[ADA]);
    let items = [1, 2].map(|n| HeldItem { id: item(n), seq: 5 }).to_vec();
    beam.says(ADA, Saying::Request(Request::Held(Held { known: Vec::new(), items })));
    beam.restores_as(ADA, 1, 5);
    beam.restores_as(ADA, 2, 5);
    assert_eq!(beam.contents(), [json!(1)]);
}

#[test]
fn s28_the_newer_version_of_an_item_counts() {
    let mut beam = restarted(&[ADA, BOB]);
    beam.brings(ADA, (1, 1), &[1]);
    let newer = Held { known: vec![(1, 9)], items: vec![HeldItem { id: item(1), seq: 9 }] };
    assert_eq!(wanted(&beam.says(BOB, Saying::Request(Request::Held(newer)))).len(), 1);
    let told = beam.restores_as(BOB, 1, 9);
    assert_eq!(types(&told).last(), Some(&(2, "rec_clipboard")));
    let page = beam.page(None);
    assert_eq!((&page["items"][0]["seq"], page["items"].as_array().unwrap().len()), (&json!(9), 1));
}

/// What a device tells that holds 600 items and knows that there are no others.
pub(super) fn six_hundred() -> Held {
    let items = (1..=600_u64).map(|seq| {
        let mut bytes = [1; 16];
        bytes[..8].copy_from_slice(&seq.to_be_bytes());
        HeldItem { id: ItemId::from_random(bytes), seq }
    });
    Held { known: vec![(1, 600)], items: items.collect() }
}

/// A beam whose numbers up to 1,000 are of lost memories, with this room and two devices.
fn restarted_with(room: Share) -> Beam {
    let terms = Terms { items: Items::none_after(1_000, room), ..unsaved(true) };
    let mut beam = Beam::with(terms);
    beam.joins(ADA);
    beam.joins(BOB);
    beam
}

#[test]
fn s28_more_is_never_wanted_than_a_beam_keeps_and_the_newest_come_first() {
    let mut beam = restarted_with(unlimited());
    let held = six_hundred();
    let first = json!(held.items[100].id);
    let wanted = wanted(&beam.says(ADA, Saying::Request(Request::Held(held))));
    assert_eq!((wanted.len(), &wanted[0]), (MAX_LIVE_ITEMS, &first));
}

#[test]
fn s28_what_is_not_wanted_for_lack_of_room_is_called_deleted_on_no_device() {
    let mut beam = restarted_with(unlimited());
    let held = || Saying::Request(Request::Held(six_hundred()));
    beam.says(ADA, held());
    let told = beam.says(BOB, held());
    assert_eq!(types(&told), [(2, "wanted")]);
    for HeldItem { id, seq } in six_hundred().items {
        let message = content(&json!(seq));
        let (extra, from) = ("text".to_owned(), DeviceId::from_bytes([CAT; 16]));
        let item = LiveItem { message, extra, id, seq, from, at: Millis::new(0), to: None };
        beam.says(ADA, Saying::Request(Request::Restore(item)));
    }
    assert_eq!([ADA, BOB].map(|device| beam.says(device, held())), [[], []]);
}

#[test]
fn s28_an_older_wanted_item_makes_way_for_a_newer_one_and_is_not_called_deleted() {
    let mut beam = restarted_with(unlimited());
    let mut older = six_hundred();
    older.items.truncate(MAX_LIVE_ITEMS);
    older.known = vec![(1, 500)];
    beam.says(ADA, Saying::Request(Request::Held(older.clone())));
    let told = beam.says(BOB, Saying::Request(Request::Held(six_hundred())));
    assert_eq!(
        wanted(&told).last(),
        six_hundred().items.last().map(|item| json!(item.id)).as_ref()
    );
    let told = beam.says(ADA, Saying::Request(Request::Held(older)));
    assert_eq!((types(&told), wanted(&told).len()), (vec![(1, "wanted")], 400));
}

#[test]
fn s28_what_the_server_has_no_memory_for_is_called_deleted_on_no_device() {
    let mut beam = restarted_with(budget(&["--memory-items", "4000"]).nothing(budget::Kind::Items));
    let held = || Saying::Request(Request::Held(six_hundred()));
    assert_eq!([ADA, BOB].map(|device| beam.says(device, held())), [[], []]);
}

#[test]
fn s28_a_beam_that_has_items_dropped_for_lack_of_room_calls_them_not_deleted() {
    let mut beam = restarted(&[ADA]);
    beam.brings(ADA, (1, 3), &[1, 2, 3]);
    for id in 0..MAX_LIVE_ITEMS {
        let id = u8::try_from(id % 200).unwrap();
        beam.shares(ADA, id.wrapping_add(20), &json!(id));
    }
    let big = json!("x".repeat(250 * 1024));
    for id in 20..60 {
        beam.shares(ADA, id, &big);
    }
    assert!(beam.page(None)["dropped"].as_u64().unwrap() > 3);
    assert_eq!(beam.holds(ADA, (1, 3), &[1, 2, 3]), []);
}

#[test]
fn s29_what_finds_no_room_after_a_restart_counts_as_dropped_once() {
    let mut beam = restarted_with(unlimited());
    for device in [ADA, BOB, ADA] {
        beam.says(device, Saying::Request(Request::Held(six_hundred())));
        assert_eq!(beam.page(None)["dropped"], json!(600 - MAX_LIVE_ITEMS));
    }
}

#[test]
fn s29_what_finds_no_memory_after_a_restart_counts_as_dropped_once() {
    let mut beam = restarted_with(budget(&["--memory-items", "4000"]).nothing(budget::Kind::Items));
    for device in [ADA, BOB] {
        beam.says(device, Saying::Request(Request::Held(six_hundred())));
        assert_eq!(beam.page(None)["dropped"], json!(600));
    }
}

#[test]
fn s28_what_no_range_covers_and_was_deleted_does_not_come_back() {
    let mut beam = restarted(&[ADA, BOB]);
    beam.brings(ADA, (5, 9), &[3]);
    beam.deletes(ADA, &json!(null), Some(3));
    let told = beam.holds(BOB, (1, 1), &[3]);
    assert_eq!(types(&told), [(2, "delete_note")]);
}
