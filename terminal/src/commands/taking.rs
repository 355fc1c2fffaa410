//! The files of a beam, for a person who stays in it: each has a number, by which they take it, pause it, go on with it, and cancel it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use heliograph_device::engine::contract::{End, Progress};
use heliograph_device::file_facts::FileFacts;
use heliograph_device::io::files::target::Target;
use heliograph_device::session::item::Item;
use heliograph_shared::ids::ItemId;
use tokio::time::Instant;

use super::typed::Word;
use crate::beam::Beam;
use crate::exit::Stop;
use crate::files::{bytes_of, moves, receiving_folder, why};
use crate::progress::{self, Bars, Pace};
use crate::safe;
use crate::voice::{ASIDE, Event, NAME, Voice};

/// A file that moves is told of where another quarter of it is here, but not more often than so.
const TELLS_EVERY: Duration = Duration::from_secs(5);

/// The files that were shown.
pub(super) struct Taking<'a> {
    voice: &'a Voice,
    /// Where they are received.
    into: PathBuf,
    target: Option<Arc<Target>>,
    files: Vec<Shown>,
    /// Whether a person types at a terminal.
    is_typed: bool,
    bars: Bars<ItemId>,
}

struct Shown {
    item: Box<Item>,
    facts: FileFacts,
    state: State,
    moved: Moved,
}

/// How far a file is.
#[derive(Default)]
struct Moved {
    bytes: u64,
    pace: Pace,
    /// What was told last: how many quarters were here, and when.
    told: Option<(u64, Instant)>,
}

impl Moved {
    /// Notes how far it is. Returns whether that is to be told.
    fn is_at(&mut self, progress: &Progress, size: u64, now: Instant) -> bool {
        (self.bytes, self.pace) = (bytes_of(progress, size), Pace::of(progress));
        let quarter = self.percent(size) / 25;
        // The beginning is told by who takes it.
        let (told, at) = *self.told.get_or_insert((quarter, now));
        let is_due = quarter > told && now.saturating_duration_since(at) >= TELLS_EVERY;
        if is_due {
            self.told = Some((quarter, now));
        }
        is_due && matches!(progress, Progress::Moving { .. })
    }

    fn percent(&self, size: u64) -> u64 {
        // In parts of so many bytes that no product is too large.
        let (bytes, size) = (u128::from(self.bytes), u128::from(size.max(1)));
        u64::try_from(bytes * 100 / size).unwrap_or(100).min(100)
    }

    fn said(&self, size: u64) -> String {
        let left = size.saturating_sub(self.bytes);
        format!("{}% of {}, {}", self.percent(size), progress::size(size), self.pace.said(left))
    }
}

/// How a file stands here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// It was not taken, or was given up.
    Shown,
    Comes,
    /// Its person has paused it. It goes on in a later run too.
    Rests,
    /// It has come.
    Here,
    /// It is in the beam no more. Its number stays its own.
    Gone,
}

impl<'a> Taking<'a> {
    /// Where a person types at a terminal, there are no bars: what is typed and what is drawn would stand in one line, and each would
    /// wipe the other out.
    pub(super) fn new(voice: &'a Voice, into: Option<&Path>, is_typed: bool) -> Self {
        let into = into.unwrap_or(Path::new(".")).to_owned();
        let bars = if is_typed { Bars::hidden() } else { Bars::new(voice) };
        Self { voice, into, target: None, files: Vec::new(), is_typed, bars }
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
            // A deletion may be taken back.
            if file.state == State::Gone {
                file.state = State::Shown;
            }
            return Ok(());
        }
        let number = self.files.len() + 1;
        let said = format!("{ASIDE}  /take {number} receives it{ASIDE:#}");
        self.voice.line(&said)?;
        let files = facts.manifest.map(|manifest| manifest.files);
        let (id, from, size) = (item.id, item.from, facts.size.bytes());
        let (name, file) = (beam.people.name(from), facts.name.as_str());
        self.voice.event(&Event::File { id, from, name, file, size, files })?;
        self.files.push(Shown { item, facts, state: State::Shown, moved: Moved::default() });
        Ok(())
    }

    /// Does something with a file, by its number or its id.
    pub(super) fn does(
        &mut self,
        beam: &mut Beam,
        word: Word,
        named: Option<&str>,
    ) -> Result<(), Stop> {
        let Some(named) = named else {
            self.voice
                .warn("With which file? Say its number too, as in /take 1; /files lists them.");
            return Ok(());
        };
        let Some(at) = self.named(named) else {
            self.voice.warn("There is no such file. /files lists them.");
            return Ok(());
        };
        let target = if word == Word::Take { Some(self.target()?) } else { None };
        let Some(file) = self.files.get_mut(at) else { return Ok(()) };
        let id = file.item.id;
        match (word, file.state) {
            (Word::Take | Word::Resume, State::Rests) => {
                file.state = State::Comes;
                beam.resume(id);
            }
            (Word::Take, State::Shown | State::Here) => {
                file.state = State::Comes;
                file.moved = Moved::default();
                if self.is_typed {
                    self.voice.hint(&format!("Receiving {}.", safe::line(&file.facts.name)));
                }
                if let Some(target) = target {
                    beam.receive(&file.item, &file.facts, target);
                }
            }
            (Word::Pause, State::Comes) => beam.pause(id),
            (Word::Cancel, State::Comes | State::Rests) => beam.cancel(id),
            (Word::Take, _) => self.voice.warn("It comes already."),
            (Word::Pause | Word::Resume | Word::Cancel, _) => {
                self.voice.warn("That cannot be done with it now.");
            }
        }
        Ok(())
    }

    /// Lists the files.
    pub(super) fn lists(&self, beam: &Beam) -> Result<(), Stop> {
        let mut is_empty = true;
        for (number, file) in (1..).zip(&self.files) {
            let size = file.facts.size.bytes();
            let state = match file.state {
                State::Gone => continue,
                State::Shown => progress::size(size),
                State::Comes | State::Rests => file.moved.said(size),
                State::Here => format!("{}, received", progress::size(size)),
            };
            is_empty = false;
            let (name, from) = (safe::line(&file.facts.name), beam.people.name(file.item.from));
            let from = safe::line(from);
            self.voice.line(&format!("{number:>3}  {name}, {state}, from {NAME}{from}{NAME:#}"))?;
        }
        if is_empty {
            self.voice.warn("There are no files in this beam.");
        }
        Ok(())
    }

    /// The place of a file in the list, by its number or by its id.
    fn named(&self, named: &str) -> Option<usize> {
        let by_id = self.files.iter().position(|file| file.item.id.to_string() == named);
        let by_number = || named.parse::<usize>().ok()?.checked_sub(1);
        let at = by_id.or_else(by_number)?;
        self.files.get(at).is_some_and(|file| file.state != State::Gone).then_some(at)
    }

    fn target(&mut self) -> Result<Arc<Target>, Stop> {
        if let Some(target) = &self.target {
            return Ok(target.clone());
        }
        let target = receiving_folder(&self.into)?;
        Ok(self.target.insert(target).clone())
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
            Progress::Done { .. } => State::Here,
            progress if progress.has_ended() => State::Shown,
            _ => State::Comes,
        };
        if file.moved.is_at(progress, size, Instant::now()) && self.is_typed {
            self.voice.hint(&format!("{}: {}", safe::line(name), file.moved.said(size)));
        }
        if progress.has_ended() || matches!(progress, Progress::Queued { .. }) {
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
            file.state = State::Gone;
        }
    }
}

#[cfg(test)]
mod tests {
    use heliograph_device::engine::contract::Carrying;

    use super::*;

    fn moving(bytes: u64) -> Progress {
        Progress::Moving { bytes, bytes_per_second: 100.0, twice: 0, via: Carrying::default() }
    }

    #[test]
    fn a_file_is_told_of_at_each_quarter_but_not_more_often_than_every_five_seconds() {
        let (mut moved, begun) = (Moved::default(), Instant::now());
        let mut at = |bytes, seconds| {
            moved.is_at(&moving(bytes), 1_000, begun + Duration::from_secs(seconds))
        };
        assert!(!at(10, 0));
        assert!(!at(300, 4), "too early");
        assert!(at(310, 5));
        assert!(!at(490, 60), "of the same quarter");
        assert!(at(990, 61));
        assert_eq!(moved.said(1_000), "99% of 1.00 kB, 100 B/s 1 s");
    }
}
