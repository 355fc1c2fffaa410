//! The pictures that people compare (E8), and how a device stands by them, in words.

use heliograph_device::keys::signs::{Sign, Signs, pictures};
use heliograph_device::session::trust::TrustState;
use serde::Serialize;

/// A picture that two devices show to be compared.
#[derive(Debug, Serialize)]
pub struct Picture {
    /// An emoji.
    pub picture: &'static str,
    /// Its name.
    pub name: &'static str,
}

/// How a device stands, in one word for programs.
#[must_use]
pub const fn state_of(state: TrustState) -> &'static str {
    match state {
        TrustState::Asking => "asking",
        TrustState::Refused => "refused",
        TrustState::Unverified => "unverified",
        TrustState::Verified => "verified",
    }
}

/// Pictures with their names, in one line: for a terminal without emoji, a screen reader, and a call.
#[must_use]
pub fn pictures_line(signs: Signs) -> String {
    let pictures = pictures(signs).map(|Sign { picture, name }| format!("{picture} {name}"));
    format!("    {}", pictures.join("   "))
}

/// The pictures as JSON has them.
#[must_use]
pub fn as_json(signs: Signs) -> [Picture; 4] {
    pictures(signs).map(|Sign { picture, name }| Picture { picture, name })
}
