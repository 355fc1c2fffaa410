//! What goes along with a deletion, unread (E4).

use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::socket::KeepTime;

use super::saved::{OWNER, saved};
use super::*;

const PLAIN: u8 = 4;

impl Beam {
    fn deletes_with(&mut self, who: u8, message: &Value, id: Option<u8>) -> Vec<Told> {
        let deletion = Deletion { extra: Some("e2e1.Ag".to_owned()), ..deletion(message, id) };
        self.says(who, Saying::Request(Request::Delete(deletion)))
    }
}

/// The sockets that got the `extra`, and those that did not.
fn with_and_without(told: &[Told]) -> (Vec<u64>, Vec<u64>) {
    let deletion = |told: &Told| match told {
        Told::Message(to, message) if message["type"] == "delete_note" => {
            assert!(["e2e1.Ag", ""].contains(&message["extra"].as_str().unwrap_or_default()));
            Some((*to, message.get("extra").is_some()))
        }
        _ => None,
    };
    let told: Vec<_> = told.iter().filter_map(deletion).collect();
    let who = |has| told.iter().filter(|told| told.1 == has).map(|told| told.0).collect();
    (who(true), who(false))
}

fn with_a_plain_device() -> Beam {
    let mut beam = Beam::of(&[ADA, BOB]);
    beam.joins_plain(PLAIN);
    beam
}

#[test]
fn e4_what_goes_along_with_a_deletion_comes_to_all_but_plain_devices() {
    let envelope = json!("e2e1.AQ");
    for id in [None, Some(1)] {
        let mut beam = with_a_plain_device();
        beam.shares(ADA, 1, &envelope);
        let told = beam.deletes_with(ADA, &envelope, id);
        assert_eq!(with_and_without(&told), (vec![1, 2], vec![4]));
        let bare = json!({"type": "delete_note", "message": "e2e1.AQ"});
        let Told::Message(4, mut message) = told.into_iter().next().unwrap() else { panic!() };
        message.as_object_mut().unwrap().remove("id");
        assert_eq!(message, bare);
        assert_eq!(beam.contents(), [] as [Value; 0]);
        // Of what is not here everybody is told in the same way.
        let told = beam.deletes_with(ADA, &envelope, id);
        assert_eq!(with_and_without(&told), (vec![1, 2], vec![4]));
    }
}

#[test]
fn e4_without_it_every_device_is_told_the_same() {
    let mut beam = with_a_plain_device();
    beam.shares(ADA, 1, &json!("hi"));
    let told = beam.deletes(ADA, &json!("hi"), None);
    assert_eq!(with_and_without(&told), (vec![], vec![1, 2, 4]));
}

#[test]
fn e4_it_comes_to_the_two_that_have_an_item_for_themselves() {
    let mut beam = with_a_plain_device();
    for to in [BOB, PLAIN] {
        beam.sends(ADA, to, 1, &json!("e2e1.AQ"));
        let told = beam.deletes_with(ADA, &json!("e2e1.AQ"), Some(1));
        let expected = if to == BOB { (vec![1, 2], vec![]) } else { (vec![1], vec![4]) };
        assert_eq!(with_and_without(&told), expected);
    }
}

#[test]
fn e4_it_waits_until_the_deletion_is_stored() {
    let mut kept = with_a_plain_device();
    kept.asks_to_keep(ADA, Some(KeepTime::Hour));
    kept.stores();
    kept.shares(ADA, 1, &json!("e2e1.AQ"));
    kept.stores();
    let told = kept.deletes_with(ADA, &json!("e2e1.AQ"), Some(1));
    assert_eq!(told, [Told::ToWrite(Write::Delete(vec![item(1)]))]);
    assert_eq!(with_and_without(&kept.stores()), (vec![1, 2], vec![4]));

    let mut saved = saved(LinkAccess::Write).with_visitors(&[OWNER]);
    let told = saved.deletes_with(OWNER, &json!(null), Some(OWNER));
    assert_eq!(told, [Told::ToWrite(Write::Delete(vec![item(OWNER)]))]);
    let (with, without) = with_and_without(&saved.stores());
    assert!(with.contains(&OWNER.into()) && without.is_empty(), "{with:?} {without:?}");
}
