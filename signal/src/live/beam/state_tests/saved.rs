//! Saved beams: who may do what, and that nothing is told before it is stored (S21 to S26).

use heliograph_shared::api::beams::{Level, LinkAccess};
use heliograph_shared::names::BeamName;
use heliograph_shared::socket::LiveItem;
use heliograph_shared::time::Millis;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::saved_beams::Access;

use super::super::earlier::Earlier;
use super::*;
use crate::budget::Spent;

pub(super) const OWNER: u8 = 11;
const ADMIN: u8 = 12;
pub(super) const WRITER: u8 = 13;
pub(super) const READER: u8 = 14;
pub(super) const USER: u8 = 15;
/// A device without a login.
pub(super) const GUEST: u8 = 16;

pub(super) fn account(number: u8) -> Option<AccountId> {
    (number != GUEST).then(|| AccountId::from_random([number; 16]))
}

pub(super) fn access(link_access: LinkAccess) -> Access {
    let share = |number, level| (account(number).unwrap(), level);
    let shares =
        [share(ADMIN, Level::Admin), share(WRITER, Level::Write), share(READER, Level::Read)];
    let owner = account(OWNER).unwrap();
    Access { owner, name: "Trip".to_owned(), link_access, shares: shares.into() }
}

/// A saved beam with one note by each account, numbered like the account.
pub(super) fn saved(link_access: LinkAccess) -> Beam {
    saved_in(link_access, unlimited()).unwrap()
}

/// The same, in so much memory.
pub(super) fn saved_in(link_access: LinkAccess, room: Share) -> Result<Beam, Spent> {
    let note = |number: u8| {
        let item = LiveItem {
            message: content(&json!(number)),
            extra: "text".to_owned(),
            id: item(number),
            seq: number.into(),
            from: DeviceId::from_bytes([number; 16]),
            at: Millis::new(0),
            to: None,
        };
        (item, account(number))
    };
    let notes = [OWNER, ADMIN, WRITER, READER, USER, GUEST].map(note);
    Ok(Beam::with(Terms {
        epoch: "epoch".to_owned(),
        status: Status::Saved(access(link_access)),
        items: Items::stored(notes, Some(Earlier::default()), 20, room)?,
        arrangement: Arrangement::default(),
        removed: HashSet::new(),
        forgotten: false,
    }))
}

pub(super) fn visitor(number: u8) -> Newcomer {
    Newcomer { account: account(number), ..newcomer(number, number.into()) }
}

impl Beam {
    pub(super) fn enters(&mut self, number: u8) -> Vec<Told> {
        self.tell(Input::Join(visitor(number)))
    }

    pub(super) fn with_visitors(mut self, numbers: &[u8]) -> Self {
        for &number in numbers {
            self.enters(number);
        }
        self
    }

    pub(super) fn wants(&mut self, number: u8, request: Request) -> Vec<Told> {
        self.says(number, Saying::Request(request))
    }

    pub(super) fn saves(&mut self, number: u8, name: &str) -> Vec<Told> {
        self.wants(number, Request::Save(BeamName::parse(name).unwrap()))
    }

    pub(super) fn stores(&mut self) -> Vec<Told> {
        self.tell(Input::Written(Written::Done))
    }
}

/// The outcome of a request: done or being stored, or the code of the refusal.
pub(super) fn outcome(told: &[Told]) -> String {
    match told {
        [Told::Message(_, error), ..] if error["type"] == "error" => {
            error["extra"].as_str().unwrap().to_owned()
        }
        [] => "nothing".to_owned(),
        [Told::Closed(_, code), ..] => format!("{}", code.number()),
        _ => "yes".to_owned(),
    }
}

#[test]
fn b6_every_role_may_what_the_table_says() {
    use LinkAccess::{None as Shut, Read, Write};
    let share =
        || Request::Share { message: content(&json!("new")), kind: text(), id: item(99), to: None };
    let edit = |number| Request::Share {
        message: content(&json!("new")),
        kind: text(),
        id: item(number),
        to: None,
    };
    let delete = |number| Request::Delete(deletion(&json!(null), Some(number)));
    let rename = || Request::Save(BeamName::parse("Another").unwrap());
    let remove = || Request::RemoveDevice(DeviceId::from_bytes([GUEST; 16]));
    // Link access, who; then join, share, edit own, edit another's, delete own, delete another's, rename, remove.
    #[rustfmt::skip]
    let table: [(LinkAccess, u8, [&str; 8]); 14] = [
        (Write, GUEST, ["yes", "yes", "yes", "forbidden", "forbidden", "forbidden", "unauthorized", "forbidden"]),
        (Read, GUEST, ["yes", "forbidden", "forbidden", "forbidden", "forbidden", "forbidden", "unauthorized", "forbidden"]),
        (Shut, GUEST, ["4403", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing"]),
        (Write, USER, ["yes", "yes", "yes", "forbidden", "forbidden", "forbidden", "forbidden", "forbidden"]),
        (Read, USER, ["yes", "forbidden", "forbidden", "forbidden", "forbidden", "forbidden", "forbidden", "forbidden"]),
        (Shut, USER, ["4403", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing"]),
        (Write, READER, ["yes", "forbidden", "forbidden", "forbidden", "forbidden", "forbidden", "forbidden", "forbidden"]),
        (Shut, READER, ["yes", "forbidden", "forbidden", "forbidden", "forbidden", "forbidden", "forbidden", "forbidden"]),
        (Write, WRITER, ["yes", "yes", "yes", "forbidden", "yes", "forbidden", "forbidden", "forbidden"]),
        (Shut, WRITER, ["yes", "yes", "yes", "forbidden", "yes", "forbidden", "forbidden", "forbidden"]),
        (Write, ADMIN, ["yes", "yes", "yes", "yes", "yes", "yes", "yes", "yes"]),
        (Shut, ADMIN, ["yes", "yes", "yes", "yes", "yes", "yes", "yes", "yes"]),
        (Write, OWNER, ["yes", "yes", "yes", "yes", "yes", "yes", "yes", "yes"]),
        (Shut, OWNER, ["yes", "yes", "yes", "yes", "yes", "yes", "yes", "yes"]),
    ];
    for (link, who, expected) in table {
        let other = if who == READER { WRITER } else { READER };
        let wishes =
            [share(), edit(who), edit(other), delete(who), delete(other), rename(), remove()];
        let entered = outcome(&saved(link).enters(who));
        let mut found = vec![entered];
        for wish in wishes {
            found.push(outcome(&saved(link).with_visitors(&[who]).wants(who, wish)));
        }
        assert_eq!(found, expected, "{link:?} {who}");
    }
}

#[test]
fn s26_a_note_that_is_not_yours_gets_the_sentence_of_the_specification() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[GUEST, WRITER]);
    for who in [GUEST, WRITER] {
        let told = beam.deletes(who, &json!(OWNER), None);
        let Told::Message(_, error) = &told[0] else { panic!("{told:?}") };
        assert_eq!(error["message"], "Cannot delete beam note from UI (Update Soon)");
    }
    assert!(beam.state.items.find(item(OWNER)).is_some());
}

#[test]
fn s9_a_deleted_note_that_the_owner_brings_back_is_its_authors_as_before() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER]);
    beam.deletes(OWNER, &json!(null), Some(WRITER));
    beam.stores();
    beam.now = Millis::new(9);

    let told = beam.shares(OWNER, WRITER, &json!(WRITER));

    let [Told::ToWrite(Write::Put(note))] = &told[..] else { panic!("{told:?}") };
    assert_eq!((note.author, note.created_at), (account(WRITER), Millis::new(0)));
    let told = beam.stores();
    let Told::Message(_, echo) = &told[0] else { panic!() };
    assert_eq!(echo["from"], device(WRITER));
}

#[test]
fn s9_a_note_that_is_changed_keeps_its_time() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER]);
    beam.now = Millis::new(9);
    let told = beam.shares(OWNER, WRITER, &json!("new"));
    let [Told::ToWrite(Write::Put(note))] = &told[..] else { panic!("{told:?}") };
    assert_eq!((note.author, note.created_at), (account(WRITER), Millis::new(0)));
}

#[test]
fn s22_what_is_shared_is_told_when_it_is_stored_and_not_before() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER, GUEST]);

    let told = beam.shares(GUEST, 50, &json!("hi"));
    let [Told::ToWrite(Write::Put(note))] = &told[..] else { panic!("{told:?}") };
    assert_eq!((note.seq, note.author, note.content.as_str()), (21, None, "\"hi\""));

    let told = beam.stores();
    assert_eq!(types(&told), [(OWNER.into(), "rec_clipboard"), (GUEST.into(), "rec_clipboard")]);
    let Told::Message(_, item) = &told[0] else { panic!() };
    assert_eq!(item["seq"], 21);
}

#[test]
fn s22_what_cannot_be_stored_is_told_to_its_sender_alone_and_the_next_one_has_its_turn() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER, GUEST]);
    beam.shares(GUEST, 50, &json!("lost"));
    assert_eq!(beam.shares(OWNER, 51, &json!("next")), []);
    assert_eq!(beam.deletes(OWNER, &json!("next"), None), []);

    let told = beam.tell(Input::Written(Written::Unavailable));

    assert_eq!(types(&told), [(GUEST.into(), "error")]);
    assert!(matches!(told.last(), Some(Told::ToWrite(Write::Put(_)))), "{told:?}");
    // The deletion is decided when the item is stored.
    let told = beam.stores();
    assert!(matches!(told.last(), Some(Told::ToWrite(Write::Delete(ids))) if *ids == [item(51)]));
    let told = beam.stores();
    assert_eq!(types(&told), [(OWNER.into(), "delete_note"), (GUEST.into(), "delete_note")]);
}

#[test]
fn s22_a_saved_beam_that_is_full_refuses_and_keeps_what_it_has() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER]);
    let big = "x".repeat(250 * 1024);
    let mut refused = None;
    for number in 0..100 {
        let told = beam.shares(OWNER, 100 + number, &json!(big));
        if outcome(&told) != "yes" {
            refused = Some((number, outcome(&told)));
            break;
        }
        beam.stores();
    }
    assert_eq!(refused, Some((65, "no_room".to_owned())));
}

#[test]
fn s21_a_creator_who_is_logged_in_saves_and_everybody_hears_their_own_role() {
    let mut beam = Beam::of(&[BOB]);
    beam.tell(Input::Join(Newcomer { creator: true, ..visitor(OWNER) }));
    beam.shares(BOB, 1, &json!("before"));

    let told = beam.saves(OWNER, "Trip");
    let [Told::ToWrite(Write::Save { owner, name, notes, places: None, .. })] = &told[..] else {
        panic!("{told:?}")
    };
    assert_eq!((Some(*owner), name.as_str(), notes.len()), (account(OWNER), "Trip", 1));
    // Items shared meanwhile wait and are then stored.
    assert_eq!(beam.shares(BOB, 2, &json!("meanwhile")), []);

    let told = beam.stores();
    let role = |told: &Told| match told {
        Told::Message(to, news) if news["type"] == "beam_saved" => {
            Some((*to, news["message"]["role"].clone(), news["message"]["beam_name"].clone()))
        }
        _ => None,
    };
    let roles: Vec<_> = told.iter().filter_map(role).collect();
    assert_eq!(roles, [(2, json!("write"), json!("Trip")), (11, json!("owner"), json!("Trip"))]);
    assert!(matches!(told.last(), Some(Told::ToWrite(Write::Put(note))) if note.seq == 2));
}

#[test]
fn s21_nobody_else_saves() {
    let creator = |creator, number| {
        let mut beam = Beam::new();
        beam.tell(Input::Join(Newcomer { creator, ..visitor(number) }));
        outcome(&beam.saves(number, "Trip"))
    };
    assert_eq!(creator(true, GUEST), "unauthorized");
    assert_eq!(creator(false, USER), "forbidden");
    assert_eq!(creator(true, USER), "yes");
}

#[test]
fn s21_a_beam_that_somebody_else_saved_first_stays_as_it_is() {
    let mut beam = Beam::new();
    beam.tell(Input::Join(Newcomer { creator: true, ..visitor(USER) }));
    beam.saves(USER, "Trip");

    let told = beam.tell(Input::Written(Written::Refused));

    assert_eq!(outcome(&told), "forbidden");
    assert_eq!(outcome(&beam.shares(USER, 1, &json!(1))), "yes");
}

#[test]
fn s26_a_device_hears_that_it_now_writes_by_the_link_alone() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER, WRITER, GUEST]);
    let mut changed = access(LinkAccess::Write);
    changed.shares.remove(&account(WRITER).unwrap());

    let told = beam.tell(Input::AccessChanged(Some(changed)));

    let [Told::Message(to, news)] = &told[..] else { panic!("{told:?}") };
    let said = (&news["type"], &news["message"]["role"], &news["message"]["by_link"]);
    assert_eq!(*to, u64::from(WRITER));
    assert_eq!(said, (&json!("access_changed"), &json!("write"), &json!(true)));
}

#[test]
fn s24_a_change_of_access_reaches_those_whom_it_touches() {
    let everybody = [OWNER, ADMIN, WRITER, READER, USER, GUEST];
    let mut beam = saved(LinkAccess::Write).with_visitors(&everybody);
    assert!(beam.may_send_chunks[&GUEST.into()] && !beam.may_send_chunks[&READER.into()]);

    // The writer's share becomes a read share.
    let mut changed = access(LinkAccess::Write);
    changed.shares.insert(account(WRITER).unwrap(), Level::Read);
    let told = beam.tell(Input::AccessChanged(Some(changed.clone())));
    assert_eq!(types(&told), [(WRITER.into(), "access_changed")]);
    assert!(!beam.may_send_chunks[&WRITER.into()]);
    assert_eq!(outcome(&beam.shares(WRITER, 60, &json!(1))), "forbidden");

    // The link allows nothing now, so devices that only have the link are closed.
    changed.link_access = LinkAccess::None;
    let told = beam.tell(Input::AccessChanged(Some(changed)));
    let closed = |told: &Told| matches!(told, Told::Closed(15 | 16, CloseCode::Forbidden));
    assert_eq!(told.iter().filter(|told| closed(told)).count(), 2);
    assert_eq!(outcome(&beam.enters(GUEST)), "4403");
}

#[test]
fn h29_a_beam_that_was_deleted_ends_for_everybody() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER, GUEST]);

    let told = beam.tell(Input::AccessChanged(None));

    let ended = |number: u8| Told::Closed(number.into(), CloseCode::Ended);
    assert_eq!(told, [ended(OWNER), ended(GUEST), Told::Finished]);
}

#[test]
fn a_saved_beam_does_not_end_while_something_is_being_stored() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER]);
    beam.shares(OWNER, 50, &json!("hi"));
    beam.tell(Input::Gone(ConnectionId(OWNER.into())));
    assert_eq!(beam.tell(Input::Lingered), []);
    assert_eq!(beam.state.deadline(), Millis::MAX);

    beam.stores();

    assert_eq!(beam.tell(Input::Tick), [Told::Finished]);
}

#[test]
fn s22_the_requests_that_wait_are_bounded_by_their_bytes() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER]);
    let long = json!("x".repeat(256 * 1024 - 2));
    // One is being stored, and sixteen of 256 KiB wait.
    assert!(matches!(beam.shares(OWNER, 100, &long)[..], [Told::ToWrite(_)]));
    for number in 101..=116 {
        assert_eq!(beam.shares(OWNER, number, &long), []);
    }

    let told = beam.shares(OWNER, 117, &long);

    assert!(matches!(&told[..], [Told::Message(_, error)] if error["extra"] == "unavailable"));
}

#[test]
fn s22_a_full_beam_takes_an_edit_that_does_not_grow() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER]);
    let big = "x".repeat(256 * 1024 - 6);
    for number in 0..64 {
        let told = beam.shares(OWNER, 100 + number, &json!(big));
        if outcome(&told) == "no_room" {
            break;
        }
        beam.stores();
    }
    assert_eq!(outcome(&beam.shares(OWNER, 99, &json!(big))), "no_room");
    assert_eq!(outcome(&beam.shares(OWNER, 100, &json!(format!("{big}{big}")))), "no_room");
    let other = "y".repeat(big.len());
    assert_eq!(outcome(&beam.shares(OWNER, 100, &json!(other))), "yes");
    beam.stores();
    assert_eq!(outcome(&beam.shares(OWNER, 100, &json!("short"))), "yes");
    beam.stores();
    assert_eq!(outcome(&beam.shares(OWNER, 99, &json!(big))), "yes", "the old size was given back");
}
