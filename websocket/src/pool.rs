//! A pool of buffers for relayed frames. Without it, each frame would return its memory to the operating system and ask
//! for new memory, and the page faults would cost more than all copying (measured: five sixths of the relay's time).

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::{Bytes, BytesMut};

/// Smallest pooled buffer, in bytes. Smaller ones are cheap to allocate.
const SMALLEST: usize = 8 * 1024;
/// Most bytes in the pool, for all sockets together.
const MOST: usize = 16 * 1024 * 1024;

/// The free buffers, last used first, because that one is still in the processor's cache.
#[derive(Debug, Default)]
pub struct Pool(Mutex<Free>);

#[derive(Debug, Default)]
struct Free {
    buffers: Vec<BytesMut>,
    bytes: usize,
}

impl Pool {
    /// Size of the buffer for that many bytes: at most a quarter more, so that few sizes serve all lengths. A frame of
    /// four chunks is a little longer than a power of two.
    #[must_use]
    pub const fn size(length: usize) -> usize {
        if length < SMALLEST {
            return length;
        }
        length.next_multiple_of(length.next_power_of_two() / 8)
    }

    /// An empty buffer with at least this capacity, in bytes.
    #[must_use]
    pub fn take(&self, length: usize) -> BytesMut {
        if length < SMALLEST {
            return BytesMut::with_capacity(length);
        }
        let size = Self::size(length);
        let mut free = self.lock();
        if let Some(at) = free.buffers.iter().rposition(|buffer| buffer.capacity() == size) {
            free.bytes -= size;
            return free.buffers.remove(at);
        }
        drop(free);
        BytesMut::with_capacity(size)
    }

    /// Returns a buffer to the pool, if nobody else holds it and the pool has room.
    pub fn give(&self, bytes: Bytes) {
        if bytes.len() < SMALLEST {
            return;
        }
        let Ok(mut buffer) = bytes.try_into_mut() else { return };
        buffer.clear();
        let size = buffer.capacity();
        let mut free = self.lock();
        if size == Self::size(size) && free.bytes + size <= MOST {
            free.bytes += size;
            free.buffers.push(buffer);
        }
    }

    /// Frees all buffers in the pool.
    pub fn clear(&self) {
        *self.lock() = Free::default();
    }

    /// A poisoned lock is safe to use: the pool stays consistent.
    fn lock(&self) -> MutexGuard<'_, Free> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(pool: &Pool, length: usize) -> Bytes {
        let mut buffer = pool.take(length);
        buffer.resize(length, 7);
        buffer.freeze()
    }

    #[test]
    fn a_buffer_is_used_again_and_comes_empty() {
        let pool = Pool::default();
        let first = used(&pool, 65_552);
        let at = first.as_ptr();
        pool.give(first);

        let again = pool.take(70_000);

        assert!(again.is_empty());
        assert_eq!(again.as_ptr(), at);
        assert_ne!(pool.take(70_000).as_ptr(), at);
    }

    #[test]
    fn a_buffer_is_at_most_a_quarter_larger_than_what_it_holds() {
        for length in (8 * 1024..300_000).step_by(37) {
            let buffer = Pool::default().take(length);
            assert_eq!(buffer.capacity(), Pool::size(length));
            assert!((length..=length + length / 4).contains(&buffer.capacity()), "{length}");
        }
    }

    #[test]
    fn what_somebody_still_holds_is_left_alone() {
        let pool = Pool::default();
        let held = used(&pool, 20_000);
        pool.give(held.clone());
        pool.give(held.slice(16..));
        assert!(pool.lock().buffers.is_empty());
        assert!(held.iter().all(|byte| *byte == 7));
    }

    #[test]
    fn only_so_much_is_kept() {
        let pool = Pool::default();
        let buffers: Vec<_> = (0..100).map(|_| used(&pool, 512 * 1024)).collect();
        for buffer in buffers {
            pool.give(buffer);
        }
        assert_eq!(pool.lock().bytes, MOST);
        pool.clear();
        assert_eq!(pool.lock().buffers.len(), 0);
    }
}
