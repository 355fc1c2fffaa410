//! The end of a socket: sends the close frame, and shuts the connection down.

use std::time::Duration;

use tokio::time::timeout;

use super::{End, SocketWriter};
use crate::live::websocket::Message;

/// Time for sending the close frame and for the connection's shutdown, which waits until the device has read it. A
/// connection that is stuck is dropped after it.
const FAREWELL: Duration = Duration::from_secs(3);

/// Closes the websocket as far as possible.
pub(super) async fn finish(mut writer: SocketWriter, end: &End) {
    let code = match end {
        End::Lost => return,
        // The endpoint echoes the code that it received (RFC 6455, section 5.5.1).
        End::Goodbye(code) => *code,
        End::Close(code) => Some(code.number()),
    };
    // Whether or not that worked, the connection is dropped now.
    let _ = timeout(FAREWELL, writer.end(Some(Message::Close(code)))).await;
}
