//! The messages of a device that only shares and listens (PROTOCOL.md, section S), written from that document and not
//! with the server's own types, so that each checks the other.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::Failure;

/// What a server says.
#[derive(Debug)]
pub enum Incoming<'a> {
    Welcome(Uuid),
    Item(Content<'a>),
    Page(Page<'a>),
    /// A refusal, of an item or of what was meant for a device.
    Error {
        code: String,
        id: Option<Uuid>,
        to: Option<Uuid>,
    },
    Other,
}

/// An item.
#[derive(Debug, Deserialize)]
pub struct Content<'a> {
    #[serde(borrow)]
    pub message: Cow<'a, str>,
    pub id: Uuid,
    pub seq: u64,
    pub from: Uuid,
}

/// An answer to `sync` (S11).
#[derive(Debug, Deserialize)]
pub struct Page<'a> {
    pub epoch: String,
    pub oldest: u64,
    #[serde(borrow)]
    pub items: Vec<Content<'a>>,
    pub next: Option<u64>,
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    extra: Option<&'a RawValue>,
    id: Option<Uuid>,
    to: Option<Uuid>,
}

#[derive(Deserialize)]
struct Welcome {
    device_id: Uuid,
}

impl<'a> Incoming<'a> {
    /// Reads a message. Fields that are not here are ignored (S20).
    pub fn read(text: &'a str) -> Result<Self, Failure> {
        if text == "pong" {
            return Ok(Self::Other);
        }
        let head: Head = serde_json::from_str(text)?;
        let message = || head.message.map_or("null", RawValue::get);
        Ok(match &*head.kind {
            "rec_clipboard" => Self::Item(serde_json::from_str(text)?),
            "welcome" => Self::Welcome(serde_json::from_str::<Welcome>(message())?.device_id),
            "sync" => Self::Page(serde_json::from_str(message())?),
            "error" => {
                let code = serde_json::from_str(head.extra.map_or("\"\"", RawValue::get))?;
                Self::Error { code, id: head.id, to: head.to }
            }
            _ => Self::Other,
        })
    }
}

/// The first message (S1).
pub fn auth(token: &str) -> String {
    let extra = json!({"v": 1, "caps": ["files"], "name": "Load", "device_token": token});
    json!({"type": "auth", "message": null, "extra": extra}).to_string()
}

/// Asks for what came after a number.
pub fn sync(after: Option<u64>) -> String {
    json!({"type": "sync", "message": {"after": after}}).to_string()
}

/// Shares an item.
pub fn share(id: Uuid, content: &str) -> String {
    json!({"type": "share_clipboard", "message": content, "extra": "text", "id": id}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_protocol_are_understood() {
        let document = include_str!("../../../../../shared/PROTOCOL.md");
        let said = document.lines().filter_map(|line| line.strip_prefix("← "));
        let (mut pages, mut items, mut welcomes, mut errors) = (0, 0, 0, 0);
        for line in said {
            // Pictures and notes are objects: no device of a load shares those.
            match Incoming::read(line) {
                Ok(Incoming::Page(_)) => pages += 1,
                Ok(Incoming::Item(item)) => items += usize::from(item.seq > 0),
                Ok(Incoming::Welcome(_)) => welcomes += 1,
                Ok(Incoming::Error { code, id, .. }) => {
                    assert_eq!(code, "forbidden");
                    errors += usize::from(id.is_some());
                }
                Ok(Incoming::Other) => {}
                Err(error) => assert!(line.contains(r#""file":"#), "{line}: {error}"),
            }
        }
        assert!(pages >= 3 && items >= 3 && welcomes == 2 && errors == 1);
        assert!(matches!(Incoming::read("pong"), Ok(Incoming::Other)));
        assert!(Incoming::read("<html>").is_err());
    }
}
