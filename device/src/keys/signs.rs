//! The pictures that two devices show to be compared (E8): as in Matrix, 64 that are told apart at a glance and named in a call.

use heliograph_shared::e2ee::comparing::SIGNS;

/// Four places in the table of the pictures: what both devices of a comparison show.
pub type Signs = [u8; 4];

/// A picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    /// An emoji.
    pub picture: &'static str,
    /// Its name, in English: for a call, a screen reader, and a terminal that does not draw it.
    pub name: &'static str,
}

/// The pictures at these places.
#[must_use]
pub fn pictures(signs: Signs) -> [Sign; 4] {
    signs.map(|place| {
        let (picture, name) = TABLE[usize::from(place % SIGNS)];
        Sign { picture, name }
    })
}

/// By place. The order is part of the wire: devices of every version show the same picture for a number. `shared/tests/signs.json` has
/// it for the tests of all clients.
const TABLE: [(&str, &str); SIGNS as usize] = [
    ("🐶", "Dog"),
    ("🐱", "Cat"),
    ("🦁", "Lion"),
    ("🐎", "Horse"),
    ("🦄", "Unicorn"),
    ("🐷", "Pig"),
    ("🐘", "Elephant"),
    ("🐰", "Rabbit"),
    ("🐼", "Panda"),
    ("🐓", "Rooster"),
    ("🐧", "Penguin"),
    ("🐢", "Turtle"),
    ("🐟", "Fish"),
    ("🐙", "Octopus"),
    ("🦋", "Butterfly"),
    ("🌷", "Flower"),
    ("🌳", "Tree"),
    ("🌵", "Cactus"),
    ("🍄", "Mushroom"),
    ("🌏", "Globe"),
    ("🌙", "Moon"),
    ("☁️", "Cloud"),
    ("🔥", "Fire"),
    ("🍌", "Banana"),
    ("🍎", "Apple"),
    ("🍓", "Strawberry"),
    ("🌽", "Corn"),
    ("🍕", "Pizza"),
    ("🎂", "Cake"),
    ("❤️", "Heart"),
    ("😀", "Smiley"),
    ("🤖", "Robot"),
    ("🎩", "Hat"),
    ("👓", "Glasses"),
    ("🔧", "Spanner"),
    ("🎅", "Santa"),
    ("👍", "Thumb"),
    ("☂️", "Umbrella"),
    ("⌛", "Hourglass"),
    ("⏰", "Clock"),
    ("🎁", "Gift"),
    ("💡", "Light bulb"),
    ("📕", "Book"),
    ("✏️", "Pencil"),
    ("📎", "Paper clip"),
    ("✂️", "Scissors"),
    ("🔒", "Padlock"),
    ("🔑", "Key"),
    ("🔨", "Hammer"),
    ("☎️", "Telephone"),
    ("🏁", "Flag"),
    ("🚂", "Train"),
    ("🚲", "Bicycle"),
    ("✈️", "Aeroplane"),
    ("🚀", "Rocket"),
    ("🏆", "Trophy"),
    ("⚽", "Ball"),
    ("🎸", "Guitar"),
    ("🎺", "Trumpet"),
    ("🔔", "Bell"),
    ("⚓", "Anchor"),
    ("🎧", "Headphones"),
    ("📁", "Folder"),
    ("📌", "Pin"),
];
