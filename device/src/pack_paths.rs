//! Makes the paths of files and folders as they are found on a disk into those of a manifest (F16).

use std::collections::{HashMap, HashSet};

use crate::manifest::{MAX_DEPTH, MAX_PATH_LENGTH};
use crate::names::{display_name, length, numbered};
use crate::paths::{add_above, last_part};

/// Paths of files and of folders without files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackPaths {
    /// One for each file, in their order.
    pub files: Vec<String>,
    /// The folders without files, each once.
    pub folders: Vec<String>,
}

/// Room for the number of one path among equal ones, in UTF-16 units.
const NUMBER_LENGTH: usize = 8;

/// Returns paths whose parts are safe, of paths whose parts are joined by `/`. Of files that are equal then, or equal to a
/// folder, the later ones get a number: `a.txt`, `a (2).txt`.
#[must_use]
pub fn pack_paths(files: &[String], folders: &[String]) -> PackPaths {
    let files: Vec<_> = files.iter().map(|path| safe_path(path)).collect();
    let folders = folders.iter().map(|path| safe_path(path)).collect();
    Numbering { key_of: str::to_owned, numbered }.apply(&files, folders)
}

fn safe_path(path: &str) -> String {
    let mut parts: Vec<_> = path.split('/').map(display_name).collect();
    // What lies too deep moves up, next to the first folder that has room for it: a name is worth more than its place.
    while parts.len() > 1
        && (parts.len() > MAX_DEPTH || length_of(&parts) + NUMBER_LENGTH > MAX_PATH_LENGTH)
    {
        parts.remove(parts.len() - 2);
    }
    parts.join("/")
}

fn length_of(parts: &[String]) -> usize {
    parts.iter().map(|part| length(part) + 1).sum::<usize>() - 1
}

/// How paths of which a disk has room for one only are made different.
pub(crate) struct Numbering<Key, Numbered> {
    /// What such paths have in common.
    pub key_of: Key,
    /// Gives a name a number.
    pub numbered: Numbered,
}

impl<Key: Fn(&str) -> String, Numbered: Fn(&str, u32) -> String> Numbering<Key, Numbered> {
    /// Numbers the later ones of files that are the same as others, or as a folder.
    pub fn apply(&self, files: &[String], mut folders: Vec<String>) -> PackPaths {
        let mut known = HashSet::new();
        folders.retain(|folder| known.insert(folder.clone()));
        let mut taken: HashSet<String> = folders.iter().map(|path| (self.key_of)(path)).collect();
        let mut above = HashSet::new();
        for path in files.iter().chain(&folders) {
            add_above(path, &mut above);
        }
        taken.extend(above.into_iter().map(&self.key_of));
        let mut numbers = HashMap::new();
        let files = files.iter().map(|path| self.free(path, &mut taken, &mut numbers)).collect();
        PackPaths { files, folders }
    }

    /// A path that was not taken before.
    fn free(
        &self,
        clean: &str,
        taken: &mut HashSet<String>,
        numbers: &mut HashMap<String, u32>,
    ) -> String {
        // Continues where the last equal name ended, so that ten thousand equal names are numbered at once.
        let number = numbers.entry((self.key_of)(clean)).or_insert(1);
        let mut path = clean.to_owned();
        while !taken.insert((self.key_of)(&path)) {
            *number += 1;
            path = beside(clean, &(self.numbered)(last_part(clean), *number));
        }
        path
    }
}

/// The path of another name in the folder of a path.
fn beside(path: &str, name: &str) -> String {
    path.rsplit_once('/').map_or_else(|| name.to_owned(), |(folder, _)| format!("{folder}/{name}"))
}
