//! How a socket ends: the close frame first, then the rest of what the other side is still saying, then nothing.

use std::time::Duration;

use tokio::time::timeout;

use super::{End, SocketReader, SocketWriter};
use crate::live::websocket::Message;

/// Time for the close frame; a connection that is stuck is dropped after it.
const FAREWELL: Duration = Duration::from_secs(1);
/// Time for what the other side is still sending. Dropping unread bytes resets a connection, and a reset can overtake
/// the close frame: the device would never learn the code.
const DRAIN: Duration = Duration::from_secs(2);

/// Says goodbye as far as that is possible.
pub(super) async fn finish(mut reader: SocketReader<'_>, mut writer: SocketWriter, end: &End) {
    let code = match end {
        End::Lost => return,
        // The other side's code is echoed (RFC 6455, section 5.5.1).
        End::Goodbye(code) => *code,
        End::Close(code) => Some(code.number()),
    };
    let farewell = timeout(FAREWELL, writer.end(Some(Message::Close(code)))).await;
    if matches!(farewell, Ok(Ok(()))) {
        // Whatever comes of it, the connection is dropped now.
        let _ = timeout(DRAIN, reader.drain()).await;
    }
}
