//! Texts and links as files.

use heliograph_device::names::{display_name, start_of};
use url::Url;

/// Most UTF-16 units of a name that is the start of a text.
const LONGEST_START: usize = 60;

/// What a text is as a file.
#[derive(Debug, PartialEq, Eq)]
pub struct TextFile {
    /// Its name: how the text begins, or where the link leads.
    pub name: String,
    /// What is in it.
    pub text: String,
}

impl TextFile {
    /// The file of a text; `None` for one of spaces alone.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let trimmed = text.trim();
        if let Some(link) = link(trimmed) {
            let name = link.host_str().unwrap_or_default();
            let name = format!("{name}{}", link.path().trim_end_matches('/'));
            // The form that the desktops of Windows, of Apple and of Linux open. No line of it can be ended by the link.
            let text = format!("[InternetShortcut]\r\nURL={link}\r\n");
            return Some(Self { name: named(&name.replace('/', " "), "url"), text });
        }
        let first = trimmed.lines().next().filter(|line| !line.is_empty())?;
        Some(Self { name: named(first, "txt"), text: text.to_owned() })
    }
}

/// A text that is one link and nothing else.
fn link(text: &str) -> Option<Url> {
    if text.chars().any(char::is_whitespace) {
        return None;
    }
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

fn named(start: &str, ending: &str) -> String {
    // A file whose name begins with a dot is hidden.
    let start = start_of(start.trim_start_matches('.').trim(), LONGEST_START).trim();
    let start = if start.is_empty() { "Text" } else { start };
    display_name(&format!("{start}.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> String {
        TextFile::of(text).unwrap().name
    }

    #[test]
    fn a_text_is_named_by_its_first_line() {
        assert_eq!(name("\n  Oat milk\nlemons"), "Oat milk.txt");
        assert_eq!(name(&"x".repeat(100)), format!("{}.txt", "x".repeat(60)));
        assert_eq!(TextFile::of(" a\n").unwrap().text, " a\n");
        assert_eq!(TextFile::of(" \n"), None);
    }

    #[test]
    fn f24_a_hostile_text_names_no_path_and_no_hidden_file() {
        assert_eq!(name("../../etc/passwd"), "_.._etc_passwd.txt");
        assert_eq!(name(".bashrc"), "bashrc.txt");
        assert_eq!(name("..."), "Text.txt");
        assert_eq!(name("\u{202e}gpj.exe\x1b[31m"), "_gpj.exe_[31m.txt");
    }

    #[test]
    fn a_link_is_a_file_that_desktops_open() {
        let link = TextFile::of(" https://example.org/a/b?c#d\n").unwrap();
        assert_eq!(link.name, "example.org a b.url");
        assert_eq!(link.text, "[InternetShortcut]\r\nURL=https://example.org/a/b?c#d\r\n");
        assert_eq!(name("file:///etc/passwd"), "file:___etc_passwd.txt");
        assert_eq!(name("https://example.org see"), "https:__example.org see.txt");
    }
}
