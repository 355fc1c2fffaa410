//! The engine: files that go from one device to another, as a person meets them.

mod chaos;
mod copies;
mod disk;
mod ends;
mod liars;
mod moving;
mod network;
mod searching;
mod stored;
mod swarm;
mod swarm_chaos;
mod world;

use heliograph_device::engine::contract::{FileSeal, Input, Progress};
use heliograph_shared::ids::ItemId;

use network::Way;
use world::{World, device, item, ms};

pub const ADA: usize = 0;
pub const BOB: usize = 1;
pub const CYD: usize = 2;
pub const DAN: usize = 3;
pub const MIB: usize = 1024 * 1024;
pub const LONG: std::time::Duration = ms(600_000);

/// Ada shares files of some sizes, and Bob asks for them.
pub fn shares(world: &mut World, sizes: &[usize], seal_of: impl Fn(ItemId) -> Option<FileSeal>) {
    for (number, size) in (0..).zip(sizes) {
        let id = item(number);
        world.offers(ADA, id, *size, seal_of(id));
        world.asks(BOB, id, ADA, *size, seal_of(id));
    }
}

pub fn has_all(world: &World, sizes: &[usize]) -> bool {
    (0..).zip(sizes).all(|(number, size)| {
        world.is_done(ADA, item(number), BOB) && world.has(BOB, item(number), *size)
    })
}

pub const FAR: Way = Way { latency: ms(25), rate: 4_000, jitter: ms(30) };

/// One file, on its way.
pub fn one(world: &mut World, size: usize) -> ItemId {
    shares(world, &[size], |_| None);
    item(0)
}

pub fn bytes(world: &World) -> u64 {
    match world.receives(BOB, item(0)) {
        Some(Progress::Moving { bytes, .. }) => *bytes,
        _ => 0,
    }
}

pub fn is_done(world: &World, size: usize) -> bool {
    has_all(world, &[size])
}

pub fn cancel(id: ItemId, to: Option<usize>) -> Input {
    Input::Cancel { id, device: to.map(device) }
}

pub fn pause(id: ItemId, to: Option<usize>) -> Input {
    Input::Pause { id, device: to.map(device) }
}

pub fn resume(id: ItemId, to: Option<usize>) -> Input {
    Input::Resume { id, device: to.map(device) }
}
