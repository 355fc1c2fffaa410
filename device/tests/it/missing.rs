//! What the server gives to one device of a sealed beam and not to another (E14). `client/src/protocol/item-comparison.test.ts` has the
//! same of the browser.

use std::time::Duration;

use heliograph_device::random::Random as _;
use heliograph_device::session::{Input, News};

use crate::beam_server::{Beam, item_id, random};

const SETTLES: Duration = Duration::from_mins(2);

/// How many items are missing on a device, as its person was told last.
fn missing(beam: &Beam, seat: usize) -> usize {
    let told = beam.seats[seat].news.iter().rev().find_map(|news| match news {
        News::Missing(count) => Some(*count),
        _ => None,
    });
    told.unwrap_or(0)
}

#[test]
fn e14_what_the_server_withholds_from_one_device_is_missing_there_until_it_is_given_and_nowhere_else()
 {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.comes("Bob", &secret);
    beam.withholds = Some(Box::new(move |seat, item| seat == bob && item.id == item_id(1)));
    beam.shares(ada, item_id(1), "oat milk");
    beam.shares(ada, item_id(2), "two lemons");
    beam.passes(SETTLES);
    assert_eq!((missing(&beam, ada), missing(&beam, bob)), (0, 1));
    assert_eq!(beam.texts(bob), ["two lemons"]);
    beam.withholds = None;
    beam.handle(bob, Input::LookForMissing);
    beam.passes(SETTLES);
    assert_eq!((missing(&beam, bob), beam.texts(bob).len()), (0, 2));
}

#[test]
fn e14_an_older_version_than_another_device_was_given_is_missing_too() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.comes("Bob", &secret);
    beam.shares(ada, item_id(1), "oat milk");
    beam.withholds = Some(Box::new(move |seat, _| seat == bob));
    beam.shares(ada, item_id(1), "oat milk, two lemons");
    beam.passes(SETTLES);
    assert_eq!((missing(&beam, ada), missing(&beam, bob)), (0, 1));
    // Whoever deletes it says that it is missing nowhere.
    beam.handle(ada, Input::Delete(item_id(1)));
    beam.passes(SETTLES);
    assert_eq!(missing(&beam, bob), 0);
}

#[test]
fn e14_with_an_honest_server_nothing_is_ever_missing_whatever_happens() {
    for seed in 0..12 {
        let mut beam = Beam::new();
        let (_, secret) = beam.made();
        for name in ["Bob", "Cat"] {
            beam.comes(name, &secret);
        }
        let mut random = random(seed);
        let mut chosen = |most: u8| {
            let mut byte = [0];
            random.fill(&mut byte);
            byte[0] % most
        };
        for _ in 0..60 {
            let (seat, id) = (usize::from(chosen(3)), item_id(chosen(8)));
            match chosen(10) {
                0..4 => beam.shares(seat, id, &format!("text {}", chosen(200))),
                4 => beam.handle(seat, Input::Delete(id)),
                5 => beam.cuts(seat, None),
                6 => {
                    // It has no room, and tells nobody (S17).
                    beam.items.retain(|item| item.id != id);
                }
                7 => beam.passes(Duration::from_secs(u64::from(chosen(40)))),
                _ => beam.passes(Duration::from_millis(u64::from(chosen(250)))),
            }
        }
        beam.passes(SETTLES);
        for seat in &beam.seats {
            assert!(!seat.news.iter().any(|news| matches!(news, News::Missing(_))), "{seed}");
        }
    }
}

#[test]
fn e14_once_all_have_told_each_other_the_same_nothing_more_is_said() {
    let mut beam = Beam::new();
    let (ada, secret) = beam.made();
    let bob = beam.comes("Bob", &secret);
    beam.shares(ada, item_id(1), "oat milk");
    beam.passes(SETTLES);
    let signals = |beam: &Beam| {
        let sent = beam.seats.iter().flat_map(|seat| &seat.sent);
        sent.filter(|text| text.starts_with(r#"{"type":"signal""#)).count()
    };
    let before = signals(&beam);
    assert!(before > 0);
    beam.passes(SETTLES);
    assert_eq!(signals(&beam), before);
    assert_eq!(missing(&beam, bob), 0);
}
