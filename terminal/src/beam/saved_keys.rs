//! The keys that lie with a saved beam: they are looked for again while this device is there, as when others have changed them (S38).

use heliograph_device::io::account::Account;
use heliograph_device::keys::found_keys::FoundKeys;
use heliograph_device::keys::keyring::Taken;
use heliograph_device::session::saved_beams::Closed;
use heliograph_device::session::{Input, News};
use heliograph_shared::ids::BeamId;
use heliograph_shared::socket::ServerMessage;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use super::Beam;
use crate::exit::{Exit, Stop};
use crate::pauses::pause_after;
use crate::saved::{Refused, find, note};

/// What has come of a look.
pub(super) enum Looked {
    /// They are there.
    Found(Box<FoundKeys>),
    /// What is there does not count.
    Closed(Closed),
}

/// Looks for the keys of one beam.
pub(super) struct SavedKeys {
    account: Account,
    beam: BeamId,
    /// Whether others may lie there than this device has looked for.
    is_due: bool,
    looking: Option<JoinHandle<Result<FoundKeys, Refused>>>,
    not_before: Instant,
    /// How often in a row the server has not told.
    failures: usize,
    /// Whether the login is over.
    is_over: bool,
    /// Why what was there did not count, the last time.
    said: Option<Closed>,
}

impl SavedKeys {
    pub(super) fn of(account: Account, beam: BeamId) -> Self {
        Self {
            account,
            beam,
            is_due: false,
            looking: None,
            not_before: Instant::now(),
            failures: 0,
            is_over: false,
            said: None,
        }
    }

    /// Whether it is a reason to look.
    pub(super) fn hears(&mut self, news: &News) {
        self.is_due |= match news {
            // They may have been changed while this device was away.
            News::Welcome(welcome) => welcome.saved.is_some(),
            News::Closed => true,
            News::Server(message) => matches!(**message, ServerMessage::KeysChanged),
            _ => false,
        };
    }

    /// Waits until a look has come to something. Nothing is lost when the wait is given up.
    pub(super) async fn next(&mut self) -> Looked {
        loop {
            if let Some(looking) = &mut self.looking {
                let looked = looking.await;
                self.looking = None;
                // It panics nowhere.
                if let Some(looked) = looked.ok().and_then(|looked| self.ended(looked)) {
                    return looked;
                }
            }
            if !self.is_due || self.is_over {
                std::future::pending::<()>().await;
            }
            sleep_until(self.not_before).await;
            self.is_due = false;
            let (account, beam) = (self.account.clone(), self.beam);
            self.looking = Some(tokio::spawn(async move { find(&account, beam).await }));
        }
    }

    fn ended(&mut self, looked: Result<FoundKeys, Refused>) -> Option<Looked> {
        let told = match looked {
            Ok(found) => Some(Looked::Found(Box::new(found))),
            Err(Refused::Closed(why)) => Some(Looked::Closed(why)),
            Err(Refused::Stop(stop)) => {
                self.is_over = stop.exit == Exit::LoggedOut;
                self.is_due = true;
                None
            }
        };
        // Also after a look that came to something: a server could tell of other keys without end (S38).
        self.not_before = Instant::now() + pause_after(self.failures);
        self.failures = if told.is_some() { 0 } else { self.failures + 1 };
        told
    }
}

impl Beam {
    /// Takes the keys that lie with the beam, as far as they count.
    pub(super) fn finds(&mut self, looked: Looked) -> Result<(), Stop> {
        let Some(saved) = &mut self.saved_keys else { return Ok(()) };
        let found = match looked {
            Looked::Found(found) => found,
            Looked::Closed(why) => {
                let is_said = saved.said.replace(why) == Some(why);
                // There may be none, and whoever has no vault was told so before.
                if !is_said && !matches!(why, Closed::Keyless | Closed::Locked) {
                    self.hint(&format!("Other keys lie with this beam, and do not count: {why}."));
                }
                return Ok(());
            }
        };
        saved.said = None;
        let keys = self.device.session().keys();
        let is_all = keys.and_then(|keys| keys.takes_of(&found)) == Some(Taken::All);
        if let (FoundKeys::Own { entry, .. }, true) = (&*found, is_all) {
            note(&saved.account, saved.beam, entry)?;
        }
        self.device.tell(Input::Found(found));
        Ok(())
    }

    /// Tells the person something aside.
    pub(super) fn hint(&self, text: &str) {
        if let Some(comparing) = &self.comparing {
            comparing.hint(text);
        }
    }
}
