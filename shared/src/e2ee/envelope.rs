//! Seals what goes through the server, and opens it (E2). An envelope is `e2e1.` and base64url of its header, the ciphertext
//! and the tag. The header names the key, the page that sealed it, and its number there, which is the nonce. What an item has
//! behind its envelope (E7) is no part of it, and is cut off before it is opened.

use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{Aead as _, KeyInit as _, Payload};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use super::error::Error;
use super::hkdf::derive;
use super::padding::{pad, unpad};
use super::secret::Secret;

/// What every envelope begins with.
pub const PREFIX: &str = "e2e1.";
/// Bytes of a key's id.
pub const KEY_ID_BYTES: usize = 8;
/// Bytes that name a page.
pub const PAGE_BYTES: usize = 16;

const VERSION: u8 = 1;
const HEADER_BYTES: usize = 1 + KEY_ID_BYTES + PAGE_BYTES + size_of::<u64>();
/// The last number of a page: JavaScript counts no further.
const LAST_NUMBER: u64 = (1 << 53) - 1;

/// What an envelope is for. One that was sealed for something else does not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An item (E3).
    ShareClipboard,
    /// A deletion (E4).
    DeleteNote,
    /// A signal (E5).
    Signal,
    /// About the ways in (E6).
    E2e,
}

impl Kind {
    /// The type of its message.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ShareClipboard => "share_clipboard",
            Self::DeleteNote => "delete_note",
            Self::Signal => "signal",
            Self::E2e => "e2e",
        }
    }
}

/// What the header of an envelope says. Nothing of it is certain before the envelope is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The id of the key that sealed it.
    pub key_id: [u8; KEY_ID_BYTES],
    /// Random bytes of the page that sealed it.
    pub page: [u8; PAGE_BYTES],
    /// Counts what that page has sealed, from 0.
    pub number: u64,
}

impl Header {
    /// The header of an envelope.
    ///
    /// # Errors
    /// [`Error::Malformed`] for what is no envelope.
    pub fn of(envelope: &str) -> Result<Self, Error> {
        Ok(Parts::of(envelope)?.header)
    }

    fn read(bytes: &[u8; HEADER_BYTES]) -> Result<Self, Error> {
        let (version, rest) = bytes.split_first().ok_or(Error::Malformed)?;
        let (key_id, rest) = rest.split_first_chunk().ok_or(Error::Malformed)?;
        let (page, rest) = rest.split_first_chunk().ok_or(Error::Malformed)?;
        let number = u64::from_be_bytes(rest.try_into().map_err(|_| Error::Malformed)?);
        if *version != VERSION || number > LAST_NUMBER {
            return Err(Error::Malformed);
        }
        Ok(Self { key_id: *key_id, page: *page, number })
    }

    fn write(&self) -> Vec<u8> {
        [&[VERSION][..], &self.key_id, &self.page, &self.number.to_be_bytes()].concat()
    }

    fn nonce(&self) -> [u8; 12] {
        let mut nonce = [0; 12];
        nonce[4..].copy_from_slice(&self.number.to_be_bytes());
        nonce
    }
}

/// An envelope that was taken apart.
struct Parts {
    header: Header,
    bytes: Vec<u8>,
}

impl Parts {
    fn of(envelope: &str) -> Result<Self, Error> {
        let text = envelope.strip_prefix(PREFIX).ok_or(Error::Malformed)?;
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| Error::Malformed)?;
        let header = bytes.first_chunk().ok_or(Error::Malformed)?;
        Ok(Self { header: Header::read(header)?, bytes })
    }
}

/// What was in an envelope. Nothing prints it.
#[derive(Clone)]
pub struct Opened {
    /// The header, which is now certain.
    pub header: Header,
    /// The content, without what was added to it.
    pub content: Vec<u8>,
}

/// The key that seals what is shared in a beam: K of E1. The server's `BeamKey` is another one, which proves the creator.
#[derive(Clone)]
pub struct ContentKey {
    secret: Secret<32>,
    id: [u8; KEY_ID_BYTES],
}

impl ContentKey {
    /// The key from 32 random bytes.
    #[must_use]
    pub fn new(secret: Secret<32>) -> Self {
        let id = *derive(&secret, "beam-e2e/1 kid", b"").expose();
        Self { secret, id }
    }

    /// Names the key, and tells nothing of it.
    #[must_use]
    pub const fn id(&self) -> [u8; KEY_ID_BYTES] {
        self.id
    }

    /// The key itself, to be stored or given to a device that joins.
    #[must_use]
    pub const fn secret(&self) -> &Secret<32> {
        &self.secret
    }

    /// Begins a page, which is what seals: a run of a program, or a page of a browser. Its 16 random bytes must never come
    /// again, not even after a restart: with them the nonces would.
    #[must_use]
    pub fn sealer(&self, page: [u8; PAGE_BYTES]) -> Sealer {
        Sealer { key_id: self.id, page, cipher: self.cipher(page), next: 0 }
    }

    /// Opens an envelope.
    ///
    /// # Errors
    /// [`Error::Malformed`], [`Error::UnknownKey`] and [`Error::NotAuthentic`].
    pub fn open(&self, kind: Kind, envelope: &str) -> Result<Opened, Error> {
        let Parts { header, bytes } = Parts::of(envelope)?;
        if header.key_id != self.id {
            return Err(Error::UnknownKey);
        }
        let (head, sealed) = bytes.split_at(HEADER_BYTES);
        let payload = Payload { msg: sealed, aad: &about(kind, head) };
        let padded = self.cipher(header.page).decrypt(&header.nonce().into(), payload);
        let padded = Zeroizing::new(padded.map_err(|_| Error::NotAuthentic)?);
        Ok(Opened { header, content: unpad(&padded)?.to_vec() })
    }

    fn cipher(&self, page: [u8; PAGE_BYTES]) -> Aes256Gcm {
        let key: Secret<32> = derive(&self.secret, "beam-e2e/1 msg", &page);
        Aes256Gcm::new(key.expose().into())
    }
}

/// Seals for one key, as one page. It counts what it has sealed.
pub struct Sealer {
    key_id: [u8; KEY_ID_BYTES],
    page: [u8; PAGE_BYTES],
    cipher: Aes256Gcm,
    next: u64,
}

impl Sealer {
    /// Seals a content.
    ///
    /// # Errors
    /// [`Error::TooLong`] from 4 GiB on, and [`Error::Spent`] after 2^53 envelopes.
    pub fn seal(&mut self, kind: Kind, content: &[u8]) -> Result<String, Error> {
        let header = Header { key_id: self.key_id, page: self.page, number: self.next };
        if header.number > LAST_NUMBER {
            return Err(Error::Spent);
        }
        let padded = Zeroizing::new(pad(content)?);
        // Whatever comes of it, the number is used.
        self.next += 1;
        let mut bytes = header.write();
        let payload = Payload { msg: &padded, aad: &about(kind, &bytes) };
        let sealed = self.cipher.encrypt(&header.nonce().into(), payload);
        bytes.extend(sealed.map_err(|_| Error::TooLong)?);
        Ok(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes)))
    }
}

/// What is authenticated beside the content.
fn about(kind: Kind, header: &[u8]) -> Vec<u8> {
    [b"beam-e2e/1", kind.as_str().as_bytes(), header].concat()
}
