//! Cuts a stream into messages (RFC 8656 section 3.1): the first bits tell the kind, and both kinds tell their length.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};
use tokio::time::timeout;

use super::outbox::Standing;

/// How long a client without an allocation may be silent. One with an allocation has until this ends.
const SILENCE: Duration = Duration::from_secs(30);
/// The longest message of a client without an allocation, in bytes: requests are much shorter.
const LONGEST_OF_STRANGERS: usize = 2_048;
/// How long a message may take that has begun.
const MESSAGE: Duration = Duration::from_secs(10);

/// The next message, or none when the stream has ended or the client has been silent for too long.
///
/// # Errors
///
/// The stream broke, a message took too long, or what came is neither STUN nor `ChannelData`.
pub async fn next(
    stream: &mut (impl AsyncBufRead + Unpin),
    client: &Standing,
) -> io::Result<Option<Vec<u8>>> {
    loop {
        match timeout(SILENCE, stream.fill_buf()).await {
            Ok(Ok([])) => return Ok(None),
            Ok(Ok(_)) => break,
            Ok(Err(error)) => return Err(error),
            Err(_) if client.has_allocation() => {}
            Err(_) => return Ok(None),
        }
    }
    let most = if client.has_allocation() { usize::MAX } else { LONGEST_OF_STRANGERS };
    timeout(MESSAGE, message(stream, most)).await?.map(Some)
}

async fn message(stream: &mut (impl AsyncBufRead + Unpin), most: usize) -> io::Result<Vec<u8>> {
    let mut head = [0; 4];
    stream.read_exact(&mut head).await?;
    let length = usize::from(u16::from_be_bytes([head[2], head[3]]));
    let whole = match head[0] >> 6 {
        0b00 => 20 + length,
        0b01 => 4 + length.next_multiple_of(4),
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    if whole > most {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut message = vec![0; whole];
    message[..4].copy_from_slice(&head);
    stream.read_exact(&mut message[4..]).await?;
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::outbox::{Pool, outbox};

    async fn messages_of(mut stream: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        let (_outbox, waiting) = outbox(Pool::new(0, 0));
        let mut messages = Vec::new();
        while let Some(message) = next(&mut stream, &waiting.standing()).await? {
            messages.push(message);
        }
        Ok(messages)
    }

    #[tokio::test]
    async fn messages_come_whole_and_channel_data_with_its_padding() {
        let stun = [&[0, 1, 0, 4][..], &[9; 20]].concat();
        let channel_data = [0x40, 0, 0, 5, 1, 2, 3, 4, 5, 0, 0, 0];
        let both = [&stun[..], &channel_data].concat();
        assert_eq!(messages_of(&both).await.unwrap(), [stun, channel_data.to_vec()]);
    }

    #[tokio::test]
    async fn what_is_neither_stun_nor_channel_data_ends_the_stream() {
        assert!(messages_of(b"\x80\0\0\0\0\0\0\0").await.is_err());
        assert!(messages_of(&[0, 1, 0, 8, 1, 2]).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_that_never_ends_and_a_silent_client_are_not_waited_for() {
        let (mut client, server) = tokio::io::duplex(64);
        let mut server = tokio::io::BufReader::new(server);
        let (outbox, waiting) = outbox(Pool::new(0, 0));
        assert!(next(&mut server, &waiting.standing()).await.unwrap().is_none());
        outbox.tell_allocation(true);
        let silent = timeout(SILENCE * 4, next(&mut server, &waiting.standing())).await;
        assert!(silent.is_err());
        tokio::io::AsyncWriteExt::write_all(&mut client, &[0, 1]).await.unwrap();
        assert!(next(&mut server, &waiting.standing()).await.is_err());
    }
}
