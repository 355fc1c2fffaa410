//! Receives files and folders.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use heliograph_device::engine::contract::{Progress, TransferFailure};
use heliograph_device::file_facts::FileFacts;
use heliograph_device::io::file_device::Told;
use heliograph_device::io::files::target::Target;
use heliograph_device::session::item::Item;
use heliograph_device::session::{Encryption, News, Status};
use heliograph_shared::ids::{DeviceId, ItemId};
use tokio::time::{Instant, timeout_at};

use super::known::Known;
use super::{Context, stands};
use crate::beam::Beam;
use crate::cli::ReceiveArgs;
use crate::exit::{Exit, Stop};
use crate::files::{bytes_of, moves, receiving_folder, settings, why};
use crate::link::existing;
use crate::progress::{Bars, Pace};
use crate::safe;
use crate::voice::Event;

/// Without `--wait`, nothing is waited for that has not come nearer for so long, and with it no file that its device has no more: a program
/// that was started again may have it a moment later.
const WITHIN: Duration = Duration::from_secs(30);
/// Why a file in clear text is left where it is, in a beam whose devices seal (E12).
const UNPROVEN: &str = "it is not encrypted, so the server could have made it up";

pub(super) async fn run(context: &Context<'_>, asked: ReceiveArgs) -> Result<(), Stop> {
    let voice = context.voice;
    let folder = asked.folder.or(asked.into).unwrap_or_else(|| ".".into());
    let target = receiving_folder(&folder)?;
    let wanted = existing(asked.link.link.as_deref(), asked.link.clear)?;
    let destination = context.destination(wanted).await?;
    let settings = settings(&asked.ways)?;
    let until = match (asked.stay, asked.wait) {
        (true, _) => Until::Interrupted,
        (false, true) => Until::AllHasCome,
        (false, false) => Until::NothingComes,
    };
    let name = context.name.clone();
    let mut beam = Beam::enter_with_files(destination, name, context.timeout, settings).await?;
    beam.compares(context.comparing());
    let mut receiving = Receiving {
        context,
        until,
        target,
        files: BTreeMap::new(),
        known: Known::default(),
        was_lost: false,
        bars: Bars::new(voice),
    };
    receiving.run(&mut beam).await?;
    let result = receiving.result(&beam);
    drop(receiving);
    beam.leave().await;
    result
}

/// How long it receives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// Until nothing more comes of what is there.
    NothingComes,
    /// Until something was there, and all of it has come.
    AllHasCome,
    Interrupted,
}

struct Receiving<'a> {
    context: &'a Context<'a>,
    until: Until,
    target: Arc<Target>,
    files: BTreeMap<ItemId, Coming>,
    known: Known,
    /// Whether the connection to the server was lost meanwhile.
    was_lost: bool,
    bars: Bars<ItemId>,
}

/// A file that comes.
struct Coming {
    name: String,
    size: u64,
    from: DeviceId,
    /// Whether the server has a copy of it.
    is_stored: bool,
    /// Whether all of its bytes are here. They are checked and put in place until it has come.
    is_here: bool,
    /// Whether it has come; `None` while it is under way.
    end: Option<bool>,
    /// How long a device that has said that it has the file no more is waited for: it goes on where that one has it again (F17).
    waited_until: Option<Instant>,
    why: Option<String>,
    /// What its person has heard of why it does not come.
    heard: Option<String>,
}

impl Coming {
    /// Whether only the disk is waited for.
    const fn is_put_in_place(&self) -> bool {
        self.is_here && self.end.is_none()
    }

    /// Whether its device may still have it again.
    fn is_waited_for(&self) -> bool {
        self.waited_until.is_some_and(|at| Instant::now() < at)
    }
}

impl Receiving<'_> {
    async fn run(&mut self, beam: &mut Beam) -> Result<(), Stop> {
        let mut patience = Instant::now() + WITHIN;
        loop {
            let told = match self.looks_at(patience) {
                None => beam.next_told().await?.0,
                Some(at) => match timeout_at(at, beam.next_told()).await {
                    Ok(told) => told?.0,
                    Err(_) if self.until == Until::AllHasCome => {
                        if self.is_done(beam) {
                            return Ok(());
                        }
                        continue;
                    }
                    Err(_)
                        if beam.waits_for_people()
                            || self.files.values().any(Coming::is_put_in_place) =>
                    {
                        patience = Instant::now() + WITHIN;
                        continue;
                    }
                    Err(_) if self.known.is_whole() => return Ok(()),
                    Err(_) => return Err(not_let_in(beam)),
                },
            };
            match told {
                Told::News(news) => self.hears(beam, news)?,
                Told::Receiving { id, progress } => {
                    if progress.has_ended() || matches!(progress, Progress::Moving { .. }) {
                        patience = Instant::now() + WITHIN;
                    }
                    self.comes(beam, id, &progress)?;
                }
                Told::Placed { id, paths } => self.placed(id, &paths)?,
                Told::Sending { .. } | Told::Path { .. } => {}
            }
            if self.is_done(beam) {
                return Ok(());
            }
        }
    }

    /// When to look whether it has waited for long enough although nothing was told.
    fn looks_at(&self, patience: Instant) -> Option<Instant> {
        let waited_for = self.files.values().filter(|file| file.is_waited_for());
        match self.until {
            Until::NothingComes => Some(patience),
            Until::AllHasCome => waited_for.filter_map(|file| file.waited_until).min(),
            Until::Interrupted => None,
        }
    }

    fn is_done(&self, beam: &Beam) -> bool {
        let here = beam.people.here();
        let has_ended = |file: &Coming| match self.until {
            // Nobody knows when a device comes back that was not here in the first place. One that has lost the server too comes soon.
            Until::NothingComes => {
                let may_come = file.is_stored || file.is_here || here.contains(&file.from);
                file.end.is_some() || !(may_come || self.was_lost)
            }
            Until::AllHasCome => file.end.is_some() && !file.is_waited_for(),
            Until::Interrupted => false,
        };
        let is_begun = self.until == Until::NothingComes || !self.files.is_empty();
        self.known.is_whole() && is_begun && self.files.values().all(has_ended)
    }

    fn hears(&mut self, beam: &mut Beam, news: News) -> Result<(), Stop> {
        let voice = self.context.voice;
        let was_whole = self.known.is_whole();
        self.known.hears(voice, beam, &news);
        let waits = self.until != Until::NothingComes && self.files.is_empty();
        if waits && !was_whole && self.known.is_whole() {
            voice.hint("Waiting for files.");
        }
        match news {
            News::Item(item) => self.offered(beam, &item)?,
            News::Gone(id) => {
                self.bars.ends(&id);
                if self.files.remove(&id).is_some() {
                    voice.event(&Event::Gone { id })?;
                }
            }
            News::Status(status) => {
                self.was_lost |= matches!(status, Status::Reconnecting { .. });
                self.bars.aside(|| stands(voice, status))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn offered(&mut self, beam: &mut Beam, item: &Item) -> Result<(), Stop> {
        let Some(facts) = FileFacts::read(&item.message) else { return Ok(()) };
        if Some(item.from) == beam.me() {
            return Ok(());
        }
        let (id, from, size) = (item.id, item.from, facts.size.bytes());
        let is_stored = facts.url.is_some();
        // Another version of the item says only where its copy is.
        if let Some(file) = self.files.get_mut(&id)
            && (file.end.is_none() || file.end == Some(true))
        {
            file.is_stored = is_stored;
            return Ok(());
        }
        let name = beam.people.name(from);
        let files = facts.manifest.map(|manifest| manifest.files);
        let file = facts.name.as_str();
        self.context.voice.event(&Event::File { id, from, name, file, size, files })?;
        let mut coming = Coming {
            name: facts.name.clone(),
            size,
            from,
            is_stored,
            is_here: false,
            end: None,
            waited_until: None,
            why: None,
            heard: None,
        };
        if beam.is_unproven(item) {
            // Nobody looks at what comes and decides.
            (coming.end, coming.why) = (Some(false), Some(UNPROVEN.to_owned()));
        } else {
            beam.receive(item, &facts, self.target.clone());
        }
        self.files.insert(id, coming);
        Ok(())
    }

    fn comes(&mut self, beam: &Beam, id: ItemId, progress: &Progress) -> Result<(), Stop> {
        let voice = self.context.voice;
        let Some(file) = self.files.get_mut(&id) else { return Ok(()) };
        let moves = moves(progress, file.size, beam.is_over_turn(file.from));
        voice.event(&Event::Receiving { id, file: &file.name, moves })?;
        file.end = progress.has_ended().then_some(matches!(progress, Progress::Done { .. }));
        file.is_here = matches!(progress, Progress::Moving { bytes, .. } if *bytes == file.size);
        let is_lost = matches!(progress, Progress::Failed { why: TransferFailure::Gone, .. });
        file.waited_until =
            is_lost.then(|| file.waited_until.unwrap_or_else(|| Instant::now() + WITHIN));
        file.why = why(progress);
        // Those that wait for their turn can be hundreds, which would push the ones that move off the screen.
        if file.end.is_some() || matches!(progress, Progress::Queued { .. }) {
            self.bars.ends(&id);
        } else {
            let bytes = bytes_of(progress, file.size);
            self.bars.stands(id, &file.name, (bytes, file.size), Pace::of(progress));
        }
        if let (Some(false), Some(why)) = (file.end, &file.why) {
            let said = missed(&file.name, why);
            if file.heard.as_ref() != Some(&said) {
                self.bars.aside(|| voice.warn(&said));
                if is_lost && self.until == Until::AllHasCome {
                    let within = WITHIN.as_secs();
                    let said = format!("Waiting {within} s for that device to have it again.");
                    self.bars.aside(|| voice.hint(&said));
                }
            }
            file.heard = Some(said);
        }
        Ok(())
    }

    fn placed(&mut self, id: ItemId, places: &[PathBuf]) -> Result<(), Stop> {
        let voice = self.context.voice;
        let paths: Vec<_> = places.iter().map(|path| path.to_string_lossy()).collect();
        self.bars.ends(&id);
        voice.event(&Event::Received { id, paths: &paths })?;
        let is_elsewhere = |path: &&Path| path.parent() != Some(self.target.path());
        if let Some(path) = places.first().map(PathBuf::as_path).filter(is_elsewhere) {
            let path = path.display().to_string();
            let said = format!("An earlier run has put this elsewhere: {}", safe::line(&path));
            self.bars.aside(|| voice.hint(&said));
        }
        self.bars.aside(|| paths.iter().try_for_each(|path| voice.line(&safe::line(path))))?;
        Ok(())
    }

    /// How it went.
    fn result(&self, beam: &Beam) -> Result<(), Stop> {
        if self.files.is_empty() {
            return Err(Stop::new(Exit::Nothing, "There is no file in this beam."));
        }
        let missing = self.files.values().filter(|file| file.end != Some(true));
        let said = missing.map(|file| {
            let is_here = beam.people.here().contains(&file.from);
            let other = if is_here {
                "it does not come"
            } else {
                "its device is not here, which --wait waits for"
            };
            let why = file.why.as_deref().unwrap_or(other);
            let said = missed(&file.name, why);
            (file.heard.as_ref() == Some(&said), said)
        });
        let (heard, unheard): (Vec<_>, Vec<_>) = said.partition(|(is_heard, _)| *is_heard);
        if heard.is_empty() && unheard.is_empty() {
            return Ok(());
        }
        let lines = |said: Vec<(bool, String)>| {
            said.into_iter().map(|(_, said)| said).collect::<Vec<_>>().join("\n")
        };
        let mut stop = Stop::new(Exit::Failed, lines(unheard));
        stop.heard = lines(heard);
        Err(stop)
    }
}

/// Says of a file that it does not come.
fn missed(name: &str, why: &str) -> String {
    format!("Not received: {} ({why}).", safe::line(name))
}

fn not_let_in(beam: &Beam) -> Stop {
    match beam.encryption() {
        Encryption::Waiting { .. } => beam.not_let_in(WITHIN),
        _ => Stop::new(Exit::Unreachable, "The server says nothing."),
    }
}
