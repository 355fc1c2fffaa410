//! Where the frames end that a node sends to a device through another one, so that the other one can add a frame of its own.

/// A place in the stream of a server's frames (RFC 6455, section 5.2).
#[derive(Clone, Debug, Default)]
pub struct Frames {
    /// What has come of a head.
    head: [u8; 10],
    length: usize,
    /// Bytes of the frame that are yet to come after its head.
    payload: u64,
    is_closed: bool,
}

impl Frames {
    /// Goes on by these bytes.
    pub fn pass(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let count = self.pass_one(bytes);
            bytes = bytes.get(count..).unwrap_or_default();
        }
    }

    /// Goes on to the end of a frame, or of these bytes, and returns how many that were.
    pub fn pass_one(&mut self, bytes: &[u8]) -> usize {
        let mut count = 0;
        while let Some(byte) = bytes.get(count) {
            if self.payload > 0 {
                let rest = bytes.len() - count;
                let own = usize::try_from(self.payload).map_or(rest, |payload| payload.min(rest));
                self.payload -= u64::try_from(own).unwrap_or_default();
                count += own;
            } else {
                if let Some(place) = self.head.get_mut(self.length) {
                    *place = *byte;
                }
                self.length += 1;
                count += 1;
                self.reads_head();
            }
            if self.length == 0 && self.payload == 0 {
                break;
            }
        }
        count
    }

    /// Takes in the head once all of it is there.
    fn reads_head(&mut self) {
        let [first, second, short @ ..] = self.head;
        let (size, payload) = match second & 0x7f {
            126 => (4, u64::from(u16::from_be_bytes([short[0], short[1]]))),
            127 => (10, u64::from_be_bytes(short)),
            length => (2, u64::from(length)),
        };
        if self.length >= 2 && self.length == size {
            self.is_closed |= first & 0x0f == 8;
            self.length = 0;
            self.payload = payload;
        }
    }

    /// Whether no frame is under way.
    #[must_use]
    pub const fn is_between(&self) -> bool {
        self.length == 0 && self.payload == 0
    }

    /// Whether the last frame has begun: none follows a close frame.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.is_closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(opcode: u8, length: usize) -> Vec<u8> {
        let mut frame = vec![0x80 | opcode];
        match length {
            0..126 => frame.push(u8::try_from(length).unwrap()),
            126..0x1_0000 => {
                frame.push(126);
                frame.extend(u16::try_from(length).unwrap().to_be_bytes());
            }
            _ => {
                frame.push(127);
                frame.extend(u64::try_from(length).unwrap().to_be_bytes());
            }
        }
        frame.resize(frame.len() + length, 0x88);
        frame
    }

    #[test]
    fn a_frame_may_be_added_between_frames_and_nowhere_else() {
        let lengths = [0, 1, 125, 126, 300, 65_535, 65_536, 70_000];
        let all: Vec<_> = lengths.iter().map(|length| frame(2, *length)).collect();
        for step in [1, 2, 3, 7, 1_000, 200_000] {
            let mut frames = Frames::default();
            for frame in &all {
                assert!(frames.is_between());
                for (index, bytes) in frame.chunks(step).enumerate() {
                    frames.pass(bytes);
                    let is_whole = (index + 1) * step >= frame.len();
                    assert_eq!(frames.is_between(), is_whole, "{} {step}", frame.len());
                }
            }
        }
    }

    #[test]
    fn the_end_of_a_frame_is_found_in_what_comes_with_the_next_one() {
        let (one, two) = (frame(1, 200), frame(1, 3));
        let mut frames = Frames::default();
        frames.pass(&one[..50]);
        let rest = [&one[50..], &two].concat();
        assert_eq!(frames.pass_one(&rest), one.len() - 50);
        assert!(frames.is_between());
        frames.pass(&two);
        assert!(frames.is_between());
    }

    #[test]
    fn a_close_frame_is_the_last_one() {
        let mut frames = Frames::default();
        frames.pass(&frame(1, 8));
        assert!(!frames.is_closed());
        frames.pass(&frame(8, 2));
        assert!(frames.is_closed() && frames.is_between());
    }
}
