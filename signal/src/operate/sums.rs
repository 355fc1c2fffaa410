//! Lists of files by their SHA-256, as the program `sha256sum` writes and checks them.

use std::fmt::Write as _;

/// The line for a file.
#[must_use]
pub fn sum_line(sum: &[u8], name: &str) -> String {
    hex(sum) + "  " + name + "\n"
}

/// The bytes as hexadecimal digits in lower case.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        // Writing to a String never fails.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
