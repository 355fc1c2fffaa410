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
use crate::exit::{Exit, SERVER_IS_FULL, Stop};
use crate::safe;
use crate::voice::Voice;

/// Pause before a copy is tried again that failed for lack of a server, or of its time for one more.
const AGAIN: Duration = Duration::from_secs(20);

pub(super) struct Storing {
    voice: Voice,
    server: Server,
    beam: BeamId,
    /// Whether the program waits for the copies, and says in the end of which there is none.
    must: bool,
    /// Whether the server keeps what is in the beam.
    is_kept: bool,
    sources: BTreeMap<ItemId, Source>,
    /// What the items of this device say that name no copy, in the order of their turns.
    lacking: Vec<(ItemId, FileFacts)>,
    /// Those of which the server takes none, or the file cannot be read, with why.
    given_up: BTreeMap<ItemId, Stop>,
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
            given_up: BTreeMap::new(),
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
                self.given_up.remove(id);
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

    /// Why there is no copy of some, once each has one or none can be had of it. `None` before, and where each has one.
    pub(super) fn refusal(&self) -> Option<Stop> {
        let is_over = |id: &ItemId| self.stored.contains(id) || self.given_up.contains_key(id);
        let is_refused = |stop: &&Stop| stop.exit == Exit::Refused;
        let first = self.given_up.values().find(is_refused).or(self.given_up.values().next())?;
        if !self.sources.keys().all(is_over) {
            return None;
        }
        let why: Vec<_> = self.given_up.values().map(|stop| stop.why.as_str()).collect();
        Some(Stop::new(first.exit, why.join("\n")))
    }

    /// Waits until the next copy is there. Returns what its item says then; `None` where no copy can be had of one. Nothing is lost when the
    /// wait is given up.
    ///
    /// # Errors
    /// Where this program has failed.
    pub(super) async fn next(&mut self) -> Result<Option<(ItemId, FileFacts)>, Stop> {
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
                    return Ok(Some((id, facts)));
                }
                Err(why) if self.lacks(id, facts, &why) => return Ok(None),
                Err(_) => {}
            }
        }
    }

    /// Begins with the next copy, once there is one to be made.
    async fn begins(&mut self) {
        let is_next = |(id, _): &&(ItemId, FileFacts)| {
            self.sources.contains_key(id) && !self.given_up.contains_key(id)
        };
        let next = self.lacking.iter().find(is_next).filter(|_| self.is_kept).cloned();
        let Some((id, facts)) = next else { return std::future::pending().await };
        sleep_until(self.not_before).await;
        let Some(source) = self.sources.get(&id).cloned() else { return };
        let (server, beam) = (self.server.clone(), self.beam);
        let storing = async move { store(&server, beam, &facts, source).await };
        self.task = Some((id, tokio::spawn(storing)));
    }

    /// There is no copy of a file. Returns whether there will be none. Others may come before it.
    fn lacks(&mut self, id: ItemId, facts: FileFacts, why: &NotStored) -> bool {
        let lack = Lack::of(&facts.name, why);
        self.lacking.push((id, facts));
        match lack {
            Lack::Now => {
                self.not_before = Instant::now() + AGAIN;
                false
            }
            Lack::ForGood(stop) => {
                if !self.must {
                    let said = format!("{} It is there as long as this program is.", stop.why);
                    self.voice.hint(&said);
                }
                self.given_up.insert(id, stop);
                true
            }
        }
    }
}

/// How long there is no copy of a file.
#[derive(Debug, PartialEq, Eq)]
enum Lack {
    /// Until it is tried again.
    Now,
    ForGood(Stop),
}

impl Lack {
    fn of(name: &str, why: &NotStored) -> Self {
        let name = safe::line(name);
        let refused = |why: &str| Stop::new(Exit::Refused, why);
        Self::ForGood(match why {
            NotStored::File(why) => Stop::new(Exit::Failed, format!("{name}: {why}.")),
            // Another request sends a piece of it still (H46), there were too many, or the server or what stands in front of it is about to
            // come back.
            NotStored::Server(
                Failure::Refused { status: 408 | 423 | 429 | 502..=504, .. }
                | Failure::Name(_)
                | Failure::Connect(_)
                | Failure::Broken(_)
                | Failure::Late,
            ) => return Self::Now,
            NotStored::Server(Failure::Refused { status: 413, .. }) => {
                refused(&format!("The server does not keep {name}: it keeps no file so large."))
            }
            NotStored::Server(Failure::Refused { status: 507, .. }) => {
                refused(&format!("The server does not keep {name}: {SERVER_IS_FULL}."))
            }
            NotStored::Server(Failure::Refused { detail, .. }) => {
                refused(&format!("The server does not keep {name}: {}", safe::lines(detail)))
            }
            NotStored::Server(why) => Stop::unreached(why),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lack(status: u16) -> Lack {
        let detail = "No.".to_owned();
        Lack::of("film", &NotStored::Server(Failure::Refused { status, detail }))
    }

    #[test]
    fn h46_a_copy_is_tried_again_while_a_piece_is_held_there_are_too_many_or_the_server_is_busy() {
        for status in [408, 423, 429, 502, 503, 504] {
            assert_eq!(lack(status), Lack::Now, "{status}");
        }
        assert_eq!(Lack::of("film", &NotStored::Server(Failure::Late)), Lack::Now);
    }

    #[test]
    fn f9_a_file_that_is_too_large_or_has_no_room_is_refused_for_good() {
        let Lack::ForGood(stop) = lack(413) else { panic!("it is tried again") };
        assert_eq!(stop.exit, Exit::Refused);
        assert_eq!(stop.why, "The server does not keep film: it keeps no file so large.");
        let Lack::ForGood(stop) = lack(507) else { panic!("it is tried again") };
        assert_eq!(stop.exit, Exit::Refused);
        assert_eq!(stop.why, format!("The server does not keep film: {SERVER_IS_FULL}."));
    }
}
