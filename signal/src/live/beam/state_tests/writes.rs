//! How a write ends, and the messages to the beam's devices (S14, S22).

use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::limits::MAX_LIVE_ITEMS;
use heliograph_shared::socket::LiveItem;
use heliograph_shared::time::Millis;
use heliograph_storage::accounts::AccountId;

use super::super::earlier::Earlier;
use super::saved::{OWNER, WRITER, access, account, outcome, saved, visitor};
use super::*;

#[test]
fn s14_what_waits_and_what_could_not_be_stored_is_refused_by_its_item() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER]);
    for (written, code) in [
        (Written::Refused, "forbidden"),
        (Written::Full, "no_room"),
        (Written::Unavailable, "unavailable"),
    ] {
        beam.shares(OWNER, 50, &json!("hi"));
        let told = beam.tell(Input::Written(written));
        let Told::Message(_, error) = &told[0] else { panic!("{told:?}") };
        assert_eq!((&error["extra"], &error["id"]), (&json!(code), &json!(item(50))));
    }
}

/// The stored state of the saved beam, with one note more or less.
fn reloaded(
    change: impl FnOnce(&mut Vec<(LiveItem, Option<AccountId>)>),
    last_seq: u64,
) -> Written {
    reloaded_with(Earlier::default(), change, last_seq)
}

fn reloaded_with(
    earlier: Earlier,
    change: impl FnOnce(&mut Vec<(LiveItem, Option<AccountId>)>),
    last_seq: u64,
) -> Written {
    let stored = saved(LinkAccess::Write).state.items;
    let mut notes: Vec<_> = stored.all().map(|(item, author)| (item.clone(), author)).collect();
    change(&mut notes);
    Written::Reloaded(Box::new(Terms {
        epoch: "another".to_owned(),
        status: Status::Saved(access(LinkAccess::Write)),
        items: Items::stored(notes, Some(earlier), last_seq, unlimited()).unwrap(),
        arrangement: Arrangement::default(),
        removed: HashSet::new(),
        forgotten: false,
    }))
}

#[test]
fn s22_after_an_uncertain_write_the_tables_say_whether_it_happened() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER]);
    beam.shares(OWNER, 50, &json!("hi"));
    let new = LiveItem {
        message: content(&json!("hi")),
        extra: "text".to_owned(),
        id: item(50),
        seq: 21,
        from: DeviceId::from_bytes([OWNER; 16]),
        at: Millis::new(0),
        to: None,
    };
    let told = beam.tell(Input::Written(reloaded(|notes| notes.push((new, account(OWNER))), 21)));
    assert_eq!(types(&told), [(OWNER.into(), "rec_clipboard")]);
    assert_eq!(beam.state.items.next_seq(), 22);

    beam.shares(OWNER, 51, &json!("lost"));
    let told = beam.tell(Input::Written(reloaded(|_| {}, 20)));
    assert_eq!(outcome(&told), "unavailable");
    assert!(beam.state.items.find(item(50)).is_none(), "memory is what the tables hold");
    assert_eq!(beam.state.items.next_seq(), 22, "no number is given twice");

    beam.deletes(OWNER, &json!(null), Some(WRITER));
    let told = beam.tell(Input::Written(reloaded(
        |notes| notes.retain(|(note, _)| note.id != item(WRITER)),
        20,
    )));
    assert_eq!(types(&told), [(OWNER.into(), "delete_note")]);
}

#[test]
fn s11_what_was_let_go_before_the_beam_was_saved_stays_so_when_it_is_read_again() {
    let mut beam = Beam::new();
    beam.tell(Input::Join(Newcomer { creator: true, ..visitor(OWNER) }));
    for number in 0..=MAX_LIVE_ITEMS {
        let id = ItemId::from_random(u128::try_from(number).unwrap().to_be_bytes());
        let share = Request::Share { message: content(&json!(number)), kind: text(), id, to: None };
        beam.says(OWNER, Saying::Request(share));
    }
    let told = beam.saves(OWNER, "Trip");
    let [Told::ToWrite(Write::Save { earlier, .. })] = &told[..] else { panic!("{told:?}") };
    let earlier = earlier.clone();
    beam.stores();
    beam.joins(ADA);
    assert_eq!(beam.page(None)["oldest"], 2);

    beam.shares(OWNER, 51, &json!("lost"));
    beam.tell(Input::Written(reloaded_with(earlier, |_| {}, 501)));

    assert_eq!(beam.page(None)["oldest"], 2);
}

#[test]
fn s11_the_numbers_of_a_saved_beam_follow_all_that_were_given_before() {
    let items = Items::none_after(100, unlimited());
    let mut beam = Beam::with(Terms { items, ..unsaved(true) });
    beam.tell(Input::Join(Newcomer { creator: true, ..visitor(OWNER) }));
    beam.brings(OWNER, (1, 1), &[1]);
    beam.shares(OWNER, 50, &json!("has the number 101"));
    beam.deletes(OWNER, &json!(null), Some(50));
    let told = beam.saves(OWNER, "Trip");
    let [Told::ToWrite(Write::Save { notes, earlier, .. })] = &told[..] else { panic!("{told:?}") };
    assert_eq!(notes.iter().map(|note| note.seq).collect::<Vec<_>>(), [1]);

    let woken = || reloaded_with(earlier.clone(), Vec::clear, 1);

    let Written::Reloaded(terms) = woken() else { panic!("it has no terms") };
    assert_eq!(terms.items.next_seq(), 101);
    beam.tell(Input::Written(woken()));
    assert_eq!(beam.state.items.next_seq(), 102);
}

#[test]
fn s21_a_beam_does_not_end_while_it_is_being_saved() {
    let mut beam = Beam::new();
    beam.tell(Input::Join(Newcomer { creator: true, ..visitor(OWNER) }));
    beam.saves(OWNER, "Trip");
    beam.now = EXPIRES;
    assert_eq!(beam.tell(Input::Tick), []);

    let told = beam.stores();

    assert_eq!(types(&told), [(OWNER.into(), "beam_saved")]);
    assert_eq!(beam.tell(Input::Tick), []);
}
