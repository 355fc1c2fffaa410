//! The tests of a beam again, with devices on different nodes: where `HELIOGRAPH_TEST_NODES` says 3, the server of a test is
//! three nodes with Redis, Postgres and S3, behind an nginx that gives each connection to the next node.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::bucket::Bucket;
use super::file::bucket_flags;
use super::ports::free_port;
use super::redis::Redis;

/// Where the address of the database is, for a test that starts its server again.
const DATABASE: &str = "database";

/// How many nodes the server of a test has.
pub fn nodes() -> usize {
    std::env::var("HELIOGRAPH_TEST_NODES").map_or(1, |nodes| nodes.parse().unwrap())
}

/// What nodes have in common.
pub struct Common {
    redis: Redis,
    bucket: Bucket,
}

impl Common {
    pub async fn start() -> Self {
        Self { redis: Redis::start(), bucket: Bucket::start().await }
    }

    /// The flags for it, but for those that the test has.
    pub fn flags(&self, folder: &Path, own: &[&str]) -> Vec<String> {
        let mut flags = vec!["--bus".to_owned(), self.redis.url()];
        let in_bucket = bucket_flags(&self.bucket);
        for flag in in_bucket.chunks(2) {
            if !own.contains(&flag[0].as_str()) {
                flags.extend_from_slice(flag);
            }
        }
        keep_database(folder, &mut flags);
        flags
    }
}

/// Takes the database of an earlier server on this folder.
fn keep_database(folder: &Path, flags: &mut [String]) {
    let Some(at) = flags.iter().position(|flag| flag == "--database") else { return };
    let file = folder.join(DATABASE);
    match fs::read_to_string(&file) {
        Ok(earlier) => flags[at + 1] = earlier,
        Err(_) => fs::write(file, &flags[at + 1]).unwrap(),
    }
}

/// An nginx that gives each connection to the next node.
pub struct InTurns {
    process: Child,
    pub address: SocketAddr,
    _folder: TempDir,
}

impl InTurns {
    pub async fn start(nodes: &[SocketAddr]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()));
        let nodes: Vec<_> =
            nodes.iter().map(|node| format!("server {node} max_fails=0;")).collect();
        let nodes = nodes.join(" ");
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {};\n", at(kind)))
            .concat();
        let whole = format!(
            "daemon off; pid {pid}; error_log {log} warn; worker_processes 1; events {{}}
            http {{
                access_log off; {temporary}
                map $http_upgrade $connection_upgrade {{ default upgrade; '' close; }}
                upstream nodes {{ {nodes} }}
                server {{
                    listen {address};
                    client_max_body_size 0;
                    location / {{
                        proxy_pass http://nodes;
                        proxy_http_version 1.1;
                        proxy_set_header Host $http_host;
                        proxy_set_header Upgrade $http_upgrade;
                        proxy_set_header Connection $connection_upgrade;
                        proxy_request_buffering off;
                        proxy_buffering off;
                    }}
                }}
            }}",
            pid = at("pid"),
            log = at("error.log"),
        );
        fs::write(at("nginx.conf"), whole).unwrap();
        let mut nginx = Command::new("/usr/sbin/nginx");
        nginx.args(["-c", &at("nginx.conf"), "-e", &at("error.log")]);
        nginx.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = nginx.spawn().expect("nginx is installed (scripts/install-test-tools)");
        let mut started = Self { process, address, _folder: folder };
        let listens = async {
            while TcpStream::connect(address).await.is_err() {
                assert_eq!(started.process.try_wait().unwrap(), None, "nginx runs");
                sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_mins(1), listens).await.expect("nginx listens");
        started
    }
}

impl Drop for InTurns {
    fn drop(&mut self) {
        // Its worker ends with it, if it is asked and not killed.
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.process.wait();
    }
}
