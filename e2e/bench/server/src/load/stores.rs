//! Redis and Postgres of a load, as processes of its own: they can be killed, stopped and started again.

use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use super::node::{free_address, send};
use crate::Failure;

const READY_WITHIN: Duration = Duration::from_secs(20);
/// Looks whether a server has ended, 20 ms apart.
const LOOKS: u32 = 100;
/// Where Debian has the programs of its Postgres versions.
const POSTGRES: &str = "/usr/lib/postgresql";

/// A Redis server without a disk.
pub struct Redis {
    pub address: SocketAddr,
    child: Option<Child>,
}

impl Redis {
    /// Starts a server, which follows another one if that is named.
    pub async fn start(leader: Option<SocketAddr>) -> Result<Self, Failure> {
        let mut redis = Self { address: free_address()?, child: None };
        redis.begin(leader).await?;
        Ok(redis)
    }

    pub async fn begin(&mut self, leader: Option<SocketAddr>) -> Result<(), Failure> {
        let mut command = Command::new("redis-server");
        let port = self.address.port().to_string();
        command.args(["--port", &port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
        if let Some(leader) = leader {
            command.args(["--replicaof", &leader.ip().to_string(), &leader.port().to_string()]);
            command.args(["--repl-diskless-sync-delay", "0", "--repl-diskless-load", "swapdb"]);
        }
        command.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        self.child = Some(command.spawn().map_err(|error| format!("redis-server: {error}"))?);
        let ready = async {
            // A follower also has to have everything that the other one has.
            let wanted = if leader.is_some() { "master_link_status:up" } else { "role:master" };
            while !self.says("INFO replication").await.is_ok_and(|said| said.contains(wanted)) {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(READY_WITHIN, ready).await.map_err(|_| "Redis did not get ready")?;
        Ok(())
    }

    /// Follows nobody any more.
    pub async fn leads(&self) -> Result<(), Failure> {
        self.says("REPLICAOF NO ONE").await.map(drop)
    }

    /// Bounds its memory to so many bytes; 0 is no bound.
    pub async fn has_memory(&self, bytes: &str) -> Result<(), Failure> {
        self.says(&format!("CONFIG SET maxmemory {bytes}")).await.map(drop)
    }

    /// What it answers to a command.
    async fn says(&self, command: &str) -> Result<String, Failure> {
        let mut stream = TcpStream::connect(self.address).await?;
        stream.write_all(format!("{command}\r\nQUIT\r\n").as_bytes()).await?;
        let mut said = String::new();
        stream.read_to_string(&mut said).await?;
        Ok(said)
    }

    pub async fn kill(&mut self) -> Result<(), Failure> {
        if let Some(mut child) = self.child.take() {
            child.kill().await?;
        }
        Ok(())
    }

    pub fn signal(&self, signal: Signal) -> Result<(), Failure> {
        send(self.child.as_ref(), signal)
    }
}

/// A Postgres server that listens on a socket in its own folder.
pub struct Postgres {
    programs: PathBuf,
    folder: TempDir,
}

impl Postgres {
    pub async fn start() -> Result<Self, Failure> {
        let mut versions: Vec<_> =
            std::fs::read_dir(POSTGRES)?.flatten().map(|entry| entry.path().join("bin")).collect();
        versions.retain(|programs| programs.join("initdb").exists());
        versions.sort();
        let programs = versions.pop().ok_or("Postgres is not installed")?;
        let postgres = Self { programs, folder: tempfile::tempdir()? };
        if is_root()? {
            let mut own = Command::new("chown");
            done(own.arg("postgres").arg(postgres.folder.path())).await?;
        }
        let data = postgres.data();
        let options = ["-U", "postgres", "-A", "trust", "--no-sync", "-D"];
        done(postgres.command("initdb")?.args(options).arg(data)).await?;
        postgres.begin().await?;
        Ok(postgres)
    }

    /// Its address, for `--database`.
    pub fn url(&self) -> String {
        format!("postgres://postgres@localhost/postgres?host={}", self.folder.path().display())
    }

    pub async fn begin(&self) -> Result<(), Failure> {
        let folder = self.folder.path().display();
        let options =
            format!("-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=200");
        let log = self.folder.path().join("log");
        let mut command = self.command("pg_ctl")?;
        command.args(["-w", "start", "-o", &options, "-D"]).arg(self.data()).arg("-l").arg(log);
        done(&mut command).await
    }

    /// Ends the server: at once, as if it were killed, or when it has told its clients.
    pub async fn end(&self, at_once: bool) -> Result<(), Failure> {
        let mode = if at_once { "immediate" } else { "fast" };
        done(self.command("pg_ctl")?.args(["-w", "stop", "-m", mode, "-D"]).arg(self.data())).await
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// One of its programs, which refuse to run as root.
    fn command(&self, program: &str) -> Result<Command, Failure> {
        let program = self.programs.join(program);
        let mut command = if is_root()? {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir(self.folder.path());
        Ok(command)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // The first line of this file is the id of the process.
        let Ok(file) = std::fs::read_to_string(self.data().join("postmaster.pid")) else { return };
        let id = file.lines().next().and_then(|id| id.parse().ok());
        if let Some(id) = id.and_then(rustix::process::Pid::from_raw) {
            // QUIT ends it without a checkpoint. It removes the file, and its folder can go then.
            let _ = rustix::process::kill_process(id, Signal::QUIT);
            let file = self.data().join("postmaster.pid");
            let mut looks = 0;
            while file.exists() && looks < LOOKS {
                std::thread::sleep(Duration::from_millis(20));
                looks += 1;
            }
        }
    }
}

fn is_root() -> Result<bool, Failure> {
    Ok(std::fs::metadata(Path::new("/proc/self"))?.uid() == 0)
}

/// Runs a command that has to succeed.
async fn done(command: &mut Command) -> Result<(), Failure> {
    // A server that it starts would keep pipes open.
    command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    let status = command.status().await?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}
