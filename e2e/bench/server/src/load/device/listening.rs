//! What a device of a load hears, and tells the checker.

use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

use super::super::checker::Event;
use super::super::item::Item;
use super::super::wire::{self, Content, Incoming, Page};
use super::super::world::Outage;
use super::{Device, Link};
use crate::Failure;

impl Device {
    /// Takes in a text. Returns what is to be answered.
    pub(super) fn reads(&mut self, link: &mut Link, text: &str) -> Result<Option<String>, Failure> {
        match Incoming::read(text)? {
            Incoming::Welcome(id) => {
                let own = self.beam.devices[usize::from(self.index)];
                if id == own { Ok(None) } else { Err("another device id (S5)".into()) }
            }
            Incoming::Item(content) => {
                self.gets(link, &content);
                Ok(None)
            }
            Incoming::Page(page) => Ok(self.turns(link, &page)),
            Incoming::Error { code, id, to } => {
                self.is_refused(link, code, id, to);
                Ok(None)
            }
            Incoming::Other => Ok(None),
        }
    }

    fn gets(&mut self, link: &Link, content: &Content) {
        let seen = self.beam.seen(content);
        self.beam.observe(Event::Received(self.index, seen));
        if link.is_in_step {
            self.reached = self.reached.max(Some(seen.seq));
        }
        let shared = content.message.split(' ').next().and_then(|micros| micros.parse().ok());
        let took = self.world.started.elapsed();
        let took = shared.map(|micros| took.saturating_sub(Duration::from_micros(micros)));
        let answered = seen.item.and_then(|item| self.is_answered(item));
        self.beam.count(|tally| {
            tally.deliveries += 1;
            if let Some(took) = took {
                tally.arrivals.add(took);
            }
            if let Some(took) = answered {
                tally.answers.add(took);
            }
        });
    }

    /// An item has its answer. Returns how long that took, unless it was shared more than once.
    fn is_answered(&mut self, item: Item) -> Option<Duration> {
        if item.device != self.index {
            return None;
        }
        let at = self.open.iter().position(|open| open.number == item.number)?;
        let open = self.open.remove(at)?;
        self.beam.count(|tally| tally.answered += 1);
        (!open.is_repeated).then(|| open.at.elapsed())
    }

    /// Takes in a page, and asks for the next one.
    fn turns(&mut self, link: &mut Link, page: &Page) -> Option<String> {
        let items: Vec<_> = page.items.iter().map(|content| self.beam.seen(content)).collect();
        let is_last = page.next.is_none();
        let (device, epoch, oldest) = (self.index, &*page.epoch, page.oldest);
        self.beam.observe(Event::Page { device, epoch, oldest, items: &items, is_last });
        for seen in &items {
            if let Some(item) = seen.item {
                self.is_answered(item);
            }
            self.reached = self.reached.max(Some(seen.seq));
        }
        if is_last && !link.is_in_step {
            link.is_in_step = true;
            self.world.present.send_modify(|present| *present += 1);
            if let Some((lost, has_moved)) = self.lost.take() {
                let outage = Outage { lost, back: Instant::now(), has_moved };
                self.beam.count(|tally| tally.outages.push(outage));
            }
        }
        page.next.map(|next| wire::sync(Some(next)))
    }

    fn is_refused(&mut self, link: &mut Link, code: String, id: Option<Uuid>, to: Option<Uuid>) {
        if let Some(item) = id.and_then(|id| Item::of(id, self.beam.number)) {
            self.open.retain(|open| open.number != item.number);
            self.beam.observe(Event::Refused(item));
            self.is_full |= code == "no_room";
        }
        if let Some(to) = to.and_then(|to| self.beam.device(to)) {
            let from = self.index;
            self.beam.check_frames(|frames| {
                frames.refused(from, to);
                None
            });
            if let Some(relaying) = &mut link.relaying {
                relaying.is_refused(Instant::now());
            }
        }
        self.beam.count(|tally| *tally.refused.entry(code).or_default() += 1);
    }
}
