//! A device in a beam, without its socket: what to send, and what to tell its person, by what comes and what they do (`PROTOCOL.md`,
//! sections S and E). `client/src/transport/live-beam` and `client/src/app/sealed-beam` do the same for the browser.
//!
//! A [`Session`] is told inputs, each with the time, and answers with outputs. Whoever has it opens the socket when it says so, sends
//! what it says, and tells it when the time comes that [`Session::next_due`] names.

pub mod beam_link;
mod beam_memory;
mod compared_before;
mod compared_joining;
mod comparing;
mod door;
mod exchange;
pub mod item;
mod item_comparison;
mod item_versions;
mod joining;
mod kept_keys;
mod key_changes;
mod letting_in;
mod line;
mod missing_items;
mod moment;
mod opened_items;
mod outbox;
mod pending_changes;
pub mod saved_beams;
mod sealed_beam;
mod server_messages;
mod sharing;
mod sync_pages;
pub mod trust;
mod ways_in;
mod witness;

use std::time::Duration;

use heliograph_shared::close::CloseCode;
use heliograph_shared::device::{AuthExtra, Cap};
use heliograph_shared::e2ee::key_pair::PublicKey;
use heliograph_shared::ids::{BeamId, BeamKey, DeviceId, DeviceToken, ItemId};
use heliograph_shared::json::Json;
use heliograph_shared::socket::{ClientMessage, KeepTime, ServerMessage, SignalTo};

use self::exchange::{Exchange, Waiting};
use self::item_comparison::Event;
use self::line::{Due, Line};
use self::sealed_beam::SealedBeam;
use self::trust::TrustBook;
use crate::keys::found_keys::FoundKeys;
use crate::keys::keyring::Keyring;
use crate::keys::signs::Signs;
use crate::random::{self, Random};

pub use self::outbox::{Encryption, News, Output};
pub use line::{Status, Why};

/// Who this device is in the beam.
pub struct Settings {
    /// The id of the beam.
    pub beam: BeamId,
    /// Proves that this device has created the beam (S2); a guest has none.
    pub beam_key: Option<BeamKey>,
    /// The device's name.
    pub name: String,
    /// What it can do, besides sealing.
    pub caps: Vec<Cap>,
    /// Keeps the device the same one after a reconnect (S5).
    pub token: DeviceToken,
    /// The keys of a sealed beam; `None` for one in clear text. A beam whose link has a secret is sealed, and never anything else (E11).
    /// Nor is one for which a device begins with keys but without a link: it waits until another one lets it in (E8).
    pub keys: Option<Keyring>,
}

/// What happens, or what the person does.
#[derive(Debug)]
pub enum Input {
    /// The socket is open.
    Opened,
    /// A text has come.
    Text(String),
    /// Anything else has come over the socket, which is for whoever has the session.
    Heard,
    /// The socket is closed, or could not be opened, with the code of the close frame that came. Not of one that the session has closed.
    Closed(Option<u16>),
    /// The time has come that [`Session::next_due`] named.
    Time,
    /// The person shares an item, or a new version of one.
    Share {
        /// Its id: random for a new one.
        id: ItemId,
        /// Its content.
        message: Json,
        /// Its kind.
        extra: String,
        /// The only other device that gets it (S33).
        to: Option<DeviceId>,
    },
    /// The person deletes an item.
    Delete(ItemId),
    /// Sends a signal to a device (S12). It is lost while the socket is down.
    Signal {
        /// The device.
        to: DeviceId,
        /// What it says.
        message: Json,
    },
    /// The person has the keys of the beam kept, in vaults or with the server as they are (E9). To be told before they are.
    KeepKeys {
        /// Whether they go into vaults.
        is_vaulted: bool,
    },
    /// These keys lie with the beam, which is saved (E9, E18).
    Found(Box<FoundKeys>),
    /// The person has compared these pictures, which this device shows, with those of another one (E8): they are the same.
    Confirm {
        /// The other device.
        device: DeviceId,
        /// What the person has seen.
        signs: Signs,
    },
    /// The person has compared these devices in earlier runs, which had these public keys then ([`Session::compared`]).
    ComparedBefore(Vec<(DeviceId, PublicKey)>),
    /// The person does not let a device in that waits for it.
    Refuse(DeviceId),
    /// Whether the person wants to be asked before any device is let in without the link (E8).
    AskBefore(bool),
    /// The person wants to know once more whether something is missing (E14).
    LookForMissing,
    /// The person gives this device another name (S32).
    Rename(String),
    /// The person asks to keep the beam for a while (S30). It is lost while the socket is down.
    Keep(KeepTime),
    /// Sends a message as it is, one that changes nothing of what the session keeps.
    Say(ClientMessage),
    /// The person leaves the beam.
    Leave,
}

/// A device in a beam.
pub struct Session {
    auth: Auth,
    line: Line,
    exchange: Exchange,
}

/// What a device says of itself.
struct Auth {
    beam_key: Option<BeamKey>,
    name: String,
    caps: Vec<Cap>,
    token: DeviceToken,
}

impl Session {
    /// Begins. Returns what is to be done first.
    #[must_use]
    pub fn begin(
        settings: Settings,
        now: Duration,
        random: impl Random + 'static,
    ) -> (Self, Vec<Output>) {
        let Settings { beam, beam_key, name, mut caps, token, keys } = settings;
        if keys.is_some() {
            caps.push(Cap::E2e1);
        }
        let sealed = keys.map(|keys| Box::new(SealedBeam::new(keys, beam, name.clone())));
        let auth = Auth { beam_key, name, caps, token };
        let exchange = Exchange::new(sealed, Box::new(random));
        let mut session = Self { auth, line: Line::new(now), exchange };
        session.exchange.out.tell(News::Status(Status::Connecting));
        session.exchange.out.put(Output::Connect);
        session.exchange.look(now);
        let outputs = session.exchange.out.take();
        (session, outputs)
    }

    /// The keys of the beam; `None` where it is in clear text.
    #[must_use]
    pub fn keys(&self) -> Option<&Keyring> {
        self.exchange.sealed.as_ref().map(|sealed| &sealed.ring)
    }

    /// What is known of the devices that came without the link; `None` where the beam is in clear text.
    #[must_use]
    pub fn trust(&self) -> Option<&TrustBook> {
        self.exchange.sealed.as_ref().map(|sealed| sealed.ways.trust())
    }

    /// The devices that the person has compared, in this run or as they were told of earlier ones, with their public keys: what a later
    /// run is told.
    #[must_use]
    pub fn compared(&self) -> Vec<(DeviceId, PublicKey)> {
        self.exchange.sealed.as_ref().map(|sealed| sealed.compared()).unwrap_or_default()
    }

    /// The id of this device; `None` before the server has told it.
    #[must_use]
    pub const fn me(&self) -> Option<DeviceId> {
        self.exchange.me
    }

    /// The token of this device. Another program may have taken it over, and this one has a new one then (S5).
    #[must_use]
    pub const fn token(&self) -> &DeviceToken {
        &self.auth.token
    }

    /// Whether the beam has an item that can be read here.
    #[must_use]
    pub fn shows(&self, id: ItemId) -> bool {
        self.exchange.shown.contains_key(&id)
    }

    /// Whether something was shared or deleted that the server has neither confirmed nor refused.
    #[must_use]
    pub const fn has_unconfirmed(&self) -> bool {
        self.exchange.has_unconfirmed()
    }

    /// When [`Input::Time`] is to be told at the latest.
    #[must_use]
    pub fn next_due(&self) -> Option<Duration> {
        let sealed = self.exchange.sealed.as_ref().and_then(|sealed| sealed.next_due());
        let shares = self.exchange.pending.next_due().filter(|_| self.line.is_live());
        let missing = self.exchange.missing.comparison.due().filter(|_| self.line.is_live());
        [self.line.next_due(), sealed.filter(|_| self.line.is_live()), shares, missing]
            .into_iter()
            .flatten()
            .min()
    }

    /// Takes what happens. Returns what is to be done.
    #[must_use]
    pub fn handle(&mut self, input: Input, now: Duration) -> Vec<Output> {
        match input {
            Input::Opened => self.opened(now),
            Input::Text(text) => self.text(&text, now),
            Input::Heard => self.line.heard(now),
            Input::Closed(code) => self.closed(code, now),
            Input::Time => self.passed(now),
            Input::Share { id, message, extra, to } => {
                self.exchange.shares(Waiting { id, message, extra, to });
            }
            Input::Delete(id) => self.exchange.delete(id),
            Input::Signal { to, message } => self.signal(to, message, now),
            Input::KeepKeys { is_vaulted } => {
                if let Some(sealed) = &mut self.exchange.sealed {
                    sealed.are_kept(is_vaulted);
                }
            }
            Input::Found(found) => {
                self.exchange.with_sealed(now, |sealed, moment| sealed.finds(&found, moment));
            }
            Input::Confirm { device, signs } => {
                self.exchange
                    .with_sealed(now, |sealed, moment| sealed.confirm(device, signs, moment));
            }
            Input::ComparedBefore(compared) => {
                if let Some(sealed) = &mut self.exchange.sealed {
                    sealed.remember(compared);
                }
            }
            Input::Refuse(device) => {
                self.exchange.with_sealed(now, |sealed, moment| sealed.ways.refuse(device, moment));
            }
            Input::AskBefore(is_asked) => {
                self.exchange.with_sealed(now, |sealed, _| sealed.ways.door.asks_before = is_asked);
            }
            Input::LookForMissing => self.exchange.compare(Event::Retried, now),
            Input::Rename(name) => self.rename(name),
            Input::Keep(time) => self.keep(time),
            Input::Say(message) => self.exchange.out.send(&message),
            Input::Leave => self.leave(),
        }
        if !self.line.is_stopped() {
            self.exchange.look(now);
        }
        self.exchange.out.take()
    }

    fn opened(&mut self, now: Duration) {
        self.line.opened(now);
        let Auth { beam_key, name, caps, token } = &self.auth;
        // It is its base64url in quotes.
        let key = beam_key.as_ref().and_then(|key| serde_json::to_value(key).ok());
        let message = key.and_then(|key| key.as_str().map(ToOwned::to_owned));
        let (caps, name, device_token) = (caps.clone(), Some(name.clone()), Some(token.clone()));
        let extra = Some(AuthExtra { v: 1, caps, name, device_token });
        self.exchange.out.send_at_once(&ClientMessage::Auth { message, extra });
        // The server reads in order (S1), so `sync` can be sent before the welcome unless changes have to go first.
        if self.exchange.pending.is_empty() {
            self.exchange.ask_for_everything();
        }
    }

    fn text(&mut self, text: &str, now: Duration) {
        if !self.line.has_socket() {
            return;
        }
        self.line.heard(now);
        match server_messages::read(text) {
            Some(ServerMessage::AuthSuccess { .. }) => {
                self.line.welcomed();
                self.exchange.out.tell(News::Status(Status::Live));
                self.exchange.authenticated();
            }
            Some(message) => self.exchange.hear(message, now),
            None => {}
        }
    }

    fn closed(&mut self, code: Option<u16>, now: Duration) {
        if !self.line.has_socket() {
            return;
        }
        if code == Some(CloseCode::Replaced.number()) {
            self.auth.token = DeviceToken::from_random(random::bytes(&mut *self.exchange.random));
        }
        let status = self.line.closed(code, now, &mut *self.exchange.random);
        self.exchange.cut();
        self.exchange.out.tell(News::Status(status));
    }

    fn passed(&mut self, now: Duration) {
        match self.line.due(now) {
            Due::Nothing => {}
            Due::Ping => self.exchange.out.put(Output::Send("ping".to_owned())),
            Due::Connect => self.exchange.out.put(Output::Connect),
            Due::Lost => {
                self.exchange.out.put(Output::Close);
                self.closed(None, now);
            }
        }
        if self.line.is_live() {
            for message in self.exchange.pending.due(now) {
                self.exchange.out.send(&message);
            }
            self.exchange.with_sealed(now, SealedBeam::passed);
            self.exchange.compares_in_time(now);
        }
    }

    fn leave(&mut self) {
        if self.line.is_stopped() {
            return;
        }
        self.line.left();
        self.exchange.out.is_live = false;
        self.exchange.out.put(Output::Close);
        self.exchange.out.tell(News::Status(Status::Stopped(Why::Left)));
    }

    fn keep(&mut self, time: KeepTime) {
        if let Some(sealed) = &mut self.exchange.sealed {
            sealed.kept.asks();
        }
        self.exchange.out.send(&ClientMessage::Keep { message: Some(time) });
    }

    fn rename(&mut self, name: String) {
        self.auth.name.clone_from(&name);
        if let Some(sealed) = &mut self.exchange.sealed {
            sealed.renamed(name.clone());
        }
        self.exchange.out.send(&ClientMessage::RenameDevice { message: name });
    }

    fn signal(&mut self, to: DeviceId, message: Json, now: Duration) {
        if self.exchange.sealed.is_some() {
            self.exchange.with_sealed(now, |sealed, moment| sealed.signal(to, message, moment));
        } else {
            self.exchange.out.send(&ClientMessage::Signal { message, extra: SignalTo { to } });
        }
    }
}
