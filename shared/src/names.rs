//! Names, addresses and passwords that people type, with the rules for each and the texts that explain them. A value of
//! these types is valid.

use std::fmt;

/// Why a text is invalid: a sentence for the person who typed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub &'static str);

/// The trimmed text, if it has 1 to `MOST` characters and no control characters.
fn tidy(
    text: &str,
    most: usize,
    empty: &'static str,
    long: &'static str,
) -> Result<String, Invalid> {
    let text = text.trim();
    if !text.chars().any(|c| is_deceptive(c) || is_visible(c)) {
        return Err(Invalid(empty));
    }
    if text.chars().any(is_deceptive) {
        return Err(Invalid("Please leave out line breaks and other control characters"));
    }
    if text.chars().count() > most {
        return Err(Invalid(long));
    }
    Ok(text.to_owned())
}

/// Ranges of characters that no name may contain: controls, those that reorder the text around them (Unicode Standard
/// Annex 9), and those that are invisible or break the line. With one of them a name can look like another. The joiners
/// U+200C and U+200D are allowed, because Persian and emoji need them.
pub const DECEPTIVE: [(char, char); 9] = [
    ('\u{0}', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{200b}', '\u{200b}'),
    ('\u{200e}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{2064}'),
    ('\u{2066}', '\u{206f}'),
    ('\u{feff}', '\u{feff}'),
];

/// Whether a name with this character could look like another name.
#[must_use]
pub fn is_deceptive(c: char) -> bool {
    DECEPTIVE.iter().any(|(from, to)| (*from..=*to).contains(&c))
}

/// Ranges of characters that show nothing by themselves, besides those of [`DECEPTIVE`] (Unicode Standard Annex 44,
/// `Default_Ignorable_Code_Point`). A name may contain them and needs another one.
const INVISIBLE: [(char, char); 11] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200c}', '\u{200d}'),
    ('\u{2065}', '\u{2065}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Whether a name with this character shows something.
#[must_use]
pub fn is_visible(c: char) -> bool {
    let is_invisible = INVISIBLE.iter().any(|(from, to)| (*from..=*to).contains(&c));
    !(is_invisible || is_deceptive(c) || c.is_whitespace())
}

/// Cleans a name that a program gave to itself or to a file: removes deceptive characters, trims it, and cuts it to
/// `most` characters. The result is empty when nothing of it can be seen.
#[must_use]
pub fn clean(name: &str, most: usize) -> String {
    let clean: String = name.chars().filter(|c| !is_deceptive(*c)).collect();
    let short: String = clean.trim().chars().take(most).collect();
    if short.contains(is_visible) { short.trim_end().to_owned() } else { String::new() }
}

/// The kind of an item, as its sender names it: at most 64 bytes without control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind(String);

impl Kind {
    /// Length in bytes. The specification's longest kind has nine.
    const LONGEST: usize = 64;

    /// Checks a kind.
    ///
    /// # Errors
    /// [`Invalid`] when it is too long or contains control characters.
    pub fn parse(text: String) -> Result<Self, Invalid> {
        if text.len() > Self::LONGEST || text.chars().any(char::is_control) {
            return Err(Invalid(
                "The kind of an item has at most 64 bytes and no control characters.",
            ));
        }
        Ok(Self(text))
    }

    /// The kind as text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

/// The name of a saved beam: 1 to 120 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeamName(String);

impl BeamName {
    /// Trims and checks a name.
    ///
    /// # Errors
    /// [`Invalid`] when it is empty, too long or contains control characters.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let long = "The beam name must be at most 120 characters";
        tidy(text, 120, "Please enter a beam name", long).map(Self)
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A username: 3 to 30 of `A-Z a-z 0-9 _ . -`, unique without case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Username(String);

impl Username {
    /// Trims and checks a username.
    ///
    /// # Errors
    /// [`Invalid`] when it is empty, too short or too long, or contains other characters.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let text = text.trim();
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        if text.is_empty() {
            Err(Invalid("Username is required"))
        } else if !text.chars().all(is_allowed) {
            Err(Invalid("Username may have letters, digits, dots, hyphens and underscores only"))
        } else if !(3..=30).contains(&text.len()) {
            Err(Invalid("Username must have 3 to 30 characters"))
        } else {
            Ok(Self(text.to_owned()))
        }
    }

    /// As the user writes it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The lower-case form, which is unique.
    #[must_use]
    pub fn key(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

/// A given or family name: 1 to 80 characters. A family name may be empty (A5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonName(String);

impl PersonName {
    /// Trims and checks a given name.
    ///
    /// # Errors
    /// [`Invalid`] when it is empty, too long or contains control characters.
    pub fn first(text: &str) -> Result<Self, Invalid> {
        let long = "First name must be at most 80 characters";
        tidy(text, 80, "First name is required", long).map(Self)
    }

    /// Trims and checks a family name.
    ///
    /// # Errors
    /// [`Invalid`] when it is empty, too long or contains control characters.
    pub fn last(text: &str) -> Result<Self, Invalid> {
        let long = "Last name must be at most 80 characters";
        tidy(text, 80, "Last name is required", long).map(Self)
    }

    /// Trims and checks a family name that may be empty.
    ///
    /// # Errors
    /// [`Invalid`] when it is too long or contains control characters.
    pub fn last_if_any(text: &str) -> Result<Self, Invalid> {
        if text.trim().is_empty() { Ok(Self(String::new())) } else { Self::last(text) }
    }

    /// Splits a full name at its first space, and checks both parts (A5).
    ///
    /// # Errors
    /// [`Invalid`] when there is no name, or a part is too long or contains control characters.
    pub fn both(text: &str) -> Result<(Self, Self), Invalid> {
        let (first, last) = text.trim().split_once(' ').unwrap_or((text, ""));
        Ok((Self::first(first)?, Self::last_if_any(last)?))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An e-mail address: something on both sides of one @, at most 254 characters (RFC 5321, section 4.5.3.1.3). Only
/// sending a mail could tell whether it exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    /// Trims and checks an address.
    ///
    /// # Errors
    /// [`Invalid`] when it is empty, too long or not of the form of an address.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let long = "Email must be at most 254 characters";
        let text = tidy(text, 254, "Email is required", long)?;
        let is_address = text.split_once('@').is_some_and(|(name, host)| {
            !name.is_empty() && !host.is_empty() && !host.contains('@')
        });
        if is_address && !text.contains(char::is_whitespace) {
            Ok(Self(text))
        } else {
            Err(Invalid("Please enter a valid email address"))
        }
    }

    /// The address as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A password: 6 to 1,024 bytes, as typed. Its `Debug` output omits it.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// Checks a password.
    ///
    /// # Errors
    /// [`Invalid`] when it is empty, too short, or too long to be worth hashing.
    pub fn parse(text: String) -> Result<Self, Invalid> {
        match text.len() {
            0 => Err(Invalid("Password is required")),
            1..6 => Err(Invalid("Password must be at least 6 characters")),
            6..=1024 => Ok(Self(text)),
            _ => Err(Invalid("Password must be at most 1024 characters")),
        }
    }

    /// The bytes to hash.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why<T>(result: Result<T, Invalid>) -> &'static str {
        result.err().expect("it was accepted").0
    }

    #[test]
    fn a_username_has_3_to_30_plain_characters_and_a_key_without_case() {
        assert_eq!(Username::parse(" Ada.L-9_ ").unwrap().as_str(), "Ada.L-9_");
        assert_eq!(Username::parse("ADA").unwrap().key(), "ada");
        assert_eq!(why(Username::parse("  ")), "Username is required");
        for (length, good) in [(2, false), (3, true), (30, true), (31, false)] {
            assert_eq!(Username::parse(&"a".repeat(length)).is_ok(), good, "{length}");
        }
        for wrong in ["ada lovelace", "ada\0", "ädä", "a/../b", "\u{202e}ada", "ada@x", "a\nb"] {
            assert!(Username::parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_name_has_1_to_80_characters_and_none_that_deceive() {
        assert_eq!(PersonName::first(" Zoë 👩‍🚀 ").unwrap().as_str(), "Zoë 👩‍🚀");
        assert_eq!(why(PersonName::first("")), "First name is required");
        assert_eq!(why(PersonName::last(" ")), "Last name is required");
        assert_eq!(why(PersonName::first("\u{200d}")), "First name is required");
        assert!(PersonName::first(&"ö".repeat(80)).is_ok());
        assert!(PersonName::last(&"ö".repeat(81)).is_err());
        for wrong in ["a\0b", "a\nb", "\u{202e}gpj", "a\u{2066}b", "a\u{200b}b", "a\u{feff}b"] {
            assert!(PersonName::first(wrong).is_err(), "{wrong:?}");
            assert!(BeamName::parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_name_that_a_program_says_is_left_without_what_deceives() {
        assert_eq!(clean(" Ada's\u{202e} phone\u{2066}\n ", 80), "Ada's phone");
        assert_eq!(clean("Zoë 👩‍🚀", 80), "Zoë 👩‍🚀");
        for invisible in ["\u{202e}\u{2069}\0", "\u{200d}", " \u{200c}\u{fe0f} ", "\u{3164}\u{ad}"]
        {
            assert_eq!(clean(invisible, 80), "", "{invisible:?}");
        }
        assert_eq!(clean("ab cd", 3), "ab");
    }

    #[test]
    fn s7_a_kind_is_what_every_table_takes() {
        assert!(Kind::parse("k".repeat(64)).is_ok() && Kind::parse(String::new()).is_ok());
        for wrong in ["k".repeat(65), "te\0xt".to_owned(), "a\nb".to_owned()] {
            assert!(Kind::parse(wrong.clone()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a5_one_name_is_parted_at_its_first_space() {
        let parts = |text: &str| {
            PersonName::both(text).map(|(first, last)| (first.0, last.0)).map_err(|why| why.0)
        };
        let both = |first: &str, last: &str| Ok((first.to_owned(), last.to_owned()));
        assert_eq!(parts("Ada Lovelace"), both("Ada", "Lovelace"));
        assert_eq!(parts(" Ada  King  of Lovelace "), both("Ada", "King  of Lovelace"));
        assert_eq!(parts("Ada"), both("Ada", ""));
        assert_eq!(parts("  "), Err("First name is required"));
    }

    #[test]
    fn an_address_has_something_on_both_sides_of_one_at() {
        assert_eq!(Email::parse(" ada@example.org ").unwrap().as_str(), "ada@example.org");
        assert_eq!(why(Email::parse("")), "Email is required");
        for wrong in ["ada", "@example.org", "ada@", "a@b@c", "a b@c", "a@b\0"] {
            assert!(Email::parse(wrong).is_err(), "{wrong:?}");
        }
        let of = |length: usize| format!("{}@b", "a".repeat(length - 2));
        assert!(Email::parse(&of(254)).is_ok());
        assert!(Email::parse(&of(255)).is_err());
    }

    #[test]
    fn a1_a_password_has_6_to_1024_bytes_and_is_not_shown() {
        let of = |length: usize| Password::parse("p".repeat(length));
        assert_eq!(why(of(0)), "Password is required");
        assert_eq!(why(of(5)), "Password must be at least 6 characters");
        assert!(of(6).is_ok() && of(1024).is_ok());
        assert_eq!(why(of(1025)), "Password must be at most 1024 characters");
        assert_eq!(Password::parse("  pass  ".into()).unwrap().as_bytes(), b"  pass  ");
        assert_eq!(format!("{:?}", of(6).unwrap()), "Password(…)");
    }
}
