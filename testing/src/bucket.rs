//! An S3 server in this process with one bucket. It checks signatures and can be made to fail. A request that it has received
//! is carried out although its client has gone, as other servers do.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use http_body_util::{BodyDataStream, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use s3s::access::{S3Access, S3AccessContext};
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{Body, HttpRequest, S3Result, s3_error};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::task::TaskTracker;

use crate::ports::free_port;

/// The bucket's name.
pub const BUCKET: &str = "beams";

/// The server and its folder. Both end when it is dropped.
#[derive(Debug)]
pub struct Bucket {
    address: SocketAddr,
    folder: TempDir,
    server: AbortHandle,
    /// The connections, and the requests that are carried out.
    work: TaskTracker,
    refuses_aborts: Arc<AtomicBool>,
    parts: Arc<Parts>,
}

/// The parts of unfinished uploads that come in.
#[derive(Debug)]
struct Parts {
    taken: AtomicUsize,
    /// How many are taken in all before the server fails.
    most: AtomicUsize,
    /// Those that have come whole and are not written, or `None` if the server writes them at once.
    held: watch::Sender<Option<usize>>,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            taken: AtomicUsize::new(0),
            most: AtomicUsize::new(usize::MAX),
            held: watch::Sender::new(None),
        }
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
        // When the server is dead, nobody else gets its port.
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, free_port())).await.unwrap();
        let address = listener.local_addr().unwrap();
        let work = TaskTracker::new();
        let serving = serve(listener, service.build(), parts.clone(), work.clone());
        let server = tokio::spawn(serving).abort_handle();
        Self { address, folder, server, work, refuses_aborts, parts }
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

    /// Keeps the server from writing the parts that come whole from now on, until [`Self::writes_parts`].
    pub fn holds_parts(&self) {
        self.parts.held.send_replace(Some(0));
    }

    /// Waits until the server holds so many parts.
    pub async fn holds(&self, count: usize) {
        let _ = self.parts.held.subscribe().wait_for(|held| *held == Some(count)).await;
    }

    /// Lets the server write the parts that it holds, and all others at once.
    pub fn writes_parts(&self) {
        self.parts.held.send_replace(None);
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
        // Connections are accepted in their order. After this one, those that waited are counted.
        if let Ok(mut last) = TcpStream::connect(self.address).await {
            let _ = last.shutdown().await;
            let _ = last.read(&mut [0]).await;
        }
        self.work.close();
        self.work.wait().await;
        self.work.reopen();
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
            let Parts { taken, most, .. } = &*self.parts;
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

/// Accepts connections. They end with this future, and what they asked for is carried out.
async fn serve(listener: TcpListener, service: S3Service, parts: Arc<Parts>, work: TaskTracker) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let (service, parts, requests) = (service.clone(), parts.clone(), work.clone());
        let answer = service_fn(move |request: hyper::Request<Incoming>| {
            let (service, request) = (service.clone(), parts.received(request));
            requests.spawn(async move { service.call(request).await }).map(Result::unwrap)
        });
        connections.spawn(work.track_future(async move {
            let mut builder = auto::Builder::new(TokioExecutor::new());
            // Otherwise a client would keep an idle connection for minutes, and `is_left` waits for the last one to
            // end.
            builder.http1().keep_alive(false);
            let _ = builder.serve_connection(TokioIo::new(stream), answer).await;
        }));
    }
}

impl Parts {
    /// A request, of which a part ends only when it may be written.
    fn received(&self, request: hyper::Request<Incoming>) -> HttpRequest {
        let is_part = request.uri().query().is_some_and(|query| query.contains("partNumber="));
        if !is_part || self.held.borrow().is_none() {
            return request.map(Body::from);
        }
        let held = self.held.clone();
        let until_written = async move {
            held.send_modify(|held| *held = held.map(|count| count + 1));
            let _ = held.subscribe().wait_for(Option::is_none).await;
        };
        request.map(|body| {
            let whole = BodyDataStream::new(body).map_ok(Frame::data);
            let end = until_written.into_stream().filter_map(|()| async { None });
            Body::http_body_unsync(StreamBody::new(whole.chain(end)))
        })
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
