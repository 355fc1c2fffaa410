//! How a transfer is doing, and why one fails.

/// Why a file cannot be received here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFailure {
    /// It is larger than the free space.
    NoRoom,
    /// The space ran out. What is here of it stays.
    DiskFull,
    /// Anything else that may pass, in the system's words. What is here of it stays.
    Failed(String),
    /// What is here of it is of no use, as where a file system takes no file so large.
    Useless(String),
}

/// How a transfer is doing.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// It waits until other files are done.
    Queued {
        /// Bytes that were moved.
        bytes: u64,
    },
    /// It moves.
    Moving {
        /// Bytes that were moved.
        bytes: u64,
        /// Its speed.
        bytes_per_second: f64,
        /// Bytes that went more than once.
        twice: u64,
        /// The links that carry it.
        via: Carrying,
    },
    /// It waits for the other device.
    Parked {
        /// Bytes that were moved.
        bytes: u64,
        /// The device is here, but no direct link to it opens, and the server forwards nothing.
        needs_direct: bool,
    },
    /// A person paused it (F18).
    Paused {
        /// Bytes that were moved.
        bytes: u64,
        /// At which end.
        by: End,
    },
    /// All of it is at the receiver.
    Done {
        /// Bytes that went more than once.
        twice: u64,
        /// The links that carried it; `None` where none of this run did.
        via: Option<Carrying>,
    },
    /// It was given up, and can be asked for again.
    Offered,
    /// A person cancelled it.
    Cancelled {
        /// At which end.
        by: End,
    },
    /// It failed.
    Failed {
        /// Bytes that were moved.
        bytes: u64,
        /// Why.
        why: TransferFailure,
    },
}

impl Progress {
    /// Whether nothing more happens by itself, or the file is only offered.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        matches!(
            self,
            Self::Done { .. } | Self::Offered | Self::Cancelled { .. } | Self::Failed { .. }
        )
    }
}

/// An end of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// This device.
    Here,
    /// The other one.
    There,
}

/// The links that carry a transfer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carrying {
    /// The direct ones.
    pub links: Vec<u64>,
    /// Whether the server's relay is among them.
    pub relay: bool,
    /// Whether the server's stored copy is.
    pub stored: bool,
}

/// Why a transfer failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferFailure {
    /// The other device no longer has the file. What is here of it waits.
    Gone,
    /// The other device has no room for it.
    NoRoomThere,
    /// The device that has the file was removed from the beam.
    SourceRemoved,
    /// This device offered the file and can no longer read it, or it has changed.
    Changed,
    /// What arrived is not what the other device says that it has, over and over.
    Damaged,
    /// This device may only read in the beam, so the server forwards nothing of it.
    ReadOnly,
    /// It cannot be received here.
    Here(FileFailure),
}
