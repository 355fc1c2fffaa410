//! What waits for one client on a stream. It is bounded in bytes: UDP would have dropped the rest, so this does too.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

/// Messages that are written to the stream together.
const BATCH: usize = 64;
/// Bytes that may wait for a client without an allocation: a few answers.
const OF_STRANGERS: usize = 8 * 1024;
/// What a message takes besides its bytes.
const OVERHEAD: usize = 64;

/// The shard's end. The stream is closed when this is dropped.
#[derive(Debug)]
pub struct Outbox {
    queue: UnboundedSender<Vec<u8>>,
    state: Arc<State>,
    most: usize,
}

/// The stream's end.
#[derive(Debug)]
pub struct Waiting {
    queue: UnboundedReceiver<Vec<u8>>,
    batch: Vec<Vec<u8>>,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    bytes: AtomicUsize,
    has_allocation: AtomicBool,
}

/// Whether the client of a stream has an allocation, and may be silent.
#[derive(Clone, Debug)]
pub struct Standing(Arc<State>);

impl Standing {
    pub fn has_allocation(&self) -> bool {
        self.0.has_allocation.load(Ordering::Relaxed)
    }
}

/// An outbox that holds at most so many bytes.
pub fn outbox(most: usize) -> (Outbox, Waiting) {
    let (sender, queue) = mpsc::unbounded_channel();
    let state = Arc::new(State::default());
    let waiting = Waiting { queue, batch: Vec::new(), state: Arc::clone(&state) };
    (Outbox { queue: sender, state, most }, waiting)
}

impl Outbox {
    /// Puts a message in, unless too much waits already.
    pub fn put(&self, message: Vec<u8>) -> bool {
        let size = message.len() + OVERHEAD;
        let bytes = &self.state.bytes;
        let is_known = self.state.has_allocation.load(Ordering::Relaxed);
        let most = if is_known { self.most } else { self.most.min(OF_STRANGERS) };
        if bytes.load(Ordering::Relaxed) + size > most {
            return false;
        }
        bytes.fetch_add(size, Ordering::Relaxed);
        self.queue.send(message).is_ok()
    }

    pub fn tell_allocation(&self, has_allocation: bool) {
        self.state.has_allocation.store(has_allocation, Ordering::Relaxed);
    }
}

impl Waiting {
    pub fn standing(&self) -> Standing {
        Standing(Arc::clone(&self.state))
    }

    /// The messages that wait, to be drained; none once the shard has dropped its end.
    pub async fn next(&mut self) -> &mut Vec<Vec<u8>> {
        let count = self.queue.recv_many(&mut self.batch, BATCH).await;
        let bytes: usize = self.batch.iter().map(Vec::len).sum();
        self.state.bytes.fetch_sub(bytes + count * OVERHEAD, Ordering::Relaxed);
        &mut self.batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_beyond_the_bound_is_dropped_until_the_client_reads() {
        let (outbox, mut waiting) = outbox(2 * (100 + OVERHEAD));
        assert!(outbox.put(vec![1; 100]) && outbox.put(vec![2; 100]));
        assert!(!outbox.put(vec![3; 100]));
        assert_eq!(*waiting.next().await, [vec![1; 100], vec![2; 100]]);
        assert!(outbox.put(vec![4; 100]));
    }
}
