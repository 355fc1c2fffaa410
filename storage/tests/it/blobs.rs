//! Blobs behave alike in a folder and in a bucket.

use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use heliograph_storage::blobs::{BlobId, BlobKey, Blobs, Credentials, Error, Location};
use tempfile::TempDir;

use crate::bucket::{BUCKET, Bucket, files_in};

/// The size of a blob with two parts in a bucket, and a little more.
const LARGE: usize = 11 * 1024 * 1024 + 7;
/// So many bytes that a writer which has accepted them has sent the first part to the bucket.
const LARGER: usize = 16 * 1024 * 1024;

fn key(n: u8) -> BlobKey {
    BlobKey::Upload(BlobId::from_random([n; 16]))
}

/// Bytes without two equal parts.
fn bytes(count: usize) -> Bytes {
    (0..count).map(|n| u8::try_from((n ^ (n >> 8) ^ (n >> 16)) & 0xff).unwrap()).collect()
}

/// The server's bucket, with valid credentials.
fn location(bucket: &Bucket) -> Location {
    named(bucket, BUCKET, Bucket::SECRET)
}

/// A bucket with this name on that server, with this secret.
fn named(bucket: &Bucket, name: &str, secret: &str) -> Location {
    let credentials = Credentials { id: "test".to_owned(), secret: secret.to_owned() };
    let location: Location = bucket.url(name).parse().unwrap();
    location.with_credentials(Some(credentials))
}

/// A blob store, and the files behind it.
struct Place {
    blobs: Blobs,
    kept: Kept,
}

enum Kept {
    Folder(TempDir),
    Bucket(Bucket),
}

impl Place {
    /// The number of files.
    fn files(&self) -> usize {
        match &self.kept {
            Kept::Folder(folder) => files_in(folder.path()).len(),
            Kept::Bucket(bucket) => bucket.files().len(),
        }
    }
}

/// Runs a test with a folder and with a bucket.
async fn everywhere(test: impl AsyncFn(&Place)) {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::open(&Location::Folder(folder.path().to_owned())).unwrap();
    test(&Place { blobs, kept: Kept::Folder(folder) }).await;
    let bucket = Bucket::start().await;
    let blobs = Blobs::open(&location(&bucket)).unwrap();
    test(&Place { blobs, kept: Kept::Bucket(bucket) }).await;
}

async fn write(blobs: &Blobs, key: BlobKey, bytes: &Bytes) -> Result<(), Error> {
    let mut writer = blobs.write(key).await?;
    for piece in bytes.chunks(300_000) {
        writer.push(bytes.slice_ref(piece)).await?;
    }
    writer.finish().await
}

async fn read(blobs: &Blobs, key: BlobKey, range: std::ops::Range<u64>) -> Result<Vec<u8>, Error> {
    let pieces = blobs.read(key, range).await?.try_collect::<Vec<_>>().await?;
    Ok(pieces.concat())
}

#[tokio::test]
async fn what_was_written_is_read_byte_for_byte_whole_and_in_ranges() {
    everywhere(async |place| {
        for (n, count) in [(0, 0), (1, 1), (2, 5 * 1024 * 1024), (3, LARGE)] {
            let bytes = bytes(count);
            write(&place.blobs, key(n), &bytes).await.unwrap();

            let end = u64::try_from(count).unwrap();
            assert_eq!(place.blobs.size(key(n)).await, Ok(end));
            assert!(read(&place.blobs, key(n), 0..end).await.unwrap() == bytes, "{count}");
        }
        let bytes = bytes(LARGE);
        for range in [0..1, 5_242_879..5_242_881, 1_000_000..7_000_000, 11_534_342..11_534_343] {
            let part = read(&place.blobs, key(3), range.start..range.end).await.unwrap();
            let range = usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
            assert!(part == bytes[range.clone()], "{range:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_small_blob_is_put_at_once() {
    everywhere(async |place| {
        let picture = BlobKey::Picture(BlobId::from_random([9; 16]));

        place.blobs.put(picture, Bytes::from_static(b"a picture")).await.unwrap();

        assert_eq!(read(&place.blobs, picture, 2..9).await.unwrap(), b"picture");
    })
    .await;
}

#[tokio::test]
async fn a_blob_is_not_there_before_it_is_finished() {
    everywhere(async |place| {
        let mut writer = place.blobs.write(key(1)).await.unwrap();
        writer.push(bytes(LARGE)).await.unwrap();

        assert_eq!(place.blobs.size(key(1)).await, Err(Error::Missing));
        assert_eq!(read(&place.blobs, key(1), 0..1).await, Err(Error::Missing));
        writer.finish().await.unwrap();
        assert!(place.blobs.size(key(1)).await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn a_deleted_blob_is_gone_and_deleting_it_again_is_no_error() {
    everywhere(async |place| {
        let before = place.files();
        write(&place.blobs, key(1), &bytes(LARGE)).await.unwrap();
        assert!(place.files() > before);

        for _ in 0..2 {
            place.blobs.delete(key(1), None).await.unwrap();
        }

        assert_eq!(place.blobs.size(key(1)).await, Err(Error::Missing));
        assert_eq!(place.files(), before);
    })
    .await;
}

#[tokio::test]
async fn a_blob_that_was_given_up_leaves_nothing() {
    everywhere(async |place| {
        let before = place.files();
        let mut writer = place.blobs.write(key(1)).await.unwrap();
        writer.push(bytes(LARGER)).await.unwrap();
        assert!(place.files() > before);

        writer.abort().await.unwrap();

        assert_eq!(place.files(), before);
        assert_eq!(place.blobs.size(key(1)).await, Err(Error::Missing));
    })
    .await;
}

#[tokio::test]
async fn s15_parts_on_their_way_when_a_blob_is_given_up_leave_nothing() {
    let bucket = Bucket::start().await;
    let blobs = Blobs::open(&location(&bucket)).unwrap();
    let before = bucket.files().len();
    let mut writer = blobs.write(key(1)).await.unwrap();
    bucket.holds_parts();
    writer.push(bytes(LARGE)).await.unwrap();
    bucket.holds(2).await;

    let mut aborting = std::pin::pin!(writer.abort());
    let early = tokio::time::timeout(Duration::from_millis(300), &mut aborting).await;
    bucket.writes_parts();

    assert!(early.is_err(), "the parts that are deleted are not all");
    aborting.await.unwrap();
    bucket.is_left().await;
    assert_eq!(bucket.files().len(), before);
}

#[tokio::test]
async fn what_a_killed_writer_left_is_deleted_with_its_parts() {
    everywhere(async |place| {
        let before = place.files();
        let blobs = place.blobs.clone();
        let parts = tokio::task::spawn_blocking(|| killed_while_writing(blobs)).await.unwrap();

        if let Kept::Bucket(bucket) = &place.kept {
            bucket.is_left().await;
        }
        assert!(place.files() > before);

        place.blobs.delete(key(1), parts.as_deref()).await.unwrap();

        assert_eq!(place.files(), before);
    })
    .await;
}

#[tokio::test]
async fn s15_parts_that_may_not_be_removed_are_an_error_and_removed_when_they_may() {
    let bucket = Bucket::start().await;
    let blobs = Blobs::open(&location(&bucket)).unwrap();
    let before = bucket.files().len();
    let writing = blobs.clone();
    let parts = tokio::task::spawn_blocking(|| killed_while_writing(writing)).await.unwrap();
    bucket.is_left().await;
    bucket.refuses_aborts(true);

    let refused = blobs.delete(key(1), parts.as_deref()).await;

    assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
    assert!(bucket.files().len() > before);
    bucket.refuses_aborts(false);
    assert_eq!(blobs.delete(key(1), parts.as_deref()).await, Ok(()));
    assert_eq!(bucket.files().len(), before);
}

#[tokio::test]
async fn a_blob_that_is_whole_is_deleted_although_its_parts_are_unknown() {
    let bucket = Bucket::start().await;
    let blobs = Blobs::open(&location(&bucket)).unwrap();
    let mut writer = blobs.write(key(1)).await.unwrap();
    writer.push(bytes(LARGE)).await.unwrap();
    let parts = writer.parts().map(ToOwned::to_owned);
    writer.finish().await.unwrap();

    assert_eq!(blobs.delete(key(1), parts.as_deref()).await, Ok(()));

    assert_eq!(blobs.size(key(1)).await, Err(Error::Missing));
}

/// Writes on a runtime that is stopped before the writer finishes. Returns the id of the parts.
fn killed_while_writing(blobs: Blobs) -> Option<String> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async move {
        let mut writer = blobs.write(key(1)).await.unwrap();
        writer.push(bytes(LARGER)).await.unwrap();
        let parts = writer.parts().map(ToOwned::to_owned);
        std::mem::forget(writer);
        parts
    })
}

#[tokio::test]
async fn wrong_credentials_are_told_from_a_missing_bucket_and_a_missing_blob() {
    let bucket = Bucket::start().await;
    let stranger = Blobs::open(&named(&bucket, BUCKET, "guessed")).unwrap();
    let lost = Blobs::open(&named(&bucket, "elsewhere", Bucket::SECRET)).unwrap();
    let right = Blobs::open(&location(&bucket)).unwrap();

    assert!(matches!(stranger.check().await, Err(Error::Refused(_))));
    assert!(matches!(write(&stranger, key(1), &bytes(9)).await, Err(Error::Refused(_))));
    assert!(matches!(read(&stranger, key(1), 0..1).await, Err(Error::Refused(_))));
    assert_eq!(lost.check().await, Err(Error::NoBucket));
    assert_eq!(write(&lost, key(1), &bytes(9)).await, Err(Error::NoBucket));
    assert_eq!(right.check().await, Ok(()));
    assert_eq!(read(&right, key(1), 0..1).await, Err(Error::Missing));
}

#[tokio::test]
async fn a_server_that_dies_in_the_middle_is_an_error_within_fifteen_seconds() {
    let bucket = Bucket::start().await;
    let blobs = Blobs::open(&location(&bucket)).unwrap();
    write(&blobs, key(1), &bytes(LARGE)).await.unwrap();
    let mut writer = blobs.write(key(2)).await.unwrap();
    writer.push(bytes(LARGE)).await.unwrap();

    bucket.dies();

    let within = Duration::from_secs(15);
    let finished = tokio::time::timeout(within, writer.finish()).await.expect("in time");
    assert!(matches!(finished, Err(Error::Unreachable(_))), "{finished:?}");
    let found = tokio::time::timeout(within, read(&blobs, key(1), 0..9)).await.expect("in time");
    assert!(matches!(found, Err(Error::Unreachable(_))), "{found:?}");
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_said_at_once() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let inside = file.path().join("blobs");
    assert!(Blobs::open(&Location::Folder(inside)).is_err());
}
