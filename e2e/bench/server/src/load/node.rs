//! Nodes that a load starts itself, and may kill, stop and start again.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use super::fault::Act;
use crate::Failure;
use crate::process::resident_bytes;

const READY_WITHIN: Duration = Duration::from_secs(20);
/// Ports that systems do not give to outgoing connections: nobody else gets one while its node is down.
const PORTS: std::ops::Range<u16> = 20_000..32_000;

/// Where Debian has libfaketime.
const FAKE_TIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

/// A server that keeps its address and its data over restarts.
pub struct Node {
    program: PathBuf,
    with: Vec<String>,
    /// How wrong its clock is.
    clock: Option<String>,
    pub address: SocketAddr,
    data: TempDir,
    child: Option<Child>,
}

impl Node {
    /// Starts a node with an empty folder.
    pub async fn start(
        program: &Path,
        with: &[String],
        clock: Option<&str>,
    ) -> Result<Self, Failure> {
        let (program, with, clock) =
            (program.to_owned(), with.to_owned(), clock.map(str::to_owned));
        let (address, data) = (free_address()?, tempfile::tempdir()?);
        let mut node = Self { program, with, clock, address, data, child: None };
        node.begin().await?;
        Ok(node)
    }

    async fn begin(&mut self) -> Result<(), Failure> {
        let mut command = Command::new(&self.program);
        let listen = self.address.to_string();
        command
            .args(["serve", "--turn", "off", "--disk-share", "100", "--listen", &listen, "--data"])
            .arg(self.data.path())
            .args(&self.with)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        if let Some(clock) = &self.clock {
            if !Path::new(FAKE_TIME).exists() {
                return Err("a wrong clock needs libfaketime: install the package faketime".into());
            }
            // Pauses go by the steady clock, which is right on any machine.
            command.env("LD_PRELOAD", FAKE_TIME).env("FAKETIME", clock);
            command.env("DONT_FAKE_MONOTONIC", "1");
        }
        self.child = Some(command.spawn()?);
        let ready = async {
            while TcpStream::connect(self.address).await.is_err() {
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(READY_WITHIN, ready).await.map_err(|_| "a node did not get ready")?;
        Ok(())
    }

    /// Does something to the node.
    pub async fn meets(&mut self, act: Act) -> Result<(), Failure> {
        match act {
            Act::Kill => {
                if let Some(mut child) = self.child.take() {
                    child.kill().await?;
                }
            }
            Act::End => self.signal(Signal::TERM)?,
            Act::Stop => self.signal(Signal::STOP)?,
            Act::Continue => self.signal(Signal::CONT)?,
            Act::Cut | Act::Heal | Act::Promote | Act::Fill | Act::Empty => {
                return Err("no node can do this".into());
            }
            Act::Start => {
                if let Some(mut ending) = self.child.take() {
                    ending.wait().await?;
                }
                self.begin().await?;
            }
        }
        Ok(())
    }

    fn signal(&self, signal: Signal) -> Result<(), Failure> {
        send(self.child.as_ref(), signal)
    }

    /// Resident memory in bytes.
    pub fn resident_bytes(&self) -> Result<u64, Failure> {
        resident_bytes(self.child.as_ref().and_then(Child::id).ok_or("the node does not run")?)
    }
}

/// Sends a signal to a process.
pub fn send(child: Option<&Child>, signal: Signal) -> Result<(), Failure> {
    let id = child.and_then(Child::id).ok_or("the process does not run")?;
    let id = i32::try_from(id).ok().and_then(Pid::from_raw).ok_or("no process")?;
    Ok(kill_process(id, signal)?)
}

pub fn free_address() -> Result<SocketAddr, Failure> {
    let mut bytes = [0; 2];
    for _ in 0..100 {
        getrandom::fill(&mut bytes)?;
        let span = PORTS.end - PORTS.start;
        let port = PORTS.start + u16::from_be_bytes(bytes) % span;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        if TcpListener::bind(address).is_ok() {
            return Ok(address);
        }
    }
    Err("no free port".into())
}

/// Lets this process open as many sockets as the system allows.
pub fn allow_many_sockets() -> Result<(), Failure> {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    Ok(setrlimit(Resource::Nofile, limit)?)
}
