//! Whatever happens among several devices that receive the same files, of which the server may have copies.

use heliograph_device::engine::contract::{FileSeal, Input};
use heliograph_shared::ids::ItemId;
use proptest::collection::vec;
use proptest::prelude::*;

use super::copies::url;
use super::world::{World, item, ms, seal};
use super::{ADA, BOB, CYD, DAN, FAR, LONG, MIB, pause, resume};

const OTHERS: [usize; 3] = [BOB, CYD, DAN];

#[derive(Clone, Debug)]
enum Happening {
    Link(usize, usize),
    Cut(u8),
    Socket(usize),
    Restart(usize),
    Pause(usize),
    Resume(usize),
    PassOn(usize, bool),
    Copy(usize),
    CopyIsSilent(bool),
    CopyBreaks(Option<u32>),
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        (0..4_usize, 0..4_usize).prop_map(|(one, other)| Happening::Link(one, other)),
        (0..4_u8).prop_map(Happening::Cut),
        (0..4_usize).prop_map(Happening::Socket),
        (0..4_usize).prop_map(Happening::Restart),
        (0..4_usize).prop_map(Happening::Pause),
        (0..4_usize).prop_map(Happening::Resume),
        (0..4_usize, any::<bool>()).prop_map(|(at, may)| Happening::PassOn(at, may)),
        (0..4_usize).prop_map(Happening::Copy),
        any::<bool>().prop_map(Happening::CopyIsSilent),
        prop::option::of(0..6_u32).prop_map(Happening::CopyBreaks),
    ]
}

struct Chaos {
    world: World,
    sizes: Vec<usize>,
    is_sealed: bool,
    links: Vec<u64>,
}

impl Chaos {
    fn files(&self) -> Vec<(ItemId, usize, Option<FileSeal>)> {
        let ids = (0..).map(item).zip(self.sizes.clone());
        ids.map(|(id, size)| (id, size, self.is_sealed.then(|| seal(id)))).collect()
    }

    fn happens(&mut self, happening: &Happening) {
        match *happening {
            Happening::Link(one, other) if one == other => {}
            Happening::Link(one, other) => {
                let link = self.world.links([one, other], 0, FAR);
                self.links.push(link);
            }
            Happening::Cut(at) => {
                if let Some(link) = self.links.get(usize::from(at)) {
                    self.world.cuts(*link);
                }
            }
            Happening::Socket(at) if self.world.devices[at].is_here => self.world.leaves(at),
            Happening::Socket(at) => self.world.joins(at),
            Happening::Restart(at) => self.restarts(at),
            Happening::Pause(at) => self.all(at, |id| pause(id, None)),
            Happening::Resume(at) => self.all(at, |id| resume(id, None)),
            Happening::PassOn(at, may) => self.world.gives(at, Input::PassOn(may)),
            Happening::Copy(at) => self.all(at, |id| Input::Stored { id, url: url(id) }),
            Happening::CopyIsSilent(is_silent) => self.world.copies.is_silent = is_silent,
            Happening::CopyBreaks(after) => self.world.copies.breaks_after = after,
        }
    }

    fn all(&mut self, at: usize, input: impl Fn(ItemId) -> Input) {
        for (id, ..) in self.files() {
            self.world.gives(at, input(id));
        }
    }

    fn restarts(&mut self, at: usize) {
        self.world.restarts(at);
        for (id, size, seal) in self.files() {
            if at == ADA {
                self.world.offers_again(ADA, id, seal);
            } else {
                self.world.asks(at, id, ADA, size, seal);
            }
        }
    }

    /// Nothing goes wrong any more, and nobody pauses anything.
    fn calms(&mut self) {
        self.world.relay_drops = 0;
        self.world.copies.is_silent = false;
        self.world.copies.breaks_after = None;
        for at in 0..4 {
            if !self.world.devices[at].is_here {
                self.world.joins(at);
            }
            self.happens(&Happening::Resume(at));
        }
    }

    fn is_over(world: &World, files: &[(ItemId, usize)]) -> bool {
        let has = |at: &usize, id: ItemId, size: usize| {
            world.has(*at, id, size) && world.is_done(ADA, id, *at)
        };
        files.iter().all(|(id, size)| OTHERS.iter().all(|at| has(at, *id, *size)))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn f20_f21_f22_whatever_happens_all_devices_have_the_files_at_the_end(
        sizes in vec(4 * MIB..6 * MIB, 1..3),
        is_sealed in any::<bool>(),
        relay_drops in prop_oneof![Just(0_u64), 50..200_u64],
        happenings in vec((0..1_500_u64, happening()), 0..16),
    ) {
        let mut world = World::new(4);
        world.relay.rate = 2_000;
        world.relay_drops = relay_drops;
        world.disk = ms(15);
        let mut chaos = Chaos { world, sizes, is_sealed, links: Vec::new() };
        for (id, size, seal) in chaos.files() {
            chaos.world.stores(id, size, is_sealed);
            chaos.world.offers(ADA, id, size, seal.clone());
            for at in OTHERS {
                chaos.world.asks(at, id, ADA, size, seal.clone());
            }
        }
        for (after, happening) in &happenings {
            chaos.world.passes(ms(*after), |_| false);
            chaos.happens(happening);
        }
        chaos.calms();
        let files: Vec<_> = chaos.files().into_iter().map(|(id, size, _)| (id, size)).collect();
        let is_over = chaos.world.passes(LONG, |world| Chaos::is_over(world, &files));
        let seen: Vec<_> = chaos.world.devices.iter().map(|one| &one.receiving).collect();
        prop_assert!(is_over, "{seen:?} {:?}", chaos.world.devices[ADA].sending);
        prop_assert!(chaos.world.passes(LONG, World::is_quiet));
    }
}
