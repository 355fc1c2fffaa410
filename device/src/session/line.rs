//! The life of the socket to one beam: when it is opened, how it is kept alive, and when it is tried again (S13, S19).

use std::time::Duration;

use heliograph_shared::close::CloseCode;
use heliograph_shared::limits::{
    PING_INTERVAL, RECONNECT_ATTEMPTS, RECONNECT_DELAY, RECONNECT_JITTER, SOCKET_IDLE,
};

use crate::random::{self, Random};

/// How the device stands to its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The first socket is being opened.
    Connecting,
    /// What is said comes there.
    Live,
    /// The socket is lost, and tried again.
    Reconnecting {
        /// The attempt, from 1 to [`RECONNECT_ATTEMPTS`].
        attempt: u32,
    },
    /// It is not tried again.
    Stopped(Why),
}

/// Why a socket is not tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The login has ended (4401).
    LoggedOut,
    /// The beam key is wrong, or this device may not be here any more (4403).
    Forbidden,
    /// The beam has expired or was deleted, or never was (4404).
    Ended,
    /// The server cannot be reached.
    Unreachable,
    /// The device has left.
    Left,
}

/// What is to be done when time has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    Nothing,
    Ping,
    Connect,
    /// Nothing was heard for so long that the socket counts as dead.
    Lost,
}

enum State {
    /// The socket is being opened, or `auth` has no answer yet.
    Opening,
    Live,
    Waiting {
        until: Duration,
    },
    Stopped,
}

pub(super) struct Line {
    state: State,
    attempt: u32,
    heard: Duration,
    next_ping: Option<Duration>,
}

impl Line {
    pub(super) const fn new(now: Duration) -> Self {
        Self { state: State::Opening, attempt: 0, heard: now, next_ping: None }
    }

    pub(super) const fn is_live(&self) -> bool {
        matches!(self.state, State::Live)
    }

    pub(super) const fn is_stopped(&self) -> bool {
        matches!(self.state, State::Stopped)
    }

    /// Whether there is a socket, or one is being opened.
    pub(super) const fn has_socket(&self) -> bool {
        matches!(self.state, State::Opening | State::Live)
    }

    pub(super) fn opened(&mut self, now: Duration) {
        self.heard = now;
        self.next_ping = Some(now + PING_INTERVAL);
    }

    /// Any message proves that the socket lives.
    pub(super) const fn heard(&mut self, now: Duration) {
        self.heard = now;
    }

    /// The server has answered to `auth`.
    pub(super) const fn welcomed(&mut self) {
        self.state = State::Live;
        self.attempt = 0;
    }

    pub(super) const fn left(&mut self) {
        self.state = State::Stopped;
    }

    /// The socket is gone. `code` is that of its close frame, if there was one.
    pub(super) fn closed(
        &mut self,
        code: Option<u16>,
        now: Duration,
        random: &mut dyn Random,
    ) -> Status {
        self.next_ping = None;
        let final_code = |one: &CloseCode| one.is_final() && Some(one.number()) == code;
        let why = match CloseCode::ALL.into_iter().find(final_code) {
            Some(CloseCode::SessionEnded) => Some(Why::LoggedOut),
            Some(CloseCode::Forbidden) => Some(Why::Forbidden),
            Some(_) => Some(Why::Ended),
            None if self.attempt >= RECONNECT_ATTEMPTS => Some(Why::Unreachable),
            None => None,
        };
        if let Some(why) = why {
            self.state = State::Stopped;
            return Status::Stopped(why);
        }
        self.attempt += 1;
        let part = f64::from(u16::from_be_bytes(random::bytes(random))) / f64::from(u16::MAX);
        let until = now + RECONNECT_DELAY + RECONNECT_JITTER.mul_f64(part);
        self.state = State::Waiting { until };
        Status::Reconnecting { attempt: self.attempt }
    }

    pub(super) fn next_due(&self) -> Option<Duration> {
        match self.state {
            State::Opening | State::Live => {
                let idle = self.heard + SOCKET_IDLE;
                Some(self.next_ping.map_or(idle, |ping| ping.min(idle)))
            }
            State::Waiting { until } => Some(until),
            State::Stopped => None,
        }
    }

    pub(super) fn due(&mut self, now: Duration) -> Due {
        match self.state {
            State::Waiting { until } if now >= until => {
                self.state = State::Opening;
                self.heard = now;
                Due::Connect
            }
            State::Opening | State::Live if now >= self.heard + SOCKET_IDLE => Due::Lost,
            State::Opening | State::Live if self.next_ping.is_some_and(|ping| now >= ping) => {
                self.next_ping = Some(now + PING_INTERVAL);
                Due::Ping
            }
            _ => Due::Nothing,
        }
    }
}
