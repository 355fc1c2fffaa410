//! The peers that an allocation may exchange data with: permissions and channels (RFC 8656 sections 9 and 12).

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use crate::message::refusal::Refusal;

/// How long a permission lasts (RFC 8656 section 9).
const PERMISSION: Duration = Duration::from_mins(5);
/// How long a channel lasts (RFC 8656 section 12).
const CHANNEL: Duration = Duration::from_mins(10);
/// The numbers of channels. RFC 8656 section 12 leaves clients those below 0x5000; clients of RFC 5766, coturn's among
/// them, use all of these.
const NUMBERS: RangeInclusive<u16> = 0x4000..=0x7FFF;
/// Hosts and channels of one allocation: far more than the candidates of a peer, and little memory.
const MOST: usize = 256;

/// Who may send to a client, and be sent to.
#[derive(Debug, Default)]
pub struct Permissions {
    until: HashMap<IpAddr, Instant>,
}

impl Permissions {
    /// Permits these hosts, or permits them for longer.
    ///
    /// # Errors
    ///
    /// 508 when there would be too many; then nothing is changed.
    pub fn grant(&mut self, hosts: &[IpAddr], now: Instant) -> Result<(), Refusal> {
        self.until.retain(|_, until| *until > now);
        let new = hosts.iter().filter(|host| !self.until.contains_key(host)).count();
        if self.until.len() + new > MOST {
            return Err(Refusal::InsufficientCapacity);
        }
        self.until.extend(hosts.iter().map(|host| (*host, now + PERMISSION)));
        Ok(())
    }

    /// Whether a host is permitted now.
    #[must_use]
    pub fn has(&self, host: IpAddr, now: Instant) -> bool {
        self.until.get(&host).is_some_and(|until| *until > now)
    }
}

/// Numbers that stand for peers.
#[derive(Debug, Default)]
pub struct Channels {
    by_number: HashMap<u16, Channel>,
    by_peer: HashMap<SocketAddr, u16>,
}

#[derive(Debug)]
struct Channel {
    peer: SocketAddr,
    until: Instant,
}

impl Channels {
    /// Whether this number may be bound to this peer (RFC 8656 section 12.2).
    ///
    /// # Errors
    ///
    /// 400 when the number is none of a channel, or when one of both is bound to something else; 508 when there are too
    /// many.
    pub fn may_bind(&mut self, number: u16, peer: SocketAddr, now: Instant) -> Result<(), Refusal> {
        self.by_number.retain(|_, channel| channel.until > now);
        self.by_peer.retain(|_, number| self.by_number.contains_key(number));
        let bound = self.by_number.get(&number).map(|channel| channel.peer);
        match (bound, self.by_peer.get(&peer)) {
            _ if !NUMBERS.contains(&number) => Err(Refusal::BadRequest),
            (None, None) if self.by_number.len() >= MOST => Err(Refusal::InsufficientCapacity),
            (None, None) => Ok(()),
            (Some(bound), _) if bound == peer => Ok(()),
            _ => Err(Refusal::BadRequest),
        }
    }

    /// Binds a number to a peer, or binds it for longer.
    pub fn bind(&mut self, number: u16, peer: SocketAddr, now: Instant) {
        self.by_number.insert(number, Channel { peer, until: now + CHANNEL });
        self.by_peer.insert(peer, number);
    }

    /// The peer for which a number stands now.
    #[must_use]
    pub fn peer(&self, number: u16, now: Instant) -> Option<SocketAddr> {
        self.by_number
            .get(&number)
            .filter(|channel| channel.until > now)
            .map(|channel| channel.peer)
    }

    /// The number that stands for a peer now.
    #[must_use]
    pub fn number(&self, peer: SocketAddr, now: Instant) -> Option<u16> {
        self.by_peer.get(&peer).copied().filter(|number| self.peer(*number, now).is_some())
    }
}
