//! Commands that stay: a server that is away is tried again, for ever.

use tokio::time::sleep;

use crate::exit::Stop;
use crate::pauses::pause_after;
use crate::voice::{Event, Voice};

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
        if !stop.may_pass {
            return Err(stop);
        }
        if self.0 == 0 {
            voice.hint(&format!("{} It is tried again.", crate::safe::lines(&stop.why)));
        }
        voice.event(&Event::Status { status: "reconnecting" })?;
        let pause = pause_after(self.0);
        self.0 += 1;
        sleep(pause).await;
        Ok(())
    }
}
