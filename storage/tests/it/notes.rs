//! Notes: an edit after a restart, their part of the owner's quota, and the files that they refer to.

use heliograph_shared::ids::{BeamId, DeviceId, ItemId};
use heliograph_shared::names::BeamName;
use heliograph_shared::socket::Placed;
use heliograph_shared::time::Millis;
use heliograph_storage::blobs::{BlobId, BlobKey};
use heliograph_storage::notes::{NewNote, Quota};
use heliograph_storage::saved_beams::Contents;
use heliograph_storage::uploads::{NewUpload, Room, Wish};
use heliograph_storage::{BeamWriter, Error, Storage, UNDO_TIME};

use crate::accounts::{QUOTA, account, person};
use crate::sessions::session;
use crate::stage::{MS, at, quotas, with_writer};

fn beam() -> BeamId {
    BeamId::from_random([7; 16])
}

fn note(n: u8, content: &str) -> NewNote {
    NewNote {
        id: ItemId::from_random([n; 16]),
        seq: n.into(),
        content: content.to_owned(),
        upload: None,
        kind: "text".to_owned(),
        device: DeviceId::from_bytes([n; 16]),
        author: Some(account(1)),
        created_at: at(n.into()),
    }
}

/// An empty saved beam of Ada's.
async fn stage(storage: &Storage, writer: &BeamWriter) {
    storage.create_account(&person(1, "ada"), &session(1, 1, 0)).await.unwrap();
    storage.record_shared_beam(beam(), at(0), at(1_000)).await.unwrap();
    let name = BeamName::parse("Beam").unwrap();
    writer.save_beam(beam(), account(1), &name, Contents::default(), QUOTA).await.unwrap();
}

fn quota(bytes: u64) -> Quota {
    Quota { quotas: quotas(bytes), now: at(0) }
}

fn file() -> BlobId {
    BlobId::from_random([5; 16])
}

/// A file of Ada's that expires with her beam.
fn upload() -> NewUpload {
    NewUpload {
        id: file(),
        account: Some(account(1)),
        beam: Some(beam()),
        sender: None,
        address: None,
        name: "a.png".to_owned(),
        media_type: "image/png".to_owned(),
        created_at: at(0),
        expires_at: None,
        for_item: false,
    }
}

async fn uploads(storage: &Storage, size: u64, quota: u64) -> Room {
    storage.start_upload(&upload()).await.unwrap();
    let wish = Wish { least: size, most: size, quotas: quotas(quota) };
    let room = storage.grow_upload(file(), wish, at(0)).await.unwrap();
    storage.finish_upload(file(), size, at(0)).await.unwrap();
    room
}

#[tokio::test]
async fn s22_an_edited_note_is_found_as_it_was_echoed() {
    with_writer(async |storage, writer| {
        stage(&storage, &writer).await;
        writer.put_note(beam(), &note(1, "1"), QUOTA).await.unwrap();
        let edited = NewNote { id: note(1, "").id, author: None, ..note(2, "22") };

        writer.put_note(beam(), &edited, QUOTA).await.unwrap();

        let expected = NewNote { author: Some(account(1)), ..edited };
        assert_eq!(storage.notes_of(beam()).await.unwrap(), [expected]);
    })
    .await;
}

#[tokio::test]
async fn p27_notes_and_files_share_one_quota() {
    with_writer(async |storage, writer| {
        stage(&storage, &writer).await;
        // Content and kind count: ten bytes.
        writer.put_note(beam(), &note(1, "123456"), QUOTA).await.unwrap();
        assert_eq!(uploads(&storage, 20, 30).await, Room::Given(20));
        let put = async |bytes| writer.put_note(beam(), &note(2, "123456"), quota(bytes)).await;
        assert!(matches!(put(39).await, Err(Error::Full)));
        put(40).await.unwrap();
        let more = async |quota| {
            let new = NewUpload { id: BlobId::from_random([6; 16]), ..upload() };
            storage.start_upload(&new).await.unwrap();
            storage
                .grow_upload(new.id, Wish { least: 1, most: 1, quotas: quotas(quota) }, at(0))
                .await
                .unwrap()
        };
        assert_eq!(more(40).await, Room::Full);
    })
    .await;
}

#[tokio::test]
async fn p27_a_guests_file_becomes_the_owners_when_a_note_names_it_and_it_fits() {
    with_writer(async |storage, writer| {
        stage(&storage, &writer).await;
        let day = at(86_400_000);
        let guests = NewUpload { account: None, expires_at: Some(day), ..upload() };
        storage.start_upload(&guests).await.unwrap();
        let wish = Wish { least: 20, most: 20, quotas: quotas(100) };
        storage.grow_upload(file(), wish, at(0)).await.unwrap();
        storage.finish_upload(file(), 20, at(0)).await.unwrap();
        // Content and kind count: ten bytes.
        let naming = |n| NewNote { upload: Some(file()), ..note(n, "123456") };
        let is_there_after = async || storage.find_upload(file(), day).await.unwrap().is_some();

        writer.put_note(beam(), &naming(1), quota(29)).await.unwrap();
        assert!(!is_there_after().await, "it did not fit");
        writer.put_note(beam(), &naming(2), quota(40)).await.unwrap();
        assert!(is_there_after().await);
        let third = writer.put_note(beam(), &note(3, "1"), quota(40)).await;
        assert!(matches!(third, Err(Error::Full)), "it takes the owner's quota");
    })
    .await;
}

#[tokio::test]
async fn p27_a_note_that_does_not_fit_is_refused_and_one_that_shrinks_is_not() {
    with_writer(async |storage, writer| {
        stage(&storage, &writer).await;
        let put = async |n, content, bytes| {
            writer.put_note(beam(), &note(n, content), quota(bytes)).await
        };
        put(1, "123456", 10).await.unwrap();
        assert!(matches!(put(2, "1", 14).await, Err(Error::Full)));
        put(2, "1", 15).await.unwrap();
        assert!(matches!(put(1, "1234567", 15).await, Err(Error::Full)));
        put(1, "12345", 3).await.expect("it shrinks");
        writer.delete_notes(beam(), &[note(2, "").id], at(0)).await.unwrap();
        assert!(matches!(put(3, "1234567", 19).await, Err(Error::Full)));
        put(3, "1234567", 20).await.expect("what was deleted gives its room back");
    })
    .await;
}

#[tokio::test]
async fn p29_the_bytes_of_a_deleted_file_go_when_undo_is_no_longer_offered() {
    with_writer(async |storage, writer| {
        stage(&storage, &writer).await;
        uploads(&storage, 1, 100).await;
        let undo = at(0) + UNDO_TIME;
        let naming = |n| NewNote { upload: Some(file()), ..note(n, "{}") };
        let dead = async |now| {
            storage.bury_old_uploads(now).await.unwrap();
            let dead = storage.dead_blobs(Millis::MAX, 9).await.unwrap();
            dead.into_iter().map(|blob| blob.key).collect::<Vec<_>>()
        };
        let delete = async |n: u8, now| {
            writer.delete_notes(beam(), &[naming(n).id], now).await.unwrap();
        };
        writer.put_note(beam(), &naming(1), QUOTA).await.unwrap();
        writer.put_note(beam(), &naming(2), QUOTA).await.unwrap();
        delete(1, at(0)).await;
        assert_eq!(dead(undo).await, [], "another item names it");
        delete(2, at(0)).await;
        assert_eq!(dead(undo - MS).await, []);
        writer.put_note(beam(), &naming(2), QUOTA).await.unwrap();
        assert_eq!(dead(undo).await, [], "the deletion was undone");
        // An edit that no longer refers to the file counts as a deletion.
        let edit = NewNote { upload: None, ..naming(2) };
        writer.put_note(beam(), &edit, Quota { now: at(5), ..QUOTA }).await.unwrap();
        assert_eq!(dead(undo + 4 * MS).await, []);
        assert_eq!(dead(undo + 5 * MS).await, [BlobKey::Upload(file())]);
    })
    .await;
}

#[tokio::test]
async fn p29_an_item_of_somebody_else_does_not_take_the_bytes_along() {
    with_writer(async |storage, writer| {
        stage(&storage, &writer).await;
        uploads(&storage, 1, 100).await;
        let foreign = NewNote { upload: Some(file()), author: None, ..note(1, "{}") };
        writer.put_note(beam(), &foreign, QUOTA).await.unwrap();
        writer.delete_notes(beam(), &[foreign.id], at(0)).await.unwrap();
        assert_eq!(storage.bury_old_uploads(Millis::MAX).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_beam_that_is_not_saved_takes_no_notes() {
    with_writer(async |storage, writer| {
        storage.record_shared_beam(beam(), at(0), at(1_000)).await.unwrap();
        let put = writer.put_note(beam(), &note(1, "1"), QUOTA).await;
        assert!(matches!(put, Err(Error::Missing)));
        let delete = writer.delete_notes(beam(), &[note(1, "").id], at(0)).await;
        assert!(matches!(delete, Err(Error::Missing)));
    })
    .await;
}

#[tokio::test]
async fn b4_a_beam_with_an_item_of_a_deleted_account_is_saved_without_its_author() {
    with_writer(async |storage, writer| {
        for (n, name) in [(1, "ada"), (2, "bob")] {
            storage.create_account(&person(n, name), &session(n, n, 0)).await.unwrap();
        }
        storage.record_shared_beam(beam(), at(0), at(1_000)).await.unwrap();
        let of_bob = |n| NewNote { author: Some(account(2)), ..note(n, "1") };
        writer.delete_account(account(2), at(5)).await.unwrap();

        let name = BeamName::parse("Beam").unwrap();
        let shared = [of_bob(1), note(2, "2")];
        writer
            .save_beam(
                beam(),
                account(1),
                &name,
                Contents { notes: &shared, ..Contents::default() },
                QUOTA,
            )
            .await
            .unwrap();
        writer.put_note(beam(), &of_bob(3), QUOTA).await.unwrap();

        let notes = storage.notes_of(beam()).await.unwrap();
        let authors: Vec<_> = notes.iter().map(|note| note.author).collect();
        assert_eq!(authors, [None, Some(account(1)), None]);
    })
    .await;
}

#[tokio::test]
async fn s35_a_beam_is_saved_with_its_shared_arrangement_or_not_at_all() {
    with_writer(async |storage, writer| {
        storage.create_account(&person(1, "ada"), &session(1, 1, 0)).await.unwrap();
        storage.record_shared_beam(beam(), at(0), at(1_000)).await.unwrap();
        let placed = |n| Placed { id: note(n, "1").id, x: 40, y: -5 };
        let (name, notes) = (BeamName::parse("Beam").unwrap(), [note(1, "1")]);
        let save = async |quota| {
            let both = [placed(1), placed(2)];
            writer
                .save_beam(
                    beam(),
                    account(1),
                    &name,
                    Contents { notes: &notes, places: Some(&both), earlier: None },
                    quota,
                )
                .await
        };

        let nothing = Quota { quotas: quotas(1), ..QUOTA };
        assert!(matches!(save(nothing).await, Err(Error::Full)));
        assert_eq!(storage.arrangement_of(beam()).await.unwrap(), None);
        save(QUOTA).await.unwrap();
        assert_eq!(storage.arrangement_of(beam()).await.unwrap(), Some(vec![placed(1)]));
    })
    .await;
}

#[tokio::test]
async fn s35_the_places_of_notes_are_there_after_a_restart_and_go_with_the_switch() {
    with_writer(async |storage, writer| {
        stage(&storage, &writer).await;
        let placed = |n, x| Placed { id: note(n, "1").id, x, y: -5 };
        writer.put_note(beam(), &note(1, "1"), QUOTA).await.unwrap();
        writer.put_note(beam(), &note(2, "2"), QUOTA).await.unwrap();
        assert_eq!(storage.arrangement_of(beam()).await.unwrap(), None);

        writer.arrange(beam(), true, &[]).await.unwrap();
        assert_eq!(storage.arrangement_of(beam()).await.unwrap(), Some(Vec::new()));
        writer.arrange(beam(), true, &[placed(1, 40), placed(3, 9)]).await.unwrap();
        writer.arrange(beam(), true, &[placed(1, 50)]).await.unwrap();
        writer.put_note(beam(), &note(1, "edited"), QUOTA).await.unwrap();
        assert_eq!(storage.arrangement_of(beam()).await.unwrap(), Some(vec![placed(1, 50)]));

        writer.arrange(beam(), false, &[]).await.unwrap();
        assert_eq!(storage.arrangement_of(beam()).await.unwrap(), None);
        writer.arrange(beam(), true, &[]).await.unwrap();
        assert_eq!(storage.arrangement_of(beam()).await.unwrap(), Some(Vec::new()));
    })
    .await;
}
