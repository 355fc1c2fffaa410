//! Charges a long text to the budget once, in however many outboxes it waits, since they share its bytes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::budget::{Budget, Kind, Share, Spent};

/// The long texts that wait now, by the address of their first byte, which is unique while they wait.
#[derive(Debug)]
pub struct SharedTexts {
    budget: Arc<Budget>,
    waiting: Mutex<HashMap<usize, Weak<SharedText>>>,
}

/// A text that waits in at least one outbox. It is charged until the last of them drops it.
#[derive(Debug)]
pub struct SharedText {
    texts: Arc<SharedTexts>,
    address: usize,
    _share: Share,
}

impl SharedTexts {
    /// An empty collection, charged to this budget.
    #[must_use]
    pub fn new(budget: Arc<Budget>) -> Arc<Self> {
        Arc::new(Self { budget, waiting: Mutex::default() })
    }

    /// Charges the text, unless it already waits elsewhere.
    ///
    /// # Errors
    /// [`Spent`] when the budget has no room for it.
    pub fn wait(self: &Arc<Self>, text: &[u8]) -> Result<Arc<SharedText>, Spent> {
        let address = text.as_ptr().addr();
        let mut waiting = self.lock();
        if let Some(text) = waiting.get(&address).and_then(Weak::upgrade) {
            return Ok(text);
        }
        let share = self.budget.take(Kind::Messages, text.len())?;
        let text = Arc::new(SharedText { texts: self.clone(), address, _share: share });
        waiting.insert(address, Arc::downgrade(&text));
        Ok(text)
    }

    /// A poisoned lock is safe to use: the texts stay charged.
    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Weak<SharedText>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SharedText {
    fn drop(&mut self) {
        let mut waiting = self.texts.lock();
        // A new text may have come to the same address in between.
        if waiting.get(&self.address).is_some_and(|text| text.strong_count() == 0) {
            waiting.remove(&self.address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::tests::budget;

    #[test]
    fn a_text_counts_once_and_until_the_last_one_has_it() {
        let budget = budget(&["--memory-messages", "150"]);
        let texts = SharedTexts::new(budget.clone());
        let text = vec![b'x'; 100];
        let one = texts.wait(&text).unwrap();
        let other = texts.wait(&text).unwrap();
        assert_eq!(budget.taken(Kind::Messages), 100);
        assert!(texts.wait(&[b'y'; 100]).is_err());
        drop(one);
        assert_eq!(budget.taken(Kind::Messages), 100);

        drop(other);

        assert_eq!(budget.taken(Kind::Messages), 0);
        assert!(texts.lock().is_empty());
    }
}
