//! The end of a socket: sends the close frame, waits for the device's, and shuts the connection down.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::End;
use crate::live::websocket::{Closing, Message, Writer};

/// Time for the close frame, for the device's answer, and for the shutdown. A connection that is stuck, or on which no
/// answer comes, is dropped after it.
const FAREWELL: Duration = Duration::from_secs(3);

/// Closes the websocket as far as possible.
pub(super) async fn finish<R, W>(closing: Closing<R>, mut writer: Writer<W>, end: &End)
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let code = match end {
        End::Lost => return,
        // The endpoint echoes the code that it received (RFC 6455, section 5.5.1).
        End::Goodbye(code) => *code,
        End::Close(code) => Some(code.number()),
    };
    let farewell = async {
        writer.end(Some(Message::Close(code))).await?;
        closing.answered().await;
        writer.shutdown().await
    };
    // Whether or not that worked, the connection is dropped now.
    let _: Result<io::Result<()>, _> = timeout(FAREWELL, farewell).await;
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt as _;
    use heliograph_shared::close::CloseCode;
    use tokio::io::{
        AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf, duplex, split,
    };
    use tokio::task::JoinHandle;
    use tokio::time::Instant;

    use super::*;
    use crate::live::websocket::{Event, Reader};

    /// The close frame with code 4429, and a client's answer to it.
    const TOO_FAST: [u8; 4] = [0x88, 2, 0x11, 0x4d];
    const ANSWER: [u8; 8] = [0x88, 0x82, 0, 0, 0, 0, 0x11, 0x4d];

    type Server = (Reader<ReadHalf<DuplexStream>>, Writer<WriteHalf<DuplexStream>>);

    fn connected() -> (DuplexStream, Server) {
        let (client, server) = duplex(1024);
        let (reading, writing) = split(server);
        let pool = Arc::default();
        (client, (Reader::new(reading, 1 << 20, Arc::clone(&pool)), Writer::new(writing, pool)))
    }

    /// The server refuses the socket. Returns after which time the connection has ended for it.
    fn refuses((reader, writer): Server) -> JoinHandle<Duration> {
        tokio::spawn(async move {
            let start = Instant::now();
            finish(reader.closing(), writer, &End::Close(CloseCode::TooFast)).await;
            start.elapsed()
        })
    }

    async fn reads_why(client: &mut DuplexStream) {
        let mut close = [0; 4];
        client.read_exact(&mut close).await.unwrap();
        assert_eq!(close, TOO_FAST);
    }

    #[tokio::test(start_paused = true)]
    async fn s14_a_refused_device_that_still_sends_is_cut_when_it_has_answered() {
        let (mut client, (mut reader, writer)) = connected();
        // The server is in the middle of a message of 10,000 bytes.
        client.write_all(&[0x82, 0xfe, 0x27, 0x10, 0, 0, 0, 0, 0, 0]).await.unwrap();
        assert_eq!(reader.next().now_or_never(), None);
        let refused = refuses((reader, writer));
        reads_why(&mut client).await;
        // The rest of it looks like the head of a close frame.
        client.write_all(&[0x88; 9_998]).await.unwrap();
        client.write_all(&[0x89, 0x80, 0, 0, 0, 0]).await.unwrap();
        tokio::task::yield_now().await;
        assert_eq!(client.read_u8().now_or_never().map(Result::ok), None, "it has not ended");

        client.write_all(&ANSWER).await.unwrap();

        assert_eq!(client.read_u8().await.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(refused.await.unwrap(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn s14_a_refused_device_that_hangs_up_or_sends_no_frames_is_cut_at_once() {
        let (mut client, server) = connected();
        let refused = refuses(server);
        client.shutdown().await.unwrap();
        assert_eq!(refused.await.unwrap(), Duration::ZERO);

        let (mut client, server) = connected();
        let refused = refuses(server);
        client.write_all(b"GET / HTTP/1.1").await.unwrap();
        assert_eq!(refused.await.unwrap(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn s14_a_refused_device_that_never_answers_is_cut_after_three_seconds() {
        let (mut client, server) = connected();
        let refused = refuses(server);
        reads_why(&mut client).await;
        assert_eq!(refused.await.unwrap(), FAREWELL);
    }

    #[tokio::test(start_paused = true)]
    async fn s14_a_device_that_closes_is_answered_and_cut_at_once() {
        for code in [&[0x0f, 0xa0][..], &[0, 0]] {
            let (mut client, (mut reader, writer)) = connected();
            client.write_all(&[&[0x88, 0x82, 0, 0, 0, 0], code].concat()).await.unwrap();
            let end = match reader.next().await {
                Ok(Event::Close(code)) => End::Goodbye(code),
                _ => End::Close(CloseCode::Protocol),
            };
            let start = Instant::now();
            finish(reader.closing(), writer, &end).await;
            assert_eq!(start.elapsed(), Duration::ZERO, "{end:?}");
        }
    }
}
