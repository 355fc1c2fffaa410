//! Data between a client and its peers. Nothing here is answered: what may not pass is dropped and counted.

use std::net::SocketAddr;

use super::event::{FiveTuple, Now, Output, RelayId};
use super::state::Core;
use crate::message::channel_data;
use crate::message::reply::data_indication;

/// The most bytes of one datagram of a peer that fit a message, whose length has 16 bits, with its other attributes.
const LONGEST_DATA: usize = 65_000;

/// The headers of IPv4 and UDP, so that empty datagrams are not free.
const HEADERS: usize = 28;

impl Core {
    /// A `ChannelData` message of a client (RFC 8656 section 12.5).
    pub(super) fn channel_data<'a>(
        &mut self,
        client: FiveTuple,
        bytes: &'a [u8],
        now: Now,
    ) -> Option<Output<'a>> {
        let (number, data) = channel_data::read(bytes)?;
        let peer = self.allocations.get(&client)?.channels.peer(number, now.steady)?;
        self.pass_to_peer(client, peer, data, now)
    }

    /// A Send indication of a client (RFC 8656 section 11.2).
    pub(super) fn send<'a>(
        &mut self,
        client: FiveTuple,
        peer: SocketAddr,
        data: &'a [u8],
        now: Now,
    ) -> Option<Output<'a>> {
        if !self.allocations.get(&client)?.permissions.has(peer.ip(), now.steady) {
            self.terms.counters.dropped_by_permission.add(1);
            return None;
        }
        self.pass_to_peer(client, peer, data, now)
    }

    fn pass_to_peer<'a>(
        &mut self,
        client: FiveTuple,
        peer: SocketAddr,
        data: &'a [u8],
        now: Now,
    ) -> Option<Output<'a>> {
        let (allocation, counters) = (self.allocations.get_mut(&client)?, &self.terms.counters);
        let relay = allocation.relay_for(&peer)?;
        if peer.port() == 0 || !self.terms.may_reach(peer) {
            counters.dropped_by_permission.add(1);
            return None;
        }
        if !allocation.to_peers.take(data.len() + HEADERS, now.steady) {
            counters.dropped_by_bandwidth.add(1);
            return None;
        }
        counters.bytes_to_peers.add(data.len());
        counters.datagrams_to_peers.add(1);
        Some(Output::ToPeer(relay.id, self.terms.relays.inward(peer), data))
    }

    /// A datagram of a peer (RFC 8656 sections 11.3 and 12.6): it needs a permission, and comes by a channel if one is
    /// bound.
    pub(super) fn pass_to_client<'a>(
        &mut self,
        relay: RelayId,
        source: SocketAddr,
        data: &[u8],
        now: Now,
    ) -> Option<Output<'a>> {
        let client = *self.clients.get(&relay)?;
        let (allocation, counters) = (self.allocations.get_mut(&client)?, &self.terms.counters);
        let peer = self.terms.relays.outward(source);
        if !allocation.permissions.has(peer.ip(), now.steady) || !self.terms.may_reach(peer) {
            counters.dropped_by_permission.add(1);
            return None;
        }
        if data.len() > LONGEST_DATA {
            counters.dropped_by_system.add(1);
            return None;
        }
        if !allocation.to_client.take(data.len() + HEADERS, now.steady) {
            counters.dropped_by_bandwidth.add(1);
            return None;
        }
        counters.bytes_to_clients.add(data.len());
        counters.datagrams_to_clients.add(1);
        let message = if let Some(number) = allocation.channels.number(peer, now.steady) {
            channel_data::write(number, data, client.is_stream())
        } else {
            self.indications += 1;
            data_indication(self.indications, peer, data)
        };
        Some(Output::ToClient(client, message))
    }
}
