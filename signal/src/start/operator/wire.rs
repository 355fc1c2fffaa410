//! The socket between the command line and a server that runs. A request and its answer are a line of JSON each.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::geteuid;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{Answer, Request, SOCKET, answer};
use crate::app::App;

/// Longest request in bytes.
const REQUEST_BYTES: u64 = 4 * 1024;
/// Time for the request to come.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Pause after a failed accept.
const PAUSE: Duration = Duration::from_secs(1);

/// Opens the socket in the data folder, for this user only. A socket of an earlier run is replaced. Without one, such as
/// on a file system that has no sockets, the server runs all the same.
#[must_use]
pub fn open(data: &Path) -> Option<UnixListener> {
    let warn = |error| {
        tracing::warn!(%error, "commands such as heliograph user only work while no server runs");
    };
    try_to_open(data).map_err(warn).ok()
}

fn try_to_open(data: &Path) -> io::Result<UnixListener> {
    let path = data.join(SOCKET);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(&path)?;
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(listener)
}

/// Answers the operator until the shutdown.
pub async fn listen(listener: UnixListener, app: Arc<App>, shutdown: CancellationToken) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shutdown.cancelled() => break,
        };
        match accepted {
            Ok((stream, _)) => drop(app.tasks.spawn(serve(app.clone(), stream))),
            Err(error) => {
                tracing::warn!(%error, "a command could not be heard");
                sleep(PAUSE).await;
            }
        }
    }
    let _ = fs::remove_file(app.data.join(SOCKET));
}

async fn serve(app: Arc<App>, mut stream: UnixStream) {
    if !is_operator(&stream) {
        return;
    }
    let request = timeout(REQUEST_TIMEOUT, read(&mut stream)).await;
    let Ok(Ok(line)) = request else { return };
    let said = match serde_json::from_str(&line) {
        Ok(request) => answer(&app, request).await,
        Err(_) => Answer::Refused(
            "the server that runs does not know this command; it is of another version".to_owned(),
        ),
    };
    if let Ok(line) = serde_json::to_string(&said) {
        // The command may have been given up.
        let _ = stream.write_all(line.as_bytes()).await;
    }
}

/// Whether the other side runs as this user, or as root.
fn is_operator(stream: &UnixStream) -> bool {
    let own = geteuid().as_raw();
    stream.peer_cred().is_ok_and(|other| other.uid() == own || other.uid() == 0)
}

async fn read(stream: &mut UnixStream) -> io::Result<String> {
    let mut line = String::new();
    BufReader::new(stream.take(REQUEST_BYTES)).read_line(&mut line).await?;
    Ok(line)
}

/// Asks the server that runs on this data folder; `None` when none does.
///
/// # Errors
/// When it gives no answer that can be read.
pub async fn ask(data: &Path, request: &Request) -> io::Result<Option<Answer>> {
    let Ok(mut stream) = UnixStream::connect(data.join(SOCKET)).await else { return Ok(None) };
    let mut line = serde_json::to_string(request)?;
    line.push('\n');
    stream.write_all(line.as_bytes()).await?;
    let mut said = String::new();
    stream.read_to_string(&mut said).await?;
    Ok(Some(serde_json::from_str(&said)?))
}
