//! Names under which received files are saved, on systems that refuse some or take two for one (F24). What a name looks like
//! is settled before: see [`display_name`](crate::names::display_name).

use unicode_normalization::UnicodeNormalization as _;

use crate::manifest::Manifest;
use crate::names::{MAX_NAME_LENGTH, length, numbered, start_of, with_ending};
use crate::pack_paths::{Numbering, PackPaths};

/// The most bytes of a name on Linux, Android and Apple's systems.
const MAX_NAME_BYTES: usize = 255;
/// The same with room for a number.
const MAX_UNNUMBERED_BYTES: usize = 240;

/// What the file system of a device does with names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRules {
    /// It keeps every name as it is, up to 255 bytes (Linux).
    Exact,
    /// It takes names for one that differ by case or by how their letters are composed (macOS, Android).
    Folds,
    /// It also refuses some, and counts UTF-16 units instead of bytes (Windows).
    Windows,
}

impl NameRules {
    /// The name under which a file is saved: as it is where the system takes it.
    #[must_use]
    pub fn saved_name(self, name: &str) -> String {
        match self {
            Self::Windows => {
                let name = windows_name(name);
                // Where it was cut it may end as none may.
                if length(&name) > MAX_NAME_LENGTH {
                    windows_name(&start_and_ending(&name))
                } else {
                    name
                }
            }
            Self::Exact | Self::Folds if name.len() > MAX_NAME_BYTES => shortened(name),
            Self::Exact | Self::Folds => name.to_owned(),
        }
    }

    /// The name with a number, where the name alone is taken. The name is one that `saved_name` returned.
    #[must_use]
    pub fn numbered(self, name: &str, number: u32) -> String {
        match self {
            Self::Windows => numbered(name, number),
            Self::Exact | Self::Folds => numbered(&shortened(name), number),
        }
    }

    /// The paths under which the files and empty folders of an item are saved in a folder of their own. Both of two files
    /// stay that would be one there.
    #[must_use]
    pub fn saved_paths(self, manifest: &Manifest) -> PackPaths {
        let saved = |path: &str| {
            path.split('/').map(|name| self.saved_name(name)).collect::<Vec<_>>().join("/")
        };
        let files: Vec<_> = manifest.files.iter().map(|placed| saved(&placed.file.path)).collect();
        let folders = manifest.folders.iter().map(|path| saved(path)).collect();
        let numbering = Numbering {
            key_of: |path: &str| self.key_of(path),
            numbered: |name: &str, number| self.numbered(name, number),
        };
        numbering.apply(&files, folders)
    }

    /// What two paths have in common of which the system has room for one.
    fn key_of(self, path: &str) -> String {
        match self {
            Self::Exact => path.to_owned(),
            Self::Folds | Self::Windows => path.nfc().collect::<String>().to_lowercase(),
        }
    }
}

/// The start of a name, and its ending, in as many bytes as leave room for a number.
fn shortened(name: &str) -> String {
    let (stem, ending) = with_ending(name);
    let room = MAX_UNNUMBERED_BYTES.saturating_sub(ending.len());
    let (stem, _) = stem.split_at(stem.floor_char_boundary(room));
    format!("{stem}{ending}")
}

/// The same in as many UTF-16 units as a name may have.
fn start_and_ending(name: &str) -> String {
    let (stem, ending) = with_ending(name);
    format!("{}{ending}", start_of(stem, MAX_NAME_LENGTH.saturating_sub(length(ending))))
}

/// `a:b.txt` becomes `a_b.txt`: a name that Windows takes (Microsoft: Naming Files, Paths, and Namespaces).
fn windows_name(name: &str) -> String {
    let is_refused = |c: char| c.is_ascii_control() || r#""*/:<>?\|"#.contains(c);
    let mut clean: String = name.chars().map(|c| if is_refused(c) { '_' } else { c }).collect();
    let end = clean.trim_end_matches(['.', ' ']).len();
    if end < clean.len() {
        clean.truncate(end);
        clean.push('_');
    }
    if is_device(&clean) { format!("_{clean}") } else { clean }
}

/// Whether Windows takes a name for a device, whatever its ending. The last three are of older systems and of the console.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ').to_ascii_lowercase();
    let is_numbered =
        ["com", "lpt"].into_iter().filter_map(|port| stem.strip_prefix(port)).any(|rest| {
            let mut digits = rest.chars();
            let digit = digits.next().is_some_and(|c| c.is_ascii_digit() || "¹²³".contains(c));
            digit && digits.next().is_none()
        });
    is_numbered || matches!(&*stem, "con" | "prn" | "aux" | "nul" | "clock$" | "conin$" | "conout$")
}
