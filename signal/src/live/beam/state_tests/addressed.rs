//! Items for one other device (S33), and a device's own name (S32).

use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::socket::KeepTime;

use super::super::items::{MAX_FOR_ONE, MAX_FOR_ONE_BYTES};
use super::saved::{OWNER, READER, USER, WRITER, outcome, saved};
use super::*;

const DAN: u8 = 4;

impl Beam {
    pub(super) fn sends(&mut self, from: u8, to: u8, id: u8, message: &Value) -> Vec<Told> {
        let (message, to) = (content(message), Some(DeviceId::from_bytes([to; 16])));
        self.says(from, Saying::Request(Request::Share { message, kind: text(), id: item(id), to }))
    }

    /// The contents that a device gets when it syncs.
    fn seen_by(&mut self, device: u8) -> Vec<Value> {
        match self.says(device, Saying::Sync(SyncFrom { after: None })).pop() {
            Some(Told::Message(_, page)) => {
                let items = page["message"]["items"].as_array().unwrap();
                items.iter().map(|item| item["message"].clone()).collect()
            }
            other => panic!("{other:?}"),
        }
    }
}

/// The sockets that were told something, in order.
fn reached(told: &[Told]) -> Vec<u64> {
    types(told).into_iter().map(|(to, _)| to).collect()
}

#[test]
fn s33_an_item_for_one_device_reaches_it_and_its_sender_alone() {
    let mut beam = Beam::of(&[ADA, BOB, CAT]);

    let told = beam.sends(ADA, BOB, 1, &json!("secret"));

    assert_eq!(types(&told), [(1, "rec_clipboard"), (2, "rec_clipboard")]);
    let Told::Message(_, echo) = &told[0] else { panic!() };
    assert_eq!((&echo["to"], &echo["from"]), (&json!(device(BOB)), &json!(device(ADA))));
    beam.shares(CAT, 2, &json!("open"));
    assert_eq!(beam.seen_by(ADA), [json!("secret"), json!("open")]);
    assert_eq!(beam.seen_by(BOB), [json!("secret"), json!("open")]);
    assert_eq!(beam.seen_by(CAT), [json!("open")]);
}

#[test]
fn s33_a_device_that_was_away_gets_it_when_it_is_back() {
    let mut beam = Beam::of(&[ADA, BOB, CAT]);
    beam.tell(Input::Gone(ConnectionId(2)));

    let told = beam.sends(ADA, BOB, 1, &json!("for later"));

    assert_eq!(reached(&told), [1]);
    beam.joins(BOB);
    assert_eq!(beam.seen_by(BOB), [json!("for later")]);
    assert_eq!(beam.seen_by(CAT), Vec::<Value>::new());
}

#[test]
fn s33_nothing_is_sent_to_a_device_that_is_unknown_or_was_removed() {
    let mut beam = Beam::of(&[ADA]);
    assert_eq!(outcome(&beam.sends(ADA, BOB, 1, &json!("hi"))), "device_gone");

    beam.tell(Input::Join(Newcomer { creator: true, ..newcomer(CAT, CAT.into()) }));
    beam.joins(BOB);
    beam.says(CAT, Saying::Request(Request::RemoveDevice(DeviceId::from_bytes([BOB; 16]))));
    beam.tell(Input::Written(Written::Done));
    let told = beam.sends(ADA, BOB, 1, &json!("hi"));
    assert_eq!(outcome(&told), "device_gone");
    let Told::Message(1, error) = &told[0] else { panic!("{told:?}") };
    assert_eq!(error["id"], json!(item(1)));
}

#[test]
fn s33_what_is_for_a_device_goes_when_it_is_removed() {
    let mut beam = Beam::of(&[ADA, BOB, CAT]);
    beam.tell(Input::Join(Newcomer { creator: true, ..newcomer(DAN, DAN.into()) }));
    beam.sends(ADA, BOB, 1, &json!("for Bob"));
    beam.sends(CAT, BOB, 2, &json!("for Bob too"));
    beam.sends(ADA, CAT, 3, &json!("for Cat"));
    beam.sends(BOB, ADA, 4, &json!("from Bob"));
    beam.says(DAN, Saying::Request(Request::RemoveDevice(DeviceId::from_bytes([BOB; 16]))));

    let told = beam.tell(Input::Written(Written::Done));

    let deleted: Vec<_> =
        types(&told).into_iter().filter(|(_, kind)| *kind == "delete_note").collect();
    assert_eq!(deleted, [(1, "delete_note"), (3, "delete_note")]);
    assert_eq!(beam.seen_by(ADA), [json!("for Cat"), json!("from Bob")]);
    assert_eq!(beam.seen_by(CAT), [json!("for Cat")]);
    let told = beam.sends(ADA, BOB, 1, &json!("for Bob"));
    assert_eq!(outcome(&told), "device_gone", "Undo cannot bring it back");
}

#[test]
fn s33_an_edit_stays_between_the_two_whoever_makes_it_and_whatever_it_names() {
    let mut beam = Beam::of(&[ADA, BOB, CAT]);
    beam.sends(ADA, BOB, 1, &json!("one"));

    assert_eq!(reached(&beam.shares(BOB, 1, &json!("two"))), [1, 2]);
    assert_eq!(reached(&beam.sends(ADA, CAT, 1, &json!("three"))), [1, 2]);
    assert_eq!(outcome(&beam.shares(CAT, 1, &json!("mine"))), "forbidden");

    assert_eq!(beam.seen_by(BOB), [json!("three")]);
    assert_eq!(beam.seen_by(CAT), Vec::<Value>::new());
}

#[test]
fn s33_what_everybody_has_cannot_become_an_item_for_one() {
    let mut beam = Beam::of(&[ADA, BOB, CAT]);
    beam.shares(ADA, 1, &json!("open"));

    assert_eq!(outcome(&beam.sends(ADA, BOB, 1, &json!("changed"))), "bad_request");

    assert_eq!(beam.seen_by(CAT), [json!("open")]);
}

#[test]
fn s33_either_of_the_two_deletes_it_and_nobody_else_hears_of_it() {
    let mut beam = Beam::of(&[ADA, BOB, CAT]);
    beam.sends(ADA, BOB, 1, &json!("secret"));

    // The two would delete it if they heard of these.
    assert_eq!(reached(&beam.deletes(CAT, &json!(null), Some(1))), [3]);
    assert_eq!(reached(&beam.deletes(CAT, &json!("secret"), None)), [3]);
    assert_eq!(beam.seen_by(BOB), [json!("secret")]);

    let told = beam.deletes(BOB, &json!("secret"), None);
    let deleted = json!({"type": "delete_note", "message": "secret", "id": item(1)});
    assert_eq!(told, [Told::Message(1, deleted.clone()), Told::Message(2, deleted)]);
    assert_eq!(beam.seen_by(ADA), Vec::<Value>::new());

    // Undo gives it back its sender, and keeps it between the two.
    assert_eq!(reached(&beam.sends(BOB, BOB, 1, &json!("secret"))), [1, 2]);
    assert_eq!(beam.seen_by(ADA), [json!("secret")]);
}

#[test]
fn s33_nobody_guesses_by_deletions_what_others_have_for_themselves() {
    let mut beam = Beam::of(&[ADA, BOB, CAT]);
    beam.joins(DAN);
    beam.sends(ADA, BOB, 1, &json!("1234"));

    for kept in [false, true] {
        if kept {
            beam.says(CAT, Saying::Request(Request::Keep(Some(KeepTime::Day))));
            beam.tell(Input::Written(Written::Done));
        }
        assert_eq!(reached(&beam.deletes(CAT, &json!("1233"), None)), [1, 2, 3, 4]);
        assert_eq!(reached(&beam.deletes(CAT, &json!("1234"), None)), [3, 4]);
        assert_eq!(reached(&beam.deletes(CAT, &json!(null), Some(1))), [3, 4]);
    }
    assert_eq!(beam.seen_by(BOB), [json!("1234")]);
}

#[test]
fn s33_in_a_saved_beam_a_wrong_and_a_right_guess_have_the_same_answer() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER, WRITER, READER, USER]);
    beam.sends(WRITER, OWNER, 50, &json!("1234"));

    for message in [json!("1233"), json!("1234")] {
        assert_eq!(outcome(&beam.deletes(USER, &message, None)), "forbidden");
        assert_eq!(outcome(&beam.deletes(READER, &message, None)), "forbidden");
    }
    assert!(beam.seen_by(OWNER).contains(&json!("1234")));
}

#[test]
fn s33_deleting_by_content_prefers_what_everybody_has() {
    let mut beam = Beam::of(&[ADA, BOB, CAT]);
    beam.sends(ADA, BOB, 1, &json!("same"));
    beam.shares(CAT, 2, &json!("same"));

    assert_eq!(reached(&beam.deletes(ADA, &json!("same"), None)), [1, 2, 3]);

    assert_eq!(beam.seen_by(BOB), [json!("same")]);
    assert_eq!(beam.seen_by(CAT), Vec::<Value>::new());
}

#[test]
fn s33_plain_devices_hear_of_an_edit_only_if_they_may_see_the_item() {
    let mut beam = Beam::of(&[ADA, BOB]);
    beam.joins_plain(CAT);
    beam.sends(ADA, BOB, 1, &json!("one"));

    assert_eq!(reached(&beam.sends(ADA, BOB, 1, &json!("two"))), [1, 2]);
}

#[test]
fn s33_a_saved_beam_stores_none_of_it() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER, WRITER, READER, USER]);

    let told = beam.sends(WRITER, OWNER, 50, &json!("secret"));

    let rec = |number: u8| (u64::from(number), "rec_clipboard");
    assert_eq!(types(&told), [rec(OWNER), rec(WRITER)], "and nothing is written");
    assert!(beam.seen_by(OWNER).contains(&json!("secret")));
    assert!(!beam.seen_by(USER).contains(&json!("secret")));
    assert_eq!(outcome(&beam.sends(READER, OWNER, 51, &json!("no"))), "forbidden");

    let told = beam.shares(OWNER, 52, &json!("stored"));
    let Told::ToWrite(Write::Put(note)) = &told[0] else { panic!("{told:?}") };
    assert_eq!(note.seq, 22);
    beam.tell(Input::Written(Written::Done));
    assert_eq!(reached(&beam.deletes(OWNER, &json!(null), Some(50))).len(), 2);
}

#[test]
fn s33_items_for_one_device_take_none_of_a_stored_beams_room_and_the_oldest_give_way() {
    let mut beam = Beam::of(&[ADA, BOB]);
    beam.says(ADA, Saying::Request(Request::Keep(Some(KeepTime::Day))));
    beam.tell(Input::Written(Written::Done));
    let send = |beam: &mut Beam, n: usize| {
        let mut id = [0; 16];
        id[8..].copy_from_slice(&n.to_be_bytes());
        let (id, to) = (ItemId::from_random(id), Some(DeviceId::from_bytes([BOB; 16])));
        let share = Request::Share { message: content(&json!(n)), kind: text(), id, to };
        beam.says(ADA, Saying::Request(share))
    };
    let held = |beam: &Beam| beam.state.items.all().count();

    for n in 0..MAX_FOR_ONE {
        send(&mut beam, n);
    }
    assert_eq!(held(&beam), MAX_FOR_ONE);
    assert_eq!(beam.page(None)["oldest"], json!(1));
    assert_eq!(types(&send(&mut beam, MAX_FOR_ONE)), [(1, "rec_clipboard"), (2, "rec_clipboard")]);

    assert_eq!(held(&beam), MAX_FOR_ONE);
    assert_eq!(beam.page(None)["oldest"], json!(2), "it does not look deleted");
    let told = beam.shares(ADA, 1, &json!("for all"));
    assert!(matches!(told[..], [Told::ToWrite(Write::PutKept(_))]), "{told:?}");
}

#[test]
fn s33_large_items_for_one_device_give_way_too() {
    let mut beam = Beam::of(&[ADA, BOB]);
    beam.says(ADA, Saying::Request(Request::Keep(Some(KeepTime::Day))));
    beam.tell(Input::Written(Written::Done));
    let half = json!("x".repeat(MAX_FOR_ONE_BYTES / 2 - 6));

    for id in 1..=2 {
        beam.sends(ADA, BOB, id, &half);
    }
    assert_eq!(beam.state.items.all().count(), 2);
    beam.sends(ADA, BOB, 3, &json!("more"));

    let ids: Vec<_> = beam.state.items.all().map(|(item, _)| item.id).collect();
    assert_eq!(ids, [item(2), item(3)]);
}

#[test]
fn s33_a_device_sends_itself_nothing() {
    let mut beam = Beam::of(&[ADA, BOB]);
    assert_eq!(outcome(&beam.sends(ADA, ADA, 1, &json!("hi"))), "bad_request");
}

#[test]
fn s33_saving_a_beam_stores_none_of_it_either() {
    let mut beam = Beam::new();
    let creator =
        Newcomer { creator: true, account: super::saved::account(OWNER), ..newcomer(ADA, 1) };
    beam.tell(Input::Join(creator));
    beam.joins(BOB);
    beam.sends(ADA, BOB, 1, &json!("secret"));
    beam.shares(ADA, 2, &json!("open"));

    let name = heliograph_shared::names::BeamName::parse("Trip").unwrap();
    let told = beam.says(ADA, Saying::Request(Request::Save(name)));

    let Told::ToWrite(Write::Save { notes, .. }) = &told[0] else { panic!("{told:?}") };
    assert_eq!(notes.iter().map(|note| note.id).collect::<Vec<_>>(), [item(2)]);
}

#[test]
fn s32_a_new_name_is_told_to_everybody_and_the_same_one_to_nobody() {
    let mut beam = Beam::of(&[ADA, BOB]);

    let told = beam.says(ADA, Saying::Rename("Desk".to_owned()));

    assert_eq!(types(&told), [(1, "authed_users"), (2, "authed_users")]);
    let Told::Message(_, list) = &told[0] else { panic!() };
    assert_eq!(list["message"][0]["name"], "Desk");
    assert_eq!(beam.says(ADA, Saying::Rename("Desk".to_owned())), []);
}
