//! The memory of messages that are being received, as the one who reads them counts it.

/// Counts the bytes that incomplete messages hold.
pub trait Memory {
    /// Raises the count to this many bytes. `false` when there is no room for them; the socket is then closed.
    fn hold(&mut self, bytes: usize) -> bool;

    /// Sets the count to zero: the message was handed on.
    fn free(&mut self);
}

/// Memory without a bound.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unbounded;

impl Memory for Unbounded {
    fn hold(&mut self, _bytes: usize) -> bool {
        true
    }

    fn free(&mut self) {}
}
