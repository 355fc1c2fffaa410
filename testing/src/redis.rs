//! A Redis server of one test, without a disk: a bus as operators have it. It can be killed, stopped and started again.

use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::ports::free_port;

/// Tries to reach a server that comes up, and the pause between two of them.
const TRIES: u32 = 2_000;
const PAUSE: Duration = Duration::from_millis(10);

/// The server. It ends with the test.
pub struct Redis {
    child: Child,
    port: u16,
}

impl Redis {
    /// Starts a server on a free port.
    #[must_use]
    pub fn start() -> Self {
        let port = free_port();
        Self { child: run(port), port }
    }

    /// Its address, for `--bus`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// Kills the server, with all that it knows.
    pub fn is_killed(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again.
    pub fn is_started(&mut self) {
        self.child = run(self.port);
    }

    /// Removes everything from it.
    pub fn forgets(&self) {
        assert_eq!(self.cli(&["FLUSHALL"]).trim(), "OK");
    }

    /// What a command answers.
    #[must_use]
    pub fn cli(&self, command: &[&str]) -> String {
        let port = self.port.to_string();
        let answer = Command::new("redis-cli").args(["-p", &port]).args(command).output().unwrap();
        assert!(answer.status.success(), "{answer:?}");
        String::from_utf8(answer.stdout).unwrap()
    }
}

fn run(port: u16) -> Child {
    let port = port.to_string();
    let mut child = Command::new("redis-server")
        .args(["--port", &port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
        .args(["--enable-debug-command", "local"])
        .stdout(Stdio::null())
        .spawn()
        .expect("redis-server is installed: scripts/install-test-tools installs it");
    for _ in 0..TRIES {
        // Whoever listens in its place is not taken for it.
        if let Some(ended) = child.try_wait().unwrap() {
            panic!("redis-server does not run: {ended:?}");
        }
        if TcpStream::connect(format!("127.0.0.1:{port}")).is_ok() {
            return child;
        }
        sleep(PAUSE);
    }
    let _ = child.kill();
    let ended = child.wait();
    panic!("redis-server does not listen: {ended:?}");
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
