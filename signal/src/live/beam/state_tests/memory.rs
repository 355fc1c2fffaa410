//! The items of all live beams share a bound (S17, S22).

use std::sync::Arc;

use heliograph_shared::api::beams::LinkAccess;

use super::saved::{OWNER, outcome, saved_in};
use super::*;
use crate::budget::Spent;
use crate::budget::tests::budget;

/// With its record, such an item takes 762 bytes: 500 characters in quotes, and the kind.
fn text_of_500() -> Value {
    json!("x".repeat(500))
}

fn room(budget: &Arc<Budget>) -> Share {
    budget.nothing(budget::Kind::Items)
}

#[test]
fn s17_a_beam_that_finds_no_memory_lets_its_own_oldest_go() {
    let budget = budget(&["--memory-items", "4000"]);
    let [mut greedy, mut modest] = [(), ()].map(|()| {
        let mut beam = Beam::with(unsaved_in(true, room(&budget)));
        beam.joins(ADA);
        beam
    });

    for id in 0..10 {
        greedy.shares(ADA, id, &text_of_500());
    }
    modest.shares(ADA, 1, &json!("modest"));

    let page = greedy.page(None);
    assert_eq!((&page["oldest"], &page["items"][0]["seq"]), (&json!(8), &json!(8)));
    assert_eq!(modest.contents(), [json!("modest")]);
    drop((greedy, modest));
    assert_eq!(budget.taken(budget::Kind::Items), 0);
}

#[test]
fn s17_an_item_for_which_there_is_no_memory_reaches_those_who_are_here() {
    let mut beam = Beam::with(unsaved_in(true, room(&budget(&["--memory-items", "500"]))));
    beam.joins(ADA);
    beam.joins(BOB);

    let told = beam.shares(ADA, 1, &text_of_500());

    assert_eq!(types(&told), [(1, "rec_clipboard"), (2, "rec_clipboard")]);
    let page = beam.page(None);
    assert_eq!((&page["oldest"], &page["items"]), (&json!(2), &json!([])));
}

#[test]
fn s22_a_saved_beam_that_finds_no_memory_refuses_what_would_grow_it() {
    let budget = budget(&["--memory-items", "8000"]);
    let mut beam = saved_in(LinkAccess::Write, room(&budget)).unwrap().with_visitors(&[OWNER]);
    for id in [50, 51] {
        assert_eq!(outcome(&beam.shares(OWNER, id, &text_of_500())), "yes");
        beam.stores();
    }
    let others = budget.take(budget::Kind::Items, 4000).unwrap();

    assert_eq!(outcome(&beam.shares(OWNER, 52, &text_of_500())), "unavailable");
    assert_eq!(outcome(&beam.shares(OWNER, 50, &json!("shorter"))), "yes");
    beam.stores();
    drop(others);
    assert_eq!(outcome(&beam.shares(OWNER, 52, &text_of_500())), "yes");
}

#[test]
fn s22_a_saved_beam_for_which_there_is_no_memory_does_not_wake() {
    let budget = budget(&["--memory-items", "1000"]);
    assert_eq!(saved_in(LinkAccess::Write, room(&budget)).err(), Some(Spent));
    assert_eq!(budget.taken(budget::Kind::Items), 0);
}

#[test]
fn s22_what_waits_while_something_is_stored_takes_memory_too() {
    let budget = budget(&["--memory-items", "8000"]);
    let mut beam = saved_in(LinkAccess::Write, room(&budget)).unwrap().with_visitors(&[OWNER]);
    beam.shares(OWNER, 50, &json!("is being stored"));
    let before = budget.taken(budget::Kind::Items);

    assert_eq!(beam.shares(OWNER, 51, &text_of_500()), []);
    assert_eq!(budget.taken(budget::Kind::Items), before + 502);
    let others = budget.take(budget::Kind::Items, 8000 / 2 - before / 2 - 502).unwrap();
    assert_eq!(outcome(&beam.shares(OWNER, 52, &json!("x".repeat(4000)))), "unavailable");
    drop(others);
    beam.stores();
    beam.stores();

    drop(beam);
    assert_eq!(budget.taken(budget::Kind::Items), 0);
}
