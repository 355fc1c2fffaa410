//! A bucket of one's own on an S3 server in this process, which checks signatures and can be made to fail.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use s3s::access::{S3Access, S3AccessContext};
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{S3Result, s3_error};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::task::TaskTracker;

/// The server's bucket.
pub const BUCKET: &str = "beams";

pub struct Bucket {
    address: SocketAddr,
    folder: TempDir,
    server: AbortHandle,
    connections: TaskTracker,
}

impl Bucket {
    /// What the server's one user knows.
    pub const SECRET: &str = "the test's secret";

    pub async fn start() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(BUCKET)).unwrap();
        let mut service = S3ServiceBuilder::new(s3s_fs::FileSystem::new(folder.path()).unwrap());
        service.set_auth(SimpleAuth::from_single("test", Self::SECRET));
        service.set_access(OneBucket);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = TaskTracker::new();
        let serving = serve(listener, service.build(), connections.clone());
        Self { address, folder, server: tokio::spawn(serving).abort_handle(), connections }
    }

    /// Where a bucket of this name would be, as an operator writes it.
    pub fn url(&self, bucket: &str) -> String {
        format!("s3://{bucket}?endpoint=http://{}&allow_http=true", self.address)
    }

    /// Ends the server with everything that is under way.
    pub fn dies(&self) {
        self.server.abort();
    }

    /// Waits until nobody is connected: then nothing that was sent is still to be written.
    pub async fn is_left(&self) {
        self.connections.close();
        self.connections.wait().await;
        self.connections.reopen();
    }

    /// The files in which the server keeps objects and parts.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = files_in(self.folder.path());
        // The server's own notes on objects that were there.
        files.retain(|file| file.extension().is_none_or(|extension| extension != "json"));
        files
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        self.dies();
    }
}

/// By itself the server makes the buckets that it lacks.
struct OneBucket;

#[async_trait::async_trait]
impl S3Access for OneBucket {
    async fn check(&self, context: &mut S3AccessContext<'_>) -> S3Result<()> {
        if context.credentials().is_none() {
            return Err(s3_error!(AccessDenied));
        }
        match context.s3_path().get_bucket_name() {
            Some(BUCKET) => Ok(()),
            _ => Err(s3_error!(NoSuchBucket)),
        }
    }
}

/// The connections end with this future.
async fn serve(listener: TcpListener, service: S3Service, tracker: TaskTracker) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let service = service.clone();
        connections.spawn(tracker.track_future(async move {
            let builder = auto::Builder::new(TokioExecutor::new());
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        }));
    }
}

/// Every file below a folder, as far as it stays where it is.
pub fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(files_in(&path)) } else { files.push(path) }
    }
    files
}
