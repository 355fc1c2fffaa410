//! What the system holds of the packets of a socket.

use std::net::UdpSocket;

use socket2::SockRef;

/// Bytes in either direction. The system may allow less; Linux has 208 KiB where nothing is said, which are 90 packets.
const BYTES: usize = 4 * 1024 * 1024;

/// Lets the system hold more of the packets that come and go faster than they are moved: what it drops has to be sent again, and of SCTP
/// only after a second where much was dropped.
pub(super) fn enlarge(socket: &UdpSocket) {
    let socket = SockRef::from(socket);
    // It works with less.
    let _ = socket.set_recv_buffer_size(BYTES);
    let _ = socket.set_send_buffer_size(BYTES);
}
