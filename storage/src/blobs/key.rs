//! The ids and keys of blobs.

use std::fmt;

use heliograph_shared::ids::Malformed;
use object_store::path::Path;

/// A blob's id: 128 random bits, as 32 hexadecimal digits. Whoever knows it may read the upload or picture (A9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobId(u128);

impl BlobId {
    /// An id from 16 random bytes.
    #[must_use]
    pub const fn from_random(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }

    /// Parses 32 lower-case hexadecimal digits.
    ///
    /// # Errors
    /// [`Malformed`] for anything else.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() != 32 || !text.bytes().all(is_digit) {
            return Err(Malformed);
        }
        u128::from_str_radix(text, 16).map(Self).map_err(|_| Malformed)
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// The key of a blob. Only this type knows the paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlobKey {
    /// An uploaded file.
    Upload(BlobId),
    /// A profile picture.
    Picture(BlobId),
}

impl BlobKey {
    /// The prefix of upload keys.
    pub(crate) const UPLOADS: &str = "uploads/";
    const PICTURES: &str = "pictures/";

    /// Parses the output of `to_string`.
    ///
    /// # Errors
    /// [`Malformed`] for anything else.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        if let Some(id) = text.strip_prefix(Self::UPLOADS) {
            BlobId::parse(id).map(Self::Upload)
        } else if let Some(id) = text.strip_prefix(Self::PICTURES) {
            BlobId::parse(id).map(Self::Picture)
        } else {
            Err(Malformed)
        }
    }

    pub(super) fn path(self) -> Path {
        Path::from(self.to_string())
    }
}

impl fmt::Display for BlobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Upload(id) => write!(f, "{}{id}", Self::UPLOADS),
            Self::Picture(id) => write!(f, "{}{id}", Self::PICTURES),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_was_written_and_nothing_else_is_one() {
        let id = BlobId::from_random([0xab; 16]);
        for key in [BlobKey::Upload(id), BlobKey::Picture(id)] {
            assert_eq!(BlobKey::parse(&key.to_string()), Ok(key));
        }
        let (small, large) = ("ab".repeat(16), "AB".repeat(16));
        assert_eq!(BlobId::parse(&small), Ok(id));
        for wrong in ["", &large, &small[1..], &format!("+{}", &small[1..]), "../../etc/passwd"] {
            assert_eq!(BlobId::parse(wrong), Err(Malformed), "{wrong}");
        }
        assert_eq!(BlobKey::parse(&format!("else/{small}")), Err(Malformed));
    }
}
