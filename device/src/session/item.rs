//! Items, as whoever has the session sees them, and what is inside the envelopes of items, deletions and signals (E3, E4, E5).

use std::borrow::Cow;

use heliograph_shared::e2ee::envelope::{Header, PREFIX};
use heliograph_shared::e2ee::kept;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::json::Json;
use heliograph_shared::socket::LiveItem;
use heliograph_shared::time::Millis;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::to_raw_value;

use crate::file_facts::stored_id;

/// An item, opened.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its id.
    pub id: ItemId,
    /// Its number in the beam (S8).
    pub seq: u64,
    /// The device that shared it.
    pub from: DeviceId,
    /// When it was shared, by the server's clock.
    pub at: Millis,
    /// Its kind.
    pub extra: String,
    /// Its content.
    pub message: Json,
    /// The only other device that has it (S33).
    pub to: Option<DeviceId>,
    /// Whether it came in clear text, at first at least: the server could read it, or have made it up (E12).
    pub is_clear: bool,
}

impl Item {
    /// The item where its content is a text; `None` for a file, a rich note or anything else.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        serde_json::from_str(self.message.get()).ok()
    }
}

/// What is inside the envelope of an item.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SealedContent {
    pub(super) id: ItemId,
    /// The device that sealed it.
    pub(super) from: DeviceId,
    pub(super) extra: String,
    pub(super) message: Json,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) to: Option<DeviceId>,
    /// It came in clear text first, so the server could have made it up (E12).
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) was_clear: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl SealedContent {
    /// Whether it is the same content of the same item, whoever has sealed it.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        (self.id, &self.extra, self.to, self.was_clear)
            == (other.id, &other.extra, other.to, other.was_clear)
            && equal(&self.message, &other.message)
    }

    pub(super) fn shown(self, item: &LiveItem) -> Item {
        let copy = text_of(&item.message);
        let copy = copy.as_deref().and_then(|sealed| sealed.split_once(COPY_MARK));
        let message = without_gone_copy(self.message, copy.map(|(_, copy)| copy));
        Item {
            id: item.id,
            seq: item.seq,
            from: self.from,
            at: item.at,
            extra: self.extra,
            message,
            to: item.to,
            is_clear: self.was_clear,
        }
    }
}

/// What is inside the proof of a deletion (E4).
#[derive(Serialize, Deserialize)]
pub(super) struct SealedDeletion {
    pub(super) id: ItemId,
}

/// What is inside the envelope of a signal (E5).
#[derive(Serialize, Deserialize)]
pub(super) struct SealedSignal {
    pub(super) from: DeviceId,
    pub(super) to: DeviceId,
    pub(super) message: Json,
}

/// The text of a message that is a text.
pub(super) fn text_of(message: &Json) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    serde_json::from_str(message.get()).ok().map(|Text(text)| text)
}

/// The message of a sealed item, with what is behind its envelope; `None` for any other.
pub(super) fn envelope_of(message: &Json) -> Option<String> {
    text_of(message).filter(|text| text.starts_with(PREFIX)).map(Cow::into_owned)
}

/// The message of an item that has the keys of a kept beam (E10); `None` for any other.
pub(super) fn kept_keys_of(message: &Json) -> Option<String> {
    text_of(message).filter(|text| text.starts_with(kept::PREFIX)).map(Cow::into_owned)
}

/// Before the id of the stored copy, behind an envelope (E7): the server has to know how long the copy is needed.
const COPY_MARK: char = '#';

/// Parts a message from the id of the stored copy that it names (E7).
pub(super) fn without_copy(sealed: &str) -> &str {
    sealed.split_once(COPY_MARK).map_or(sealed, |(envelope, _)| envelope)
}

/// The message of a sealed item, which names the stored copy of its file where its content has one.
pub(super) fn with_copy(envelope: String, message: &Json) -> String {
    match url_of(message).as_deref().and_then(stored_id) {
        Some(copy) => format!("{envelope}{COPY_MARK}{copy}"),
        None => envelope,
    }
}

/// The content of a file without a stored copy that the server does not name any more.
fn without_gone_copy(message: Json, copy: Option<&str>) -> Json {
    let Some(url) = url_of(&message) else { return message };
    if copy.is_some_and(|copy| stored_id(&url) == Some(copy)) {
        return message;
    }
    let Ok(mut content) = serde_json::from_str::<Value>(message.get()) else { return message };
    if let Some(file) = content.get_mut("file").and_then(Value::as_object_mut) {
        file.remove("url");
    }
    to_raw_value(&content).unwrap_or(message)
}

/// What the content of a file says where its stored copy is.
fn url_of(message: &Json) -> Option<String> {
    #[derive(Deserialize)]
    struct Stored {
        file: Addressed,
    }
    #[derive(Deserialize)]
    struct Addressed {
        url: String,
    }
    serde_json::from_str::<Stored>(message.get()).ok().map(|stored| stored.file.url)
}

/// Whether a message may be sealed. A text that only begins so makes no beam a sealed one (E2).
pub(super) fn is_sealed_by_form(message: &Json) -> bool {
    kept_keys_of(message).is_some()
        || envelope_of(message).is_some_and(|text| Header::of(without_copy(&text)).is_ok())
}

/// Whether two contents are equal JSON values (S10).
pub(super) fn equal(one: &Json, other: &Json) -> bool {
    if one.get() == other.get() {
        return true;
    }
    let read = |json: &Json| serde_json::from_str::<Value>(json.get()).ok();
    read(one).is_some_and(|one| Some(one) == read(other))
}

/// What contents that are equal JSON values have in common, and no others (S10). Whoever deletes by a content names one that may be
/// compared with thousands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ContentHash([u8; 32]);

impl ContentHash {
    pub(super) fn of(content: &Json) -> Self {
        // The names of an object are in their order then. What nests too deep to be read is equal to itself alone.
        let value = serde_json::from_str::<Value>(content.get()).ok();
        let canonical = value.and_then(|value| serde_json::to_vec(&value).ok());
        let bytes = canonical.as_deref().unwrap_or(content.get().as_bytes());
        Self(blake3::hash(bytes).into())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says so by failing")]
mod tests {
    use super::*;

    #[test]
    fn s10_contents_have_one_hash_where_they_are_equal_and_else_different_ones() {
        let deep = "[".repeat(500) + &"]".repeat(500);
        let spaced = deep.replacen("[[", "[ [", 1);
        let contents = [
            r#""a""#,
            r#""\u0061""#,
            r#"{"a":1,"b":[2]}"#,
            r#"{ "b" : [2], "a" : 1 }"#,
            "1",
            "1.0",
            r#""1""#,
            "null",
            &deep,
            &spaced,
        ];
        let contents = contents.map(|json| serde_json::from_str::<Json>(json).unwrap());
        for one in &contents {
            for other in &contents {
                let is_one = ContentHash::of(one) == ContentHash::of(other);
                assert_eq!(is_one, equal(one, other), "{one} {other}");
            }
        }
    }
}
