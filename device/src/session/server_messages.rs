//! Reads what the server sends. What cannot be read is dropped, as is what this version does not know (S20).

use std::borrow::Cow;

use heliograph_shared::device::Device;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::json::Json;
use heliograph_shared::socket::{LiveItem, ServerMessage, SignalFrom};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
struct Typed<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Said<T> {
    message: T,
}

#[derive(Deserialize)]
struct Forwarded {
    message: Json,
    extra: SignalFrom,
}

#[derive(Deserialize)]
struct Deletion {
    message: Json,
    extra: Option<String>,
    id: Option<ItemId>,
}

#[derive(Deserialize)]
struct Refusal {
    message: String,
    #[serde(default = "unknown_code", deserialize_with = "read_code")]
    extra: ErrorCode,
    id: Option<ItemId>,
    to: Option<DeviceId>,
}

/// What a code counts as that this version does not know: what was refused with it goes again later (S14).
const fn unknown_code() -> ErrorCode {
    ErrorCode::Internal
}

fn read_code<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ErrorCode, D::Error> {
    let code = Json::deserialize(deserializer)?;
    Ok(serde_json::from_str(code.get()).unwrap_or_else(|_| unknown_code()))
}

/// A text message. `None` for what is none that this version knows.
pub(super) fn read(text: &str) -> Option<ServerMessage> {
    let Typed { kind } = serde_json::from_str(text).ok()?;
    Some(match kind.as_ref() {
        "auth_success" => ServerMessage::AuthSuccess { message: said(text)? },
        "welcome" => ServerMessage::Welcome { message: said(text)? },
        "authed_users" => ServerMessage::AuthedUsers { message: said::<Vec<Device>>(text)? },
        "rec_clipboard" => ServerMessage::RecClipboard(whole::<LiveItem>(text)?),
        "delete_note" => {
            let Deletion { message, extra, id } = whole(text)?;
            ServerMessage::DeleteNote { message, extra, id }
        }
        "sync" => ServerMessage::Sync { message: said(text)? },
        "wanted" => ServerMessage::Wanted { message: said(text)? },
        "signal" => {
            let Forwarded { message, extra } = whole(text)?;
            ServerMessage::Signal { message, extra }
        }
        "e2e" => {
            let Forwarded { message, extra } = whole(text)?;
            ServerMessage::E2e { message, extra }
        }
        "beam_saved" => ServerMessage::BeamSaved { message: said(text)? },
        "beam_renamed" => ServerMessage::BeamRenamed { message: said(text)? },
        "access_changed" => ServerMessage::AccessChanged { message: said(text)? },
        "keys_changed" => ServerMessage::KeysChanged,
        "kept" => ServerMessage::Kept { message: said(text)? },
        "ice_servers" => ServerMessage::IceServers { message: said(text)? },
        "arranged" => ServerMessage::Arranged { message: said(text)? },
        "devices_removed" => ServerMessage::DevicesRemoved { message: said(text)? },
        "error" => {
            let Refusal { message, extra, id, to } = whole(text)?;
            ServerMessage::Error { message, extra, id, to }
        }
        _ => return None,
    })
}

fn said<T: DeserializeOwned>(text: &str) -> Option<T> {
    whole::<Said<T>>(text).map(|said| said.message)
}

fn whole<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_of_the_server_in_the_example_of_the_protocol_is_read_and_written_alike() {
        let protocol = include_str!("../../../shared/PROTOCOL.md");
        let lines: Vec<&str> =
            protocol.lines().filter_map(|line| line.strip_prefix("← ")).collect();
        assert!(lines.len() > 20);
        for line in lines {
            let message = read(line).unwrap_or_else(|| panic!("{line}"));
            let again: serde_json::Value = serde_json::to_value(&message).unwrap();
            let before: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(again["type"], before["type"], "{line}");
            assert_eq!(again["message"], before["message"], "{line}");
        }
    }

    #[test]
    fn s20_what_this_version_does_not_know_is_dropped() {
        for text in ["", "pong", "[]", "{}", r#"{"type":"dance"}"#, r#"{"type":"sync"}"#] {
            assert!(read(text).is_none(), "{text}");
        }
        assert!(read(r#"{"type":"keys_changed","later":[1,2]}"#).is_some());
    }

    #[test]
    fn s20_an_error_with_a_code_that_this_version_does_not_know_is_one_of_the_server() {
        for code in [r#","extra":"too_odd""#, r#","extra":7"#, ""] {
            let read = read(&format!(r#"{{"type":"error","message":"No."{code}}}"#));
            let is_internal =
                matches!(read, Some(ServerMessage::Error { extra: ErrorCode::Internal, .. }));
            assert!(is_internal, "{code}: {read:?}");
        }
    }
}
