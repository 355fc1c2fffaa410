//! Binary frames between two devices of a beam (section R). They are forwarded unread, in memory, without the beam's
//! task.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use bytes::BytesMut;
use heliograph_shared::decode::Subject;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::DeviceId;
use heliograph_shared::limits::MAX_RELAYED_FRAME_BYTES;

use crate::bus::lease::Lease;
use crate::live::beam::ConnectionId;
use crate::live::outbox::Outbox;
use crate::live::refusal::Refusal;

/// Length of the address before a frame, in bytes (R1).
pub const ADDRESS: usize = 16;

const NO_ADDRESS: Refusal = Refusal::new("This frame names no device.", ErrorCode::BadRequest);
const TOO_LARGE: Refusal = Refusal::new("This frame is too large.", ErrorCode::TooLarge);
const READ_ONLY: Refusal = Refusal::new("You may only read in this beam.", ErrorCode::Forbidden);
const DEVICE_GONE: Refusal =
    Refusal::new("That device is not in this beam.", ErrorCode::DeviceGone);
const RELAY_FULL: Refusal =
    Refusal::new("Too much data is waiting for that device.", ErrorCode::RelayFull);
/// Another node may drive the beam. The sender waits as it does for a full relay (R4).
const NOT_NOW: Refusal = Refusal::new("The server cannot relay now.", ErrorCode::RelayFull);

/// First byte of a frame with a chunk of a file (section F).
const CHUNK: u8 = 2;

/// The devices of one beam that frames can be forwarded to.
#[derive(Debug, Default)]
pub struct Relay {
    devices: RwLock<HashMap<DeviceId, Member>>,
    /// The right to drive the beam, where another node could have it.
    fence: OnceLock<Lease>,
}

#[derive(Debug)]
struct Member {
    connection: ConnectionId,
    outbox: Arc<Outbox>,
    /// Whether it may send chunks that others asked for (S24).
    sends_chunks: bool,
}

impl Relay {
    /// Forwards only while this lease holds.
    pub fn is_fenced_by(&self, lease: Lease) {
        // A relay has one beam, which takes one lease.
        let _ = self.fence.set(lease);
    }

    /// Adds a device, or moves it to a newer connection.
    pub fn add(&self, device: DeviceId, connection: ConnectionId, outbox: Arc<Outbox>) {
        let mut devices = self.devices.write().unwrap_or_else(PoisonError::into_inner);
        devices.insert(device, Member { connection, outbox, sends_chunks: true });
    }

    /// Sets whether a device may send chunks.
    pub fn allow_chunks(&self, device: DeviceId, allowed: bool) {
        let mut devices = self.devices.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(member) = devices.get_mut(&device) {
            member.sends_chunks = allowed;
        }
    }

    /// Removes a device, unless it has a newer connection.
    pub fn remove(&self, device: DeviceId, connection: ConnectionId) {
        let mut devices = self.devices.write().unwrap_or_else(PoisonError::into_inner);
        if devices.get(&device).is_some_and(|member| member.connection == connection) {
            devices.remove(&device);
        }
    }

    /// How many devices there are.
    #[must_use]
    pub fn devices(&self) -> usize {
        self.devices.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Forwards `to ‖ frame` as `from ‖ frame` (R1).
    ///
    /// # Errors
    /// Why the frame is dropped, for its sender (R2, R3). Names the receiver where the frame does.
    pub fn forward(&self, from: DeviceId, mut message: BytesMut) -> Result<(), Refusal> {
        let (is_chunk, bytes) = (message.get(ADDRESS) == Some(&CHUNK), message.len());
        let address = message.first_chunk_mut::<ADDRESS>().ok_or(NO_ADDRESS)?;
        let to = DeviceId::from_bytes(*address);
        let refused = |refusal: Refusal| refusal.about(Subject::device(to));
        if bytes > ADDRESS + MAX_RELAYED_FRAME_BYTES {
            return Err(refused(TOO_LARGE));
        }
        if self.fence.get().is_some_and(|lease| !lease.holds()) {
            return Err(refused(NOT_NOW));
        }
        let outbox = self.way(from, to, is_chunk).map_err(refused)?;
        // The sender's id takes the place of the receiver's, so the frame is not copied. Its memory is its own: the reader
        // takes a buffer for each message.
        *address = *from.as_bytes();
        outbox.push_frame(from, message.freeze()).map_err(|_| refused(RELAY_FULL))
    }

    /// Looks up both devices under one lock.
    fn way(&self, from: DeviceId, to: DeviceId, is_chunk: bool) -> Result<Arc<Outbox>, Refusal> {
        let devices = self.devices.read().unwrap_or_else(PoisonError::into_inner);
        // A device that is not in the beam, or no longer, may send nothing.
        let sender = devices.get(&from).ok_or(READ_ONLY)?;
        if is_chunk && !sender.sends_chunks {
            return Err(READ_ONLY);
        }
        devices.get(&to).map(|member| member.outbox.clone()).ok_or(DEVICE_GONE)
    }
}

#[cfg(test)]
mod tests {
    use heliograph_shared::ids::BeamId;
    use heliograph_storage::{Location, Storage};
    use uuid::Uuid;

    use super::*;
    use crate::bus::lease;
    use crate::clock::Clock;
    use crate::live::websocket::Message;

    const ADA: DeviceId = DeviceId::from_bytes([1; 16]);
    const BOB: DeviceId = DeviceId::from_bytes([2; 16]);

    fn to(device: DeviceId, frame: &[u8]) -> BytesMut {
        BytesMut::from(&[device.as_bytes(), frame].concat()[..])
    }

    const CAT: DeviceId = DeviceId::from_bytes([3; 16]);

    fn relay_with_ada_and_bob() -> (Relay, Arc<Outbox>) {
        let (relay, outbox) = (Relay::default(), Arc::new(Outbox::default()));
        relay.add(ADA, ConnectionId(9), Arc::default());
        relay.add(BOB, ConnectionId(1), outbox.clone());
        (relay, outbox)
    }

    fn read_only(device: DeviceId) -> Result<(), Refusal> {
        Err(READ_ONLY.about(Subject::device(device)))
    }

    fn gone(device: DeviceId) -> Result<(), Refusal> {
        Err(DEVICE_GONE.about(Subject::device(device)))
    }

    #[tokio::test]
    async fn r1_the_addressee_goes_in_and_the_sender_comes_out() {
        let (relay, bob) = relay_with_ada_and_bob();

        relay.forward(ADA, to(BOB, b"frame")).unwrap();

        let batch = bob.take(Clock::System).await;
        assert_eq!(batch.messages, [Message::Binary(to(ADA, b"frame").freeze())]);
    }

    #[test]
    fn r3_a_frame_to_nobody_is_dropped() {
        let (relay, _bob) = relay_with_ada_and_bob();
        assert_eq!(relay.forward(BOB, to(CAT, b"frame")), gone(CAT));
        assert_eq!(relay.forward(BOB, BytesMut::from("short")), Err(NO_ADDRESS));
    }

    #[tokio::test]
    async fn r2_a_node_that_may_not_act_forwards_nothing() {
        let (relay, _bob) = relay_with_ada_and_bob();
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Folder(folder.path().to_owned());
        let (storage, _writer) = Storage::open(&location).await.unwrap();
        relay.is_fenced_by(lease::unheard(storage, BeamId::from_random([1; 16]), Uuid::nil()));
        let refused = relay.forward(ADA, to(BOB, b"frame"));
        assert_eq!(refused, Err(NOT_NOW.about(Subject::device(BOB))));
    }

    #[test]
    fn s24_who_is_not_here_sends_nothing() {
        let (relay, _bob) = relay_with_ada_and_bob();
        for frame in [&[CHUNK][..], &[1], b""] {
            assert_eq!(relay.forward(CAT, to(BOB, frame)), read_only(BOB));
        }
        relay.remove(ADA, ConnectionId(9));
        assert_eq!(relay.forward(ADA, to(BOB, &[CHUNK])), read_only(BOB));
    }

    #[test]
    fn s5_late_news_of_a_replaced_connection_leaves_the_new_one() {
        let (relay, _old) = relay_with_ada_and_bob();
        relay.add(BOB, ConnectionId(2), Arc::default());

        relay.remove(BOB, ConnectionId(1));
        assert_eq!(relay.forward(ADA, to(BOB, b"")), Ok(()));

        relay.remove(BOB, ConnectionId(2));
        assert_eq!(relay.forward(ADA, to(BOB, b"")), gone(BOB));
    }

    #[test]
    fn s14_a_refused_frame_is_answered_with_its_addressee() {
        let (relay, _bob) = relay_with_ada_and_bob();
        let about_bob = |refusal: Refusal| Err(refusal.about(Subject::device(BOB)));
        let large = vec![CHUNK; MAX_RELAYED_FRAME_BYTES];
        assert_eq!(relay.forward(ADA, to(BOB, &[&large[..], b"x"].concat())), about_bob(TOO_LARGE));
        let full = loop {
            if let Err(full) = relay.forward(ADA, to(BOB, &large)) {
                break full;
            }
        };
        assert_eq!(full, RELAY_FULL.about(Subject::device(BOB)));
        relay.add(ADA, ConnectionId(2), Arc::default());
        relay.allow_chunks(ADA, false);
        assert_eq!(relay.forward(ADA, to(BOB, &[CHUNK])), about_bob(READ_ONLY));
    }
}
