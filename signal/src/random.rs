//! The only place that makes randomness.

use crate::error::Error;

/// `N` bytes that nobody can guess.
///
/// # Errors
/// [`Error::Random`] when the machine has none to give.
pub fn bytes<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(Error::Random)?;
    Ok(bytes)
}
