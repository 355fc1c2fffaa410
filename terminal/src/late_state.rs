//! What commands that stay remember while they go on.

use std::time::Duration;

use serde::Serialize;
use tokio::time::{Instant, sleep_until};

use crate::exit::Stop;
use crate::state::StateFile;

/// What has changed is written after so long at the latest.
const WRITES_WITHIN: Duration = Duration::from_millis(500);

/// A value that is written a moment after it has changed, so that many changes at once are one write.
pub struct LateState<T: Serialize> {
    /// The value. Whoever changes it says so ([`LateState::has_changed`]).
    pub value: T,
    file: StateFile,
    writes_at: Option<Instant>,
}

impl<T: Serialize> LateState<T> {
    /// What the file has, or is to have.
    pub const fn new(file: StateFile, value: T) -> Self {
        Self { value, file, writes_at: None }
    }

    /// The value is to be written.
    pub fn has_changed(&mut self) {
        self.writes_at.get_or_insert_with(|| Instant::now() + WRITES_WITHIN);
    }

    /// Waits until it is to be written; for ever where it has not changed.
    pub fn is_due(&self) -> impl Future<Output = ()> + use<T> {
        let at = self.writes_at;
        async move {
            match at {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        }
    }

    /// Writes it now. It blocks.
    ///
    /// # Errors
    /// Where that cannot be: the value of before stays in the file.
    pub fn write(&mut self) -> Result<(), Stop> {
        self.writes_at = None;
        self.file.write(&self.value)
    }
}

impl<T: Serialize> Drop for LateState<T> {
    fn drop(&mut self) {
        // A signal has ended the program. What cannot be written is sent or received again.
        if self.writes_at.is_some() {
            let _ = self.write();
        }
    }
}
