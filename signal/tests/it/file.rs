//! A file to upload, and the form that contains it.

use std::time::Duration;

use super::bucket::{BUCKET, Bucket, files_in};
use super::person::Person;
use super::postgres::fresh_database;
use super::server::{Answer, TestServer};

/// The silence after which an unfinished upload is removed.
pub const HOUR: Duration = Duration::from_hours(1);
pub const MIB: usize = 1024 * 1024;
/// The size of a file with two parts in a bucket, and a little more.
pub const LARGE: usize = 11 * MIB + 3;

/// A file: its name as the form writes it, its declared type, its bytes.
#[derive(Clone)]
pub struct File {
    pub name: String,
    pub kind: String,
    pub bytes: Vec<u8>,
}

/// A file of this size that starts like a PNG.
pub fn png(size: usize) -> File {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    let last = bytes.len();
    bytes.extend((last..size).map(|n| u8::try_from((n ^ (n >> 8) ^ (n >> 16)) & 0xff).unwrap()));
    bytes.truncate(size);
    File { name: "a.png".to_owned(), kind: "image/png".to_owned(), bytes }
}

/// A file of this size as a device seals it: bytes that look random, with a name that the server is not to keep.
pub fn sealed(size: usize) -> File {
    // xorshift64 (G. Marsaglia, 2003).
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let bytes = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_be_bytes()[0]
    });
    let kind = "application/octet-stream".to_owned();
    File { name: "setup.exe".to_owned(), kind, bytes: bytes.take(size).collect() }
}

impl File {
    pub fn called(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    pub fn of(kind: &str, bytes: &[u8]) -> Self {
        Self { name: "a".to_owned(), kind: kind.to_owned(), bytes: bytes.to_vec() }
    }

    /// The form, and its content type header.
    pub fn form(&self) -> (Vec<u8>, (&'static str, &'static str)) {
        let (mut body, end) = self.around();
        body.extend(&self.bytes);
        body.extend(end);
        (body, ("content-type", "multipart/form-data; boundary=x"))
    }

    /// The parts of the form before and after the file's bytes.
    pub fn around(&self) -> (Vec<u8>, Vec<u8>) {
        let head = format!(
            "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{}\"\r\ncontent-type: {}\r\n\r\n",
            self.name, self.kind
        );
        (head.into_bytes(), b"\r\n--x--\r\n".to_vec())
    }
}

impl TestServer {
    pub async fn takes(&self, file: &File) -> Answer {
        self.takes_at("/api/upload/", file).await
    }

    pub async fn takes_at(&self, path: &str, file: &File) -> Answer {
        let (body, kind) = file.form();
        self.send("POST", path, &[kind], &body).await
    }
}

impl Person<'_> {
    pub async fn uploads(&mut self, path: &str, file: &File) -> Answer {
        let (body, kind) = file.form();
        self.sends("POST", path, &[kind], &body).await
    }
}

/// A server with files in a folder, and one with files in a bucket and its database on Postgres.
pub async fn servers(bucket: &Bucket) -> [TestServer; 2] {
    let flags = bucket_flags(bucket);
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    [TestServer::start().await, TestServer::with(&flags).await]
}

pub fn bucket_flags(bucket: &Bucket) -> Vec<String> {
    let (blobs, database) = (bucket.url(BUCKET), fresh_database());
    let flags = ["--blobs", &blobs, "--database", &database, "--s3-access-key-id", "test"];
    let secret = ["--s3-secret-access-key", Bucket::SECRET];
    flags.into_iter().chain(secret).map(ToOwned::to_owned).collect()
}

impl TestServer {
    /// The number of blobs in the folder, finished or not.
    pub fn kept_files(&self) -> usize {
        files_in(&self.folder.path().join("blobs")).len()
    }

    pub async fn has_room_for(&self, path: &str, size: usize) -> u16 {
        self.takes_at(path, &png(size)).await.status
    }
}

pub fn url(answer: &Answer) -> String {
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()["url"].as_str().unwrap().to_owned()
}
