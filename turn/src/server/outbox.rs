//! What waits for one client on a stream. It is bounded in bytes: UDP would have dropped the rest, so this does too.
//! All clients share one pool, and each may take at most a quarter of what is free in it, as the ports of a switch do
//! (Choudhury and Hahne, "Dynamic Queue Length Thresholds", 1998): one slow client gets much, and many less. A little each
//! may always have, or clients that read nothing could take everything.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

/// Messages that are written to the stream together.
const BATCH: usize = 64;
/// Bytes that may wait for a client without an allocation: a few answers.
const OF_STRANGERS: usize = 8 * 1024;
/// What a message takes besides its bytes.
const OVERHEAD: usize = 64;

/// What a client may take of the free part of the pool: one part of so many.
const PART: isize = 4;
/// Bytes that each client may have, also when the pool is spent.
const ALWAYS: usize = 16 * 1024;

/// The bytes that may wait for all clients on streams together.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Below zero when the pool is spent and clients have what they may always have.
    free: Arc<AtomicIsize>,
    /// The most for one client.
    each: usize,
}

impl Pool {
    /// A pool of `in_all` bytes, of which one client gets at most `each`.
    pub fn new(in_all: usize, each: usize) -> Self {
        Self { free: Arc::new(AtomicIsize::new(signed(in_all))), each }
    }

    /// Takes bytes for a client that has `held` so far and may have `most`.
    fn take(&self, size: usize, held: usize, most: usize) -> bool {
        let share = (self.free.load(Ordering::Relaxed) / PART).max(signed(ALWAYS));
        let fits = held + size <= most && signed(held + size) <= share;
        if fits {
            self.free.fetch_sub(signed(size), Ordering::Relaxed);
        }
        fits
    }

    fn give_back(&self, bytes: usize) {
        self.free.fetch_add(signed(bytes), Ordering::Relaxed);
    }
}

fn signed(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

/// The shard's end. The stream is closed when this is dropped.
#[derive(Debug)]
pub struct Outbox {
    queue: UnboundedSender<Vec<u8>>,
    state: Arc<State>,
}

/// The stream's end.
#[derive(Debug)]
pub struct Waiting {
    queue: UnboundedReceiver<Vec<u8>>,
    batch: Vec<Vec<u8>>,
    /// What the batch has taken of the pool.
    taken: usize,
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    pool: Pool,
    bytes: AtomicUsize,
    has_allocation: AtomicBool,
}

impl Drop for State {
    fn drop(&mut self) {
        self.pool.give_back(*self.bytes.get_mut());
    }
}

/// Whether the client of a stream has an allocation, and may be silent.
#[derive(Clone, Debug)]
pub struct Standing(Arc<State>);

impl Standing {
    pub fn has_allocation(&self) -> bool {
        self.0.has_allocation.load(Ordering::Relaxed)
    }
}

/// An outbox that takes what it holds from a pool.
pub fn outbox(pool: Pool) -> (Outbox, Waiting) {
    let (sender, queue) = mpsc::unbounded_channel();
    let state = Arc::new(State {
        pool,
        bytes: AtomicUsize::new(0),
        has_allocation: AtomicBool::new(false),
    });
    let waiting = Waiting { queue, batch: Vec::new(), taken: 0, state: Arc::clone(&state) };
    (Outbox { queue: sender, state }, waiting)
}

impl Outbox {
    /// Puts a message in, unless too much waits already.
    pub fn put(&self, message: Vec<u8>) -> bool {
        let size = message.len() + OVERHEAD;
        let State { pool, bytes, has_allocation } = &*self.state;
        let is_known = has_allocation.load(Ordering::Relaxed);
        let most = if is_known { pool.each } else { pool.each.min(OF_STRANGERS) };
        if !pool.take(size, bytes.load(Ordering::Relaxed), most) {
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

    /// The messages that wait, to be drained; none once the shard has dropped its end. They count as waiting until the
    /// next call, since a client that does not read leaves them here.
    pub async fn next(&mut self) -> &mut Vec<Vec<u8>> {
        let written = std::mem::take(&mut self.taken);
        self.state.bytes.fetch_sub(written, Ordering::Relaxed);
        self.state.pool.give_back(written);
        let count = self.queue.recv_many(&mut self.batch, BATCH).await;
        self.taken = self.batch.iter().map(Vec::len).sum::<usize>() + count * OVERHEAD;
        &mut self.batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EACH: usize = 2 * (100 + OVERHEAD);

    fn put(outbox: &Outbox, fill: u8) -> bool {
        outbox.put(vec![fill; 100])
    }

    #[tokio::test]
    async fn what_is_beyond_the_bound_is_dropped_until_the_client_reads() {
        let (outbox, mut waiting) = outbox(Pool::new(100 * EACH, EACH));
        assert!(put(&outbox, 1) && put(&outbox, 2));
        assert!(!put(&outbox, 3));
        assert_eq!(*waiting.next().await, [vec![1; 100], vec![2; 100]]);
        assert!(!put(&outbox, 3), "what is being written still waits");
        drop(outbox);
        assert_eq!(waiting.next().await.drain(..).count(), 2);
    }

    #[tokio::test]
    async fn what_was_written_makes_room() {
        let pool = Pool::new(100 * EACH, EACH);
        let (outbox, mut waiting) = outbox(pool.clone());
        assert!(put(&outbox, 1) && put(&outbox, 2));
        waiting.next().await.clear();
        let next = tokio::time::timeout(std::time::Duration::ZERO, waiting.next());
        assert!(next.await.is_err(), "nothing more waits");
        assert!(put(&outbox, 3));
        drop((outbox, waiting));
        assert_eq!(pool.free.load(Ordering::Relaxed), signed(100 * EACH));
    }

    #[tokio::test]
    async fn a_hundred_clients_that_do_not_read_leave_room_for_others_and_give_it_back() {
        let whole = 64 * 1024 * 1024;
        let pool = Pool::new(whole, 1024 * 1024);
        let slow: Vec<_> = (0..100).map(|_| outbox(pool.clone())).collect();
        for (outbox, _) in &slow {
            outbox.tell_allocation(true);
            while put(outbox, 0) {}
        }
        let (another, _waiting) = outbox(pool.clone());
        another.tell_allocation(true);
        assert!((0..90).all(|_| put(&another, 1)), "it gets what each may always have");
        assert!(pool.free.load(Ordering::Relaxed) > -signed(101 * ALWAYS));
        drop((slow, another));
        assert!(pool.free.load(Ordering::Relaxed) > signed(whole - ALWAYS));
    }
}
