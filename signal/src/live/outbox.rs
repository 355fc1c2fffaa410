//! The queue of messages and frames for one device. It is bounded and never blocks its senders: a device that lets it
//! fill up is closed (S16). Relay frames have their own bounds (R2) and wait beside the messages.

use std::collections::{HashMap, VecDeque};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use heliograph_shared::close::CloseCode;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::DeviceId;
use heliograph_shared::limits::{
    OUTBOX_BYTES, OUTBOX_MESSAGES, RELAY_DEVICE_BYTES, RELAY_PAIR_BYTES,
};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::budget::{Budget, Kind, Share, Spent};
use crate::clock::Clock;
use crate::live::rates::Turns;
use crate::live::shared_texts::{SharedText, SharedTexts};
use crate::live::websocket::{Message, Pool};
use crate::tally::Tally;

/// Most messages and frames in one batch.
const BATCH_MESSAGES: usize = 64;
/// Bytes after which a batch takes no further message.
const BATCH_BYTES: usize = 256 * 1024;
/// Bytes of frames in a batch, unless it is a single larger frame. What the writer has cannot be overtaken, so a message
/// waits behind these at most: one full frame of four chunks.
const BATCH_FRAME_BYTES: usize = 66 * 1024;

/// Bytes from which a text is charged to the budget once for all outboxes in which it waits. Shorter texts are charged
/// in each.
const LONG: usize = 16 * 1024;
/// Estimated memory of a queued message or frame besides its bytes.
const OVERHEAD: usize = 128;
/// A device with at most this many bytes waiting keeps up, and is served even when others have spent the budget.
const KEEPS_UP: usize = 64 * 1024;
/// Least size that a frame counts as, in bytes, so that a window of short frames cannot take more memory (R2).
const SHORTEST_FRAME: usize = 256;

/// The bounds of the relay for this device are reached.
#[derive(Debug, PartialEq, Eq)]
pub struct RelayFull;

/// The queue for one device, shared by its beam, the relay and its socket.
#[derive(Debug)]
pub struct Outbox {
    queue: Mutex<Queue>,
    filled: Notify,
    closed: Notify,
    budget: Arc<Budget>,
    texts: Arc<SharedTexts>,
    counts: Arc<Tally>,
}

#[derive(Debug)]
struct Queue {
    messages: VecDeque<(Message, Charge)>,
    /// Messages that were taken so far, and the number of the last list of devices among those taken and queued.
    taken: u64,
    list: Option<u64>,
    frames: VecDeque<(DeviceId, Bytes)>,
    turns: Turns,
    /// Messages that are queued or taken, but not written yet.
    waiting_messages: usize,
    waiting_bytes: usize,
    relayed: HashMap<DeviceId, usize>,
    relayed_bytes: usize,
    /// The answer to the last ping. Only one is kept, so that a device which pings without reading cannot fill memory.
    pong: Option<Bytes>,
    close: Option<CloseCode>,
    /// The share of the short messages.
    for_messages: Share,
    for_frames: Share,
}

/// How a message is charged to the budget.
#[derive(Debug)]
enum Charge {
    /// Not charged: the budget was spent, but this device keeps up.
    Nothing,
    /// So many bytes of the outbox's own share.
    Own(usize),
    /// Once for all outboxes in which it waits.
    Shared(Arc<SharedText>),
}

/// A batch that the writer took from the queue. Pass it to [`Outbox::written`] afterwards.
#[derive(Debug, Default)]
pub struct Batch {
    /// In the order in which to write them.
    pub messages: Vec<Message>,
    counted_messages: usize,
    counted_bytes: usize,
    charged_bytes: usize,
    shared: Vec<Arc<SharedText>>,
    relayed: Vec<(DeviceId, usize)>,
}

impl Default for Outbox {
    /// An outbox with an unlimited budget, and without a bound on its rate.
    fn default() -> Self {
        let budget = Budget::unlimited();
        Self::new(budget.clone(), SharedTexts::new(budget), Turns::default(), Arc::default())
    }
}

impl Outbox {
    /// An empty outbox, charged to this budget, whose frames wait for these turns.
    #[must_use]
    pub fn new(
        budget: Arc<Budget>,
        texts: Arc<SharedTexts>,
        turns: Turns,
        counts: Arc<Tally>,
    ) -> Self {
        let (filled, closed) = (Notify::new(), Notify::new());
        let queue = Mutex::new(Queue { turns, ..Queue::new(&budget, None) });
        Self { queue, filled, closed, budget, texts, counts }
    }

    /// Counts a refusal that this device is told.
    pub fn count_refusal(&self, code: ErrorCode) {
        self.counts.refused(code);
    }

    /// Queues a message. Without room for it, the device is closed instead; the sender does not notice.
    pub fn push(&self, message: Message) {
        self.queue(message, false);
    }

    /// Queues the list of the beam's devices. It takes the place of one that is still queued, so that devices which
    /// come and go all the time fill no outbox.
    pub fn push_devices(&self, list: Message) {
        self.queue(list, true);
    }

    fn queue(&self, message: Message, is_list: bool) {
        let mut queue = self.lock();
        if queue.close.is_some() {
            return;
        }
        let place = if is_list { queue.empty_place_of_list() } else { None };
        if queue.waiting_messages >= OUTBOX_MESSAGES
            || queue.waiting_bytes + message.len() > OUTBOX_BYTES
        {
            drop(queue);
            return self.close(CloseCode::TooSlow);
        }
        let charge = match self.charge(&mut queue, &message) {
            Ok(charge) => charge,
            Err(Spent) if queue.waiting_bytes <= KEEPS_UP => Charge::Nothing,
            Err(Spent) => {
                drop(queue);
                return self.close(CloseCode::Overload);
            }
        };
        queue.waiting_messages += 1;
        queue.waiting_bytes += message.len();
        queue.put((message, charge), place, is_list);
        drop(queue);
        self.filled.notify_one();
    }

    /// Queues a frame that `from` relays to this device.
    ///
    /// # Errors
    /// [`RelayFull`] when the bytes from that device, from all devices, or in the process are at their bound.
    pub fn push_frame(&self, from: DeviceId, frame: Bytes) -> Result<(), RelayFull> {
        let mut queue = self.lock();
        if queue.close.is_some() {
            return Ok(());
        }
        let counted = frame.len().max(SHORTEST_FRAME);
        let of_pair = queue.relayed.get(&from).copied().unwrap_or_default() + counted;
        let of_all = queue.relayed_bytes + counted;
        if of_pair > RELAY_PAIR_BYTES || of_all > RELAY_DEVICE_BYTES {
            return Err(RelayFull);
        }
        // A frame keeps the whole buffer into which it was read.
        queue.for_frames.grow(Pool::size(counted)).map_err(|Spent| RelayFull)?;
        queue.relayed.insert(from, of_pair);
        queue.relayed_bytes = of_all;
        self.counts.relayed(frame.len());
        queue.frames.push_back((from, frame));
        drop(queue);
        self.filled.notify_one();
        Ok(())
    }

    /// Queues the answer to a ping. It replaces one that is still queued.
    pub fn push_pong(&self, payload: Bytes) {
        self.lock().pong = Some(payload);
        self.filled.notify_one();
    }

    /// Closes the device and drops what is queued. Only the first code counts.
    pub fn close(&self, code: CloseCode) {
        let mut queue = self.lock();
        if queue.close.is_none() {
            *queue = Queue::new(&self.budget, Some(code));
        }
        drop(queue);
        self.closed.notify_one();
    }

    /// Waits until the device is to be closed, and returns the code.
    pub async fn closing(&self) -> CloseCode {
        loop {
            if let Some(code) = self.lock().close {
                return code;
            }
            self.closed.notified().await;
        }
    }

    /// Waits for something to write and takes a batch of it: messages before frames, and frames when it is their turn.
    pub async fn take(&self, clock: Clock) -> Batch {
        loop {
            let (batch, turn) = {
                let mut queue = self.lock();
                (queue.take(clock.steady()), queue.turns.awaited())
            };
            if !batch.messages.is_empty() {
                return batch;
            }
            match turn {
                Some(turn) => {
                    // Whichever comes first: a message does not wait with the frames.
                    let _ = timeout_at(turn, self.filled.notified()).await;
                }
                None => self.filled.notified().await,
            }
        }
    }

    /// Frees the room of a written batch.
    pub fn written(&self, batch: &Batch) {
        let mut queue = self.lock();
        if queue.close.is_some() {
            return;
        }
        queue.waiting_messages -= batch.counted_messages;
        queue.waiting_bytes -= batch.counted_bytes;
        queue.for_messages.shrink(batch.charged_bytes);
        for (from, bytes) in &batch.relayed {
            queue.relayed_bytes -= bytes;
            queue.for_frames.shrink(Pool::size(*bytes));
            if let Some(of_pair) = queue.relayed.get_mut(from) {
                *of_pair -= bytes;
                if *of_pair == 0 {
                    queue.relayed.remove(from);
                }
            }
        }
        queue.let_go_of_memory();
    }

    /// Charges a message to the budget.
    fn charge(&self, queue: &mut Queue, message: &Message) -> Result<Charge, Spent> {
        if let Message::Text(text) = message
            && text.len() >= LONG
        {
            return Ok(Charge::Shared(self.texts.wait(text.as_bytes())?));
        }
        let bytes = message.len() + OVERHEAD;
        queue.for_messages.grow(bytes)?;
        Ok(Charge::Own(bytes))
    }

    /// A poisoned lock is safe to use: the queue stays consistent.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn new(budget: &Arc<Budget>, close: Option<CloseCode>) -> Self {
        Self {
            messages: VecDeque::new(),
            taken: 0,
            list: None,
            frames: VecDeque::new(),
            turns: Turns::default(),
            waiting_messages: 0,
            waiting_bytes: 0,
            relayed: HashMap::new(),
            relayed_bytes: 0,
            pong: None,
            close,
            for_messages: budget.nothing(Kind::Messages),
            for_frames: budget.nothing(Kind::Frames),
        }
    }

    /// The place of the list of devices that is still queued, if one is. Frees its room.
    fn empty_place_of_list(&mut self) -> Option<usize> {
        let place = usize::try_from(self.list?.checked_sub(self.taken)?).ok()?;
        let queued = self.messages.get_mut(place)?;
        let (old, charge) = mem::replace(queued, (Message::Ping, Charge::Nothing));
        self.waiting_messages -= 1;
        self.waiting_bytes -= old.len();
        if let Charge::Own(bytes) = charge {
            self.for_messages.shrink(bytes);
        }
        Some(place)
    }

    fn put(&mut self, message: (Message, Charge), place: Option<usize>, is_list: bool) {
        if let Some(queued) = place.and_then(|place| self.messages.get_mut(place)) {
            *queued = message;
            return;
        }
        if is_list {
            self.list = Some(self.taken + self.messages.len() as u64);
        }
        self.messages.push_back(message);
    }

    fn take(&mut self, now: Instant) -> Batch {
        let mut batch = Batch::default();
        batch.messages.extend(self.pong.take().map(Message::Pong));
        let mut bytes = 0;
        while batch.messages.len() < BATCH_MESSAGES && bytes < BATCH_BYTES {
            let Some((message, charge)) = self.messages.pop_front() else { break };
            self.taken += 1;
            batch.counted_messages += 1;
            batch.counted_bytes += message.len();
            match charge {
                Charge::Nothing => {}
                Charge::Own(bytes) => batch.charged_bytes += bytes,
                Charge::Shared(text) => batch.shared.push(text),
            }
            bytes += message.len();
            batch.messages.push(message);
        }
        if self.messages.is_empty() {
            self.take_frames(&mut batch, now);
        }
        batch
    }

    /// Adds the frames whose turn it is.
    fn take_frames(&mut self, batch: &mut Batch, now: Instant) {
        let mut bytes = 0;
        while batch.messages.len() < BATCH_MESSAGES {
            let Some((_, frame)) = self.frames.front() else { return };
            let after = bytes + frame.len();
            if bytes > 0 && after > BATCH_FRAME_BYTES {
                return;
            }
            if self.turns.next(frame.len(), now) > now {
                return;
            }
            self.turns.gone();
            let Some((from, frame)) = self.frames.pop_front() else { return };
            batch.relayed.push((from, frame.len().max(SHORTEST_FRAME)));
            batch.messages.push(Message::Binary(frame));
            bytes = after;
        }
    }

    /// Frees the capacity that a burst left behind, so that an idle socket costs little.
    fn let_go_of_memory(&mut self) {
        if self.messages.is_empty() && self.messages.capacity() > BATCH_MESSAGES {
            self.messages = VecDeque::new();
        }
        if self.frames.is_empty() {
            self.frames = VecDeque::new();
        }
    }
}

#[cfg(test)]
mod tests;
