//! A sender and a receiver with links between them that deliver in any order, deliver twice, or die with everything on them.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use heliograph_device::chunk_set::ChunkRange;
use heliograph_device::file_size::{CHUNK_BYTES, FileSize};
use heliograph_device::frames::{Chunk, ControlFrame, Frame, chunk_frame};
use heliograph_device::receiver::{LinkKey, Receiver};
use heliograph_device::scheduler::{Receivers, Scheduler};
use heliograph_device::send_queue::SendQueue;
use heliograph_device::sender::Sender;
use heliograph_shared::ids::ItemId;
use heliograph_shared::limits::SMALLEST_BUDGET_BYTES;
use proptest::collection::vec;
use proptest::prelude::*;

const MIB: u64 = 1024 * 1024;
const BUDGET: u64 = SMALLEST_BUDGET_BYTES as u64;

fn item(number: u8) -> ItemId {
    ItemId::from_random([number; 16])
}

/// The content of the files. No two of its chunks are equal.
static CONTENT: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let byte = |i: u64| i.wrapping_mul(31).wrapping_add((i >> 8) + (i >> 14)).to_be_bytes()[7];
    (0..20 * MIB).map(byte).collect()
});

/// One file: its bytes at both ends.
struct File {
    bytes: &'static [u8],
    copy: Vec<u8>,
    sender: Sender,
}

struct Wire {
    files: BTreeMap<ItemId, File>,
    receivers: Receivers,
    scheduler: Scheduler,
    queue: SendQueue<ItemId>,
    /// Frames on their way.
    under_way: Vec<Vec<u8>>,
    link: LinkKey,
    rebuilt: u64,
    /// A delivery takes 20 ms, so that no link needs a larger window than the least budget.
    now: Duration,
    /// Bytes wanted and neither written nor lost with a link, and the most of them, counted here by themselves.
    pending: u64,
    most: u64,
    carried: u64,
}

#[derive(Clone, Debug)]
enum Step {
    Want,
    Send(u32),
    Deliver { pick: usize, twice: bool },
    Die,
}

impl Wire {
    fn new(sizes: &[u64]) -> Self {
        let mut wire = Self {
            files: BTreeMap::new(),
            receivers: Receivers::new(),
            scheduler: Scheduler::default(),
            queue: SendQueue::default(),
            under_way: Vec::new(),
            link: LinkKey::Direct(0),
            rebuilt: 0,
            now: Duration::ZERO,
            pending: 0,
            most: 0,
            carried: 0,
        };
        for (number, size) in (0..).zip(sizes) {
            wire.begins(number, *size);
        }
        wire
    }

    fn begins(&mut self, number: u8, bytes: u64) {
        let (id, size) = (item(number), FileSize::new(bytes).unwrap());
        let bytes = &CONTENT[..usize::try_from(bytes).unwrap()];
        let copy = vec![0; bytes.len()];
        self.files.insert(id, File { bytes, copy, sender: Sender::new(size) });
        self.receivers.insert(id, Receiver::new(size));
        self.scheduler.begin(id);
    }

    fn does(&mut self, step: &Step) {
        match step {
            Step::Want => self.wants(),
            Step::Send(limit) => self.sends(*limit),
            Step::Deliver { pick, twice } => self.delivers(*pick, *twice),
            Step::Die => self.dies(),
        }
    }

    fn wants(&mut self) {
        let links = [self.link];
        while let Some(want) = self.scheduler.want(&mut self.receivers, &links, |_| true, self.now)
        {
            self.pending += u64::from(want.range.count) * CHUNK_BYTES;
            self.most = self.most.max(self.pending);
            let frame = ControlFrame::Want { transfer: want.transfer, chunks: want.range }.encode();
            let Some(Frame::Control(ControlFrame::Want { transfer, chunks })) =
                Frame::decode(&frame)
            else {
                panic!("{frame:?}");
            };
            let sender = &mut self.files.get_mut(&transfer).unwrap().sender;
            self.queue.want(transfer, sender.wanted(chunks, true).unwrap());
        }
    }

    fn sends(&mut self, limit: u32) {
        let Some(turn) = self.queue.next(limit) else { return };
        self.queue.sent(turn);
        let file = self.files.get_mut(&turn.transfer).unwrap();
        let start = usize::try_from(u64::from(turn.range.first) * CHUNK_BYTES).unwrap();
        let end = file.bytes.len().min(start + turn.range.count as usize * 16_384);
        self.carried += (end - start) as u64;
        file.sender.gave(turn.range);
        self.under_way.push(chunk_frame(
            turn.transfer,
            turn.range.first,
            &[&file.bytes[start..end]],
        ));
    }

    fn delivers(&mut self, pick: usize, twice: bool) {
        if self.under_way.is_empty() {
            return;
        }
        let frame = self.under_way.remove(pick % self.under_way.len());
        self.now += Duration::from_millis(20);
        let Some(Frame::Chunk(chunk)) = Frame::decode(&frame) else { panic!("no chunk") };
        self.pending -= (chunk.bytes.len() as u64).next_multiple_of(CHUNK_BYTES);
        for _ in 0..=usize::from(twice) {
            self.arrives(chunk);
        }
    }

    fn arrives(&mut self, Chunk { transfer, first, bytes }: Chunk<'_>) {
        let file = self.files.get_mut(&transfer).unwrap();
        for fresh in self.scheduler.arrived(
            &mut self.receivers,
            transfer,
            self.link,
            first,
            bytes.len(),
            self.now,
        ) {
            let start = (fresh.first - first) as usize * 16_384;
            let end = bytes.len().min(start + fresh.count as usize * 16_384);
            let at = fresh.first as usize * 16_384;
            file.copy[at..at + end - start].copy_from_slice(&bytes[start..end]);
            self.receivers.get_mut(&transfer).unwrap().wrote(fresh);
        }
    }

    fn dies(&mut self) {
        self.under_way.clear();
        self.queue.clear();
        self.scheduler.lost(&mut self.receivers, self.link);
        self.rebuilt += 1;
        self.link = LinkKey::Direct(self.rebuilt);
        self.pending = 0;
    }

    fn is_complete(&self) -> bool {
        self.receivers.values().all(Receiver::is_complete)
    }

    /// Runs without trouble to the end.
    fn finishes(&mut self) {
        for _ in 0..100_000 {
            if self.is_complete() {
                return;
            }
            self.wants();
            self.sends(15);
            self.delivers(0, false);
        }
        panic!("the files did not become complete");
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => Just(Step::Want),
        2 => (1..16_u32).prop_map(Step::Send),
        2 => (0..50_usize, any::<bool>()).prop_map(|(pick, twice)| Step::Deliver { pick, twice }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn f5_f6_the_bytes_are_the_same_over_any_order_repetition_and_loss_of_links(
        sizes in vec(prop_oneof![(1..4_u64).prop_map(|chunks| chunks * CHUNK_BYTES), 0..600_000_u64], 1..4),
        steps in vec(prop_oneof![20 => step(), 1 => Just(Step::Die)], 0..300),
    ) {
        let mut wire = Wire::new(&sizes);
        for step in &steps {
            wire.does(step);
        }
        wire.finishes();
        for file in wire.files.values() {
            prop_assert!(file.copy == file.bytes);
            prop_assert_eq!(file.sender.sent(), file.bytes.len() as u64);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn f4_never_more_than_the_budget_is_under_way_over_all_files(
        steps in vec(step(), 200..500),
        late in 0..20_usize,
    ) {
        let mut wire = Wire::new(&[6 * MIB]);
        for (number, step) in steps.iter().enumerate() {
            if number == late {
                wire.begins(1, 6 * MIB);
                wire.begins(2, 3 * MIB);
            }
            wire.does(step);
        }
        prop_assert!(wire.most <= BUDGET);
    }
}

#[test]
fn f4_files_share_the_links_as_they_get_free() {
    let mut wire = Wire::new(&[20 * MIB]);
    wire.wants();
    wire.begins(1, 20 * MIB);
    for _ in 0..64 {
        wire.sends(4);
        wire.delivers(0, false);
        wire.wants();
    }
    let half = wire.scheduler.outstanding(&wire.receivers) / 2;
    assert!(wire.receivers[&item(1)].outstanding() + 16 * CHUNK_BYTES >= half);
}

#[test]
fn f6_nothing_durable_is_sent_twice_when_the_link_dies() {
    let mut wire = Wire::new(&[20 * MIB]);
    for _ in 0..40 {
        wire.does(&Step::Want);
        wire.sends(15);
        wire.delivers(0, false);
    }
    let durable = wire.receivers[&item(0)].received();
    assert!(durable > MIB);
    wire.dies();
    wire.carried = 0;
    wire.finishes();
    assert_eq!(wire.carried, 20 * MIB - durable);
    assert!(wire.files[&item(0)].sender.sent() == 20 * MIB);
}

#[test]
fn f3_what_is_counted_as_wanted_is_a_range_of_the_file_alone() {
    let mut wire = Wire::new(&[40_000]);
    wire.wants();
    assert_eq!(wire.queue.next(u32::MAX).map(|turn| turn.range), Some(ChunkRange::new(0, 3)));
}
