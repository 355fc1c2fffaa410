//! The server as a process.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use heliograph_testing::ports::free_port;

pub struct Server {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
    words: &'static [&'static str],
}

/// `cargo test --workspace` builds it beside the program.
fn binary() -> PathBuf {
    let beside =
        || PathBuf::from(env!("CARGO_BIN_EXE_heliograph-device")).with_file_name("heliograph");
    std::env::var_os("HELIOGRAPH_BINARY").map_or_else(beside, PathBuf::from)
}

fn run(port: u16, folder: &tempfile::TempDir, words: &[&str]) -> (Child, u16) {
    let mut child = Command::new(binary())
        .args(["serve", "--turn", "off", "--disk-share", "100", "--listen"])
        .arg(format!("127.0.0.1:{port}"))
        .arg("--data")
        .arg(folder.path())
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server is built: cargo build -p heliograph-signal");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.find_map(|line| line.ok().filter(|line| line.contains("http://"))).unwrap();
    // Whoever writes to a pipe that nobody reads is ended.
    std::thread::spawn(move || lines.for_each(drop));
    let port = line.trim().rsplit(':').next().unwrap().parse().unwrap();
    (child, port)
}

impl Server {
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// With these words on its command line too.
    pub fn with(words: &'static [&'static str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (child, port) = run(free_port(), &folder, words);
        Self { child, port, folder, words }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Ends it as a power cut would, and starts it again at the same port with the same data.
    pub fn restarts(&mut self) {
        self.dies();
        (self.child, _) = run(self.port, &self.folder, self.words);
    }

    pub fn dies(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.dies();
    }
}
