//! Hides the length of what is sealed: four bytes of length, the content, and zeros. Padmé (Nikitin et al., "Reducing Metadata
//! Leakage from Encrypted Files and Communication with PURBs", `PoPETs` 2019, section 4.3) rounds so that a length tells
//! O(log log) bits of itself, and what is added is at most 12 percent.

use super::error::Error;

/// Links, short texts and everything else that is small have one length, in bytes.
const LEAST_BYTES: u64 = 256;
const LENGTH_BYTES: usize = 4;

/// Pads a content.
///
/// # Errors
/// [`Error::TooLong`] from 4 GiB on.
pub(super) fn pad(content: &[u8]) -> Result<Vec<u8>, Error> {
    let length = u32::try_from(content.len()).map_err(|_| Error::TooLong)?;
    let whole = usize::try_from(whole_length(length)).map_err(|_| Error::TooLong)?;
    let mut padded = Vec::with_capacity(whole);
    padded.extend(length.to_be_bytes());
    padded.extend(content);
    padded.resize(whole, 0);
    Ok(padded)
}

/// Returns the content.
///
/// # Errors
/// [`Error::Malformed`] for what was not padded as [`pad`] does.
pub(super) fn unpad(padded: &[u8]) -> Result<&[u8], Error> {
    let (length, rest) = padded.split_first_chunk::<LENGTH_BYTES>().ok_or(Error::Malformed)?;
    let length = u32::from_be_bytes(*length);
    if padded.len() as u64 != whole_length(length) {
        return Err(Error::Malformed);
    }
    let content = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
    let (content, zeros) = content.ok_or(Error::Malformed)?;
    if zeros.iter().any(|byte| *byte != 0) {
        return Err(Error::Malformed);
    }
    Ok(content)
}

/// Bytes of a padded content of this length.
fn whole_length(content: u32) -> u64 {
    padme(u64::from(content) + LENGTH_BYTES as u64).max(LEAST_BYTES)
}

/// Padmé: of the bits of a length only the first stay, as many as the number of its bits has itself.
fn padme(length: u64) -> u64 {
    let Some(exponent) = length.checked_ilog2().filter(|exponent| *exponent > 0) else {
        return length;
    };
    let kept = exponent.ilog2() + 1;
    length.next_multiple_of(1 << exponent.saturating_sub(kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e2_lengths_are_rounded_as_padme_says() {
        for (length, padded) in
            [(0, 0), (1, 1), (2, 2), (9, 10), (257, 272), (1_000, 1_024), (20_000, 20_480)]
        {
            assert_eq!(padme(length), padded, "{length}");
        }
        assert!((1..100_000).all(|length| (padme(length) - length) * 100 < length * 12));
    }

    #[test]
    fn e2_what_was_padded_otherwise_is_refused() {
        let padded = pad(b"hello").unwrap();
        assert_eq!((padded.len(), unpad(&padded)), (256, Ok(&b"hello"[..])));
        let mut longer = padded.clone();
        longer.push(0);
        let mut filled = padded.clone();
        filled[255] = 1;
        let mut beyond = padded;
        beyond[..4].copy_from_slice(&u32::MAX.to_be_bytes());
        for wrong in [&longer[..], &filled, &beyond, &[], &[0; 3], &[0; 255]] {
            assert_eq!(unpad(wrong), Err(Error::Malformed));
        }
    }
}
