//! What a client gets: answers to requests, and Data indications.

use std::net::SocketAddr;

use stun_types::attribute::{
    AttributeType, AttributeWrite, ErrorCode, Nonce, RawAttribute, Realm, UnknownAttributes,
    XorMappedAddress,
};
use stun_types::message::{
    Message, MessageClass, MessageType, MessageWrite, MessageWriteExt, MessageWriteVec,
    TransactionId,
};
use stun_types::prelude::AttributeStaticType;
use turn_types::AddressFamily;
use turn_types::attribute::{AddressErrorCode, Data, Lifetime, XorPeerAddress, XorRelayedAddress};
use turn_types::message::DATA;

use super::incoming::{Family, Request};
use super::integrity::{Integrity, Key};
use super::refusal::Refusal;

/// An answer that is being written.
#[derive(Debug)]
pub struct Reply {
    message: MessageWriteVec,
    transaction: TransactionId,
    fingerprint: bool,
}

impl Reply {
    /// What was asked for is done.
    #[must_use]
    pub fn success(request: &Request<'_>) -> Self {
        Self::new(request, MessageClass::Success)
    }

    /// What was asked for is not done.
    #[must_use]
    pub fn refusal(request: &Request<'_>, refusal: &Refusal) -> Self {
        let mut reply = Self::new(request, MessageClass::Error);
        let mut code = error_code(refusal);
        code.extend(refusal.reason().bytes());
        reply.add(&RawAttribute::new(ErrorCode::TYPE, &code));
        if let Refusal::UnknownAttributes(unknown) = refusal {
            let unknown: Vec<_> = unknown.iter().map(|&kind| AttributeType::new(kind)).collect();
            reply.add(&UnknownAttributes::new(&unknown));
        }
        reply
    }

    fn new(request: &Request<'_>, class: MessageClass) -> Self {
        let transaction = request.message.transaction_id();
        let kind = MessageType::from_class_method(class, request.message.method());
        let message = Message::builder(kind, transaction, MessageWriteVec::with_capacity(128));
        Self { message, transaction, fingerprint: request.has_fingerprint() }
    }

    /// Adds the address under which the client is seen.
    #[must_use]
    pub fn mapped(mut self, client: SocketAddr) -> Self {
        self.add(&XorMappedAddress::new(client, self.transaction));
        self
    }

    /// Adds a relayed transport address.
    #[must_use]
    pub fn relayed(mut self, address: SocketAddr) -> Self {
        self.add(&XorRelayedAddress::new(address, self.transaction));
        self
    }

    /// Adds the time until the allocation ends, in seconds.
    #[must_use]
    pub fn lifetime(mut self, seconds: u32) -> Self {
        self.add(&Lifetime::new(seconds));
        self
    }

    /// Says that one of two wanted relays could not be had (RFC 8656 section 7.2).
    #[must_use]
    pub fn without(mut self, family: Family, refusal: &Refusal) -> Self {
        let family = match family {
            Family::V4 => AddressFamily::IPV4,
            Family::V6 => AddressFamily::IPV6,
        };
        if let Ok(error) = ErrorCode::new(refusal.code(), refusal.reason()) {
            self.add(&AddressErrorCode::new(family, error));
        }
        self
    }

    /// Adds what the client needs to prove who it is.
    #[must_use]
    pub fn challenge(mut self, realm: &str, nonce: &str) -> Self {
        self.add(&RawAttribute::new(Realm::TYPE, realm.as_bytes()));
        self.add(&RawAttribute::new(Nonce::TYPE, nonce.as_bytes()));
        self
    }

    /// The bytes of the answer, signed with the client's key.
    #[must_use]
    pub fn signed(mut self, integrity: Integrity, key: &Key) -> Vec<u8> {
        key.sign(integrity, &mut self.message);
        self.unsigned()
    }

    /// The bytes of the answer.
    #[must_use]
    pub fn unsigned(mut self) -> Vec<u8> {
        if self.fingerprint {
            // It can only fail when there is one already.
            let _ = self.message.add_fingerprint();
        }
        self.message.finish()
    }

    fn add(&mut self, attribute: &dyn AttributeWrite) {
        self.message.push_attribute_unchecked(attribute);
    }
}

/// The number in the form of the wire: hundreds apart from the rest (RFC 8489 section 14.8).
fn error_code(refusal: &Refusal) -> Vec<u8> {
    let [hundreds, rest] =
        [refusal.code() / 100, refusal.code() % 100].map(|part| part.to_be_bytes()[1]);
    vec![0, 0, hundreds, rest]
}

/// A Data indication: what a peer sent (RFC 8656 section 11.6).
#[must_use]
pub fn data_indication(transaction: u128, peer: SocketAddr, data: &[u8]) -> Vec<u8> {
    let kind = MessageType::from_class_method(MessageClass::Indication, DATA);
    let transaction = TransactionId::from(transaction);
    let writer = MessageWriteVec::with_capacity(data.len() + 56);
    let mut message = Message::builder(kind, transaction, writer);
    message.push_attribute_unchecked(&XorPeerAddress::new(peer, transaction));
    message.push_attribute_unchecked(&Data::new(data));
    message.finish()
}
