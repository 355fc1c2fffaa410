//! The places of the connections to a device, what is in each, and what is to be done with it.

use std::time::Duration;

use heliograph_shared::ids::DeviceId;
use heliograph_shared::socket::IceServer;
use serde::Deserialize;
use serde_json::Value;

use crate::io::direct_link::LinkKind;
use crate::io::link_contract::PeerPath;

/// The place of a connection in the bundle to a device, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    pub(super) device: DeviceId,
    pub(super) place: u32,
}

/// Something to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Opens a connection.
    Open {
        /// Names it. No other has, or had, the same number.
        link: u64,
        /// The device at its other end.
        device: DeviceId,
        /// Its place in the bundle.
        place: u32,
        /// What it is made of.
        kind: LinkKind,
        /// Whether this device makes the offer.
        is_initiator: bool,
        /// The servers for it.
        ice_servers: Vec<IceServer>,
    },
    /// Passes a signal of the other device to a connection.
    Feed {
        /// The connection.
        link: u64,
        /// The signal.
        signal: Value,
    },
    /// Gives a connection servers with new credentials.
    Renew {
        /// The connection.
        link: u64,
        /// The servers for it.
        ice_servers: Vec<IceServer>,
    },
    /// Closes a connection, which may be closed already. The engine is told that its link closed, unless that was an attempt by
    /// QUIC.
    Close {
        /// The device at its other end.
        device: DeviceId,
        /// The connection.
        link: u64,
    },
    /// Sends a signal to a device, through the server (S12).
    Signal {
        /// The device.
        to: DeviceId,
        /// The `message` of it.
        message: Value,
    },
    /// The path of the connections to a device: direct where any of them is; `None` once the last one, or the last attempt, has
    /// ended.
    Path {
        /// The device.
        device: DeviceId,
        /// The path.
        path: Option<PeerPath>,
    },
}

/// One connection to a device, or what is to become one.
#[derive(Debug)]
pub(super) struct Attempt {
    /// The initiator chooses it.
    pub(super) session: String,
    pub(super) link: u64,
    pub(super) kind: LinkKind,
    /// Signals that came before it has begun.
    pub(super) early: Vec<Value>,
    /// Not so while the device offers too often.
    pub(super) has_begun: bool,
    /// `None` while it is not connected.
    pub(super) path: Option<PeerPath>,
    /// Nothing comes over it any more.
    pub(super) is_broken: bool,
    /// Than the socket of this device.
    pub(super) is_older: bool,
    /// When the attempt has failed, unless it is connected.
    pub(super) fails_at: Duration,
}

/// How many connections each of the two devices wants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) mine: u32,
    pub(super) theirs: u32,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { mine: 1, theirs: 1 }
    }
}

/// What two devices tell each other about a connection (L1).
#[derive(Deserialize)]
pub(super) struct Envelope {
    pub(super) session: String,
    #[serde(default)]
    pub(super) index: u32,
    #[serde(default)]
    pub(super) signal: Value,
}

/// Asks the initiator for so many connections (L6).
#[derive(Deserialize)]
pub(super) struct Wish {
    pub(super) size: u32,
}
