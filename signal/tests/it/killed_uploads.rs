//! R6: uploads whose server is killed, of which the next one must leave nothing.

use std::future::poll_fn;
use std::path::PathBuf;
use std::task::Poll;

use axum::body::Body;
use axum::extract::Request;
use heliograph_shared::api::uploads::UploadedFile;
use heliograph_shared::time::Millis;
use heliograph_signal::app::App;
use heliograph_signal::error::Error;
use heliograph_signal::files::uploads::{Receiving, Uploader, find_file};
use heliograph_signal::multipart::Multipart;
use heliograph_signal::start::sweeper;
use heliograph_storage::blobs::BlobId;
use tempfile::TempDir;

use super::broken_uploads::begins;
use super::bucket::{Bucket, files_in};
use super::file::{File, HOUR, MIB, bucket_flags, png};
use super::server::{TestServer, until};

/// A form with this file, available at once.
fn form_of(server: &TestServer, file: &File) -> Multipart {
    let (body, (name, value)) = file.form();
    let request = Request::builder().header(name, value).body(Body::from(body)).unwrap();
    Multipart::of(request, &server.app.budget).unwrap()
}

/// Stores the file of a form, as one future that a test can drop.
async fn receive(app: &App, receiving: Receiving, form: Multipart) -> Result<UploadedFile, Error> {
    let (reader, file) = find_file(form).await?;
    tokio::join!(reader.read(), app.uploads.receive(receiving, file)).1
}

/// Runs an upload for this many steps and then drops it. Returns whether it had finished by then.
async fn stopped_after(steps: usize, server: &TestServer, file: &File) -> bool {
    let place = server.app.uploads.enter(None).unwrap();
    let receiving = Receiving { uploader: Uploader::Guest(None), beam: None, place };
    let mut upload = Box::pin(receive(&server.app, receiving, form_of(server, file)));
    let mut step = 0;
    poll_fn(|context| {
        step += 1;
        match upload.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(done.unwrap().size > 0),
            Poll::Pending if step > steps => Poll::Ready(false),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// Does this on a server that is killed then: all its tasks stop where they are.
async fn killed_after<T: Send + 'static>(
    work: impl AsyncFnOnce(&TestServer) -> T + Send + 'static,
    folder: TempDir,
    flags: &[String],
) -> (T, TempDir) {
    let flags = flags.to_vec();
    let killed = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let flags: Vec<_> = flags.iter().map(String::as_str).collect();
            let server = TestServer::on(folder, &flags).await;
            let done = work(&server).await;
            (done, server.folder)
        })
    });
    killed.await.unwrap()
}

#[tokio::test]
async fn r6_the_room_of_an_upload_whose_server_was_killed_is_free_at_the_next_start() {
    let flags = ["--all-guests-total".to_owned(), "8MiB".to_owned()];
    let upload = async |server: &TestServer| {
        let file = png(6 * MIB);
        let _sender = begins(server, &file, 5 * MIB).await;
        until(async || server.has_room_for("/api/upload/", 4 * MIB).await == 507).await;
    };
    let ((), folder) = killed_after(upload, tempfile::tempdir().unwrap(), &flags).await;

    let server = TestServer::on(folder, &["--all-guests-total", "8MiB"]).await;

    assert_eq!(server.has_room_for("/api/upload/", 8 * MIB).await, 201);
    server.time_passes(HOUR).await;
    sweeper::sweep(&server.app).await;
    assert_eq!(server.kept_files(), 1);
}

fn blobs_left(server: &TestServer, bucket: &Bucket) -> Vec<PathBuf> {
    [files_in(&server.folder.path().join("blobs")), bucket.files()].concat()
}

#[tokio::test]
async fn r6_an_upload_whose_server_is_killed_at_any_step_leaves_neither_blob_nor_row() {
    let bucket = Bucket::start().await;
    let in_bucket = bucket_flags(&bucket);
    for flags in [&[][..], &in_bucket] {
        let mut folder = tempfile::tempdir().unwrap();
        let (mut kills, mut steps) = (0, 0);
        loop {
            // The size of two parts in a bucket.
            let upload =
                async move |server: &TestServer| stopped_after(steps, server, &png(6 * MIB)).await;
            let (done, killed) = killed_after(upload, folder, flags).await;
            bucket.is_left().await;
            let flags: Vec<_> = flags.iter().map(String::as_str).collect();
            let server = TestServer::on(killed, &flags).await;
            if done {
                break;
            }
            server.time_passes(HOUR).await;
            sweeper::sweep(&server.app).await;
            // If it was killed between the last row and the answer, the file exists whole, and expires like any other.
            for left in blobs_left(&server, &bucket) {
                let name = left.file_name().unwrap().to_str().unwrap();
                let id = BlobId::parse(name).expect(name);
                let kept =
                    server.app.storage.find_upload(id, server.app.clock.now()).await.unwrap();
                assert!(kept.is_some(), "after {steps} steps: {name}");
            }
            // After a kill during the last step, the bucket's server may refuse to delete parts that it does not have
            // any more. After some days the refusal is taken for that.
            for _ in 0..6 {
                server.time_passes(48 * HOUR).await;
                sweeper::sweep(&server.app).await;
            }
            let left = blobs_left(&server, &bucket);
            assert!(left.is_empty(), "after {steps} steps: {left:?}");
            assert!(server.app.storage.dead_blobs(Millis::MAX, 9).await.unwrap().is_empty());
            assert_eq!(server.app.storage.bury_old_uploads(Millis::MAX).await.unwrap(), 0);
            folder = server.ends().await;
            // Every one of the first steps, when rows and blobs are created; then ever fewer of those that only take
            // bytes.
            (kills, steps) = (kills + 1, steps + 1 + steps / 4);
        }
        assert!(kills > 3, "{kills}");
    }
}
