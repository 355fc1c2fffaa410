//! Uploads: room by quota, endings, and rows from which every blob can be deleted.

use std::time::Duration;

use heliograph_shared::ids::BeamId;
use heliograph_shared::time::Millis;
use heliograph_storage::blobs::{BlobId, BlobKey};
use heliograph_storage::dead_blobs::DeadBlob;
use heliograph_storage::quota::Quotas;
use heliograph_storage::uploads::{NewUpload, Room, Upload, Wish};
use heliograph_storage::{Error, Storage};

use crate::accounts::{account, person};
use crate::sessions::session;
use crate::stage::{MS, at, in_turns, on_both, quotas, with_each, with_writer};

pub const NOW: Millis = at(1_000);
pub const HOUR: Duration = Duration::from_hours(1);

pub fn id(n: u8) -> BlobId {
    BlobId::from_random([n; 16])
}

fn beam() -> BeamId {
    BeamId::from_random([7; 16])
}

/// File `n`, of no account and no beam.
pub fn file(n: u8) -> NewUpload {
    NewUpload {
        id: id(n),
        account: None,
        beam: None,
        sender: None,
        address: None,
        name: "a.png".to_owned(),
        media_type: "image/png".to_owned(),
        created_at: NOW,
        expires_at: Some(NOW + HOUR),
        for_item: false,
    }
}

fn of_account(n: u8) -> NewUpload {
    NewUpload { account: Some(account(1)), expires_at: None, ..file(n) }
}

fn of_beam(n: u8) -> NewUpload {
    NewUpload { beam: Some(beam()), ..file(n) }
}

pub fn exactly(size: u64, quota: u64) -> Wish {
    Wish { least: size, most: size, quotas: quotas(quota) }
}

/// An account, and a beam that lives for two hours.
async fn somebody(storage: &Storage) {
    storage.create_account(&person(1, "ada"), &session(1, 1, 0)).await.unwrap();
    storage.record_shared_beam(beam(), NOW, NOW + 2 * HOUR).await.unwrap();
}

async fn is_ready(storage: &Storage, new: &NewUpload, size: u64) {
    storage.start_upload(new).await.unwrap();
    let room = storage.grow_upload(new.id, exactly(size, u64::MAX), NOW).await.unwrap();
    assert_eq!(room, Room::Given(size));
    assert!(storage.finish_upload(new.id, size, NOW).await.unwrap());
}

async fn dead(storage: &Storage) -> Vec<BlobKey> {
    let dead = storage.dead_blobs(Millis::MAX, 100).await.unwrap();
    dead.into_iter().map(|blob| blob.key).collect()
}

#[tokio::test]
async fn an_upload_is_found_when_it_is_finished() {
    on_both(async |storage| {
        storage.start_upload(&file(1)).await.unwrap();
        storage.grow_upload(id(1), exactly(9, 100), NOW).await.unwrap();
        assert_eq!(storage.find_upload(id(1), NOW).await.unwrap(), None);

        assert!(storage.finish_upload(id(1), 8, NOW).await.unwrap());

        let found = Upload {
            name: "a.png".to_owned(),
            media_type: "image/png".to_owned(),
            size: 8,
            expires_at: Some(NOW + HOUR),
        };
        assert_eq!(storage.find_upload(id(1), NOW).await.unwrap(), Some(found));
        assert!(!storage.finish_upload(id(1), 8, NOW).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn a_quota_is_exact_for_an_account_and_for_the_guests_of_a_beam() {
    on_both(async |storage| {
        somebody(&storage).await;
        for (n, new) in [(1, of_account as fn(u8) -> NewUpload), (10, of_beam)] {
            is_ready(&storage, &new(n), 60).await;
            storage.start_upload(&new(n + 1)).await.unwrap();
            let grow = async |size| storage.grow_upload(id(n + 1), exactly(size, 100), NOW).await;

            assert_eq!(grow(39).await.unwrap(), Room::Given(39));
            assert_eq!(grow(40).await.unwrap(), Room::Given(40));
            assert_eq!(grow(41).await.unwrap(), Room::Full);
            let generous = Wish { least: 30, most: 1_000, quotas: quotas(100) };
            let given = storage.grow_upload(id(n + 1), generous, NOW).await.unwrap();
            assert_eq!(given, Room::Given(40));
        }
    })
    .await;
}

#[tokio::test]
async fn s5_guests_without_a_beam_have_a_quota_by_address_and_one_together() {
    on_both(async |storage| {
        somebody(&storage).await;
        let from = |n, address: &str| NewUpload { address: Some(address.to_owned()), ..file(n) };
        let quotas = Quotas { address: 100, guests: 150, all: 200, ..quotas(u64::MAX) };
        let grow = async |new: NewUpload, size| {
            storage.start_upload(&new).await.unwrap();
            let wish = Wish { least: size, most: size, quotas };
            storage.grow_upload(new.id, wish, NOW).await.unwrap()
        };
        assert_eq!(grow(from(1, "here"), 60).await, Room::Given(60));
        assert_eq!(grow(from(2, "here"), 41).await, Room::Full);
        assert_eq!(grow(from(3, "here"), 40).await, Room::Given(40));
        // Another beam does not get around the limit.
        let bound = NewUpload { beam: Some(beam()), ..from(4, "here") };
        assert_eq!(grow(bound, 1).await, Room::Full);
        assert_eq!(grow(from(5, "there"), 51).await, Room::Full);
        assert_eq!(grow(file(6), 50).await, Room::Given(50));
        assert_eq!(grow(from(7, "there"), 1).await, Room::Full);
        // Guests leave the rest to accounts.
        assert_eq!(grow(of_account(8), 51).await, Room::Full);
        assert_eq!(grow(of_account(9), 50).await, Room::Given(50));

        storage.abandon_upload(id(1), false, NOW).await.unwrap();

        assert_eq!(grow(from(10, "here"), 60).await, Room::Given(60));
    })
    .await;
}

#[tokio::test]
async fn s15_a_blob_that_is_put_off_lets_the_others_go_first() {
    on_both(async |storage| {
        for n in [1, 2] {
            storage.expect_blob(BlobKey::Upload(id(n)), NOW - HOUR).await.unwrap();
        }
        let due = async |now| -> Vec<_> {
            let dead = storage.dead_blobs(now, 9).await.unwrap();
            dead.into_iter().map(|blob| (blob.key, blob.tries)).collect()
        };
        let [first, second] = [1, 2].map(|n| BlobKey::Upload(id(n)));

        storage.put_off_dead_blob(first, NOW + 10 * MS).await.unwrap();

        assert_eq!(due(NOW).await, [(second, 0)]);
        assert_eq!(due(NOW + 10 * MS).await, [(second, 0), (first, 1)]);
    })
    .await;
}

#[tokio::test]
async fn many_at_once_do_not_get_more_than_the_quota() {
    with_each(async |storage, _writer, at_once| {
        somebody(&storage).await;
        for n in 0..12 {
            let new = if n % 2 == 0 { of_account(n) } else { of_beam(n) };
            storage.start_upload(&new).await.unwrap();
        }

        let growing = (0..12).map(|n| {
            let storage = storage.clone();
            async move { storage.grow_upload(id(n), exactly(10, 35), NOW).await }
        });
        let mut given = [0, 0];
        for (n, grown) in in_turns(at_once, growing).await.into_iter().enumerate() {
            given[n % 2] += usize::from(grown.unwrap() == Room::Given(10));
        }

        assert_eq!(given, [3, 3]);
    })
    .await;
}

#[tokio::test]
async fn what_was_given_up_or_has_ended_takes_no_room() {
    on_both(async |storage| {
        somebody(&storage).await;
        storage.start_upload(&of_account(1)).await.unwrap();
        storage.grow_upload(id(1), exactly(90, 100), NOW).await.unwrap();
        let short = NewUpload { expires_at: Some(NOW + MS), ..of_account(2) };
        is_ready(&storage, &short, 10).await;
        storage.start_upload(&of_account(3)).await.unwrap();
        let grow = async |now| storage.grow_upload(id(3), exactly(100, 100), now).await.unwrap();
        assert_eq!(grow(NOW).await, Room::Full);

        storage.abandon_upload(id(1), true, NOW).await.unwrap();

        assert_eq!(grow(NOW).await, Room::Full);
        assert_eq!(grow(NOW + MS).await, Room::Given(100));
        assert!(!storage.finish_upload(id(1), 90, NOW).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn an_upload_ends_at_its_time_or_with_its_beam() {
    on_both(async |storage| {
        somebody(&storage).await;
        is_ready(&storage, &file(1), 1).await;
        let bound = NewUpload { beam: Some(beam()), ..of_account(2) };
        is_ready(&storage, &bound, 1).await;
        is_ready(&storage, &of_account(3), 1).await;
        let found = async |n, now| storage.find_upload(id(n), now).await.unwrap().is_some();

        assert!(found(1, NOW + HOUR - MS).await && !found(1, NOW + HOUR).await);
        assert!(found(2, NOW + 2 * HOUR - MS).await && !found(2, NOW + 2 * HOUR).await);
        assert!(found(3, NOW + 1_000 * HOUR).await);
        let ends = storage.find_upload(id(2), NOW).await.unwrap().unwrap().expires_at;
        assert_eq!(ends, Some(NOW + 2 * HOUR));

        assert_eq!(storage.bury_old_uploads(NOW + HOUR).await.unwrap(), 1);
        assert_eq!(storage.bury_old_uploads(NOW + 2 * HOUR).await.unwrap(), 1);
        let expected = [BlobKey::Upload(id(1)), BlobKey::Upload(id(2))];
        assert_eq!(dead(&storage).await, expected);
    })
    .await;
}

#[tokio::test]
async fn a_pending_upload_is_removed_with_its_parts_when_nobody_writes_it_any_more() {
    on_both(async |storage| {
        storage.start_upload(&file(1)).await.unwrap();
        storage.note_upload_parts(id(1), "parts").await.unwrap();
        storage.start_upload(&file(2)).await.unwrap();
        storage.grow_upload(id(2), exactly(1, 1), NOW + HOUR - MS).await.unwrap();

        assert_eq!(storage.bury_old_uploads(NOW + HOUR - MS).await.unwrap(), 0);
        assert_eq!(storage.bury_old_uploads(NOW + HOUR).await.unwrap(), 1);

        let key = BlobKey::Upload(id(1));
        let parts = Some("parts".to_owned());
        assert_eq!(
            storage.dead_blobs(NOW + HOUR, 9).await.unwrap(),
            [DeadBlob { key, parts, tries: 0 }]
        );
        assert_eq!(storage.grow_upload(id(1), exactly(1, 1), NOW).await.unwrap(), Room::Gone);
        storage.forget_dead_blob(key).await.unwrap();
        assert_eq!(dead(&storage).await, []);
    })
    .await;
}

#[tokio::test]
async fn an_upload_is_deleted_by_its_account_only() {
    on_both(async |storage| {
        somebody(&storage).await;
        is_ready(&storage, &of_account(1), 1).await;
        is_ready(&storage, &file(2), 1).await;

        assert!(!storage.bury_upload(id(1), account(2), NOW).await.unwrap());
        assert!(!storage.bury_upload(id(2), account(1), NOW).await.unwrap());
        assert!(storage.bury_upload(id(1), account(1), NOW).await.unwrap());

        assert_eq!(storage.find_upload(id(1), NOW).await.unwrap(), None);
        assert_eq!(dead(&storage).await, [BlobKey::Upload(id(1))]);
    })
    .await;
}

#[tokio::test]
async fn the_end_of_an_account_ends_its_files_and_its_picture() {
    with_writer(async |storage, writer| {
        let mut ada = person(1, "ada");
        ada.picture = Some(id(9).to_string());
        storage.expect_blob(BlobKey::Picture(id(9)), NOW).await.unwrap();
        storage.create_account(&ada, &session(1, 1, 0)).await.unwrap();
        is_ready(&storage, &of_account(1), 1).await;
        storage.start_upload(&of_account(2)).await.unwrap();
        is_ready(&storage, &file(3), 1).await;

        writer.delete_account(account(1), NOW).await.unwrap();

        assert!(storage.find_upload(id(3), NOW).await.unwrap().is_some());
        assert!(!storage.finish_upload(id(2), 1, NOW).await.unwrap());
        assert_eq!(dead(&storage).await, [BlobKey::Picture(id(9)), BlobKey::Upload(id(1))]);
        storage.bury_old_uploads(NOW + HOUR).await.unwrap();
        assert!(dead(&storage).await.contains(&BlobKey::Upload(id(2))));
    })
    .await;
}

#[tokio::test]
async fn a_new_picture_takes_the_place_of_the_old_one_which_is_removed() {
    on_both(async |storage| {
        storage.create_account(&person(1, "ada"), &session(1, 1, 0)).await.unwrap();
        for n in [8, 9] {
            storage.expect_blob(BlobKey::Picture(id(n)), NOW).await.unwrap();
            let ada = storage.change_picture(account(1), Some(id(n)), NOW).await.unwrap();
            assert_eq!(ada.unwrap().picture, Some(id(n).to_string()));
        }
        assert_eq!(dead(&storage).await, [BlobKey::Picture(id(8))]);

        storage.change_picture(account(1), None, NOW + MS).await.unwrap();

        assert_eq!(dead(&storage).await, [BlobKey::Picture(id(8)), BlobKey::Picture(id(9))]);
        assert_eq!(storage.change_picture(account(2), None, NOW).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn a_picture_that_no_row_speaks_of_in_time_is_removed() {
    on_both(async |storage| {
        storage.create_account(&person(1, "ada"), &session(1, 1, 0)).await.unwrap();
        let key = BlobKey::Picture(id(9));
        storage.expect_blob(key, NOW).await.unwrap();
        assert_eq!(storage.dead_blobs(NOW + HOUR - MS, 9).await.unwrap(), []);
        assert_eq!(
            storage.dead_blobs(NOW + HOUR, 9).await.unwrap(),
            [DeadBlob { key, parts: None, tries: 0 }]
        );
        storage.forget_dead_blob(key).await.unwrap();

        let late = storage.change_picture(account(1), Some(id(9)), NOW + HOUR).await;

        assert!(matches!(late, Err(Error::Missing)));
    })
    .await;
}
