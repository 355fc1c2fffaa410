//! The opening handshake (RFC 6455, section 4.2).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tungstenite::handshake::server::create_response_with_body;
use tungstenite::http::{HeaderMap, Request, Response, header};

/// The header with the client's nonce.
const KEY: &str = "sec-websocket-key";
/// Length of the nonce in bytes (section 4.1).
const NONCE_BYTES: usize = 16;

/// The request does not open a websocket of version 13.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAHandshake;

/// The response that accepts a request to open a websocket.
///
/// # Errors
/// [`NotAHandshake`] when a header of section 4.2.1 is missing, wrong or ambiguous, or a body follows.
pub fn accept<T, B: Default>(request: &Request<T>) -> Result<Response<B>, NotAHandshake> {
    let headers = request.headers();
    let has_one_version = headers.get_all(header::SEC_WEBSOCKET_VERSION).iter().count() == 1;
    if !has_one_version || !has_nonce(headers) || has_body(headers) {
        return Err(NotAHandshake);
    }
    create_response_with_body(request, B::default).map_err(|_| NotAHandshake)
}

/// Whether a body follows. Its bytes would be read as frames.
fn has_body(headers: &HeaderMap) -> bool {
    let mut lengths = headers.get_all(header::CONTENT_LENGTH).iter();
    headers.contains_key(header::TRANSFER_ENCODING) || lengths.any(|length| length != "0")
}

/// Whether there is exactly one key, of 16 bytes in base64.
fn has_nonce(headers: &HeaderMap) -> bool {
    let mut keys = headers.get_all(KEY).iter();
    let (Some(key), None) = (keys.next(), keys.next()) else { return false };
    STANDARD.decode(key).is_ok_and(|nonce| nonce.len() == NONCE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The request of section 1.3 with these headers in place of its own; an empty value leaves the header out.
    fn request(headers: &[(&str, &str)]) -> Request<()> {
        let all = [
            ("connection", "keep-alive, Upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            (KEY, "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        let is_given = |name: &str| headers.iter().any(|(given, _)| *given == name);
        let rest = all.iter().filter(|(name, _)| !is_given(name));
        let present = rest.chain(headers).filter(|(_, value)| !value.is_empty());
        let request = present
            .fold(Request::get("/chat"), |request, (name, value)| request.header(*name, *value));
        request.body(()).unwrap()
    }

    fn accepts(headers: &[(&str, &str)]) -> bool {
        accept::<_, ()>(&request(headers)).is_ok()
    }

    #[test]
    fn the_example_of_the_rfc_is_answered_as_there() {
        let response = accept::<_, ()>(&request(&[])).unwrap();
        assert_eq!(response.status(), 101);
        assert_eq!(response.headers()["sec-websocket-accept"], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn a_key_is_sixteen_bytes_of_base64() {
        for key in [
            "",
            "x",
            "dGhlIHNhbXBsZSBub25jZQ",
            "dGhlIHNhbXBsZSBub25jZ===",
            "dGhlIHNhbXBsZSBub25jZR==",
            "c2hvcnQ=",
            "dGhlIHNhbXBsZSBub25jZSE=",
            "dGhlIHNhbXBsZSBub25j!Q==",
        ] {
            assert!(!accepts(&[(KEY, key)]), "{key}");
        }
        let twice = "dGhlIHNhbXBsZSBub25jZQ==";
        assert!(!accepts(&[(KEY, twice), (KEY, twice)]), "two keys");
    }

    #[test]
    fn every_header_of_the_handshake_is_needed() {
        for (name, value) in [
            ("connection", ""),
            ("connection", "keep-alive"),
            ("upgrade", ""),
            ("upgrade", "h2c"),
            ("sec-websocket-version", ""),
            ("sec-websocket-version", "8"),
            ("content-length", "5"),
            ("content-length", "nonsense"),
            ("transfer-encoding", "chunked"),
        ] {
            assert!(!accepts(&[(name, value)]), "{name}: {value}");
        }
        assert!(accepts(&[("content-length", "0")]));
        let version = |version| ("sec-websocket-version", version);
        assert!(!accepts(&[version("13"), version("8")]), "two versions");
    }
}
