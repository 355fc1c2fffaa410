//! Binary frames between two devices of a beam (section R): forwarded in memory, unread, past the beam's own task.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use bytes::BytesMut;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::DeviceId;

use crate::beam::ConnectionId;
use crate::outbox::Outbox;

/// Bytes of the address before a frame (R1).
pub const ADDRESS: usize = 16;

/// First byte of a frame that carries bytes of a file (section F).
const CHUNK: u8 = 2;

/// The devices of one beam, as the relay knows them.
#[derive(Debug, Default)]
pub struct Relay {
    devices: RwLock<HashMap<DeviceId, Member>>,
}

#[derive(Debug)]
struct Member {
    connection: ConnectionId,
    outbox: Arc<Outbox>,
    /// Whether it may send what others asked for (S24).
    sends_chunks: bool,
}

impl Relay {
    /// The device can be reached on this connection, and no longer on an older one.
    pub fn add(&self, device: DeviceId, connection: ConnectionId, outbox: Arc<Outbox>) {
        let mut devices = self.devices.write().unwrap_or_else(PoisonError::into_inner);
        devices.insert(device, Member { connection, outbox, sends_chunks: true });
    }

    /// Says whether a device may send chunks.
    pub fn allow_chunks(&self, device: DeviceId, allowed: bool) {
        let mut devices = self.devices.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(member) = devices.get_mut(&device) {
            member.sends_chunks = allowed;
        }
    }

    /// The connection is gone; a newer one of the same device stays.
    pub fn remove(&self, device: DeviceId, connection: ConnectionId) {
        let mut devices = self.devices.write().unwrap_or_else(PoisonError::into_inner);
        if devices.get(&device).is_some_and(|member| member.connection == connection) {
            devices.remove(&device);
        }
    }

    /// Forwards `to ‖ frame` as `from ‖ frame` (R1), or drops it and says why (R2, R3).
    ///
    /// # Errors
    /// The code that the sender is told.
    pub fn forward(&self, from: DeviceId, mut message: BytesMut) -> Result<(), ErrorCode> {
        let is_chunk = message.get(ADDRESS) == Some(&CHUNK);
        let Some(address) = message.first_chunk_mut::<ADDRESS>() else {
            return Err(ErrorCode::BadRequest);
        };
        let to = DeviceId::from_bytes(*address);
        let outbox = self.way(from, to, is_chunk)?;
        // The sender goes where the addressee stood: the frame is not copied.
        *address = *from.as_bytes();
        outbox.push_frame(from, message.freeze()).map_err(|_| ErrorCode::RelayFull)
    }

    /// Both ends under one lock.
    fn way(&self, from: DeviceId, to: DeviceId, is_chunk: bool) -> Result<Arc<Outbox>, ErrorCode> {
        let devices = self.devices.read().unwrap_or_else(PoisonError::into_inner);
        if is_chunk && devices.get(&from).is_some_and(|member| !member.sends_chunks) {
            return Err(ErrorCode::Forbidden);
        }
        devices.get(&to).map(|member| member.outbox.clone()).ok_or(ErrorCode::DeviceGone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::websocket::Message;

    const ADA: DeviceId = DeviceId::from_bytes([1; 16]);
    const BOB: DeviceId = DeviceId::from_bytes([2; 16]);

    fn to(device: DeviceId, frame: &[u8]) -> BytesMut {
        BytesMut::from(&[device.as_bytes(), frame].concat()[..])
    }

    fn relay_with_bob() -> (Relay, Arc<Outbox>) {
        let (relay, outbox) = (Relay::default(), Arc::new(Outbox::default()));
        relay.add(BOB, ConnectionId(1), outbox.clone());
        (relay, outbox)
    }

    #[tokio::test]
    async fn r1_the_addressee_goes_in_and_the_sender_comes_out() {
        let (relay, bob) = relay_with_bob();

        relay.forward(ADA, to(BOB, b"frame")).unwrap();

        let batch = bob.take().await;
        assert_eq!(batch.messages, [Message::Binary(to(ADA, b"frame").freeze())]);
    }

    #[test]
    fn r3_a_frame_to_nobody_is_dropped() {
        let (relay, _bob) = relay_with_bob();
        assert_eq!(relay.forward(BOB, to(ADA, b"frame")), Err(ErrorCode::DeviceGone));
        assert_eq!(relay.forward(BOB, BytesMut::from("short")), Err(ErrorCode::BadRequest));
    }

    #[test]
    fn s5_late_news_of_a_replaced_connection_leaves_the_new_one() {
        let (relay, _old) = relay_with_bob();
        relay.add(BOB, ConnectionId(2), Arc::default());

        relay.remove(BOB, ConnectionId(1));
        assert_eq!(relay.forward(ADA, to(BOB, b"")), Ok(()));

        relay.remove(BOB, ConnectionId(2));
        assert_eq!(relay.forward(ADA, to(BOB, b"")), Err(ErrorCode::DeviceGone));
    }
}
