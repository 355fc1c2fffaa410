//! The end of a socket: sends the close frame, waits for the device's, and shuts the connection down.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::join;
use tokio::time::timeout;

use super::End;
use crate::live::websocket::{Closing, Message, Writer};

/// Time for the close frame and for the device's answer.
const FAREWELL: Duration = Duration::from_secs(3);
/// Time for the shutdown. A connection that is stuck is dropped after it.
const SHUTDOWN: Duration = Duration::from_millis(500);

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
    // A device that sends before it reads has to be read before it reads the frame.
    let farewell = async { join!(writer.end(Some(Message::Close(code))), closing.answered()) };
    // Whether or not that worked, the connection is shut down, and then dropped.
    let _ = timeout(FAREWELL, farewell).await;
    let _ = timeout(SHUTDOWN, writer.shutdown()).await;
}

#[cfg(test)]
mod tests {
    use std::io;
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
    async fn s14_a_refused_device_that_reads_only_when_it_has_sent_everything_reads_why() {
        let (mut client, (reader, mut writer)) = connected();
        // So much waits for the client that the close frame has no room.
        client.write_all(&[0x8a, 0x80, 0, 0, 0, 0].repeat(100)).await.unwrap();
        let waiting = Message::Binary(vec![0; 1_020].into());
        writer.end(Some(waiting)).await.unwrap();
        let refused = refuses((reader, writer));

        client.write_all(&[0x8a, 0x80, 0, 0, 0, 0].repeat(1_000)).await.unwrap();
        client.read_exact(&mut [0; 1_024]).await.unwrap();
        reads_why(&mut client).await;
        client.write_all(&ANSWER).await.unwrap();

        assert_eq!(refused.await.unwrap(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn s14_a_refused_device_that_sends_without_an_end_is_read_no_further() {
        let (mut client, server) = connected();
        let refused = refuses(server);
        let pings = [0x8a, 0x80, 0, 0, 0, 0].repeat(1_000);
        let mut sent = 0;
        while client.write_all(&pings).await.is_ok() {
            sent += pings.len();
        }
        assert_eq!(refused.await.unwrap(), Duration::ZERO);
        assert!(sent < 20 << 20, "{sent}");
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
