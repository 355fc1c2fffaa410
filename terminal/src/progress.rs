//! Bars that show how files are doing, where a person looks at a terminal.

use std::collections::BTreeMap;

use indicatif::{DecimalBytes, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::safe;
use crate::voice::Voice;

/// What a bar says: how far, how fast, how long still, and of what.
const LOOK: &str = "{bar:24} {decimal_bytes:>10} of {decimal_total_bytes:<10} {decimal_bytes_per_sec:>12} {eta:>4}  {msg}";

/// A number of bytes as people read it: `30.00 MB`, in powers of 1,000 as in the page.
#[must_use]
pub fn size(bytes: u64) -> String {
    DecimalBytes(bytes).to_string()
}

/// The bars, by what they are of.
pub struct Bars<K> {
    all: MultiProgress,
    bars: BTreeMap<K, ProgressBar>,
}

impl<K: Ord> Bars<K> {
    /// No bars. They are shown only where the standard error is a terminal and the program may speak.
    #[must_use]
    pub fn new(voice: &Voice) -> Self {
        let target =
            if voice.draws() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { all: MultiProgress::with_draw_target(target), bars: BTreeMap::new() }
    }

    /// Shows how far something is, in bytes. `name` may be a text of others.
    pub fn stands(&mut self, key: K, name: &str, bytes: u64, size: u64) {
        let all = &self.all;
        let bar = self.bars.entry(key).or_insert_with(|| {
            let bar = all.add(ProgressBar::new(size).with_position(bytes));
            if let Ok(style) = ProgressStyle::with_template(LOOK) {
                bar.set_style(style);
            }
            bar.reset_eta();
            bar
        });
        bar.set_length(size);
        bar.set_position(bytes);
        bar.set_message(safe::line(name).into_owned());
    }

    /// Takes a bar away.
    pub fn ends(&mut self, key: &K) {
        if let Some(bar) = self.bars.remove(key) {
            bar.finish_and_clear();
            self.all.remove(&bar);
        }
    }

    /// Says something beside the bars.
    pub fn aside<T>(&self, say: impl FnOnce() -> T) -> T {
        self.all.suspend(say)
    }
}
