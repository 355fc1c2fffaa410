//! Copies of files on the server of a saved or kept beam (F9), one after the other: they are there when this program has gone.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use heliograph_device::file_facts::FileFacts;
use heliograph_device::io::files::source::Source;
use heliograph_device::io::server::{Failure, Server};
use heliograph_device::io::storing::{NotStored, store};
use heliograph_device::session::News;
use heliograph_device::session::item::Item;
use heliograph_shared::ids::{BeamId, DeviceId, ItemId};
use heliograph_shared::socket::ServerMessage;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use crate::beam::Beam;
use crate::exit::{Exit, Stop};
use crate::safe;
use crate::voice::Voice;

/// Pause before a copy is tried again that failed for lack of a server.
const AGAIN: Duration = Duration::from_secs(20);

pub(super) struct Storing {
    voice: Voice,
    server: Server,
    beam: BeamId,
    /// Whether the program waits for the copies, and ends where there is none.
    must: bool,
    /// Whether the server keeps what is in the beam.
    is_kept: bool,
    sources: BTreeMap<ItemId, Source>,
    /// What the items of this device say that name no copy, in the order of their turns.
    lacking: Vec<(ItemId, FileFacts)>,
    /// Those of which the server takes none, or the file cannot be read.
    given_up: BTreeSet<ItemId>,
    stored: BTreeSet<ItemId>,
    /// Whether it was said that all are there.
    is_said: bool,
    not_before: Instant,
    task: Option<(ItemId, JoinHandle<Result<String, NotStored>>)>,
}

impl Storing {
    pub(super) fn of(voice: &Voice, beam: &Beam, must: bool) -> Self {
        Self {
            voice: voice.clone(),
            server: beam.server().clone(),
            beam: beam.link.beam,
            must,
            is_kept: false,
            sources: BTreeMap::new(),
            lacking: Vec::new(),
            given_up: BTreeSet::new(),
            stored: BTreeSet::new(),
            is_said: false,
            not_before: Instant::now(),
            task: None,
        }
    }

    /// A file is offered as this item.
    pub(super) fn offers(&mut self, id: ItemId, source: Source) {
        self.sources.insert(id, source);
    }

    /// Whether the server keeps what is in the beam.
    pub(super) const fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// Whether a copy of an item is there.
    pub(super) fn has(&self, id: ItemId) -> bool {
        self.stored.contains(&id)
    }

    /// Whether it was not said yet that all are there. It is from now on.
    pub(super) const fn is_news(&mut self) -> bool {
        !std::mem::replace(&mut self.is_said, true)
    }

    pub(super) fn hears(&mut self, news: &News, me: Option<DeviceId>) {
        match news {
            News::Welcome(welcome) => {
                self.is_kept = welcome.saved.is_some() || welcome.kept.is_some();
            }
            News::Server(message) => match &**message {
                ServerMessage::BeamSaved { .. } => self.is_kept = true,
                ServerMessage::Kept { message } => self.is_kept = message.is_some(),
                _ => {}
            },
            News::Item(item) if Some(item.from) == me => self.shared(item),
            News::Gone(id) => {
                self.lacking.retain(|(one, _)| one != id);
                self.sources.remove(id);
                self.stored.remove(id);
                if let Some((_, task)) = self.task.take_if(|(one, _)| one == id) {
                    task.abort();
                }
            }
            _ => {}
        }
    }

    /// The beam has an item of this device.
    fn shared(&mut self, item: &Item) {
        let Some(facts) = FileFacts::read(&item.message) else { return };
        self.lacking.retain(|(id, _)| *id != item.id);
        if facts.url.is_some() {
            self.stored.insert(item.id);
        } else {
            // A copy may have gone with the keeping (S30).
            self.stored.remove(&item.id);
            self.lacking.push((item.id, facts));
        }
    }

    /// Waits until the next copy is there. Returns what its item says then. Nothing is lost when the wait is given up.
    ///
    /// # Errors
    /// Where there is none that the program waits for.
    pub(super) async fn next(&mut self) -> Result<(ItemId, FileFacts), Stop> {
        loop {
            let Some((id, task)) = &mut self.task else {
                self.begins().await;
                continue;
            };
            let (id, done) = (*id, task.await);
            self.task = None;
            let Some(at) = self.lacking.iter().position(|(one, _)| *one == id) else { continue };
            let (_, mut facts) = self.lacking.remove(at);
            match done.map_err(|why| Stop::new(Exit::Failed, why.to_string()))? {
                Ok(url) => {
                    facts.url = Some(url);
                    self.stored.insert(id);
                    return Ok((id, facts));
                }
                Err(why) => self.lacks(id, facts, why)?,
            }
        }
    }

    /// Begins with the next copy, once there is one to be made.
    async fn begins(&mut self) {
        let is_next = |(id, _): &&(ItemId, FileFacts)| {
            self.sources.contains_key(id) && !self.given_up.contains(id)
        };
        let next = self.lacking.iter().find(is_next).filter(|_| self.is_kept).cloned();
        let Some((id, facts)) = next else { return std::future::pending().await };
        sleep_until(self.not_before).await;
        let Some(source) = self.sources.get(&id).cloned() else { return };
        let (server, beam) = (self.server.clone(), self.beam);
        let storing = async move { store(&server, beam, &facts, source).await };
        self.task = Some((id, tokio::spawn(storing)));
    }

    fn lacks(&mut self, id: ItemId, facts: FileFacts, why: NotStored) -> Result<(), Stop> {
        let name = safe::line(&facts.name).into_owned();
        let stop = match why {
            NotStored::File(why) => Stop::new(Exit::Failed, format!("{name}: {why}.")),
            NotStored::Server(Failure::Refused { detail, .. }) => {
                Stop::new(Exit::Refused, format!("The server does not keep {name}: {detail}"))
            }
            NotStored::Server(why) => Stop::unreached(&why),
        };
        if self.must {
            return Err(stop);
        }
        // Others may come before it.
        self.lacking.push((id, facts));
        if matches!(stop.exit, Exit::Failed | Exit::Refused) {
            self.given_up.insert(id);
            self.voice.hint(&format!("{} It is there as long as this program is.", stop.why));
        } else {
            self.not_before = Instant::now() + AGAIN;
        }
        Ok(())
    }
}
