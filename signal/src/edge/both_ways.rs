//! Bytes both ways between a device and the node that drives its beam.

use std::io;
use std::ops::Range;
use std::pin::pin;
use std::time::Duration;

use heliograph_shared::close::CloseCode;
use tokio::io::{
    AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader, ReadHalf, WriteHalf,
    copy, copy_buf, sink, split,
};
use tokio::time::timeout;

use super::passed_frames::Frames;

/// Bytes that are read at once from a device, and from the node. Each socket that is passed on takes this memory on its
/// node.
const FROM_DEVICE: usize = 4 * 1024;
const FROM_NODE: usize = 8 * 1024;
/// Time for one way to end after the other: for a device's answer to a close frame, and for what was still to be said to
/// it.
const SOON: Duration = Duration::from_secs(3);
/// Time for what is left of a frame, and then for the device's answer to a close frame, where the node is gone.
const FAREWELL: Duration = Duration::from_millis(1_500);
/// Bytes of a device that are read while that answer is waited for.
const LEFTOVER: u64 = 1024 * 1024;
/// A close frame with [`CloseCode::Restart`]: the device comes back (S19).
const RESTART: [u8; 4] = {
    let [high, low] = CloseCode::Restart.number().to_be_bytes();
    [0x88, 2, high, low]
};

/// Passes bytes on until one side ends, and then the other one or its time, or until it is over. A device that was not told
/// why its socket ends is told to come back.
pub async fn pass<D, N>(device: D, node: N, is_over: impl Future<Output = ()>)
where
    D: AsyncRead + AsyncWrite,
    N: AsyncRead + AsyncWrite,
{
    let (from_device, to_device) = split(device);
    let (from_node, mut to_node) = split(node);
    let mut from_device = BufReader::with_capacity(FROM_DEVICE, from_device);
    let mut down = Down::new(from_node, to_device);
    let up = async {
        copy_buf(&mut from_device, &mut to_node).await?;
        to_node.shutdown().await
    };
    let have_ended = tokio::select! {
        ended = both_end(up, down.run()) => ended.is_ok(),
        () = is_over => false,
    };
    drop(to_node);
    if have_ended || !matches!(timeout(FAREWELL, down.say_restart()).await, Ok(Ok(()))) {
        return;
    }
    // A connection that ends with unread bytes is reset, and the device may not see what was said.
    let mut rest = from_device.take(LEFTOVER);
    let _ = timeout(FAREWELL, copy(&mut rest, &mut sink())).await;
}

/// Waits for both, for the second one only a while. A connection whose writing side is shut down may never be heard of
/// again, since what lingers of it is a task of its own.
///
/// # Errors
/// That of the one that fails.
async fn both_end(
    one: impl Future<Output = io::Result<()>>,
    other: impl Future<Output = io::Result<()>>,
) -> io::Result<()> {
    let mut one = pin!(one);
    let mut other = pin!(other);
    tokio::select! {
        ended = &mut one => {
            ended?;
            timeout(SOON, other).await.unwrap_or(Ok(()))
        }
        ended = &mut other => {
            ended?;
            timeout(SOON, one).await.unwrap_or(Ok(()))
        }
    }
}

/// The way from the node that drives a beam to a device.
struct Down<D, N> {
    from: ReadHalf<N>,
    to: WriteHalf<D>,
    buffer: Vec<u8>,
    /// What of the buffer is yet to be written.
    waiting: Range<usize>,
    /// What was written.
    frames: Frames,
}

impl<D: AsyncWrite, N: AsyncRead> Down<D, N> {
    fn new(from: ReadHalf<N>, to: WriteHalf<D>) -> Self {
        let buffer = vec![0; FROM_NODE];
        Self { from, to, buffer, waiting: 0..0, frames: Frames::default() }
    }

    /// Copies until the end. May be dropped at any time.
    async fn run(&mut self) -> io::Result<()> {
        while self.fill().await? {
            while !self.waiting.is_empty() {
                self.write(self.waiting.len()).await?;
            }
            self.to.flush().await?;
        }
        // A node that dies says nothing more.
        self.end().await
    }

    /// Writes the rest of the frame that is under way, and a close frame unless the device has got one.
    async fn say_restart(&mut self) -> io::Result<()> {
        while !self.frames.is_between() {
            if !self.fill().await? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let waiting = self.buffer.get(self.waiting.clone()).unwrap_or_default();
            let rest = self.frames.clone().pass_one(waiting);
            self.write(rest).await?;
        }
        self.end().await
    }

    /// Says that the device is to come back, unless it was told something else or is in the midst of a frame.
    async fn end(&mut self) -> io::Result<()> {
        if self.frames.is_between() && !self.frames.is_closed() {
            self.to.write_all(&RESTART).await?;
            self.frames.pass(&RESTART);
        }
        self.to.shutdown().await
    }

    /// Waits until something waits. `false` at the end.
    async fn fill(&mut self) -> io::Result<bool> {
        if self.waiting.is_empty() {
            self.waiting = 0..self.from.read(&mut self.buffer).await?;
        }
        Ok(!self.waiting.is_empty())
    }

    /// Writes some of the first bytes that wait.
    async fn write(&mut self, most: usize) -> io::Result<()> {
        let waiting = self.buffer.get(self.waiting.clone()).unwrap_or_default();
        let bytes = waiting.get(..most).unwrap_or(waiting);
        let written = self.to.write(bytes).await?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.frames.pass(bytes.get(..written).unwrap_or(bytes));
        self.waiting.start += written;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::io::duplex;

    use super::*;

    #[tokio::test]
    async fn s19_a_device_gets_the_rest_of_a_frame_and_is_told_to_come_back() {
        let ((mut device, at_first), (at_node, mut node)) = (duplex(64), duplex(64));
        let (over, is_over) = tokio::sync::oneshot::channel::<()>();
        let passing = tokio::spawn(pass(at_first, at_node, async { drop(is_over.await) }));
        // A text of four bytes, of which half has come.
        node.write_all(&[0x81, 4, b'a', b'b']).await.unwrap();
        device.read_exact(&mut [0; 4]).await.unwrap();
        over.send(()).unwrap();
        tokio::task::yield_now().await;
        node.write_all(&[b'c', b'd', 0x81, 1, b'e']).await.unwrap();

        let mut rest = Vec::new();
        device.read_to_end(&mut rest).await.unwrap();
        assert_eq!(rest, [&[b'c', b'd'][..], &RESTART].concat());
        drop(device);
        passing.await.unwrap();
    }

    #[tokio::test]
    async fn s19_a_device_that_was_told_why_is_told_nothing_else() {
        let ((mut device, at_first), (at_node, mut node)) = (duplex(64), duplex(64));
        let passing = tokio::spawn(pass(at_first, at_node, pending()));
        let refused = [0x88, 2, 0x11, 0x4d];
        node.write_all(&refused).await.unwrap();
        drop(node);
        let mut told = Vec::new();
        device.read_to_end(&mut told).await.unwrap();
        assert_eq!(told, refused);
        drop(device);
        passing.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn when_one_side_has_ended_the_other_one_has_three_seconds() {
        for ends_first in ["device", "node"] {
            let ((mut device, at_first), (mut node, at_node)) = (duplex(64), duplex(64));
            let passing = tokio::spawn(pass(at_first, at_node, pending()));
            device.write_all(b"up").await.unwrap();
            node.write_all(&[0x81, 2, b'o', b'k']).await.unwrap();
            let (ending, mut other) =
                if ends_first == "device" { (&mut device, node) } else { (&mut node, device) };
            ending.shutdown().await.unwrap();
            other.write_all(b"last").await.unwrap();
            let mut heard = [0; 8];
            let count = ending.read_exact(&mut heard[..6]).await.unwrap();
            assert_eq!(count, 6, "{ends_first}");

            timeout(SOON * 2, passing).await.expect("it ends").unwrap();
            let mut rest = Vec::new();
            other.read_to_end(&mut rest).await.unwrap();
            assert!(!rest.is_empty(), "{ends_first}");
        }
    }
}
