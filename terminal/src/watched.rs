//! A folder whose content is to be shared: which of it is whole. Nobody can see whether a file is still being written; but one that is
//! does not stay the same for long.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use crate::landing::hash;

/// The endings of names under which programs write what is not whole.
const UNFINISHED: [&str; 7] =
    [".part", ".partial", ".crdownload", ".download", ".filepart", ".tmp", "~"];
/// The most entries below one folder: of more, the list itself would be a burden.
const MOST_ENTRIES: usize = 1_000_000;
/// What cannot be read, or was written to and not closed as far as is known, has to be the same for so much more time.
const LONGER: Duration = Duration::from_mins(1);

/// What is in the folder at one moment: each file or folder at its top, with a text that is another one once anything of it changes.
pub type Looks = BTreeMap<OsString, String>;

/// Whether something of this name is never shared: it is hidden, or a program says by its name that it is not whole.
#[must_use]
pub fn is_left(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') || UNFINISHED.iter().any(|ending| name.ends_with(ending))
}

/// Looks at what is in a folder. Symbolic links and what is neither a file nor a folder are left. It blocks.
///
/// # Errors
/// Where the folder itself cannot be read.
pub fn look(folder: &Path) -> io::Result<Looks> {
    let mut looks = Looks::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if is_left(&name) {
            continue;
        }
        // What cannot be read, or is gone since, is looked at again.
        if let Ok(Some(look)) = look_at(&entry.path()) {
            looks.insert(name, look);
        }
    }
    Ok(looks)
}

/// Looks at one file or folder. `None` for anything else.
///
/// # Errors
/// Where it cannot be read.
pub fn look_at(path: &Path) -> io::Result<Option<String>> {
    let top = fs::symlink_metadata(path)?;
    if top.is_file() {
        return Ok(Some(stamp(&top)));
    }
    if !top.is_dir() {
        return Ok(None);
    }
    let mut lines = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(within) = folders.pop() {
        for entry in fs::read_dir(path.join(&within))? {
            let entry = entry?;
            let (metadata, within) = (entry.metadata()?, within.join(entry.file_name()));
            if is_left(&entry.file_name()) || !(metadata.is_file() || metadata.is_dir()) {
                continue;
            }
            let stamp = if metadata.is_file() { stamp(&metadata) } else { "folder".to_owned() };
            lines.push(format!("{} {stamp}", within.to_string_lossy().escape_debug()));
            if metadata.is_dir() {
                folders.push(within);
            }
        }
        if lines.len() > MOST_ENTRIES {
            return Err(io::Error::other("too many files"));
        }
    }
    lines.sort_unstable();
    Ok(Some(format!("folder {}", hash(lines.join("\n").as_bytes()))))
}

fn stamp(metadata: &fs::Metadata) -> String {
    let mut stamp = metadata.len().to_string();
    if let Ok(modified) = metadata.modified() {
        let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        // Nothing that is written to a text fails.
        let _ = write!(stamp, " {}", since.as_nanos());
    }
    stamp
}

/// Which files and folders have stayed the same for long enough. Times are by a clock that does not go back.
#[derive(Debug, Default)]
pub struct Quiet {
    /// How long that is.
    settle: Duration,
    seen: BTreeMap<OsString, Seen>,
    /// What was written to, and not closed since as far as is known.
    unclosed: BTreeSet<OsString>,
}

#[derive(Debug)]
struct Seen {
    look: String,
    since: Duration,
}

impl Quiet {
    /// Nothing was seen yet. What has been the same for so long is whole.
    #[must_use]
    pub fn after(settle: Duration) -> Self {
        Self { settle, ..Self::default() }
    }

    /// Something is being written to a file, or to one in a folder.
    pub fn writes(&mut self, name: OsString, now: Duration) {
        if let Some(seen) = self.seen.get_mut(&name) {
            seen.since = now;
        }
        self.unclosed.insert(name);
    }

    /// Who has written to it has closed it.
    pub fn closed(&mut self, name: &OsStr) {
        self.unclosed.remove(name);
    }

    /// It cannot be read.
    pub fn puts_off(&mut self, name: &OsStr, now: Duration) {
        if let Some(seen) = self.seen.get_mut(name) {
            seen.since = now + LONGER;
        }
    }

    /// Takes what is in the folder now, of which `known` is shared or came from the beam. Returns what is whole and not known.
    pub fn takes(&mut self, looks: &Looks, known: &Looks, now: Duration) -> Looks {
        self.seen.retain(|name, _| looks.contains_key(name));
        self.unclosed.retain(|name| looks.contains_key(name));
        let mut whole = Looks::new();
        for (name, look) in looks {
            if known.get(name) == Some(look) {
                self.seen.remove(name);
                continue;
            }
            let fresh = || Seen { look: look.clone(), since: now };
            let seen = self.seen.entry(name.clone()).or_insert_with(fresh);
            if seen.look != *look {
                *seen = fresh();
            }
            if now >= seen.since + self.settles(name) {
                whole.insert(name.clone(), look.clone());
            }
        }
        whole
    }

    fn settles(&self, name: &OsStr) -> Duration {
        self.settle + if self.unclosed.contains(name) { LONGER } else { Duration::ZERO }
    }

    /// When to look again, where nothing more happens.
    #[must_use]
    pub fn next_due(&self) -> Option<Duration> {
        let seen = self.seen.iter();
        seen.map(|(name, seen)| seen.since + self.settles(name)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn looks(entries: &[(&str, &str)]) -> Looks {
        entries.iter().map(|(name, look)| ((*name).into(), (*look).to_owned())).collect()
    }

    fn quiet() -> Quiet {
        Quiet::after(at(2))
    }

    #[test]
    fn what_grows_waits_until_it_has_been_the_same_for_long_enough() {
        let (mut quiet, known) = (quiet(), Looks::new());
        assert_eq!(quiet.takes(&looks(&[("a", "1")]), &known, at(0)), Looks::new());
        assert_eq!(quiet.next_due(), Some(at(2)));
        assert_eq!(quiet.takes(&looks(&[("a", "2")]), &known, at(2)), Looks::new());
        assert_eq!(quiet.takes(&looks(&[("a", "2")]), &known, at(3)), Looks::new());
        let whole = looks(&[("a", "2")]);
        assert_eq!(quiet.takes(&whole, &known, at(4)), whole);
    }

    #[test]
    fn what_is_known_is_not_whole_again_before_it_changes() {
        let (mut quiet, known) = (quiet(), looks(&[("a", "1")]));
        quiet.takes(&known, &known, at(0));
        assert_eq!(quiet.takes(&known, &known, at(9)), Looks::new());
        assert_eq!(quiet.next_due(), None);
        let changed = looks(&[("a", "2")]);
        quiet.takes(&changed, &known, at(10));
        assert_eq!(quiet.takes(&changed, &known, at(12)), changed);
    }

    #[test]
    fn what_is_held_open_by_who_writes_waits_for_that() {
        let (mut quiet, known, one) = (quiet(), Looks::new(), looks(&[("a", "1")]));
        quiet.writes("a".into(), at(0));
        quiet.takes(&one, &known, at(0));
        assert_eq!(quiet.takes(&one, &known, at(10)), Looks::new());
        quiet.closed(OsStr::new("a"));
        assert_eq!(quiet.takes(&one, &known, at(10)), one);
        // What cannot be read is not looked at over and over again.
        quiet.puts_off(OsStr::new("a"), at(10));
        assert_eq!(quiet.next_due(), Some(at(72)));
        assert_eq!(quiet.takes(&one, &known, at(20)), Looks::new());
        // An end that nobody has heard of does not hold it for ever.
        quiet.writes("b".into(), at(10));
        let two = looks(&[("b", "1")]);
        quiet.takes(&two, &known, at(10));
        assert_eq!(quiet.takes(&two, &known, at(72)), two);
    }

    #[test]
    fn hidden_and_partial_files_links_and_special_files_are_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for name in ["a", ".b", "c.part", "d.crdownload", "e~"] {
            fs::write(path.join(name), "x").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(path.join("a"), path.join("link")).unwrap();
        let names: Vec<_> = look(path).unwrap().into_keys().collect();
        assert_eq!(names, ["a"]);
    }

    #[test]
    fn a_folder_is_another_one_once_anything_in_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        fs::create_dir_all(&path).unwrap();
        let look = || look_at(&folder.path().join("a")).unwrap().unwrap();
        let empty = look();
        fs::write(path.join("c"), "x").unwrap();
        let first = look();
        assert_ne!(first, empty);
        fs::write(path.join(".hidden"), "x").unwrap();
        assert_eq!(look(), first);
        fs::write(path.join("c"), "xy").unwrap();
        assert_ne!(look(), first);
    }
}
