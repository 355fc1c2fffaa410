//! What goes into the engine and what comes out of it, as plain values. The I/O around it owns sockets, connections, disks
//! and the clock:
//!
//! - It gives one [`Input`] at a time, and carries out all [`Output`]s of it before the next.
//! - What is sent or said on a link that is closed is lost.
//! - It carries out the file requests of one item in their order. Answers may come in any order, late, or after the item is
//!   gone: those count for nothing.
//! - It gives [`Input::Tick`] at the time of `Engine::next_tick`.
//! - The bytes that wait anywhere are bounded: chunks leave the engine only where [`Buffer::room`] allows, writes are bounded
//!   by what the engine wants (F4), and a copy is read a portion at a time. Only answers to what another device says are not:
//!   where more than 8 MiB wait for one device, it does not read, and its link is to be closed by the I/O.

use std::collections::BTreeMap;

use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::relay::RelayUse;

use crate::chunk_set::ChunkRange;
use crate::file_size::FileSize;
use crate::piece_hash::PieceHash;
use crate::receiver::LinkKey;

pub use super::incoming_file::{Earlier, FileSeal, IncomingFile, JournalEntry};
pub use super::progress::{Carrying, End, FileFailure, Progress, TransferFailure};

/// Something that happened.
#[derive(Debug)]
pub enum Input {
    /// The devices in the beam that understand frames, without this one (S7). One that is missing has left.
    Devices(Vec<Listed>),
    /// Devices that may no longer be in the beam (S25): nothing goes to them or comes from them until they are listed again.
    Removed(Vec<DeviceId>),
    /// Where files go through the server (R6); `None` while the socket is not joined to the beam.
    Relay(Option<RelayUse>),
    /// The server refused a frame or a signal to a device (R2, R3, R4).
    Refused {
        /// The device of its `to`.
        device: DeviceId,
        /// Why.
        why: Refusal,
    },
    /// Both data channels of a connection are open (L5). There is no room on it before [`Input::Buffered`] says so.
    LinkOpened {
        /// The device at its other end.
        device: DeviceId,
        /// Names the link. No other link of this engine has, or had, the same number.
        link: u64,
        /// Its place in the bundle (L6).
        place: u32,
        /// The largest message that the other device accepts, in bytes (F8).
        max_frame: usize,
    },
    /// A direct link closed, or a connection could not be opened at all.
    LinkClosed {
        /// The device at its other end.
        device: DeviceId,
        /// The link, which may be one that never opened.
        link: u64,
    },
    /// A frame arrived. Over the relay, it is what follows the address (R1).
    Frame {
        /// The device that sent it.
        from: DeviceId,
        /// `Direct` or `Relay`.
        link: LinkKey,
        /// Its bytes.
        frame: Vec<u8>,
    },
    /// What waits on a link, and how much room it has, after all outputs so far. The engine adds what it hands over until the next one
    /// replaces its count. Given when a link opens or the relay comes up, and whenever something of what waits has left: at least a few
    /// times a second.
    Buffered {
        /// The device at its other end.
        device: DeviceId,
        /// `Direct` or `Relay`. The devices share the room of the socket; the I/O divides it among the relay's links.
        link: LinkKey,
        /// What waits.
        buffer: Buffer,
    },
    /// The most connections that a bundle may have, because of the device's battery or data plan (L6).
    MostConnections(u32),
    /// Whether this device may pass on what it receives (F21). It may at the start.
    PassOn(bool),

    /// A file that this device shares (F1), or has again (F17).
    Offer {
        /// Its item.
        id: ItemId,
        /// Its size.
        size: FileSize,
        /// What seals it; `None` where it goes in clear.
        seal: Option<FileSeal>,
    },
    /// The I/O looks for what an earlier run has received of a file. Until `Receive`, `Cancel`, `Forget` or `Leave` nobody is told that
    /// it is not known here (F7). After the last three, no `Receive` follows of this search. A `Pause` counts for what follows.
    Search {
        /// Its item.
        id: ItemId,
        /// The device that shared it (F1).
        from: DeviceId,
    },
    /// Receives a file, or goes on with one.
    Receive(IncomingFile),
    /// The server has a copy of a file, at this path or address (F9).
    Stored {
        /// Its item.
        id: ItemId,
        /// Where.
        url: String,
    },
    /// The person cancels a transfer: with one device, or with all and what comes here (`None`).
    Cancel {
        /// Its item.
        id: ItemId,
        /// The device that receives it from here.
        device: Option<DeviceId>,
    },
    /// The person pauses a transfer (F18). `device` as for `Cancel`.
    Pause {
        /// Its item.
        id: ItemId,
        /// The device that receives it from here.
        device: Option<DeviceId>,
    },
    /// The person goes on with a transfer (F18). `device` as for `Cancel`.
    Resume {
        /// Its item.
        id: ItemId,
        /// The device that receives it from here.
        device: Option<DeviceId>,
    },
    /// The item is gone (F10): its transfers end, and what is here of it is discarded.
    Forget(ItemId),
    /// The beam of the item is left: its transfers end, and what is here of it stays for a later run.
    Leave(ItemId),

    /// The answer to [`Output::Open`].
    Opened {
        /// The item.
        id: ItemId,
        /// The place of the request.
        place: Place,
        /// Whether it is open now.
        result: Result<(), FileFailure>,
    },
    /// The answer to [`Output::Write`]: the chunks are durable.
    Wrote {
        /// The item.
        id: ItemId,
        /// The place of the request.
        place: Place,
        /// The chunks of the request.
        chunks: ChunkRange,
        /// Whether they are.
        result: Result<(), FileFailure>,
    },
    /// An entry of the journal could not be written ([`Output::Keep`], [`Output::KeepHashes`]).
    NotKept {
        /// The item.
        id: ItemId,
        /// The place of the request.
        place: Place,
        /// Why.
        why: FileFailure,
    },
    /// The answer to [`Output::Finish`].
    Finished {
        /// The item.
        id: ItemId,
        /// The place of the request.
        place: Place,
        /// Whether the file is where the person wants it.
        result: Result<(), FileFailure>,
    },
    /// The answer to [`Output::Read`].
    Read {
        /// The request.
        read: ReadId,
        /// Its bytes, all of them; `None` where they cannot be read.
        bytes: Option<Vec<u8>>,
    },
    /// The next bytes of a stored copy, at most 256 KiB. No more are given before [`Output::CopyRoom`].
    CopyBytes {
        /// The request.
        copy: CopyId,
        /// The bytes that follow those before.
        bytes: Vec<u8>,
    },
    /// A stored copy could not be read, or ended before all bytes of the request had come.
    CopyFailed {
        /// The request.
        copy: CopyId,
        /// Whether the server has it no more (404 or 410).
        is_gone: bool,
    },
    /// Time has passed.
    Tick,
}

/// Something to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Sends a frame of chunks: on the channel for chunks (L5), or through the server (R1).
    Send {
        /// The device at the other end.
        device: DeviceId,
        /// The link.
        link: LinkKey,
        /// The frame.
        frame: Vec<u8>,
    },
    /// Sends any other frame: before the chunks that wait where the link can.
    Say {
        /// The device at the other end.
        device: DeviceId,
        /// The link.
        link: LinkKey,
        /// The frame.
        frame: Vec<u8>,
    },
    /// Closes a direct link. The I/O answers with `LinkClosed`.
    Close {
        /// The device at the other end.
        device: DeviceId,
        /// The link.
        link: u64,
        /// Whether it is dead, so that it is to be built anew (L2).
        is_stalled: bool,
    },
    /// How many connections the bundle to a device is to have for what comes from it (L6).
    Bundle {
        /// The device.
        device: DeviceId,
        /// 1 to 16.
        size: u32,
    },

    /// Opens the place where a file is received, or goes on with what is there of an earlier run. Answered by `Opened`.
    Open {
        /// The item.
        id: ItemId,
        /// What later requests and their answers bear.
        place: Place,
    },
    /// Writes chunks. Answered by `Wrote`.
    Write {
        /// The item.
        id: ItemId,
        /// An open place.
        place: Place,
        /// The chunks.
        chunks: ChunkRange,
        /// Their bytes, in clear, which begin at `chunks.first` × 16,384.
        bytes: Vec<u8>,
    },
    /// Reads bytes of a file. Answered by `Read`.
    Read {
        /// What the answer bears.
        read: ReadId,
        /// Of which file.
        of: ReadOf,
        /// Where they begin, in bytes.
        start: u64,
        /// How many there are to be: at most 1 MiB.
        bytes: usize,
    },
    /// Enters into the journal what is here of a file. All of it is durable.
    Keep {
        /// The item.
        id: ItemId,
        /// An open place.
        place: Place,
        /// The chunks to go on from.
        chunks: Vec<ChunkRange>,
        /// Whether the person has paused it.
        is_paused: bool,
    },
    /// Enters into the journal which hashes of pieces were told, in place of those that are there (F19).
    KeepHashes {
        /// The item.
        id: ItemId,
        /// An open place.
        place: Place,
        /// Hashes by piece.
        hashes: BTreeMap<u32, PieceHash>,
    },
    /// Enters into the journal whether the person has paused a file that an earlier run has begun, and that is not open.
    KeepPause {
        /// The item.
        id: ItemId,
        /// Whether they have.
        is_paused: bool,
    },
    /// All of a file is here and right: puts it where the person wants it, and ends its entry in the journal. Until `Forget` it can
    /// be read as before. Answered by `Finished`.
    Finish {
        /// The item.
        id: ItemId,
        /// An open place.
        place: Place,
    },
    /// Closes the place of a file, if one is open, and removes what is here of it, unless it is finished.
    Discard(ItemId),
    /// Closes the place of a file, if one is open. What is here of it stays, with its entry in the journal.
    Release(ItemId),

    /// Reads a part of a stored copy (H41, F22).
    ReadCopy {
        /// What the answers bear.
        copy: CopyId,
        /// Where the copy is.
        url: String,
        /// The first byte.
        start: u64,
        /// How many bytes: at most 8 MiB and their tags.
        bytes: u64,
    },
    /// There is room for the next bytes of a copy.
    CopyRoom(CopyId),
    /// A copy is read no further.
    StopCopy(CopyId),

    /// How a file is doing that comes here.
    Receiving {
        /// The item.
        id: ItemId,
        /// Its progress.
        progress: Progress,
    },
    /// How a file is doing that goes to a device.
    Sending {
        /// The item.
        id: ItemId,
        /// The device.
        device: DeviceId,
        /// Its progress.
        progress: Progress,
    },
    /// A device wants a file that is not here, as after a restart (F17).
    Missed {
        /// The item.
        id: ItemId,
        /// The device.
        device: DeviceId,
    },
}

/// A device in the beam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: DeviceId,
    /// Whether both devices can have direct links.
    pub is_direct: bool,
}

/// Why the server did not forward a frame: the `extra` of its `error`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// `device_gone`.
    Gone,
    /// `relay_full`, and any other.
    Full,
    /// `forbidden`: this device may only read (S24).
    Forbidden,
}

/// Bytes on one link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    /// Bytes of chunk frames that may be handed over now. A frame that is begun within it may go over it.
    pub room: u64,
    /// Bytes that were handed over and have not left this device yet.
    pub unsent: u64,
    /// Those of them that are no chunks.
    pub unsaid: u64,
}

/// Where a file is received: another one each time that it is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(pub u64);

/// Names a request to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadId(pub u64);

/// Names a request for a part of a stored copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CopyId(pub u64);

/// A file that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOf {
    /// One that this device shares.
    Offered(ItemId),
    /// One that it receives or has received: what is in its place.
    Received(ItemId),
}
