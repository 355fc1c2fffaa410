//! Texts of others as a terminal may show them. A text can have escape sequences, with which it could overwrite what stands there, ask the
//! terminal to type for its person, or put itself on the clipboard; and characters that reorder or hide others. Nothing of another
//! device or of a server goes to a terminal but through here.

use std::borrow::Cow;
use std::fmt::Write as _;

use heliograph_shared::names::is_deceptive;

/// A text in one line: a name.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, is_deceptive)
}

/// A text in its lines. Tabs and ends of lines stay.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    let is_harmful = |c: char| is_deceptive(c) && !matches!(c, '\n' | '\t');
    if !text.contains('\r') {
        return escaped(text, is_harmful);
    }
    // As Windows ends its lines.
    Cow::Owned(escaped(&text.replace("\r\n", "\n"), is_harmful).into_owned())
}

/// JSON text with the same value, in which no character does anything to a terminal.
#[must_use]
pub fn json(json: &str) -> Cow<'_, str> {
    // They are within strings: JSON has only spaces and ends of lines between its parts, and the serializer writes none.
    replaced(json, is_deceptive, |safe, c| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Nothing that is written to a text fails.
            let _ = write!(safe, "\\u{unit:04x}");
        }
    })
}

fn escaped(text: &str, is_harmful: impl Fn(char) -> bool) -> Cow<'_, str> {
    replaced(text, is_harmful, |safe, c| safe.extend(c.escape_unicode()))
}

fn replaced(
    text: &str,
    is_harmful: impl Fn(char) -> bool,
    replace: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    if !text.chars().any(&is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_harmful(c) {
            replace(&mut safe, c);
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_and_not_sent() {
        assert_eq!(line("\x1b]52;c;cm0gLXJm\x07"), r"\u{1b}]52;c;cm0gLXJm\u{7}");
        assert_eq!(lines("a\x1b[2Jb\u{9b}31m"), r"a\u{1b}[2Jb\u{9b}31m");
        assert_eq!(line("gpj.\u{202e}exe"), r"gpj.\u{202e}exe");
    }

    #[test]
    fn lines_and_tabs_of_a_text_stay_and_those_of_a_name_do_not() {
        assert_eq!(lines("a\n\tb\r\nc"), "a\n\tb\nc");
        assert_eq!(lines("secret\rpublic"), r"secret\u{d}public");
        assert_eq!(line("Ada\nroot:"), r"Ada\u{a}root:");
    }

    #[test]
    fn what_harms_nothing_stays_as_it_is() {
        for text in ["", "Grüße, 世界 👩‍👩‍👧", "سلام", "a  b"] {
            assert!(matches!(lines(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn json_keeps_its_value() {
        let text = "\u{9b}31m \u{7f} \u{202e} \u{e0041} ü \x1b\n";
        let written = serde_json::to_string(text).unwrap();
        let safe = json(&written);
        assert!(safe.chars().all(|c| !is_deceptive(c)));
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), text);
    }
}
