//! What was read of a socket and waits, in its order. Where it is full, the socket is read no further, and the server holds the rest.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// Messages that wait.
const MOST_WAITING: usize = 64;
/// Their bytes: two of the longest messages that are taken from a server.
const MOST_WAITING_BYTES: u32 = 8 << 20;

struct Waiting<T> {
    what: T,
    /// Its part of the room, given back when it is taken; `None` where it takes none.
    _room: Option<OwnedSemaphorePermit>,
}

/// The end that reads the socket.
pub(super) struct Hearing<T> {
    waiting: mpsc::Sender<Waiting<T>>,
    room: Arc<Semaphore>,
}

/// The end of whoever has the socket.
pub(super) struct Heard<T>(mpsc::Receiver<Waiting<T>>);

pub(super) fn queue<T>() -> (Hearing<T>, Heard<T>) {
    let (waiting, heard) = mpsc::channel(MOST_WAITING);
    let room = Arc::new(Semaphore::new(MOST_WAITING_BYTES as usize));
    (Hearing { waiting, room }, Heard(heard))
}

impl<T> Hearing<T> {
    /// Waits until there is room for so many bytes. What nobody waits for any more is lost.
    pub(super) async fn put(&self, what: T, bytes: usize) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).min(MOST_WAITING_BYTES);
        let room = self.room.clone().acquire_many_owned(bytes).await.ok();
        let _ = self.waiting.send(Waiting { what, _room: room }).await;
    }

    /// Waits until nobody has the socket any more.
    pub(super) async fn is_given_up(&self) {
        self.waiting.closed().await;
    }
}

impl<T> Heard<T> {
    /// Waits for what happens next; `None` once the socket is gone. Nothing is lost when the wait is given up.
    pub(super) async fn next(&mut self) -> Option<T> {
        self.0.recv().await.map(|waiting| waiting.what)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says so by failing")]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const MIB: usize = 1 << 20;

    #[tokio::test]
    async fn the_bytes_that_wait_are_bounded_however_few_messages_they_are() {
        let (hearing, mut heard) = queue();
        hearing.put(1, 4 * MIB).now_or_never().unwrap();
        hearing.put(2, 4 * MIB).now_or_never().unwrap();
        let mut third = Box::pin(hearing.put(3, MIB));
        assert!((&mut third).now_or_never().is_none(), "it is full");
        assert_eq!(heard.next().await, Some(1));
        third.now_or_never().unwrap();
        // One that is longer than all the room has it alone.
        let mut long = Box::pin(hearing.put(4, 9 * MIB));
        assert!((&mut long).now_or_never().is_none());
        assert_eq!((heard.next().await, heard.next().await), (Some(2), Some(3)));
        long.now_or_never().unwrap();
    }

    #[tokio::test]
    async fn nothing_waits_for_room_once_nobody_has_the_socket() {
        let (hearing, heard) = queue();
        hearing.put(1, 8 * MIB).now_or_never().unwrap();
        drop(heard);
        hearing.put(2, 8 * MIB).now_or_never().unwrap();
    }
}
