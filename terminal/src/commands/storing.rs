//! Copies of files that the server is to keep, one after the other.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use heliograph_device::file_facts::FileFacts;
use heliograph_device::io::files::source::Source;
use heliograph_device::io::server::{Failure, Server};
use heliograph_device::io::storing::{NotStored, store};
use heliograph_device::session::item::Item;
use heliograph_shared::ids::{BeamId, ItemId};
use tokio::task::JoinHandle;

use crate::beam::Beam;
use crate::exit::{Exit, Stop};
use crate::safe;

pub(super) struct Storing {
    server: Server,
    beam: BeamId,
    sources: BTreeMap<ItemId, Source>,
    waiting: VecDeque<(ItemId, FileFacts, Source)>,
    stored: BTreeSet<ItemId>,
    task: Option<Task>,
}

type Task = JoinHandle<(ItemId, FileFacts, Result<String, NotStored>)>;

impl Storing {
    pub(super) fn of(beam: &Beam) -> Result<Self, Stop> {
        Ok(Self {
            server: Server::at(&beam.link.server).map_err(|why| Stop::unreached(&why))?,
            beam: beam.link.beam,
            sources: BTreeMap::new(),
            waiting: VecDeque::new(),
            stored: BTreeSet::new(),
            task: None,
        })
    }

    /// A file is offered as this item.
    pub(super) fn offers(&mut self, id: ItemId, source: Source) {
        self.sources.insert(id, source);
    }

    /// The beam has an item of this device.
    pub(super) fn shared(&mut self, item: &Item) {
        let Some(facts) = FileFacts::read(&item.message) else { return };
        if facts.url.is_some() {
            // An earlier run has stored it.
            self.sources.remove(&item.id);
            self.stored.insert(item.id);
        } else if let Some(source) = self.sources.remove(&item.id) {
            self.waiting.push_back((item.id, facts, source));
        }
    }

    /// Whether a copy of an item is there.
    pub(super) fn has(&self, id: ItemId) -> bool {
        self.stored.contains(&id)
    }

    /// Waits until the next copy is there. Returns what its item says then. Nothing is lost when the wait is given up.
    pub(super) async fn next(&mut self) -> Result<(ItemId, FileFacts), Stop> {
        if self.task.is_none()
            && let Some((id, facts, source)) = self.waiting.pop_front()
        {
            let (server, beam) = (self.server.clone(), self.beam);
            self.task = Some(tokio::spawn(async move {
                let stored = store(&server, beam, &facts, source).await;
                (id, facts, stored)
            }));
        }
        let Some(task) = &mut self.task else { return std::future::pending().await };
        let done = task.await;
        self.task = None;
        let (id, mut facts, stored) =
            done.map_err(|why| Stop::new(Exit::Failed, why.to_string()))?;
        let name = safe::line(&facts.name).into_owned();
        let url = stored.map_err(|why| match why {
            NotStored::File(why) => Stop::new(Exit::Failed, format!("{name}: {why}.")),
            NotStored::Server(Failure::Refused { detail, .. }) => {
                Stop::new(Exit::Refused, format!("The server does not keep {name}: {detail}"))
            }
            NotStored::Server(why) => Stop::unreached(&why),
        })?;
        facts.url = Some(url);
        self.stored.insert(id);
        Ok((id, facts))
    }
}
