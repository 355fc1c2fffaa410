//! Bytes both ways between a device and the node that drives its beam.

use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, copy, copy_buf, split};
use tokio::time::timeout;

/// Bytes that are read at once from a device. From the node it is what [`copy`] reads, 8 KiB. Each socket that is passed on
/// takes this memory on its node.
const FROM_DEVICE: usize = 4 * 1024;
/// Time for one way to end after the other: for a device's answer to a close frame, and for what was still to be said to
/// it.
const SOON: Duration = Duration::from_secs(3);

/// Passes bytes on until one side ends, and then the other one or its time.
///
/// # Errors
/// When one side fails.
pub async fn pass<D, N>(device: D, node: N) -> io::Result<()>
where
    D: AsyncRead + AsyncWrite,
    N: AsyncRead + AsyncWrite,
{
    let (from_device, mut to_device) = split(device);
    let (mut from_node, mut to_node) = split(node);
    let up = async {
        let mut from_device = BufReader::with_capacity(FROM_DEVICE, from_device);
        copy_buf(&mut from_device, &mut to_node).await?;
        to_node.shutdown().await
    };
    let down = async {
        copy(&mut from_node, &mut to_device).await?;
        to_device.shutdown().await
    };
    both_end(up, down).await
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

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn when_one_side_has_ended_the_other_one_has_three_seconds() {
        for ends_first in ["device", "node"] {
            let ((mut device, at_first), (mut node, at_node)) = (duplex(64), duplex(64));
            let passing = tokio::spawn(pass(at_first, at_node));
            device.write_all(b"up").await.unwrap();
            node.write_all(b"down").await.unwrap();
            let (ending, mut other) =
                if ends_first == "device" { (&mut device, node) } else { (&mut node, device) };
            ending.shutdown().await.unwrap();
            other.write_all(b"last").await.unwrap();
            let mut heard = [0; 8];
            let count = ending.read_exact(&mut heard[..6]).await.unwrap();
            assert_eq!(count, 6, "{ends_first}");

            timeout(SOON * 2, passing).await.expect("it ends").unwrap().unwrap();
            let mut rest = Vec::new();
            other.read_to_end(&mut rest).await.unwrap();
            assert!(!rest.is_empty(), "{ends_first}");
        }
    }
}
