//! What goes along with a deletion, unread (E4), and what plain devices learn of a sealed beam (E12).

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
    let text = json!("hi");
    for id in [None, Some(1)] {
        let mut beam = with_a_plain_device();
        beam.shares(ADA, 1, &text);
        let told = beam.deletes_with(ADA, &text, id);
        assert_eq!(with_and_without(&told), (vec![1, 2], vec![4]));
        let bare = json!({"type": "delete_note", "message": "hi"});
        let Told::Message(4, mut message) = told.into_iter().next().unwrap() else { panic!() };
        message.as_object_mut().unwrap().remove("id");
        assert_eq!(message, bare);
        assert_eq!(beam.contents(), [] as [Value; 0]);
        // Of what is not here everybody is told in the same way.
        let told = beam.deletes_with(ADA, &text, id);
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
        beam.sends(ADA, to, 1, &json!("hi"));
        let told = beam.deletes_with(ADA, &json!("hi"), Some(1));
        let expected = if to == BOB { (vec![1, 2], vec![]) } else { (vec![1], vec![4]) };
        assert_eq!(with_and_without(&told), expected);
    }
}

#[test]
fn e4_it_waits_until_the_deletion_is_stored() {
    let mut kept = with_a_plain_device();
    kept.asks_to_keep(ADA, Some(KeepTime::Hour));
    kept.stores();
    kept.shares(ADA, 1, &json!("hi"));
    kept.stores();
    let told = kept.deletes_with(ADA, &json!("hi"), Some(1));
    assert_eq!(told, [Told::ToWrite(Write::Delete(vec![item(1)]))]);
    assert_eq!(with_and_without(&kept.stores()), (vec![1, 2], vec![4]));

    let mut saved = saved(LinkAccess::Write).with_visitors(&[OWNER]);
    let told = saved.deletes_with(OWNER, &json!(null), Some(OWNER));
    assert_eq!(told, [Told::ToWrite(Write::Delete(vec![item(OWNER)]))]);
    let (with, without) = with_and_without(&saved.stores());
    assert!(with.contains(&OWNER.into()) && without.is_empty(), "{with:?} {without:?}");
}

/// What each device was told of items: its socket, and the start of the message.
fn news(told: &[Told]) -> Vec<(u64, String)> {
    let item = |told: &Told| match told {
        Told::Message(to, message) if message["type"] == "rec_clipboard" => {
            let text = message["message"].as_str().unwrap();
            Some((*to, text.chars().take(7).collect()))
        }
        Told::Message(to, message) if message["type"] == "delete_note" => {
            Some((*to, "deleted".to_owned()))
        }
        _ => None,
    };
    let mut news: Vec<_> = told.iter().filter_map(item).collect();
    news.sort_unstable();
    news
}

fn told(news: &[(u64, &str)]) -> Vec<(u64, String)> {
    news.iter().map(|(to, text)| (*to, (*text).to_owned())).collect()
}

const SEALED: &str = "e2e1.AQ";
const NOTICE: &str = "This be";

#[test]
fn e12_a_plain_device_is_told_once_that_the_beam_is_sealed_and_gets_nothing_sealed() {
    let mut beam = with_a_plain_device();
    let to_all = [(1, SEALED), (2, SEALED), (4, NOTICE)];
    assert_eq!(news(&beam.shares(ADA, 1, &json!(SEALED))), told(&to_all));
    for sealed in ["e2e1.Ag", "e2k1.Ag"] {
        let expected = [(1, sealed), (2, sealed)];
        assert_eq!(news(&beam.shares(BOB, 2, &json!(sealed))), told(&expected), "{sealed}");
    }
    let deleted = beam.deletes(BOB, &json!("e2k1.Ag"), Some(2));
    assert_eq!(news(&deleted), told(&[(1, "deleted"), (2, "deleted")]));
    let clear = beam.shares(PLAIN, 3, &json!("hi"));
    assert_eq!(news(&clear), told(&[(1, "hi"), (2, "hi"), (4, "hi")]));
}

#[test]
fn e12_a_plain_device_that_comes_later_is_told_at_once() {
    let mut beam = Beam::of(&[ADA]);
    beam.shares(ADA, 1, &json!(SEALED));
    assert_eq!(news(&beam.joins_plain(PLAIN)), told(&[(4, NOTICE)]));
    assert_eq!(news(&beam.shares(ADA, 2, &json!(SEALED))), told(&[(1, SEALED)]));
    let mut clear = Beam::of(&[ADA]);
    clear.shares(ADA, 1, &json!("hi"));
    assert_eq!(news(&clear.joins_plain(PLAIN)), []);
}

#[test]
fn e12_a_clear_item_that_is_edited_by_a_device_that_seals_goes_from_a_plain_one() {
    let mut beam = with_a_plain_device();
    beam.shares(PLAIN, 1, &json!("hi"));
    let edited = beam.shares(ADA, 1, &json!(SEALED));
    let expected = [(1, SEALED), (2, SEALED), (4, NOTICE), (4, "deleted")];
    assert_eq!(news(&edited), told(&expected));
}

#[test]
fn e12_what_is_sent_to_a_plain_device_in_clear_text_comes_to_it_alone() {
    let mut beam = with_a_plain_device();
    let sent = beam.sends(ADA, PLAIN, 1, &json!("hi"));
    assert_eq!(news(&sent), told(&[(1, "hi"), (4, "hi")]));
    let sealed = beam.sends(ADA, BOB, 2, &json!(SEALED));
    assert_eq!(news(&sealed), told(&[(1, SEALED), (2, SEALED)]));
}

#[test]
fn s38_devices_of_ours_are_told_that_other_keys_lie_with_the_beam_and_plain_ones_are_not() {
    let told = with_a_plain_device().tell(Input::KeysChanged);
    assert_eq!(types(&told), [(1, "keys_changed"), (2, "keys_changed")]);
}
