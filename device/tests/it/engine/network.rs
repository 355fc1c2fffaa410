//! The links between the devices of a world, and the server's relay.

use std::time::Duration;

use heliograph_device::engine::contract::{Buffer, Input, Refusal};
use heliograph_device::frames::Frame;
use heliograph_device::receiver::LinkKey;
use heliograph_shared::ids::DeviceId;

use super::world::{Event, World, device, ms};

/// Bytes that may wait on a link of the world.
const HIGH_WATER: u64 = 256 * 1024;

/// How a link behaves.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub latency: Duration,
    /// Bytes a millisecond.
    pub rate: u64,
    /// Chunks arrive up to so much later, each by itself, so that their order is lost.
    pub jitter: Duration,
}

/// What becomes of a frame on its way.
pub enum Change {
    Nothing,
    Lost,
    Into(Vec<u8>),
}

/// Decides so, by who sends it to whom.
pub type Changes = Box<dyn Fn(usize, usize, &Frame<'_>) -> Change>;

pub const NEAR: Way = Way { latency: ms(1), rate: 100_000, jitter: ms(0) };

/// A direct link.
pub struct Pipe {
    pub number: u64,
    pub ends: [usize; 2],
    pub way: Way,
    /// When each direction is free again, and when what was said last arrives.
    pub free_at: [Duration; 2],
}

/// What waits on a link of one device.
#[derive(Default)]
pub struct Waiting {
    pub unsent: u64,
    pub unsaid: u64,
}

impl World {
    pub fn links(&mut self, ends: [usize; 2], place: u32, way: Way) -> u64 {
        self.count += 1;
        let number = self.count;
        self.pipes.push(Pipe { number, ends, way, free_at: [self.now; 2] });
        for (at, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            let max_frame = 256 * 1024;
            self.gives(
                at,
                Input::LinkOpened { device: device(other), link: number, place, max_frame },
            );
            self.tell_room(at, LinkKey::Direct(number));
        }
        number
    }

    /// A direct link breaks, at both ends at once. What is on its way is lost.
    pub fn cuts(&mut self, number: u64) {
        let Some(at) = self.pipes.iter().position(|pipe| pipe.number == number) else { return };
        let pipe = self.pipes.remove(at);
        for (at, other) in [(pipe.ends[0], pipe.ends[1]), (pipe.ends[1], pipe.ends[0])] {
            self.devices[at].waiting.remove(&LinkKey::Direct(number));
            self.gives(at, Input::LinkClosed { device: device(other), link: number });
        }
    }

    pub fn arrives(&mut self, from: usize, to: usize, link: LinkKey, frame: Vec<u8>) {
        match link {
            LinkKey::Direct(number) if !self.pipes.iter().any(|pipe| pipe.number == number) => {
                return;
            }
            LinkKey::Relay(_) if !self.devices[to].is_here => {
                if self.devices[from].is_here {
                    let why = Refusal::Gone;
                    self.gives(from, Input::Refused { device: device(to), why });
                }
                return;
            }
            _ => {}
        }
        let change = match (&self.changes, Frame::decode(&frame)) {
            (Some(change), Some(frame)) => change(from, to, &frame),
            _ => Change::Nothing,
        };
        let frame = match change {
            Change::Nothing => frame,
            Change::Lost => return,
            Change::Into(frame) => frame,
        };
        if let Some(Frame::Chunk(chunk)) = Frame::decode(&frame) {
            self.carried[to] += chunk.bytes.len() as u64;
            self.given[from] += chunk.bytes.len() as u64;
        }
        let link = if let LinkKey::Relay(_) = link { LinkKey::Relay(device(from)) } else { link };
        self.gives(to, Input::Frame { from: device(from), link, frame });
    }

    pub fn tell_room(&mut self, at: usize, link: LinkKey) {
        let Waiting { unsent, unsaid } = *self.devices[at].waiting.entry(link).or_default();
        let room = HIGH_WATER.saturating_sub(unsent);
        let to = match link {
            LinkKey::Direct(number) => {
                let Some(pipe) = self.pipes.iter().find(|pipe| pipe.number == number) else {
                    return;
                };
                device(pipe.ends[usize::from(pipe.ends[0] == at)])
            }
            LinkKey::Relay(to) => to,
            LinkKey::Stored => return,
        };
        let buffer = Buffer { room, unsent, unsaid };
        self.gives(at, Input::Buffered { device: to, link, buffer });
    }

    pub fn sends(
        &mut self,
        from: usize,
        to: DeviceId,
        link: LinkKey,
        frame: Vec<u8>,
        is_said: bool,
    ) {
        let to = (0..self.devices.len()).find(|at| device(*at) == to).unwrap();
        let bytes = frame.len() as u64;
        self.chance = self.chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let chance = self.chance >> 33;
        let (way, free_at) = match link {
            LinkKey::Direct(number) => {
                let pipe = self.pipes.iter_mut().find(|pipe| pipe.number == number);
                let Some(pipe) = pipe else { return };
                (pipe.way, &mut pipe.free_at[usize::from(pipe.ends[1] == from)])
            }
            LinkKey::Relay(_) => (self.relay, &mut self.relay_free_at[from]),
            LinkKey::Stored => panic!("nothing is sent to a copy"),
        };
        assert!(!matches!(link, LinkKey::Relay(_)) || self.devices[from].is_here);
        // What is said overtakes the chunks that wait.
        let is_first = is_said && matches!(link, LinkKey::Direct(_));
        let takes = Duration::from_micros(bytes * 1_000 / way.rate);
        let left = if is_first { self.now + takes } else { self.now.max(*free_at) + takes };
        if !is_first {
            *free_at = left;
        }
        let late = if is_said || way.jitter.is_zero() {
            Duration::ZERO
        } else {
            way.jitter * u32::try_from(chance % 1_000).unwrap() / 1_000
        };
        let waiting = self.devices[from].waiting.entry(link).or_default();
        waiting.unsent += bytes;
        waiting.unsaid += if is_said { bytes } else { 0 };
        self.most_unsent = self.most_unsent.max(waiting.unsent);
        self.at(left, Event::Left { at: from, link, bytes, is_said });
        let is_relayed = matches!(link, LinkKey::Relay(_));
        if is_relayed && self.relay_drops > 0 && chance.is_multiple_of(self.relay_drops) {
            let life = self.devices[from].life;
            let input = Input::Refused { device: device(to), why: Refusal::Full };
            return self.at(left + way.latency * 2, Event::Answer { at: from, life, input });
        }
        self.at(left + way.latency + late, Event::Arrives { from, to, link, frame });
    }
}
