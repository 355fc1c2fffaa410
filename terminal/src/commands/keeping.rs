//! Has the server keep what is shared, so that it is there when nobody is (S30).

use heliograph_device::session::{Input, News};
use heliograph_shared::socket::{KeepTime, ServerMessage};

use crate::beam::Beam;
use crate::exit::{Exit, Stop};
use crate::safe;
use crate::voice::{Event, Voice};

/// How far it is.
pub(super) struct Keeping {
    /// For how long; `None` where it is not wanted.
    time: Option<KeepTime>,
    /// Whether the beam is about to be saved, which keeps it without an end.
    is_to_be_saved: bool,
    is_kept: bool,
}

impl Keeping {
    pub(super) const fn new(time: Option<KeepTime>, is_to_be_saved: bool) -> Self {
        Self { time, is_to_be_saved, is_kept: false }
    }

    pub(super) const fn is_wanted(&self) -> bool {
        self.time.is_some()
    }

    /// Whether the server has all that it takes to read what is kept. Where nothing is to be kept, another device has to be here.
    pub(super) fn is_done(&self, beam: &Beam, has_company: bool) -> bool {
        if self.is_wanted() { self.is_kept && beam.is_settled() } else { has_company }
    }

    pub(super) fn hears(
        &mut self,
        voice: &Voice,
        beam: &mut Beam,
        news: &News,
    ) -> Result<(), Stop> {
        let Some(time) = self.time else { return Ok(()) };
        match news {
            // What is in a saved beam is stored anyway.
            News::Welcome(welcome) if welcome.saved.is_some() => self.is_kept = true,
            News::Welcome(_) => {
                self.is_kept = false;
                if !self.is_to_be_saved {
                    beam.tell(Input::Keep(time));
                }
            }
            News::Server(message) => match &**message {
                ServerMessage::Kept { message: Some(kept) } => {
                    self.is_kept = true;
                    voice.event(&Event::Kept { until: kept.until })?;
                }
                ServerMessage::BeamSaved { .. } => self.is_kept = true,
                ServerMessage::Error { message, id: None, to: None, .. } if !self.is_kept => {
                    let why = format!("The server does not keep it: {}", safe::lines(message));
                    return Err(Stop::new(Exit::Refused, why));
                }
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }
}
