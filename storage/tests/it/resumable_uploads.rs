//! H45 to H48: how long uploads in pieces have, the room that they were promised, and the parts of their copies.

use heliograph_storage::Storage;
use heliograph_storage::resumable_uploads::{
    BEGUN_WITHIN, Promised, RESUMABLE_AT_MOST, RESUMABLE_FOR,
};
use heliograph_storage::uploads::{NewUpload, Room};

use crate::stage::{MS, on_both};
use crate::uploads::{HOUR, NOW, exactly, file, id};

/// Begins an upload in pieces, of which all room is reserved.
async fn in_pieces(storage: &Storage, new: &NewUpload, size: u64) {
    storage.start_upload(new).await.unwrap();
    storage.grow_upload(new.id, exactly(size, u64::MAX), NOW).await.unwrap();
    assert!(storage.resume_upload_later(new.id, None, NOW).await.unwrap());
}

#[tokio::test]
async fn h47_an_upload_in_pieces_has_ten_minutes_then_a_day_and_a_week_at_most() {
    on_both(async |storage| {
        let ends = async |now| {
            let found = storage.find_resumable_upload(id(1), now).await.unwrap();
            found.map(|upload| upload.ends_at.unwrap().since(NOW))
        };
        let new = NewUpload { expires_at: None, ..file(1) };
        in_pieces(&storage, &new, 100).await;
        assert_eq!(ends(NOW).await, Some(BEGUN_WITHIN));
        let mut now = NOW + BEGUN_WITHIN - MS;
        assert!(storage.advance_upload(id(1), 1, now).await.unwrap());
        assert_eq!(ends(now).await, Some((now + BEGUN_WITHIN).since(NOW)), "less than a 64th");
        for received in 2..=8 {
            assert!(storage.advance_upload(id(1), received, now).await.unwrap());
            let expected = (now.since(NOW) + RESUMABLE_FOR).min(RESUMABLE_AT_MOST);
            assert_eq!(ends(now).await, Some(expected));
            now = now + RESUMABLE_FOR - MS;
        }
        assert!(!storage.advance_upload(id(1), 9, NOW + RESUMABLE_AT_MOST).await.unwrap());
        assert_eq!(storage.bury_old_uploads(NOW + RESUMABLE_AT_MOST - MS).await.unwrap(), 0);
        assert_eq!(storage.bury_old_uploads(NOW + RESUMABLE_AT_MOST).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn h47_an_upload_whose_blob_is_being_written_keeps_its_row_for_an_hour() {
    on_both(async |storage| {
        let new = NewUpload { expires_at: None, ..file(1) };
        in_pieces(&storage, &new, 9).await;
        let end = NOW + BEGUN_WITHIN;
        assert!(storage.claim_upload(id(1), end - MS).await.unwrap());
        assert_eq!(storage.bury_old_uploads(end).await.unwrap(), 0);
        let room = storage.grow_upload(id(1), exactly(9, 100), end + HOUR / 2).await.unwrap();
        assert_eq!(room, Room::Given(9));
        assert_eq!(storage.bury_old_uploads(end + HOUR).await.unwrap(), 0);
        assert_eq!(storage.bury_old_uploads(end + HOUR + HOUR / 2).await.unwrap(), 1);
        assert!(!storage.claim_upload(id(1), end).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn h45_uploads_in_pieces_are_promised_what_is_still_to_come() {
    on_both(async |storage| {
        let promised = async || {
            let Promised { missing, whole } = storage.promised_room(NOW).await.unwrap();
            (missing, whole)
        };
        storage.start_upload(&file(9)).await.unwrap();
        storage.grow_upload(id(9), exactly(50, 100), NOW).await.unwrap();
        assert_eq!(promised().await, (0, 0), "in one request");
        in_pieces(&storage, &file(1), 100).await;
        in_pieces(&storage, &file(2), 10).await;
        storage.advance_upload(id(1), 30, NOW).await.unwrap();
        assert_eq!(promised().await, (80, 110));
        storage.abandon_upload(id(1), true, NOW).await.unwrap();
        assert_eq!(promised().await, (10, 10));
        storage.advance_upload(id(2), 10, NOW).await.unwrap();
        assert!(storage.finish_upload(id(2), 10, NOW).await.unwrap());
        assert_eq!(promised().await, (0, 0));
        in_pieces(&storage, &file(3), 5).await;
        let Promised { whole, .. } = storage.promised_room(NOW + BEGUN_WITHIN).await.unwrap();
        assert_eq!(whole, 0, "it has ended, though nobody has swept it yet");
    })
    .await;
}

#[tokio::test]
async fn h48_the_parts_that_a_bucket_has_are_known_until_the_copy_is_whole_or_given_up() {
    on_both(async |storage| {
        let new = NewUpload { expires_at: None, ..file(1) };
        in_pieces(&storage, &new, 9).await;
        storage.begin_upload_parts(id(1), "first").await.unwrap();
        for (part, tag) in [(1, "b"), (0, "a"), (1, "c")] {
            storage.note_upload_part(id(1), part, tag).await.unwrap();
        }
        let parts =
            async || storage.upload_parts(id(1)).await.unwrap().into_iter().collect::<Vec<_>>();
        assert_eq!(parts().await, [(0, "a".to_owned()), (1, "c".to_owned())]);
        storage.begin_upload_parts(id(1), "second").await.unwrap();
        assert_eq!(parts().await, []);
        storage.note_upload_part(id(1), 0, "d").await.unwrap();
        assert_eq!(storage.bury_old_uploads(NOW + HOUR).await.unwrap(), 1);
        assert_eq!(parts().await, []);
        storage.note_upload_part(id(1), 1, "late").await.unwrap();
        assert_eq!(parts().await, []);
    })
    .await;
}
