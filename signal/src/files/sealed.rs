//! Recognizes what devices seal (E7), as far as that can be seen without a key.

/// The name that every sealed file is stored under: it tells nothing, and has no extension that a system would open it by.
pub const NAME: &str = "sealed";
/// The media type that a device declares, and that it is stored with.
pub const MEDIA_TYPE: &str = "application/octet-stream";
/// Bytes of the shortest sealed file: the header, and the tag of an empty chunk.
const LEAST: usize = 56 + 16;
/// Equal pairs that a head may have beyond twice the expected ones, each counted in both orders. Of [`LEAST`] bytes, 20 are
/// expected: a sealed file has more than 86 less often than once in 10^9.
const SPARE: usize = 48;

/// Whether a file may be sealed, by its declared type and its first bytes ([`super::media::HEAD`] of them, if there are so
/// many). All byte values are equally common in what is sealed, so two of its bytes are equal once in 256 times; in texts,
/// pages, programs and documents they are far more often. Measure: the index of coincidence (W. Friedman, 1922).
#[must_use]
pub fn may_be_sealed(declared: &str, head: &[u8]) -> bool {
    let mut counts = [0_usize; 256];
    for byte in head {
        counts[usize::from(*byte)] += 1;
    }
    let equal: usize = counts.iter().map(|count| count * count.saturating_sub(1)).sum();
    let expected = head.len() * head.len().saturating_sub(1) / counts.len();
    declared == MEDIA_TYPE && head.len() >= LEAST && equal <= 2 * expected + SPARE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::media::HEAD;
    use crate::random;

    #[test]
    fn random_bytes_may_be_sealed_however_few_they_are() {
        for size in (LEAST..HEAD).step_by(17).chain([HEAD]) {
            for _ in 0..20 {
                let bytes: [u8; HEAD] = random::bytes().unwrap();
                assert!(may_be_sealed(MEDIA_TYPE, &bytes[..size]), "{size}");
            }
        }
    }

    #[test]
    fn what_is_shorter_or_called_otherwise_is_not_sealed() {
        let bytes: [u8; HEAD] = random::bytes().unwrap();
        assert!(!may_be_sealed(MEDIA_TYPE, &bytes[..LEAST - 1]));
        for declared in ["", "image/png", "application/octet-stream; a=b", "text/html"] {
            assert!(!may_be_sealed(declared, &bytes), "{declared}");
        }
    }

    #[test]
    fn texts_pages_programs_and_zeros_are_not_sealed() {
        let text = "It is a truth universally acknowledged, that a single man in possession of a good fortune, must";
        let base64 = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3ODkrLw";
        let page = "<!doctype html><html><head><title>A page</title></head><body><script>alert(1)</script></body>";
        // As in a program, every fourth byte means something.
        let program: Vec<u8> = (0..=255_u8).flat_map(|code| [code, 0, 0, 0]).collect();
        for bytes in [
            text.as_bytes(),
            &text.repeat(11).into_bytes(),
            &base64.repeat(12).into_bytes(),
            page.as_bytes(),
            &page.repeat(11).into_bytes(),
            &program,
            &[0; LEAST],
            &[0; HEAD],
        ] {
            assert!(!may_be_sealed(MEDIA_TYPE, &bytes[..bytes.len().min(HEAD)]), "{bytes:?}");
        }
    }
}
