//! One file that this device receives. What is wanted of it is in its `Receiver`, which the schedulers share.

use heliograph_shared::ids::{DeviceId, ItemId};

use super::checking::Checking;
use super::chunks::Chunks;
use super::context::Context;
use super::contract::{Earlier, End, IncomingFile, JournalEntry, Output, Place, TransferFailure};
use super::givers::Givers;
use super::keeping::Keeping;
use super::stored_copy::StoredCopy;
use crate::carriers::Carriers;
use crate::chunk_set::ChunkRange;
use crate::frames::CancelReason;
use crate::piece_checks::without;
use crate::receiver::Receiver;
use crate::speed::Speed;

/// How a transfer ends. What was received of an interrupted one waits until the file is received again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Done,
    Cancelled,
    Failed,
    Interrupted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Waits until other files are done.
    Queued,
    Opening,
    Open,
    /// By the person here, or the one at its source (F18).
    Paused(End),
    /// All of it is here, and is put where the person wants it.
    Finishing,
    /// `why`: what its source is told when it still sends.
    Ended {
        how: Ending,
        why: CancelReason,
    },
}

/// The waiting state that was last reported, so that each of a thousand waiting files reports once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    Turn,
    Device,
    DirectLink,
}

pub struct Incoming {
    pub id: ItemId,
    /// The device that shared it.
    pub source: DeviceId,
    pub file: IncomingFile,
    /// In the order in which files were asked for.
    pub number: u64,
    pub state: State,
    /// Where it is written, once it had a turn. A paused file keeps its place.
    pub place: Option<Place>,
    pub is_place_open: bool,
    pub chunks: Chunks,
    pub checking: Checking,
    pub keeping: Keeping,
    pub carriers: Carriers,
    pub speed: Speed,
    pub waits: Option<Waits>,
    pub givers: Givers,
    /// The server's copy of it, where one is known.
    pub copy: Option<StoredCopy>,
    /// Why the device that shared the file gives nothing of it; `None` while it may.
    pub source_out: Option<TransferFailure>,
    /// How often a piece came wrong from the device that shared it, or its copy.
    pub wrong: u32,
}

impl Incoming {
    /// `seed`: a random number.
    pub fn new(file: IncomingFile, number: u64, seed: u64) -> Self {
        let mut checking = Checking::new(file.id, file.size);
        if let Earlier::Part(JournalEntry { hashes, .. }) = &file.earlier {
            checking.pieces.was_told(hashes.iter().map(|(piece, hash)| (*piece, *hash)));
        }
        Self {
            id: file.id,
            source: file.from,
            number,
            state: State::Queued,
            place: None,
            is_place_open: false,
            chunks: Chunks::new(file.size, file.seal.as_ref()),
            checking,
            keeping: Keeping::default(),
            carriers: Carriers::default(),
            speed: Speed::default(),
            waits: None,
            givers: Givers::new(file.size, file.from, file.head, seed),
            copy: file.url.clone().map(StoredCopy::new),
            source_out: None,
            wrong: 0,
            file,
        }
    }

    pub fn is_open(&self) -> bool {
        self.state == State::Open
    }

    pub const fn has_ended(&self) -> bool {
        matches!(self.state, State::Ended { .. })
    }

    pub const fn paused_by(&self) -> Option<End> {
        match self.state {
            State::Paused(by) => Some(by),
            _ => None,
        }
    }

    /// Whether it comes, or waits for its turn or its device.
    pub const fn is_under_way(&self) -> bool {
        !self.has_ended() && self.paused_by().is_none()
    }

    pub const fn is_done(&self) -> bool {
        matches!(self.state, State::Ended { how: Ending::Done, .. })
    }

    /// What its source is told when it sends although the transfer has ended or waits; `None` while it may send.
    pub const fn refusal(&self) -> Option<CancelReason> {
        match self.state {
            State::Ended { why, .. } => Some(why),
            State::Paused(End::Here) => Some(CancelReason::Paused),
            _ => None,
        }
    }

    /// Whether any device can give it now, or does.
    pub fn can_be_given(&self, receiver: &Receiver, context: &Context) -> bool {
        self.givers.can_give(self.source_out.is_none(), receiver, context)
    }

    /// Whether what was received waits for its source, which did not have it any more. Otherwise it waits for room.
    pub const fn waits_for_source(&self) -> bool {
        let State::Ended { how: Ending::Interrupted, why } = self.state else { return false };
        !matches!(why, CancelReason::NoRoom)
    }

    /// What an earlier run or transfer has received.
    fn earlier(&self) -> Option<&JournalEntry> {
        match &self.file.earlier {
            Earlier::Part(entry) => Some(entry),
            Earlier::Nothing | Earlier::Whole => None,
        }
    }

    /// Whether an earlier run has received a part that was not opened yet.
    pub fn has_unopened_part(&self) -> bool {
        self.place.is_none() && self.earlier().is_some_and(|entry| !entry.chunks.is_empty())
    }

    /// Bytes that are durable, as far as is known.
    pub fn received(&self, receiver: &Receiver) -> u64 {
        if self.is_place_open {
            return receiver.received();
        }
        let chunks = self.earlier().map(|entry| entry.chunks.as_slice()).unwrap_or_default();
        chunks.iter().map(|range| self.file.size.range_bytes(*range)).sum()
    }

    /// Whether every byte is here, and right.
    pub fn is_complete(&self, receiver: &Receiver) -> bool {
        receiver.is_complete() && self.checking.pieces.is_complete()
    }

    /// Begins to receive, or goes on after a pause.
    pub fn open(&mut self, context: &mut Context) {
        self.state = if self.is_place_open { State::Open } else { State::Opening };
        if self.place.is_none() {
            let place = Place(context.number());
            self.place = Some(place);
            context.does(Output::Open { id: self.id, place });
        }
    }

    /// Its place is open.
    pub fn opened(&mut self, receiver: &mut Receiver, context: &mut Context) {
        self.is_place_open = true;
        if let Earlier::Part(entry) = &self.file.earlier {
            receiver.resumes(entry.chunks.iter().copied());
            self.checking.resumes(receiver.durable(), context);
        }
        if self.state == State::Opening {
            self.state = State::Open;
        } else {
            self.keep(receiver, context);
        }
    }

    /// Its source, which had it no more or was away, has it again (F17, F19).
    pub fn source_came(&mut self, context: &mut Context) {
        if self.source_out.is_none() && !self.checking.is_unconfirmed {
            return;
        }
        if self.source_out.take().is_some() && self.is_open() {
            context.device(self.source).scheduler.begin(self.id);
        }
        // What is being finished was compared whole.
        if !self.has_ended() && self.state != State::Finishing {
            self.checking.source_came(self.is_place_open, context);
        }
    }

    /// Whether a pause would change anything.
    pub fn can_pause(&self, by: End) -> bool {
        match self.state {
            State::Paused(End::Here) | State::Finishing | State::Ended { .. } => false,
            State::Paused(known) => known != by,
            _ => true,
        }
    }

    /// Pauses it: what still arrives is dropped, and requested again later. What the one at its source has paused waits for the person
    /// here as well once they pause it.
    pub fn pause(&mut self, by: End, receiver: &mut Receiver, context: &mut Context) {
        self.state = State::Paused(by);
        self.waits = None;
        receiver.lost_all();
        self.keep(receiver, context);
        self.keep_hashes(context);
    }

    /// Lets it wait for its turn again.
    pub fn resume(&mut self, receiver: &Receiver, context: &mut Context) {
        if self.paused_by().is_some() {
            self.state = State::Queued;
            self.keep(receiver, context);
        }
    }

    /// The chunks that are durable, without those of whole pieces that may be wrong.
    pub fn certain(&self, receiver: &Receiver) -> Vec<ChunkRange> {
        let durable = receiver.durable();
        let is_whole = |piece: &u32| durable.contains(self.file.size.chunks_of(*piece));
        let doubtful: Vec<_> = self.checking.pieces.doubtful().filter(is_whole).collect();
        without(durable.ranges(), doubtful).ranges().collect()
    }

    /// Enters what is here into the journal, if its place is open.
    pub fn keep(&mut self, receiver: &Receiver, context: &mut Context) {
        let Some(place) = self.place.filter(|_| self.is_place_open) else { return };
        self.keeping.entered(context.now);
        let is_paused = self.paused_by() == Some(End::Here);
        let chunks = self.certain(receiver);
        context.does(Output::Keep { id: self.id, place, chunks, is_paused });
    }

    /// Enters the hashes that were told, if there are new ones that others than their device may be needed for.
    pub fn keep_hashes(&mut self, context: &mut Context) {
        let Some(place) = self.place.filter(|_| self.is_place_open) else { return };
        let told = self.checking.pieces.newly_told();
        if let Some(hashes) = told {
            self.keeping.entered_hashes(context.now);
            context.does(Output::KeepHashes { id: self.id, place, hashes });
        }
    }

    /// Enters what is due. Called several times a second.
    pub fn keep_due(&mut self, receiver: &Receiver, context: &mut Context) {
        if !self.is_open() {
            return;
        }
        if self.keeping.are_hashes_due(context.now) {
            self.keep_hashes(context);
        }
        if self.keeping.is_due(context.now) {
            self.keep(receiver, context);
        }
    }

    /// Ends the transfer. What was written is removed, unless the file is complete or a later run may go on with it. `why` is what its
    /// source is told when it still sends.
    pub fn end(
        &mut self,
        how: Ending,
        why: CancelReason,
        receiver: &Receiver,
        context: &mut Context,
    ) {
        let is_finishing = self.state == State::Finishing;
        match how {
            Ending::Interrupted => {
                if !is_finishing {
                    self.keep(receiver, context);
                    self.keep_hashes(context);
                }
                self.remember(receiver);
                context.does(Output::Release(self.id));
            }
            // What could not be opened may be there.
            Ending::Failed if self.place.is_some() && !self.is_place_open => {
                context.does(Output::Release(self.id));
            }
            Ending::Cancelled | Ending::Failed => {
                self.file.earlier = Earlier::Nothing;
                context.does(Output::Discard(self.id));
            }
            Ending::Done => self.file.earlier = Earlier::Whole,
        }
        self.state = State::Ended { how, why };
        self.is_place_open = false;
        self.place = None;
    }

    /// A later transfer of this run goes on from what is here.
    fn remember(&mut self, receiver: &Receiver) {
        if self.is_place_open {
            let chunks = self.certain(receiver);
            let hashes = self.checking.pieces.all_told();
            let entry = JournalEntry { chunks, is_paused: false, hashes };
            self.file.earlier = Earlier::Part(entry);
        }
    }

    /// What an earlier run has received is not of this file: everything is received again.
    pub fn is_another_file(&mut self, receiver: &mut Receiver, context: &mut Context) {
        receiver.lost_all();
        receiver.refused(self.file.size.chunks());
        self.checking.clear();
        // What was told of the other one would count against what a later run finds of this one.
        self.keep_hashes(context);
    }
}
