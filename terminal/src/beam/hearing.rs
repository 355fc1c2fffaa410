//! What is told of a beam, in its order, and what of it counts at once.

use std::time::Duration;

use heliograph_device::io::file_device::Told;
use heliograph_device::io::link_contract::PeerPath;
use heliograph_device::session::{Encryption, News, Status, Why};
use heliograph_shared::socket::ServerMessage;
use tokio::time::{Instant, sleep_until};

use super::asking::Answer;
use super::comparing::Comparing;
use super::place::stopped;
use super::saved_keys::{Looked, SavedKeys};
use super::{Beam, Standing};
use crate::compared::Compared;
use crate::exit::{Exit, Stop};
use crate::people::Change;

impl Beam {
    /// Waits for news. Nothing is lost when the wait is given up.
    ///
    /// # Errors
    /// Where this device is not in the beam any more, does not come into it, or the time is over.
    pub async fn next(&mut self) -> Result<(News, Change), Stop> {
        loop {
            if let (Told::News(news), change) = self.next_told().await? {
                return Ok((news, change));
            }
        }
    }

    /// Waits for news, or for what happens to files. Nothing is lost when the wait is given up.
    ///
    /// # Errors
    /// As for [`Beam::next`].
    pub async fn next_told(&mut self) -> Result<(Told, Change), Stop> {
        loop {
            if self.is_open()
                && let Some((told, change)) = self.held.pop_front()
            {
                // It counts once its command knows of it.
                if let Told::News(News::Encryption(encryption)) = &told {
                    self.encryption = encryption.clone();
                }
                return Ok((told, change));
            }
            let Some((told, change)) = self.happens().await? else { continue };
            let is_of_people = matches!(
                told,
                Told::News(
                    News::Status(_) | News::Devices(_) | News::Trust { .. } | News::OtherKey(_)
                )
            );
            if is_of_people {
                return Ok((told, change));
            }
            // Also where it is open already: what was held before comes first.
            self.held.push_back((told, change));
        }
    }

    /// Waits until something is told. `None` where something was answered.
    async fn happens(&mut self) -> Result<Option<(Told, Change)>, Stop> {
        let (deadline, within) = self.deadline.unzip();
        let told = tokio::select! {
            told = self.device.next() => told,
            answer = answer_of(self.comparing.as_mut()) => {
                self.answered(answer)?;
                return Ok(None);
            }
            looked = looked(self.saved_keys.as_mut()) => {
                self.finds(looked)?;
                return Ok(None);
            }
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                return Err(self.late(within.unwrap_or_default()));
            }
        };
        let told = told.ok_or_else(|| Stop::new(Exit::Failed, ""))?;
        let change = match &told {
            Told::News(news) => self.hears(news)?,
            Told::Path { device, path: Some(PeerPath::Turn) } => {
                self.over_turn.insert(*device);
                Change::default()
            }
            Told::Path { device, .. } => {
                self.over_turn.remove(device);
                Change::default()
            }
            _ => Change::default(),
        };
        Ok(Some((told, change)))
    }

    /// What counts at once, whatever else waits.
    fn hears(&mut self, news: &News) -> Result<Change, Stop> {
        let mut change = Change::default();
        if matches!(news, News::Devices(_) | News::Trust { .. } | News::OtherKey(_)) {
            self.remembers();
        }
        if let Some(saved) = &mut self.saved_keys {
            saved.hears(news);
        }
        match news {
            News::Welcome(welcome) => {
                self.standing = Standing::Welcomed;
                self.is_synced = false;
                let is_kept = welcome.saved.is_some() || welcome.kept.is_some();
                self.kept = self.kept.is_told(is_kept);
                if let Some(limits) = &welcome.limits {
                    self.message_bytes = limits.message_bytes;
                }
            }
            News::Devices(devices) => change = self.people.listed(devices),
            News::Encryption(Encryption::Waiting { is_link_old: true }) => {
                let why = "The devices of this beam say that its link is another one now. Ask for the new one.";
                return Err(Stop::new(Exit::NotLetIn, why));
            }
            News::Encryption(Encryption::Unsealed) => {
                let why = "This beam is in clear text, which the server can read. Say --clear if you want that.";
                return Err(Stop::new(Exit::BadLink, why));
            }
            News::Trust { device, trust, turned_away } => {
                if let Some(comparing) = &mut self.comparing {
                    comparing.hears(&self.people, *device, trust.as_ref(), *turned_away)?;
                }
                self.look()?;
            }
            News::OtherKey(device) => {
                if let Some(comparing) = &self.comparing {
                    comparing.hears_other_key(&self.people, *device)?;
                }
            }
            News::Missing(count) => {
                if let Some(comparing) = &self.comparing {
                    comparing.hears_missing(*count)?;
                }
            }
            News::Synced { .. } => self.is_synced = true,
            News::Server(message) => match &**message {
                ServerMessage::BeamSaved { .. } => self.kept = self.kept.is_told(true),
                ServerMessage::Kept { message } => self.kept = self.kept.is_told(message.is_some()),
                _ => {}
            },
            News::Status(status) => self.stands(*status)?,
            _ => {}
        }
        Ok(change)
    }

    fn stands(&mut self, status: Status) -> Result<(), Stop> {
        match status {
            Status::Connecting | Status::Live => Ok(()),
            // A server that was here a moment ago comes back. One that was not, as one whose name was mistyped, seldom does.
            Status::Reconnecting { .. } if self.standing == Standing::Welcomed => Ok(()),
            Status::Reconnecting { .. } => Err(stopped(Why::Unreachable, self.device.failure())),
            Status::Stopped(why) if why == Why::Ended => {
                self.standing = Standing::Ended;
                // What stays is forgotten after a month.
                drop(self.compared.as_ref().map(Compared::forget));
                Err(stopped(why, self.device.failure()))
            }
            Status::Stopped(why) => Err(stopped(why, self.device.failure())),
        }
    }

    /// What this device waits for once it has been told all that is there. `None` where it has the keys, as when the server keeps them (E10).
    #[must_use]
    pub fn lets_in(&self) -> Option<&'static str> {
        if !self.is_keyless() {
            None
        } else if self.is_alone() {
            Some(
                "Nobody else is in this beam now, and only a device that was in it can let this one in. Waiting for one.",
            )
        } else {
            Some("Waiting for a device of the beam to let this one in.")
        }
    }

    fn is_keyless(&self) -> bool {
        self.device.session().keys().is_some_and(|keys| !keys.is_keyed())
    }

    /// That nobody has given this device the keys.
    #[must_use]
    pub fn not_let_in(&self, within: Duration) -> Stop {
        let seconds = within.as_secs_f64();
        let why = if self.is_alone() {
            "Nobody else is in this beam. Open it on a device that was in it, or share anew there."
        } else {
            "One that is in the beam has to be open and to let this one in."
        };
        let why = format!("No device has let this one in within {seconds} s. {why}");
        Stop::new(Exit::NotLetIn, why)
    }

    fn is_alone(&self) -> bool {
        let me = self.me();
        self.people.here().iter().all(|device| Some(*device) == me)
    }

    fn late(&self, within: Duration) -> Stop {
        if self.standing == Standing::Welcomed && self.is_keyless() {
            return self.not_let_in(within);
        }
        let seconds = within.as_secs_f64();
        Stop::new(Exit::TimedOut, format!("It was not done within {seconds} s."))
    }
}

async fn looked(saved: Option<&mut SavedKeys>) -> Looked {
    match saved {
        Some(saved) => saved.next().await,
        None => std::future::pending().await,
    }
}

async fn answer_of(comparing: Option<&mut Comparing>) -> Answer {
    match comparing {
        Some(comparing) => comparing.next_answer().await,
        None => std::future::pending().await,
    }
}
