//! Sends files and folders.

use std::collections::{BTreeMap, BTreeSet};

use heliograph_device::engine::contract::{Progress, TransferFailure};
use heliograph_device::file_facts::FileFacts;
use heliograph_device::io::file_device::Told;
use heliograph_device::io::files::error::FileError;
use heliograph_device::io::files::walk::{LeftOut, WhyLeftOut};
use heliograph_device::io::offering::{Chosen, NewFile, choose};
use heliograph_device::session::{Input, News};
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::socket::KeepTime;
use tokio::task::spawn_blocking;

use super::keeping::Keeping;
use super::storing::Storing;
use super::{Context, stands};
use crate::beam::Beam;
use crate::cli::{SendArgs, WayArgs};
use crate::exit::{Exit, Stop};
use crate::files::{bytes_of, media_type, moves, say_left_out, settings, shared, why};
use crate::link::{Destination, to_share};
use crate::people::Change;
use crate::progress::{Bars, Pace};
use crate::safe;
use crate::saving::Saving;
use crate::voice::Event;

pub(super) async fn run(context: &Context<'_>, asked: SendArgs) -> Result<(), Stop> {
    let saving = context.saving(asked.save.as_deref()).await?;
    let wanted = match &saving {
        Some(saving) => saving.wanted(),
        None => to_share(asked.to.as_deref(), asked.clear, context.server.as_ref())?,
    };
    let destination = context.destination(wanted).await?;
    let files = chosen(context, asked.paths).await?;
    let until = match (asked.once, asked.keep) {
        (true, _) => Until::OneHasAll,
        (false, Some(time)) => Until::Kept(time),
        (false, None) => Until::Interrupted,
    };
    let how = How { ways: &asked.ways, until, saving, shows_code: asked.code };
    all(context, destination, files, how).await
}

/// How files are sent.
pub(super) struct How<'a> {
    /// The ways.
    pub(super) ways: &'a WayArgs,
    /// How long.
    pub(super) until: Until,
    /// Where the beam is saved that is made.
    pub(super) saving: Option<Saving>,
    /// Whether a short code leads to the beam.
    pub(super) shows_code: bool,
}

/// How long files are sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// Until one device has them all.
    OneHasAll,
    /// Until the server keeps a copy of all.
    Kept(KeepTime),
    Interrupted,
}

/// Sends files to every device that comes.
pub(super) async fn all(
    context: &Context<'_>,
    destination: Destination,
    files: Vec<NewFile>,
    How { ways, until, saving, shows_code }: How<'_>,
) -> Result<(), Stop> {
    let settings = settings(ways)?;
    let name = context.name.clone();
    let folder = shared()?;
    let to_share = (settings, folder.as_path(), &files[..]);
    let mut beam = Beam::enter_to_share(destination, name, context.timeout, to_share).await?;
    beam.compares(context.comparing());
    let keep_time = match until {
        Until::Kept(time) => Some(time),
        Until::OneHasAll | Until::Interrupted => None,
    };
    let mut sending = Sending {
        context,
        until,
        keeping: Keeping::new(keep_time, saving.is_some()),
        storing: Storing::of(context.voice, &beam, keep_time.is_some()),
        is_link_shown: false,
        has_given: false,
        saving,
        shows_code,
        waiting: files,
        offered: BTreeMap::new(),
        unconfirmed: BTreeSet::new(),
        to: BTreeMap::new(),
        failure: None,
        bars: Bars::new(context.voice),
    };
    let result = sending.run(&mut beam).await;
    let failure = sending.failure.take();
    drop(sending);
    result?;
    if failure.is_none() {
        beam.forget_shared();
    }
    beam.leave().await;
    failure.map_or(Ok(()), Err)
}

/// What is to be sent.
async fn chosen(
    context: &Context<'_>,
    paths: Vec<std::path::PathBuf>,
) -> Result<Vec<NewFile>, Stop> {
    let chosen = spawn_blocking(move || choose(&paths, media_type)).await;
    let Chosen { files, left_out } =
        chosen.map_err(|why| Stop::new(Exit::Failed, why.to_string()))?;
    say_left_out(context.voice, &left_out)?;
    if files.is_empty() {
        // A special file is nothing to send. What may not be read, or is not there, was.
        let has_failed = |one: &LeftOut| {
            !matches!(one.why, WhyLeftOut::Link | WhyLeftOut::Unreadable(FileError::Special))
        };
        let exit = if left_out.iter().any(has_failed) { Exit::Failed } else { Exit::Nothing };
        return Err(Stop::new(exit, "There is nothing to send."));
    }
    Ok(files)
}

struct Sending<'a> {
    context: &'a Context<'a>,
    until: Until,
    keeping: Keeping,
    storing: Storing,
    is_link_shown: bool,
    /// Whether a device has had all that nobody had deleted.
    has_given: bool,
    /// The beam is saved once the server has what is offered there.
    saving: Option<Saving>,
    /// Whether a short code is still to be shown.
    shows_code: bool,
    /// What is not offered yet.
    waiting: Vec<NewFile>,
    offered: BTreeMap<ItemId, Offered>,
    /// What the server does not have yet.
    unconfirmed: BTreeSet<ItemId>,
    /// How far each device is with each file.
    to: BTreeMap<DeviceId, BTreeMap<ItemId, Standing>>,
    /// Why nobody can receive one of the files any more.
    failure: Option<Stop>,
    bars: Bars<DeviceId>,
}

struct Offered {
    name: String,
    size: u64,
}

/// How a device is with a file.
#[derive(Clone, Copy, Default)]
struct Standing {
    bytes: u64,
    has_all: bool,
    pace: Pace,
}

impl Sending<'_> {
    async fn run(&mut self, beam: &mut Beam) -> Result<(), Stop> {
        // A device that waits for what an earlier run has shared asks for it as soon as it sees this one, which may be before this program is
        // told that it is in the beam.
        if beam.goes_on() && beam.is_open() {
            self.offer_all(beam)?;
        }
        loop {
            tokio::select! {
                told = beam.next_told() => {
                    let (told, change) = told?;
                    self.is_told(beam, told, &change).await?;
                }
                // What the server says of a copy is read under the link.
                stored = self.storing.next(), if self.is_link_shown => {
                    if let Some((id, facts)) = stored? {
                        self.stored(beam, id, &facts);
                    }
                }
            }
            self.failure = self.failure.take().or_else(|| self.refusal(beam));
            self.has_given |= self.to.keys().any(|device| self.has_all(*device));
            let is_saved = self.saving.as_ref().is_none_or(Saving::is_done);
            let is_done = match self.until {
                Until::OneHasAll => self.has_given || self.is_stored(),
                Until::Kept(_) => self.is_stored() && self.keeping.is_done(beam, false),
                Until::Interrupted => false,
            };
            if self.until == Until::Interrupted
                && is_saved
                && self.is_stored()
                && self.storing.is_news()
            {
                let said = "The server has a copy of it all, for devices that come later.";
                self.bars.aside(|| self.context.voice.hint(said));
            }
            if (is_done && is_saved) || self.failure.is_some() {
                return Ok(());
            }
        }
    }

    async fn is_told(&mut self, beam: &mut Beam, told: Told, change: &Change) -> Result<(), Stop> {
        match told {
            Told::News(news) => {
                if let Some(saving) = &mut self.saving {
                    saving.hears(self.context.voice, beam, &news).await?;
                }
                self.hears(beam, news, change)?;
                // Whoever comes finds the files.
                if self.shows_code && self.waiting.is_empty() && self.unconfirmed.is_empty() {
                    self.shows_code = false;
                    let code = beam.code().await?;
                    self.bars.aside(|| self.context.voice.code(&code))?;
                }
            }
            Told::Sending { id, device, progress } => {
                self.goes(beam, id, device, &progress)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Why the server does not keep all of it, once what it keeps can be read by whoever comes.
    fn refusal(&self, beam: &Beam) -> Option<Stop> {
        let is_over = matches!(self.until, Until::Kept(_))
            && self.unconfirmed.is_empty()
            && self.keeping.is_done(beam, false);
        if is_over { self.storing.refusal() } else { None }
    }

    /// Whether the server has a copy of everything, named in the items, for as long as it keeps the beam.
    fn is_stored(&self) -> bool {
        self.storing.is_kept()
            && !self.offered.is_empty()
            && self.unconfirmed.is_empty()
            && self.offered.keys().all(|id| self.storing.has(*id))
    }

    /// The server has a copy: whoever comes later finds its address in the item (F9).
    fn stored(&mut self, beam: &mut Beam, id: ItemId, facts: &FileFacts) {
        if let Some(message) = facts.message().filter(|_| self.offered.contains_key(&id)) {
            self.unconfirmed.insert(id);
            let extra = facts.category().to_owned();
            beam.tell(Input::Share { id, message, extra, to: None });
        }
    }

    fn hears(&mut self, beam: &mut Beam, news: News, change: &Change) -> Result<(), Stop> {
        let voice = self.context.voice;
        self.keeping.hears(voice, beam, &news)?;
        self.storing.hears(&news, beam.me());
        match news {
            News::Welcome(_) => self.offer_all(beam)?,
            News::Status(status) => self.bars.aside(|| stands(voice, status))?,
            News::Confirmed(id) => self.confirmed(beam, id)?,
            News::Refused { id, why, .. } if self.offered.contains_key(&id) => {
                return Err(Stop::new(
                    Exit::Refused,
                    format!("The server does not take it: {why}"),
                ));
            }
            News::Synced { .. } => {
                if let Some(hint) = beam.lets_in() {
                    voice.hint(hint);
                }
            }
            News::Gone(id) => {
                self.offered.remove(&id);
                if self.offered.is_empty() {
                    return Err(Stop::new(Exit::Nothing, "Another device has deleted it."));
                }
            }
            News::Devices(_) => {
                for device in &change.left {
                    self.bars.ends(device);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The link of a new beam is shown once whoever opens it finds the files.
    fn confirmed(&mut self, beam: &mut Beam, id: ItemId) -> Result<(), Stop> {
        let voice = self.context.voice;
        voice.event(&Event::Shared { id })?;
        let is_first = self.unconfirmed.remove(&id) && self.unconfirmed.is_empty();
        if !is_first || std::mem::replace(&mut self.is_link_shown, true) {
            return Ok(());
        }
        if beam.is_new {
            voice.link(beam.link.beam, &beam.link.to_text(), beam.link.invite.is_some())?;
        }
        if let Some(saving) = &mut self.saving {
            saving.ask(beam);
        }
        voice.hint(match self.until {
            Until::OneHasAll => "Waiting until another device has it all.",
            Until::Kept(_) => "Waiting until the server keeps it all.",
            Until::Interrupted => "It goes to every device that comes. Ctrl-C ends.",
        });
        Ok(())
    }

    fn offer_all(&mut self, beam: &mut Beam) -> Result<(), Stop> {
        for file in std::mem::take(&mut self.waiting) {
            let (name, size) = (file.name.clone(), file.source.size());
            let source = file.source.clone();
            let id = beam.offer(file).ok_or_else(|| {
                Stop::new(Exit::Refused, format!("Too large to send: {}.", safe::line(&name)))
            })?;
            self.context.voice.event(&Event::Offered { id, file: &name, size })?;
            self.offered.insert(id, Offered { name, size });
            self.storing.offers(id, source);
            self.unconfirmed.insert(id);
        }
        Ok(())
    }

    fn goes(
        &mut self,
        beam: &Beam,
        id: ItemId,
        device: DeviceId,
        progress: &Progress,
    ) -> Result<(), Stop> {
        let voice = self.context.voice;
        let Some(Offered { name: file, size }) = self.offered.get(&id) else { return Ok(()) };
        let name = beam.people.name(device);
        let moves = moves(progress, *size, beam.is_over_turn(device));
        voice.event(&Event::Sending { id, device, name, file, moves })?;
        let standing = Standing {
            bytes: bytes_of(progress, *size),
            has_all: matches!(progress, Progress::Done { .. }),
            pace: Pace::of(progress),
        };
        let before = self.to.entry(device).or_default().insert(id, standing);
        let said = match progress {
            Progress::Done { .. } if !before.is_some_and(|before| before.has_all) => {
                Some(format!("{} has {}.", safe::line(name), safe::line(file)))
            }
            Progress::Cancelled { .. } | Progress::Failed { .. } => why(progress).map(|why| {
                format!("{} does not get {}: {why}.", safe::line(name), safe::line(file))
            }),
            _ => None,
        };
        if let Some(said) = said {
            self.bars.aside(|| voice.hint(&said));
        }
        if matches!(progress, Progress::Failed { why: TransferFailure::Changed, .. }) {
            let why = why(progress).unwrap_or_default();
            self.failure = Some(Stop::new(Exit::Failed, format!("{}: {why}.", safe::line(file))));
        }
        self.draw(beam, device, progress.has_ended());
        Ok(())
    }

    fn draw(&mut self, beam: &Beam, device: DeviceId, may_end: bool) {
        // What goes to a device that has left is told once more when it rests.
        let is_here = beam.people.here().contains(&device);
        if !is_here || (may_end && self.has_all(device)) {
            return self.bars.ends(&device);
        }
        let standings = || self.to.get(&device).into_iter().flat_map(BTreeMap::values);
        let bytes = standings().map(|standing| standing.bytes).sum();
        let pace = standings().map(|standing| standing.pace).fold(Pace::Waits, Pace::with);
        let size = self.offered.values().map(|offered| offered.size).sum();
        self.bars.stands(device, beam.people.name(device), (bytes, size), pace);
    }

    /// Whether a device has all that was offered.
    fn has_all(&self, device: DeviceId) -> bool {
        let Some(to) = self.to.get(&device) else { return false };
        let has: BTreeSet<_> =
            to.iter().filter(|(_, one)| one.has_all).map(|(id, _)| *id).collect();
        !self.offered.is_empty() && self.offered.keys().all(|id| has.contains(id))
    }
}
