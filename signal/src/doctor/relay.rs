//! Tries TURN out: an allocation by each way, and a packet through two relays and back.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use heliograph_shared::socket::IceServer;
use heliograph_turn::client::{Client, Error, Family};
use tokio::time::{Instant, timeout};

use super::http::{Failure, Place};
use super::machine::is_on_the_internet;

/// Times that a packet is sent, since one may be lost, and the pause between them.
const TIMES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(500);
/// Time for one way as a whole.
const PATIENCE: Duration = Duration::from_secs(25);

/// A way to a TURN server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Datagrams.
    Udp,
    /// A connection.
    Tcp,
    /// An encrypted connection.
    Tls,
}

/// A TURN server by one way, with credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relay {
    /// How it is reached.
    pub by: By,
    /// Where it is.
    pub place: Place,
    username: String,
    password: String,
}

/// What a datagram did that went straight to a relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It arrived, and one came back.
    ThereAndBack,
    /// The server relays nothing to this machine's address, as for one of a local network.
    NotPermitted,
    /// This machine has the relay's own address, or is behind it: what arrives tells nothing of others.
    SameAddress,
    /// Nothing arrived, but the server sees this machine in a local network, and its relays are beyond a router: few
    /// routers lead a machine inside back to their own outer address.
    BehindRouter(SocketAddr),
}

/// What went wrong.
#[derive(Debug)]
pub enum Trouble {
    /// The name leads nowhere, or nothing listens there.
    Unreachable(String),
    /// The server does not take the credentials.
    Credentials,
    /// It has no room for another relay.
    Full,
    /// It has no relays of this family.
    NoSuchFamily,
    /// It refused otherwise.
    Refused(u16),
    /// There is a relay, but nothing comes through it.
    NotRelayed(SocketAddr),
    /// The server does not let its relays reach each other.
    Denied(SocketAddr),
}

impl Relay {
    /// The TURN servers that a device is told.
    #[must_use]
    pub fn of(servers: &[IceServer]) -> Vec<Self> {
        let each =
            servers.iter().flat_map(|server| server.urls.iter().map(move |url| (server, url)));
        each.filter_map(|(server, url)| {
            let (by, place) = read(url)?;
            Some(Self {
                by,
                place,
                username: server.username.clone()?,
                password: server.credential.clone()?,
            })
        })
        .collect()
    }

    /// Sends a packet through two relays of the server and back. Returns the address of a relay.
    ///
    /// # Errors
    /// [`Trouble`].
    pub async fn try_out(&self, family: Family) -> Result<SocketAddr, Trouble> {
        let tried = timeout(PATIENCE, self.relays(family)).await;
        tried.unwrap_or_else(|_| Err(Trouble::Unreachable("no answer in time".to_owned())))
    }

    async fn relays(&self, family: Family) -> Result<SocketAddr, Trouble> {
        let (mut ada, ada_at) = self.allocate(family).await?;
        let (mut bob, bob_at) = self.allocate(family).await?;
        let relayed = between(&mut ada, ada_at, &mut bob, bob_at).await;
        let _ = ada.end().await;
        let _ = bob.end().await;
        relayed.map(|()| ada_at)
    }

    /// Sends a datagram straight to a relay of its own family and gets one back, as another device on the internet does.
    ///
    /// # Errors
    /// [`Trouble`].
    pub async fn reach(&self, stun: &Place) -> Result<Reach, Trouble> {
        let (mut device, seen) = datagrams(stun).await?;
        let (mut ada, relay) = self.allocate(Family::of(&seen)).await?;
        let reached = exchange(&mut device, seen, &mut ada, relay).await;
        let _ = ada.end().await;
        match reached {
            // At its own address a server relays to its own relays only.
            Err(Trouble::NotRelayed(_)) if seen.ip() == relay.ip() => Ok(Reach::SameAddress),
            Err(Trouble::NotRelayed(_))
                if is_on_the_internet(relay.ip()) && !is_on_the_internet(seen.ip()) =>
            {
                Ok(Reach::BehindRouter(relay))
            }
            reached => reached,
        }
    }

    async fn allocate(&self, family: Family) -> Result<(Client, SocketAddr), Trouble> {
        let mut client = match self.by {
            By::Udp => datagrams(&self.place).await?.0,
            By::Tcp | By::Tls => {
                let connected = self.place.connect().await;
                Client::on(connected.map_err(|error| unreachable(&error))?.stream)
            }
        };
        let relay = client.allocate(&self.username, &self.password, family).await;
        let relay = relay.map_err(trouble)?;
        Ok((client, relay))
    }
}

/// The address under which a STUN server sees this machine.
///
/// # Errors
/// [`Trouble::Unreachable`].
pub async fn seen_by(stun: &Place) -> Result<SocketAddr, Trouble> {
    Ok(datagrams(stun).await?.1)
}

/// The STUN servers that a device is told.
#[must_use]
pub fn stun_of(servers: &[IceServer]) -> Vec<Place> {
    let urls = servers.iter().flat_map(|server| &server.urls);
    urls.filter_map(|url| place(url.strip_prefix("stun:")?, false, 3478)).collect()
}

/// Sends a datagram from a device, which the server sees at an address, to a relay, and one back.
async fn exchange(
    device: &mut Client,
    seen: SocketAddr,
    ada: &mut Client,
    relay: SocketAddr,
) -> Result<Reach, Trouble> {
    match ada.permit(seen).await {
        Err(Error::Refused(403)) => return Ok(Reach::NotPermitted),
        other => other.map_err(trouble)?,
    }
    let mut arrived = None;
    for _ in 0..TIMES {
        device.send_past(relay, b"doctor").await.map_err(trouble)?;
        if let Ok((peer, _)) = ada.receive(Instant::now() + PAUSE).await {
            arrived = Some(peer);
            break;
        }
    }
    let Some(peer) = arrived else { return Err(Trouble::NotRelayed(relay)) };
    for _ in 0..TIMES {
        ada.send(peer, b"and back").await.map_err(trouble)?;
        if device.receive(Instant::now() + PAUSE).await.is_ok() {
            return Ok(Reach::ThereAndBack);
        }
    }
    Err(Trouble::NotRelayed(relay))
}

async fn between(
    ada: &mut Client,
    ada_at: SocketAddr,
    bob: &mut Client,
    bob_at: SocketAddr,
) -> Result<(), Trouble> {
    let denied = |error| match error {
        Error::Refused(403) => Trouble::Denied(ada_at),
        other => trouble(other),
    };
    ada.permit(bob_at).await.map_err(denied)?;
    bob.permit(ada_at).await.map_err(denied)?;
    sends(ada, bob, bob_at, ada_at).await?;
    sends(bob, ada, ada_at, ada_at).await
}

async fn sends(
    from: &mut Client,
    to: &mut Client,
    at: SocketAddr,
    relay: SocketAddr,
) -> Result<(), Trouble> {
    for _ in 0..TIMES {
        from.send(at, b"doctor").await.map_err(trouble)?;
        match to.receive(Instant::now() + PAUSE).await {
            Ok(_) => return Ok(()),
            Err(Error::Silent) => {}
            Err(error) => return Err(trouble(error)),
        }
    }
    Err(Trouble::NotRelayed(relay))
}

/// A client at the first address that answers, and the address under which it is seen there.
async fn datagrams(place: &Place) -> Result<(Client, SocketAddr), Trouble> {
    let mut why = unreachable(&Failure::Name);
    for address in place.addresses().await.map_err(|error| unreachable(&error))? {
        match answering(address).await {
            Ok(answering) => return Ok(answering),
            Err(error) => why = trouble(error),
        }
    }
    Err(why)
}

async fn answering(address: SocketAddr) -> Result<(Client, SocketAddr), Error> {
    let mut client = Client::datagrams(address).await?;
    let seen = client.mapped().await?;
    Ok((client, seen))
}

fn unreachable(failure: &Failure) -> Trouble {
    Trouble::Unreachable(failure.to_string())
}

fn trouble(error: Error) -> Trouble {
    match error {
        Error::Refused(401) => Trouble::Credentials,
        Error::Refused(440) => Trouble::NoSuchFamily,
        Error::Refused(486 | 508) => Trouble::Full,
        Error::Refused(code) => Trouble::Refused(code),
        Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Trouble::Unreachable("the connection was closed".to_owned())
        }
        error => Trouble::Unreachable(error.to_string()),
    }
}

/// Reads the address of a TURN server (RFC 7065).
fn read(url: &str) -> Option<(By, Place)> {
    let (tls, rest) = match url.strip_prefix("turns:") {
        Some(rest) => (true, rest),
        None => (false, url.strip_prefix("turn:")?),
    };
    let (address, query) = rest.split_once('?').unwrap_or((rest, ""));
    let by = match (tls, query) {
        (true, _) => By::Tls,
        (false, "transport=tcp") => By::Tcp,
        _ => By::Udp,
    };
    Some((by, place(address, tls, if tls { 5349 } else { 3478 })?))
}

fn place(address: &str, tls: bool, port: u16) -> Option<Place> {
    let colon = address.rfind(':').filter(|at| !address[*at..].contains(']'));
    let (host, port) = match colon {
        Some(at) => (&address[..at], address[at + 1..].parse().ok()?),
        None => (address, port),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    Some(Place { tls, host, port })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_turn_servers_are_read() {
        for (url, by, host, port) in [
            ("turn:a.example", By::Udp, "a.example", 3478),
            ("turn:a.example:99?transport=tcp", By::Tcp, "a.example", 99),
            ("turns:[2001:db8::1]:443?transport=tcp", By::Tls, "2001:db8::1", 443),
            ("turns:[2001:db8::1]", By::Tls, "2001:db8::1", 5349),
        ] {
            let (read_by, place) = read(url).unwrap();
            assert_eq!((read_by, &*place.host, place.port), (by, host, port), "{url}");
        }
        assert_eq!(read("stun:a.example"), None);
    }
}
