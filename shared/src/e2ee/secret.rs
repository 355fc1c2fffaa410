//! Bytes that nobody else may learn.

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::error::Error;

/// A secret of `N` bytes. It is overwritten when it is dropped, and nothing prints it. Nor can two be compared by `==`, which takes
/// longer the later they differ:
///
/// ```compile_fail,E0369
/// use heliograph_shared::e2ee::secret::Secret;
/// assert!(Secret::new([1; 32]) == Secret::new([1; 32]));
/// ```
#[derive(Clone)]
pub struct Secret<const N: usize>([u8; N]);

impl<const N: usize> Secret<N> {
    /// Takes over the bytes. The caller's own copy is the caller's to overwrite.
    #[must_use]
    pub const fn new(bytes: [u8; N]) -> Self {
        Self(bytes)
    }

    /// Copies the bytes.
    ///
    /// # Errors
    /// [`Error::Malformed`] unless there are `N`.
    pub fn from_slice(bytes: &[u8]) -> Result<Self, Error> {
        bytes.try_into().map(Self).map_err(|_| Error::Malformed)
    }

    /// The bytes.
    #[must_use]
    pub const fn expose(&self) -> &[u8; N] {
        &self.0
    }

    /// A secret that `write` fills in.
    pub(super) fn written_by(write: impl FnOnce(&mut [u8; N])) -> Self {
        let mut secret = Self([0; N]);
        write(&mut secret.0);
        secret
    }
}

impl<const N: usize> Drop for Secret<N> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<const N: usize> ZeroizeOnDrop for Secret<N> {}
