//! Messages of TURN in datagrams and on a stream. Both kinds tell their length (RFC 8656, section 12.5): STUN messages are multiples of
//! four bytes, and `ChannelData` is filled up to one on a stream.

use stun_types::attribute::ErrorCode;
use stun_types::message::{
    Message, MessageClass, MessageWrite as _, MessageWriteExt as _, MessageWriteVec, Method,
};

/// The method of a request for a relay (RFC 8656, section 17).
const ALLOCATE: u16 = 3;
/// "Allocation Quota Reached" (RFC 8656, section 19): there is none to be had.
const REFUSED: u16 = 486;
const STUN_HEADER: usize = 20;
const CHANNEL_HEADER: usize = 4;

/// What is neither STUN nor `ChannelData`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotTurn;

/// The length of a message by its first four bytes, without and with what fills it up on a stream.
fn lengths(head: [u8; CHANNEL_HEADER]) -> Result<(usize, usize), NotTurn> {
    let content = usize::from(u16::from_be_bytes([head[2], head[3]]));
    match head[0] >> 6 {
        0b00 if content.is_multiple_of(4) => Ok((STUN_HEADER + content, STUN_HEADER + content)),
        0b01 => Ok((CHANNEL_HEADER + content, CHANNEL_HEADER + content.next_multiple_of(4))),
        _ => Err(NotTurn),
    }
}

/// A datagram as it goes on a stream; `None` where it is no message, or not a whole one.
pub(super) fn for_stream(datagram: &[u8]) -> Option<Vec<u8>> {
    let (message, on_stream) = lengths(*datagram.first_chunk()?).ok()?;
    // A datagram may be filled up, too.
    let is_whole = datagram.len() == message || datagram.len() == on_stream;
    is_whole.then(|| {
        let mut filled = datagram.get(..message).unwrap_or_default().to_vec();
        filled.resize(on_stream, 0);
        filled
    })
}

/// Cuts what comes on a stream into the messages of datagrams.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    /// Less than one message and what was given last.
    bytes: Vec<u8>,
    /// So many of them were passed on.
    done: usize,
}

impl Splitter {
    /// Takes what comes next. All messages in it are to be fetched before more is given.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.done);
        self.done = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next message; `None` until more has come.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, NotTurn> {
        let rest = self.bytes.get(self.done..).unwrap_or_default();
        let Some(head) = rest.first_chunk() else { return Ok(None) };
        let (message, on_stream) = lengths(*head)?;
        if rest.len() < on_stream {
            return Ok(None);
        }
        self.done += on_stream;
        Ok(rest.get(..message))
    }
}

/// The answer that there is no relay, to a request for one; `None` where it is none.
pub(super) fn refusal(datagram: &[u8]) -> Option<Vec<u8>> {
    let request = Message::from_bytes(datagram).ok()?;
    if request.class() != MessageClass::Request || !request.has_method(Method::new(ALLOCATE)) {
        return None;
    }
    let mut answer = Message::builder_error(&request, MessageWriteVec::new());
    answer.add_attribute(&ErrorCode::new(REFUSED, "").ok()?).ok()?;
    Some(answer.finish())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says so by failing")]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// A datagram of either kind.
    fn datagram() -> impl Strategy<Value = Vec<u8>> {
        let content = vec(any::<u8>(), 0..70);
        (any::<bool>(), 0u8..0x40, content).prop_map(|(is_stun, first, mut content)| {
            if is_stun {
                content.truncate(content.len() / 4 * 4);
            }
            let length = u16::try_from(content.len()).unwrap().to_be_bytes();
            let mut bytes = vec![if is_stun { first } else { 0x40 | first }, 1];
            bytes.extend(length);
            bytes.extend(if is_stun { vec![7; 16] } else { Vec::new() });
            bytes.extend(content);
            bytes
        })
    }

    fn messages(pieces: &[&[u8]]) -> Result<Vec<Vec<u8>>, NotTurn> {
        let (mut splitter, mut found) = (Splitter::default(), Vec::new());
        for piece in pieces {
            splitter.take(piece);
            while let Some(message) = splitter.next()? {
                found.push(message.to_vec());
            }
        }
        Ok(found)
    }

    proptest! {
        #[test]
        fn datagrams_come_back_whole_wherever_the_stream_is_cut(
            datagrams in vec(datagram(), 1..5),
            cuts in vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let framed = datagrams.iter().map(|datagram| for_stream(datagram).unwrap());
            let stream: Vec<u8> = framed.flatten().collect();
            prop_assert!(stream.len().is_multiple_of(4));
            let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(stream.len())).collect();
            cuts.sort_unstable();
            let mut begin = 0;
            let mut pieces = Vec::new();
            for end in cuts.into_iter().chain([stream.len()]) {
                pieces.push(&stream[begin..end]);
                begin = end;
            }
            prop_assert_eq!(messages(&pieces), Ok(datagrams.clone()));
            let bytes: Vec<_> = stream.chunks(1).collect();
            prop_assert_eq!(messages(&bytes), Ok(datagrams));
        }

        #[test]
        fn garbage_is_no_message_or_comes_out_as_it_is(bytes in vec(any::<u8>(), 0..200)) {
            let _ = (for_stream(&bytes), refusal(&bytes));
            if let Ok(found) = messages(&[&bytes]) {
                prop_assert!(found.iter().map(Vec::len).sum::<usize>() <= bytes.len());
            }
        }

        #[test]
        fn what_is_held_is_less_than_a_message_and_a_piece(
            pieces in vec(vec(any::<u8>(), 0..4000), 0..40),
        ) {
            let mut splitter = Splitter::default();
            for piece in pieces {
                splitter.take(&piece);
                prop_assert!(splitter.bytes.len() < STUN_HEADER + (1 << 16) + 4000);
                loop {
                    match splitter.next() {
                        Ok(Some(_)) => {}
                        Ok(None) => break,
                        // The stream ends there.
                        Err(NotTurn) => return Ok(()),
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_whole_message_does_not_go_on_a_stream() {
        let stun = [&[0, 1, 0, 4][..], &[9; 20]].concat();
        assert_eq!(for_stream(&stun), Some(stun.clone()));
        assert_eq!(for_stream(&[0x40, 0, 0, 1, 5]), Some(vec![0x40, 0, 0, 1, 5, 0, 0, 0]));
        assert_eq!(for_stream(&[0x40, 0, 0, 1, 5, 6, 7, 8]), Some(vec![0x40, 0, 0, 1, 5, 0, 0, 0]));
        let cut = &stun[..23];
        let long = [&stun[..], &[0]].concat();
        for datagram in [cut, &long, &[], &[0x40], &[0x40, 0, 0, 9, 1], &[0x80; 20], &[0, 1, 0, 2]]
        {
            assert_eq!(for_stream(datagram), None, "{datagram:?}");
        }
    }

    #[test]
    fn only_a_request_for_a_relay_is_refused() {
        let request = |kind: u8| {
            let cookie = [0x21, 0x12, 0xa4, 0x42];
            [&[0, kind, 0, 0][..], &cookie, &[5; 12]].concat()
        };
        let refusal_of = refusal(&request(3)).unwrap();
        let answer = Message::from_bytes(&refusal_of).unwrap();
        assert_eq!(answer.class(), MessageClass::Error);
        assert_eq!(refusal_of[8..20], [5; 12]);
        assert_eq!(refusal(&request(1)), None);
        assert_eq!(refusal(&refusal_of), None);
        assert_eq!(refusal(&[0x40, 0, 0, 0]), None);
    }
}
