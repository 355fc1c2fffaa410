//! Checksums of pieces of an upload (H46).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};

/// The algorithms, as the server names them.
pub const ALGORITHMS: &str = "sha1,sha256";

/// A piece's checksum as its sender computed it, and the one of the bytes that came.
#[derive(Clone, Debug)]
pub struct Checksum {
    expected: Vec<u8>,
    hasher: Hasher,
}

#[derive(Clone, Debug)]
enum Hasher {
    Sha1(Sha1),
    Sha256(Sha256),
}

impl Checksum {
    /// Parses `algorithm base64`; `None` for an algorithm that the server does not have, or a checksum that is not one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (algorithm, expected) = text.split_once(' ')?;
        let (hasher, length) = match algorithm {
            "sha1" => (Hasher::Sha1(Sha1::new()), 20),
            "sha256" => (Hasher::Sha256(Sha256::new()), 32),
            _ => return None,
        };
        let expected = STANDARD.decode(expected).ok().filter(|bytes| bytes.len() == length)?;
        Some(Self { expected, hasher })
    }

    /// Adds bytes that came.
    pub fn add(&mut self, bytes: &[u8]) {
        match &mut self.hasher {
            Hasher::Sha1(hasher) => hasher.update(bytes),
            Hasher::Sha256(hasher) => hasher.update(bytes),
        }
    }

    /// Whether the bytes that came are those of the sender.
    #[must_use]
    pub fn is_right(self) -> bool {
        match self.hasher {
            Hasher::Sha1(hasher) => hasher.finalize()[..] == self.expected,
            Hasher::Sha256(hasher) => hasher.finalize()[..] == self.expected,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_checked_by_either_algorithm() {
        // printf abc | openssl dgst -sha1 -binary | base64, and the same with -sha256
        for text in [
            "sha1 qZk+NkcGgWq6PiVxeFDCbJzQ2J0=",
            "sha256 ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
        ] {
            let checksum = Checksum::parse(text).unwrap();
            let of = |pieces: [&[u8]; 2]| {
                let mut checksum = checksum.clone();
                for bytes in pieces {
                    checksum.add(bytes);
                }
                checksum.is_right()
            };
            assert!(of([b"a", b"bc"]), "{text}");
            assert!(!of([b"a", b"bd"]), "{text}");
        }
    }

    #[test]
    fn what_is_no_checksum_is_refused() {
        for wrong in [
            "",
            " ",
            "sha1",
            "sha1 ",
            "sha1 abc",
            "sha1 \u{e9}",
            "sha1  qZk+NkcGgWq6PiVxeFDCbJzQ2J0=",
            "SHA1 qZk+NkcGgWq6PiVxeFDCbJzQ2J0=",
            "md5 kAFQmDzST7DWlj99KOF/cg==",
            "sha256 qZk+NkcGgWq6PiVxeFDCbJzQ2J0=",
        ] {
            assert!(Checksum::parse(wrong).is_none(), "{wrong:?}");
        }
    }
}
