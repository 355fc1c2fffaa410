//! Reads contents: compares them as JSON values instead of texts (S10), and finds the upload that a file item refers to
//! (F9).

use std::hash::{DefaultHasher, Hash, Hasher};

use heliograph_storage::blobs::BlobId;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The upload on this server to which a file item's content refers, if it has a stored copy (F9).
pub fn upload(content: &RawValue) -> Option<BlobId> {
    #[derive(Deserialize)]
    struct Item {
        file: File,
    }
    #[derive(Deserialize)]
    struct File {
        url: String,
    }
    let Item { file: File { url } } = serde_json::from_str(content.get()).ok()?;
    BlobId::parse(url.strip_prefix("/api/uploads/")?).ok()
}

/// Whether two contents are equal JSON values. Contents that nest too deeply to parse are compared as text.
pub fn same(a: &RawValue, b: &RawValue) -> bool {
    if a.get() == b.get() {
        return true;
    }
    match (value(a), value(b)) {
        (Some(a), Some(b)) => same_value(&a, &b),
        _ => false,
    }
}

/// A hash that is the same for equal contents.
pub fn fingerprint(content: &RawValue) -> u64 {
    let mut hasher = DefaultHasher::new();
    match value(content) {
        Some(value) => hash_value(&value, &mut hasher),
        None => content.get().hash(&mut hasher),
    }
    hasher.finish()
}

fn value(content: &RawValue) -> Option<Value> {
    serde_json::from_str(content.get()).ok()
}

fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        // JavaScript does not distinguish 1 and 1.0.
        (Value::Number(a), Value::Number(b)) => {
            a == b || (a.is_f64() != b.is_f64() && a.as_f64() == b.as_f64())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same_value(a, b)))
        }
        (a, b) => a == b,
    }
}

fn hash_value(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::Null => 0_u8.hash(hasher),
        Value::Bool(value) => (1_u8, value).hash(hasher),
        // Adding zero turns -0.0 into 0.0.
        Value::Number(value) => {
            (2_u8, (value.as_f64().unwrap_or_default() + 0.0).to_bits()).hash(hasher);
        }
        Value::String(value) => (3_u8, value).hash(hasher),
        Value::Array(values) => {
            (4_u8, values.len()).hash(hasher);
            for value in values {
                hash_value(value, hasher);
            }
        }
        // The map is sorted by key, so the order of the fields does not matter.
        Value::Object(fields) => {
            (5_u8, fields.len()).hash(hasher);
            for (key, value) in fields {
                key.hash(hasher);
                hash_value(value, hasher);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(a: &str, b: &str) -> bool {
        let [a, b] = [a, b].map(|text| RawValue::from_string(text.to_owned()).unwrap());
        let equal = same(&a, &b);
        assert!(!equal || fingerprint(&a) == fingerprint(&b), "{a} and {b}");
        equal
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
            ("9007199254740993", "9007199254740992", false),
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
