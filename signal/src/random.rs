//! The only source of randomness.

use crate::error::Error;

/// Returns `N` bytes from the operating system's generator.
///
/// # Errors
/// [`Error::Random`] when the operating system gives none.
pub fn bytes<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(Error::Random)?;
    Ok(bytes)
}
