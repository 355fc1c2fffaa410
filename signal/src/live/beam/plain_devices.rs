//! What plain devices learn of a sealed beam (E12): that it is one, once, and nothing that is sealed.

use heliograph_shared::socket::{Json, LiveItem, ServerMessage};
use serde_json::value::to_raw_value;

use super::content::is_sealed;
use super::items::may_see;
use super::state::{BeamState, Newcomer, Output};

/// What a plain device is told in place of the first item that it cannot open.
const NOTICE: &str = "This beam is encrypted, and this app cannot read what is shared in it. Open the beam's link \
     in a browser, or ask somebody in the beam to send to this device too.";

impl BeamState {
    /// Tells each plain device that would see this item that the beam is sealed, unless it knows.
    pub(super) fn tell_sealed(&mut self, item: &LiveItem) -> Option<Output> {
        let is_new = |member: &&mut Newcomer| {
            member.plain && !member.knows_sealed && may_see(item, member.device.device_id)
        };
        let told: Vec<_> = (self.members.iter_mut().filter(is_new))
            .map(|member| {
                member.knows_sealed = true;
                member.connection
            })
            .collect();
        if told.is_empty() {
            return None;
        }
        let notice = ServerMessage::RecClipboard(LiveItem { message: notice()?, ..item.clone() });
        Some(Output::Send(told, notice))
    }

    /// Tells a plain device that has just joined, if something that is sealed is here.
    pub(super) fn tell_if_sealed(&mut self) -> Option<Output> {
        let for_all = |(item, _): &(&LiveItem, _)| item.to.is_none() && is_sealed(&item.message);
        let item = self.items.all().find(for_all)?.0.clone();
        self.tell_sealed(&item)
    }
}

fn notice() -> Option<Json> {
    to_raw_value(NOTICE).ok()
}
