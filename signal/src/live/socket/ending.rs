//! The end of a socket: sends the close frame, then drains what the other side is still sending.

use std::time::Duration;

use tokio::time::timeout;

use super::{End, SocketReader, SocketWriter};
use crate::live::websocket::Message;

/// Time for sending the close frame. A connection that is stuck is dropped after it.
const FAREWELL: Duration = Duration::from_secs(1);
/// Time for draining. Dropping a connection with unread bytes resets it, and a reset can overtake the close frame, so
/// that the device would never learn the code.
const DRAIN: Duration = Duration::from_secs(2);

/// Closes the websocket as far as possible.
pub(super) async fn finish(mut reader: SocketReader<'_>, mut writer: SocketWriter, end: &End) {
    let code = match end {
        End::Lost => return,
        // The endpoint echoes the code that it received (RFC 6455, section 5.5.1).
        End::Goodbye(code) => *code,
        End::Close(code) => Some(code.number()),
    };
    let farewell = timeout(FAREWELL, writer.end(Some(Message::Close(code)))).await;
    if matches!(farewell, Ok(Ok(()))) {
        // Whether or not that worked, the connection is dropped now.
        let _ = timeout(DRAIN, reader.drain()).await;
    }
}
