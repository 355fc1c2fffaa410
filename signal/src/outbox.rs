//! What waits for one device. Bounded, and nobody ever waits for it: who lets it fill loses the socket (S16).
//! Relay frames have their own bounds (R2) and wait beside the messages.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::DeviceId;
use heliograph_shared::limits::{
    OUTBOX_BYTES, OUTBOX_MESSAGES, RELAY_DEVICE_BYTES, RELAY_PAIR_BYTES,
};
use tokio::sync::Notify;

use crate::websocket::Message;

/// Most messages that the writer takes at once.
const BATCH_MESSAGES: usize = 64;
/// Bytes after which the writer takes no more at once, so that a message never waits behind a long row of frames.
const BATCH_BYTES: usize = 256 * 1024;

/// The relay holds as much for this device as it may.
#[derive(Debug, PartialEq, Eq)]
pub struct RelayFull;

/// The queue towards one device. Shared by its beam, the relay and its socket.
#[derive(Debug, Default)]
pub struct Outbox {
    queue: Mutex<Queue>,
    filled: Notify,
    closed: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    messages: VecDeque<Message>,
    frames: VecDeque<(DeviceId, Bytes)>,
    /// Taken or not, but not yet written.
    waiting_messages: usize,
    waiting_bytes: usize,
    relayed: HashMap<DeviceId, usize>,
    relayed_bytes: usize,
    /// The last ping's answer. One at most: who pings without reading the pongs fills nothing.
    pong: Option<Bytes>,
    close: Option<CloseCode>,
}

/// What the writer took, to be given back as written.
#[derive(Debug, Default)]
pub struct Batch {
    /// In the order in which they are to be written.
    pub messages: Vec<Message>,
    counted_messages: usize,
    counted_bytes: usize,
    relayed: Vec<(DeviceId, usize)>,
}

impl Outbox {
    /// Queues a message. When there is no room the device is closed instead, and nobody else notices.
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
        queue.waiting_messages += 1;
        queue.waiting_bytes += message.len();
        queue.messages.push_back(message);
        drop(queue);
        self.filled.notify_one();
    }

    /// Queues a frame that `from` relays to this device.
    ///
    /// # Errors
    /// [`RelayFull`] when as many bytes of that device, or of all of them, wait as may.
    pub fn push_frame(&self, from: DeviceId, frame: Bytes) -> Result<(), RelayFull> {
        let mut queue = self.lock();
        let of_pair = queue.relayed.get(&from).copied().unwrap_or_default() + frame.len();
        let of_all = queue.relayed_bytes + frame.len();
        if of_pair > RELAY_PAIR_BYTES || of_all > RELAY_DEVICE_BYTES {
            return Err(RelayFull);
        }
        queue.relayed.insert(from, of_pair);
        queue.relayed_bytes = of_all;
        queue.frames.push_back((from, frame));
        drop(queue);
        self.filled.notify_one();
        Ok(())
    }

    /// Answers a ping; an answer that still waits is replaced.
    pub fn push_pong(&self, payload: Bytes) {
        self.lock().pong = Some(payload);
        self.filled.notify_one();
    }

    /// Closes the device. The first reason counts; what still waits is dropped.
    pub fn close(&self, code: CloseCode) {
        let mut queue = self.lock();
        if queue.close.is_none() {
            *queue = Queue { close: Some(code), ..Queue::default() };
        }
        drop(queue);
        self.closed.notify_one();
    }

    /// Waits until the device is to be closed.
    pub async fn closing(&self) -> CloseCode {
        loop {
            if let Some(code) = self.lock().close {
                return code;
            }
            self.closed.notified().await;
        }
    }

    /// Waits for something to write, and takes a batch of it. Messages go before frames.
    pub async fn take(&self) -> Batch {
        loop {
            let batch = self.lock().take();
            if !batch.messages.is_empty() {
                return batch;
            }
            self.filled.notified().await;
        }
    }

    /// The batch is on its way: its room is free again.
    pub fn written(&self, batch: &Batch) {
        let mut queue = self.lock();
        if queue.close.is_some() {
            return;
        }
        queue.waiting_messages -= batch.counted_messages;
        queue.waiting_bytes -= batch.counted_bytes;
        for (from, bytes) in &batch.relayed {
            queue.relayed_bytes -= bytes;
            if let Some(of_pair) = queue.relayed.get_mut(from) {
                *of_pair -= bytes;
                if *of_pair == 0 {
                    queue.relayed.remove(from);
                }
            }
        }
        queue.let_go_of_memory();
    }

    /// A panic elsewhere leaves a queue that is still a queue.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn take(&mut self) -> Batch {
        let mut batch = Batch::default();
        batch.messages.extend(self.pong.take().map(Message::Pong));
        let mut bytes = 0;
        while batch.messages.len() < BATCH_MESSAGES && bytes < BATCH_BYTES {
            let message = if let Some(message) = self.messages.pop_front() {
                batch.counted_messages += 1;
                batch.counted_bytes += message.len();
                message
            } else if let Some((from, frame)) = self.frames.pop_front() {
                batch.relayed.push((from, frame.len()));
                Message::Binary(frame)
            } else {
                break;
            };
            bytes += message.len();
            batch.messages.push(message);
        }
        batch
    }

    /// After a burst an idle socket shall cost as little as before it.
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

    const ADA: DeviceId = DeviceId::from_bytes([1; 16]);
    const BOB: DeviceId = DeviceId::from_bytes([2; 16]);
    const MIB: usize = 1024 * 1024;

    fn is_closing(outbox: &Outbox) -> Option<CloseCode> {
        outbox.lock().close
    }

    fn frame(len: usize) -> Bytes {
        Bytes::from(vec![0; len])
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

    #[tokio::test]
    async fn the_first_reason_to_close_counts() {
        let outbox = Outbox::default();
        outbox.close(CloseCode::Ended);
        outbox.close(CloseCode::Restart);
        assert_eq!(outbox.closing().await, CloseCode::Ended);
    }
}
