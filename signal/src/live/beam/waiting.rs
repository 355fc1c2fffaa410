//! The requests that wait while a beam stores something (S22): in order, bounded, and counted in the server's memory.

use std::collections::VecDeque;

use heliograph_shared::limits::{MAX_WAITING_BYTES, MAX_WAITING_CHANGES};

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

    /// Adds a request.
    ///
    /// # Errors
    /// [`Spent`] when too much waits here, or in the whole server.
    pub fn push(&mut self, speaker: Speaker, request: Request) -> Result<(), Spent> {
        let bytes = request.bytes();
        if self.requests.len() >= MAX_WAITING_CHANGES
            || self.room.bytes() + bytes > MAX_WAITING_BYTES
        {
            return Err(Spent);
        }
        self.room.grow(bytes)?;
        self.requests.push_back((speaker, request));
        Ok(())
    }

    /// Takes the oldest request.
    pub fn pop(&mut self) -> Option<(Speaker, Request)> {
        let (speaker, request) = self.requests.pop_front()?;
        self.room.shrink(request.bytes());
        Some((speaker, request))
    }
}
