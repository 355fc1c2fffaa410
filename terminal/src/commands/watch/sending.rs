//! Sends what appears in the folder, and gives again what an earlier run has sent.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use heliograph_device::engine::contract::Progress;
use heliograph_device::file_facts::FileFacts;
use heliograph_device::io::file_device::Told;
use heliograph_device::io::files::target::Target;
use heliograph_device::io::offering::{Chosen, NewFile, choose_in};
use heliograph_device::io::system_random::SystemRandom;
use heliograph_device::session::{Input, News};
use heliograph_shared::ids::ItemId;
use tokio::task::spawn_blocking;

use super::shared_files::SharedFiles;
use crate::beam::Beam;
use crate::commands::Context;
use crate::commands::storing::Storing;
use crate::exit::{Exit, Stop};
use crate::files::{media_type, moves, say_left_out};
use crate::landing::hash;
use crate::safe;
use crate::voice::Event;
use crate::watched::{is_left, look_at};

/// What this socket knows of what was sent.
#[derive(Default)]
pub(super) struct Sending {
    /// Whether the server has lost what was in the beam (S31).
    pub(super) is_forgotten: bool,
    /// What this device has shared, as the beam has it.
    own: BTreeMap<ItemId, FileFacts>,
    /// What is offered in this run.
    offered: BTreeMap<ItemId, Offered>,
    /// What was looked at to be offered again.
    given: BTreeSet<OsString>,
}

struct Offered {
    name: String,
    size: u64,
}

/// What the files that were found are known by.
pub(super) fn prints(found: &Chosen) -> Vec<String> {
    found.files.iter().map(|file| hash(&file.print().0)).collect()
}

/// Looks at a file or folder that is to be sent. `None` where it does not look as it did, or cannot be read: it is looked at again.
pub(super) async fn find(
    target: &Arc<Target>,
    name: OsString,
    look: String,
) -> Result<Option<Chosen>, Stop> {
    let target = target.clone();
    let found = spawn_blocking(move || {
        let chosen = choose_in(&target, &name, media_type, is_left).ok()?;
        let is_same = look_at(&target.path().join(&name)).ok()? == Some(look);
        is_same.then_some(chosen)
    });
    found.await.map_err(|why| Stop::new(Exit::Failed, why.to_string()))
}

/// The server has a copy: whoever comes later finds its address in the item (F9).
pub(super) fn stored(beam: &mut Beam, id: ItemId, facts: &FileFacts) {
    if let Some(message) = facts.message() {
        beam.tell(Input::Share { id, message, extra: facts.category().to_owned(), to: None });
    }
}

impl Sending {
    /// Takes what was told. Returns whether the server has something that it may not have had before.
    pub(super) fn hears(
        &mut self,
        context: &Context<'_>,
        beam: &Beam,
        told: &Told,
        files: &mut SharedFiles,
    ) -> Result<bool, Stop> {
        let voice = context.voice;
        match told {
            Told::News(News::Item(item)) if Some(item.from) == beam.me() => {
                if let Some(facts) = FileFacts::read(&item.message) {
                    self.own.insert(item.id, facts);
                }
            }
            Told::News(News::Gone(id)) => drop(self.own.remove(id)),
            Told::News(News::Confirmed(id)) if self.offered.contains_key(id) => {
                voice.event(&Event::Shared { id: *id })?;
                return Ok(files.settled(*id));
            }
            Told::News(News::Refused { id, why, .. }) => {
                if let Some(Offered { name, .. }) = self.offered.get(id) {
                    let (name, why) = (safe::line(name), safe::lines(why));
                    voice.hint(&format!("The server does not take {name}: {why}"));
                }
            }
            Told::Sending { id, device, progress } => {
                let Some(Offered { name: file, size }) = self.offered.get(id) else {
                    return Ok(false);
                };
                let (name, moves) =
                    (beam.people.name(*device), moves(progress, *size, beam.is_over_turn(*device)));
                voice.event(&Event::Sending { id: *id, device: *device, name, file, moves })?;
                if matches!(progress, Progress::Done { .. }) {
                    voice.hint(&format!("{} has {}.", safe::line(name), safe::line(file)));
                }
            }
            _ => {}
        }
        Ok(false)
    }

    /// Makes the items of what is found, and takes back those of an earlier version, whose bytes nobody has any more.
    pub(super) fn prepare(
        &mut self,
        beam: &mut Beam,
        name: &OsStr,
        found: &Chosen,
        files: &SharedFiles,
    ) -> Vec<ItemId> {
        for id in files.get(name).into_iter().flat_map(|entry| &entry.items) {
            // The server may not have said yet that it has what was offered.
            if self.offered.remove(id).is_some() || self.own.contains_key(id) {
                beam.tell(Input::Delete(*id));
            }
        }
        found.files.iter().map(|_| ItemId::from_random(SystemRandom::bytes())).collect()
    }

    /// Sends what is found as these items.
    pub(super) fn send(
        &mut self,
        (context, mut storing): (&Context<'_>, Option<&mut Storing>),
        beam: &mut Beam,
        items: Vec<ItemId>,
        found: Chosen,
    ) -> Result<(), Stop> {
        say_left_out(context.voice, &found.left_out)?;
        for (id, file) in items.into_iter().zip(found.files) {
            self.share((context, storing.as_deref_mut()), beam, id, file)?;
        }
        Ok(())
    }

    fn share(
        &mut self,
        (context, storing): (&Context<'_>, Option<&mut Storing>),
        beam: &mut Beam,
        id: ItemId,
        file: NewFile,
    ) -> Result<(), Stop> {
        let (name, size) = (file.name.clone(), file.source.size());
        let Some(device) = beam.files() else { return Ok(()) };
        if let Some(storing) = storing {
            storing.offers(id, file.source.clone());
        }
        if !device.offer_as(id, file) {
            context.voice.hint(&format!("Too large to send: {}.", safe::line(&name)));
            return Ok(());
        }
        context.voice.event(&Event::Offered { id, file: &name, size })?;
        self.offered.insert(id, Offered { name, size });
        Ok(())
    }

    /// Has what an earlier run has sent again, once over each socket: what the beam has, for who wants it (F17); what it may not have, for
    /// everybody.
    pub(super) async fn again(
        &mut self,
        (context, mut storing): (&Context<'_>, Option<&mut Storing>),
        beam: &mut Beam,
        target: &Arc<Target>,
        name: &OsStr,
        files: &mut SharedFiles,
    ) -> Result<(), Stop> {
        let Some(entry) = files.get(name).cloned() else { return Ok(()) };
        let is_offered = entry.items.iter().all(|id| self.offered.contains_key(id));
        if is_offered || !self.given.insert(name.to_owned()) {
            return Ok(());
        }
        let Some(found) = find(target, name.to_owned(), entry.look).await? else { return Ok(()) };
        // Other bytes that were sealed with the same key would tell what both are.
        if prints(&found) != entry.prints {
            files.differs(name);
            return Ok(());
        }
        let mut is_same = true;
        for (id, file) in entry.items.into_iter().zip(found.files) {
            let Some(facts) = self.own.get(&id) else {
                // Somebody has deleted it, unless it was lost.
                if self.is_forgotten || entry.unconfirmed.contains(&id) {
                    self.share((context, storing.as_deref_mut()), beam, id, file)?;
                }
                continue;
            };
            let (name, size) = (file.name.clone(), file.source.size());
            if let Some(storing) = storing.as_deref_mut() {
                storing.offers(id, file.source.clone());
            }
            let device = beam.files();
            is_same &= device.is_some_and(|device| device.offer_again(id, facts, file));
            self.offered.insert(id, Offered { name, size });
            files.settled(id);
        }
        if !is_same {
            files.differs(name);
        }
        Ok(())
    }
}
