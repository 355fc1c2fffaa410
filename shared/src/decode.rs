//! Decodes text messages: leniently where PROTOCOL.md says so, and without copying what is not kept.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::ids::{DeviceId, ItemId};
use crate::json::{self, Json};
use crate::limits::MAX_DELETION_EXTRA_BYTES;
use crate::socket::{AuthExtra, ClientMessage, SignalTo, SyncFrom};

/// Why a text is not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecodable {
    /// It is not a JSON object with a `type`. The socket is closed (4400).
    NotAMessage,
    /// Its type is unknown. The answer is an `error`.
    UnknownType,
    /// Its type is known, but its fields are wrong. The answer is an `error`.
    BadFields,
    /// A field has more levels than [`MAX_JSON_DEPTH`](crate::limits::MAX_JSON_DEPTH). The answer is an `error`.
    TooDeep,
}

/// The item or device that a message is about. An `error` names it, so that the sender knows what was refused (S14).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The item that is shared or deleted.
    pub id: Option<ItemId>,
    /// The receiver of a signal, `e2e` or frame.
    pub to: Option<DeviceId>,
}

impl Subject {
    /// About an item.
    #[must_use]
    pub const fn item(id: ItemId) -> Self {
        Self { id: Some(id), to: None }
    }

    /// About a device.
    #[must_use]
    pub const fn device(to: DeviceId) -> Self {
        Self { id: None, to: Some(to) }
    }

    /// The subject of a message that is refused without decoding it; empty if the message names none.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let envelope = serde_json::from_str(text);
        let Ok(Envelope { kind, extra, id, .. }) = envelope else { return Self::default() };
        match kind.as_ref() {
            "share_clipboard" | "delete_note" => Self { id: lenient(id), to: None },
            "signal" | "e2e" => {
                Self { id: None, to: lenient::<SignalTo>(extra).map(|extra| extra.to) }
            }
            _ => Self::default(),
        }
    }
}

/// The common shape of all messages. It borrows, so that nothing is copied before the type is known.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default, borrow, deserialize_with = "present")]
    message: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    extra: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    to: Option<&'a RawValue>,
}

/// Distinguishes a null field from an absent one, because null is a valid content (S7).
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// [`AuthExtra`] with undecoded fields. Each is decoded by itself, so that one bad field does not spoil the others
/// (S3).
#[derive(Deserialize)]
struct RawAuthExtra<'a> {
    #[serde(default, borrow)]
    v: Option<&'a RawValue>,
    #[serde(default, borrow)]
    caps: Option<&'a RawValue>,
    #[serde(default, borrow)]
    name: Option<&'a RawValue>,
    #[serde(default, borrow)]
    device_token: Option<&'a RawValue>,
}

impl AuthExtra {
    fn decode(raw: Option<&RawValue>) -> Option<Self> {
        let raw = raw.filter(|raw| raw.get().starts_with('{'));
        let RawAuthExtra { v, caps, name, device_token } = lenient(raw)?;
        Some(Self {
            v: lenient(v).unwrap_or_default(),
            caps: lenient(caps).unwrap_or_default(),
            name: lenient(name),
            device_token: lenient(device_token),
        })
    }
}

impl ClientMessage {
    /// Decodes one text message.
    ///
    /// # Errors
    /// [`Undecodable`], which says whether the socket is closed or gets an `error`.
    pub fn decode(text: &str) -> Result<Self, Undecodable> {
        // serde would also accept an array of the fields.
        if !text.trim_start().starts_with('{') {
            return Err(Undecodable::NotAMessage);
        }
        let envelope: Envelope<'_> =
            serde_json::from_str(text).map_err(|_| Undecodable::NotAMessage)?;
        let Envelope { kind, message, extra, id, to } = envelope;
        if json::has_too_deep_field(text.as_bytes()) {
            return Err(Undecodable::TooDeep);
        }
        match kind.as_ref() {
            "auth" => Ok(Self::Auth { message: fields(message)?, extra: AuthExtra::decode(extra) }),
            "share_clipboard" => Ok(Self::ShareClipboard {
                message: content(message)?,
                extra: fields::<Option<String>>(extra)?.unwrap_or_else(|| "text".to_owned()),
                id: fields(id)?,
                to: fields(to)?,
            }),
            "delete_note" => Ok(Self::DeleteNote {
                message: content(message)?,
                extra: extra_of_deletion(extra)?,
                id: fields(id)?,
            }),
            "save_beam" => Ok(Self::SaveBeam { message: content(message)? }),
            "keep" => Ok(Self::Keep { message: fields(message)? }),
            "arrange" => Ok(Self::Arrange { message: fields(message)? }),
            "remove_device" => Ok(Self::RemoveDevice { message: fields(message)? }),
            "rename_device" => Ok(Self::RenameDevice { message: fields(message)? }),
            "sync" => {
                Ok(Self::Sync { message: fields::<Option<SyncFrom>>(message)?.unwrap_or_default() })
            }
            "held" => Ok(Self::Held { message: fields(message)? }),
            "restore" => Ok(Self::Restore { message: fields(message)? }),
            "signal" => Ok(Self::Signal { message: content(message)?, extra: fields(extra)? }),
            "e2e" => Ok(Self::E2e { message: content(message)?, extra: fields(extra)? }),
            _ => Err(Undecodable::UnknownType),
        }
    }
}

/// A required field, as it was sent.
fn content(raw: Option<&RawValue>) -> Result<Json, Undecodable> {
    raw.map(ToOwned::to_owned).ok_or(Undecodable::BadFields)
}

/// The `extra` of a deletion, if it is a text (E4).
fn extra_of_deletion(raw: Option<&RawValue>) -> Result<Option<String>, Undecodable> {
    let extra: Option<String> = lenient(raw);
    let is_too_long = extra.as_ref().is_some_and(|extra| extra.len() > MAX_DELETION_EXTRA_BYTES);
    if is_too_long { Err(Undecodable::BadFields) } else { Ok(extra) }
}

/// A field of a known shape. An absent one decodes like null.
fn fields<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Result<T, Undecodable> {
    serde_json::from_str(raw.map_or("null", RawValue::get)).map_err(|_| Undecodable::BadFields)
}

/// A field that counts as absent when it cannot be decoded (S3).
fn lenient<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Option<T> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
}
