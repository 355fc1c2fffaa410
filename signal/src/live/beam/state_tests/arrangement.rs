//! The shared arrangement (S35).

use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::limits::MAX_PLACES;
use heliograph_shared::socket::{Arrange, Placed};

use super::saved::{GUEST, OWNER, READER, WRITER, outcome, saved};
use super::*;
use crate::live::beam::write::Write;

pub(super) fn at(number: u8, x: i32) -> Placed {
    Placed { id: item(number), x, y: 0 }
}

impl Beam {
    pub(super) fn arranges(
        &mut self,
        who: u8,
        shared: Option<bool>,
        places: &[Placed],
    ) -> Vec<Told> {
        let change = Arrange { shared, places: places.to_vec() };
        self.says(who, Saying::Request(Request::Arrange(change)))
    }
}

/// The content of each `arranged`, with its socket.
pub(super) fn news(told: &[Told]) -> Vec<(u64, Value)> {
    let content = |told: &Told| match told {
        Told::Message(to, message) if message["type"] == "arranged" => {
            Some((*to, message["message"].clone()))
        }
        _ => None,
    };
    told.iter().filter_map(content).collect()
}

#[test]
fn s35_each_device_has_its_own_places_until_one_turns_the_shared_arrangement_on() {
    let mut beam = Beam::of(&[ADA, BOB]);
    beam.shares(ADA, 7, &json!("hi"));
    assert_eq!(beam.arranges(ADA, None, &[at(7, 5)]), []);

    let expected = json!({"shared": true, "places": [at(7, 5)], "from": device(ADA)});
    let told = beam.arranges(ADA, Some(true), &[at(7, 5)]);
    assert_eq!(news(&told), [(1, expected.clone()), (2, expected)]);
    let told = beam.arranges(BOB, None, &[at(7, 9)]);
    assert_eq!(news(&told)[0].1["places"], json!([at(7, 9)]));

    let late = beam.joins(3);
    let expected = json!({"shared": true, "places": [at(7, 9)], "from": null});
    assert_eq!(news(&late), [(3, expected)]);
}

#[test]
fn s35_when_it_is_off_again_nobody_who_joins_is_told_of_it() {
    let mut beam = Beam::of(&[ADA]);
    beam.shares(ADA, 7, &json!("hi"));
    beam.arranges(ADA, Some(true), &[at(7, 5)]);
    let told = beam.arranges(ADA, Some(false), &[at(7, 6)]);
    let expected = json!({"shared": false, "places": [], "from": device(ADA)});
    assert_eq!(news(&told), [(1, expected)]);
    assert_eq!(news(&beam.joins(BOB)), []);
}

#[test]
fn s35_places_of_what_is_not_in_the_beam_are_dropped_and_there_is_a_bound() {
    let mut beam = Beam::of(&[ADA]);
    beam.shares(ADA, 7, &json!("hi"));
    beam.arranges(ADA, Some(true), &[at(7, 5)]);
    assert_eq!(beam.arranges(ADA, None, &[at(8, 1)]), []);
    assert_eq!(outcome(&beam.arranges(ADA, None, &vec![at(7, 1); MAX_PLACES])), "yes");
    assert_eq!(outcome(&beam.arranges(ADA, None, &vec![at(7, 2); MAX_PLACES + 1])), "too_large");

    beam.deletes(ADA, &json!("hi"), Some(7));
    beam.shares(ADA, 9, &json!("more"));
    beam.arranges(ADA, None, &[at(9, 3)]);
    assert_eq!(news(&beam.joins(BOB))[0].1["places"], json!([at(9, 3)]));
}

#[test]
fn s33_s35_nobody_learns_of_the_place_of_an_item_for_one_device() {
    let mut beam = Beam::of(&[ADA, BOB, CAT]);
    beam.sends(ADA, BOB, 7, &json!("secret"));
    let told = beam.arranges(ADA, Some(true), &[at(7, 5)]);
    assert!(news(&told).iter().all(|(_, news)| news["places"] == json!([])), "{told:?}");
    assert_eq!(beam.arranges(BOB, None, &[at(7, 6)]), []);
    assert_eq!(news(&beam.joins(4))[0].1["places"], json!([]));
}

#[test]
fn s35_a_plain_device_is_not_told() {
    let mut beam = Beam::of(&[ADA]);
    beam.joins_plain(BOB);
    beam.shares(ADA, 7, &json!("hi"));
    assert_eq!(news(&beam.arranges(ADA, Some(true), &[at(7, 5)])).len(), 1);
    assert_eq!(news(&beam.joins_plain(3)), []);
}

#[test]
fn s35_in_a_saved_beam_it_is_stored_first_and_readers_may_not_change_it() {
    let mut beam = saved(LinkAccess::Read).with_visitors(&[OWNER, WRITER, READER, GUEST]);
    for reader in [READER, GUEST] {
        assert_eq!(outcome(&beam.arranges(reader, Some(true), &[])), "forbidden");
    }
    let places = vec![at(OWNER, 40)];
    let write = Write::Arrange { shared: true, places: places.clone() };
    assert_eq!(beam.arranges(WRITER, Some(true), &places), [Told::ToWrite(write)]);
    let told = beam.stores();
    assert_eq!(news(&told).len(), 4);
    assert_eq!(news(&told)[0].1["places"], json!(places));
}

#[test]
fn s35_saving_a_beam_keeps_its_arrangement() {
    let mut beam = Beam::new();
    let ada = Newcomer { creator: true, account: super::saved::account(OWNER), ..newcomer(ADA, 1) };
    beam.tell(Input::Join(ada));
    beam.shares(ADA, 7, &json!("hi"));
    beam.arranges(ADA, Some(true), &[at(7, 5)]);
    let told = beam.saves(ADA, "Trip");
    let [Told::ToWrite(Write::Save { places, .. })] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(places.as_deref(), Some([at(7, 5)].as_slice()));
}
