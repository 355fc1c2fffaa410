//! The files of a beam, for a person who stays in it: each has a number, by which they take it, pause it, go on with it, and cancel it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use heliograph_device::engine::contract::{End, Progress};
use heliograph_device::file_facts::FileFacts;
use heliograph_device::io::files::target::Target;
use heliograph_device::session::item::Item;
use heliograph_shared::ids::ItemId;

use crate::beam::Beam;
use crate::exit::Stop;
use crate::files::{bytes_of, has_ended, moves, receiving_folder, why};
use crate::progress::{Bars, Pace};
use crate::safe;
use crate::voice::{ASIDE, Event, Voice};

/// What is typed of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Take,
    Pause,
    Resume,
    Cancel,
}

/// The word of a line, and what it names; `None` for a line that is a text.
fn word_of(line: &str) -> Option<(Word, &str)> {
    let (word, named) = line.trim().split_once(' ')?;
    let word = match word {
        "/take" => Word::Take,
        "/pause" => Word::Pause,
        "/resume" => Word::Resume,
        "/cancel" => Word::Cancel,
        _ => return None,
    };
    let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let named = named.trim();
    (!named.is_empty() && is_name(named)).then_some((word, named))
}

/// Whether a line has one of the words, and no file: it was not meant for the others.
fn names_no_file(line: &str) -> bool {
    word_of(&format!("{} 1", line.trim())).is_some()
}

/// The files that were shown.
pub(super) struct Taking<'a> {
    voice: &'a Voice,
    /// Where they are received.
    into: PathBuf,
    target: Option<Arc<Target>>,
    files: Vec<Shown>,
    bars: Bars<ItemId>,
}

struct Shown {
    item: Box<Item>,
    facts: FileFacts,
    state: State,
}

/// How a file stands here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// It was not taken, or has come, or was given up.
    Shown,
    Comes,
    /// Its person has paused it. It goes on in a later run too.
    Rests,
}

impl<'a> Taking<'a> {
    pub(super) fn new(voice: &'a Voice, into: Option<&Path>) -> Self {
        let into = into.unwrap_or(Path::new(".")).to_owned();
        Self { voice, into, target: None, files: Vec::new(), bars: Bars::new(voice) }
    }

    /// Whether anything is still to come that was taken.
    pub(super) fn is_busy(&self) -> bool {
        self.files.iter().any(|file| file.state == State::Comes)
    }

    /// An item has come, or another version of one. A file gets the next number.
    pub(super) fn came(&mut self, beam: &Beam, item: Box<Item>) -> Result<(), Stop> {
        let Some(facts) = FileFacts::read(&item.message) else { return Ok(()) };
        if Some(item.from) == beam.me() {
            return Ok(());
        }
        if let Some(file) = self.files.iter_mut().find(|file| file.item.id == item.id) {
            (file.item, file.facts) = (item, facts);
            return Ok(());
        }
        let number = self.files.len() + 1;
        let said = format!("{ASIDE}  /take {number} receives it{ASIDE:#}");
        self.voice.line(&said)?;
        let files = facts.manifest.map(|manifest| manifest.files);
        let (id, from, size) = (item.id, item.from, facts.size.bytes());
        let (name, file) = (beam.people.name(from), facts.name.as_str());
        self.voice.event(&Event::File { id, from, name, file, size, files })?;
        self.files.push(Shown { item, facts, state: State::Shown });
        Ok(())
    }

    /// Does what a line says of a file. Returns false where it says nothing of one.
    pub(super) fn does(&mut self, beam: &mut Beam, line: &str) -> Result<bool, Stop> {
        if names_no_file(line) {
            self.voice.hint("Of which file? Say its number too, as in /take 1.");
            return Ok(true);
        }
        let Some((word, named)) = word_of(line) else { return Ok(false) };
        let Some(at) = self.named(named) else {
            self.voice.hint("There is no such file.");
            return Ok(true);
        };
        let target = if word == Word::Take { Some(self.target()?) } else { None };
        let Some(file) = self.files.get_mut(at) else { return Ok(true) };
        let id = file.item.id;
        match (word, file.state) {
            (Word::Take | Word::Resume, State::Rests) => {
                file.state = State::Comes;
                beam.resume(id);
            }
            (Word::Take, _) => {
                file.state = State::Comes;
                if let Some(target) = target {
                    beam.receive(&file.item, &file.facts, target);
                }
            }
            (Word::Pause, State::Comes) => beam.pause(id),
            (Word::Cancel, State::Comes | State::Rests) => beam.cancel(id),
            (Word::Pause | Word::Resume | Word::Cancel, _) => {
                self.voice.hint("That cannot be done with it now.");
            }
        }
        Ok(true)
    }

    /// The place of a file in the list, by its number or by its id.
    fn named(&self, named: &str) -> Option<usize> {
        let by_id = self.files.iter().position(|file| file.item.id.to_string() == named);
        let by_number = || named.parse::<usize>().ok()?.checked_sub(1);
        by_id.or_else(by_number).filter(|at| *at < self.files.len())
    }

    fn target(&mut self) -> Result<Arc<Target>, Stop> {
        if let Some(target) = &self.target {
            return Ok(target.clone());
        }
        let target = receiving_folder(&self.into)?;
        Ok(self.target.insert(Arc::new(target)).clone())
    }

    /// How a file is doing that comes.
    pub(super) fn comes(
        &mut self,
        beam: &Beam,
        id: ItemId,
        progress: &Progress,
    ) -> Result<(), Stop> {
        let Some(file) = self.files.iter_mut().find(|file| file.item.id == id) else {
            return Ok(());
        };
        let (name, size) = (file.facts.name.as_str(), file.facts.size.bytes());
        let moves = moves(progress, size, beam.is_over_turn(file.item.from));
        self.voice.event(&Event::Receiving { id, file: name, moves })?;
        file.state = match progress {
            Progress::Paused { by: End::Here, .. } => State::Rests,
            progress if has_ended(progress) => State::Shown,
            _ => State::Comes,
        };
        if file.state == State::Shown || matches!(progress, Progress::Queued { .. }) {
            self.bars.ends(&id);
        } else {
            self.bars.stands(id, name, (bytes_of(progress, size), size), Pace::of(progress));
        }
        if let Some(why) = why(progress) {
            let said = format!("{}: {why}.", safe::line(name));
            self.bars.aside(|| self.voice.hint(&said));
        }
        Ok(())
    }

    /// A file is where it is to be.
    pub(super) fn placed(&mut self, id: ItemId, paths: &[PathBuf]) -> Result<(), Stop> {
        let paths: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
        self.bars.ends(&id);
        self.voice.event(&Event::Received { id, paths: &paths })?;
        for path in &paths {
            self.bars
                .aside(|| self.voice.line(&format!("{ASIDE}* {}{ASIDE:#}", safe::line(path))))?;
        }
        Ok(())
    }

    /// An item is gone.
    pub(super) fn gone(&mut self, id: ItemId) {
        self.bars.ends(&id);
        for file in self.files.iter_mut().filter(|file| file.item.id == id) {
            file.state = State::Shown;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_without_a_file_is_no_text_and_a_text_is_no_word() {
        assert!(names_no_file("/take") && names_no_file(" /cancel "));
        assert!(!["/take 1", "take", "/taken", "/etc/hosts", ""].into_iter().any(names_no_file));
        assert_eq!(word_of("/pause 2"), Some((Word::Pause, "2")));
        assert_eq!(word_of("/take care of it"), None);
    }
}
