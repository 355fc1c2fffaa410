//! A receiver beside a plain account of what it has taken, whatever its links and the devices behind them do.

use std::collections::BTreeSet;

use heliograph_device::chunk_set::ChunkRange;
use heliograph_device::file_size::{CHUNK_BYTES, FileSize, PIECE_CHUNKS};
use heliograph_device::receiver::{LinkKey, Receiver};
use heliograph_shared::limits::SMALLEST_BUDGET_BYTES;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Two links to one device, and one to another.
const LINKS: [LinkKey; 3] = [LinkKey::Direct(1), LinkKey::Direct(2), LinkKey::Direct(3)];
const BUDGET: u64 = SMALLEST_BUDGET_BYTES as u64;

fn links_beside(link: LinkKey) -> &'static [LinkKey] {
    if link == LINKS[2] { &LINKS[2..] } else { &LINKS[..2] }
}

#[derive(Clone, Debug)]
enum Step {
    Want(LinkKey, u64),
    Again(LinkKey, u64),
    /// Chunks come on a link, wanted or not, sometimes with too many or too few bytes.
    Come {
        on: LinkKey,
        first: u32,
        count: usize,
        more: isize,
    },
    /// What is expected comes, any of it.
    Give {
        on: LinkKey,
        pick: usize,
        twice: bool,
    },
    Write(usize),
    Lose(LinkKey),
    Refuse(u32),
}

fn step() -> impl Strategy<Value = Step> {
    const CHUNK: isize = 16_384;
    let link = || select(&LINKS[..]);
    prop_oneof![
        (link(), 1..20_u64).prop_map(|(link, most)| Step::Want(link, most)),
        (link(), 1..20_u64).prop_map(|(link, most)| Step::Again(link, most)),
        (link(), 0..150_u32, 1..20_usize, select(&[0, 0, 0, 0, 1, -1, -CHUNK, CHUNK][..]))
            .prop_map(|(on, first, count, more)| Step::Come { on, first, count, more }),
        (link(), any::<usize>(), any::<bool>()).prop_map(|(on, pick, twice)| Step::Give {
            on,
            pick,
            twice
        }),
        any::<usize>().prop_map(Step::Write),
        link().prop_map(Step::Lose),
        (0..3_u32).prop_map(Step::Refuse),
    ]
}

fn numbers(range: ChunkRange) -> impl Iterator<Item = u32> {
    range.first..range.end()
}

struct Account {
    receiver: Receiver,
    /// Chunks that were handed out to be written and were not refused since, and those of them that are durable.
    taken: BTreeSet<u32>,
    durable: BTreeSet<u32>,
    writing: Vec<ChunkRange>,
}

impl Account {
    fn new(bytes: u64) -> Self {
        let receiver = Receiver::new(FileSize::new(bytes).unwrap());
        Self { receiver, taken: BTreeSet::new(), durable: BTreeSet::new(), writing: Vec::new() }
    }

    fn does(&mut self, step: &Step) {
        match *step {
            Step::Want(link, most) => {
                self.receiver.want(link, most * CHUNK_BYTES, most * CHUNK_BYTES);
            }
            Step::Again(link, most) => {
                self.receiver.want_twice(link, LINKS[0], most * CHUNK_BYTES);
            }
            Step::Come { on, first, count, more } => {
                let bytes = (count * 16_384).checked_add_signed(more).unwrap();
                self.comes(first, bytes, links_beside(on));
            }
            Step::Give { on, pick, twice } => self.gives(on, pick, twice),
            Step::Write(pick) => self.writes(pick),
            Step::Lose(link) => self.receiver.lost(link),
            Step::Refuse(piece) => {
                self.refuses(ChunkRange::new(piece * PIECE_CHUNKS, PIECE_CHUNKS));
            }
        }
    }

    fn comes(&mut self, first: u32, bytes: usize, links: &[LinkKey]) {
        let expected: BTreeSet<_> = links
            .iter()
            .flat_map(|link| self.receiver.expected_on(*link))
            .flat_map(numbers)
            .collect();
        let end = u64::from(first) * CHUNK_BYTES + bytes as u64;
        for range in self.receiver.arrived(first, bytes, links.iter().copied()) {
            for chunk in numbers(range) {
                assert!(expected.contains(&chunk) && self.taken.insert(chunk));
                assert!(chunk >= first && u64::from(chunk) * CHUNK_BYTES < end);
            }
            self.writing.push(range);
        }
    }

    fn gives(&mut self, on: LinkKey, pick: usize, twice: bool) {
        let expected: Vec<_> = self.receiver.expected_on(on).collect();
        let Some(range) = expected.get(pick % expected.len().max(1)) else { return };
        for _ in 0..=usize::from(twice) {
            self.comes(range.first, self.bytes(*range), links_beside(on));
        }
    }

    fn bytes(&self, range: ChunkRange) -> usize {
        usize::try_from(self.receiver.size().range_bytes(range)).unwrap()
    }

    fn writes(&mut self, pick: usize) {
        if self.writing.is_empty() {
            return;
        }
        let range = self.writing.swap_remove(pick % self.writing.len());
        self.receiver.wrote(range);
        self.durable.extend(numbers(range));
    }

    /// A piece is hashed, and perhaps wrong, only when all of it is durable.
    fn refuses(&mut self, piece: ChunkRange) {
        let Some(piece) = self.receiver.size().within(piece) else { return };
        if numbers(piece).all(|chunk| self.durable.contains(&chunk)) {
            self.receiver.refused(piece);
            self.taken.retain(|chunk| !numbers(piece).any(|gone| gone == *chunk));
            self.durable.retain(|chunk| !numbers(piece).any(|gone| gone == *chunk));
        }
    }

    fn is_right(&self) {
        let size = self.receiver.size();
        let chunks = |count: usize| count as u64 * CHUNK_BYTES;
        assert_eq!(self.receiver.received(), size.bytes().min(chunks(self.durable.len())));
        assert_eq!(self.receiver.writing(), chunks(self.taken.len() - self.durable.len()));
        assert_eq!(self.receiver.is_complete(), self.durable.len() == size.chunk_count() as usize);
        assert!(self.receiver.outstanding() >= self.receiver.writing());
    }

    /// Gives all that is missing.
    fn ends(&mut self) {
        self.receiver.lost_all();
        while let Some(range) = self.receiver.want_run(LINKS[0], u64::MAX) {
            self.comes(range.first, self.bytes(range), &LINKS[..2]);
        }
        while !self.writing.is_empty() {
            self.writes(0);
        }
    }
}

proptest! {
    #[test]
    fn f3_f5_f6_a_receiver_takes_each_chunk_once_of_a_device_of_which_it_is_wanted(
        bytes in 0..150 * CHUNK_BYTES,
        steps in vec(step(), 0..200),
    ) {
        let mut account = Account::new(bytes);
        for step in steps {
            account.does(&step);
            account.is_right();
        }
        account.ends();
        prop_assert!(account.receiver.is_complete());
        prop_assert_eq!(account.receiver.received(), bytes);
        prop_assert_eq!(account.receiver.outstanding(), 0);
    }
}

fn receiver(bytes: u64) -> Receiver {
    Receiver::new(FileSize::new(bytes).unwrap())
}

#[test]
fn f3_chunks_that_were_not_wanted_or_have_a_wrong_length_are_ignored() {
    let mut receiver = receiver(40_000);
    let comes = |receiver: &mut Receiver, first, bytes| receiver.arrived(first, bytes, [LINKS[0]]);
    assert_eq!(comes(&mut receiver, 0, 16_384), []);
    receiver.want(LINKS[0], BUDGET, BUDGET);
    for (first, bytes) in [(0, 16_383), (2, 16_384), (3, 1), (u32::MAX, 1), (0, usize::MAX)] {
        assert_eq!(comes(&mut receiver, first, bytes), [], "{first} {bytes}");
    }
    assert_eq!(comes(&mut receiver, 2, 40_000 - 2 * 16_384), [ChunkRange::new(2, 1)]);
}

#[test]
fn f2_an_empty_file_is_complete_from_the_start() {
    assert!(receiver(0).is_complete());
}

#[test]
fn f4_a_want_is_whole_or_the_rest_and_never_a_chunk_that_happens_to_fit() {
    let mut receiver = receiver(20 * CHUNK_BYTES);
    assert_eq!(receiver.want(LINKS[0], 8 * CHUNK_BYTES, 8 * CHUNK_BYTES - 1), None);
    assert_eq!(receiver.want(LINKS[0], BUDGET, BUDGET), Some(ChunkRange::new(0, 16)));
    assert_eq!(receiver.want(LINKS[1], BUDGET, 4 * CHUNK_BYTES), Some(ChunkRange::new(16, 4)));
    assert_eq!(receiver.want(LINKS[0], BUDGET, BUDGET), None);
    assert_eq!(receiver.waiting_on(LINKS[1]), 4 * CHUNK_BYTES);
}

#[test]
fn f4_at_most_a_fiftieth_of_a_file_is_wanted_on_a_second_link() {
    let mut receiver = receiver(200 * CHUNK_BYTES);
    receiver.want_run(LINKS[0], u64::MAX);
    assert_eq!(
        receiver.want_twice(LINKS[0], LINKS[1], 3 * CHUNK_BYTES),
        Some(ChunkRange::new(197, 3))
    );
    assert_eq!(
        receiver.want_twice(LINKS[0], LINKS[1], 3 * CHUNK_BYTES),
        Some(ChunkRange::new(196, 1))
    );
    assert_eq!(receiver.want_twice(LINKS[0], LINKS[1], 3 * CHUNK_BYTES), None);
    assert_eq!(receiver.waiting_on(LINKS[1]), 4 * CHUNK_BYTES);
}

#[test]
fn f6_nothing_that_an_earlier_run_received_is_wanted_again() {
    let mut receiver = receiver(10 * CHUNK_BYTES);
    receiver.resumes([ChunkRange::new(0, 4), ChunkRange::new(6, u32::MAX)]);
    assert_eq!(receiver.received(), 8 * CHUNK_BYTES);
    assert_eq!(receiver.want_run(LINKS[0], u64::MAX), Some(ChunkRange::new(4, 2)));
    assert_eq!(receiver.gaps(ChunkRange::new(0, u32::MAX)), []);
}

#[test]
fn f19_only_what_arrived_can_be_written_and_only_what_was_written_can_be_wrong() {
    let mut receiver = receiver(10 * CHUNK_BYTES);
    receiver.want_run(LINKS[0], u64::MAX);
    let came = receiver.arrived(0, 3 * 16_384, [LINKS[0]]);
    receiver.wrote(ChunkRange::new(0, 10));
    assert_eq!((receiver.received(), came), (3 * CHUNK_BYTES, vec![ChunkRange::new(0, 3)]));
    receiver.refused(ChunkRange::new(2, 8));
    assert_eq!((receiver.received(), receiver.outstanding()), (2 * CHUNK_BYTES, 7 * CHUNK_BYTES));
    assert_eq!(receiver.want_run(LINKS[0], u64::MAX), Some(ChunkRange::new(2, 1)));
}
