//! Changes of the shared arrangement (S35).

use std::collections::HashSet;

use heliograph_shared::api::beams::Role;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::ItemId;
use heliograph_shared::limits::MAX_PLACES;
use heliograph_shared::socket::{Arrange, Placed};

use super::arrangement::news;
use super::request::Speaker;
use super::rules::{READ_ONLY, Verdict};
use super::state::{BeamState, Output};
use super::terms::Status;
use super::write::{Effect, Write};
use crate::live::refusal::Refusal;

const TOO_MANY_PLACES: Refusal =
    Refusal::new("Send at most 500 places at a time.", ErrorCode::TooLarge);

impl BeamState {
    /// Decides a change of the switch or of places. Who may only read changes neither. A saved beam stores the switch first,
    /// and moves soon.
    pub(super) fn arrange(&mut self, by: Speaker, change: Arrange) -> Result<Verdict, Refusal> {
        let Arrange { shared, mut places } = change;
        if let Status::Saved(access) = &self.status
            && !access.role(by.account).is_some_and(Role::may_write)
        {
            return Err(READ_ONLY);
        }
        if places.len() > MAX_PLACES {
            return Err(TOO_MANY_PLACES);
        }
        let was = self.arrangement.is_shared();
        let shared = shared.unwrap_or(was);
        let here = self.for_everybody();
        places.retain(|placed| shared && here.contains(&placed.id));
        if shared == was && places.is_empty() {
            return Ok(Verdict::Done(Vec::new()));
        }
        let is_saved = matches!(self.status, Status::Saved(_));
        Ok(if is_saved && shared == was {
            self.behind.moved.extend(places.iter().map(|placed| (placed.id, *placed)));
            Verdict::Done(vec![self.rearrange(by, shared, places)])
        } else if is_saved {
            let write = Write::Arrange { shared, places: places.clone() };
            Verdict::Store(Box::new(write), Effect::Arranged { shared, places })
        } else {
            Verdict::Done(vec![self.rearrange(by, shared, places)])
        })
    }

    /// Applies a change and tells the devices.
    pub(super) fn rearrange(&mut self, by: Speaker, shared: bool, places: Vec<Placed>) -> Output {
        self.arrangement.change(shared, &places, &self.for_everybody());
        if !shared {
            self.behind.moved.clear();
        }
        let ours = self.connections(|member| !member.plain).collect();
        Output::Send(ours, news(shared, places, Some(by.device)))
    }

    /// The items that have a place in the shared arrangement. Nobody learns of those for one other device (S33).
    pub(super) fn for_everybody(&self) -> HashSet<ItemId> {
        self.items.all().filter(|(item, _)| item.to.is_none()).map(|(item, _)| item.id).collect()
    }
}
