//! A server, with a folder of files to send and one to receive into.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::program::{Running, Words, program};
use crate::server::Server;

/// The ways that files may take.
pub const DIRECT: [&str; 2] = ["--address", "127.0.0.1"];
pub const RELAY: [&str; 1] = ["--no-direct"];
pub const MIB: usize = 1024 * 1024;

/// Bytes of which no two chunks are equal.
pub fn sample(size: usize) -> Vec<u8> {
    let word = |at: usize| (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
    (0..size.div_ceil(8)).flat_map(|at| word(at).to_le_bytes()).take(size).collect()
}

/// A folder with files to send, and one to receive into.
pub struct Stage {
    pub server: Server,
    pub folder: TempDir,
}

impl Stage {
    pub fn new() -> Self {
        Self::with(&[])
    }

    /// With these words on the command line of its server too.
    pub fn with(words: &'static [&'static str]) -> Self {
        let folder = tempdir().unwrap();
        fs::create_dir(folder.path().join("from")).unwrap();
        Self { server: Server::with(words), folder }
    }

    /// Writes a file to send. Returns its path.
    pub fn file(&self, path: &str, bytes: &[u8]) -> String {
        let path = self.folder.path().join("from").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Makes a beam and sends into it. Returns its link too.
    pub fn sends(&self, words: &[&str]) -> (Running, String) {
        let url = self.server.url();
        let words = [&["send", "--json", "--server", &url], words].concat();
        let send = program(&words).starts();
        let link = send.event("beam")["link"].as_str().unwrap().to_owned();
        (send, link)
    }

    /// Sends. What one run remembers, the next knows.
    pub fn sender(&self, words: &[&str]) -> Words {
        let memory = self.folder.path().join("sender");
        let words = [&["send", "--json"], words].concat();
        program(&words).env("XDG_STATE_HOME", memory.to_str().unwrap())
    }

    pub fn received(&self) -> PathBuf {
        self.folder.path().join("to")
    }

    /// Receives into the folder. What one run remembers, the next knows.
    pub fn receives(&self, link: &str, words: &[&str]) -> Words {
        let (into, state) = (self.received(), self.folder.path().join("state"));
        let words = [&["receive", "--json", "--into", into.to_str().unwrap()], words].concat();
        program(&words).link(link).env("XDG_STATE_HOME", state.to_str().unwrap())
    }

    #[track_caller]
    pub fn has(&self, path: &str, bytes: &[u8]) {
        let read = fs::read(self.received().join(path)).unwrap();
        assert!(read == bytes, "{path} is another file");
    }

    /// The names of what was received, without what is hidden.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.received()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }
}

/// How a file has come.
#[track_caller]
pub fn done(lines: &str) -> Value {
    let mut events = lines.lines().map(|line| serde_json::from_str(line).unwrap());
    let is_done = |event: &Value| event["state"] == "done";
    events.find(is_done).expect("it is done")
}

/// The first event of that name.
#[track_caller]
pub fn first_event(lines: &str, name: &str) -> Value {
    let mut events = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.find(|event| event["event"] == name).expect("it happened")
}
