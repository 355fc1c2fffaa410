//! The messages of files.

use heliograph_device::engine::contract::FileSeal;
use heliograph_device::file_facts::{BatchPart, FileFacts};
use heliograph_device::file_size::FileSize;
use heliograph_device::manifest::ManifestFacts;
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::json::Json;
use serde_json::Value;
use serde_json::value::RawValue;
use uuid::Uuid;

fn json(text: &str) -> Json {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn read(text: &str) -> Option<FileFacts> {
    FileFacts::read(&json(text))
}

fn facts() -> FileFacts {
    FileFacts {
        name: "Grüße.png".to_owned(),
        size: FileSize::new(70_000).unwrap(),
        media_type: "image/png".to_owned(),
        modified: Some(1_700_000_000_123),
        batch: None,
        manifest: None,
        seal: None,
        url: None,
    }
}

#[test]
fn f1_the_message_of_a_file_is_read_as_it_was_written() {
    let message = facts().message().unwrap();
    assert_eq!(
        message.get().parse::<Value>().unwrap(),
        serde_json::json!({"file": {
            "name": "Grüße.png", "size": 70_000, "type": "image/png", "modified": 1_700_000_000_123_i64
        }})
    );
    let told = FileFacts::read(&message).unwrap();
    assert_eq!((told.name.as_str(), told.size.bytes()), ("Grüße.png", 70_000));
    assert_eq!((told.category(), told.modified), ("image", Some(1_700_000_000_123)));
    assert!(told.seal.is_none() && told.manifest.is_none() && told.batch.is_none());
}

#[test]
fn e7_f14_f16_what_else_is_said_of_a_file_is_read_as_it_was_written() {
    let batch = BatchPart { id: Uuid::from_bytes([7; 16]), count: 2, index: 1 };
    let manifest = ManifestFacts { files: 3, bytes: 200, folder: Some(true) };
    let seal = FileSeal { key: Secret::new([9; 32]), salt: [8; 24] };
    let written =
        FileFacts { batch: Some(batch), manifest: Some(manifest), seal: Some(seal), ..facts() };
    let told = FileFacts::read(&written.message().unwrap()).unwrap();
    assert_eq!((told.batch, told.manifest), (Some(batch), Some(manifest)));
    let seal = told.seal.unwrap();
    assert_eq!((seal.key.expose(), seal.salt), (&[9; 32], [8; 24]));
}

#[test]
fn f24_the_name_of_a_file_is_made_safe() {
    let name = |name: &str| {
        let message = serde_json::json!({"file": {"name": name, "size": 1, "type": ""}});
        FileFacts::read(&json(&message.to_string())).unwrap().name
    };
    assert_eq!(name("../../etc/passwd"), ".._.._etc_passwd");
    assert_eq!(name(".."), "_");
    assert_eq!(name("gpj.\u{202e}exe"), "gpj._exe");
}

#[test]
fn what_is_no_file_is_none_and_what_is_wrong_of_one_counts_as_absent() {
    for text in [
        "\"text\"",
        "{}",
        r#"{"file": []}"#,
        r#"{"file": {"name": "a", "type": ""}}"#,
        r#"{"file": {"name": "a", "size": -1, "type": ""}}"#,
        r#"{"file": {"name": "a", "size": 1.5, "type": ""}}"#,
        r#"{"file": {"name": "a", "size": 9007199254740991, "type": ""}}"#,
        r#"{"file": {"name": 1, "size": 1, "type": ""}}"#,
    ] {
        assert!(read(text).is_none(), "{text}");
    }
    let odd = r#"{"file": {"name": "a", "size": 5.0, "type": "", "modified": -5, "batch": {"id": 1},
        "manifest": {"files": 1}, "seal": {"key": "AA", "salt": "AA"}}}"#;
    let told = read(odd).unwrap();
    assert_eq!((told.size.bytes(), told.modified), (5, None));
    assert!(told.batch.is_none() && told.manifest.is_none() && told.seal.is_none());
}

#[test]
fn f9_only_the_address_of_a_copy_on_the_server_of_the_beam_counts() {
    let stored = |url: &str| {
        let text = format!(r#"{{"file": {{"name": "a", "size": 1, "type": "", "url": "{url}"}}}}"#);
        read(&text).unwrap().url
    };
    let url = "/api/uploads/0123456789abcdef0123";
    assert_eq!(stored(url).as_deref(), Some(url));
    let written = FileFacts { url: Some(url.to_owned()), ..facts() }.message().unwrap();
    assert_eq!(FileFacts::read(&written).unwrap().url.as_deref(), Some(url));
    let others = [
        "https://elsewhere/api/uploads/0123456789abcdef0123",
        "//elsewhere/api/uploads/0123456789abcdef0123",
        "/api/uploads/0123456789abcdef0123/../../x",
        "/api/uploads/0123456789abcdef?x=y",
        "/api/uploads/short",
        "/api/beams/0123456789abcdef0123",
        "",
    ];
    for other in others {
        assert_eq!(stored(other), None, "{other}");
    }
}
