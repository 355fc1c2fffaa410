//! Seals the bytes of a file in chunks, each of which opens by itself, so that a file can be read from anywhere and resumed (E7):
//! C2SP chunked-encryption (c2sp.org/chunked-encryption@v1) with HKDF-SHA-256 and AES-256-GCM. A header of salt and commitment
//! comes first: without the commitment, a file could be made that opens under two keys. The nonce of a chunk is its place, and
//! the last chunk is a short one, so that no chunk can be moved, left out at the end, or taken from another file.

use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{Aead as _, KeyInit as _};
use subtle::ConstantTimeEq as _;

use super::error::Error;
use super::hkdf::expand;
use super::secret::Secret;
use crate::limits::CHUNK_BYTES;

/// Random bytes at the beginning of a sealed file.
pub const SALT_BYTES: usize = 24;
/// Bytes before the first chunk.
pub const HEADER_BYTES: usize = SALT_BYTES + COMMITMENT_BYTES;
/// Bytes of a sealed chunk that is not the last.
pub const SEALED_CHUNK_BYTES: usize = CHUNK_BYTES + TAG_BYTES;

const COMMITMENT_BYTES: usize = 32;
const TAG_BYTES: usize = 16;
const NONCE_BYTES: usize = 12;
const KEY_BYTES: usize = 32;

/// Bytes of a file of this size when it is sealed; `None` beyond 2^64. A file whose last chunk would be full has an empty
/// one behind it.
#[must_use]
pub fn sealed_size(size: u64) -> Option<u64> {
    let chunks = size / CHUNK_BYTES as u64 + 1;
    size.checked_add(HEADER_BYTES as u64)?.checked_add(chunks * TAG_BYTES as u64)
}

/// Where a chunk begins in the sealed file, in bytes.
#[must_use]
pub fn chunk_start(chunk: u32) -> u64 {
    HEADER_BYTES as u64 + u64::from(chunk) * SEALED_CHUNK_BYTES as u64
}

/// The key of the hashes of a file's pieces, which are BLAKE3 (E7, F19). A hash without a key would tell the server which
/// file it is.
#[must_use]
pub fn piece_key(file_key: &Secret<32>) -> Secret<32> {
    expand(file_key, b"beam-e2e/1 pieces")
}

/// Seals and opens the chunks of one file.
pub struct FileCipher {
    header: [u8; HEADER_BYTES],
    cipher: Aes256Gcm,
    nonce: [u8; NONCE_BYTES],
}

impl FileCipher {
    /// Begins to seal, with a key and a salt that are random and sealed nothing else: each nonce is a chunk's place, so the same
    /// chunk becomes the same bytes whoever seals it.
    #[must_use]
    pub fn sealing(file_key: &Secret<32>, salt: [u8; SALT_BYTES]) -> Self {
        let name = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0";
        let info = [&name[..], &salt, b"beam-e2e/1 file"].concat();
        let derived: Secret<{ KEY_BYTES + NONCE_BYTES + COMMITMENT_BYTES }> =
            expand(file_key, &info);
        let (key, rest) = derived.expose().split_at(KEY_BYTES);
        let (start, commitment) = rest.split_at(NONCE_BYTES);
        let key = Secret::<KEY_BYTES>::written_by(|bytes| bytes.copy_from_slice(key));
        let (mut header, mut nonce) = ([0; HEADER_BYTES], [0; NONCE_BYTES]);
        header[..SALT_BYTES].copy_from_slice(&salt);
        header[SALT_BYTES..].copy_from_slice(commitment);
        nonce.copy_from_slice(start);
        Self { header, cipher: Aes256Gcm::new(key.expose().into()), nonce }
    }

    /// Begins to open a file by its header.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`] when the header is not of this key.
    pub fn opening(file_key: &Secret<32>, header: &[u8; HEADER_BYTES]) -> Result<Self, Error> {
        let salt = header.first_chunk().ok_or(Error::Malformed)?;
        let cipher = Self::sealing(file_key, *salt);
        if cipher.header.ct_eq(header).into() { Ok(cipher) } else { Err(Error::NotAuthentic) }
    }

    /// What is before the first chunk: the salt and the commitment.
    #[must_use]
    pub const fn header(&self) -> &[u8; HEADER_BYTES] {
        &self.header
    }

    /// Seals the chunk at a place. A full one is followed by another.
    ///
    /// # Errors
    /// [`Error::TooLong`] for more than a chunk holds.
    pub fn seal(&self, chunk: u32, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        if bytes.len() > CHUNK_BYTES {
            return Err(Error::TooLong);
        }
        self.cipher.encrypt(&self.nonce_of(chunk).into(), bytes).map_err(|_| Error::TooLong)
    }

    /// Opens the chunk at a place.
    ///
    /// # Errors
    /// [`Error::Malformed`] for one that is full where it is the last, or short where it is not, and
    /// [`Error::NotAuthentic`] for one that was changed, or is of another place or file.
    pub fn open(&self, chunk: u32, sealed: &[u8], is_last: bool) -> Result<Vec<u8>, Error> {
        let is_short = sealed.len() < SEALED_CHUNK_BYTES;
        if is_short != is_last || sealed.len() > SEALED_CHUNK_BYTES {
            return Err(Error::Malformed);
        }
        let opened = self.cipher.decrypt(&self.nonce_of(chunk).into(), sealed);
        opened.map_err(|_| Error::NotAuthentic)
    }

    fn nonce_of(&self, chunk: u32) -> [u8; NONCE_BYTES] {
        let mut nonce = self.nonce;
        for (byte, counter) in nonce.iter_mut().rev().zip(chunk.to_le_bytes()) {
            *byte ^= counter;
        }
        nonce
    }
}
