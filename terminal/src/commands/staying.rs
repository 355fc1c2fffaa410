//! Commands that stay: a server that is away is tried again, for ever.

use std::time::Duration;

use tokio::time::sleep;

use crate::exit::{Exit, Stop};
use crate::voice::{Event, Voice};

/// Pauses before a server is tried again that was not reached. The last one repeats.
const PAUSES: [Duration; 4] = [
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(15),
    Duration::from_mins(1),
];

/// How often it was tried in vain.
#[derive(Default)]
pub(super) struct Patience(usize);

impl Patience {
    /// The server is there.
    pub(super) const fn is_live(&mut self) {
        self.0 = 0;
    }

    /// Waits before it is tried again.
    ///
    /// # Errors
    /// `stop`, where it ends for another reason than that the server is away.
    pub(super) async fn waits(&mut self, voice: &Voice, stop: Stop) -> Result<(), Stop> {
        if !matches!(stop.exit, Exit::Unreachable | Exit::Ended) {
            return Err(stop);
        }
        if self.0 == 0 {
            voice.hint(&format!("{} It is tried again.", crate::safe::lines(&stop.why)));
        }
        voice.event(&Event::Status { status: "reconnecting" })?;
        let pause = PAUSES.get(self.0).unwrap_or(&PAUSES[3]);
        self.0 += 1;
        sleep(*pause).await;
        Ok(())
    }
}
