//! A model of a server that keeps all promises, in front of which messages may be lost, doubled and swapped.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::super::item::digest;
use super::*;

const DEVICES: u16 = 3;

#[derive(Clone, Debug)]
enum Message {
    Live(Seen),
    Page(Vec<Seen>),
}

/// What is done to the messages for one device.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Lose,
    Double,
    Swap,
}

struct Plant {
    fault: Fault,
    device: Device,
    /// After so many messages.
    after: usize,
    done: Option<Item>,
}

struct Model {
    checker: Checker,
    found: Vec<Violation>,
    memory: Vec<Seen>,
    queues: Vec<Option<VecDeque<Message>>>,
    unanswered: Vec<Vec<Item>>,
    numbers: Vec<u32>,
    plant: Option<Plant>,
}

fn content(item: Item) -> u64 {
    digest(&item.to_string())
}

impl Model {
    fn new(plant: Option<Plant>) -> Self {
        let count = usize::from(DEVICES);
        Self {
            checker: Checker::new(Memory::Process),
            found: Vec::new(),
            memory: Vec::new(),
            queues: vec![None; count],
            unanswered: vec![Vec::new(); count],
            numbers: vec![0; count],
            plant,
        }
    }

    fn tell(&mut self, event: Event<'_>) {
        self.found.extend(self.checker.observe(event));
    }

    fn does(&mut self, device: Device, what: u8) {
        let at = usize::from(device);
        let is_here = self.queues[at].is_some();
        let is_planted = self.plant.as_ref().is_some_and(|plant| plant.done.is_some());
        match what {
            0..=2 if is_here => self.shares(device, true),
            // What the server never got counts once the device is back.
            3 if is_here && !is_planted => {
                self.shares(device, false);
                self.leaves(device);
            }
            4 if is_here && !is_planted => self.leaves(device),
            5 if !is_here => self.joins(device),
            _ => self.sees(device),
        }
    }

    fn shares(&mut self, device: Device, arrives: bool) {
        let at = usize::from(device);
        self.numbers[at] += 1;
        let item = Item { device, number: self.numbers[at] };
        self.unanswered[at].push(item);
        self.sends(item, arrives);
    }

    fn sends(&mut self, item: Item, arrives: bool) {
        self.tell(Event::Shares(item, content(item)));
        if !arrives {
            return;
        }
        if let Some(seen) = self.memory.iter().find(|seen| seen.item == Some(item)).copied() {
            self.queues[usize::from(item.device)].as_mut().unwrap().push_back(Message::Live(seen));
            return;
        }
        // Refused items and addressed ones leave numbers out.
        let seq = self.memory.last().map_or(1_000, |last| last.seq + 1 + last.seq % 3);
        let seen = Seen { item: Some(item), seq, digest: content(item) };
        self.memory.push(seen);
        for queue in self.queues.iter_mut().flatten() {
            queue.push_back(Message::Live(seen));
        }
    }

    fn leaves(&mut self, device: Device) {
        self.queues[usize::from(device)] = None;
        self.tell(Event::Left(device));
    }

    fn joins(&mut self, device: Device) {
        let at = usize::from(device);
        self.tell(Event::Joined(device));
        self.tell(Event::AsksAfter(device, None));
        self.queues[at] = Some(VecDeque::from([Message::Page(self.memory.clone())]));
        for item in self.unanswered[at].clone() {
            self.sends(item, true);
        }
    }

    fn sees(&mut self, device: Device) {
        let at = usize::from(device);
        let Some(message) = self.queues[at].as_mut().and_then(VecDeque::pop_front) else { return };
        if let Some(plant) = &mut self.plant
            && plant.device == device
            && plant.done.is_none()
            && let Message::Live(Seen { item: Some(item), .. }) = message
            && item.device != device
        {
            plant.after = plant.after.saturating_sub(1);
            let next = self.queues[at].as_ref().and_then(VecDeque::front);
            let other =
                matches!(next, Some(Message::Live(next)) if next.item.unwrap().device != device);
            if plant.after == 0 && (plant.fault != Fault::Swap || other) {
                plant.done = Some(item);
                match plant.fault {
                    Fault::Lose => return,
                    Fault::Double => self.takes(device, &message),
                    Fault::Swap => {
                        let next = self.queues[at].as_mut().and_then(VecDeque::pop_front);
                        self.takes(device, &next.unwrap());
                    }
                }
            }
        }
        self.takes(device, &message);
    }

    fn takes(&mut self, device: Device, message: &Message) {
        let seen = match message {
            Message::Live(seen) => std::slice::from_ref(seen),
            Message::Page(items) => items,
        };
        let is_own = |item: &Item| item.device == device;
        for item in seen.iter().filter_map(|seen| seen.item).filter(is_own) {
            self.unanswered[usize::from(device)].retain(|own| *own != item);
        }
        match message {
            Message::Live(seen) => self.tell(Event::Received(device, *seen)),
            Message::Page(items) => {
                let items = &items[..];
                self.tell(Event::Page { device, epoch: "a", oldest: 1_000, items, is_last: true });
            }
        }
    }

    /// Everybody comes back, everything comes, and the checker is asked.
    fn settles(mut self) -> (Vec<Violation>, Option<Item>) {
        for device in 0..DEVICES {
            if self.queues[usize::from(device)].is_none() {
                self.joins(device);
            }
        }
        for device in 0..DEVICES {
            while self.queues[usize::from(device)].as_ref().is_some_and(|queue| !queue.is_empty()) {
                self.sees(device);
            }
        }
        for device in 0..DEVICES {
            self.tell(Event::Settled(device));
        }
        (self.found, self.plant.and_then(|plant| plant.done))
    }
}

fn run(steps: &[(u16, u8)], plant: Option<Plant>) -> (Vec<Violation>, Option<Item>) {
    let mut model = Model::new(plant);
    for (device, what) in steps {
        model.does(device % DEVICES, *what);
    }
    model.settles()
}

fn steps() -> impl Strategy<Value = Vec<(u16, u8)>> {
    prop::collection::vec((0..DEVICES, 0..12u8), 1..300)
}

proptest! {
    #[test]
    fn a_server_that_keeps_its_promises_is_left_in_peace(steps in steps()) {
        prop_assert_eq!(run(&steps, None).0, []);
    }

    #[test]
    fn whatever_is_lost_doubled_or_swapped_is_found(
        steps in steps(),
        fault in prop::sample::select(vec![Fault::Lose, Fault::Double, Fault::Swap]),
        device in 0..DEVICES,
        after in 0..20_usize,
    ) {
        let (found, planted) = run(&steps, Some(Plant { fault, device, after, done: None }));
        let Some(item) = planted else {
            prop_assert_eq!(found, []);
            return Ok(());
        };
        let wanted = match fault {
            Fault::Lose => Violation::Lost { device, item },
            Fault::Double => Violation::Doubled { device, item },
            Fault::Swap => Violation::OutOfOrder { device, item },
        };
        prop_assert!(found.contains(&wanted), "{wanted:?} is not in {found:?}");
        // It accuses nobody else.
        let is_of_device = |violation: &&Violation| matches!(
            violation,
            Violation::Lost { device: own, .. }
                | Violation::Doubled { device: own, .. }
                | Violation::OutOfOrder { device: own, .. } if *own == device
        );
        prop_assert!(found.iter().all(|one| is_of_device(&one)), "{found:?}");
    }
}

fn seen(item: Item, seq: u64) -> Seen {
    Seen { item: Some(item), seq, digest: content(item) }
}

/// A checker with two devices that are in step.
fn in_step(memory: Memory) -> Checker {
    let mut checker = Checker::new(memory);
    for device in 0..2 {
        joins(&mut checker, device, "a", 10, &[]);
    }
    checker
}

fn joins(
    checker: &mut Checker,
    device: Device,
    epoch: &str,
    oldest: u64,
    items: &[Seen],
) -> Option<Violation> {
    checker.observe(Event::Joined(device));
    checker.observe(Event::AsksAfter(device, None));
    checker.observe(Event::Page { device, epoch, oldest, items, is_last: true })
}

const FIRST: Item = Item { device: 0, number: 1 };
const SECOND: Item = Item { device: 0, number: 2 };

/// Both items are shared and come to their sender.
fn shares_two(checker: &mut Checker) {
    for (item, seq) in [(FIRST, 10), (SECOND, 11)] {
        checker.observe(Event::Shares(item, content(item)));
        assert_eq!(checker.observe(Event::Received(0, seen(item, seq))), None);
    }
}

#[test]
fn an_acknowledged_item_that_tables_lack_after_a_restart_is_found() {
    for (items, missing) in [(vec![], SECOND), (vec![seen(FIRST, 10)], SECOND)] {
        let mut checker = in_step(Memory::Tables);
        shares_two(&mut checker);
        let found = joins(&mut checker, 1, "b", 11, &items);
        assert_eq!(found, Some(Violation::Forgotten { device: 1, item: missing }));
    }
    let mut checker = in_step(Memory::Tables);
    shares_two(&mut checker);
    // The oldest is missing, and the server says that there was nothing.
    let found = joins(&mut checker, 1, "b", 11, &[seen(SECOND, 11)]);
    assert_eq!(found, Some(Violation::Lost { device: 1, item: FIRST }));
}

#[test]
fn a_process_may_take_its_memory_along_and_nodes_may_not() {
    let mut checker = in_step(Memory::Process);
    shares_two(&mut checker);
    assert_eq!(joins(&mut checker, 1, "b", 500, &[]), None);
    // What had no answer is shared again, and has another number in the new memory.
    checker.observe(Event::Shares(SECOND, content(SECOND)));
    assert_eq!(checker.observe(Event::Received(1, seen(SECOND, 500))), None);

    let mut checker = in_step(Memory::Nodes);
    shares_two(&mut checker);
    let found = joins(&mut checker, 1, "b", 500, &[]);
    assert_eq!(found, Some(Violation::MemoryLost { device: 1 }));
}

#[test]
fn an_item_is_what_was_shared_and_by_whom() {
    let mut checker = in_step(Memory::Process);
    checker.observe(Event::Shares(FIRST, content(FIRST)));
    let altered = Seen { digest: 1, ..seen(FIRST, 10) };
    let found = checker.observe(Event::Received(1, altered));
    assert_eq!(found, Some(Violation::Altered { device: 1, item: FIRST }));
    for foreign in [Seen { item: None, ..altered }, seen(SECOND, 10)] {
        let found = checker.observe(Event::Received(1, foreign));
        assert_eq!(found, Some(Violation::Foreign { device: 1, seq: 10 }));
    }
}

#[test]
fn the_order_and_the_numbers_are_the_same_for_all() {
    let mut checker = in_step(Memory::Process);
    shares_two(&mut checker);
    let found = checker.observe(Event::Received(1, seen(SECOND, 10)));
    assert_eq!(found, Some(Violation::Doubled { device: 1, item: SECOND }));
    let third = Item { device: 1, number: 1 };
    checker.observe(Event::Shares(third, content(third)));
    let found = checker.observe(Event::Received(1, seen(third, 11)));
    assert_eq!(found, Some(Violation::Differs { device: 1, item: third }));
}

#[test]
fn a_sender_is_answered_in_its_order_or_told_why_not() {
    let mut checker = in_step(Memory::Process);
    for item in [FIRST, SECOND] {
        checker.observe(Event::Shares(item, content(item)));
    }
    let mut other = in_step(Memory::Process);
    for item in [FIRST, SECOND] {
        other.observe(Event::Shares(item, content(item)));
    }
    let found = checker.observe(Event::Received(0, seen(SECOND, 11)));
    assert_eq!(found, Some(Violation::Unanswered { item: FIRST }));
    other.observe(Event::Refused(FIRST));
    assert_eq!(other.observe(Event::Received(0, seen(SECOND, 11))), None);
}

#[test]
fn what_is_answered_and_reached_nobody_else_is_lost_in_the_end() {
    let mut checker = in_step(Memory::Process);
    shares_two(&mut checker);
    assert_eq!(checker.observe(Event::Settled(0)), None);
    assert_eq!(
        checker.observe(Event::Settled(1)),
        Some(Violation::Lost { device: 1, item: FIRST })
    );
    checker.observe(Event::Left(1));
    assert_eq!(checker.observe(Event::Settled(1)), Some(Violation::Away { device: 1 }));
}

#[test]
fn a_long_load_takes_no_more_memory_than_a_short_one() {
    let mut checker = in_step(Memory::Process);
    for number in 1..=20_000 {
        let item = Item { device: 0, number };
        checker.observe(Event::Shares(item, content(item)));
        for device in 0..2 {
            let seq = 10 + u64::from(number);
            assert_eq!(checker.observe(Event::Received(device, seen(item, seq))), None);
        }
    }
    let kept: usize = checker.senders.values().map(BTreeMap::len).sum();
    assert!(kept < 5_000, "{kept}");
}
