//! F22: files of which the server has copies come from there, after the devices that had them have left.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use heliograph_device::engine::contract::FileSeal;
use heliograph_device::file_facts::FileFacts;
use heliograph_device::file_size::{CHUNK_BYTES, FileSize};
use heliograph_device::io::live_device::LiveDevice;
use heliograph_device::io::server::Server as Reached;
use heliograph_device::io::system_random::SystemRandom;
use heliograph_device::keys::keyring::Keyring;
use heliograph_device::session::beam_link::BeamLink;
use heliograph_device::session::{Input, News, Settings};
use heliograph_shared::e2ee::file_chunks::FileCipher;
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::ids::{BeamId, DeviceToken, ItemId};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::program::program;
use crate::server::Server;

/// More than one request of a reader (8 MiB).
const SIZE: usize = 9 * 1024 * 1024 + 5;

/// The first bytes are those of a picture: the server takes only media in clear text (H40).
fn picture() -> Vec<u8> {
    let word = |at: usize| (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
    let noise = (0..SIZE.div_ceil(8)).flat_map(|at| word(at).to_le_bytes());
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".iter().copied().chain(noise).take(SIZE).collect()
}

/// All of a sealed copy: what is before the chunks, and the chunks (E7).
fn sealed(seal: &FileSeal, bytes: &[u8]) -> Vec<u8> {
    let cipher = FileCipher::sealing(&seal.key, seal.salt);
    let chunk = usize::try_from(CHUNK_BYTES).unwrap();
    let chunks = (0..).zip(bytes.chunks(chunk)).map(|(at, bytes)| cipher.seal(at, bytes).unwrap());
    [cipher.header().to_vec()].into_iter().chain(chunks).flatten().collect()
}

/// Stores a copy (H40). Returns its address.
fn uploads(server: &Server, beam: BeamId, media_type: &str, bytes: &[u8]) -> String {
    let head = format!(
        "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"x\"\r\ncontent-type: {media_type}\r\n\r\n"
    );
    let form = [head.as_bytes(), bytes, b"\r\n--b--\r\n"].concat();
    let host = server.url().replace("http://", "");
    let mut stream = TcpStream::connect(&host).unwrap();
    write!(
        stream,
        "POST /api/upload/?beam_id={beam} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\
         content-type: multipart/form-data; boundary=b\r\ncontent-length: {}\r\n\r\n",
        form.len()
    )
    .unwrap();
    stream.write_all(&form).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 201"), "{answer}");
    serde_json::from_str::<Value>(body).unwrap()["url"].as_str().unwrap().to_owned()
}

/// A beam with a file of which only the server has the bytes.
struct Stage {
    _server: Server,
    link: String,
    device: LiveDevice,
    folder: TempDir,
}

impl Stage {
    /// `stores` stores the copy and says where it is.
    async fn new(seal: Option<FileSeal>, stores: impl FnOnce(&Server, BeamId) -> String) -> Stage {
        let server = Server::start();
        let reached = Reached::at(&server.url().parse().unwrap()).unwrap();
        let made = reached.create_beam().await.unwrap();
        let keys = seal.is_some().then(|| Keyring::make(&mut SystemRandom));
        let invite = keys.as_ref().and_then(|keys| keys.invite().cloned());
        let link = BeamLink { server: reached.url().clone(), beam: made.beam_id, invite };
        let url = stores(&server, made.beam_id);
        let facts = FileFacts {
            name: "a.png".to_owned(),
            size: FileSize::new(SIZE as u64).unwrap(),
            media_type: "image/png".to_owned(),
            modified: None,
            batch: None,
            manifest: None,
            seal,
            url: Some(url),
        };
        let settings = Settings {
            beam: made.beam_id,
            beam_key: Some(made.beam_key),
            name: "Ada".to_owned(),
            // It gives no files.
            caps: Vec::new(),
            token: DeviceToken::from_random(SystemRandom::bytes()),
            keys,
        };
        let mut device = LiveDevice::join(reached, settings);
        let id = ItemId::from_random(SystemRandom::bytes());
        let (message, extra) = (facts.message().unwrap(), "image".to_owned());
        device.tell(Input::Share { id, message, extra, to: None });
        while !matches!(device.next().await, Some(News::Confirmed(_))) {}
        let link = link.to_text().to_string();
        Stage { _server: server, link, device, folder: tempdir().unwrap() }
    }

    /// Receives while Ada is there and gives nothing.
    async fn receives(&mut self, words: &[&str]) -> crate::program::Ended {
        let into = self.folder.path().to_str().unwrap();
        let words = [&["receive", "--json", "--no-direct", "--into", into], words].concat();
        let receive = program(&words).link(&self.link);
        let receive = tokio::task::spawn_blocking(|| receive.ends());
        tokio::pin!(receive);
        loop {
            tokio::select! {
                ended = &mut receive => return ended.unwrap(),
                news = self.device.next() => assert!(news.is_some()),
            }
        }
    }

    #[track_caller]
    fn has(&self, ended: &crate::program::Ended, bytes: &[u8]) {
        ended.is(0, "");
        assert!(fs::read(self.folder.path().join("a.png")).unwrap() == bytes);
        let is_done = |line: &&str| line.contains(r#""state":"done""#);
        let done = ended.text().lines().find(is_done).unwrap();
        let done: Value = serde_json::from_str(done).unwrap();
        assert_eq!((&done["via"], &done["twice"]), (&"stored".into(), &0.into()));
        // Also before the first of it is here, while whoever shared it is.
        assert!(!ended.text().contains(r#""via":"relay""#), "{}", ended.text());
    }
}

fn seal() -> FileSeal {
    FileSeal { key: Secret::new(SystemRandom::bytes()), salt: SystemRandom::bytes() }
}

#[tokio::test]
async fn e7_f22_a_sealed_copy_is_received_where_no_device_gives_the_file() {
    let (seal, bytes) = (seal(), picture());
    let copy = sealed(&seal, &bytes);
    let mut stage = Stage::new(Some(seal), |server, beam| {
        uploads(server, beam, "application/octet-stream", &copy)
    })
    .await;
    let receive = stage.receives(&[]).await;
    stage.has(&receive, &bytes);
}

#[tokio::test]
async fn f9_f22_a_clear_copy_is_received_after_its_sender_has_left() {
    let bytes = picture();
    let stage = Stage::new(None, |server, beam| uploads(server, beam, "image/png", &bytes)).await;
    stage.device.leave().await;
    let into = stage.folder.path().to_str().unwrap();
    let words = ["receive", "--clear", "--json", "--no-direct", "--into", into];
    let receive = program(&words).link(&stage.link).ends();
    receive.is(0, "");
    assert!(fs::read(stage.folder.path().join("a.png")).unwrap() == bytes);
}

#[tokio::test]
async fn f22_a_copy_that_is_gone_is_not_waited_for() {
    let nowhere = |_: &Server, _| "/api/uploads/00000000000000000000000000000000".to_owned();
    let mut stage = Stage::new(Some(seal()), nowhere).await;
    stage.receives(&[]).await.is(1, "Not received: a.png");
}
