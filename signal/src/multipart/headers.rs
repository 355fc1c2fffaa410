//! The headers of a part: its field name, and a file's name and media type (RFC 7578, section 4.2).

/// Most header lines in a part; browsers send two.
const LINES: usize = 16;

/// The headers of a part.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// The field's name.
    pub name: Option<String>,
    /// The file's name as the sender wrote it.
    pub file_name: Option<String>,
    /// The media type.
    pub content_type: Option<String>,
}

/// Parses the lines up to the empty one; `None` when they are malformed.
pub(super) fn parse(lines: &[u8]) -> Option<Headers> {
    let mut parsed = [httparse::EMPTY_HEADER; LINES];
    let httparse::Status::Complete((_, parsed)) =
        httparse::parse_headers(lines, &mut parsed).ok()?
    else {
        return None;
    };
    let mut headers = Headers::default();
    for header in parsed {
        let value = std::str::from_utf8(header.value).ok()?;
        if header.name.eq_ignore_ascii_case("content-type") {
            headers.content_type = Some(value.to_owned());
        } else if header.name.eq_ignore_ascii_case("content-disposition") {
            headers.name = parameter(value, "name");
            headers.file_name = parameter(value, "filename");
        }
    }
    Some(headers)
}

/// The value of a parameter, quoted or not (RFC 2045, section 5.1).
fn parameter(disposition: &str, wanted: &str) -> Option<String> {
    let (_, mut rest) = disposition.split_once(';')?;
    loop {
        let (name, value) = rest.split_once('=')?;
        let (value, behind) = if let Some(quoted) = value.trim_start().strip_prefix('"') {
            unquote(quoted)?
        } else {
            let (value, behind) = value.split_once(';').unwrap_or((value, ""));
            (value.trim().to_owned(), behind)
        };
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = behind.trim_start().strip_prefix(';').unwrap_or(behind);
    }
}

/// Splits at the closing quote. A backslash escapes only a quote or a backslash, because old browsers sent Windows
/// paths unescaped.
fn unquote(text: &str) -> Option<(String, &str)> {
    let (mut value, mut characters) = (String::new(), text.char_indices().peekable());
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match characters.next_if(|(_, next)| matches!(next, '"' | '\\')) {
                Some((_, escaped)) => value.push(escaped),
                None => value.push('\\'),
            },
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disposition(value: &str) -> Option<(Option<String>, Option<String>)> {
        let headers = parse(format!("Content-Disposition: {value}\r\n\r\n").as_bytes())?;
        Some((headers.name, headers.file_name))
    }

    #[test]
    fn names_are_read_as_browsers_write_them() {
        let named = |name: &str, file: &str| Some((Some(name.to_owned()), Some(file.to_owned())));
        for (value, expected) in [
            ("form-data; name=\"a\"; filename=\"b.png\"", named("a", "b.png")),
            ("form-data; filename=b.png; name=a", named("a", "b.png")),
            ("form-data;name=\"a\";filename=\"x; name=y\"", named("a", "x; name=y")),
            ("form-data; NAME=\"a\"; filename=\"\\\"ü\\\\.png\"", named("a", "\"ü\\.png")),
            ("form-data; name=\"a\"; filename=\"C:\\x.png\"", named("a", "C:\\x.png")),
            ("form-data; name=\"a\"", Some((Some("a".to_owned()), None))),
            ("form-data; name=\"a", Some((None, None))),
            ("form-data", Some((None, None))),
        ] {
            assert_eq!(disposition(value), expected, "{value}");
        }
    }

    #[test]
    fn what_are_no_headers_is_refused() {
        for lines in
            ["a\r\n\r\n", "a b: c\r\n\r\n", "a: b", "a: \0\r\n\r\n", &"a: b\r\n".repeat(99)]
        {
            assert_eq!(parse(lines.as_bytes()), None, "{lines:?}");
        }
        assert_eq!(parse(b"\r\n"), Some(Headers::default()));
        assert_eq!(parse(b"content-type: \xff\r\n\r\n"), None);
    }
}
