//! The words that stand for enums in columns, as the schema's checks list them.

use heliograph_shared::api::beams::{Level, LinkAccess};

use crate::Error;
use crate::database::Row;

/// An enum that a column stores as a word.
pub(crate) trait Word: Sized + Copy + 'static {
    /// Every value with its word.
    const WORDS: &'static [(Self, &'static str)];

    fn word(self) -> &'static str;

    /// Reads the value from a column.
    fn read(row: &Row, column: &str) -> Result<Self, Error> {
        let word: String = row.get(column)?;
        let found = Self::WORDS.iter().find(|(_, own)| *own == word);
        found.map(|(value, _)| *value).ok_or(Error::Corrupt)
    }
}

macro_rules! words {
    ($type:ident: $($value:ident = $word:literal),+) => {
        impl Word for $type {
            const WORDS: &'static [(Self, &'static str)] = &[$((Self::$value, $word)),+];

            fn word(self) -> &'static str {
                match self { $(Self::$value => $word),+ }
            }
        }
    };
}

words!(Level: Read = "read", Write = "write", Admin = "admin");
words!(LinkAccess: None = "none", Read = "read", Write = "write");
