//! Values that no log may show.

use std::fmt;

/// A value that contains a secret. Its `Debug` output omits the value.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(pub String);

impl From<String> for Hidden {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden(…)")
    }
}
