//! Whether a request comes from whom it says (RFC 8489 section 9.2.4).

use super::allocation::Signer;
use super::event::{FiveTuple, Now};
use super::state::Core;
use crate::credentials::{Claim, password};
use crate::message::incoming::{Method, Request};
use crate::message::integrity::Key;
use crate::message::refusal::Refusal;

impl Core {
    /// Who sent a request.
    ///
    /// # Errors
    ///
    /// 400, 401 or 438. Nothing is proven then, so the answer is not signed.
    pub(super) fn authenticate(
        &self,
        client: FiveTuple,
        request: &Request<'_>,
        now: Now,
    ) -> Result<Signer, Refusal> {
        let integrity = request.integrity().ok_or(Refusal::Unauthorized)?;
        let (username, nonce) = request.credentials()?;
        if !self.terms.nonces.is_fresh(&nonce, client.client, now.unix) {
            return Err(Refusal::StaleNonce);
        }
        let claim = Claim::read(&username).ok_or(Refusal::Unauthorized)?;
        let password = password(&self.terms.secret, &username);
        let key = Key::new(&username, &self.terms.realm, &password);
        let good = request.is_signed(integrity, &key)
            && !(takes_time(request) && claim.has_expired(now.unix));
        if good { Ok(Signer { username, key, integrity }) } else { Err(Refusal::Unauthorized) }
    }
}

/// Whether a request asks for time on the server. Only these need credentials that have not expired: what was granted
/// can be used to its end, and given back. coturn looks at the expiry only once for an allocation, so that one that is
/// refreshed never ends.
fn takes_time(request: &Request<'_>) -> bool {
    match request.method() {
        Method::Allocate => true,
        Method::Refresh => request.lifetime() != Ok(Some(0)),
        Method::Binding | Method::CreatePermission | Method::ChannelBind => false,
    }
}
