//! Names that are safe to show and to save under (F24). Lengths are UTF-16 units, in which browsers and the file systems of
//! Windows and of Apple count.

use heliograph_shared::names::is_deceptive;

/// The most UTF-16 units of a name.
pub const MAX_NAME_LENGTH: usize = 255;

/// A longer ending is none, and would leave no room for a number. In UTF-16 units, with its dot.
const LONGEST_ENDING: usize = 32;

/// The UTF-16 units of a text.
#[must_use]
pub fn length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// A name without characters that are unsafe to show or to save under. A name that it returned stays as it is. All else is
/// kept: a dot at the start, spaces around it, and the way in which its letters are composed.
#[must_use]
pub fn display_name(name: &str) -> String {
    // A name must neither disguise its extension nor contain a path.
    let is_unsafe = |c: char| is_deceptive(c) || c == '/' || c == '\\';
    let safe: String = name.chars().map(|c| if is_unsafe(c) { '_' } else { c }).collect();
    let clean = start_of(&safe, MAX_NAME_LENGTH);
    if clean.chars().any(|c| c != '.' && !c.is_whitespace()) {
        return clean.to_owned();
    }
    // Dots alone are this folder or the one above, also for systems that drop the spaces beside them.
    let dots = clean.trim();
    match dots.trim_start_matches('.') {
        _ if dots.is_empty() => "file".to_owned(),
        rest => format!("_{rest}"),
    }
}

/// The start of a text: at most so many UTF-16 units, and no half of a character.
#[must_use]
pub fn start_of(text: &str, units: usize) -> &str {
    let mut left = units;
    let end = text.char_indices().find(|(_, c)| {
        let has_room = c.len_utf16() <= left;
        left = left.saturating_sub(c.len_utf16());
        !has_room
    });
    end.map_or(text, |(at, _)| text.split_at(at).0)
}

/// Divides `a.tar` into `a` and `.tar`. A name that begins with its only dot has no ending.
#[must_use]
pub fn with_ending(name: &str) -> (&str, &str) {
    match name.rfind('.').map(|dot| name.split_at(dot)) {
        Some((stem, ending)) if !stem.is_empty() && length(ending) <= LONGEST_ENDING => {
            (stem, ending)
        }
        _ => (name, ""),
    }
}

/// `a.tar` becomes `a (2).tar`. A name stays within its length.
#[must_use]
pub fn numbered(name: &str, number: u32) -> String {
    let (stem, ending) = with_ending(name);
    let mark = format!(" ({number}){ending}");
    let room = MAX_NAME_LENGTH.saturating_sub(length(&mark));
    format!("{}{mark}", start_of(stem, room))
}
