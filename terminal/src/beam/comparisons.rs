//! How a beam waits for what people compare (E8).

use heliograph_device::keys::keyring::Keyring;
use heliograph_device::session::Input;
use heliograph_device::session::trust::Trust;
use heliograph_shared::api::BeamCode;
use heliograph_shared::ids::DeviceId;

use super::Beam;
use super::asking::Answer;
use super::comparing::Comparing;
use super::place::unreached;
use crate::exit::Stop;

impl Beam {
    /// Says how pictures are compared. It has to be said before anything is waited for.
    pub fn compares(&mut self, comparing: Comparing) {
        self.device.tell(Input::AskBefore(comparing.verifies()));
        self.comparing = Some(comparing);
    }

    /// Whether it is open, and nothing is left of what was told while it was not.
    #[must_use]
    pub fn has_told_all(&self) -> bool {
        self.is_open() && self.held.is_empty()
    }

    /// Whether what is shared may go out, and what comes be taken: at once, or once all that can be compared was.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let Some(comparing) = self.comparing.as_ref().filter(|one| one.verifies()) else {
            return true;
        };
        let session = self.device.session();
        let is_in = session.keys().is_some_and(Keyring::is_keyed);
        is_in && !session.trust().is_some_and(|book| comparing.lacks(book))
    }

    /// Whether people have to compare pictures before anything goes on here.
    #[must_use]
    pub fn waits_for_people(&self) -> bool {
        let keys = self.device.session().keys();
        let is_outside = keys.is_some_and(|keys| !keys.is_keyed() && keys.invite().is_none());
        is_outside || !self.is_open()
    }

    /// What is known of a device that came without the link.
    #[must_use]
    pub fn trust(&self, device: DeviceId) -> Option<&Trust> {
        self.device.session().trust()?.of(device)
    }

    /// Answers whether a device shows the same pictures. Returns whether that was asked.
    ///
    /// # Errors
    /// Where they differ, and everything waits for them.
    pub fn answer(&mut self, is_same: bool) -> Result<bool, Stop> {
        self.answered(if is_same { Answer::Same } else { Answer::Differs })
    }

    pub(super) fn answered(&mut self, answer: Answer) -> Result<bool, Stop> {
        let Some(comparing) = &mut self.comparing else { return Ok(false) };
        let was_asked = comparing.is_asked();
        if let Some(input) = comparing.answered(answer)? {
            self.device.tell(input);
        }
        self.look()?;
        Ok(was_asked)
    }

    /// Remembers what was compared for later runs.
    pub(super) fn remembers(&mut self) {
        let now = self.device.session().compared();
        let Some(compared) = &mut self.compared else { return };
        if let Err(why) = compared.are(now) {
            self.compared = None;
            self.hint(&format!("What was compared is not remembered: {why}."));
        }
    }

    /// Asks what is to be compared next.
    pub(super) fn look(&mut self) -> Result<(), Stop> {
        let session = self.device.session();
        if let (Some(comparing), Some(book)) = (&mut self.comparing, session.trust()) {
            comparing.look(&self.people, book, session.keys().is_some_and(Keyring::is_keyed))?;
        }
        Ok(())
    }

    /// Asks the server for a short code, which stands for the id of the beam for a few minutes (H33).
    ///
    /// # Errors
    /// Where it gives none.
    pub async fn code(&self) -> Result<BeamCode, Stop> {
        self.server.create_code(self.link.beam).await.map_err(|why| unreached(&why))
    }
}
