//! What is typed in a beam: texts, and commands, which begin with `/`.

use std::borrow::Cow;

/// The commands, for whoever types.
pub(super) const HELP: &str = "\
Each line that you type is shared. Lines that begin with / are commands:
  /files               list the files, with their numbers and how far they are
  /take 1              receive file 1; /pause 1, /resume 1 and /cancel 1 do so with it
  /match, /refuse      the pictures of a device are the same, or others
  /again               look once more for what is missing
  /help                say this
  /quit                leave; what has not come yet goes on when it is taken again
  //text               share a text that begins with /";

/// What is to be done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Take,
    Pause,
    Resume,
    Cancel,
}

/// What a line is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// A text to be shared.
    Text(Cow<'a, str>),
    /// The answer to the pictures that are compared.
    Compared {
        is_same: bool,
    },
    /// Missing items are to be looked for once more (E14).
    Again,
    /// Something is to be done with a file, by its number or its id; `None` where neither is said.
    File(Word, Option<&'a str>),
    Files,
    Help,
    Quit,
    /// A command that there is not.
    Unknown(&'a str),
}

impl<'a> Line<'a> {
    pub(super) fn read(line: &'a str) -> Self {
        let Some(said) = line.trim().strip_prefix('/') else { return Self::Text(line.into()) };
        if said.starts_with('/') {
            return Self::Text(line.replacen('/', "", 1).into());
        }
        let (word, rest) = said.split_once(char::is_whitespace).unwrap_or((said, ""));
        let rest = rest.trim();
        let file = |word| Self::File(word, Some(rest).filter(|rest| names_file(rest)));
        match (word, rest) {
            ("match", "") => Self::Compared { is_same: true },
            ("refuse", "") => Self::Compared { is_same: false },
            ("again", "") => Self::Again,
            ("files", "") => Self::Files,
            ("help", "") => Self::Help,
            ("quit", "") => Self::Quit,
            ("take", _) => file(Word::Take),
            ("pause", _) => file(Word::Pause),
            ("resume", _) => file(Word::Resume),
            ("cancel", _) => file(Word::Cancel),
            _ => Self::Unknown(word),
        }
    }
}

/// Whether this is a number or an id.
fn names_file(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_text_unless_it_begins_with_a_slash() {
        for text in ["hello", "", "  indented", "take 1", "1/2", "see /etc/hosts"] {
            assert_eq!(Line::read(text), Line::Text(text.into()));
        }
    }

    #[test]
    fn two_slashes_share_a_text_that_begins_with_one() {
        assert_eq!(Line::read("//etc/hosts"), Line::Text("/etc/hosts".into()));
        assert_eq!(Line::read(" //quit"), Line::Text(" /quit".into()));
    }

    #[test]
    fn commands_are_no_texts() {
        assert_eq!(Line::read("/quit"), Line::Quit);
        assert_eq!(Line::read(" /help "), Line::Help);
        assert_eq!(Line::read("/again"), Line::Again);
        assert_eq!(Line::read("/files"), Line::Files);
        assert_eq!(Line::read("/match"), Line::Compared { is_same: true });
        assert_eq!(Line::read("/pause  2"), Line::File(Word::Pause, Some("2")));
    }

    #[test]
    fn a_command_without_its_file_or_that_there_is_not_is_no_text_either() {
        for line in ["/take", "/take care of it", " /take "] {
            assert_eq!(Line::read(line), Line::File(Word::Take, None));
        }
        for (line, word) in [("/exit", "exit"), ("/etc/hosts", "etc/hosts"), ("/", "")] {
            assert_eq!(Line::read(line), Line::Unknown(word));
        }
        assert_eq!(Line::read("/quit now"), Line::Unknown("quit"));
    }
}
