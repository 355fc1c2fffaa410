//! Keeps a folder and a beam in step.

mod changes;
mod sending;
mod shared_files;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use heliograph_device::file_facts::FileFacts;
use heliograph_device::io::file_device::{FileSettings, Told};
use heliograph_device::io::files::target::Target;
use heliograph_device::session::News;
use heliograph_shared::ids::ItemId;
use serde::{Deserialize, Serialize};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep_until};

use self::changes::{Changes, Written};
use self::sending::Sending;
use self::shared_files::SharedFiles;
use super::known::Known;
use super::staying::Patience;
use super::storing::Storing;
use super::{Context, stands};
use crate::beam::{Beam, begin};
use crate::cli::WatchArgs;
use crate::exit::{Exit, Stop};
use crate::files::{receiving_folder, settings};
use crate::known_beam::KnownBeam;
use crate::landing::{Landed, Landing, hash};
use crate::late_state::LateState;
use crate::link::{Destination, Wanted, existing};
use crate::state::StateFile;
use crate::watched::{Looks, Quiet, look, look_at};

/// The folder is looked at so long after a change: more of them follow.
const AFTER_CHANGE: Duration = Duration::from_millis(100);
/// The folder is looked at so often in any case: some disks, as those of other machines, tell of no change.
const LOOKS_EVERY: Duration = Duration::from_secs(30);

/// What is remembered of a folder and its beam.
#[derive(Clone, Serialize, Deserialize)]
struct WatchState {
    beam: KnownBeam,
    landed: Landed,
    files: SharedFiles,
    /// Whether what was there at first is known.
    is_begun: bool,
}

pub(super) async fn run(context: &Context<'_>, asked: &WatchArgs) -> Result<(), Stop> {
    let voice = context.voice;
    let target = receiving_folder(&asked.folder)?;
    let link = named(context, asked).await?;
    let path = hash(target.path().as_os_str().as_encoded_bytes());
    let path = path.get(..16).unwrap_or_default();
    let file = StateFile::named("watched", &format!("{}-{path}.json", link.beam))?;
    let _lock = file.lock()?;
    let (changes, why) = Changes::of(target.path());
    if let Some(why) = why {
        voice.hint(&format!(
            "The system tells of no changes ({why}): the folder is looked at now and then."
        ));
    }
    let mut state = begun(&file, link, &target, asked.all)?;
    let quiet = Quiet::after(asked.settle);
    let (mut patience, started) = (Patience::default(), Instant::now());
    let (looks_at, looking, is_outdated) = (started, None, false);
    let mut disk = Disk { target, changes, quiet, started, looks_at, looking, is_outdated };
    loop {
        let mut watch = Watch {
            context,
            landing: Landing::new(voice, disk.target.clone(), asked.texts),
            sending: Sending::default(),
            storing: None,
            known: Known::default(),
            state: LateState::new(file.clone(), state),
        };
        let settings = settings(&asked.ways)?;
        let Err(stop) = watch.stays(&mut disk, &mut patience, settings).await;
        watch.state.write()?;
        state = watch.state.value.clone();
        drop(watch);
        patience.waits(voice, stop).await?;
    }
}

/// The beam. A server that is away is tried again, as later too.
async fn named(context: &Context<'_>, asked: &WatchArgs) -> Result<KnownBeam, Stop> {
    let mut patience = Patience::default();
    let mut wanted = existing(asked.to.as_deref(), asked.clear)?;
    loop {
        let name = match &wanted {
            Wanted::Saved { name, is_clear } => Some((name.clone(), *is_clear)),
            Wanted::Here(_) => None,
        };
        let found = match context.destination(wanted).await {
            Ok(destination) => begin(destination).await,
            Err(stop) => Err(stop),
        };
        match (found, name) {
            (Err(stop), Some((name, is_clear))) if stop.may_pass => {
                patience.waits(context.voice, stop).await?;
                wanted = Wanted::Saved { name, is_clear };
            }
            (found, _) => return found,
        }
    }
}

fn unreadable(target: &Target, why: &io::Error) -> Stop {
    let path = target.path().display();
    Stop::new(Exit::Failed, format!("{path} cannot be read: {why}."))
}

/// What an earlier run has left, or a new beginning.
fn begun(
    file: &StateFile,
    link: KnownBeam,
    target: &Target,
    is_all: bool,
) -> Result<WatchState, Stop> {
    let mut state = match file.read::<WatchState>()? {
        Some(mut state) => {
            // Whoever was never let in may have come with another link.
            if state.beam.keyring()?.is_some_and(|keys| !keys.is_keyed()) {
                let token = state.beam.token.clone();
                state.beam = KnownBeam { token, ..link };
            } else {
                // What was named by its link may be named as a saved one now.
                state.beam.is_of_account = link.is_of_account;
            }
            state
        }
        None => WatchState {
            beam: link,
            landed: Landed::default(),
            files: SharedFiles::default(),
            is_begun: is_all,
        },
    };
    if !std::mem::replace(&mut state.is_begun, true) {
        // What is there at first is none of the beam's.
        for (name, look) in look(target.path()).map_err(|why| unreadable(target, &why))? {
            state.files.came(name, look);
        }
        file.write(&state)?;
    }
    Ok(state)
}

/// The folder.
struct Disk {
    target: Arc<Target>,
    changes: Changes,
    quiet: Quiet,
    started: Instant,
    looks_at: Instant,
    looking: Option<JoinHandle<io::Result<Looks>>>,
    /// Whether something has landed since that look began, which may lack it.
    is_outdated: bool,
}

impl Disk {
    /// Waits until the folder is to be looked at, and looks. Nothing is lost when the wait is given up.
    async fn next(&mut self) -> Result<Looks, Stop> {
        loop {
            if let Some(looking) = &mut self.looking {
                let looked = looking.await;
                self.looking = None;
                let looked = looked.map_err(|why| Stop::new(Exit::Failed, why.to_string()))?;
                if self.is_outdated {
                    self.looks_at = Instant::now() + AFTER_CHANGE;
                    continue;
                }
                self.looks_at = Instant::now() + LOOKS_EVERY;
                return looked.map_err(|why| unreadable(&self.target, &why));
            }
            tokio::select! {
                written = self.changes.next() => self.changed(written),
                () = sleep_until(self.looks_at) => {
                    let path = self.target.path().to_owned();
                    self.is_outdated = false;
                    self.looking = Some(spawn_blocking(move || look(&path)));
                }
            }
        }
    }

    fn changed(&mut self, written: Written) {
        let now = self.started.elapsed();
        for (name, is_closed) in written {
            if is_closed {
                self.quiet.closed(&name);
            } else {
                self.quiet.writes(name, now);
            }
        }
        self.looks_within(AFTER_CHANGE);
    }

    fn looks_within(&mut self, time: Duration) {
        self.looks_at = self.looks_at.min(Instant::now() + time);
    }

    /// Returns what is whole and not known.
    fn takes(&mut self, looks: &Looks, known: &Looks) -> Looks {
        let whole = self.quiet.takes(looks, known, self.started.elapsed());
        if let Some(due) = self.quiet.next_due() {
            self.looks_at = self.looks_at.min(self.started + due).max(Instant::now());
        }
        whole
    }
}

async fn stored(storing: Option<&mut Storing>) -> Result<Option<(ItemId, FileFacts)>, Stop> {
    match storing {
        Some(storing) => storing.next().await,
        None => std::future::pending().await,
    }
}

struct Watch<'a> {
    context: &'a Context<'a>,
    landing: Landing<'a>,
    sending: Sending,
    storing: Option<Storing>,
    known: Known,
    state: LateState<WatchState>,
}

/// Nothing that stays comes to an end but by an error.
enum Never {}

impl Watch<'_> {
    async fn stays(
        &mut self,
        disk: &mut Disk,
        patience: &mut Patience,
        settings: FileSettings,
    ) -> Result<Never, Stop> {
        let destination = Destination::Known(Box::new(self.state.value.beam.clone()));
        let (name, within) = (self.context.name.clone(), self.context.timeout);
        let mut beam = Beam::enter_with_files(destination, name, within, settings).await?;
        beam.compares(self.context.comparing());
        self.storing = Some(Storing::of(self.context.voice, &beam, false));
        disk.looks_within(Duration::ZERO);
        loop {
            tokio::select! {
                told = beam.next_told() => {
                    let (told, _) = told?;
                    self.hears(&mut beam, disk, told, patience).await?;
                }
                // What has landed could be taken for something new before it is told.
                looks = disk.next(), if self.known.is_whole() && beam.has_told_all() => {
                    self.looked(&mut beam, disk, &looks?).await?;
                }
                stored = stored(self.storing.as_mut()) => {
                    if let Some((id, facts)) = stored? {
                        sending::stored(&mut beam, id, &facts);
                    }
                }
                () = self.state.is_due() => {
                    self.state.write()?;
                }
            }
        }
    }

    async fn hears(
        &mut self,
        beam: &mut Beam,
        disk: &mut Disk,
        told: Told,
        patience: &mut Patience,
    ) -> Result<(), Stop> {
        let voice = self.context.voice;
        if let Told::News(news) = &told {
            if let Some(storing) = &mut self.storing {
                storing.hears(news, beam.me());
            }
            self.known.hears(voice, beam, news);
            match news {
                News::Welcome(welcome) => {
                    patience.is_live();
                    self.sending.is_forgotten = welcome.forgotten;
                }
                News::Status(status) => self.landing.bars().aside(|| stands(voice, *status))?,
                News::Synced { .. } => self.landing.tries_again(beam),
                _ => {}
            }
            self.state.value.beam = beam.known();
            self.state.has_changed();
        }
        if self.sending.hears(self.context, beam, &told, &mut self.state.value.files)? {
            self.state.has_changed();
        }
        for path in self.landing.hears(beam, &told, &mut self.state.value.landed).await? {
            self.has_landed(disk, path).await?;
        }
        Ok(())
    }

    /// What has landed is in the beam already.
    async fn has_landed(&mut self, disk: &mut Disk, path: PathBuf) -> Result<(), Stop> {
        let Some(name) = path.file_name().map(OsString::from) else { return Ok(()) };
        let looking = spawn_blocking(move || look_at(&path)).await;
        let looked = looking.map_err(|why| Stop::new(Exit::Failed, why.to_string()))?;
        if let Ok(Some(look)) = looked {
            self.state.value.files.came(name, look);
            self.state.has_changed();
            disk.is_outdated = true;
        }
        Ok(())
    }

    async fn looked(
        &mut self,
        beam: &mut Beam,
        disk: &mut Disk,
        looks: &Looks,
    ) -> Result<(), Stop> {
        // What has just landed could be taken for something new.
        if beam.files().is_some_and(|files| files.is_placing()) {
            disk.looks_within(AFTER_CHANGE);
            return Ok(());
        }
        if self.state.value.files.sees(looks) {
            self.state.has_changed();
        }
        for name in self.state.value.files.sent(looks) {
            self.sending
                .again(
                    (self.context, self.storing.as_mut()),
                    beam,
                    &disk.target,
                    &name,
                    &mut self.state.value.files,
                )
                .await?;
        }
        let whole = disk.takes(looks, &self.state.value.files.looks());
        let mut new = Vec::new();
        for (name, look) in whole {
            let found = sending::find(&disk.target, name.clone(), look.clone()).await?;
            let Some(found) = found else {
                disk.quiet.puts_off(&name, disk.started.elapsed());
                continue;
            };
            let items = self.sending.prepare(beam, &name, &found, &self.state.value.files);
            let prints = items.iter().copied().zip(sending::prints(&found)).collect();
            self.state.value.files.sends(name, look, prints);
            new.push((items, found));
        }
        if !new.is_empty() {
            // Before anything is sent: whoever is killed in between sends it once.
            self.state.write()?;
        }
        for (items, found) in new {
            let storing = self.storing.as_mut();
            self.sending.send((self.context, storing), beam, items, found)?;
        }
        Ok(())
    }
}
