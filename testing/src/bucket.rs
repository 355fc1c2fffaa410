//! An S3 server in this process with one bucket. It checks signatures and can be made to fail.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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

/// The bucket's name.
pub const BUCKET: &str = "beams";

/// The server and its folder. Both end when it is dropped.
#[derive(Debug)]
pub struct Bucket {
    address: SocketAddr,
    folder: TempDir,
    server: AbortHandle,
    connections: TaskTracker,
    refuses_aborts: Arc<AtomicBool>,
    parts: Arc<Parts>,
}

/// The parts of unfinished uploads that come in.
#[derive(Debug)]
struct Parts {
    taken: AtomicUsize,
    /// How many are taken in all before the server fails.
    most: AtomicUsize,
}

impl Default for Parts {
    fn default() -> Self {
        Self { taken: AtomicUsize::new(0), most: AtomicUsize::new(usize::MAX) }
    }
}

impl Bucket {
    /// Secret access key of the server's only user.
    pub const SECRET: &str = "the test's secret";

    /// Starts a server with an empty bucket.
    pub async fn start() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(BUCKET)).unwrap();
        let mut service = S3ServiceBuilder::new(s3s_fs::FileSystem::new(folder.path()).unwrap());
        service.set_auth(SimpleAuth::from_single("test", Self::SECRET));
        let refuses_aborts = Arc::<AtomicBool>::default();
        let parts = Arc::<Parts>::default();
        let access = OneBucket { refuses_aborts: refuses_aborts.clone(), parts: parts.clone() };
        service.set_access(access);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = TaskTracker::new();
        let serving = serve(listener, service.build(), connections.clone());
        let server = tokio::spawn(serving).abort_handle();
        Self { address, folder, server, connections, refuses_aborts, parts }
    }

    /// The location of a bucket with this name, as an operator writes it.
    #[must_use]
    pub fn url(&self, bucket: &str) -> String {
        format!("s3://{bucket}?endpoint=http://{}&allow_http=true", self.address)
    }

    /// Makes the server refuse to delete the parts of unfinished uploads, like a policy that forgot that permission.
    pub fn refuses_aborts(&self, refuses: bool) {
        self.refuses_aborts.store(refuses, Ordering::Relaxed);
    }

    /// Lets the server take so many parts of unfinished uploads in all, and fail at the next one.
    pub fn takes_parts(&self, most: usize) {
        self.parts.most.store(most, Ordering::Relaxed);
    }

    /// How many parts of unfinished uploads it has taken.
    #[must_use]
    pub fn taken_parts(&self) -> usize {
        self.parts.taken.load(Ordering::Relaxed)
    }

    /// Forgets what is unfinished, as the rules of a bucket may say.
    pub fn forgets_unfinished(&self) {
        for file in files_in(self.folder.path()) {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with(".upload") {
                std::fs::remove_file(file).unwrap();
            }
        }
    }

    /// Ends the server and all its connections.
    pub fn dies(&self) {
        self.server.abort();
    }

    /// Waits until no client is connected, so that everything they sent is written.
    pub async fn is_left(&self) {
        self.connections.close();
        self.connections.wait().await;
        self.connections.reopen();
    }

    /// The files in which the server stores objects and parts.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = files_in(self.folder.path());
        files.retain(|file| !is_the_servers_own(file));
        files
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        self.dies();
    }
}

/// Refuses to create buckets, which the server otherwise does by itself.
struct OneBucket {
    refuses_aborts: Arc<AtomicBool>,
    parts: Arc<Parts>,
}

#[async_trait::async_trait]
impl S3Access for OneBucket {
    async fn check(&self, context: &mut S3AccessContext<'_>) -> S3Result<()> {
        if context.credentials().is_none() {
            return Err(s3_error!(AccessDenied));
        }
        let aborts = context.s3_op().name() == "AbortMultipartUpload";
        if aborts && self.refuses_aborts.load(Ordering::Relaxed) {
            return Err(s3_error!(AccessDenied));
        }
        if context.s3_op().name() == "UploadPart" {
            let Parts { taken, most } = &*self.parts;
            let most = most.load(Ordering::Relaxed);
            let one_more = |taken| (taken < most).then_some(taken + 1);
            if taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_err() {
                return Err(s3_error!(InternalError));
            }
        }
        match context.s3_path().get_bucket_name() {
            Some(BUCKET) => Ok(()),
            _ => Err(s3_error!(NoSuchBucket)),
        }
    }
}

/// Accepts connections. They end with this future.
async fn serve(listener: TcpListener, service: S3Service, tracker: TaskTracker) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let service = service.clone();
        connections.spawn(tracker.track_future(async move {
            let mut builder = auto::Builder::new(TokioExecutor::new());
            // Otherwise a client would keep an idle connection for minutes, and `is_left` waits for the last one to
            // end.
            builder.http1().keep_alive(false);
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        }));
    }
}

/// Whether the server itself made this file and removes it: the metadata of an object, or what it has of a part that is
/// still coming in or whose sender has gone.
fn is_the_servers_own(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.extension().is_some_and(|extension| extension == "json")
        || (name.starts_with(".tmp.") && name.ends_with(".internal.part"))
}

/// Every file below a folder, except files that are deleted meanwhile.
#[must_use]
pub fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(files_in(&path));
        } else if path.is_file() {
            files.push(path);
        }
    }
    files
}
