//! How an allocation comes to be (RFC 8656 section 7.2): checked, given a place, its relays opened, then answered.

use std::net::SocketAddr;
use std::time::Duration;

use super::allocation::{Allocation, Opening, Relay, Signer};
use super::channels::{Channels, Permissions};
use super::event::{Family, FiveTuple, NoPortLeft, Now, Output, RelayId};
use super::rate::TokenBucket;
use super::requests::granted;
use super::state::Core;
use crate::credentials::Claim;
use crate::message::incoming::{Incoming, Request};
use crate::message::refusal::Refusal;
use crate::message::reply::Reply;

/// The number of UDP among protocols: what relays speak.
const UDP: u8 = 17;

impl Core {
    /// Begins an allocation, or answers one that was asked for again. There is no answer yet while relays are opened.
    pub(super) fn allocate(
        &mut self,
        client: FiveTuple,
        request: &Request<'_>,
        signer: &Signer,
        outputs: &mut Vec<Output<'_>>,
    ) -> Result<Option<Reply>, Refusal> {
        if let Some(allocation) = self.allocations.get(&client) {
            return answered_again(allocation, client, request).map(Some);
        }
        if self.openings.contains_key(&client) {
            return Ok(None);
        }
        match request.requested_transport()? {
            None => return Err(Refusal::BadRequest),
            Some(UDP) => {}
            Some(_) => return Err(Refusal::UnsupportedTransport),
        }
        let lifetime = granted(request.lifetime()?);
        let parity = request.parity()?;
        let (wanted, missing) = self.available(Self::wanted(request)?)?;
        let device = Claim::read(&signer.username).ok_or(Refusal::Unauthorized)?.device;
        let place = self.terms.quotas.take(device, client.client.ip());
        let place = place.ok_or(Refusal::AllocationQuotaReached)?;
        let awaited: Vec<_> =
            wanted.into_iter().map(|family| (self.next_relay(), family)).collect();
        outputs.extend(awaited.iter().map(|&(id, family)| Output::OpenRelay(id, family, parity)));
        self.clients.extend(awaited.iter().map(|&(id, _)| (id, client)));
        let (request, signer) = (request.bytes().to_vec(), signer.clone());
        let relays = Vec::new();
        let opening = Opening { request, signer, lifetime, awaited, relays, missing, place };
        self.openings.insert(client, opening);
        Ok(None)
    }

    /// The wanted families that there are, and those that there are not.
    #[expect(clippy::type_complexity, reason = "two lists")]
    fn available(
        &self,
        wanted: Vec<Family>,
    ) -> Result<(Vec<Family>, Vec<(Family, Refusal)>), Refusal> {
        let here = |family: &Family| self.terms.relays.host(*family).is_some();
        let (here, missing): (Vec<_>, Vec<_>) = wanted.into_iter().partition(here);
        if here.is_empty() {
            return Err(Refusal::AddressFamilyNotSupported);
        }
        let why = |family| (family, Refusal::AddressFamilyNotSupported);
        Ok((here, missing.into_iter().map(why).collect()))
    }

    pub(super) fn relay_opened<'a>(
        &mut self,
        id: RelayId,
        result: Result<SocketAddr, NoPortLeft>,
        now: Now,
    ) -> Vec<Output<'a>> {
        let client = self.clients.get(&id).copied();
        let opening = client.and_then(|client| self.openings.get_mut(&client).zip(Some(client)));
        let Some((opening, client)) = opening else {
            // The client has gone in the meantime.
            return result.map(|_| Output::CloseRelay(id)).into_iter().collect();
        };
        let Some(at) = opening.awaited.iter().position(|(awaited, _)| *awaited == id) else {
            return Vec::new();
        };
        let (_, family) = opening.awaited.swap_remove(at);
        if let (Ok(bound), Some(host)) = (result, self.terms.relays.host(family)) {
            let address = SocketAddr::new(host.advertised, bound.port());
            opening.relays.push(Relay { id, address });
            self.terms.relays.opened(address);
        } else {
            opening.missing.push((family, Refusal::InsufficientCapacity));
            self.clients.remove(&id);
        }
        if opening.awaited.is_empty() { self.conclude(client, now) } else { Vec::new() }
    }

    /// All relays are reported: the client gets its answer.
    fn conclude<'a>(&mut self, client: FiveTuple, now: Now) -> Vec<Output<'a>> {
        let Some(mut opening) = self.openings.remove(&client) else { return Vec::new() };
        let bytes = std::mem::take(&mut opening.request);
        let Some(Incoming::Request(request)) = Incoming::read(&bytes) else { return Vec::new() };
        let signer = opening.signer.clone();
        let reply = if opening.relays.is_empty() {
            self.refusal(&request, &Refusal::InsufficientCapacity)
        } else {
            self.made(client, opening, &request, now)
        };
        vec![Output::ToClient(client, reply.signed(signer.integrity, &signer.key))]
    }

    fn made(
        &mut self,
        client: FiveTuple,
        mut opening: Opening,
        request: &Request<'_>,
        now: Now,
    ) -> Reply {
        opening.relays.sort_by_key(|relay| relay.id);
        let bucket = TokenBucket::new(self.terms.bandwidth, now.steady);
        let allocation = Allocation {
            username: opening.signer.username,
            transaction: request.transaction(),
            lifetime: opening.lifetime,
            expires: now.steady + Duration::from_secs(opening.lifetime.into()),
            relays: opening.relays,
            permissions: Permissions::default(),
            channels: Channels::default(),
            to_peers: bucket,
            to_client: bucket,
            _place: opening.place,
        };
        self.terms.counters.allocations_made.add(1);
        let reply = success(&allocation, client, request);
        self.add(client, allocation);
        opening.missing.iter().fold(reply, |reply, (family, why)| reply.without(*family, why))
    }
}

/// A client that has an allocation gets no second one, but its answer may have been lost (RFC 8656 section 7.2).
fn answered_again(
    allocation: &Allocation,
    client: FiveTuple,
    request: &Request<'_>,
) -> Result<Reply, Refusal> {
    if allocation.transaction == request.transaction() {
        Ok(success(allocation, client, request))
    } else {
        Err(Refusal::AllocationMismatch)
    }
}

fn success(allocation: &Allocation, client: FiveTuple, request: &Request<'_>) -> Reply {
    let relayed = |reply: Reply, relay: &Relay| reply.relayed(relay.address);
    let reply = allocation.relays.iter().fold(Reply::success(request), relayed);
    reply.lifetime(allocation.lifetime).mapped(client.client)
}
