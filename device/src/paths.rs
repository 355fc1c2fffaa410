//! Paths of several parts, joined by `/`: what a folder has in common with the names in it.

use std::collections::HashSet;

/// The path of the folder that a path is in; empty at the top.
#[must_use]
pub fn above(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path.
#[must_use]
pub fn last_part(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The folders above a path, the deepest first.
pub fn folders_above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(above(path)), |folder| Some(above(folder)))
        .take_while(|folder| !folder.is_empty())
}

/// Adds the folders above a path to a set. Those above one that is known are known as well.
pub fn add_above<'a>(path: &'a str, folders: &mut HashSet<&'a str>) {
    for folder in folders_above(path) {
        if !folders.insert(folder) {
            return;
        }
    }
}
