//! Multipart forms: their fields, and what is wrong with each of them (H6).

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use heliograph_shared::names::Invalid;

use crate::app::App;
use crate::error::Error;
use crate::multipart::Multipart;
use crate::people::pictures::{PICTURE_BYTES, SentPicture};

/// Bytes of a text field that are read. No field may be that long, so a text that is cut off fails its check anyway.
const TEXT_BYTES: usize = 8 * 1024;

impl FromRequest<Arc<App>> for Multipart {
    type Rejection = Error;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Error> {
        Self::of(request, &app.budget)
    }
}

/// The texts of a form, and its picture unless that is empty.
#[derive(Debug, Default)]
pub struct Form {
    texts: HashMap<String, String>,
    /// The picture as it was sent.
    pub picture: Option<SentPicture>,
}

impl Form {
    /// Reads the fields with these names and skips all others.
    ///
    /// # Errors
    /// [`Error`] when the form cannot be read; [`Error::Fields`] when the picture is too large.
    pub async fn read(
        mut multipart: Multipart,
        texts: &[&str],
        picture: &'static str,
    ) -> Result<Self, Error> {
        let mut form = Self::default();
        let mut picture_bytes = Vec::new();
        while let Some(headers) = multipart.next_part().await? {
            let Some(name) = headers.name else { continue };
            if name == picture {
                picture_bytes = read(&mut multipart, PICTURE_BYTES + 1).await?;
                if picture_bytes.len() > PICTURE_BYTES {
                    let sentence = "Image size must be less than 5MB".to_owned();
                    return Err(Error::Fields(vec![(picture, sentence)]));
                }
            } else if texts.contains(&&*name) {
                let bytes = read(&mut multipart, TEXT_BYTES).await?;
                let text = String::from_utf8(bytes)
                    .map_err(|_| Error::BadRequest("A text field is not UTF-8."))?;
                form.texts.insert(name, text);
            }
        }
        if !picture_bytes.is_empty() {
            let held = multipart.into_share();
            form.picture = Some(SentPicture { bytes: picture_bytes, held });
        }
        Ok(form)
    }

    /// The text of a field; empty without that field.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }
}

/// Reads the first `most` bytes of a field and discards the rest.
async fn read(form: &mut Multipart, most: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    while let Some(piece) = form.content().await? {
        let count = piece.len().min(most - bytes.len());
        // A growing vector may allocate twice its length.
        form.hold(2 * count)?;
        bytes.extend_from_slice(&piece[..count]);
    }
    Ok(bytes)
}

/// Collects the mistakes in a form, so that one response reports all of them.
#[derive(Debug, Default)]
pub struct Mistakes(Vec<(&'static str, String)>);

impl Mistakes {
    /// Returns the value, or records the mistake.
    pub fn check<T>(&mut self, field: &'static str, value: Result<T, Invalid>) -> Option<T> {
        value.map_err(|Invalid(sentence)| self.0.push((field, sentence.to_owned()))).ok()
    }

    /// The refusal with every mistake.
    #[must_use]
    pub fn refusal(self) -> Error {
        Error::Fields(self.0)
    }

    /// Succeeds when there is no mistake.
    ///
    /// # Errors
    /// [`Error::Fields`] with every mistake.
    pub fn none(self) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(self.refusal()) }
    }
}
