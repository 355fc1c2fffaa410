//! Leaves a beam so that nothing of what was said is lost: a device that does not hear that a file is complete sends it once more.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::FileDevice;
use super::waiting::written;
use crate::engine::contract::Input;

/// Time for what is still to be said.
const SAID_WITHIN: Duration = Duration::from_secs(5);

impl FileDevice {
    /// Waits until the other devices have heard of all that has ended, and until all bytes have left, for a few seconds at most.
    ///
    /// Nothing is told of what happens meanwhile.
    pub async fn settle(&mut self) {
        let until = Instant::now() + SAID_WITHIN;
        while self.is_saying() {
            self.looks_later();
            // Where the session has stopped, nobody hears anything any more.
            if !matches!(timeout_at(until, self.step()).await, Ok(true)) {
                return;
            }
            self.told.clear();
        }
    }

    fn is_saying(&self) -> bool {
        self.engine.has_unheard_ends()
            || self.relay.waiting() > 0
            || !self.links.waiting().is_empty()
    }

    /// Leaves the beam. What has come of unfinished files stays for a later run. Waits as [`FileDevice::settle`] does.
    pub async fn leave(mut self) {
        self.searched_for.clear();
        let under_way = self.coming.iter().filter(|(_, has_ended)| !**has_ended);
        for id in under_way.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.give(Input::Leave(id));
        }
        self.settle().await;
        self.remember();
        if self.remembering.is_some() {
            written(&mut self.remembering).await;
        }
        self.links.links.close();
        self.follow_links();
        self.device.leave().await;
    }
}
