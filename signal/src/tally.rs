//! What the server counts for its operator, from its start on. No addresses, names or ids.

use std::array;
use std::sync::atomic::{AtomicU64, Ordering};

use heliograph_shared::close::CloseCode;
use heliograph_shared::error::ErrorCode;

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Tally one.
    pub fn one(&self) {
        self.add(1);
    }

    /// Tally this many.
    pub fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// The count so far.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counts of one server.
#[derive(Debug)]
pub struct Tally {
    /// Websockets that were opened.
    pub sockets_opened: Counter,
    /// Frames that the relay took for another device.
    pub relayed_frames: Counter,
    /// Their bytes.
    pub relayed_bytes: Counter,
    /// Files that were stored.
    pub uploads: Counter,
    /// Their bytes.
    pub uploaded_bytes: Counter,
    /// Connections that found no place.
    pub refused_connections: Counter,
    /// Sockets that the other side closed, or whose connection broke.
    pub sockets_left: Counter,
    /// Sockets that were passed on to another node of the server.
    pub passed_on: Counter,
    /// Those that have ended.
    pub passed_on_ended: Counter,
    /// Sockets that the server closed, in the order of [`CloseCode::ALL`].
    closed: [Counter; CloseCode::ALL.len()],
    /// What was refused on sockets that stay open, in the order of [`ErrorCode::ALL`].
    refused: [Counter; ErrorCode::ALL.len()],
    /// HTTP answers, by status from 100 on.
    answers: [Counter; STATUSES],
}

/// HTTP has statuses from 100 to 599.
const STATUSES: usize = 500;

impl Default for Tally {
    fn default() -> Self {
        Self {
            sockets_opened: Counter::default(),
            relayed_frames: Counter::default(),
            relayed_bytes: Counter::default(),
            uploads: Counter::default(),
            uploaded_bytes: Counter::default(),
            refused_connections: Counter::default(),
            sockets_left: Counter::default(),
            passed_on: Counter::default(),
            passed_on_ended: Counter::default(),
            closed: array::from_fn(|_| Counter::default()),
            refused: array::from_fn(|_| Counter::default()),
            answers: array::from_fn(|_| Counter::default()),
        }
    }
}

impl Tally {
    /// Tally a frame that the relay took.
    pub fn relayed(&self, bytes: usize) {
        self.relayed_frames.one();
        self.relayed_bytes.add(bytes as u64);
    }

    /// Tally a file that was stored.
    pub fn uploaded(&self, bytes: u64) {
        self.uploads.one();
        self.uploaded_bytes.add(bytes);
    }

    /// Tally a socket that the server closed.
    pub fn closed(&self, code: CloseCode) {
        count(&CloseCode::ALL, &self.closed, &code);
    }

    /// Tally a message or frame that was refused.
    pub fn refused(&self, code: ErrorCode) {
        count(&ErrorCode::ALL, &self.refused, &code);
    }

    /// Tally an HTTP answer.
    pub fn answered(&self, status: u16) {
        if let Some(counter) = self.answers.get(usize::from(status).wrapping_sub(100)) {
            counter.one();
        }
    }

    /// How many sockets the server closed with each code.
    pub fn closes(&self) -> impl Iterator<Item = (CloseCode, u64)> {
        CloseCode::ALL.into_iter().zip(self.closed.iter().map(Counter::get))
    }

    /// How many messages and frames were refused with each code.
    pub fn refusals(&self) -> impl Iterator<Item = (ErrorCode, u64)> {
        ErrorCode::ALL.into_iter().zip(self.refused.iter().map(Counter::get))
    }

    /// How many HTTP answers had each status, without those that none had.
    pub fn answers(&self) -> impl Iterator<Item = (u16, u64)> {
        (100..).zip(self.answers.iter().map(Counter::get)).filter(|(_, count)| *count > 0)
    }
}

fn count<T: PartialEq>(all: &[T], counters: &[Counter], one: &T) {
    let place = all.iter().position(|other| other == one);
    if let Some(counter) = place.and_then(|place| counters.get(place)) {
        counter.one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_and_each_status_has_a_count_of_its_own() {
        let counts = Tally::default();
        for code in CloseCode::ALL {
            counts.closed(code);
        }
        for code in ErrorCode::ALL {
            counts.refused(code);
        }
        counts.refused(ErrorCode::RelayFull);
        for status in [99, 100, 429, 429, 599, 600] {
            counts.answered(status);
        }
        assert!(counts.closes().all(|(_, count)| count == 1));
        for (code, count) in counts.refusals() {
            assert_eq!(count, if code == ErrorCode::RelayFull { 2 } else { 1 }, "{code:?}");
        }
        assert_eq!(counts.answers().collect::<Vec<_>>(), [(100, 1), (429, 2), (599, 1)]);
    }
}
