//! The server as a program in a process of its own: its memory, log, files and end.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::AsyncBufReadExt as _;
use tokio::sync::watch;

pub struct Program {
    child: Child,
    pub address: String,
    pub folder: tempfile::TempDir,
    log: Arc<Mutex<String>>,
    lines: watch::Receiver<usize>,
}

/// The address that a server on a free port of this machine says it has; `None` if it ends without one.
pub async fn address_of(server: &mut tokio::process::Child) -> Option<SocketAddr> {
    let mut lines = tokio::io::BufReader::new(server.stdout.take().unwrap()).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        if let Some((_, port)) = line.split_once("http://localhost:") {
            return Some((Ipv4Addr::LOCALHOST, port.parse().unwrap()).into());
        }
    }
    None
}

impl Program {
    pub fn start(flags: &[&str], environment: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_heliograph"))
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--turn",
                "off",
                "--disk-share",
                "100",
                "--data",
            ])
            .arg(folder.path().join("data"))
            .args(flags)
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (log, (said, lines)) = (Arc::<Mutex<String>>::default(), watch::channel(0));
        let (stderr, whole) = (child.stderr.take().unwrap(), log.clone());
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines() {
                let mut log = whole.lock().unwrap_or_else(PoisonError::into_inner);
                *log += &line.unwrap();
                log.push('\n');
                said.send_modify(|count| *count += 1);
            }
        });
        let mut lines_out = BufReader::new(child.stdout.take().unwrap()).lines();
        let line =
            lines_out.find(|line| line.as_ref().unwrap().contains("http://")).unwrap().unwrap();
        let port = line.rsplit(':').next().unwrap();
        Self { child, address: format!("127.0.0.1:{port}"), folder, log, lines }
    }

    pub fn socket_address(&self) -> SocketAddr {
        self.address.parse().unwrap()
    }

    /// The highest memory so far, in MiB.
    pub fn peak(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kib / 1024
    }

    /// The log so far.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Waits until the log contains this text.
    pub async fn logs(&mut self, text: &str) {
        while !self.log().contains(text) {
            self.lines.changed().await.unwrap();
        }
    }

    /// Sends the signal of Ctrl-C.
    pub fn is_interrupted(&self) {
        self.gets(Signal::INT);
    }

    /// Kills the process.
    pub fn is_killed(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Stops the process, as a machine does that is suspended, until [`Program::goes_on`].
    pub fn stands_still(&self) {
        self.gets(Signal::STOP);
    }

    pub fn goes_on(&self) {
        self.gets(Signal::CONT);
    }

    fn gets(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the process to end.
    pub fn ends(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
