//! The queue of messages and frames for one device. It is bounded and never blocks its senders: a device that lets it
//! fill up is closed (S16). Relay frames have their own bounds (R2) and wait beside the messages.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::DeviceId;
use heliograph_shared::limits::{
    OUTBOX_BYTES, OUTBOX_MESSAGES, RELAY_DEVICE_BYTES, RELAY_PAIR_BYTES,
};
use tokio::sync::Notify;

use crate::budget::{Budget, Kind, Share, Spent};
use crate::live::shared_texts::{SharedText, SharedTexts};
use crate::live::websocket::{Message, Pool};

/// Most messages in one batch.
const BATCH_MESSAGES: usize = 64;
/// Bytes after which a batch is complete, so that a message never waits behind many frames.
const BATCH_BYTES: usize = 256 * 1024;

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
}

#[derive(Debug)]
struct Queue {
    messages: VecDeque<(Message, Charge)>,
    frames: VecDeque<(DeviceId, Bytes)>,
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
    /// An outbox with an unlimited budget.
    fn default() -> Self {
        let budget = Budget::unlimited();
        Self::new(budget.clone(), SharedTexts::new(budget))
    }
}

impl Outbox {
    /// An empty outbox, charged to this budget.
    #[must_use]
    pub fn new(budget: Arc<Budget>, texts: Arc<SharedTexts>) -> Self {
        let (filled, closed) = (Notify::new(), Notify::new());
        Self { queue: Mutex::new(Queue::new(&budget, None)), filled, closed, budget, texts }
    }

    /// Queues a message. Without room for it, the device is closed instead; the sender does not notice.
    pub fn push(&self, message: Message) {
        let mut queue = self.lock();
        if queue.close.is_some() {
            return;
        }
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
        queue.messages.push_back((message, charge));
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

    /// Waits for something to write and takes a batch of it, messages before frames.
    pub async fn take(&self) -> Batch {
        loop {
            let batch = self.lock().take();
            if !batch.messages.is_empty() {
                return batch;
            }
            self.filled.notified().await;
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
            frames: VecDeque::new(),
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

    fn take(&mut self) -> Batch {
        let mut batch = Batch::default();
        batch.messages.extend(self.pong.take().map(Message::Pong));
        let mut bytes = 0;
        while batch.messages.len() < BATCH_MESSAGES && bytes < BATCH_BYTES {
            let message = if let Some((message, charge)) = self.messages.pop_front() {
                batch.counted_messages += 1;
                batch.counted_bytes += message.len();
                match charge {
                    Charge::Nothing => {}
                    Charge::Own(bytes) => batch.charged_bytes += bytes,
                    Charge::Shared(text) => batch.shared.push(text),
                }
                message
            } else if let Some((from, frame)) = self.frames.pop_front() {
                batch.relayed.push((from, frame.len().max(SHORTEST_FRAME)));
                Message::Binary(frame)
            } else {
                break;
            };
            bytes += message.len();
            batch.messages.push(message);
        }
        batch
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
mod tests {
    use super::*;
    use crate::budget::tests::budget;

    const ADA: DeviceId = DeviceId::from_bytes([1; 16]);
    const BOB: DeviceId = DeviceId::from_bytes([2; 16]);
    const MIB: usize = 1024 * 1024;

    fn is_closing(outbox: &Outbox) -> Option<CloseCode> {
        outbox.lock().close
    }

    fn frame(len: usize) -> Bytes {
        Bytes::from(vec![0; len])
    }

    #[tokio::test]
    async fn r2_a_frame_counts_for_the_whole_buffer_that_it_keeps() {
        let budget = budget(&[]);
        let outbox = Outbox::new(budget.clone(), SharedTexts::new(budget.clone()));
        // Four chunks, and what stands before them.
        outbox.push_frame(ADA, frame(64 * 1024 + 37)).unwrap();
        assert_eq!(budget.taken(Kind::Frames), 80 * 1024);
        let batch = outbox.take().await;
        outbox.written(&batch);
        assert_eq!(budget.taken(Kind::Frames), 0);
    }

    #[test]
    fn s16_an_outbox_holds_1024_messages() {
        let outbox = Outbox::default();
        for _ in 0..OUTBOX_MESSAGES {
            outbox.push(Message::text("hi"));
        }
        assert_eq!(is_closing(&outbox), None);

        outbox.push(Message::text("hi"));

        assert_eq!(is_closing(&outbox), Some(CloseCode::TooSlow));
    }

    #[test]
    fn s16_an_outbox_holds_4_mib() {
        let outbox = Outbox::default();
        for _ in 0..4 {
            outbox.push(Message::text("x".repeat(MIB)));
        }
        assert_eq!(is_closing(&outbox), None);

        outbox.push(Message::text("x"));

        assert_eq!(is_closing(&outbox), Some(CloseCode::TooSlow));
    }

    #[tokio::test]
    async fn s16_what_was_written_makes_room_and_what_was_only_taken_does_not() {
        let outbox = Outbox::default();
        for _ in 0..OUTBOX_MESSAGES {
            outbox.push(Message::text("hi"));
        }
        let batch = outbox.take().await;
        assert_eq!(batch.messages.len(), BATCH_MESSAGES);
        outbox.written(&batch);
        for _ in 0..BATCH_MESSAGES {
            outbox.push(Message::text("hi"));
        }
        assert_eq!(is_closing(&outbox), None);

        let _taken = outbox.take().await;
        outbox.push(Message::text("hi"));

        assert_eq!(is_closing(&outbox), Some(CloseCode::TooSlow));
    }

    #[test]
    fn r2_a_window_waits_from_one_device_and_no_byte_more() {
        let outbox = Outbox::default();
        assert_eq!(outbox.push_frame(ADA, frame(RELAY_PAIR_BYTES)), Ok(()));
        assert_eq!(outbox.push_frame(ADA, frame(1)), Err(RelayFull));
        assert_eq!(outbox.push_frame(BOB, frame(1)), Ok(()));
    }

    #[test]
    fn r2_sixteen_mib_wait_towards_one_device_and_no_byte_more() {
        let outbox = Outbox::default();
        for sender in 0..16 {
            let from = DeviceId::from_bytes([sender; 16]);
            assert_eq!(outbox.push_frame(from, frame(MIB)), Ok(()));
        }
        assert_eq!(outbox.push_frame(ADA, frame(1)), Err(RelayFull));
    }

    #[tokio::test]
    async fn r2_credit_comes_back_when_a_frame_was_written() {
        let outbox = Outbox::default();
        outbox.push_frame(ADA, frame(RELAY_PAIR_BYTES)).unwrap();
        let batch = outbox.take().await;
        assert_eq!(outbox.push_frame(ADA, frame(1)), Err(RelayFull));

        outbox.written(&batch);

        assert_eq!(outbox.push_frame(ADA, frame(RELAY_PAIR_BYTES)), Ok(()));
    }

    #[tokio::test]
    async fn r3_frames_do_not_count_for_the_outbox_and_wait_behind_messages() {
        let outbox = Outbox::default();
        outbox.push_frame(ADA, frame(RELAY_PAIR_BYTES)).unwrap();
        for _ in 0..4 {
            outbox.push(Message::text("x".repeat(MIB)));
        }
        assert_eq!(is_closing(&outbox), None);
        assert!(matches!(outbox.take().await.messages[0], Message::Text(_)));
    }

    #[tokio::test]
    async fn s16_a_flood_of_pings_fills_nothing() {
        let outbox = Outbox::default();
        for n in 0..10_000_u32 {
            outbox.push_pong(Bytes::copy_from_slice(&n.to_be_bytes()));
        }
        let last = Bytes::copy_from_slice(&9_999_u32.to_be_bytes());
        assert_eq!(outbox.take().await.messages, [Message::Pong(last)]);
    }

    #[test]
    fn r2_a_window_of_short_frames_is_short() {
        let outbox = Outbox::default();
        let pushed = (0..100_000).take_while(|_| outbox.push_frame(ADA, frame(16)).is_ok());
        assert_eq!(pushed.count(), RELAY_PAIR_BYTES / SHORTEST_FRAME);
    }

    /// Outboxes that share a budget of 1 MiB for messages and 1 MiB for frames.
    fn outboxes<const N: usize>() -> (Arc<Budget>, [Outbox; N]) {
        let flags = ["--memory-messages", "1MiB", "--memory-frames", "1MiB"];
        let budget = budget(&flags);
        let texts = SharedTexts::new(budget.clone());
        let outboxes = [(); N].map(|()| Outbox::new(budget.clone(), texts.clone()));
        (budget, outboxes)
    }

    #[tokio::test]
    async fn s16_with_the_budget_spent_who_reads_nothing_is_closed_and_who_keeps_up_is_served() {
        let (budget, [slow, slower, quick]) = outboxes();
        let mut sent = 0;
        while is_closing(&slow).is_none() || is_closing(&slower).is_none() {
            for outbox in [&slow, &slower] {
                outbox.push(Message::text("x".repeat(20 * 1024)));
            }
            quick.push(Message::text("x".repeat(20 * 1024)));
            let batch = quick.take().await;
            quick.written(&batch);
            sent += 1;
            assert!(budget.taken(Kind::Messages) <= MIB && sent < 1_000);
        }
        assert_eq!(is_closing(&slow).or(is_closing(&slower)), Some(CloseCode::Overload));
        assert_eq!(is_closing(&quick), None);
        drop((slow, slower, quick));
        assert_eq!(budget.taken_in_all(), 0);
    }

    #[tokio::test]
    async fn r2_with_the_budget_spent_a_frame_is_refused_and_who_holds_little_still_gets_some() {
        let (budget, [greedy, modest]) = outboxes();
        let pushed = (0..2_000).take_while(|_| greedy.push_frame(ADA, frame(1_000)).is_ok());
        assert!(pushed.count() <= MIB / 2 / 1_000);
        assert_eq!(modest.push_frame(ADA, frame(MIB / 4)), Ok(()));
        let batch = modest.take().await;
        modest.written(&batch);
        greedy.close(CloseCode::Ended);
        assert_eq!(budget.taken_in_all(), 0);
    }

    #[tokio::test]
    async fn the_first_reason_to_close_counts() {
        let outbox = Outbox::default();
        outbox.close(CloseCode::Ended);
        outbox.close(CloseCode::Restart);
        assert_eq!(outbox.closing().await, CloseCode::Ended);
    }
}
