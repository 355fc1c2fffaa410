//! Moves in a saved beam with a shared arrangement: told at once, stored soon (S35).

use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::socket::Placed;

use super::arrangement::{at, news};
use super::saved::{OWNER, WRITER, access, saved};
use super::*;

/// A saved beam whose arrangement is shared, with the owner and a writer in it.
fn arranged() -> Beam {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER, WRITER]);
    beam.arranges(OWNER, Some(true), &[]);
    beam.stores();
    beam
}

fn write(places: &[Placed]) -> Told {
    Told::ToWrite(Write::Arrange { shared: true, places: places.to_vec() })
}

#[test]
fn s35_a_drag_is_told_at_once_and_stored_once_where_it_is_then() {
    let mut beam = arranged();
    let first = beam.arranges(WRITER, None, &[at(OWNER, 1)]);
    assert_eq!((news(&first).len(), first.last()), (2, Some(&Told::StoresSoon)));
    for x in 2..=20 {
        let told = beam.arranges(WRITER, None, &[at(OWNER, x)]);
        assert_eq!((news(&told).len(), told.len()), (2, 2), "told, and nothing else");
    }

    assert_eq!(beam.tell(Input::StoreNow), [write(&[at(OWNER, 20)])]);

    assert_eq!(beam.stores(), []);
    assert_eq!(beam.tell(Input::StoreNow), [], "all is stored");
}

#[test]
fn s35_moves_while_another_note_is_stored_come_next() {
    let mut beam = arranged();
    beam.arranges(WRITER, None, &[at(OWNER, 1)]);
    beam.shares(OWNER, 50, &json!("hi"));
    assert_eq!(beam.tell(Input::StoreNow), []);
    beam.shares(OWNER, 51, &json!("waits"));

    let told = beam.stores();

    assert_eq!(told.last(), Some(&write(&[at(OWNER, 1)])));
    assert!(matches!(beam.stores()[..], [Told::ToWrite(Write::Put(_))]), "then what waits");
}

#[test]
fn s35_places_that_could_not_be_stored_are_stored_later_where_the_notes_are_then() {
    let mut beam = arranged();
    beam.arranges(WRITER, None, &[at(OWNER, 1), at(WRITER, 1)]);
    beam.tell(Input::StoreNow);
    assert_eq!(beam.arranges(WRITER, None, &[at(OWNER, 2)]), [], "it waits");

    let told = beam.tell(Input::Written(Written::Unavailable));

    assert_eq!((news(&told).len(), told.last()), (2, Some(&Told::StoresSoon)));
    let told = beam.tell(Input::StoreNow);
    let [Told::ToWrite(Write::Arrange { places, .. })] = &told[..] else { panic!("{told:?}") };
    let mut places = places.clone();
    places.sort_by_key(|placed| placed.x);
    assert_eq!(places, [at(WRITER, 1), at(OWNER, 2)]);
}

#[test]
fn s35_a_beam_stores_its_places_before_it_sleeps_and_tries_once() {
    for written in [Written::Done, Written::Unavailable] {
        let mut beam = arranged();
        beam.arranges(WRITER, None, &[at(OWNER, 1)]);
        for device in [OWNER, WRITER] {
            beam.tell(Input::Gone(ConnectionId(device.into())));
        }

        assert_eq!(beam.tell(Input::Lingered), [write(&[at(OWNER, 1)])]);

        assert_eq!(beam.tell(Input::Written(written)), []);
        assert_eq!(beam.tell(Input::Tick), [Told::Finished]);
    }
}

#[test]
fn s35_places_that_are_not_stored_yet_outlive_an_uncertain_write() {
    let mut beam = arranged();
    beam.arranges(WRITER, None, &[at(OWNER, 7)]);
    beam.tell(Input::StoreNow);

    let mut terms = unsaved(true);
    terms.status = Status::Saved(access(LinkAccess::Write));
    terms.items = saved(LinkAccess::Write).state.items;
    terms.arrangement = Arrangement::stored(Some(vec![at(OWNER, 1), at(WRITER, 3)]));
    beam.tell(Input::Written(Written::Reloaded(Box::new(terms))));

    let told = news(&beam.joins(ADA))[0].1["places"].clone();
    let places = told.as_array().unwrap();
    assert!(places.contains(&json!(at(OWNER, 7))) && places.contains(&json!(at(WRITER, 3))));
    assert_eq!(beam.tell(Input::StoreNow), [write(&[at(OWNER, 7)])]);
}

#[test]
fn s35_turning_it_off_leaves_nothing_to_store() {
    let mut beam = arranged();
    beam.arranges(WRITER, None, &[at(OWNER, 1)]);
    beam.arranges(OWNER, Some(false), &[]);
    beam.stores();
    assert_eq!(beam.tell(Input::StoreNow), []);
}
