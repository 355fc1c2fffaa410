//! Whatever happens between two devices.

use heliograph_device::engine::contract::FileSeal;
use heliograph_shared::ids::ItemId;
use proptest::collection::vec;
use proptest::prelude::*;

use super::world::{World, item, ms, seal};
use super::{ADA, BOB, FAR, LONG, MIB, has_all, pause, resume, shares};

#[derive(Clone, Debug)]
enum Happening {
    Cut(u8),
    Link(u8),
    Socket(bool),
    Restart(bool),
    Pause(bool),
    Resume(bool),
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        (0..4_u8).prop_map(Happening::Cut),
        (0..4_u8).prop_map(Happening::Link),
        any::<bool>().prop_map(Happening::Socket),
        any::<bool>().prop_map(Happening::Restart),
        any::<bool>().prop_map(Happening::Pause),
        any::<bool>().prop_map(Happening::Resume),
    ]
}

/// Two devices, and what goes wrong between them.
struct Chaos {
    world: World,
    sizes: Vec<usize>,
    is_sealed: bool,
    links: Vec<u64>,
}

impl Chaos {
    fn seal(&self, id: ItemId) -> Option<FileSeal> {
        self.is_sealed.then(|| seal(id))
    }

    fn ids(&self) -> impl Iterator<Item = (ItemId, usize)> + use<> {
        (0..).map(item).zip(self.sizes.clone())
    }

    fn happens(&mut self, happening: &Happening) {
        let end = |is_ada: bool| if is_ada { ADA } else { BOB };
        match *happening {
            Happening::Cut(at) => {
                if let Some(link) = self.links.get(usize::from(at)) {
                    self.world.cuts(*link);
                }
            }
            Happening::Link(place) => {
                let link = self.world.links([ADA, BOB], u32::from(place), FAR);
                self.links.push(link);
            }
            Happening::Socket(is_ada) => {
                let at = end(is_ada);
                if self.world.devices[at].is_here {
                    self.world.leaves(at);
                } else {
                    self.world.joins(at);
                }
            }
            Happening::Restart(is_ada) => self.restarts(is_ada),
            Happening::Pause(is_ada) | Happening::Resume(is_ada) => {
                for (id, _) in self.ids() {
                    let input =
                        if matches!(happening, Happening::Pause(_)) { pause } else { resume };
                    self.world.gives(end(is_ada), input(id, None));
                }
            }
        }
    }

    fn restarts(&mut self, is_ada: bool) {
        self.world.restarts(if is_ada { ADA } else { BOB });
        for (id, size) in self.ids() {
            let seal = self.seal(id);
            if is_ada {
                self.world.offers_again(ADA, id, seal);
            } else {
                self.world.asks(BOB, id, ADA, size, seal);
            }
        }
    }

    /// Nothing goes wrong any more, and nobody pauses anything.
    fn calms(&mut self) {
        self.world.relay_drops = 0;
        for at in [ADA, BOB] {
            if !self.world.devices[at].is_here {
                self.world.joins(at);
            }
            self.happens(&Happening::Resume(at == ADA));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn f6_f7_f17_f18_whatever_happens_every_file_is_whole_at_the_end_and_both_ends_know(
        sizes in vec(0..3 * MIB, 1..5),
        is_sealed in any::<bool>(),
        relay_drops in prop_oneof![Just(0_u64), 20..200_u64],
        happenings in vec((0..800_u64, happening()), 0..14),
    ) {
        let mut world = World::new(2);
        world.relay.rate = 2_000;
        world.relay_drops = relay_drops;
        world.disk = ms(15);
        shares(&mut world, &sizes, |id| is_sealed.then(|| seal(id)));
        let mut chaos = Chaos { world, sizes: sizes.clone(), is_sealed, links: Vec::new() };
        for (after, happening) in &happenings {
            chaos.world.passes(ms(*after), |_| false);
            chaos.happens(happening);
        }
        chaos.calms();
        let is_over = chaos.world.passes(LONG, |world| has_all(world, &sizes));
        prop_assert!(is_over, "{:?} {:?}", chaos.world.devices[BOB].receiving, chaos.world.devices[ADA].sending);
        prop_assert!(chaos.world.passes(LONG, World::is_quiet));
    }
}
