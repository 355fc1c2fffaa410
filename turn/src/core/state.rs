//! The state of one shard: its allocations, and when they end.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Instant;

use super::allocation::{Allocation, Opening};
use super::event::{FiveTuple, Input, Now, Output, RelayId};
use super::terms::Terms;
use crate::message::channel_data;
use crate::message::incoming::Incoming;

/// A STUN and TURN server for the clients of one shard.
#[derive(Debug)]
pub struct Core {
    pub(super) terms: Arc<Terms>,
    pub(super) allocations: HashMap<FiveTuple, Allocation>,
    pub(super) openings: HashMap<FiveTuple, Opening>,
    pub(super) clients: HashMap<RelayId, FiveTuple>,
    expiries: BTreeSet<(Instant, FiveTuple)>,
    relays_named: u64,
    pub(super) indications: u128,
}

impl Core {
    /// Without any client.
    #[must_use]
    pub fn new(terms: Arc<Terms>) -> Self {
        Self {
            terms,
            allocations: HashMap::new(),
            openings: HashMap::new(),
            clients: HashMap::new(),
            expiries: BTreeSet::new(),
            relays_named: 0,
            indications: 0,
        }
    }

    /// Applies one input and says what must happen next, in order.
    pub fn handle<'a>(&mut self, input: Input<'a>, now: Now) -> Vec<Output<'a>> {
        match input {
            Input::FromClient(client, bytes) if channel_data::is_channel_data(bytes) => {
                self.channel_data(client, bytes, now).into_iter().collect()
            }
            Input::FromClient(client, bytes) => match Incoming::read(bytes) {
                Some(Incoming::Request(request)) => self.request(client, &request, now),
                Some(Incoming::Send { peer, data }) => {
                    self.send(client, peer, data, now).into_iter().collect()
                }
                None => Vec::new(),
            },
            Input::FromPeer(relay, peer, data) => {
                self.pass_to_client(relay, peer, data, now).into_iter().collect()
            }
            Input::RelayOpened(relay, result) => self.relay_opened(relay, result, now),
            Input::Disconnected(client) => self.end(client),
            Input::Tick => self.expire(now),
        }
    }

    /// When [`Input::Tick`] is due.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.expiries.first().map(|(at, _)| *at)
    }

    /// Whether a client has an allocation, or gets one.
    #[must_use]
    pub fn has_allocation(&self, client: FiveTuple) -> bool {
        self.allocations.contains_key(&client) || self.openings.contains_key(&client)
    }

    /// Whether nothing is remembered of anybody.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.allocations.is_empty()
            && self.openings.is_empty()
            && self.clients.is_empty()
            && self.expiries.is_empty()
    }

    pub(super) fn next_relay(&mut self) -> RelayId {
        self.relays_named += 1;
        RelayId(self.relays_named)
    }

    pub(super) fn add(&mut self, client: FiveTuple, allocation: Allocation) {
        self.expiries.insert((allocation.expires, client));
        self.allocations.insert(client, allocation);
    }

    /// Lets an allocation last until another time.
    pub(super) fn extend(&mut self, client: FiveTuple, lifetime: u32, expires: Instant) {
        if let Some(allocation) = self.allocations.get_mut(&client) {
            self.expiries.remove(&(allocation.expires, client));
            self.expiries.insert((expires, client));
            (allocation.lifetime, allocation.expires) = (lifetime, expires);
        }
    }

    /// Forgets what a client has. Its relays must be closed.
    pub(super) fn end<'a>(&mut self, client: FiveTuple) -> Vec<Output<'a>> {
        let allocation = self.allocations.remove(&client);
        let opening = self.openings.remove(&client);
        let mut relays = opening.map(|opening| opening.relays).unwrap_or_default();
        if let Some(allocation) = allocation {
            self.expiries.remove(&(allocation.expires, client));
            relays.extend(&allocation.relays);
        }
        for relay in &relays {
            self.clients.remove(&relay.id);
            self.terms.relays.closed(relay.address);
        }
        relays.into_iter().map(|relay| Output::CloseRelay(relay.id)).collect()
    }

    fn expire<'a>(&mut self, now: Now) -> Vec<Output<'a>> {
        let mut outputs = Vec::new();
        while let Some((at, client)) = self.expiries.first().copied() {
            if at > now.steady {
                break;
            }
            outputs.extend(self.end(client));
            if client.is_stream() {
                outputs.push(Output::Disconnect(client));
            }
        }
        outputs
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        for client in self.allocations.keys().copied().collect::<Vec<_>>() {
            self.end(client);
        }
    }
}
