//! Chunks and pieces of files, and which pieces are right.

use std::collections::{BTreeMap, BTreeSet};

use heliograph_device::chunk_set::ChunkRange;
use heliograph_device::file_size::{CHUNK_BYTES, FileSize, PIECE_BYTES, PIECE_CHUNKS, pieces_of};
use heliograph_device::piece_checks::{Check, Checked, GivenBy, PieceChecks, without};
use heliograph_device::piece_hash::PieceHash;
use heliograph_shared::ids::DeviceId;
use proptest::collection::vec;
use proptest::prelude::*;
use serde::Deserialize;

use super::vectors::{bytes, cases};

const ADA: GivenBy = GivenBy::Device(DeviceId::from_bytes([1; 16]));
const BOB: GivenBy = GivenBy::Device(DeviceId::from_bytes([2; 16]));

fn size(bytes: u64) -> FileSize {
    FileSize::new(bytes).unwrap()
}

const fn hash(byte: u8) -> PieceHash {
    PieceHash([byte; 32])
}

fn ranges(pairs: &[(u32, u32)]) -> Vec<ChunkRange> {
    pairs.iter().map(|(first, count)| ChunkRange::new(*first, *count)).collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Divided {
    size: u64,
    chunks: u32,
    pieces: u32,
    last_chunk_bytes: u64,
    last_piece_chunks: u32,
}

#[test]
fn f2_f19_a_file_is_divided_as_browsers_divide_it() {
    for case in cases::<Vec<Divided>>("sizes") {
        let file = size(case.size);
        assert_eq!((file.chunk_count(), file.piece_count()), (case.chunks, case.pieces));
        let last = ChunkRange::new(case.chunks.saturating_sub(1), 1);
        assert_eq!(file.range_bytes(last), case.last_chunk_bytes, "{file:?}");
        let last = file.chunks_of(case.pieces.saturating_sub(1));
        assert_eq!(last.count, case.last_piece_chunks, "{file:?}");
    }
}

#[test]
fn f2_a_file_whose_chunks_no_frame_could_name_has_no_size() {
    assert_eq!(FileSize::new(FileSize::MAX.bytes()), Some(FileSize::MAX));
    assert_eq!(FileSize::new(FileSize::MAX.bytes() + 1), None);
    assert_eq!(FileSize::new(u64::MAX), None);
}

#[derive(Deserialize)]
struct Whole {
    size: u64,
    ranges: Vec<(u32, u32)>,
    pieces: Vec<(u32, u32)>,
}

#[test]
fn f19_a_piece_of_which_a_chunk_is_missing_is_not_whole() {
    for case in cases::<Vec<Whole>>("whole") {
        let whole = size(case.size).whole_pieces(ranges(&case.ranges));
        assert_eq!(whole, ranges(&case.pieces), "{:?}", case.ranges);
    }
    let rest = without([ChunkRange::new(0, 4 * PIECE_CHUNKS)], [1, 3, u32::MAX]);
    let left = ranges(&[(0, PIECE_CHUNKS), (2 * PIECE_CHUNKS, PIECE_CHUNKS)]);
    assert_eq!(rest.ranges().collect::<Vec<_>>(), left);
}

proptest! {
    #[test]
    fn f19_pieces_have_the_chunks_of_a_file_each_once(bytes in 0..5 * PIECE_BYTES) {
        let file = size(bytes);
        let mut end = 0;
        for piece in 0..file.piece_count() {
            let chunks = file.chunks_of(piece);
            prop_assert_eq!(chunks.first, end);
            prop_assert_eq!(pieces_of(chunks), ChunkRange::new(piece, 1));
            prop_assert_eq!(file.whole_pieces([chunks]), [ChunkRange::new(piece, 1)]);
            end = chunks.end();
        }
        prop_assert_eq!(end, file.chunk_count());
        prop_assert!(file.chunks_of(file.piece_count()).is_empty());
        prop_assert_eq!(file.range_bytes(file.chunks()), bytes);
        prop_assert_eq!(file.range_bytes(ChunkRange::new(end, u32::MAX)), 0);
        prop_assert_eq!(file.within(ChunkRange::new(end, 1)), None);
    }
}

#[derive(Deserialize)]
struct Hashes {
    key: String,
    of: Vec<Hashed>,
}

#[derive(Deserialize)]
struct Hashed {
    length: u32,
    hash: String,
    keyed: String,
}

#[test]
fn f19_e7_hashes_are_those_that_browsers_compute() {
    let Hashes { key, of } = cases("hashes");
    let key = bytes(&key).try_into().unwrap();
    for case in of {
        let piece: Vec<_> = (0..case.length)
            .map(|i| i.wrapping_mul(31).wrapping_add((i >> 8) + (i >> 14)).to_be_bytes()[3])
            .collect();
        assert_eq!(PieceHash::of(&piece).0[..], bytes(&case.hash), "{}", case.length);
        assert_eq!(PieceHash::keyed(&piece, &key).0[..], bytes(&case.keyed), "{}", case.length);
    }
}

fn checked(piece: u32, check: Check) -> Checked {
    Checked { piece, check }
}

fn right(checks: &PieceChecks) -> Vec<u32> {
    checks.right().ranges().flat_map(|range| range.first..range.end()).collect()
}

#[test]
fn f19_a_piece_counts_once_its_hash_is_what_was_told_whichever_is_known_first() {
    let file = size(2 * PIECE_BYTES);
    let mut checks = PieceChecks::new(file);
    checks.came(file.chunks(), ADA);
    assert_eq!(checks.hashed(1, hash(1)), None);
    assert_eq!(checks.lacking(), Some(ChunkRange::new(1, 1)));
    assert_eq!(checks.told(0, &[hash(0), hash(1)]), [checked(1, Check::Right)]);
    assert_eq!(checks.lacking(), None);
    assert_eq!(right(&checks), [1]);
    assert_eq!(checks.doubtful().collect::<Vec<_>>(), [0]);
    assert!(!checks.is_complete());
    assert_eq!(checks.hashed(0, hash(0)), Some(Check::Right));
    assert!(checks.is_complete());
}

#[test]
fn f19_the_first_pieces_in_a_row_that_cannot_be_compared_are_asked_for() {
    let mut checks = PieceChecks::new(size(9 * PIECE_BYTES));
    for piece in [7, 3, 2, 4] {
        checks.hashed(piece, hash(0));
    }
    assert_eq!(checks.lacking(), Some(ChunkRange::new(2, 3)));
}

#[test]
fn f19_every_device_that_gave_chunks_of_a_wrong_piece_is_named() {
    let mut checks = PieceChecks::new(size(PIECE_BYTES));
    checks.came(ChunkRange::new(0, 2), ADA);
    checks.came(ChunkRange::new(2, 1), BOB);
    checks.came(ChunkRange::new(3, 61), ADA);
    checks.told(0, &[hash(0)]);
    let wrong = Check::Wrong { givers: BTreeSet::from([ADA, BOB]) };
    assert_eq!(checks.hashed(0, hash(9)), Some(wrong));
    assert!(!checks.is_complete());
}

#[test]
fn f19_a_piece_of_an_earlier_run_is_doubted_only_where_it_is_hashed_again() {
    let mut checks = PieceChecks::new(size(3 * PIECE_BYTES));
    checks.resumes([ChunkRange::new(0, 3)]);
    assert!(checks.is_complete());
    assert_eq!(checks.hashed(1, hash(1)), None);
    assert!(!checks.is_complete() && checks.doubtful().next().is_none());
    let wrong = Check::Wrong { givers: BTreeSet::new() };
    assert_eq!(checks.told(0, &[hash(0), hash(9)]), [checked(1, wrong)]);
    checks.clear();
    assert_eq!(right(&checks), [0; 0]);
}

#[test]
fn f22_nobody_is_blamed_for_pieces_that_nobody_here_can_vouch_for() {
    let file = size(3 * PIECE_BYTES);
    let mut checks = PieceChecks::new(file);
    checks.came(file.chunks_of(0), ADA);
    checks.came(file.chunks_of(1), BOB);
    checks.came(file.chunks_of(2), ADA);
    checks.came(ChunkRange::new(2 * PIECE_CHUNKS, 1), BOB);
    for piece in 0..3 {
        checks.hashed(piece, hash(0));
    }
    let outcome =
        [checked(0, Check::Right), checked(1, Check::Unknown), checked(2, Check::Unknown)];
    assert_eq!(checks.vouched_for(&[ADA]), outcome);
    assert_eq!(right(&checks), [0]);
    assert_eq!(checks.lacking(), None);
}

#[test]
fn f19_what_was_told_first_holds_and_nothing_of_pieces_that_the_file_does_not_have() {
    let mut checks = PieceChecks::new(size(PIECE_BYTES));
    checks.told(0, &[hash(1)]);
    checks.told(0, &[hash(2), hash(3)]);
    checks.told(u32::MAX, &[hash(4), hash(5)]);
    checks.came(ChunkRange::new(0, u32::MAX), ADA);
    assert_eq!(checks.doubtful().collect::<Vec<_>>(), [0]);
    assert_eq!(checks.hashed(0, hash(1)), Some(Check::Right));
    assert!(checks.is_complete());
    assert!(PieceChecks::new(size(0)).is_complete());
}

const PIECES: u32 = 5;

#[derive(Clone, Debug)]
enum Step {
    Come(u32, GivenBy),
    Told(u32, Vec<u8>),
    Hashed(u32, u8),
    Forget,
}

fn step() -> impl Strategy<Value = Step> {
    // Few hashes, so that some are equal.
    prop_oneof![
        (0..=PIECES, prop_oneof![Just(ADA), Just(BOB)]).prop_map(|(at, who)| Step::Come(at, who)),
        (0..=PIECES, vec(0..3_u8, 0..4)).prop_map(|(first, hashes)| Step::Told(first, hashes)),
        (0..PIECES, 0..3_u8).prop_map(|(piece, byte)| Step::Hashed(piece, byte)),
        Just(Step::Forget),
    ]
}

/// A plain account of what is right.
#[derive(Default)]
struct Account {
    right: BTreeSet<u32>,
    told: BTreeMap<u32, u8>,
    told_before: BTreeMap<u32, u8>,
    hashed: BTreeMap<u32, u8>,
}

impl Account {
    /// Where a device says something else than before it began anew, nothing of that counts.
    fn hears(&mut self, first: u32, hashes: &[u8]) {
        let said: Vec<_> = (first..PIECES).zip(hashes).collect();
        let is_other = |(piece, byte): &(u32, &u8)| {
            !self.told.contains_key(piece)
                && self.told_before.get(piece).is_some_and(|before| before != *byte)
        };
        if !said.iter().any(is_other) {
            for (piece, byte) in said {
                self.told.entry(piece).or_insert(*byte);
            }
        }
    }

    /// What is wrong is received again, and hashed then.
    fn compares(&mut self) {
        let compared = self.hashed.extract_if(.., |piece, _| self.told.contains_key(piece));
        for (piece, byte) in compared {
            if self.told[&piece] == byte {
                self.right.insert(piece);
            }
        }
    }
}

proptest! {
    #[test]
    fn f19_a_piece_is_right_only_if_its_hash_is_what_was_told_of_it_first(
        steps in vec(step(), 0..60),
    ) {
        let file = size(u64::from(PIECES) * PIECE_BYTES);
        let (mut checks, mut account) = (PieceChecks::new(file), Account::default());
        for step in steps {
            match step {
                Step::Come(piece, from) => checks.came(file.chunks_of(piece), from),
                Step::Told(first, hashes) => {
                    account.hears(first, &hashes);
                    checks.told(first, &hashes.iter().map(|byte| hash(*byte)).collect::<Vec<_>>());
                }
                Step::Hashed(piece, byte) => {
                    account.right.remove(&piece);
                    account.hashed.insert(piece, byte);
                    checks.hashed(piece, hash(byte));
                }
                Step::Forget => {
                    account.told_before.append(&mut account.told);
                    checks.forget_told();
                }
            }
            account.compares();
            prop_assert_eq!(right(&checks), account.right.iter().copied().collect::<Vec<_>>());
        }
    }
}

#[test]
fn f19_what_was_told_to_an_earlier_run_counts_while_the_device_that_shared_the_file_is_away() {
    let file = size(3 * PIECE_BYTES);
    let mut checks = PieceChecks::new(file);
    checks.was_told([(0, hash(0)), (1, hash(1))]);
    checks.came(file.chunks(), BOB);
    for piece in 0..3 {
        assert_eq!(checks.hashed(piece, hash(piece.to_be_bytes()[3] * 2)), None);
    }
    let wrong = Check::Wrong { givers: BTreeSet::from([BOB]) };
    assert_eq!(checks.without_source(), [checked(0, Check::Right), checked(1, wrong)]);
    assert_eq!(checks.lacking(), Some(ChunkRange::new(2, 1)));
}

#[test]
fn f19_a_device_that_tells_another_hash_than_an_earlier_run_was_told_has_another_file() {
    let mut checks = PieceChecks::new(size(2 * PIECE_BYTES));
    checks.was_told([(1, hash(1))]);
    let other = Check::Wrong { givers: BTreeSet::new() };
    assert_eq!(checks.told(0, &[hash(0), hash(9)]), [checked(1, other)]);
    assert_eq!(checks.newly_told(), None);
    checks.told(0, &[hash(0), hash(1)]);
    assert_eq!(checks.newly_told(), Some(BTreeMap::from([(0, hash(0)), (1, hash(1))])));
    assert_eq!(checks.newly_told(), None);
}

#[test]
fn f19_a_piece_is_64_chunks() {
    assert_eq!((CHUNK_BYTES, PIECE_BYTES), (16_384, 64 * 16_384));
}
