//! File names from strangers, cleaned before anybody sees them or saves a file under them.

use heliograph_shared::names::{is_deceptive, is_visible};

/// Longest name in bytes; the limit of common file systems.
const MOST_BYTES: usize = 255;
/// Name of a file without one.
const NAMELESS: &str = "file";

/// The last part of a path, without invisible characters and those that change the direction of text. A long name is
/// cut to 255 bytes and keeps its extension.
#[must_use]
pub fn clean(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let visible: String = last.chars().filter(|c| !is_deceptive(*c)).collect();
    let trimmed = visible.trim_matches(|c: char| c.is_whitespace() || c == '.');
    match trimmed {
        blank if !blank.contains(is_visible) => NAMELESS.to_owned(),
        short if short.len() <= MOST_BYTES => short.to_owned(),
        long => shorten(long),
    }
}

fn shorten(name: &str) -> String {
    let extension = name.rfind('.').map(|at| &name[at..]).filter(|extension| extension.len() <= 16);
    let extension = extension.unwrap_or_default();
    let stem = &name[..name.floor_char_boundary(MOST_BYTES - extension.len())];
    format!("{stem}{extension}")
}

/// A `Content-Disposition` that makes the browser save the file under this name (RFC 6266, with the encoded form of
/// RFC 8187, which every browser prefers).
#[must_use]
pub fn attachment(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_graphic() && !"\"\\%;".contains(c) { c } else { '_' };
    let plain: String = name.chars().map(plain).collect();
    let encode = |byte: u8| match byte {
        b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    let encoded: String = name.bytes().map(encode).collect();
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_path_the_name_is_left() {
        assert_eq!(clean("../../etc/passwd"), "passwd");
        assert_eq!(clean(r"C:\Users\ada\photo.png"), "photo.png");
        assert_eq!(clean("a/../..\\..\\b.png"), "b.png");
        assert_eq!(clean("Ünïcode 写真.png"), "Ünïcode 写真.png");
        for nothing in ["", "..", ".", "/", "a/", "...", " . ", "\0", "\u{202e}", "\u{200d}"] {
            assert_eq!(clean(nothing), "file", "{nothing:?}");
        }
    }

    #[test]
    fn what_cannot_be_seen_is_gone() {
        assert_eq!(clean("a\0b\r\nc\x1b[31m.png"), "abc[31m.png");
        assert_eq!(clean("photo\u{202e}gnp.exe"), "photognp.exe");
        assert_eq!(clean("\u{feff}\u{2066}a\u{2069}.png "), "a.png");
    }

    #[test]
    fn a_long_name_keeps_its_end() {
        let name = clean(&format!("{}.png", "ä".repeat(4096)));
        assert!(name.len() <= 255 && name.len() > 250 && name.ends_with("ä.png"), "{name}");
        assert_eq!(clean(&"a".repeat(4096)).len(), 255);
        assert_eq!(clean(&format!("a.{}", "b".repeat(4096))).len(), 255);
    }

    #[test]
    fn the_header_says_the_name_and_nothing_more() {
        assert_eq!(
            attachment("a \"b\"; c=ä.png"),
            "attachment; filename=\"a__b___c=_.png\"; filename*=UTF-8''a%20%22b%22%3B%20c%3D%C3%A4.png"
        );
    }
}
