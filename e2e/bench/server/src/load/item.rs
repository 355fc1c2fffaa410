//! Items whose ids say who shared them, so that nobody has to be told of an item before it is seen.

use uuid::Uuid;

/// A device of a beam, by its place in the plan.
pub type Device = u16;

/// An item of one beam.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// Who shared it.
    pub device: Device,
    /// Which one of that device, from 1 on.
    pub number: u32,
}

impl Item {
    /// Its id in the beam of this number.
    pub fn id(self, beam: u32) -> Uuid {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&beam.to_be_bytes());
        bytes[4..6].copy_from_slice(&self.device.to_be_bytes());
        bytes[12..].copy_from_slice(&self.number.to_be_bytes());
        Uuid::new_v8(bytes)
    }

    /// The item with this id; `None` for one of another beam, or of nobody here.
    pub fn of(id: Uuid, beam: u32) -> Option<Self> {
        let [.., a, b, _, _, _, _, _, _, n0, n1, n2, n3] = *id.as_bytes();
        let item = Self {
            device: Device::from_be_bytes([a, b]),
            number: u32::from_be_bytes([n0, n1, n2, n3]),
        };
        (item.id(beam) == id).then_some(item)
    }
}

/// An item as a device saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// `None` when no device of the beam shared it, or it names another sender.
    pub item: Option<Item>,
    /// Its number in the beam.
    pub seq: u64,
    /// Of its content.
    pub digest: u64,
}

/// FNV-1a (64 bits): it tells damage, nobody is out to fool it.
pub fn digest(content: &str) -> u64 {
    content.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_known_by_its_id_in_its_own_beam_only() {
        let item = Item { device: 7, number: 300_000 };
        assert_eq!(Item::of(item.id(1_000_000), 1_000_000), Some(item));
        assert_eq!(Item::of(item.id(1_000_000), 1_000_001), None);
        assert_eq!(Item::of(Uuid::nil(), 0), None);
        assert_ne!(digest("a"), digest("b"));
    }
}
