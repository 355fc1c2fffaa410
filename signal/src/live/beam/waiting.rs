//! The requests that wait while a beam stores something (S22): in order, bounded, and counted in the server's memory.

use std::collections::VecDeque;

use heliograph_shared::limits::{MAX_WAITING_BYTES, MAX_WAITING_CHANGES};
use heliograph_shared::socket::LiveItem;

use super::request::{Request, Speaker};
use crate::budget::{Share, Spent};

/// The requests, in order.
#[derive(Debug)]
pub(super) struct Waiting {
    requests: VecDeque<(Speaker, Request)>,
    /// What their contents take of the server's memory.
    room: Share,
}

impl Waiting {
    /// No requests yet. Those to come are counted in this share.
    pub fn none(room: Share) -> Self {
        Self { requests: VecDeque::new(), room }
    }

    /// Adds a request. Items that come back take at most half of the places, each of them one: every device brings them
    /// (S28), and people must not wait for that.
    ///
    /// # Errors
    /// [`Spent`] when too much waits here, or in the whole server.
    pub fn push(&mut self, speaker: Speaker, request: Request) -> Result<(), Spent> {
        let (mut places, mut most_bytes) = (MAX_WAITING_CHANGES, MAX_WAITING_BYTES);
        if let Request::Restore(item) = &request {
            if self.brings_back(item) {
                return Ok(());
            }
            (places, most_bytes) = (places / 2, most_bytes / 2);
        }
        let bytes = request.bytes();
        if self.requests.len() >= places || self.room.bytes() + bytes > most_bytes {
            return Err(Spent);
        }
        self.room.grow(bytes)?;
        self.requests.push_back((speaker, request));
        Ok(())
    }

    fn brings_back(&self, item: &LiveItem) -> bool {
        self.requests.iter().any(|(_, request)| match request {
            Request::Restore(other) => (other.id, other.seq) == (item.id, item.seq),
            _ => false,
        })
    }

    /// Takes the oldest request.
    pub fn pop(&mut self) -> Option<(Speaker, Request)> {
        let (speaker, request) = self.requests.pop_front()?;
        self.room.shrink(request.bytes());
        Some((speaker, request))
    }
}
