//! Numbers by chance, for choices that nobody gains by guessing.

/// By Steele, Lea and Flood (2014).
#[derive(Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The numbers that follow from a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from 0 to below `end`; 0 where there is none.
    pub const fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        if end == 0 { 0 } else { mixed % end }
    }
}
