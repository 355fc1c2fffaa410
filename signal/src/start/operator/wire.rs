//! The socket between the command line and a server that runs. A request and its answer are a line of JSON each.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use heliograph_storage::Location;
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{Answer, Request, SOCKET, answer};
use crate::app::App;

/// Longest request in bytes.
const REQUEST_BYTES: u64 = 4 * 1024;
/// Time for the request to come, and for its answer to be taken.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time in which the server answers a command. The files of a large account take a while to delete.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(2);
/// Pause after a failed accept.
const PAUSE: Duration = Duration::from_secs(1);

/// What a command sends.
#[derive(Debug, Serialize, Deserialize)]
struct Asked {
    /// The database that the command was told, by its fingerprint.
    database: String,
    request: Request,
}

/// Why the server that runs cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// It belongs to another user.
    #[error(
        "a server may run on this data, but you may not ask it: run this as the user that the server runs as"
    )]
    Forbidden,
    /// It cannot be reached, or takes no request.
    #[error("the server that runs cannot be asked")]
    Unreachable(#[source] io::Error),
    /// It was asked, and gave no answer that can be read.
    #[error(
        "the server that runs gave no answer, so it is not known whether this was done: look with user list, or do it \
         again; if that fails too, restart the server"
    )]
    Silent(#[source] io::Error),
}

/// The opened socket. Its file is removed when this is dropped, unless another server has put its own there.
#[derive(Debug)]
pub struct Commands {
    listener: UnixListener,
    path: PathBuf,
    /// The device and number of the file.
    file: (u64, u64),
    /// The database of this server.
    database: String,
}

impl Drop for Commands {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|file| file == self.file) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let about = fs::symlink_metadata(path)?;
    Ok((about.dev(), about.ino()))
}

/// Opens the socket in the data folder, for this user only. A socket of an earlier run is replaced. Without one, such as
/// on a file system that has no sockets, the server runs all the same.
#[must_use]
pub fn open(data: &Path, database: &Location) -> Option<Commands> {
    let warn = |error| {
        tracing::warn!(%error, "commands such as heliograph user only work while no server runs");
    };
    try_to_open(data.join(SOCKET), database.fingerprint()).map_err(warn).ok()
}

fn try_to_open(path: PathBuf, database: String) -> io::Result<Commands> {
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(&path)?;
    let commands = Commands { file: identity(&path)?, listener, path, database };
    fs::set_permissions(&commands.path, fs::Permissions::from_mode(0o600))?;
    Ok(commands)
}

/// Answers the operator until the shutdown.
pub async fn listen(commands: Commands, app: Arc<App>, shutdown: CancellationToken) {
    loop {
        let accepted = tokio::select! {
            accepted = commands.listener.accept() => accepted,
            () = shutdown.cancelled() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                drop(app.tasks.spawn(serve(app.clone(), stream, commands.database.clone())));
            }
            Err(error) => {
                tracing::warn!(%error, "a command could not be heard");
                sleep(PAUSE).await;
            }
        }
    }
}

async fn serve(app: Arc<App>, mut stream: UnixStream, database: String) {
    if !is_operator(&stream) {
        return;
    }
    let request = timeout(PATIENCE, read(&mut stream)).await;
    let Ok(Ok(line)) = request else { return };
    let said = match serde_json::from_str::<Asked>(&line) {
        Ok(asked) if asked.database != database => Answer::Refused(
            "the server that runs on this folder uses another database: give this command the same --database as the \
             server has, or the folder of the right server with --data"
                .to_owned(),
        ),
        Ok(asked) => answer(&app, asked.request).await,
        Err(_) => Answer::Refused(
            "the server that runs does not know this command; it is of another version".to_owned(),
        ),
    };
    if let Err(error) = say(&mut stream, &said).await {
        tracing::warn!(%error, "a command went away before it took its answer");
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

async fn say(stream: &mut UnixStream, answer: &Answer) -> io::Result<()> {
    let line = serde_json::to_string(answer)?;
    timeout(PATIENCE, stream.write_all(line.as_bytes())).await?
}

/// Asks the server that runs on this data folder; `None` when none does.
///
/// # Errors
/// When it cannot be asked, or gives no answer that can be read.
pub async fn ask(
    data: &Path,
    database: &Location,
    request: Request,
) -> Result<Option<Answer>, AskError> {
    let mut stream = match timeout(PATIENCE, UnixStream::connect(data.join(SOCKET))).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return unreachable(error).map_or(Ok(None), Err),
        Err(late) => return Err(AskError::Unreachable(late.into())),
    };
    let asked = Asked { database: database.fingerprint(), request };
    let send = timeout(PATIENCE, send(&mut stream, &asked)).await;
    send.map_err(io::Error::from).flatten().map_err(AskError::Unreachable)?;
    let answer = timeout(ANSWER_TIMEOUT, hear(&mut stream)).await;
    answer.map_err(io::Error::from).flatten().map(Some).map_err(AskError::Silent)
}

/// Why there is no connection; `None` when no server is there.
fn unreachable(error: io::Error) -> Option<AskError> {
    match error.kind() {
        // A path that is too long for a socket is one where no server could open it.
        io::ErrorKind::NotFound
        | io::ErrorKind::ConnectionRefused
        | io::ErrorKind::InvalidInput => None,
        io::ErrorKind::PermissionDenied => Some(AskError::Forbidden),
        _ => Some(AskError::Unreachable(error)),
    }
}

async fn send(stream: &mut UnixStream, asked: &Asked) -> io::Result<()> {
    let mut line = serde_json::to_string(asked)?;
    line.push('\n');
    stream.write_all(line.as_bytes()).await
}

async fn hear(stream: &mut UnixStream) -> io::Result<Answer> {
    let mut said = String::new();
    stream.read_to_string(&mut said).await?;
    Ok(serde_json::from_str(&said)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_command_that_does_not_take_its_answer_is_left() {
        let (mut server, _command) = UnixStream::pair().unwrap();
        let answer = Answer::Refused("x".repeat(4 << 20));
        let error = say(&mut server, &answer).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_says_nothing_is_not_waited_for_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let database = Location::Folder(folder.path().to_owned());
        let commands = open(folder.path(), &database).unwrap();
        let asked = ask(folder.path(), &database, Request::Users).await;
        let error = asked.map(|_| ()).unwrap_err();
        assert!(matches!(&error, AskError::Silent(why) if why.kind() == io::ErrorKind::TimedOut));
        drop(commands);
        let asked = ask(folder.path(), &database, Request::Users).await;
        assert!(matches!(asked, Ok(None)), "nobody is there");
    }

    #[test]
    fn only_a_missing_or_dead_socket_means_that_no_server_runs() {
        use io::ErrorKind as Kind;
        let why = |kind: Kind| unreachable(kind.into());
        assert!(why(Kind::NotFound).is_none() && why(Kind::ConnectionRefused).is_none());
        let forbidden = why(Kind::PermissionDenied).unwrap();
        assert!(forbidden.to_string().contains("the user that the server runs as"), "{forbidden}");
        assert!(matches!(why(Kind::WouldBlock), Some(AskError::Unreachable(_))));
    }

    #[tokio::test]
    async fn only_the_own_socket_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let database = Location::Folder(folder.path().to_owned());
        let path = folder.path().join(SOCKET);
        let first = open(folder.path(), &database).unwrap();
        let second = open(folder.path(), &database).unwrap();
        drop(first);
        assert!(path.exists(), "it is the other one's");
        drop(second);
        assert!(!path.exists());
    }
}
