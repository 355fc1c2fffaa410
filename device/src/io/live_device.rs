//! A device in a beam, with its socket and its clock: a [`Session`] and what it says is done.
//!
//! ```no_run
//! use heliograph_device::io::live_device::LiveDevice;
//! use heliograph_device::io::server::Server;
//! use heliograph_device::io::system_random::SystemRandom;
//! use heliograph_device::keys::keyring::Keyring;
//! use heliograph_device::session::beam_link::BeamLink;
//! use heliograph_device::session::{News, Settings};
//! use heliograph_shared::ids::DeviceToken;
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let link = BeamLink::parse(&std::env::var("HELIOGRAPH_LINK")?).map_err(|_| "no link")?;
//! let invite = link.invite.ok_or("without a secret")?;
//! let settings = Settings {
//!     beam: link.beam,
//!     beam_key: None,
//!     name: "A program".to_owned(),
//!     caps: Vec::new(),
//!     token: DeviceToken::from_random(SystemRandom::bytes()),
//!     keys: Some(Keyring::with_link(invite.secret().clone(), &mut SystemRandom)),
//! };
//! let mut device = LiveDevice::join(Server::at(&link.server)?, settings);
//! while let Some(news) = device.next().await {
//!     if let News::Item(item) = news {
//!         println!("{:?}", item.text());
//!     }
//! }
//! # Ok(())
//! # }
//! ```

use std::collections::VecDeque;
use std::time::Duration;

use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::BeamId;
use tokio::time::{Instant, sleep_until};

use super::server::{Failure, Server};
use super::socket::{Happened, Socket};
use super::system_random::SystemRandom;
use crate::session::{Input, News, Output, Session, Settings};

/// What a server closes a socket with whose login has ended (S27).
const SESSION_ENDED: u16 = CloseCode::SessionEnded.number();

/// What happens to a device.
#[derive(Debug)]
pub enum LiveEvent {
    /// News of the session.
    News(News),
    /// A message of another device came through the server (R1).
    Relayed(Vec<u8>),
    /// So many bytes of such messages of this device have left for the network, since its socket was opened.
    Left(u64),
}

/// A device in a beam. It lives while [`LiveDevice::next`] is awaited.
pub struct LiveDevice {
    session: Session,
    server: Server,
    beam: BeamId,
    socket: Option<Socket>,
    started: Instant,
    events: VecDeque<LiveEvent>,
    failure: Option<Failure>,
    inputs: u64,
}

impl LiveDevice {
    /// Joins a beam. The socket is opened meanwhile; what comes of it is news.
    ///
    /// It has to be called within a runtime of tokio.
    #[must_use]
    pub fn join(server: Server, settings: Settings) -> Self {
        let beam = settings.beam;
        let (session, outputs) = Session::begin(settings, Duration::ZERO, SystemRandom);
        let (started, events) = (Instant::now(), VecDeque::new());
        let mut device =
            Self { session, server, beam, socket: None, started, events, failure: None, inputs: 0 };
        device.carry_out(outputs);
        device
    }

    /// The session.
    #[must_use]
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// Why the socket was not opened or was lost, the last time.
    #[must_use]
    pub const fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// How much the session has taken: while it is the same, its keys are.
    pub(super) const fn inputs(&self) -> u64 {
        self.inputs
    }

    /// Tells the session what its person does.
    pub fn tell(&mut self, input: Input) {
        self.inputs += u64::from(!matches!(input, Input::Heard));
        let outputs = self.session.handle(input, self.started.elapsed());
        self.carry_out(outputs);
    }

    /// Sends a message through the server to another device (R1). It is lost while the socket is down, and with one that breaks.
    pub fn relay(&self, message: Vec<u8>) {
        if let Some(socket) = &self.socket {
            socket.send_binary(message);
        }
    }

    /// Waits for news; `None` once the device has stopped and all of it was told. Nothing is lost when the wait is given up, but what
    /// other devices send through the server is not taken.
    pub async fn next(&mut self) -> Option<News> {
        loop {
            if let LiveEvent::News(news) = self.next_event().await? {
                return Some(news);
            }
        }
    }

    /// Waits for what happens, as [`LiveDevice::next`] does for news.
    pub async fn next_event(&mut self) -> Option<LiveEvent> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            let due = self.session.next_due().map(|due| self.started + due);
            tokio::select! {
                happened = next_of(self.socket.as_mut()), if self.socket.is_some() => {
                    self.happened(happened);
                }
                () = sleep_until(due.unwrap_or(self.started)), if due.is_some() => {
                    self.tell(Input::Time);
                }
                else => return None,
            }
        }
    }

    /// Leaves the beam. Waits until what was said is on its way, for a few seconds at most.
    pub async fn leave(mut self) {
        // Taken before, so that the session's word to close it does not drop it unwaited for.
        let socket = self.socket.take();
        self.tell(Input::Leave);
        if let Some(socket) = socket {
            socket.close().await;
        }
    }

    fn happened(&mut self, happened: Happened) {
        match happened {
            Happened::Opened => {
                self.failure = None;
                self.tell(Input::Opened);
            }
            Happened::Text(text) => self.tell(Input::Text(text)),
            Happened::Binary(message) => {
                self.tell(Input::Heard);
                self.events.push_back(LiveEvent::Relayed(message));
            }
            Happened::Left(bytes) => self.events.push_back(LiveEvent::Left(bytes)),
            Happened::Closed(code, why) => {
                self.socket = None;
                // Without its login, the server would say so.
                let is_logged_out = matches!(why, Some(Failure::LoggedOut));
                let code = if is_logged_out { Some(SESSION_ENDED) } else { code };
                self.failure = why;
                self.tell(Input::Closed(code));
            }
        }
    }

    fn carry_out(&mut self, outputs: Vec<Output>) {
        for output in outputs {
            match output {
                Output::Connect => {
                    self.socket = Some(Socket::open(self.server.clone(), self.beam));
                }
                Output::Send(text) => {
                    if let Some(socket) = &self.socket {
                        socket.send(text);
                    }
                }
                Output::Close => self.socket = None,
                Output::Tell(news) => self.events.push_back(LiveEvent::News(news)),
            }
        }
    }
}

async fn next_of(socket: Option<&mut Socket>) -> Happened {
    match socket {
        Some(socket) => socket.next().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says so by failing")]
mod tests {
    use std::sync::Arc;

    use heliograph_shared::ids::DeviceToken;

    use super::*;
    use crate::io::login::{Kept, Login, LoginStore};
    use crate::io::private_folder::PrivateFolder;
    use crate::keys::password::OwnVault;
    use crate::session::{Status, Why};

    #[tokio::test]
    async fn s19_a_device_whose_login_has_ended_is_told_so_and_tries_no_more() {
        let folder = tempfile::tempdir().unwrap();
        // Somebody has logged out here meanwhile: nothing is kept.
        let store = LoginStore::at(PrivateFolder::at(folder.path().to_owned()));
        let server = Server::at(&"http://127.0.0.1:9".parse().unwrap()).unwrap();
        let kept = Kept::new(server.url(), "ada".to_owned(), &OwnVault::None);
        let server = server.with_login(Arc::new(Login::new(store, kept)));
        let settings = Settings {
            beam: BeamId::from_random([1; 16]),
            beam_key: None,
            name: "Ada".to_owned(),
            caps: Vec::new(),
            token: DeviceToken::from_random([2; 32]),
            keys: None,
        };
        let mut device = LiveDevice::join(server, settings);
        let mut told = Vec::new();
        while let Some(news) = device.next().await {
            if let News::Status(status) = news {
                told.push(status);
            }
        }
        assert_eq!(told, [Status::Connecting, Status::Stopped(Why::LoggedOut)]);
    }
}
