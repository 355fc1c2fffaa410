//! How a socket ends: the close frame first, then the rest of what the other side is still saying, then nothing.

use std::time::Duration;

use futures_util::SinkExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode as Number;

use super::{End, WebSocket};

/// Time for the close frame; a connection that is stuck is dropped after it.
const FAREWELL: Duration = Duration::from_secs(1);
/// Time for what the other side is still sending. Dropping unread bytes resets a connection, and a reset can overtake
/// the close frame: the device would never learn the code.
const DRAIN: Duration = Duration::from_secs(2);

/// Says goodbye as far as that is possible.
pub(super) async fn finish(mut socket: WebSocket, end: &End) {
    let farewell = async {
        match end {
            End::Lost => false,
            End::Goodbye => socket.flush().await.is_ok(),
            End::Close(code) => {
                let code = Number::from(code.number());
                let frame = CloseFrame { code, reason: Utf8Bytes::default() };
                socket.close(Some(frame)).await.is_ok()
            }
        }
    };
    if timeout(FAREWELL, farewell).await.unwrap_or(false) {
        // Past the websocket: after a broken frame it cannot be asked to read any more.
        let io = socket.get_mut();
        let drain = async {
            io.shutdown().await?;
            let mut rest = vec![0; 4096];
            while io.read(&mut rest).await? > 0 {}
            std::io::Result::Ok(())
        };
        // Whatever comes of it, the connection is dropped now.
        let _ = timeout(DRAIN, drain).await;
    }
}
