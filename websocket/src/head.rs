//! The header of a frame (RFC 6455, section 5.2).

use super::Broken;

/// Longest header that we write: two bytes, and eight of length.
pub const LONGEST_WRITTEN: usize = 10;

const FINAL: u8 = 0x80;
const RESERVED: u8 = 0x70;
const MASKED: u8 = 0x80;
/// Largest payload of a frame (section 5.2).
const LONGEST_PAYLOAD: u64 = u64::MAX >> 1;
/// Largest payload of a control frame (section 5.5).
const CONTROL_BYTES: usize = 125;

/// The kind of a frame: its opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Continuation,
    Text,
    Binary,
    Close,
    Ping,
    Pong,
}

impl Kind {
    const fn code(self) -> u8 {
        match self {
            Self::Continuation => 0,
            Self::Text => 1,
            Self::Binary => 2,
            Self::Close => 8,
            Self::Ping => 9,
            Self::Pong => 10,
        }
    }

    const fn of(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Continuation,
            1 => Self::Text,
            2 => Self::Binary,
            8 => Self::Close,
            9 => Self::Ping,
            10 => Self::Pong,
            _ => return None,
        })
    }

    pub const fn is_control(self) -> bool {
        self.code() >= 8
    }
}

/// The header of a client's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub kind: Kind,
    pub is_final: bool,
    pub mask: [u8; 4],
    pub payload: usize,
    /// Length of the header itself, in bytes.
    pub size: usize,
}

impl Head {
    /// Parses a header; `None` while it is incomplete.
    pub fn parse(bytes: &[u8]) -> Result<Option<Self>, Broken> {
        let [first, second, rest @ ..] = bytes else { return Ok(None) };
        let kind = Kind::of(first & 0x0f).ok_or(Broken::Protocol)?;
        let is_final = first & FINAL != 0;
        // No extension was negotiated, and a client must mask its frames.
        if first & RESERVED != 0 || second & MASKED == 0 {
            return Err(Broken::Protocol);
        }
        let short = second & !MASKED;
        if kind.is_control() && (!is_final || usize::from(short) > CONTROL_BYTES) {
            return Err(Broken::Protocol);
        }
        // A length must use the shortest of its three forms, and the first bit of the longest one must be zero.
        let (payload, length_bytes, lengths) = match short {
            126 => (
                rest.first_chunk().map(|length| u16::from_be_bytes(*length).into()),
                2,
                126..=0xffff,
            ),
            127 => (
                rest.first_chunk().map(|length| u64::from_be_bytes(*length)),
                8,
                0x1_0000..=LONGEST_PAYLOAD,
            ),
            short => (Some(u64::from(short)), 0, 0..=125),
        };
        let Some(payload) = payload else { return Ok(None) };
        if !lengths.contains(&payload) {
            return Err(Broken::Protocol);
        }
        let payload = usize::try_from(payload).map_err(|_| Broken::TooLarge)?;
        let mask = rest.get(length_bytes..).and_then(<[u8]>::first_chunk).copied();
        let size = 2 + length_bytes + 4;
        Ok(mask.map(|mask| Self { kind, is_final, mask, payload, size }))
    }
}

/// The header of an unmasked, unfragmented frame, and how many bytes of the array it takes.
pub fn write(kind: Kind, payload: usize) -> ([u8; LONGEST_WRITTEN], u8) {
    let mut head = [0; LONGEST_WRITTEN];
    head[0] = FINAL | kind.code();
    if let Some(short) = u8::try_from(payload).ok().filter(|short| *short < 126) {
        head[1] = short;
        (head, 2)
    } else if let Ok(middle) = u16::try_from(payload) {
        head[1] = 126;
        head[2..4].copy_from_slice(&middle.to_be_bytes());
        (head, 4)
    } else {
        head[1] = 127;
        head[2..].copy_from_slice(&(payload as u64).to_be_bytes());
        (head, 10)
    }
}

/// Removes the mask (section 5.3), eight bytes at a time, because every relayed byte passes here.
pub fn unmask(payload: &mut [u8], mask: [u8; 4]) {
    let [a, b, c, d] = mask;
    let wide = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let (words, rest) = payload.as_chunks_mut::<8>();
    for word in words {
        *word = (u64::from_ne_bytes(*word) ^ wide).to_ne_bytes();
    }
    for (byte, mask) in rest.iter_mut().zip(mask.iter().cycle()) {
        *byte ^= mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client's frame header, in the layout of section 5.2.
    fn head(first: u8, length: &[u8]) -> Vec<u8> {
        [&[first], length, &[1, 2, 3, 4]].concat()
    }

    #[test]
    fn lengths_are_read_and_written_in_three_forms() {
        for (payload, ours, theirs) in [
            (0, vec![0x82, 0], vec![0x80]),
            (125, vec![0x82, 125], vec![0xfd]),
            (126, vec![0x82, 126, 0, 126], vec![0xfe, 0, 126]),
            (65_535, vec![0x82, 126, 255, 255], vec![0xfe, 255, 255]),
            (65_536, vec![0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0], vec![0xff, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] {
            let (bytes, size) = write(Kind::Binary, payload);
            assert_eq!(bytes[..size.into()], ours, "{payload}");
            let theirs = head(0x82, &theirs);
            let parsed = Head::parse(&theirs).unwrap().unwrap();
            assert_eq!((parsed.payload, parsed.size), (payload, theirs.len()));
            assert_eq!((parsed.kind, parsed.mask), (Kind::Binary, [1, 2, 3, 4]));
            for part in 0..theirs.len() {
                assert_eq!(Head::parse(&theirs[..part]), Ok(None), "{payload} {part}");
            }
        }
    }

    #[test]
    fn what_is_not_the_protocol_is_refused() {
        let malformed = Err(Broken::Protocol);
        assert_eq!(Head::parse(&[0x82, 5, 0, 0, 0, 0]), malformed, "unmasked");
        for first in [0xc2, 0xa2, 0x92, 0x83, 0x8b] {
            assert_eq!(Head::parse(&head(first, &[0x80])), malformed, "{first:x}");
        }
        assert_eq!(Head::parse(&head(0x09, &[0x80])), malformed, "a fragmented ping");
        assert_eq!(Head::parse(&head(0x88, &[0xfe, 0, 126])), malformed, "a long goodbye");
        // The reader refuses absurd lengths.
        let absurd = [&[0xff, 0x7f][..], &[0xff; 7]].concat();
        let absurd = Head::parse(&head(0x82, &absurd)).unwrap().unwrap();
        assert_eq!(absurd.payload, usize::MAX >> 1);
    }

    #[test]
    fn a_length_takes_as_few_bytes_as_it_can() {
        let long = |length: u64| [&[0xff][..], &length.to_be_bytes()].concat();
        for length in
            [vec![0xfe, 0, 0], vec![0xfe, 0, 125], long(0), long(125), long(65_535), long(1 << 63)]
        {
            assert_eq!(Head::parse(&head(0x82, &length)), Err(Broken::Protocol), "{length:x?}");
        }
    }

    #[test]
    fn the_mask_comes_off_at_every_length() {
        for length in 0..40_u8 {
            let clear: Vec<_> = (0..length).collect();
            let mask = [7, 77, 177, 250];
            let mut masked: Vec<_> =
                clear.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask).collect();
            unmask(&mut masked, mask);
            assert_eq!(masked, clear);
        }
    }
}
