//! The randomness of the system.

use crate::random::Random;

/// Random bytes of the system's generator.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&mut self, bytes: &mut [u8]) {
        // A system that has none yet, as early in its start, has them later. Keys of anything else would be worse than none.
        while getrandom::fill(bytes).is_err() {
            std::thread::yield_now();
        }
    }
}

impl SystemRandom {
    /// So many random bytes.
    #[must_use]
    pub fn bytes<const N: usize>() -> [u8; N] {
        let mut bytes = [0; N];
        Self.fill(&mut bytes);
        bytes
    }
}
