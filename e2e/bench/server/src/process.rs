//! A measured server, as a process of its own.

use std::env;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::Failure;

const READY_WITHIN: Duration = Duration::from_secs(15);

/// A server and its address. Dropping it ends the process.
pub struct Process {
    child: Child,
    pub address: SocketAddr,
    _data: TempDir,
}

impl Process {
    /// Starts the product with an empty folder.
    pub async fn product(heliograph: &Path) -> Result<Self, Failure> {
        Self::serving(heliograph, &[]).await
    }

    /// Starts the product with an empty folder and these flags.
    pub async fn serving(heliograph: &Path, flags: &[String]) -> Result<Self, Failure> {
        let (address, data) = (free_address()?, tempfile::tempdir()?);
        let mut command = Command::new(heliograph);
        command
            .args(["serve", "--listen", &address.to_string(), "--turn", "off", "--data"])
            .arg(data.path())
            .args(flags);
        Self::start(command, address, data).await
    }

    /// Starts Redis, which keeps nothing on a disk.
    pub async fn redis() -> Result<Self, Failure> {
        let (address, data) = (free_address()?, tempfile::tempdir()?);
        let mut command = Command::new("redis-server");
        let port = address.port().to_string();
        command.args(["--port", &port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
        Self::start(command, address, data).await
    }

    /// Starts this program again, as the server that these arguments select. Its address is appended to them.
    pub async fn own(words: &[&str]) -> Result<Self, Failure> {
        let address = free_address()?;
        let mut command = Command::new(env::current_exe()?);
        command.args(words).arg(address.to_string());
        Self::start(command, address, tempfile::tempdir()?).await
    }

    async fn start(
        mut command: Command,
        address: SocketAddr,
        data: TempDir,
    ) -> Result<Self, Failure> {
        let quiet = || std::process::Stdio::null();
        command.stdout(quiet()).stderr(quiet()).kill_on_drop(true);
        let process = Self { child: command.spawn()?, address, _data: data };
        timeout(READY_WITHIN, process.ready()).await.map_err(|_| "the server did not get ready")?;
        Ok(process)
    }

    async fn ready(&self) {
        while TcpStream::connect(self.address).await.is_err() {
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Resident memory of the process in bytes.
    pub fn resident_bytes(&self) -> Result<u64, Failure> {
        resident_bytes(self.child.id().ok_or("the server ended")?)
    }

    /// Processor time of all threads of the process, in seconds.
    pub fn processor_seconds(&self) -> Result<f64, Failure> {
        let id = self.child.id().ok_or("the server ended")?;
        let mut nanoseconds = 0;
        for thread in fs::read_dir(format!("/proc/{id}/task"))? {
            // The first number is the time on a processor, in nanoseconds.
            let schedstat = fs::read_to_string(thread?.path().join("schedstat"))?;
            let time = schedstat.split_whitespace().next().ok_or("no time")?;
            nanoseconds += time.parse::<u64>()?;
        }
        Ok(Duration::from_nanos(nanoseconds).as_secs_f64())
    }
}

/// Resident memory of a process in bytes.
pub fn resident_bytes(id: u32) -> Result<u64, Failure> {
    let status = fs::read_to_string(format!("/proc/{id}/status"))?;
    let kib = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.split_whitespace().next())
        .ok_or("no VmRSS")?;
    Ok(kib.parse::<u64>()? * 1024)
}

fn free_address() -> Result<SocketAddr, Failure> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}
