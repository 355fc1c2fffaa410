//! Bars that show how files are doing, where a person looks at a terminal.

use std::collections::BTreeMap;

use heliograph_device::engine::contract::Progress;
use indicatif::{DecimalBytes, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::safe;
use crate::voice::Voice;

/// What a bar says: how far, how fast, how long still, and of what. It has one line of a terminal of 60 columns: what is longer is cut.
const LOOK: &str = "{bar:8} {percent:>3}% of {decimal_total_bytes:<9} {prefix:<18}  {wide_msg}";

/// A number of bytes as people read it: `30.00 MB`, in powers of 1,000 as in the page.
#[must_use]
pub fn size(bytes: u64) -> String {
    DecimalBytes(bytes).to_string()
}

/// How something goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pace {
    /// It waits, for its turn or for the other device.
    #[default]
    Waits,
    /// A person has paused it.
    Rests,
    /// It moves, by so many bytes a second.
    Moves(f64),
}

impl Pace {
    /// Of a file.
    #[must_use]
    pub const fn of(progress: &Progress) -> Self {
        match progress {
            Progress::Moving { bytes_per_second, .. } => Self::Moves(*bytes_per_second),
            Progress::Paused { .. } => Self::Rests,
            _ => Self::Waits,
        }
    }

    /// Of two together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Moves(one), Self::Moves(other)) => Self::Moves(one + other),
            (moves @ Self::Moves(_), _) | (_, moves @ Self::Moves(_)) => moves,
            (Self::Rests, _) | (_, Self::Rests) => Self::Rests,
            _ => Self::Waits,
        }
    }

    /// In words, with so many bytes still to move.
    #[must_use]
    pub fn said(self, left: u64) -> String {
        match self {
            Self::Waits => "waits".to_owned(),
            Self::Rests => "paused".to_owned(),
            Self::Moves(speed) => {
                // Neither has so many bytes that it matters.
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    clippy::cast_precision_loss,
                    reason = "a float becomes the nearest whole number that there is"
                )]
                let (whole, seconds) = (speed as u64, (left as f64 / speed).ceil() as u64);
                let speed = format!("{}/s", size(whole));
                if whole == 0 { speed } else { format!("{speed} {}", time(seconds)) }
            }
        }
    }
}

/// A time as people say it: `40 s`, `12 min`, `3 h`.
fn time(seconds: u64) -> String {
    match seconds {
        0..100 => format!("{seconds} s"),
        100..6_000 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3_600)),
    }
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
        if voice.draws() { Self::on(ProgressDrawTarget::stderr()) } else { Self::hidden() }
    }

    /// No bars, and none is ever shown.
    #[must_use]
    pub fn hidden() -> Self {
        Self::on(ProgressDrawTarget::hidden())
    }

    fn on(target: ProgressDrawTarget) -> Self {
        Self { all: MultiProgress::with_draw_target(target), bars: BTreeMap::new() }
    }

    /// Shows how far something is, in bytes of so many. `name` may be a text of others.
    pub fn stands(&mut self, key: K, name: &str, (bytes, size): (u64, u64), pace: Pace) {
        let all = &self.all;
        let bar = self.bars.entry(key).or_insert_with(|| {
            let bar = all.add(ProgressBar::new(size).with_position(bytes));
            if let Ok(style) = ProgressStyle::with_template(LOOK) {
                bar.set_style(style);
            }
            bar
        });
        bar.set_length(size);
        bar.set_position(bytes);
        bar.set_prefix(pace.said(size.saturating_sub(bytes)));
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

impl<K> Drop for Bars<K> {
    /// Takes all away, also where Ctrl-C ends it: what stayed would say for ever that something moves.
    fn drop(&mut self) {
        for bar in self.bars.values() {
            bar.finish_and_clear();
        }
        // Where nobody sees it, nothing is lost.
        let _ = self.all.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_says_how_fast_it_goes_and_how_long_it_takes_still() {
        assert_eq!(Pace::Moves(2_500_000.0).said(100_000_000), "2.50 MB/s 40 s");
        assert_eq!(Pace::Moves(1_000.0).said(600_000), "1.00 kB/s 10 min");
        // The longest that is usual has the room that the bar leaves for it.
        assert_eq!(Pace::Moves(999_990_000.0).said(5_939_940_600_000), "999.99 MB/s 99 min");
        assert_eq!(Pace::Moves(0.0).said(5), "0 B/s");
    }

    #[test]
    fn what_does_not_move_has_no_speed() {
        assert_eq!(Pace::Waits.said(5), "waits");
        assert_eq!(Pace::Waits.with(Pace::Rests).said(5), "paused");
        assert_eq!(Pace::Rests.with(Pace::Moves(1.0)).with(Pace::Moves(2.0)), Pace::Moves(3.0));
    }
}
