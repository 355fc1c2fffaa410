//! Kept beams: what is stored of an unsaved beam because somebody asked, at whose cost, and how it ends (S30, H32).

use heliograph_shared::ids::{BeamId, DeviceId, ItemId};
use heliograph_shared::names::BeamName;
use heliograph_shared::socket::Kept;
use heliograph_shared::time::Millis;
use heliograph_storage::beams::Life;
use heliograph_storage::blobs::BlobId;
use heliograph_storage::kept_beams::Keep;
use heliograph_storage::notes::{NewNote, Quota};
use heliograph_storage::quota::Quotas;
use heliograph_storage::saved_beams::Contents;
use heliograph_storage::uploads::{NewUpload, Room, Wish};
use heliograph_storage::{BeamWriter, Error, Storage};

use crate::accounts::{account, person};
use crate::sessions::session;
use crate::stage::{at, on_both, quotas, with_writer};

const UNTIL: Millis = at(500);
const EXPIRES: Millis = at(1_000);

fn beam(n: u8) -> BeamId {
    BeamId::from_random([n; 16])
}

fn device(n: u8) -> DeviceId {
    DeviceId::from_bytes([n; 16])
}

/// A note that takes ten bytes.
fn note(n: u8) -> NewNote {
    NewNote {
        id: ItemId::from_random([n; 16]),
        seq: n.into(),
        content: "123456".to_owned(),
        upload: None,
        kind: "text".to_owned(),
        device: device(n),
        author: None,
        created_at: at(n.into()),
    }
}

fn keep(until: Millis) -> Keep {
    Keep { until, by: device(1), address: Some("here".to_owned()), earlier: None }
}

fn quota(quotas: Quotas) -> Quota {
    Quota { quotas, now: at(10) }
}

const PLENTY: Quotas = Quotas::UNLIMITED;

async fn keeps(writer: &BeamWriter, n: u8, notes: &[NewNote], quotas: Quotas) -> Result<(), Error> {
    writer.keep_beam(beam(n), &keep(UNTIL), EXPIRES, notes, quota(quotas)).await
}

/// A file for an item of a beam, by a guest.
fn file(n: u8) -> NewUpload {
    NewUpload {
        id: BlobId::from_random([n; 16]),
        account: None,
        beam: Some(beam(1)),
        sender: None,
        address: Some("here".to_owned()),
        name: "plan.pdf".to_owned(),
        media_type: "application/octet-stream".to_owned(),
        created_at: at(10),
        expires_at: None,
        for_item: true,
    }
}

async fn uploads(storage: &Storage, new: &NewUpload, size: u64, quotas: Quotas) -> Room {
    storage.start_upload(new).await.unwrap();
    let room = storage
        .grow_upload(new.id, Wish { least: size, most: size, quotas }, at(10))
        .await
        .unwrap();
    if let Room::Given(size) = room {
        storage.finish_upload(new.id, size, at(10)).await.unwrap();
    }
    room
}

async fn life(storage: &Storage, n: u8) -> Life {
    storage.find_beam(beam(n)).await.unwrap().unwrap().life
}

#[tokio::test]
async fn s30_a_kept_beam_is_found_with_its_items_and_no_one_elses() {
    with_writer(async |storage, writer| {
        storage.record_shared_beam(beam(2), at(0), EXPIRES).await.unwrap();

        keeps(&writer, 1, &[note(1), note(2)], PLENTY).await.unwrap();

        let kept = Some(Kept { until: UNTIL, by: device(1) });
        assert_eq!(life(&storage, 1).await, Life::Unsaved { expires_at: EXPIRES, kept });
        assert_eq!(storage.notes_of(beam(1)).await.unwrap(), [note(1), note(2)]);
        assert_eq!(life(&storage, 2).await, Life::Unsaved { expires_at: EXPIRES, kept: None });
        let put = writer.put_note(beam(2), &note(1), quota(PLENTY)).await;
        assert!(matches!(put, Err(Error::Missing)), "nobody asked to keep this one");
    })
    .await;
}

#[tokio::test]
async fn s28_what_a_beam_knows_of_lost_items_stays_as_long_as_it_is_kept_or_saved() {
    with_writer(async |storage, writer| {
        let known = async || storage.find_beam(beam(1)).await.unwrap().unwrap().earlier;
        let put = async |now| writer.put_earlier(beam(1), "more", now).await;
        assert!(matches!(put(at(10)).await, Err(Error::Missing)), "nobody asked to keep it");
        let keep = Keep { earlier: Some("some".to_owned()), ..keep(UNTIL) };
        writer.keep_beam(beam(1), &keep, EXPIRES, &[note(1)], quota(PLENTY)).await.unwrap();
        assert_eq!(known().await.as_deref(), Some("some"));
        put(at(10)).await.unwrap();
        assert_eq!(known().await.as_deref(), Some("more"));
        assert!(matches!(put(UNTIL).await, Err(Error::Missing)));
        assert_eq!(storage.forget_kept_beams(UNTIL).await.unwrap(), 1);
        assert_eq!(known().await, None);
    })
    .await;
}

#[tokio::test]
async fn s30_a_beam_lives_as_long_as_it_is_kept() {
    with_writer(async |storage, writer| {
        let keep = keep(at(5_000));
        writer.keep_beam(beam(1), &keep, EXPIRES, &[note(1)], quota(PLENTY)).await.unwrap();

        let kept = Some(Kept { until: at(5_000), by: device(1) });
        assert_eq!(life(&storage, 1).await, Life::Unsaved { expires_at: at(5_000), kept });
    })
    .await;
}

#[tokio::test]
async fn s30_when_the_time_is_over_nothing_stays_and_nothing_is_added() {
    with_writer(async |storage, writer| {
        keeps(&writer, 1, &[note(1)], PLENTY).await.unwrap();
        assert_eq!(uploads(&storage, &file(1), 5, PLENTY).await, Room::Given(5));

        let late = Quota { quotas: PLENTY, now: UNTIL };
        let put = writer.put_note(beam(1), &note(2), late).await;
        assert!(matches!(put, Err(Error::Missing)));
        assert!(storage.find_upload(file(1).id, UNTIL).await.unwrap().is_none());

        assert_eq!(storage.forget_kept_beams(at(499)).await.unwrap(), 0);
        assert_eq!(storage.forget_kept_beams(UNTIL).await.unwrap(), 1);
        assert_eq!(storage.bury_old_uploads(UNTIL).await.unwrap(), 1);
        assert_eq!(storage.notes_of(beam(1)).await.unwrap(), []);
        assert_eq!(life(&storage, 1).await, Life::Unsaved { expires_at: EXPIRES, kept: None });
        assert_eq!(storage.forget_kept_beams(at(9_999)).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn s30_a_longer_time_holds_for_the_files_too_and_an_end_ends_them() {
    with_writer(async |storage, writer| {
        keeps(&writer, 1, &[note(1)], PLENTY).await.unwrap();
        uploads(&storage, &file(1), 5, PLENTY).await;
        let naming = NewNote { upload: Some(file(1).id), ..note(2) };
        writer.put_note(beam(1), &naming, quota(PLENTY)).await.unwrap();
        let is_there = async |now| storage.find_upload(file(1).id, now).await.unwrap().is_some();

        writer.keep_beam(beam(1), &keep(at(900)), EXPIRES, &[], quota(PLENTY)).await.unwrap();
        assert!(is_there(at(899)).await);
        assert!(!is_there(at(900)).await);
        assert_eq!(storage.notes_of(beam(1)).await.unwrap(), [note(1), naming]);

        writer.stop_keeping(beam(1), at(20)).await.unwrap();
        assert!(!is_there(at(20)).await);
        assert_eq!(storage.notes_of(beam(1)).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn s30_a_wish_for_more_time_keeps_all_items_before_and_after_the_end_of_the_first() {
    with_writer(async |storage, writer| {
        let all = [note(1), note(2)];
        keeps(&writer, 1, &all, PLENTY).await.unwrap();

        // At 900 the time for which they were stored is over.
        for (now, until) in [(499, 900), (900, 1_300)].map(|(now, until)| (at(now), at(until))) {
            let quota = Quota { quotas: quotas(20), now };
            writer.keep_beam(beam(1), &keep(until), at(2_000), &all, quota).await.unwrap();
            assert_eq!(storage.notes_of(beam(1)).await.unwrap(), all, "{now:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn s30_a_kept_note_that_is_deleted_takes_no_room_and_its_file_ends_after_undo() {
    with_writer(async |storage, writer| {
        storage.record_shared_beam(beam(1), at(0), EXPIRES).await.unwrap();
        uploads(&storage, &NewUpload { for_item: false, ..file(1) }, 5, PLENTY).await;
        let naming = NewNote { upload: Some(file(1).id), ..note(1) };
        keeps(&writer, 1, &[naming], quotas(15)).await.unwrap();
        let put = writer.put_note(beam(1), &note(2), quota(quotas(15))).await;
        assert!(matches!(put, Err(Error::Full)));

        writer.delete_notes(beam(1), &[note(1).id], at(20)).await.unwrap();

        assert_eq!(storage.notes_of(beam(1)).await.unwrap(), []);
        keeps(&writer, 1, &[note(2)], quotas(15)).await.unwrap();
        let later = at(20) + heliograph_storage::UNDO_TIME;
        assert_eq!(storage.bury_old_uploads(later).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn s30_a_kept_note_that_is_deleted_twice_at_once_gives_its_room_back_once() {
    with_writer(async |storage, writer| {
        keeps(&writer, 1, &[note(1), note(2)], PLENTY).await.unwrap();

        writer.delete_notes(beam(1), &[note(1).id; 3], at(20)).await.unwrap();

        let free = storage.free_for_guest(beam(1), None, quotas(30), at(20)).await;
        assert_eq!(free.unwrap(), 20, "the other note takes ten bytes");
    })
    .await;
}

#[tokio::test]
async fn s30_the_quotas_of_guests_hold_for_items_and_files_together() {
    for narrow in [
        Quotas { beam: 30, ..PLENTY },
        Quotas { address: 30, ..PLENTY },
        Quotas { guests: 30, ..PLENTY },
        Quotas { all: 30, ..PLENTY },
    ] {
        with_writer(async |storage, writer| {
            let here = || Some("here".to_owned());
            let free = async || storage.free_for_guest(beam(1), here(), narrow, at(10)).await;
            keeps(&writer, 1, &[note(1)], narrow).await.unwrap();
            assert_eq!(free().await.unwrap(), 20);
            assert_eq!(uploads(&storage, &file(1), 10, narrow).await, Room::Given(10));
            assert_eq!(free().await.unwrap(), 10);
            let whole = note(2);
            let shorter = NewNote { content: "12345".to_owned(), ..note(2) };
            let longer = NewNote { content: "1234567".to_owned(), ..note(2) };
            let put = async |note| writer.put_note(beam(1), note, quota(narrow)).await;

            assert!(matches!(put(&longer).await, Err(Error::Full)), "{narrow:?}");
            put(&whole).await.unwrap();
            put(&shorter).await.unwrap();
            assert!(matches!(put(&longer).await, Err(Error::Full)), "{narrow:?}");
            assert_eq!(uploads(&storage, &file(2), 2, narrow).await, Room::Full);
            assert_eq!(uploads(&storage, &file(3), 1, narrow).await, Room::Given(1));
        })
        .await;
    }
}

#[tokio::test]
async fn s30_a_beam_that_does_not_fit_is_not_kept() {
    with_writer(async |storage, writer| {
        storage.record_shared_beam(beam(1), at(0), EXPIRES).await.unwrap();

        let kept = keeps(&writer, 1, &[note(1), note(2)], quotas(19)).await;

        assert!(matches!(kept, Err(Error::Full)));
        assert_eq!(life(&storage, 1).await, Life::Unsaved { expires_at: EXPIRES, kept: None });
        assert_eq!(storage.notes_of(beam(1)).await.unwrap(), []);
        keeps(&writer, 1, &[note(1), note(2)], quotas(20)).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn s30_what_is_kept_is_paid_by_the_address_that_asked_first() {
    with_writer(async |_storage, writer| {
        let narrow = Quotas { address: 10, ..PLENTY };
        keeps(&writer, 1, &[note(1)], narrow).await.unwrap();
        let elsewhere = Keep { address: Some("there".to_owned()), ..keep(UNTIL) };
        writer.keep_beam(beam(1), &elsewhere, EXPIRES, &[], quota(narrow)).await.unwrap();

        assert!(matches!(keeps(&writer, 2, &[note(1)], narrow).await, Err(Error::Full)));
        writer.keep_beam(beam(2), &elsewhere, EXPIRES, &[note(1)], quota(narrow)).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn s30_a_saved_or_ended_beam_is_not_kept() {
    with_writer(async |storage, writer| {
        storage.create_account(&person(1, "ada"), &session(1, 1, 0)).await.unwrap();
        storage.record_shared_beam(beam(1), at(0), EXPIRES).await.unwrap();
        storage.record_shared_beam(beam(2), at(0), at(9)).await.unwrap();
        let name = BeamName::parse("Beam").unwrap();
        writer
            .save_beam(
                beam(1),
                account(1),
                &name,
                Contents { notes: &[note(3)], ..Contents::default() },
                quota(PLENTY),
            )
            .await
            .unwrap();

        for n in [1, 2] {
            let kept = keeps(&writer, n, &[note(1)], PLENTY).await;
            assert!(matches!(kept, Err(Error::Conflict)), "{n}");
        }
        writer.stop_keeping(beam(1), at(20)).await.unwrap();
        assert_eq!(storage.notes_of(beam(1)).await.unwrap(), [note(3)]);
    })
    .await;
}

#[tokio::test]
async fn s30_a_kept_beam_that_is_saved_is_the_owners_with_its_files() {
    with_writer(async |storage, writer| {
        storage.create_account(&person(1, "ada"), &session(1, 1, 0)).await.unwrap();
        keeps(&writer, 1, &[note(1)], PLENTY).await.unwrap();
        uploads(&storage, &file(1), 5, PLENTY).await;
        let naming = NewNote { upload: Some(file(1).id), ..note(2) };
        writer.put_note(beam(1), &naming, quota(PLENTY)).await.unwrap();
        let notes = [note(1), naming];

        let name = BeamName::parse("Beam").unwrap();
        let save = async |bytes| {
            writer
                .save_beam(
                    beam(1),
                    account(1),
                    &name,
                    Contents { notes: &notes, ..Contents::default() },
                    quota(quotas(bytes)),
                )
                .await
        };
        assert!(matches!(save(19).await, Err(Error::Full)));
        save(25).await.unwrap();

        assert_eq!(storage.forget_kept_beams(Millis::MAX).await.unwrap(), 0);
        assert_eq!(storage.notes_of(beam(1)).await.unwrap(), notes);
        let file = storage.find_upload(file(1).id, at(999_999_999)).await.unwrap().unwrap();
        assert_eq!(file.expires_at, None);
    })
    .await;
}

#[tokio::test]
async fn s31_it_is_remembered_that_something_was_shared() {
    on_both(async |storage| {
        storage.record_shared_beam(beam(1), at(0), EXPIRES).await.unwrap();
        assert!(storage.find_beam(beam(1)).await.unwrap().unwrap().had_items);
    })
    .await;
}
