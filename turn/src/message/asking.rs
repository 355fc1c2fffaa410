//! What a client sends, and what it gets: the other side of `incoming` and `reply`, by which a server is tried out.

use std::net::SocketAddr;

use stun_types::attribute::{
    AttributeFromRaw, AttributeStaticType, AttributeWrite, ErrorCode, Nonce, RawAttribute, Realm,
    Username, XorMappedAddress,
};
use stun_types::message::{
    BINDING, Message, MessageClass, MessageType, MessageWrite, MessageWriteVec, TransactionId,
};
use turn_types::AddressFamily;
use turn_types::attribute::{
    Data, Lifetime, RequestedAddressFamily, RequestedTransport, XorPeerAddress, XorRelayedAddress,
};
use turn_types::message::{ALLOCATE, CREATE_PERMISSION, DATA, REFRESH, SEND};

use super::incoming::{Family, Method};
use super::integrity::{Integrity, Key};

/// UDP, by IANA's number: what relays speak to peers.
const UDP: u8 = 17;

/// A request that is being written.
#[derive(Debug)]
pub struct Asking {
    message: MessageWriteVec,
    transaction: TransactionId,
}

impl Asking {
    /// A request with a transaction of its own, of which 96 bits count.
    #[must_use]
    pub fn new(method: Method, transaction: u128) -> Self {
        let transaction = TransactionId::from(transaction);
        let method = match method {
            Method::Allocate => ALLOCATE,
            Method::Refresh => REFRESH,
            Method::CreatePermission => CREATE_PERMISSION,
            Method::Binding | Method::ChannelBind => BINDING,
        };
        let kind = MessageType::from_class_method(MessageClass::Request, method);
        let message = Message::builder(kind, transaction, MessageWriteVec::with_capacity(256));
        Self { message, transaction }
    }

    /// Wants a relay for datagrams, with an address of this family.
    #[must_use]
    pub fn relay(mut self, family: Family) -> Self {
        self.add(&RequestedTransport::new(UDP));
        // Without a wish it is IPv4 (RFC 8656 section 7.1), also at a server that knows of no other.
        if family == Family::V6 {
            self.add(&RequestedAddressFamily::new(AddressFamily::IPV6));
        }
        self
    }

    /// Names a peer.
    #[must_use]
    pub fn peer(mut self, peer: SocketAddr) -> Self {
        self.add(&XorPeerAddress::new(peer, self.transaction));
        self
    }

    /// Wishes a lifetime in seconds; 0 is the end.
    #[must_use]
    pub fn lifetime(mut self, seconds: u32) -> Self {
        self.add(&Lifetime::new(seconds));
        self
    }

    /// The number by which the answer is known.
    #[must_use]
    pub fn transaction(&self) -> u128 {
        self.transaction.into()
    }

    /// The bytes, without a name.
    #[must_use]
    pub fn unsigned(self) -> Vec<u8> {
        self.message.finish()
    }

    /// The bytes, signed by who has the key.
    #[must_use]
    pub fn signed(mut self, username: &str, realm: &str, nonce: &str, key: &Key) -> Vec<u8> {
        self.add(&RawAttribute::new(Username::TYPE, username.as_bytes()));
        self.add(&RawAttribute::new(Realm::TYPE, realm.as_bytes()));
        self.add(&RawAttribute::new(Nonce::TYPE, nonce.as_bytes()));
        key.sign(Integrity::Sha1, &mut self.message);
        self.message.finish()
    }

    fn add(&mut self, attribute: &dyn AttributeWrite) {
        self.message.push_attribute_unchecked(attribute);
    }
}

/// A Send indication: data for a peer (RFC 8656 section 11.1).
#[must_use]
pub fn send_indication(transaction: u128, peer: SocketAddr, data: &[u8]) -> Vec<u8> {
    let kind = MessageType::from_class_method(MessageClass::Indication, SEND);
    let transaction = TransactionId::from(transaction);
    let writer = MessageWriteVec::with_capacity(data.len() + 56);
    let mut message = Message::builder(kind, transaction, writer);
    message.push_attribute_unchecked(&XorPeerAddress::new(peer, transaction));
    message.push_attribute_unchecked(&Data::new(data));
    message.finish()
}

/// What a server said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// To a request.
    Answer(Answer),
    /// What a peer sent.
    Data(SocketAddr, Vec<u8>),
}

/// An answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Of the request.
    pub transaction: u128,
    /// The code of a refusal; none of a success.
    pub code: Option<u16>,
    /// What to sign the next request with.
    pub challenge: Option<(String, String)>,
    /// The address under which the client is seen.
    pub mapped: Option<SocketAddr>,
    /// The address of the relay.
    pub relayed: Option<SocketAddr>,
}

impl Said {
    /// Reads one whole message.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let message = Message::from_bytes(bytes).ok()?;
        let transaction = message.transaction_id();
        match message.class() {
            MessageClass::Indication if message.has_method(DATA) => {
                let peer = attribute::<XorPeerAddress>(&message)?.addr(transaction);
                let data = message.raw_attribute(Data::TYPE)?.value.to_vec();
                Some(Self::Data(peer, data))
            }
            MessageClass::Success | MessageClass::Error => {
                let failed = message.class() == MessageClass::Error;
                let code = attribute::<ErrorCode>(&message).map_or(500, |error| error.code());
                let realm = attribute::<Realm>(&message).map(|realm| realm.realm().to_owned());
                let nonce = attribute::<Nonce>(&message).map(|nonce| nonce.nonce().to_owned());
                let mapped = attribute::<XorMappedAddress>(&message);
                let relayed = attribute::<XorRelayedAddress>(&message);
                Some(Self::Answer(Answer {
                    transaction: transaction.into(),
                    code: failed.then_some(code),
                    challenge: realm.zip(nonce),
                    mapped: mapped.map(|address| address.addr(transaction)),
                    relayed: relayed.map(|address| address.addr(transaction)),
                }))
            }
            _ => None,
        }
    }
}

fn attribute<A>(message: &Message<'_>) -> Option<A>
where
    A: AttributeStaticType + AttributeFromRaw<'static>,
{
    A::from_raw_ref(&message.raw_attribute(A::TYPE)?).ok()
}
