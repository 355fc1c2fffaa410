//! F20: which pieces of a file are wanted of whom.

use std::time::Duration;

use heliograph_device::chunk_set::ChunkRange;
use heliograph_device::file_size::{FileSize, PIECE_BYTES, pieces_of};
use heliograph_device::receiver::{LinkKey, Receiver};
use heliograph_device::swarm::Swarm;
use heliograph_shared::ids::DeviceId;

const ORIGIN: DeviceId = DeviceId::from_bytes([1; 16]);
const OTHER: DeviceId = DeviceId::from_bytes([2; 16]);
const THIRD: DeviceId = DeviceId::from_bytes([3; 16]);
const NOW: Duration = Duration::ZERO;

struct Scene {
    receiver: Receiver,
    swarm: Swarm,
}

/// A device that receives a file of so many pieces.
fn scene(count: u64) -> Scene {
    let size = FileSize::new(count * PIECE_BYTES).unwrap();
    Scene { receiver: Receiver::new(size), swarm: Swarm::new(size, ORIGIN, 0, 1) }
}

impl Scene {
    /// Wants chunks of a device, a `want` after the other, and returns the pieces in which they are, each once.
    fn want_all(&mut self, device: DeviceId) -> Vec<u32> {
        let mut wanted = Vec::new();
        let link = LinkKey::Relay(device);
        let Self { receiver, swarm } = self;
        while let Some(range) =
            receiver.want_of(link, PIECE_BYTES, PIECE_BYTES, |receiver, most| {
                swarm.next(device, receiver, most)
            })
        {
            let piece = pieces_of(range).first;
            if !wanted.contains(&piece) {
                wanted.push(piece);
            }
        }
        wanted
    }

    fn claims(&mut self, device: DeviceId, pieces: ChunkRange) {
        self.swarm.claims(device, &[pieces], &self.receiver, NOW);
    }
}

fn sorted(mut pieces: Vec<u32>) -> Vec<u32> {
    pieces.sort_unstable();
    pieces
}

#[test]
fn f20_pieces_are_wanted_of_the_origin_in_their_order_while_nobody_else_has_any() {
    assert_eq!(scene(5).want_all(ORIGIN), [0, 1, 2, 3, 4]);
}

#[test]
fn f20_pieces_are_wanted_once_each_and_the_rarest_first() {
    let mut scene = scene(600);
    scene.swarm.gives(OTHER, &[ChunkRange::new(0, 500)]);
    scene.swarm.gives(THIRD, &[ChunkRange::new(0, 300)]);
    let wanted = scene.want_all(OTHER);
    assert!(wanted.iter().take(200).all(|piece| *piece >= 300));
    assert_eq!(sorted(wanted), (0..500).collect::<Vec<_>>());
}

#[test]
fn f20_pieces_are_left_to_others_that_get_them_from_the_origin() {
    let mut scene = scene(10);
    scene.swarm.gives(OTHER, &[ChunkRange::new(0, 4)]);
    scene.claims(OTHER, ChunkRange::new(4, 2));
    assert_eq!(sorted(scene.want_all(ORIGIN)), [6, 7, 8, 9]);
}

#[test]
fn f20_what_others_have_is_wanted_of_the_origin_once_nobody_gets_any_that_is_lacking_here() {
    let mut scene = scene(10);
    scene.swarm.gives(OTHER, &[ChunkRange::new(0, 4)]);
    scene.receiver.resumes([ChunkRange::new(4 * 64, 6 * 64)]);
    // It is slow, and goes on to get what is here already.
    scene.claims(OTHER, ChunkRange::new(6, 4));
    assert_eq!(sorted(scene.want_all(ORIGIN)), [0, 1, 2, 3]);
}

#[test]
fn f20_an_idle_origin_is_asked_for_twice_as_many_each_time_while_others_are_slow() {
    let mut scene = scene(40);
    scene.swarm.gives(OTHER, &[ChunkRange::new(0, 30)]);
    scene.claims(OTHER, ChunkRange::new(30, 10));
    let wanted = [false, true, true, true].map(|is_idle| {
        scene.swarm.look(is_idle, &scene.receiver, NOW);
        scene.want_all(ORIGIN).len()
    });
    assert_eq!(wanted, [0, 1, 2, 4]);
}

#[test]
fn f20_a_claim_is_void_after_8_s_and_of_one_piece_after_30_s() {
    let mut scene = scene(4);
    scene.swarm.gives(OTHER, &[]);
    scene.claims(OTHER, ChunkRange::new(0, 4));
    assert!(scene.want_all(ORIGIN).is_empty());
    for second in 0..32 {
        let now = Duration::from_secs(second);
        scene.swarm.claims(OTHER, &[ChunkRange::new(0, 1)], &scene.receiver, now);
    }
    // The other three were claimed no more, and the first for too long.
    assert_eq!(sorted(scene.want_all(ORIGIN)), [0, 1, 2, 3]);

    let mut scene = self::scene(4);
    scene.swarm.gives(OTHER, &[]);
    scene.claims(OTHER, ChunkRange::new(0, 4));
    scene.swarm.look(false, &scene.receiver, Duration::from_secs(9));
    assert_eq!(sorted(scene.want_all(ORIGIN)), [0, 1, 2, 3]);
}

#[test]
fn f20_the_head_and_what_may_be_wrong_are_wanted_of_the_origin_alone() {
    let size = FileSize::new(6 * PIECE_BYTES).unwrap();
    let swarm = Swarm::new(size, ORIGIN, PIECE_BYTES + 1, 1);
    let mut scene = Scene { receiver: Receiver::new(size), swarm };
    scene.swarm.gives(OTHER, &[ChunkRange::new(0, u32::MAX)]);
    scene.swarm.suspects(4);
    assert_eq!(sorted(scene.want_all(OTHER)), [2, 3, 5]);
    assert_eq!(scene.want_all(ORIGIN), [0, 1, 4]);
}
