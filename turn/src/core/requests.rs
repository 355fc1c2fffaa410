//! Requests: Binding, Refresh, `CreatePermission` and `ChannelBind`. Allocate has its own file.

use std::net::SocketAddr;
use std::time::Duration;

use super::allocation::{Allocation, Signer};
use super::event::{Family, FiveTuple, Now, Output};
use super::state::Core;
use crate::message::incoming::{Method, Request};
use crate::message::refusal::Refusal;
use crate::message::reply::Reply;

/// The lifetime of an allocation for a client that wishes none, and the shortest, in seconds (RFC 8656 section 3.2).
const SHORTEST: u32 = 600;
/// The longest lifetime, in seconds (RFC 8656 section 7.2 recommends an hour).
const LONGEST: u32 = 3_600;

/// The lifetime that is granted, in seconds.
pub(super) fn granted(wished: Option<u32>) -> u32 {
    wished.unwrap_or(SHORTEST).clamp(SHORTEST, LONGEST)
}

impl Core {
    pub(super) fn request<'a>(
        &mut self,
        client: FiveTuple,
        request: &Request<'_>,
        now: Now,
    ) -> Vec<Output<'a>> {
        if request.method() == Method::Binding {
            return vec![Output::ToClient(client, self.binding(client, request))];
        }
        let signer = match self.authenticate(client, request, now) {
            Ok(signer) => signer,
            Err(refusal) => {
                let reply = self.unproven(client, request, &refusal, now);
                return vec![Output::ToClient(client, reply)];
            }
        };
        let mut outputs = Vec::new();
        let reply = match self.authenticated(client, request, &signer, now, &mut outputs) {
            Ok(reply) => reply,
            Err(refusal) => Some(self.refusal(request, &refusal)),
        };
        let bytes = reply.map(|reply| reply.signed(signer.integrity, &signer.key));
        outputs.extend(bytes.map(|bytes| Output::ToClient(client, bytes)));
        outputs
    }

    fn authenticated(
        &mut self,
        client: FiveTuple,
        request: &Request<'_>,
        signer: &Signer,
        now: Now,
        outputs: &mut Vec<Output<'_>>,
    ) -> Result<Option<Reply>, Refusal> {
        request.understood()?;
        match request.method() {
            Method::Allocate => self.allocate(client, request, signer, outputs),
            Method::Refresh => self.refresh(client, request, signer, now, outputs).map(Some),
            Method::CreatePermission => self.permit(client, request, signer, now).map(Some),
            Method::ChannelBind => self.bind(client, request, signer, now).map(Some),
            Method::Binding => Ok(None),
        }
    }

    /// Binding needs no credentials: it tells only what the client's own packet said (RFC 8489 section 3).
    fn binding(&self, client: FiveTuple, request: &Request<'_>) -> Vec<u8> {
        match request.understood() {
            Ok(()) => Reply::success(request).mapped(client.client).unsigned(),
            Err(refusal) => self.refusal(request, &refusal).unsigned(),
        }
    }

    /// The answer to somebody who has not proven anything, with what a proof needs.
    fn unproven(
        &self,
        client: FiveTuple,
        request: &Request<'_>,
        refusal: &Refusal,
        now: Now,
    ) -> Vec<u8> {
        let reply = self.refusal(request, refusal);
        if *refusal == Refusal::BadRequest {
            return reply.unsigned();
        }
        let nonce = self.terms.nonces.make(client.client, now.unix);
        reply.challenge(&self.terms.realm, &nonce).unsigned()
    }

    pub(super) fn refusal(&self, request: &Request<'_>, refusal: &Refusal) -> Reply {
        let counters = &self.terms.counters;
        counters.refused.add(1);
        match refusal {
            Refusal::Unauthorized => counters.unauthorized.add(1),
            Refusal::AllocationQuotaReached => counters.over_quota.add(1),
            _ => {}
        }
        Reply::refusal(request, refusal)
    }

    /// RFC 8656 section 8.2. Both relays of an allocation have one lifetime.
    fn refresh(
        &mut self,
        client: FiveTuple,
        request: &Request<'_>,
        signer: &Signer,
        now: Now,
        outputs: &mut Vec<Output<'_>>,
    ) -> Result<Reply, Refusal> {
        let allocation = self.allocation(client, signer)?;
        if let Some(family) = request.requested_family()? {
            let known = allocation.relays.iter().any(|relay| relay.family() == family);
            known.then_some(()).ok_or(Refusal::PeerAddressFamilyMismatch)?;
        }
        let lifetime = match request.lifetime()? {
            Some(0) => {
                outputs.extend(self.end(client));
                0
            }
            wished => {
                let lifetime = granted(wished);
                let expires = now.steady + Duration::from_secs(lifetime.into());
                self.extend(client, lifetime, expires);
                lifetime
            }
        };
        Ok(Reply::success(request).lifetime(lifetime))
    }

    /// RFC 8656 section 10.2: all of the hosts, or none.
    fn permit(
        &mut self,
        client: FiveTuple,
        request: &Request<'_>,
        signer: &Signer,
        now: Now,
    ) -> Result<Reply, Refusal> {
        self.allocation(client, signer)?;
        let peers = request.peers()?;
        peers.iter().try_for_each(|peer| self.check_peer(client, signer, peer))?;
        let hosts: Vec<_> = peers.iter().map(SocketAddr::ip).collect();
        self.allocation(client, signer)?.permissions.grant(&hosts, now.steady)?;
        Ok(Reply::success(request))
    }

    /// RFC 8656 section 12.2. A channel comes with a permission.
    fn bind(
        &mut self,
        client: FiveTuple,
        request: &Request<'_>,
        signer: &Signer,
        now: Now,
    ) -> Result<Reply, Refusal> {
        self.allocation(client, signer)?;
        let number = request.channel()?.ok_or(Refusal::BadRequest)?;
        let [peer] = request.peers()?[..] else { return Err(Refusal::BadRequest) };
        self.check_peer(client, signer, &peer)?;
        let allocation = self.allocation(client, signer)?;
        allocation.channels.may_bind(number, peer, now.steady)?;
        allocation.permissions.grant(&[peer.ip()], now.steady)?;
        allocation.channels.bind(number, peer, now.steady);
        Ok(Reply::success(request))
    }

    /// A denied host is refused as such, whatever relay the client has.
    fn check_peer(
        &mut self,
        client: FiveTuple,
        signer: &Signer,
        peer: &SocketAddr,
    ) -> Result<(), Refusal> {
        if !self.terms.may_permit(peer.ip()) {
            return Err(Refusal::Forbidden);
        }
        let reached = self.allocation(client, signer)?.relay_for(peer).is_some();
        reached.then_some(()).ok_or(Refusal::PeerAddressFamilyMismatch)
    }

    /// The allocation of a client, for the user who made it (RFC 8656 section 5).
    fn allocation(
        &mut self,
        client: FiveTuple,
        signer: &Signer,
    ) -> Result<&mut Allocation, Refusal> {
        match self.allocations.get_mut(&client) {
            None => Err(Refusal::AllocationMismatch),
            Some(allocation) if allocation.username != signer.username => {
                Err(Refusal::WrongCredentials)
            }
            Some(allocation) => Ok(allocation),
        }
    }

    /// The families of which a client wants relays (RFC 8656 section 7.2, steps 5 to 7).
    ///
    /// # Errors
    ///
    /// 400 when the wishes exclude each other, 440 for a family that nobody knows.
    pub(super) fn wanted(request: &Request<'_>) -> Result<Vec<Family>, Refusal> {
        let additional = request.additional_family()?;
        match (request.requested_family()?, additional) {
            (Some(_), Some(_)) | (None, Some(Family::V4)) => Err(Refusal::BadRequest),
            (Some(family), None) => Ok(vec![family]),
            (None, None) => Ok(vec![Family::V4]),
            (None, Some(Family::V6)) => Ok(vec![Family::V4, Family::V6]),
        }
    }
}
