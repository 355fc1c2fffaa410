//! Items: shared, replaced, deleted, kept, and pulled in pages.

use heliograph_shared::ids::ItemId;
use heliograph_shared::limits::{
    MAX_LIVE_BYTES, MAX_LIVE_ITEMS, MAX_MESSAGE_BYTES, SYNC_PAGE_ITEMS,
};
use heliograph_shared::names::Kind;
use heliograph_shared::time::Millis;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::request::{Deletion, Request};
use super::{ADA, BOB, Beam, CAT, Saying, Told, content, device, item, types};

#[test]
fn s7_s8_an_item_goes_to_everybody_with_its_place_in_the_order() {
    let mut beam = Beam::of(&[ADA, BOB]);
    beam.now = Millis::new(42);

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
    beam.now = Millis::new(9);

    let again = beam.shares(ADA, 1, &json!("hi"));

    assert_eq!(again, first[..1]);
    assert_eq!(beam.contents(), [json!("hi")]);
}

#[test]
fn s9_the_same_item_with_other_content_is_replaced() {
    let mut beam = Beam::of(&[ADA, BOB]);
    beam.joins_plain(CAT);
    beam.now = Millis::new(1);
    beam.shares(ADA, 1, &json!("old"));
    beam.shares(ADA, 2, &json!("other"));
    beam.now = Millis::new(9);

    let told = beam.shares(BOB, 1, &json!("new"));

    let expected =
        [(3, "delete_note"), (1, "rec_clipboard"), (2, "rec_clipboard"), (3, "rec_clipboard")];
    assert_eq!(types(&told), expected);
    let Told::Message(_, delete) = &told[0] else { panic!() };
    assert_eq!(*delete, json!({"type": "delete_note", "message": "old"}));
    assert_eq!(beam.contents(), [json!("other"), json!("new")]);
    let Told::Message(_, echo) = &told[1] else { panic!() };
    let expected = (&json!(3), &json!(device(BOB)), &json!(1));
    assert_eq!((&echo["seq"], &echo["from"], &echo["at"]), expected, "it is not younger");
}

#[test]
fn s9_a_new_item_is_no_older_than_others_when_the_clock_was_set_back() {
    let mut beam = Beam::of(&[ADA, BOB]);
    let mut shares_at = |now, id, content| {
        beam.now = Millis::new(now);
        let told = beam.shares(ADA, id, &json!(content));
        let Told::Message(_, echo) = &told[0] else { panic!() };
        echo["at"].clone()
    };
    assert_eq!(shares_at(50, 1, "first"), 50);
    assert_eq!(shares_at(20, 2, "after the clock was set back"), 50);
    assert_eq!(shares_at(60, 3, "later"), 60);
    assert_eq!(shares_at(30, 1, "an edit"), 50);
    let years_ahead = 400_000_000_000;
    assert_eq!(shares_at(years_ahead, 4, "while the clock was wrong"), years_ahead);
    assert_eq!(shares_at(70, 5, "when it was right again"), 70);
}

#[test]
fn s9_another_kind_is_another_content() {
    let mut beam = Beam::of(&[ADA]);
    beam.shares(ADA, 1, &json!("hi"));
    let (message, kind) = (content(&json!("hi")), Kind::parse("link".to_owned()).unwrap());
    beam.says(ADA, Saying::Request(Request::Share { message, kind, id: item(1), to: None }));
    assert_eq!(beam.page(None)["items"][0]["extra"], "link");
}

#[test]
fn s9_a_deleted_item_that_comes_back_has_its_time_and_its_device() {
    let mut beam = Beam::of(&[ADA, BOB]);
    beam.now = Millis::new(1);
    beam.shares(ADA, 1, &json!({"a": 1, "b": 2}));
    beam.deletes(BOB, &json!(null), Some(1));
    beam.now = Millis::new(9);

    let told = beam.shares(BOB, 1, &json!({"b": 2, "a": 1}));

    let Told::Message(_, echo) = &told[0] else { panic!() };
    let expected = (&json!(2), &json!(device(ADA)), &json!(1));
    assert_eq!((&echo["seq"], &echo["from"], &echo["at"]), expected);
}

#[test]
fn s9_a_deleted_item_that_comes_back_with_other_content_or_another_id_is_new() {
    let mut beam = Beam::of(&[ADA, BOB]);
    for id in [1, 2] {
        beam.shares(ADA, id, &json!("old"));
        beam.deletes(BOB, &json!(null), Some(id));
    }
    beam.now = Millis::new(9);

    for (id, content) in [(1, "new"), (3, "old")] {
        let told = beam.shares(BOB, id, &json!(content));
        let Told::Message(_, echo) = &told[0] else { panic!() };
        assert_eq!((&echo["from"], &echo["at"]), (&json!(device(BOB)), &json!(9)));
    }
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
    beam.says(
        BOB,
        Saying::Request(Request::Delete(Deletion { message: turned, extra: None, id: None })),
    );
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
        let (message, kind) = (content(&json!(n)), super::text());
        beam.says(ADA, Saying::Request(Request::Share { message, kind, id, to: None }));
    }
    assert_eq!(beam.page(None)["oldest"], 2);
    beam.deletes(ADA, &json!(1), None);
    let page = beam.page(None);
    assert_eq!((&page["oldest"], &page["items"][0]["seq"]), (&json!(2), &json!(3)));
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
