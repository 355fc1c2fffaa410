//! Reads contents: compares them as JSON values instead of texts (S10), and finds the upload that a file item refers to
//! (F9).

use std::collections::BTreeMap;

use heliograph_shared::socket::Json;
use heliograph_storage::blobs::BlobId;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest as _, Sha256};

/// How the envelope of a sealed item begins (E2). It names its stored copy behind the mark (E7).
const ENVELOPE: &str = "e2e1.";
const COPY_MARK: char = '#';
/// How an item begins that has the keys of a kept beam (E10).
const KEPT_KEYS: &str = "e2k1.";

/// What is read of a file item.
#[derive(Deserialize)]
struct Item {
    file: File,
}

#[derive(Deserialize)]
struct File {
    url: String,
}

/// The fields of an object, each as it was sent.
type Fields = BTreeMap<String, Json>;

/// The upload on this server to which a file item's content refers, if it has a stored copy (F9, E7).
pub fn upload(content: &RawValue) -> Option<BlobId> {
    if let Some((_, id)) = sealed(content).as_ref().and_then(|text| text.split_once(COPY_MARK)) {
        return BlobId::parse(id).ok();
    }
    let Item { file: File { url } } = serde_json::from_str(content.get()).ok()?;
    BlobId::parse(url.strip_prefix("/api/uploads/")?).ok()
}

/// A file item's content without the address of its stored copy.
pub fn without_upload(content: &RawValue) -> Option<Json> {
    if let Some(text) = sealed(content) {
        let (envelope, _) = text.split_once(COPY_MARK)?;
        return to_raw_value(envelope).ok();
    }
    let mut item: Fields = serde_json::from_str(content.get()).ok()?;
    let mut file: Fields = serde_json::from_str(item.get("file")?.get()).ok()?;
    file.remove("url");
    item.insert("file".to_owned(), to_raw_value(&file).ok()?);
    to_raw_value(&item).ok()
}

/// Whether a content can be read by devices that seal alone (E12). Looks at its first bytes as they came.
pub fn is_sealed(content: &RawValue) -> bool {
    let begins =
        |prefix| content.get().strip_prefix('"').is_some_and(|text| text.starts_with(prefix));
    begins(ENVELOPE) || begins(KEPT_KEYS)
}

/// The text of a sealed item; `None` for any other.
fn sealed(content: &RawValue) -> Option<String> {
    if !content.get().starts_with('"') {
        return None;
    }
    let text: String = serde_json::from_str(content.get()).ok()?;
    text.starts_with(ENVELOPE).then_some(text)
}

/// Stands for a content: equal JSON values have the same digest, and nobody finds different ones that share it. So
/// contents are compared without being parsed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentDigest([u8; 32]);

impl ContentDigest {
    /// Parses the content. One that cannot be parsed counts as its text.
    pub fn of(content: &RawValue) -> Self {
        let mut hasher = Sha256::new();
        match serde_json::from_str(content.get()) {
            Ok(value) => hash(&value, &mut hasher),
            Err(_) => hash_text(b't', content.get(), &mut hasher),
        }
        Self(hasher.finalize().into())
    }
}

/// Hashes a value so that no other value gives the same bytes: each begins with its kind, and with its length where
/// that varies.
fn hash(value: &Value, hasher: &mut Sha256) {
    match value {
        Value::Null => hasher.update(b"n"),
        Value::Bool(value) => hasher.update([b'b', u8::from(*value)]),
        // As JavaScript compares: 1 is 1.0, and adding zero turns -0.0 into 0.0.
        Value::Number(value) => {
            hasher.update(b"d");
            hasher.update((value.as_f64().unwrap_or_default() + 0.0).to_le_bytes());
        }
        Value::String(value) => hash_text(b's', value, hasher),
        Value::Array(values) => {
            hash_length(b'a', values.len(), hasher);
            for value in values {
                hash(value, hasher);
            }
        }
        // The map is sorted by key, so the order of the fields does not matter.
        Value::Object(fields) => {
            hash_length(b'o', fields.len(), hasher);
            for (key, value) in fields {
                hash_text(b's', key, hasher);
                hash(value, hasher);
            }
        }
    }
}

fn hash_text(kind: u8, text: &str, hasher: &mut Sha256) {
    hash_length(kind, text.len(), hasher);
    hasher.update(text);
}

fn hash_length(kind: u8, length: usize, hasher: &mut Sha256) {
    hasher.update([kind]);
    hasher.update(length.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(a: &str, b: &str) -> bool {
        let [a, b] =
            [a, b].map(|text| ContentDigest::of(&RawValue::from_string(text.to_owned()).unwrap()));
        a == b
    }

    #[test]
    fn f9_a_file_names_an_upload_of_this_server_or_none() {
        let id = "0123456789abcdef0123456789abcdef";
        let named = |text: &str| {
            upload(&RawValue::from_string(text.to_owned()).unwrap()).map(|id| id.to_string())
        };
        let file =
            |url: &str| format!(r#"{{"file":{{"name":"a","size":1,"url":"{url}"}},"x":[]}}"#);
        assert_eq!(named(&file(&format!("/api/uploads/{id}"))).as_deref(), Some(id));
        for other in [
            file(&format!("https://elsewhere/api/uploads/{id}")),
            file("/api/uploads/1"),
            format!("\"/api/uploads/{id}\""),
            r#"{"file":{"name":"a"}}"#.to_owned(),
            "[]".to_owned(),
        ] {
            assert_eq!(named(&other), None, "{other}");
        }
    }

    #[test]
    fn f9_a_file_without_its_upload_is_otherwise_the_same() {
        let bare = |text: &str| {
            without_upload(&RawValue::from_string(text.to_owned()).unwrap())
                .map(|content| content.get().to_owned())
        };
        let url = "/api/uploads/0123456789abcdef0123456789abcdef";
        let with = format!(r#"{{"x":[1.0],"file":{{"name":"a","url":"{url}","size":1e0}}}}"#);
        let without = r#"{"file":{"name":"a","size":1e0},"x":[1.0]}"#;
        assert_eq!(bare(&with).as_deref(), Some(without));
        assert_eq!(bare(without).as_deref(), Some(without));
        assert_eq!(bare("\"text\""), None);
    }

    #[test]
    fn e7_a_sealed_item_names_its_copy_behind_the_envelope() {
        let id = "0123456789abcdef0123456789abcdef";
        let content = |text: String| RawValue::from_string(format!("\"{text}\"")).unwrap();
        let with = content(format!("e2e1.AAAA#{id}"));
        assert_eq!(upload(&with).map(|id| id.to_string()).as_deref(), Some(id));
        let bare = without_upload(&with).unwrap();
        assert_eq!(bare.get(), "\"e2e1.AAAA\"");
        for other in ["e2e1.AAAA", "e2e1.AAAA#1", &format!("text#{id}")] {
            assert!(upload(&content(other.to_owned())).is_none(), "{other}");
        }
        assert!(without_upload(&bare).is_none());
    }

    #[test]
    fn s10_contents_are_compared_as_values() {
        let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(500), "]".repeat(500));
        let cases: &[(&str, &str, bool)] = &[
            (r#""hi""#, r#""hi""#, true),
            (r#""A""#, r#""\u0041""#, true),
            (r#"{"a":1,"b":2}"#, r#"{ "b": 2, "a": 1 }"#, true),
            ("1", "1.0", true),
            ("0", "-0.0", true),
            ("[1,2]", "[2,1]", false),
            ("1", "\"1\"", false),
            ("null", "false", false),
            (r#"{"a":1}"#, r#"{"a":1,"b":null}"#, false),
            // One number in JavaScript, and every number is hashed as such.
            ("9007199254740993", "9007199254740992", true),
            ("9007199254740993", "9007199254740994", false),
            (r#"["a","b"]"#, r#"["ab"]"#, false),
            (r#"["as"]"#, r#"["a","s"]"#, false),
            ("[[],1]", "[[1]]", false),
            ("[]", "{}", false),
            (&deep("1"), &deep("1"), true),
            (&deep("1"), &deep("2"), false),
            ("1e999", "1e999", true),
        ];
        for (a, b, expected) in cases {
            assert_eq!(equal(a, b), *expected, "{a} and {b}");
            assert_eq!(equal(b, a), *expected, "{b} and {a}");
        }
    }
}
