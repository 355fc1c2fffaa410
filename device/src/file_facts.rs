//! What the message of a file says of it (F1, E7, F14, F16), read and written as browsers do it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use heliograph_shared::e2ee::file_chunks::SALT_BYTES;
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::json::Json;
use heliograph_shared::limits::MAX_BATCH_FILES;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::bounded_json::{safe_integer, safe_size};
use crate::engine::contract::FileSeal;
use crate::file_size::FileSize;
use crate::manifest::ManifestFacts;
use crate::names::{display_name, length};

/// The most UTF-16 units of a name that is read, before it is made safe.
const MAX_NAME_LENGTH: usize = 1024;
/// The most UTF-16 units of a media type.
const MAX_TYPE_LENGTH: usize = 255;

/// The most characters of the address of a stored copy.
const MAX_URL_LENGTH: usize = 80;

/// What the message of a file says.
#[derive(Clone, Debug)]
pub struct FileFacts {
    /// Its name, safe to show (F24).
    pub name: String,
    /// Its size.
    pub size: FileSize,
    /// Its media type; may be empty.
    pub media_type: String,
    /// When its bytes were changed last, in milliseconds since the Unix epoch; `None` where that is not known.
    pub modified: Option<i64>,
    /// Its place among files that were shared together; `None` for one that was shared alone (F14).
    pub batch: Option<BatchPart>,
    /// What is said of its manifest; `None` for a single file (F16).
    pub manifest: Option<ManifestFacts>,
    /// What seals its bytes; `None` where they go in clear (E7).
    pub seal: Option<FileSeal>,
    /// Where the server has a copy of it, as a path (F9); `None` where only devices have its bytes.
    pub url: Option<String>,
}

/// A place among files that were shared together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchPart {
    /// The id of all of them.
    pub id: Uuid,
    /// How many they are: 2 to 200.
    pub count: usize,
    /// Its place, from 0.
    pub index: usize,
}

impl FileFacts {
    /// Reads the message of an item. `None` where it is no file.
    #[must_use]
    pub fn read(message: &Json) -> Option<Self> {
        let message = serde_json::from_str::<Value>(message.get()).ok()?;
        let file = message.as_object()?.get("file")?.as_object()?;
        let text = |name: &str, most: usize| {
            file.get(name)?.as_str().filter(|text| length(text) <= most).map(ToOwned::to_owned)
        };
        let size = safe_size(file.get("size")?).ok()?;
        let modified = file.get("modified").and_then(|value| safe_integer(value).ok());
        let manifest = file.get("manifest");
        Some(Self {
            name: display_name(&text("name", MAX_NAME_LENGTH)?),
            size: FileSize::new(size)?,
            media_type: text("type", MAX_TYPE_LENGTH)?,
            modified: modified.filter(|modified| *modified >= 0),
            batch: file.get("batch").and_then(BatchPart::read),
            manifest: manifest.and_then(|facts| ManifestFacts::parse(facts, size)),
            seal: file.get("seal").and_then(read_seal),
            url: text("url", MAX_URL_LENGTH).filter(|url| stored_id(url).is_some()),
        })
    }

    /// The message of its item. It has what opens the file, so it is only for where all is sealed.
    #[must_use]
    pub fn message(&self) -> Option<Json> {
        let mut file = Map::new();
        file.insert("name".to_owned(), json!(self.name));
        file.insert("size".to_owned(), json!(self.size.bytes()));
        file.insert("type".to_owned(), json!(self.media_type));
        if let Some(modified) = self.modified.filter(|modified| *modified >= 0) {
            file.insert("modified".to_owned(), json!(modified));
        }
        if let Some(BatchPart { id, count, index }) = self.batch {
            file.insert("batch".to_owned(), json!({ "id": id, "count": count, "index": index }));
        }
        if let Some(manifest) = self.manifest {
            file.insert("manifest".to_owned(), json!(manifest));
        }
        if let Some(seal) = &self.seal {
            file.insert("seal".to_owned(), seal_json(seal));
        }
        if let Some(url) = &self.url {
            file.insert("url".to_owned(), json!(url));
        }
        to_raw_value(&json!({ "file": file })).ok()
    }

    /// The `extra` of its item: the first part of its media type where that is known.
    #[must_use]
    pub fn category(&self) -> &'static str {
        match self.media_type.split('/').next() {
            Some("image") => "image",
            Some("audio") => "audio",
            Some("video") => "video",
            _ => "file",
        }
    }
}

impl BatchPart {
    fn read(batch: &Value) -> Option<Self> {
        let batch = batch.as_object()?;
        let number = |name: &str| usize::try_from(safe_size(batch.get(name)?).ok()?).ok();
        let id = Uuid::try_parse(batch.get("id")?.as_str()?).ok()?;
        let (count, index) = (number("count")?, number("index")?);
        ((2..=MAX_BATCH_FILES).contains(&count) && index < count).then_some(Self {
            id,
            count,
            index,
        })
    }
}

/// The id of the stored copy at an address; `None` where that is none of a server's copies (F9). Any other address would make every
/// device of the beam request it.
#[must_use]
pub fn stored_id(url: &str) -> Option<&str> {
    let id = url.strip_prefix("/api/uploads/")?;
    let is_of_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    ((16..=64).contains(&id.len()) && id.bytes().all(is_of_id)).then_some(id)
}

/// A seal as the message of a file has it (E7).
pub(crate) fn seal_json(seal: &FileSeal) -> Value {
    let key = URL_SAFE_NO_PAD.encode(seal.key.expose());
    let salt = URL_SAFE_NO_PAD.encode(seal.salt);
    json!({ "key": key, "salt": salt })
}

/// `None` for what is no seal.
pub(crate) fn read_seal(seal: &Value) -> Option<FileSeal> {
    let seal = seal.as_object()?;
    let bytes = |name: &str| URL_SAFE_NO_PAD.decode(seal.get(name)?.as_str()?).ok();
    let key = Secret::from_slice(&bytes("key")?).ok()?;
    let salt: [u8; SALT_BYTES] = bytes("salt")?.try_into().ok()?;
    Some(FileSeal { key, salt })
}
