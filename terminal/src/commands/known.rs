//! Whether this device knows all that is in its beam.

use heliograph_device::session::{Encryption, News};

use crate::beam::Beam;
use crate::voice::Voice;

/// What has been told.
#[derive(Default)]
pub(super) struct Known {
    is_synced: bool,
    /// Whether something is there that this device had no key for.
    has_closed: bool,
    is_whole: bool,
}

impl Known {
    /// Whether it is all that the server has, and this device could open it where that can be.
    pub(super) const fn is_whole(&self) -> bool {
        self.is_whole
    }

    pub(super) fn hears(&mut self, voice: &Voice, beam: &Beam, news: &News) {
        match news {
            News::Closed => self.has_closed = true,
            News::Synced { .. } => {
                let is_waiting = matches!(beam.encryption(), Encryption::Waiting { .. });
                if let Some(hint) = beam.lets_in().filter(|_| !self.is_synced) {
                    voice.hint(hint);
                }
                self.is_synced = true;
                self.is_whole = !is_waiting;
            }
            // What was closed before is told again after the next `sync`.
            News::Encryption(Encryption::Sealed { .. }) => {
                self.is_whole |= self.is_synced && !self.has_closed;
            }
            _ => {}
        }
    }
}
