//! Range requests (RFC 9110, section 14). A request for several ranges gets the whole file, as the RFC allows.

use std::ops::Range;

use axum::http::{HeaderMap, header};

/// The bytes to answer with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The whole file (200).
    Whole,
    /// These bytes (206).
    Part(Range<u64>),
    /// No byte of the file is in the range (416).
    Nothing,
}

/// The bytes that a request asks for, in a file with this size and entity tag. Ignores a range of another version of
/// the file (If-Range).
#[must_use]
pub fn asked(headers: &HeaderMap, size: u64, tag: &str) -> Asked {
    let range = headers.get(header::RANGE).and_then(|value| value.to_str().ok());
    let is_current = headers.get(header::IF_RANGE).is_none_or(|value| value == tag);
    match range.and_then(parse) {
        Some(range) if is_current => within(range, size),
        _ => Asked::Whole,
    }
}

/// Whether the client's copy is this version of the file (If-None-Match).
#[must_use]
pub fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let values = headers.get_all(header::IF_NONE_MATCH).into_iter();
    let mut tags =
        values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    tags.any(|own| matches!(own.trim(), "*") || own.trim().trim_start_matches("W/") == tag)
}

/// A range as written, before the size is known.
#[derive(Clone, Copy)]
enum Written {
    From { first: u64, last: u64 },
    Last(u64),
}

fn parse(text: &str) -> Option<Written> {
    let (first, last) = text.strip_prefix("bytes=")?.trim().split_once('-')?;
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // A number with too many digits is far beyond the end of any file.
        is_number.then(|| text.parse().unwrap_or(u64::MAX))
    };
    match (first, last) {
        ("", last) => number(last).map(Written::Last),
        (first, "") => Some(Written::From { first: number(first)?, last: u64::MAX }),
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some(Written::From { first, last })
        }
    }
}

fn within(range: Written, size: u64) -> Asked {
    let range = match range {
        Written::From { first, last } => first..last.saturating_add(1).min(size),
        Written::Last(count) => size.saturating_sub(count)..size,
    };
    if range.is_empty() { Asked::Nothing } else { Asked::Part(range) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(range: &str, size: u64) -> Asked {
        let mut headers = HeaderMap::new();
        headers.insert(header::RANGE, range.parse().unwrap());
        asked(&headers, size, "\"tag\"")
    }

    #[test]
    fn one_range_is_answered_with_its_bytes() {
        assert_eq!(of("bytes=0-0", 10), Asked::Part(0..1));
        assert_eq!(of("bytes=2-5", 10), Asked::Part(2..6));
        assert_eq!(of("bytes=2-", 10), Asked::Part(2..10));
        assert_eq!(of("bytes=2-999999999999999999999999", 10), Asked::Part(2..10));
        assert_eq!(of("bytes=-3", 10), Asked::Part(7..10));
        assert_eq!(of("bytes=-30", 10), Asked::Part(0..10));
    }

    #[test]
    fn a_range_behind_the_end_has_nothing() {
        for range in ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999-"] {
            assert_eq!(of(range, 10), Asked::Nothing, "{range}");
        }
        assert_eq!(of("bytes=0-", 0), Asked::Nothing);
    }

    #[test]
    fn what_is_no_single_range_counts_for_nothing() {
        for range in [
            "bytes=5-2",
            "bytes=0-1,3-4",
            "bytes=",
            "bytes=-",
            "bytes=a-b",
            "bytes=+1-2",
            "items=0-1",
            "0-1",
        ] {
            assert_eq!(of(range, 10), Asked::Whole, "{range}");
        }
        assert_eq!(asked(&HeaderMap::new(), 10, "\"tag\""), Asked::Whole);
    }

    #[test]
    fn a_range_of_another_state_counts_for_nothing() {
        let with = |tag: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RANGE, "bytes=0-0".parse().unwrap());
            headers.insert(header::IF_RANGE, tag.parse().unwrap());
            asked(&headers, 10, "\"tag\"")
        };
        assert_eq!(with("\"tag\""), Asked::Part(0..1));
        for other in ["\"other\"", "W/\"tag\"", "Sat, 21 Nov 2026 08:00:00 GMT"] {
            assert_eq!(with(other), Asked::Whole, "{other}");
        }
    }

    #[test]
    fn a_tag_is_known_alone_among_others_and_by_a_star() {
        let with = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_NONE_MATCH, value.parse().unwrap());
            is_known(&headers, "\"tag\"")
        };
        assert!(with("\"tag\"") && with("\"a\", W/\"tag\"") && with("*"));
        assert!(!with("\"other\"") && !with("tag"));
        assert!(!is_known(&HeaderMap::new(), "\"tag\""));
    }
}
