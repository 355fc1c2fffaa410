//! A small client, by which a STUN or TURN server is tried out: an address as it is seen, a relay, and data through it.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::UdpSocket;
use tokio::time::{Instant, timeout_at};

pub use crate::core::event::Family;
use crate::message::asking::{Answer, Asking, Said, send_indication};
use crate::message::incoming::Method;
use crate::message::integrity::Key;

/// When a datagram that was not answered is sent again, and when its sender gives up, after the first time.
const AGAIN: [Duration; 4] = [
    Duration::from_millis(500),
    Duration::from_millis(1_500),
    Duration::from_secs(3),
    Duration::from_millis(4_500),
];
/// Bytes of a message before its attributes (RFC 8489, section 5).
const HEADER: usize = 20;
/// The longest datagram.
const DATAGRAM: usize = 65_536;

/// Why a server is of no use.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing is there, or the connection broke.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Nothing came.
    #[error("no answer")]
    Silent,
    /// The server refused.
    #[error("refused with {0}")]
    Refused(u16),
    /// What came is not STUN, or lacks what it must have.
    #[error("an answer that is not TURN")]
    Malformed,
}

/// A connection of any kind.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

enum Way {
    /// The socket takes datagrams of others than the server, too: what comes out of a relay.
    Datagrams(UdpSocket, SocketAddr),
    /// What has come of the next message is kept: whoever waits for it may give up in between.
    Stream(Box<dyn Stream>, Vec<u8>),
}

struct Login {
    username: String,
    realm: String,
    nonce: String,
    key: Key,
}

/// A client of one server.
pub struct Client {
    way: Way,
    login: Option<Login>,
    /// Data that came while an answer was awaited.
    waiting: VecDeque<(SocketAddr, Vec<u8>)>,
}

impl Client {
    /// A client that sends datagrams.
    ///
    /// # Errors
    /// [`Error::Io`] without a way to the server.
    pub async fn datagrams(server: SocketAddr) -> Result<Self, Error> {
        let any: SocketAddr =
            if server.is_ipv4() { ([0, 0, 0, 0], 0).into() } else { ([0_u16; 8], 0).into() };
        let socket = UdpSocket::bind(any).await?;
        Ok(Self { way: Way::Datagrams(socket, server), login: None, waiting: VecDeque::new() })
    }

    /// A client on a connection.
    #[must_use]
    pub fn on(stream: Box<dyn Stream>) -> Self {
        Self { way: Way::Stream(stream, Vec::new()), login: None, waiting: VecDeque::new() }
    }

    /// The address under which the server sees this client.
    ///
    /// # Errors
    /// [`Error`], as the following.
    pub async fn mapped(&mut self) -> Result<SocketAddr, Error> {
        let asking = Asking::new(Method::Binding, transaction()?);
        let (number, bytes) = (asking.transaction(), asking.unsigned());
        accepted(self.ask(number, &bytes).await?)?.mapped.ok_or(Error::Malformed)
    }

    /// Opens a relay with an address of this family, and returns that.
    ///
    /// # Errors
    /// [`Error::Refused`] with 401 when the server does not take the credentials, and with 440 when it has no relays of
    /// this family.
    pub async fn allocate(
        &mut self,
        username: &str,
        password: &str,
        family: Family,
    ) -> Result<SocketAddr, Error> {
        let asking = Asking::new(Method::Allocate, transaction()?).relay(family);
        let (number, bytes) = (asking.transaction(), asking.unsigned());
        let first = self.ask(number, &bytes).await?;
        if first.code.is_none() {
            // A server that gives relays to everybody.
            return first.relayed.ok_or(Error::Malformed);
        }
        let (Some(401), Some((realm, nonce))) = (first.code, first.challenge.clone()) else {
            return accepted(first)?.relayed.ok_or(Error::Malformed);
        };
        let (username, key) = (username.to_owned(), Key::new(username, &realm, password));
        self.login = Some(Login { username, realm, nonce, key });
        let answer = self.signed(Method::Allocate, |asking| asking.relay(family)).await?;
        answer.relayed.ok_or(Error::Malformed)
    }

    /// Lets a peer send to the relay.
    ///
    /// # Errors
    /// [`Error::Refused`] with 403 when the server sends nothing to such addresses.
    pub async fn permit(&mut self, peer: SocketAddr) -> Result<(), Error> {
        self.signed(Method::CreatePermission, |asking| asking.peer(peer)).await.map(|_| ())
    }

    /// Sends data to a peer through the relay.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub async fn send(&mut self, peer: SocketAddr, data: &[u8]) -> Result<(), Error> {
        self.write(&send_indication(transaction()?, peer, data)).await
    }

    /// Sends a datagram past the server. A client on a connection cannot.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub async fn send_past(&mut self, peer: SocketAddr, data: &[u8]) -> Result<(), Error> {
        match &self.way {
            Way::Datagrams(socket, _) => Ok(socket.send_to(data, peer).await.map(|_| ())?),
            Way::Stream(..) => Err(Error::Malformed),
        }
    }

    /// Waits until this time for data from a peer.
    ///
    /// # Errors
    /// [`Error::Silent`] when nothing came.
    pub async fn receive(&mut self, until: Instant) -> Result<(SocketAddr, Vec<u8>), Error> {
        loop {
            if let Some(data) = self.waiting.pop_front() {
                return Ok(data);
            }
            let said = timeout_at(until, self.read()).await.map_err(|_| Error::Silent)??;
            if let Some(Said::Data(peer, data)) = said {
                self.waiting.push_back((peer, data));
            }
        }
    }

    /// Closes the relay.
    ///
    /// # Errors
    /// [`Error`] when the server does not confirm; the relay then ends by itself.
    pub async fn end(mut self) -> Result<(), Error> {
        self.signed(Method::Refresh, |asking| asking.lifetime(0)).await.map(|_| ())
    }

    async fn signed(
        &mut self,
        method: Method,
        with: impl Fn(Asking) -> Asking,
    ) -> Result<Answer, Error> {
        let mut stale = false;
        loop {
            let login = self.login.as_ref().ok_or(Error::Malformed)?;
            let asking = with(Asking::new(method, transaction()?));
            let number = asking.transaction();
            let bytes = asking.signed(&login.username, &login.realm, &login.nonce, &login.key);
            let answer = self.ask(number, &bytes).await?;
            // Stale Nonce: once more with the new one.
            match (answer.code, answer.challenge.clone(), self.login.as_mut()) {
                (Some(438), Some((_, nonce)), Some(login)) if !stale => {
                    login.nonce = nonce;
                    stale = true;
                }
                _ => return accepted(answer),
            }
        }
    }

    /// Sends a request, and returns its answer.
    async fn ask(&mut self, number: u128, request: &[u8]) -> Result<Answer, Error> {
        let (start, is_stream) = (Instant::now(), matches!(self.way, Way::Stream(..)));
        // Nothing is lost on a stream.
        let times = if is_stream { &AGAIN[3..] } else { &AGAIN[..] };
        for after in times.iter().copied() {
            self.write(request).await?;
            while let Ok(said) = timeout_at(start + after, self.read()).await {
                match said? {
                    Some(Said::Answer(answer)) if answer.transaction == number => {
                        return Ok(answer);
                    }
                    Some(Said::Data(peer, data)) => self.waiting.push_back((peer, data)),
                    None if is_stream => return Err(Error::Malformed),
                    Some(Said::Answer(_)) | None => {}
                }
            }
        }
        Err(Error::Silent)
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match &mut self.way {
            Way::Datagrams(socket, server) => socket.send_to(bytes, *server).await.map(|_| ())?,
            Way::Stream(stream, _) => {
                stream.write_all(bytes).await?;
                stream.flush().await?;
            }
        }
        Ok(())
    }

    /// The next message; `None` for one that is no STUN.
    async fn read(&mut self) -> Result<Option<Said>, Error> {
        match &mut self.way {
            Way::Datagrams(socket, server) => {
                let mut bytes = vec![0; DATAGRAM];
                let (count, from) = socket.recv_from(&mut bytes).await?;
                bytes.truncate(count);
                let is_server = from == *server;
                Ok(if is_server { Said::read(&bytes) } else { Some(Said::Data(from, bytes)) })
            }
            Way::Stream(stream, come) => loop {
                // The two bits that tell STUN from all others (RFC 8489, section 5).
                if come.first().is_some_and(|first| first >> 6 != 0) {
                    come.clear();
                    return Ok(None);
                }
                if let Some(&[high, low]) = come.get(2..4) {
                    let length = HEADER + usize::from(u16::from_be_bytes([high, low]));
                    if come.len() >= length {
                        let message: Vec<_> = come.drain(..length).collect();
                        return Ok(Said::read(&message));
                    }
                }
                if stream.read_buf(come).await? == 0 {
                    return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
                }
            },
        }
    }
}

fn accepted(answer: Answer) -> Result<Answer, Error> {
    answer.code.map_or(Ok(answer), |code| Err(Error::Refused(code)))
}

fn transaction() -> Result<u128, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes[4..]).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(u128::from_be_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::reply::data_indication;

    #[tokio::test(start_paused = true)]
    async fn a_message_that_comes_in_two_parts_is_whole_also_when_its_reader_gave_up_between() {
        let (mut server, stream) = tokio::io::duplex(1 << 16);
        let mut client = Client::on(Box::new(stream));
        let peer = SocketAddr::from(([203, 0, 113, 9], 7));
        let message = data_indication(transaction().unwrap(), peer, b"hello");
        for cut in [1, 10, 20, message.len() - 1] {
            let (first, rest) = message.split_at(cut);
            server.write_all(first).await.unwrap();
            let soon = Instant::now() + Duration::from_millis(10);
            assert!(matches!(client.receive(soon).await, Err(Error::Silent)));
            server.write_all(rest).await.unwrap();
            let soon = Instant::now() + Duration::from_millis(10);
            assert_eq!(client.receive(soon).await.unwrap(), (peer, b"hello".to_vec()));
        }
    }
}
