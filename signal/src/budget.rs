//! A budget for memory that holds waiting data: one bound for each [`Kind`] of work, and one for all of them.
//!
//! Code that keeps bytes for a slow reader or writer holds a [`Share`] of that size. The share travels with the bytes
//! and returns them when it is dropped. A share may grow at most to what its kind has left, so a few greedy holders
//! cannot take everything and a small holder still finds room (Choudhury and Hahne, "Dynamic queue length thresholds
//! for shared-memory packet switches", 1998, with alpha = 1).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clap::Args;

use crate::size::Size;

/// What a call holds while its body arrives, besides the body, in bytes: the connection's buffers (8 KiB to write and up
/// to 24 KiB to read), the request, and the tasks. Measured with a thousand calls.
pub const CALL_BYTES: usize = 48 * 1024;

/// A kind of waiting bytes, with a bound of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Messages that wait for slow devices.
    Messages,
    /// Relayed frames that wait for slow devices.
    Frames,
    /// Request bodies that are not complete yet.
    Requests,
    /// Websocket messages that are not complete yet.
    Arriving,
    /// Response bodies that wait for slow clients.
    Answers,
    /// Uploads that wait for the disk or the bucket.
    Uploads,
    /// Pictures that are being decoded.
    Pictures,
    /// Items of live beams.
    Items,
}

const KINDS: usize = Kind::ALL.len();

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Messages,
        Self::Frames,
        Self::Requests,
        Self::Arriving,
        Self::Answers,
        Self::Uploads,
        Self::Pictures,
        Self::Items,
    ];

    /// Its name, as in the flags that bound it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Frames => "frames",
            Self::Requests => "requests",
            Self::Arriving => "arriving",
            Self::Answers => "answers",
            Self::Uploads => "uploads",
            Self::Pictures => "pictures",
            Self::Items => "items",
        }
    }
}

/// Bounds on memory for waiting data.
#[derive(Clone, Debug, Args)]
pub struct Bounds {
    /// Memory for all waiting data together. Beyond it, the server answers 503 or closes sockets with code 1013.
    #[arg(long, env = "HELIOGRAPH_MEMORY", default_value = "1GiB")]
    pub memory: Size,

    /// Memory for messages that wait for slow devices.
    #[arg(long, env = "HELIOGRAPH_MEMORY_MESSAGES", default_value = "128MiB")]
    pub memory_messages: Size,

    /// Memory for relayed frames that wait for slow devices.
    #[arg(long, env = "HELIOGRAPH_MEMORY_FRAMES", default_value = "128MiB")]
    pub memory_frames: Size,

    /// Memory for request bodies that are not complete yet.
    #[arg(long, env = "HELIOGRAPH_MEMORY_REQUESTS", default_value = "128MiB")]
    pub memory_requests: Size,

    /// Memory for websocket messages that are not complete yet.
    #[arg(long, env = "HELIOGRAPH_MEMORY_ARRIVING", default_value = "128MiB")]
    pub memory_arriving: Size,

    /// Memory for response bodies that wait for slow clients.
    #[arg(long, env = "HELIOGRAPH_MEMORY_ANSWERS", default_value = "128MiB")]
    pub memory_answers: Size,

    /// Memory for uploads on their way to the disk (2.7 MiB each) or to a bucket (19 MiB each).
    #[arg(long, env = "HELIOGRAPH_MEMORY_UPLOADS", default_value = "512MiB")]
    pub memory_uploads: Size,

    /// Memory for decoding profile pictures (160 MiB each).
    #[arg(long, env = "HELIOGRAPH_MEMORY_PICTURES", default_value = "320MiB")]
    pub memory_pictures: Size,

    /// Memory for the items of live beams. Without more, unsaved beams drop their oldest items and saved beams refuse new
    /// ones.
    #[arg(long, env = "HELIOGRAPH_MEMORY_ITEMS", default_value = "256MiB")]
    pub memory_items: Size,
}

/// The budget has no room for that many bytes now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the memory for this is spent")]
pub struct Spent;

/// Counts the bytes that wait now, against the bounds.
#[derive(Debug)]
pub struct Budget {
    most: [usize; KINDS],
    most_in_all: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    by_kind: [usize; KINDS],
    in_all: usize,
}

impl Budget {
    /// A budget with these bounds and nothing taken.
    #[must_use]
    pub fn new(bounds: &Bounds) -> Arc<Self> {
        // In the order of `Kind`.
        let most = [
            bounds.memory_messages,
            bounds.memory_frames,
            bounds.memory_requests,
            bounds.memory_arriving,
            bounds.memory_answers,
            bounds.memory_uploads,
            bounds.memory_pictures,
            bounds.memory_items,
        ];
        Arc::new(Self {
            most: most.map(Size::in_memory),
            most_in_all: bounds.memory.in_memory(),
            taken: Mutex::default(),
        })
    }

    /// A budget without bounds.
    #[must_use]
    pub fn unlimited() -> Arc<Self> {
        let most = [usize::MAX; KINDS];
        Arc::new(Self { most, most_in_all: usize::MAX, taken: Mutex::default() })
    }

    /// Reserves bytes of this kind until the share is dropped.
    ///
    /// # Errors
    /// [`Spent`] when the budget has no room for them.
    pub fn take(self: &Arc<Self>, kind: Kind, bytes: usize) -> Result<Share, Spent> {
        let mut share = self.nothing(kind);
        share.grow(bytes)?;
        Ok(share)
    }

    /// An empty share that may grow.
    #[must_use]
    pub fn nothing(self: &Arc<Self>, kind: Kind) -> Share {
        Share { budget: self.clone(), kind, bytes: 0 }
    }

    /// Bytes of this kind that are taken now.
    #[must_use]
    pub fn taken(&self, kind: Kind) -> usize {
        self.lock().by_kind[kind as usize]
    }

    /// The bound on bytes of this kind.
    #[must_use]
    pub fn most(&self, kind: Kind) -> usize {
        self.most[kind as usize]
    }

    /// Bytes of all kinds that are taken now.
    #[must_use]
    pub fn taken_in_all(&self) -> usize {
        self.lock().in_all
    }

    /// A poisoned lock is safe to use: nothing between two changes of the sums can panic.
    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reserved bytes. Dropping the share returns them to the budget.
#[derive(Debug)]
pub struct Share {
    budget: Arc<Budget>,
    kind: Kind,
    bytes: usize,
}

impl Share {
    /// Reserves more bytes.
    ///
    /// # Errors
    /// [`Spent`] when the budget has no room for them; the share stays as it is.
    pub fn grow(&mut self, more: usize) -> Result<(), Spent> {
        let mut taken = self.budget.lock();
        let of_kind = &mut taken.by_kind[self.kind as usize];
        let free = self.budget.most[self.kind as usize].saturating_sub(*of_kind);
        if self.bytes.saturating_add(more) > free {
            return Err(Spent);
        }
        let of_kind_then = *of_kind + more;
        if more > self.budget.most_in_all.saturating_sub(taken.in_all) {
            return Err(Spent);
        }
        taken.by_kind[self.kind as usize] = of_kind_then;
        taken.in_all += more;
        self.bytes += more;
        Ok(())
    }

    /// Returns bytes to the budget, at most all that the share holds.
    pub fn shrink(&mut self, less: usize) {
        let less = less.min(self.bytes);
        let mut taken = self.budget.lock();
        taken.by_kind[self.kind as usize] -= less;
        taken.in_all -= less;
        self.bytes -= less;
    }

    /// An empty share of the same kind, from the same budget.
    #[must_use]
    pub fn another(&self) -> Self {
        self.budget.nothing(self.kind)
    }

    /// Bytes that the share holds.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.shrink(self.bytes);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        bounds: Bounds,
    }

    /// A budget with these flags.
    pub(crate) fn budget(flags: &[&str]) -> Arc<Budget> {
        Budget::new(&Flags::parse_from([&["test"], flags].concat()).bounds)
    }

    #[test]
    fn bytes_come_back_with_the_share() {
        let budget = budget(&["--memory-answers", "100"]);
        let mut share = budget.take(Kind::Answers, 60).unwrap();
        assert_eq!(budget.take(Kind::Answers, 41).unwrap_err(), Spent);
        share.shrink(20);
        let other = budget.take(Kind::Answers, 41).unwrap();
        assert_eq!(budget.taken(Kind::Answers), 81);

        drop((share, other));

        assert_eq!((budget.taken(Kind::Answers), budget.taken_in_all()), (0, 0));
    }

    #[test]
    fn a_kind_that_is_spent_leaves_the_others_theirs_until_all_is_spent() {
        let budget = budget(&["--memory", "150", "--memory-answers", "100"]);
        let _answers = budget.take(Kind::Answers, 100).unwrap();
        assert!(budget.take(Kind::Answers, 1).is_err());
        let _requests = budget.take(Kind::Requests, 50).unwrap();
        assert_eq!(budget.take(Kind::Requests, 1).unwrap_err(), Spent);
        assert_eq!(budget.taken_in_all(), 150);
    }

    #[test]
    fn greedy_holders_leave_room_for_one_who_holds_little() {
        let budget = budget(&["--memory-messages", "1000"]);
        let mut greedy: Vec<_> = (0..4).map(|_| budget.nothing(Kind::Messages)).collect();
        for _ in 0..1_000 {
            for share in &mut greedy {
                // Each takes as much as it can get.
                let _ = share.grow(1);
            }
        }
        assert!(greedy.iter().all(|share| share.bytes() == 200));
        assert!(budget.take(Kind::Messages, 200).is_ok());
    }
}
