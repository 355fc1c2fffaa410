//! What tests of uploads in pieces (H45) do again and again.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use heliograph_shared::ids::BeamId;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::bucket::files_in;
use super::device::unknown_beam;
use super::file::File;
use super::person::Person;
use super::server::{Answer, TestServer, until};

pub const VERSION: (&str, &str) = ("tus-resumable", "1.0.0");
pub const TYPE: (&str, &str) = ("content-type", "application/offset+octet-stream");

/// A beam that somebody asked to keep for a day.
pub async fn kept_beam(server: &TestServer) -> BeamId {
    let beam = unknown_beam();
    let mut ada = server.connect(beam).await;
    ada.says(&json!({"type": "auth", "message": null, "extra": {"v": 1}})).await;
    ada.is_welcomed().await;
    ada.shares("hi").await;
    ada.sees_item().await;
    ada.says(&json!({"type": "keep", "message": "24h"})).await;
    ada.sees("kept").await;
    ada.leaves().await;
    beam
}

/// A saved beam of this person, in which everybody may write.
pub async fn saved_beam(server: &TestServer, owner: &Person<'_>) -> BeamId {
    let created = server.create_beam().await;
    let cookies = owner.cookies_for("/ws");
    let mut device = server.connect_as(created.beam_id, &[("cookie", &*cookies)]).await.unwrap();
    device.says(&json!({"type": "auth", "message": created.beam_key, "extra": {"v": 1}})).await;
    device.is_welcomed().await;
    device.says(&json!({"type": "save_beam", "message": "Trip"})).await;
    device.sees("beam_saved").await;
    device.leaves().await;
    created.beam_id
}

pub fn metadata(file: &File) -> String {
    format!("filename {},filetype {}", STANDARD.encode(&file.name), STANDARD.encode(&file.kind))
}

impl TestServer {
    pub async fn begins_pieces(&self, beam: BeamId, file: &File) -> Answer {
        let length = file.bytes.len().to_string();
        let said = metadata(file);
        let headers = [VERSION, ("upload-length", &length), ("upload-metadata", &said)];
        self.ask("POST", &format!("/api/beams/{beam}/tus/"), &headers).await
    }

    /// Begins an upload, and returns its path.
    pub async fn begun(&self, beam: BeamId, file: &File) -> String {
        let answer = self.begins_pieces(beam, file).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.header("location").to_owned()
    }

    pub async fn takes_piece(&self, path: &str, offset: usize, bytes: &[u8]) -> Answer {
        let offset = offset.to_string();
        self.send("PATCH", path, &[VERSION, TYPE, ("upload-offset", &offset)], bytes).await
    }

    /// Bytes that are here; `None` when there is no such upload.
    pub async fn has_of(&self, path: &str) -> Option<usize> {
        let answer = self.ask("HEAD", path, &[VERSION]).await;
        (answer.status == 200).then(|| answer.header("upload-offset").parse().unwrap())
    }

    /// Waits for the file of an upload of which all pieces came.
    pub async fn stored(&self, path: &str) -> Value {
        let mut file = Value::Null;
        until(async || {
            let answer = self.get(path).await;
            assert!([200, 202].contains(&answer.status), "{answer:?}");
            if answer.status == 200 {
                file = answer.json();
            }
            answer.status == 200
        })
        .await;
        file
    }

    pub async fn reads(&self, file: &Value) -> Vec<u8> {
        self.get(file["url"].as_str().unwrap()).await.body
    }

    pub fn staged(&self) -> usize {
        files_in(&self.folder.path().join("staging")).len()
    }
}

/// Sends the head and a part of a piece, and nothing more. The server has begun to take it: it says "100 Continue"
/// (RFC 9110, 10.1.1) when it asks for the body, and holds the upload before that.
pub async fn begins_piece(
    server: &TestServer,
    path: &str,
    offset: usize,
    length: usize,
    sent: &[u8],
) -> TcpStream {
    const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "PATCH {path} HTTP/1.1\r\nhost: {}\r\ntus-resumable: 1.0.0\r\nupload-offset: {offset}\r\n\
         content-type: application/offset+octet-stream\r\ncontent-length: {length}\r\n\
         expect: 100-continue\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; CONTINUE.len()];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(answer, CONTINUE);
    stream.write_all(sent).await.unwrap();
    stream
}
