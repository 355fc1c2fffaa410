//! The headers of tus 1.0.0 (H45): their names, and how they are read and written.

use std::time::{Duration, UNIX_EPOCH};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use heliograph_shared::time::Millis;

use crate::error::Error;

pub const RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
pub const OFFSET: HeaderName = HeaderName::from_static("upload-offset");
pub const LENGTH: HeaderName = HeaderName::from_static("upload-length");
pub const METADATA: HeaderName = HeaderName::from_static("upload-metadata");
const EXPIRES: HeaderName = HeaderName::from_static("upload-expires");
pub const CHECKSUM: HeaderName = HeaderName::from_static("upload-checksum");
pub const METHOD: HeaderName = HeaderName::from_static("x-http-method-override");
/// Longest metadata, which are stored: enough for any name.
const METADATA_BYTES: usize = 4096;

/// Adds `Upload-Expires`, in the form of RFC 9110, section 5.6.7, where an upload ends by its time.
pub fn expires(headers: &mut HeaderMap, ends_at: Option<Millis>) -> Result<(), Error> {
    let Some(time) = ends_at else { return Ok(()) };
    let since = Duration::from_millis(u64::try_from(time.get()).unwrap_or_default());
    let date = httpdate::fmt_http_date(UNIX_EPOCH + since);
    headers.insert(EXPIRES, HeaderValue::try_from(date).map_err(|_| Error::Internal)?);
    Ok(())
}

/// A header of decimal digits; `None` when it is absent.
pub fn number(headers: &HeaderMap, name: &HeaderName) -> Result<Option<u64>, Error> {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return if headers.contains_key(name) {
            Err(Error::BadRequest("A header may be sent only once."))
        } else {
            Ok(None)
        };
    };
    let digits = value.as_bytes();
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let number = is_number.then(|| value.to_str().ok()?.parse().ok()).flatten();
    number.map(Some).ok_or(Error::BadRequest("A length or offset must be a number of bytes."))
}

/// What an `Upload-Metadata` header says of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    pub name: String,
    pub media_type: String,
    /// The header as it came, if it came, which its sender may read again.
    pub said: Option<String>,
}

impl Metadata {
    /// Reads the header.
    pub fn read(headers: &HeaderMap) -> Result<Self, Error> {
        let Some(said) = headers.get(METADATA) else { return Ok(Self::default()) };
        let said = said.to_str().ok().filter(|said| said.len() <= METADATA_BYTES);
        said.and_then(Self::parse).ok_or(Error::BadRequest(
            "Upload-Metadata must be keys with values in base64, in at most 4096 bytes.",
        ))
    }

    /// Parses keys with values in base64, separated by commas. Ignores keys that the server does not know. `None` for what
    /// is not such a list, a known key that comes twice, or a value that is not UTF-8.
    fn parse(text: &str) -> Option<Self> {
        let (mut name, mut media_type) = (None, None);
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once(' ').unwrap_or((pair, ""));
            let slot = match key {
                "filename" => &mut name,
                "filetype" => &mut media_type,
                _ => continue,
            };
            let value = String::from_utf8(STANDARD.decode(value).ok()?).ok()?;
            if slot.replace(value).is_some() {
                return None;
            }
        }
        // RFC 2045, section 5.1: nothing else is a media type, and Postgres stores no NUL.
        let media_type =
            media_type.filter(|said: &String| said.bytes().all(|byte| matches!(byte, b' '..=b'~')));
        let (name, media_type) = (name.unwrap_or_default(), media_type.unwrap_or_default());
        Some(Self { name, media_type, said: Some(text.to_owned()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h45_the_metadata_name_the_file_and_its_type() {
        let parsed =
            Metadata::parse("filename cGxhbi5wZGY=,filetype YXBwbGljYXRpb24vcGRm, is_private")
                .unwrap();
        assert_eq!((&*parsed.name, &*parsed.media_type), ("plan.pdf", "application/pdf"));
        for (said, why) in [
            ("", "there are no keys"),
            ("filename", "there is no value"),
            ("other !!!", "an unknown key is not read"),
            ("filetype AA==", "no media type has a NUL"),
        ] {
            let nothing = Metadata { said: Some(said.to_owned()), ..Metadata::default() };
            assert_eq!(Metadata::parse(said), Some(nothing), "{why}");
        }
    }

    #[test]
    fn h45_what_is_no_metadata_is_refused() {
        for wrong in [
            "filename !",
            "filename cGxhbi5wZGY",
            "filename YQ==,filename YQ==",
            "filetype /w==",
            "filename a b",
        ] {
            assert_eq!(Metadata::parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn h45_metadata_are_read_again_as_they_came_and_are_short() {
        let read = |said: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(METADATA, HeaderValue::try_from(said).unwrap());
            Metadata::read(&headers)
        };
        let said = "filename cGxhbi5wZGY=, other";
        assert_eq!(read(said).unwrap().said.as_deref(), Some(said));
        assert!(read(&"x".repeat(METADATA_BYTES)).is_ok());
        assert!(read(&"x".repeat(METADATA_BYTES + 1)).is_err());
        assert_eq!(Metadata::read(&HeaderMap::new()).unwrap(), Metadata::default());
    }

    #[test]
    fn a_number_is_of_digits_and_comes_once() {
        let read = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(OFFSET, HeaderValue::from_static(value));
            }
            number(&headers, &OFFSET)
        };
        assert_eq!(read(&[]).unwrap(), None);
        assert_eq!(read(&["0"]).unwrap(), Some(0));
        assert_eq!(read(&["18446744073709551615"]).unwrap(), Some(u64::MAX));
        for wrong in ["", "-1", "+1", "1.0", " 1", "0x1", "18446744073709551616", "1,1"] {
            assert!(read(&[wrong]).is_err(), "{wrong:?}");
        }
        assert!(read(&["1", "1"]).is_err());
    }
}
