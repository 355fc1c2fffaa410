//! A set of chunk numbers beside a plain set of numbers.

use std::collections::BTreeSet;

use heliograph_device::chunk_set::{ChunkRange, ChunkSet};
use proptest::collection::vec;
use proptest::prelude::*;

fn range() -> impl Strategy<Value = ChunkRange> {
    (0..40_u32, 0..12_u32).prop_map(|(first, count)| ChunkRange { first, count })
}

fn numbers(ranges: impl IntoIterator<Item = ChunkRange>) -> Vec<u32> {
    ranges.into_iter().flat_map(|range| range.first..range.end()).collect()
}

proptest! {
    #[test]
    fn a_chunk_set_behaves_like_a_plain_set_of_numbers(
        steps in vec((any::<bool>(), range()), 0..30),
        probe in range(),
        limit in 0..6_u32,
        total in 0..60_u32,
    ) {
        let (mut set, mut model) = (ChunkSet::default(), BTreeSet::new());
        for (is_added, step) in steps {
            if is_added {
                set.add(step);
                model.extend(step.first..step.end());
            } else {
                set.remove(step);
                model.retain(|number| !(step.first..step.end()).contains(number));
            }
        }
        let has = |number: &u32| model.contains(number);
        let inside: Vec<_> = numbers([probe]).into_iter().filter(has).collect();
        let outside: Vec<_> = numbers([probe]).into_iter().filter(|number| !has(number)).collect();
        prop_assert_eq!(set.size() as usize, model.len());
        prop_assert_eq!(set.is_empty(), model.is_empty());
        prop_assert_eq!(numbers(set.ranges()), model.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!(set.contains(probe), outside.is_empty());
        prop_assert_eq!(numbers(set.within(probe)), inside);
        prop_assert_eq!(numbers(set.missing(probe)), outside);
        let edges: Vec<_> = set.ranges().collect();
        prop_assert!(edges.windows(2).all(|pair| pair[0].end() < pair[1].first));
        let first = numbers(set.first_range(limit.max(1)));
        prop_assert_eq!(first.first(), model.first());
        prop_assert!(first.len() <= limit.max(1) as usize && first.iter().all(has));
        let gap = numbers(set.first_gap(total, limit));
        let missing = (0..total).find(|number| limit > 0 && !has(number));
        prop_assert_eq!(gap.first(), missing.as_ref());
        prop_assert!(gap.len() <= limit as usize && !gap.iter().any(|number| has(number) || *number >= total));
    }
}

#[test]
fn a_range_that_a_hostile_device_names_ends_at_the_last_number() {
    let all = ChunkRange { first: 7, count: u32::MAX };
    assert_eq!(all.end(), u32::MAX);
    let mut set = ChunkSet::default();
    set.add(all);
    set.add(ChunkRange { first: u32::MAX, count: u32::MAX });
    assert_eq!(set.ranges().collect::<Vec<_>>(), [ChunkRange::between(7, u32::MAX)]);
    set.add(ChunkRange { first: 0, count: u32::MAX });
    assert_eq!(set.size(), u32::MAX);
    assert_eq!(set.first_gap(u32::MAX, 1), None);
    set.remove(all);
    assert_eq!(set.ranges().collect::<Vec<_>>(), [ChunkRange::new(0, 7)]);
}
