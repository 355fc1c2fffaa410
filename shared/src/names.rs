//! What people type: names, addresses, passwords. A value of these types keeps its rules; what a person is told when it
//! does not is said here.

use std::fmt;

/// Why a text is no such name: a sentence for the person who typed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid(pub &'static str);

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Invalid {}

/// A text of 1 to `MOST` characters without control characters, white space around it taken off.
fn tidy(
    text: &str,
    most: usize,
    empty: &'static str,
    long: &'static str,
) -> Result<String, Invalid> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Invalid(empty));
    }
    if text.chars().any(char::is_control) {
        return Err(Invalid("Please leave out line breaks and other control characters"));
    }
    if text.chars().count() > most {
        return Err(Invalid(long));
    }
    Ok(text.to_owned())
}

/// The name of a saved beam: 1 to 120 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeamName(String);

impl BeamName {
    /// Reads a name; white space around it does not count.
    ///
    /// # Errors
    /// [`Invalid`] when it is empty, too long or holds control characters.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let long = "The beam name must be at most 120 characters";
        tidy(text, 120, "Please enter a beam name", long).map(Self)
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
