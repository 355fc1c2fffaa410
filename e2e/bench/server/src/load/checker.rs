//! Checks what devices of one beam see against I1 to I4, while they see it. It is told of everything in the order in
//! which it happens at each device, and needs no order between devices, except that an item is told of before it is
//! sent.
//!
//! What a device gets tells also what it did not get: between two items that came one after the other there is none.
//! So a lost item is found as soon as the device gets a later one, and another device, or a later answer to `sync`,
//! has the lost one.

use std::collections::BTreeMap;

use super::era::Era;
use super::item::{Device, Item, Seen};
use super::violation::Violation;

/// Items that the server of an unsaved beam recognises when they are shared again (S9, S17).
const RECOGNISED: usize = 500;
/// How far items of one sender are compared: more than it has on its way.
const NEIGHBOURS: usize = 64;

/// What outlives the process that holds the beam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Nothing: an unsaved beam of a single server. Each memory is checked for itself.
    Process,
    /// The items, which are in tables: a saved or kept beam (S22, S30). Its memories are one.
    Tables,
    /// The memory itself, with its name: an unsaved beam of several nodes.
    Nodes,
}

/// What happens at a device.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// It has a socket.
    Joined(Device),
    /// It has none any more.
    Left(Device),
    /// It is about to send an item, maybe again after it got no answer.
    Shares(Item, u64),
    /// Its item was refused.
    Refused(Item),
    /// An item came live.
    Received(Device, Seen),
    /// It asks for what came after this number, or for everything.
    AsksAfter(Device, Option<u64>),
    /// A page came.
    Page { device: Device, epoch: &'a str, oldest: u64, items: &'a [Seen], is_last: bool },
    /// It has had the time for everything to come.
    Settled(Device),
}

#[derive(Debug)]
struct Shared {
    digest: u64,
    /// Its memories, and its number in each.
    places: Vec<(usize, u64)>,
    is_answered: bool,
    /// Whether its sender may be told of it once more (S9).
    is_repeated: bool,
}

impl Shared {
    fn place(&self, era: usize) -> Option<u64> {
        self.places.iter().find(|(own, _)| *own == era).map(|(_, seq)| *seq)
    }
}

#[derive(Debug, Default)]
struct Link {
    /// The memory that it is told of, once the last page came.
    era: Option<usize>,
    /// The last number that it got in order.
    last: u64,
    /// What came before the last page.
    early: Vec<Seen>,
    /// What was acknowledged when it asked.
    due: Option<(usize, u64)>,
    /// Numbers that it has missed.
    missed: Vec<u64>,
}

/// Checks one beam.
#[derive(Debug)]
pub struct Checker {
    memory: Memory,
    senders: BTreeMap<Device, BTreeMap<u32, Shared>>,
    links: BTreeMap<Device, Link>,
    eras: Vec<Era>,
}

impl Checker {
    pub fn new(memory: Memory) -> Self {
        Self { memory, senders: BTreeMap::new(), links: BTreeMap::new(), eras: Vec::new() }
    }

    /// Takes in an event. Returns the first promise that it shows to be broken.
    pub fn observe(&mut self, event: Event<'_>) -> Option<Violation> {
        match event {
            Event::Joined(device) => {
                self.links.insert(device, Link::default());
                None
            }
            Event::Left(device) => {
                self.links.remove(&device);
                None
            }
            Event::Shares(item, digest) => {
                self.shares(item, digest);
                None
            }
            Event::Refused(item) => {
                self.answer(item);
                None
            }
            Event::Received(device, seen) => self.received(device, seen),
            Event::AsksAfter(device, after) => {
                let newest = self.eras.len().checked_sub(1);
                let due = newest.and_then(|era| Some((era, self.eras[era].acknowledged?)));
                if let Some(link) = self.links.get_mut(&device) {
                    link.due = due;
                    link.last = after.unwrap_or_default();
                }
                None
            }
            Event::Page { device, epoch, oldest, items, is_last } => {
                let (era, mut found) = self.era_of(device, epoch, oldest);
                first(&mut found, self.page(device, era, oldest, items));
                if is_last {
                    first(&mut found, self.in_step(device, era));
                }
                found
            }
            Event::Settled(device) => self.settled(device),
        }
    }

    fn shares(&mut self, item: Item, digest: u64) {
        let sender = self.senders.entry(item.device).or_default();
        if let Some(shared) = sender.get_mut(&item.number) {
            shared.is_repeated = true;
            return;
        }
        let new = Shared { digest, places: Vec::new(), is_answered: false, is_repeated: false };
        sender.insert(item.number, new);
    }

    fn shared(&mut self, item: Item) -> Option<&mut Shared> {
        self.senders.get_mut(&item.device)?.get_mut(&item.number)
    }

    fn answer(&mut self, item: Item) {
        if let Some(shared) = self.shared(item) {
            shared.is_answered = true;
        }
    }

    /// The memory of this name. In tables there is one, whatever its name.
    fn era_of(&mut self, device: Device, epoch: &str, oldest: u64) -> (usize, Option<Violation>) {
        let is_same = |era: &Era| era.epoch == epoch || self.memory == Memory::Tables;
        if let Some(at) = self.eras.iter().rposition(is_same) {
            return (at, None);
        }
        let is_lost = self.memory == Memory::Nodes && !self.eras.is_empty();
        self.eras.push(Era::new(epoch, oldest));
        (self.eras.len() - 1, is_lost.then_some(Violation::MemoryLost { device }))
    }

    /// What is true of an item wherever it is seen.
    fn place(&mut self, device: Device, era: usize, seen: Seen) -> Option<Violation> {
        let seq = seen.seq;
        let Some(item) = seen.item else { return Some(Violation::Foreign { device, seq }) };
        let memory = self.memory;
        let here = &mut self.eras[era];
        let Some(sender) = self.senders.get_mut(&item.device) else {
            return Some(Violation::Foreign { device, seq });
        };
        let Some(shared) = sender.get_mut(&item.number) else {
            // It is so old that it was forgotten here, or nobody has shared it.
            return Some(Violation::Foreign { device, seq });
        };
        if shared.digest != seen.digest {
            return Some(Violation::Altered { device, item });
        }
        let mut found = None;
        match shared.place(era) {
            Some(own) if own == seq => return None,
            Some(own) => {
                let is_forgotten = memory != Memory::Tables && here.count_from(own) >= RECOGNISED;
                if !(shared.is_repeated && is_forgotten) {
                    return Some(Violation::Doubled { device, item });
                }
            }
            None => {}
        }
        if here.at(seq).is_some() {
            return Some(Violation::Differs { device, item });
        }
        shared.places.retain(|(own, _)| *own != era);
        shared.places.push((era, seq));
        let start = here.start;
        let placed = |(_, other): (&u32, &Shared)| other.place(era).filter(|seq| *seq >= start);
        let before = sender.range(..item.number).rev().take(NEIGHBOURS).find_map(placed);
        let after = sender.range(item.number + 1..).take(NEIGHBOURS).find_map(placed);
        let is_early = before.is_some_and(|before| before > seq);
        if seq >= start && (is_early || after.is_some_and(|after| after < seq)) {
            found = Some(Violation::OutOfOrder { device, item });
        }
        match here.insert(seq, item) {
            Some(other) if other == device => {
                first(&mut found, Some(Violation::OutOfOrder { device, item }));
            }
            Some(other) => {
                if let Some(link) = self.links.get_mut(&other) {
                    link.missed.push(seq);
                }
                first(&mut found, Some(Violation::Lost { device: other, item }));
            }
            None => {}
        }
        found
    }

    /// The sender of an item has learnt that it is shared.
    fn acknowledge(&mut self, device: Device, era: usize, seen: Seen) {
        let Some(item) = seen.item.filter(|item| item.device == device) else { return };
        self.answer(item);
        let acknowledged = &mut self.eras[era].acknowledged;
        *acknowledged = (*acknowledged).max(Some(seen.seq));
    }

    fn received(&mut self, device: Device, seen: Seen) -> Option<Violation> {
        let link = self.links.get_mut(&device)?;
        let Some(era) = link.era else {
            link.early.push(seen);
            return None;
        };
        let last = link.last;
        let mut found = self.place(device, era, seen);
        let is_new = seen.seq > last;
        if is_new {
            first(&mut found, self.follows(device, era, last, seen.seq));
            first(&mut found, self.passes_over(device, seen));
            self.prune(era);
        } else if seen.seq >= self.eras[era].start {
            first(&mut found, self.late(device, seen));
        }
        self.acknowledge(device, era, seen);
        found
    }

    /// A device gets this number right after its last one.
    fn follows(&mut self, device: Device, era: usize, before: u64, seq: u64) -> Option<Violation> {
        let missed = self.eras[era].follows(before, seq, device);
        let link = self.links.get_mut(&device)?;
        link.last = seq;
        link.missed.extend(missed.iter().map(|(seq, _)| *seq));
        missed.first().map(|(_, item)| Violation::Lost { device, item: *item })
    }

    /// A sender is answered in its own order.
    fn passes_over(&self, device: Device, seen: Seen) -> Option<Violation> {
        let own = seen.item.filter(|item| item.device == device)?;
        let earlier = self.senders.get(&device)?.range(..own.number).rev().take(NEIGHBOURS);
        let open = earlier.take_while(|(_, shared)| !shared.is_answered).last()?;
        Some(Violation::Unanswered { item: Item { device, number: *open.0 } })
    }

    /// Something came that is not after the last.
    fn late(&mut self, device: Device, seen: Seen) -> Option<Violation> {
        let item = seen.item?;
        let link = self.links.get_mut(&device)?;
        if let Some(at) = link.missed.iter().position(|seq| *seq == seen.seq) {
            link.missed.swap_remove(at);
            return Some(Violation::OutOfOrder { device, item });
        }
        let shared = self.shared(item)?;
        let is_repeated = item.device == device && std::mem::take(&mut shared.is_repeated);
        (!is_repeated).then_some(Violation::Doubled { device, item })
    }

    fn page(
        &mut self,
        device: Device,
        era: usize,
        oldest: u64,
        items: &[Seen],
    ) -> Option<Violation> {
        let mut found = None;
        let link = self.links.get_mut(&device)?;
        // What the server has no room for is no gap. Tables let nothing go.
        let start = self.eras[era].start;
        let oldest = if self.memory == Memory::Tables { oldest.min(start) } else { oldest };
        link.last = link.last.max(oldest.saturating_sub(1));
        for seen in items {
            first(&mut found, self.place(device, era, *seen));
            self.acknowledge(device, era, *seen);
            let last = self.links.get(&device)?.last;
            if seen.seq > last {
                first(&mut found, self.follows(device, era, last, seen.seq));
            } else if seen.seq >= oldest {
                let doubled = seen.item.map(|item| Violation::Doubled { device, item });
                first(&mut found, doubled);
            }
        }
        found
    }

    /// The device has all pages: from now on, what comes live follows them.
    fn in_step(&mut self, device: Device, era: usize) -> Option<Violation> {
        let link = self.links.get_mut(&device)?;
        link.era = Some(era);
        let (last, early, due) = (link.last, std::mem::take(&mut link.early), link.due.take());
        let mut found = None;
        if let Some((_, seq)) = due.filter(|(own, seq)| *own == era && *seq > last) {
            let item = self.eras[era].at(seq);
            first(&mut found, item.map(|item| Violation::Forgotten { device, item }));
        }
        for seen in early {
            first(&mut found, self.place(device, era, seen));
            self.acknowledge(device, era, seen);
            // It was here before the page was written.
            if let Some(item) = seen.item.filter(|_| seen.seq > last) {
                first(&mut found, Some(Violation::Forgotten { device, item }));
            }
        }
        found
    }

    fn settled(&self, device: Device) -> Option<Violation> {
        let Some((link, era)) = self.links.get(&device).and_then(|link| Some((link, link.era?)))
        else {
            return Some(Violation::Away { device });
        };
        if let Some(item) = self.eras[era].after(link.last) {
            return Some(Violation::Lost { device, item });
        }
        let open = self.senders.get(&device)?.iter().find(|(_, shared)| !shared.is_answered)?;
        Some(Violation::Unanswered { item: Item { device, number: *open.0 } })
    }

    /// Forgets what is long over, so that a day of load takes no more memory than a minute.
    fn prune(&mut self, era: usize) {
        if self.memory == Memory::Tables {
            return;
        }
        let here = self.links.values().filter(|link| link.era == Some(era));
        let reached = here.map(|link| link.last).min().unwrap_or(u64::MAX);
        let Some(first) = self.eras[era].prune(reached) else { return };
        for sender in self.senders.values_mut() {
            sender.retain(|_, shared| {
                !shared.is_answered || shared.place(era).is_none_or(|seq| seq >= first)
            });
        }
    }
}

/// Keeps the first of several findings.
fn first(found: &mut Option<Violation>, next: Option<Violation>) {
    if found.is_none() {
        *found = next;
    }
}

#[cfg(test)]
mod tests;
