//! S30: what becomes of the addresses of stored files when a beam is kept no longer.

use heliograph_shared::socket::{KeepTime, LiveItem};
use heliograph_storage::blobs::BlobId;

use super::keeping::HOUR;
use super::*;

fn stored_file(name: &str, upload: &str) -> Value {
    let url = format!("/api/uploads/{upload}");
    json!({"file": {"name": name, "size": 1, "type": "image/png", "url": url}})
}

/// A beam that is kept for an hour from the time 0, in which Ada has shared two stored files and a text.
fn kept_with_files() -> Beam {
    let mut beam = Beam::with(Terms {
        status: Status::Unsaved { expires_at: Millis::MAX, recorded: true, kept: None },
        ..unsaved(true)
    });
    beam.joins(ADA);
    beam.joins(BOB);
    beam.asks_to_keep(ADA, Some(KeepTime::Hour));
    beam.stores();
    for (id, content) in [
        (1, stored_file("gone.png", &GONE.to_string())),
        (2, json!("text")),
        (3, stored_file("there.png", &THERE.to_string())),
    ] {
        beam.shares(ADA, id, &content);
        beam.stores();
    }
    beam.now = Millis::new(5);
    beam
}

const GONE: BlobId = BlobId::from_random([1; 16]);
const THERE: BlobId = BlobId::from_random([2; 16]);

#[test]
fn s30_items_lose_the_address_of_a_file_that_went_with_the_keeping() {
    for ends_by_time in [false, true] {
        let mut beam = kept_with_files();
        let told = if ends_by_time {
            beam.now = Millis::new(0) + HOUR;
            beam.tell(Input::Tick)
        } else {
            beam.asks_to_keep(ADA, None);
            beam.stores()
        };
        assert_eq!(types(&told), [(1, "kept"), (2, "kept")]);
        let asked = Told::ToWrite(Write::FindGone(vec![GONE, THERE]));
        assert_eq!(told.last(), Some(&asked));
        assert_eq!(beam.shares(BOB, 4, &json!("waits")), []);
        assert_eq!(beam.asks_to_keep(BOB, Some(KeepTime::Day)), [], "it would store the address");

        let told = beam.tell(Input::Written(Written::Gone([GONE].into())));

        assert_eq!(
            types(&told),
            [
                (1, "rec_clipboard"),
                (2, "rec_clipboard"),
                (1, "rec_clipboard"),
                (2, "rec_clipboard")
            ]
        );
        let Told::Message(2, news) = &told[1] else { panic!("{told:?}") };
        let bare = json!({"file": {"name": "gone.png", "size": 1, "type": "image/png"}});
        assert_eq!(news["message"], bare);
        let expected = [json!(item(1)), json!(device(ADA)), json!(0)];
        assert_eq!([&news["id"], &news["from"], &news["at"]], [0, 1, 2].map(|n| &expected[n]));
        let Some(Told::ToWrite(Write::Keep { notes, .. })) = told.last() else {
            panic!("{told:?}")
        };
        let stored: Vec<_> = notes.iter().map(|note| note.upload).collect();
        assert_eq!(stored, [None, Some(THERE), None, None]);
        let there = stored_file("there.png", &THERE.to_string());
        assert_eq!(beam.contents(), [json!("text"), there, bare, json!("waits")]);
    }
}

#[test]
fn s30_a_beam_whose_files_cannot_be_looked_for_goes_on() {
    let mut beam = kept_with_files();
    let before = beam.contents();
    beam.asks_to_keep(ADA, None);
    beam.stores();
    beam.shares(BOB, 4, &json!("waits"));

    let told = beam.tell(Input::Written(Written::Unavailable));

    assert_eq!(types(&told), [(1, "rec_clipboard"), (2, "rec_clipboard")]);
    assert_eq!(beam.contents(), [&before[..], &[json!("waits")]].concat());
    assert_eq!(told.last(), Some(&Told::StoresSoon));
    let again = Told::ToWrite(Write::FindGone(vec![GONE, THERE]));
    assert_eq!(beam.tell(Input::StoreNow), [again]);
}

#[test]
fn s30_an_address_that_is_shared_or_comes_back_after_the_keeping_is_looked_for() {
    let items = Items::none_after(100, unlimited());
    let mut beam = Beam::with(Terms { items, ..unsaved(true) });
    beam.joins(ADA);
    beam.holds(ADA, (1, 9), &[7]);
    let item = LiveItem {
        message: content(&stored_file("gone.png", &GONE.to_string())),
        extra: "image".to_owned(),
        id: item(7),
        seq: 7,
        from: DeviceId::from_bytes([ADA; 16]),
        at: Millis::new(0),
        to: None,
    };

    let told = beam.says(ADA, Saying::Request(Request::Restore(item)));
    assert_eq!(told.last(), Some(&Told::StoresSoon));
    let there = stored_file("there.png", &THERE.to_string());
    beam.shares(ADA, 1, &there);

    let asked = Told::ToWrite(Write::FindGone(vec![GONE, THERE]));
    assert_eq!(beam.tell(Input::StoreNow), [asked]);
    let told = beam.tell(Input::Written(Written::Gone([GONE].into())));
    assert_eq!(types(&told), [(1, "rec_clipboard")]);
    assert!(!told.contains(&Told::StoresSoon), "nothing is doubtful any more");
    let bare = json!({"file": {"name": "gone.png", "size": 1, "type": "image/png"}});
    assert_eq!(beam.contents(), [there, bare]);
}
