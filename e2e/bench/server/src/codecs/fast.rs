//! `fastwebsockets`. It writes each frame separately, so a buffer joins the small frames of a batch.

use std::io;

use bytes::Bytes;
use fastwebsockets::{
    FragmentCollectorRead, Frame, OpCode, Payload, Role, WebSocketWrite, after_handshake_split,
};
use tokio::io::BufWriter;
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use super::{Codec, MAX_MESSAGE_BYTES, Read, Write};
use crate::Failure;

/// Size of the buffer in bytes. Larger messages bypass it.
const BUFFER: usize = 8 * 1024;

pub struct FastWebsockets;

type Reader = FragmentCollectorRead<OwnedReadHalf>;
type Writer = WebSocketWrite<BufWriter<OwnedWriteHalf>>;

impl Codec for FastWebsockets {
    const NAME: &str = "fastwebsockets";
    type Message = (OpCode, Bytes);
    type Reader = Reader;
    type Writer = Writer;

    fn split(stream: TcpStream) -> (Reader, Writer) {
        let (reading, writing) = stream.into_split();
        let writing = BufWriter::with_capacity(BUFFER, writing);
        let (mut reader, writer) = after_handshake_split(reading, writing, Role::Server);
        reader.set_max_message_size(MAX_MESSAGE_BYTES);
        (FragmentCollectorRead::new(reader), writer)
    }

    fn is_text((code, _): &(OpCode, Bytes)) -> bool {
        *code == OpCode::Text
    }
}

impl Read<(OpCode, Bytes)> for Reader {
    async fn next(&mut self) -> Option<(OpCode, Bytes)> {
        // The callback would answer control frames, but none come.
        let frame = self.read_frame(&mut |_| async { Ok::<_, io::Error>(()) }).await.ok()?;
        let payload = match frame.payload {
            Payload::Bytes(bytes) => bytes.freeze(),
            Payload::Owned(bytes) => bytes.into(),
            Payload::Borrowed(bytes) => Bytes::copy_from_slice(bytes),
            Payload::BorrowedMut(bytes) => Bytes::copy_from_slice(bytes),
        };
        Some((frame.opcode, payload))
    }
}

impl Write<(OpCode, Bytes)> for Writer {
    async fn write(&mut self, batch: &mut Vec<(OpCode, Bytes)>) -> Result<(), Failure> {
        for (code, payload) in batch.drain(..) {
            self.write_frame(Frame::new(true, code, None, Payload::Borrowed(&payload))).await?;
        }
        Ok(self.flush().await?)
    }
}
