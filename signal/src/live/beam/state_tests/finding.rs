//! What a beam finds after an uncertain write (S21, S22).

use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::limits::MAX_LIVE_ITEMS;

use super::saved::{GUEST, OWNER, access, outcome, visitor};
use super::*;

/// An unsaved beam with the owner and a guest, whose save may have happened. Two items were shared before.
fn uncertain() -> Beam {
    let mut beam = Beam::new();
    beam.tell(Input::Join(Newcomer { creator: true, ..visitor(OWNER) }));
    beam.tell(Input::Join(visitor(GUEST)));
    for number in [1, 2] {
        beam.shares(OWNER, number, &json!(number));
    }
    beam.saves(OWNER, "Trip");
    assert_eq!(outcome(&beam.tell(Input::Written(Written::Unavailable))), "unavailable");
    beam
}

/// The beam as it was stored with these items.
fn stored(beam: &Beam, link_access: LinkAccess) -> Box<Terms> {
    let items = beam.state.items.all().map(|(item, author)| (item.clone(), author));
    Box::new(Terms {
        epoch: "another".to_owned(),
        status: Status::Saved(access(link_access)),
        items: Items::stored(items, beam.state.items.next_seq() - 1, unlimited()).unwrap(),
        removed: HashSet::new(),
    })
}

#[test]
fn s21_a_save_that_has_happened_after_all_is_told_and_what_came_since_is_stored() {
    let mut beam = uncertain();
    let terms = stored(&beam, LinkAccess::Read);
    beam.shares(GUEST, 3, &json!("meanwhile"));
    beam.shares(OWNER, 1, &json!("edited"));
    beam.deletes(OWNER, &json!(2), None);

    let told = beam.tell(Input::Found(terms));

    assert_eq!(types(&told), [(OWNER.into(), "beam_saved"), (GUEST.into(), "beam_saved")]);
    assert_eq!(
        (beam.may_send_chunks[&OWNER.into()], beam.may_send_chunks[&GUEST.into()]),
        (true, false)
    );
    let Some(Told::ToWrite(Write::CatchUp { notes, deleted })) = told.last() else {
        panic!("{told:?}")
    };
    let notes: Vec<_> = notes.iter().map(|note| (note.id, note.seq, &*note.content)).collect();
    assert_eq!(notes, [(item(3), 3, "\"meanwhile\""), (item(1), 4, "\"edited\"")]);
    assert_eq!(*deleted, [item(2)]);
    beam.joins(ADA);
    assert_eq!(beam.contents(), [json!("meanwhile"), json!("edited")]);

    // What is shared now waits for its turn.
    assert_eq!(beam.shares(OWNER, 4, &json!("after")), []);
    let told = beam.stores();
    assert!(matches!(&told[..], [Told::ToWrite(Write::Put(note))] if note.seq == 5), "{told:?}");
}

#[test]
fn s21_a_save_that_has_happened_after_all_is_told_once_when_nothing_came_since() {
    let mut beam = uncertain();
    let terms = stored(&beam, LinkAccess::Write);

    let told = beam.tell(Input::Found(terms));

    assert_eq!(types(&told).len(), 2);
    assert!(!told.iter().any(|told| matches!(told, Told::ToWrite(_))), "{told:?}");
    assert_eq!(outcome(&beam.shares(GUEST, 3, &json!("after"))), "yes");
}

#[test]
fn s21_a_save_that_has_not_happened_changes_nothing() {
    let mut beam = uncertain();
    assert_eq!(beam.tell(Input::Found(Box::new(unsaved(true)))), []);
    beam.joins(ADA);
    assert_eq!(beam.contents(), [json!(1), json!(2)]);
    assert!(beam.state.is_unsaved());
}

#[test]
fn s24_who_has_no_access_to_the_beam_that_is_found_goes() {
    let mut beam = uncertain();
    let terms = stored(&beam, LinkAccess::None);
    let told = beam.tell(Input::Found(terms));
    assert_eq!(told[0], Told::Closed(GUEST.into(), CloseCode::Forbidden));
    assert!(types(&told).contains(&(OWNER.into(), "beam_saved")), "{told:?}");
}

#[test]
fn h29_a_beam_that_was_saved_and_deleted_meanwhile_ends() {
    let mut beam = uncertain();
    let told = beam.tell(Input::Found(Box::new(Terms { status: Status::Ended, ..unsaved(true) })));
    assert_eq!(told.last(), Some(&Told::Finished));
    assert_eq!(told[0], Told::Closed(OWNER.into(), CloseCode::Ended));
}

#[test]
fn s25_a_removal_that_has_happened_after_all_is_in_effect() {
    let mut beam = uncertain();
    let removed = HashSet::from([DeviceId::from_bytes([GUEST; 16])]);
    let told = beam.tell(Input::Found(Box::new(Terms { removed, ..unsaved(true) })));
    assert_eq!(told[0], Told::Closed(GUEST.into(), CloseCode::Forbidden));
    assert_eq!(
        beam.tell(Input::Join(visitor(GUEST))),
        [Told::Closed(GUEST.into(), CloseCode::Forbidden)]
    );
}

#[test]
fn s11_what_the_beam_let_go_since_it_was_saved_is_still_stored() {
    let mut beam = uncertain();
    let terms = stored(&beam, LinkAccess::Write);
    for number in 0..MAX_LIVE_ITEMS {
        let id = ItemId::from_random(u128::try_from(number).unwrap().to_be_bytes());
        let share = Request::Share { message: content(&json!("new")), kind: text(), id };
        beam.says(GUEST, Saying::Request(share));
    }
    assert!(beam.state.items.find(item(1)).is_none());

    let told = beam.tell(Input::Found(terms));

    let Some(Told::ToWrite(Write::CatchUp { notes, deleted })) = told.last() else {
        panic!("{told:?}")
    };
    assert_eq!((notes.len(), &deleted[..]), (MAX_LIVE_ITEMS, &[][..]));
    assert!(beam.state.items.find(item(1)).is_some(), "memory is what the tables hold");
}

#[test]
fn h31_a_change_of_access_waits_until_an_uncertain_save_is_found() {
    let mut beam = uncertain();
    assert_eq!(beam.tell(Input::AccessChanged(Some(access(LinkAccess::None)))), []);
    assert!(beam.state.is_unsaved());
}
