//! Forms: fields that come as multipart, and what is wrong with them by field (H6).

use std::collections::HashMap;

use axum::extract::Multipart;
use axum::extract::multipart::{Field, MultipartError};
use axum::http::StatusCode;
use heliograph_shared::names::Invalid;

use crate::error::Error;

/// Largest picture (H14).
pub const PICTURE_BYTES: usize = 5_242_880;
/// Bytes of a text field that are read; more than any field may have, so what is cut off is refused anyway.
const TEXT_BYTES: usize = 8 * 1024;

/// What a form says: its texts, and the bytes of its picture if it has one.
#[derive(Debug, Default)]
pub struct Form {
    texts: HashMap<String, String>,
    /// Not empty.
    pub picture: Option<Vec<u8>>,
}

impl Form {
    /// Reads the fields of these names; others are passed over.
    ///
    /// # Errors
    /// [`Error::BadRequest`], [`Error::TooLarge`], and [`Error::Fields`] when the picture is too large.
    pub async fn read(
        mut multipart: Multipart,
        texts: &[&str],
        picture: &'static str,
    ) -> Result<Self, Error> {
        let mut form = Self::default();
        while let Some(field) = multipart.next_field().await.map_err(unreadable)? {
            let Some(name) = field.name().map(ToOwned::to_owned) else { continue };
            if name == picture {
                let bytes = read(field, PICTURE_BYTES + 1).await?;
                if bytes.len() > PICTURE_BYTES {
                    let sentence = "Image size must be less than 5MB".to_owned();
                    return Err(Error::Fields(vec![(picture, sentence)]));
                }
                form.picture = Some(bytes).filter(|bytes| !bytes.is_empty());
            } else if texts.contains(&&*name) {
                let bytes = read(field, TEXT_BYTES).await?;
                let text = String::from_utf8(bytes)
                    .map_err(|_| Error::BadRequest("A text is no UTF-8."))?;
                form.texts.insert(name, text);
            }
        }
        Ok(form)
    }

    /// The text of a field; empty when there is none.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }
}

/// The first bytes of a field; the rest is read and forgotten.
async fn read(mut field: Field<'_>, most: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(unreadable)? {
        let room = most - bytes.len();
        bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }
    Ok(bytes)
}

/// What is answered to a form that breaks off or is none.
#[expect(clippy::needless_pass_by_value, reason = "as map_err gives it")]
pub fn unreadable(error: MultipartError) -> Error {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        Error::TooLarge
    } else {
        Error::BadRequest("The form cannot be read.")
    }
}

/// Collects what is wrong with a form, so that all of it is said at once.
#[derive(Debug, Default)]
pub struct Mistakes(Vec<(&'static str, String)>);

impl Mistakes {
    /// The value, or its mistake noted.
    pub fn check<T>(&mut self, field: &'static str, value: Result<T, Invalid>) -> Option<T> {
        value.map_err(|Invalid(sentence)| self.0.push((field, sentence.to_owned()))).ok()
    }

    /// The refusal of a form in which something is wrong.
    #[must_use]
    pub fn refusal(self) -> Error {
        Error::Fields(self.0)
    }

    /// Goes on only when nothing is wrong.
    ///
    /// # Errors
    /// [`Error::Fields`] with every mistake.
    pub fn none(self) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(self.refusal()) }
    }
}
