//! Bytes as text: base64url without padding (RFC 4648, section 5).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use heliograph_shared::e2ee::secret::Secret;
use zeroize::Zeroizing;

pub(super) fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// `None` for what is no base64url.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// `None` for what are not `N` bytes.
pub(super) fn decode_array<const N: usize>(text: &str) -> Option<[u8; N]> {
    decode(text)?.try_into().ok()
}

/// `None` for what is no secret.
pub(super) fn decode_secret(text: &str) -> Option<Secret<32>> {
    Secret::from_slice(&Zeroizing::new(decode(text)?)).ok()
}
