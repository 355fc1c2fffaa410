//! Random bytes, which come from outside like the time.

use heliograph_shared::e2ee::secret::Secret;

/// Gives random bytes that nobody can guess, and never the same twice: of these are keys and nonces.
pub trait Random: Send {
    /// Fills a slice.
    fn fill(&mut self, bytes: &mut [u8]);
}

impl<F: FnMut(&mut [u8]) + Send> Random for F {
    fn fill(&mut self, bytes: &mut [u8]) {
        self(bytes);
    }
}

/// So many random bytes.
pub(crate) fn bytes<const N: usize>(random: &mut dyn Random) -> [u8; N] {
    let mut bytes = [0; N];
    random.fill(&mut bytes);
    bytes
}

/// A random secret.
pub(crate) fn secret(random: &mut dyn Random) -> Secret<32> {
    Secret::new(bytes(random))
}
