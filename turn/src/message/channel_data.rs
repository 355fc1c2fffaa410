//! `ChannelData` messages (RFC 8656 section 12.4): the short form in which most of the data travels.

use turn_types::channel::ChannelData;

/// Bytes of the number and the length before the data.
pub const HEADER: usize = 4;

/// Whether these bytes begin as a `ChannelData` message: its first two bits are 01 (RFC 8656 section 12).
#[must_use]
pub fn is_channel_data(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|first| first >> 6 == 0b01)
}

/// The channel's number and the data; padding after the data is left out.
#[must_use]
pub fn read(bytes: &[u8]) -> Option<(u16, &[u8])> {
    let (channel, length) = ChannelData::parse_header(bytes).ok()?;
    Some((channel, bytes.get(HEADER..HEADER + length)?))
}

/// A message for a client. On a stream it is filled up to a multiple of four bytes (RFC 8656 section 12.5).
///
/// `data` comes out of a datagram, so its length fits.
#[must_use]
pub fn write(channel: u16, data: &[u8], padded: bool) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap_or(u16::MAX);
    let mut bytes = Vec::with_capacity(HEADER + data.len() + 3);
    bytes.extend(channel.to_be_bytes());
    bytes.extend(length.to_be_bytes());
    bytes.extend(data);
    if padded {
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_without_its_padding() {
        let on_a_stream = write(0x4001, b"12345", true);
        assert_eq!(on_a_stream.len(), 12);
        assert_eq!(read(&on_a_stream), Some((0x4001, &b"12345"[..])));
        assert_eq!(write(0x4001, b"12345", false).len(), 9);
    }

    #[test]
    fn a_length_beyond_the_datagram_is_not_read() {
        assert_eq!(read(&[0x40, 1, 0, 9, 1, 2, 3]), None);
        assert_eq!(read(&[0x40, 1, 0]), None);
        assert!(!is_channel_data(&[]));
    }
}
