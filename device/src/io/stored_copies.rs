//! Reads the server's copies of files for the engine ([`Output::ReadCopy`], [`Output::CopyRoom`], [`Output::StopCopy`]): the last of
//! the ways (F22).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use super::server::{Connections, Failure, Part, Server};
use crate::engine::contract::{CopyId, Input, Output};

/// Most bytes that the engine is given at once ([`Input::CopyBytes`]).
const PORTION_BYTES: usize = 256 * 1024;
/// What has come is given no later, however slowly more comes: the engine takes a copy that gives nothing for dead.
const GIVEN_WITHIN: Duration = Duration::from_secs(1);

/// The copies that one engine reads.
pub(super) struct StoredCopies {
    server: Server,
    connections: Connections,
    reading: BTreeMap<CopyId, Reading>,
    inputs: UnboundedSender<Input>,
}

/// A part that is being read, until this is dropped.
struct Reading {
    room: Arc<Notify>,
    task: JoinHandle<()>,
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl StoredCopies {
    /// Also returns what the engine is to be told. Of each part, one portion waits there at most.
    pub(super) fn new(server: Server) -> (Self, UnboundedReceiver<Input>) {
        let (inputs, told) = unbounded_channel();
        let connections = Connections::default();
        (Self { server, connections, reading: BTreeMap::new(), inputs }, told)
    }

    /// Carries out a request. Returns one that is not about copies.
    ///
    /// It has to be called within a runtime of tokio.
    pub(super) fn carry_out(&mut self, request: Output) -> Option<Output> {
        match request {
            Output::ReadCopy { copy, url, start, bytes } => {
                self.reading.retain(|_, reading| !reading.task.is_finished());
                let room = Arc::new(Notify::new());
                let reading = Read {
                    copy,
                    room: room.clone(),
                    server: self.server.clone(),
                    connections: self.connections.clone(),
                    inputs: self.inputs.clone(),
                };
                let task = tokio::spawn(reading.run(url, start, bytes));
                self.reading.insert(copy, Reading { room, task });
            }
            Output::CopyRoom(copy) => {
                if let Some(reading) = self.reading.get(&copy) {
                    reading.room.notify_one();
                }
            }
            Output::StopCopy(copy) => drop(self.reading.remove(&copy)),
            other => return Some(other),
        }
        None
    }
}

/// Reads one part.
struct Read {
    copy: CopyId,
    room: Arc<Notify>,
    server: Server,
    connections: Connections,
    inputs: UnboundedSender<Input>,
}

impl Read {
    async fn run(self, url: String, start: u64, bytes: u64) {
        let read = self.read(&url, start, bytes).await;
        let is_gone = match read {
            Ok(all) if all == bytes => return,
            Err(Failure::Refused { status, .. }) => matches!(status, 404 | 410),
            Ok(_) | Err(_) => false,
        };
        self.tell(Input::CopyFailed { copy: self.copy, is_gone });
    }

    /// Returns how many bytes came.
    async fn read(&self, url: &str, start: u64, bytes: u64) -> Result<u64, Failure> {
        let mut part = self.server.open_part(url, (start, bytes), &self.connections).await?;
        let (mut rest, mut given) = (Bytes::new(), 0);
        loop {
            let next = portion(&mut part, &mut rest);
            let portion = if given < bytes {
                next.await?
            } else {
                // A connection that does not come to its end is not used again.
                timeout(GIVEN_WITHIN, next).await.map_err(|_| Failure::Late)??
            };
            if portion.is_empty() {
                return Ok(given);
            }
            given += portion.len() as u64;
            // Whatever is at the address may send without an end, and nobody would tell it to stop.
            if given > bytes {
                return Err(Failure::Strange);
            }
            self.tell(Input::CopyBytes { copy: self.copy, bytes: portion });
            // After the last byte, nothing more is asked for; the end is read so that the connection can be used again.
            if given < bytes {
                self.room.notified().await;
            }
        }
    }

    /// Nobody listens any more once the engine is gone.
    fn tell(&self, input: Input) {
        let _ = self.inputs.send(input);
    }
}

/// The next bytes of a part; none at its end. `rest` is what came and goes beyond the portion.
async fn portion(part: &mut Part, rest: &mut Bytes) -> Result<Vec<u8>, Failure> {
    let mut portion = Vec::with_capacity(PORTION_BYTES);
    let mut until = None;
    loop {
        let fits = rest.len().min(PORTION_BYTES - portion.len());
        portion.extend_from_slice(&rest.split_to(fits));
        if portion.len() == PORTION_BYTES {
            return Ok(portion);
        }
        let next = if portion.is_empty() {
            part.next().await?
        } else {
            let until = *until.get_or_insert_with(|| Instant::now() + GIVEN_WITHIN);
            let Ok(next) = timeout_at(until, part.next()).await else { return Ok(portion) };
            next?
        };
        match next {
            Some(bytes) => *rest = bytes,
            None => return Ok(portion),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says so by failing")]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn f22_of_a_copy_that_does_not_end_no_more_is_read_than_was_asked_for() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let sending = tokio::task::spawn_blocking(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]).unwrap();
            stream.write_all(b"HTTP/1.1 206 Partial Content\r\n\r\n").unwrap();
            let portion = vec![7; PORTION_BYTES];
            (0..512).any(|_| stream.write_all(&portion).is_err())
        });
        let server = Server::at(&url.parse().unwrap()).unwrap();
        let (mut copies, mut told) = StoredCopies::new(server);
        let (copy, url) = (CopyId(1), "/api/uploads/0123456789abcdef".to_owned());
        let request = Output::ReadCopy { copy, url, start: 0, bytes: PORTION_BYTES as u64 };
        assert!(copies.carry_out(request).is_none());
        assert!(sending.await.unwrap(), "it was read on and on");
        assert!(matches!(told.recv().await, Some(Input::CopyBytes { .. })));
        assert!(matches!(told.recv().await, Some(Input::CopyFailed { is_gone: false, .. })));
        assert!(told.is_empty());
    }
}
