//! Nodes of one server, with a Postgres database and a Redis of their own.

use std::env;
use std::net::SocketAddr;
use std::path::Path;

use tokio::process::Command;
use uuid::Uuid;

use crate::Failure;
use crate::process::Process;

/// The variable with the address of the Postgres server, which `scripts/with-postgres` sets.
const POSTGRES: &str = "HELIOGRAPH_TEST_POSTGRES";

/// A bus that is fresh: an empty database and an empty Redis.
pub struct Bus {
    redis: Process,
    database: String,
}

/// Some nodes, or one server alone.
pub struct Nodes {
    pub processes: Vec<Process>,
    pub bus: Option<Bus>,
}

impl Bus {
    pub async fn start() -> Result<Self, Failure> {
        Ok(Self { redis: Process::redis().await?, database: fresh_database().await? })
    }

    /// What tells a node of it.
    pub fn flags(&self) -> [String; 2] {
        let bus = format!("--bus=redis://{}/", self.redis.address);
        [format!("--database={}", self.database), bus]
    }
}

impl Nodes {
    /// One server without a bus, on Postgres as nodes are.
    pub async fn alone(heliograph: &Path) -> Result<Self, Failure> {
        let flags = [format!("--database={}", fresh_database().await?)];
        Ok(Self { processes: vec![Process::serving(heliograph, &flags).await?], bus: None })
    }

    pub async fn start(heliograph: &Path, count: usize) -> Result<Self, Failure> {
        let bus = Bus::start().await?;
        let mut processes = Vec::new();
        for _ in 0..count {
            processes.push(Process::serving(heliograph, &bus.flags()).await?);
        }
        Ok(Self { processes, bus: Some(bus) })
    }

    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.processes.iter().map(|node| node.address).collect()
    }

    /// Resident memory of the nodes in bytes.
    pub fn resident_bytes(&self) -> Result<u64, Failure> {
        self.processes.iter().map(Process::resident_bytes).sum()
    }

    /// Processor time of the nodes and of Redis, in seconds.
    pub fn processor_seconds(&self) -> Result<f64, Failure> {
        let redis = self.bus.as_ref().map(|bus| &bus.redis);
        self.processes.iter().chain(redis).map(Process::processor_seconds).sum()
    }
}

async fn fresh_database() -> Result<String, Failure> {
    let server = env::var(POSTGRES)
        .map_err(|_| "nodes need Postgres: run this by `scripts/with-postgres`, or `make bench`")?;
    let name = format!("bench_{}", Uuid::now_v7().simple());
    let create = format!("CREATE DATABASE {name}");
    let mut psql = Command::new("psql");
    let made = psql.args([&server, "--quiet", "--command", &create]).status().await?;
    if !made.success() {
        return Err("Postgres made no database".into());
    }
    Ok(server.replace("/postgres?", &format!("/{name}?")))
}
