//! The messages by which a device is let into a beam, and keys are handed on (E6, E8, E15).

use serde::{Deserialize, Deserializer, Serialize, de};

use super::text::{decode, decode_array, encode};

/// A text of at most so many bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Text<const MOST: usize>(pub String);

impl<'de, const MOST: usize> Deserialize<'de> for Text<MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.len() > MOST {
            return Err(de::Error::custom("too long"));
        }
        Ok(Self(text))
    }
}

/// A public key, which is the longest of what it carries, has 87 characters.
pub type Short = Text<256>;
/// A welcome with all keys that a beam may have is shorter.
pub type Long = Text<131_072>;

/// What a device with the link asks another to be let in with, as base64url.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinRequest {
    /// The id of the invite.
    pub id: Short,
    /// A public key for this join alone.
    pub key: Short,
    /// Proves that its owner has the link.
    pub proof: Short,
}

/// What one device gives to a comparison (E8), as base64url.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareMessage {
    /// A public key for this comparison alone.
    pub key: Short,
    /// Random bytes.
    pub nonce: Short,
}

/// What is sealed for one device by HPKE, as base64url.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedMessage {
    /// The public key that was made for it.
    pub encapsulated: Long,
    /// The content and its tag.
    pub sealed: Long,
}

impl SealedMessage {
    pub(super) fn of(encapsulated: &[u8], sealed: &[u8]) -> Self {
        Self { encapsulated: Text(encode(encapsulated)), sealed: Text(encode(sealed)) }
    }

    pub(super) fn parts(&self) -> Option<([u8; 65], Vec<u8>)> {
        Some((decode_array(&self.encapsulated.0)?, decode(&self.sealed.0)?))
    }
}

/// Why a device lets nobody in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// The proof is wrong.
    Proof,
    /// It has no key itself.
    Keyless,
    /// Its person does not want to.
    Person,
    /// Too many have tried.
    Locked,
}

/// One of the messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum WayIn {
    /// A device with the link asks to be let in.
    Join(JoinRequest),
    /// A device without the link begins a comparison.
    Commit {
        /// To what it commits itself.
        commitment: Short,
    },
    /// The answer to that.
    Accept(ShareMessage),
    /// What the joiner had committed itself to.
    Reveal(ShareMessage),
    /// A person has to compare first.
    Wait,
    /// Lets a device in.
    Welcome(SealedMessage),
    /// A device tells of itself.
    Device {
        /// An envelope.
        sealed: Long,
        /// Whether it answers another device's, and is not answered itself.
        #[serde(rename = "isAnswer")]
        is_answer: bool,
    },
    /// Hands newer keys over.
    Keys(SealedMessage),
    /// Nobody is let in.
    Refused {
        /// Why.
        why: Refusal,
        /// Whether a device without a key has the secret of a link.
        #[serde(rename = "hasLink", default, skip_serializing_if = "Option::is_none")]
        has_link: Option<bool>,
    },
}

impl WayIn {
    /// `None` for what this version does not know.
    #[must_use]
    pub fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// Whether only a device says this that has a key.
    #[must_use]
    pub const fn is_of_keyed(&self) -> bool {
        match self {
            Self::Accept(_)
            | Self::Wait
            | Self::Welcome(_)
            | Self::Device { .. }
            | Self::Keys(_) => true,
            Self::Refused { why, .. } => !matches!(why, Refusal::Keyless),
            Self::Join(_) | Self::Commit { .. } | Self::Reveal(_) => false,
        }
    }
}
