//! What a client sends, read and checked for its form alone (RFC 8489 section 6.3).

use std::net::SocketAddr;

use stun_types::attribute::{
    Attribute, AttributeFromRaw, AttributeStaticType, AttributeType, Fingerprint, Nonce,
    PasswordAlgorithm, PasswordAlgorithms, RawAttribute, Realm, Username,
};
use stun_types::message::{BINDING, Message, MessageClass};
use tracing::dispatcher::{Dispatch, with_default};
use turn_types::AddressFamily;
use turn_types::attribute::{
    AdditionalAddressFamily, ChannelNumber, Data, EvenPort, Lifetime, RequestedAddressFamily,
    RequestedTransport, ReservationToken, XorPeerAddress,
};
use turn_types::message::{ALLOCATE, CHANNEL_BIND, CREATE_PERMISSION, REFRESH, SEND};

use super::integrity::{Integrity, Key};
use super::refusal::Refusal;

/// The longest request that is read, in bytes. Honest ones have a few hundred; what is longer costs time only.
const MAX_REQUEST: usize = 2_048;

/// The attributes that a server has to understand before it may act (below 0x8000), and that this one does.
const UNDERSTOOD: [AttributeType; 14] = [
    Username::TYPE,
    Realm::TYPE,
    Nonce::TYPE,
    AttributeType::new(0x0008),
    AttributeType::new(0x001C),
    PasswordAlgorithm::TYPE,
    ChannelNumber::TYPE,
    Lifetime::TYPE,
    XorPeerAddress::TYPE,
    Data::TYPE,
    RequestedAddressFamily::TYPE,
    EvenPort::TYPE,
    RequestedTransport::TYPE,
    ReservationToken::TYPE,
];

/// What a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Which address it is seen under (RFC 8489 section 3).
    Binding,
    /// A relayed transport address (RFC 8656 section 7).
    Allocate,
    /// More time, or the end (RFC 8656 section 8).
    Refresh,
    /// Leave to exchange data with the host of a peer (RFC 8656 section 10).
    CreatePermission,
    /// A number that stands for a peer (RFC 8656 section 12).
    ChannelBind,
}

/// A family of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Internet protocol, version 4.
    V4,
    /// Version 6.
    V6,
}

impl Family {
    /// The family of an address.
    #[must_use]
    pub fn of(address: &SocketAddr) -> Self {
        if address.is_ipv4() { Self::V4 } else { Self::V6 }
    }
}

impl From<AddressFamily> for Family {
    fn from(family: AddressFamily) -> Self {
        match family {
            AddressFamily::IPV4 => Self::V4,
            AddressFamily::IPV6 => Self::V6,
        }
    }
}

/// Which ports a client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parity {
    /// Whichever.
    Any,
    /// Even ones (RFC 8656 section 18.6).
    Even,
}

/// A message that deserves attention. Everything else is dropped without an answer.
#[derive(Debug)]
pub enum Incoming<'a> {
    /// It is answered.
    Request(Request<'a>),
    /// A Send indication: data for a peer (RFC 8656 section 11).
    Send {
        /// The peer.
        peer: SocketAddr,
        /// The data, as it stands in the message.
        data: &'a [u8],
    },
}

impl<'a> Incoming<'a> {
    /// Reads one whole message.
    #[must_use]
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let message = well_formed(bytes)?;
        match message.class() {
            MessageClass::Request if bytes.len() <= MAX_REQUEST => {
                let method = match message.method() {
                    BINDING => Method::Binding,
                    ALLOCATE => Method::Allocate,
                    REFRESH => Method::Refresh,
                    CREATE_PERMISSION => Method::CreatePermission,
                    CHANNEL_BIND => Method::ChannelBind,
                    _ => return None,
                };
                Some(Self::Request(Request { message, method, bytes }))
            }
            MessageClass::Indication if message.has_method(SEND) => {
                let request = Request { message, method: Method::Binding, bytes };
                // An indication with something unknown is dropped (RFC 8489 section 6.3.2). DONT-FRAGMENT is.
                request.understood().ok()?;
                let (offset, data) = message.raw_attribute_and_offset(Data::TYPE)?;
                let data = bytes.get(offset + 4..offset + 4 + data.value.len())?;
                Some(Self::Send { peer: *request.peers().ok()?.first()?, data })
            }
            _ => None,
        }
    }
}

/// A message whose length is that of the datagram. The library would read attributes after the message's end.
fn well_formed(bytes: &[u8]) -> Option<Message<'_>> {
    let length = u16::from_be_bytes([*bytes.get(2)?, *bytes.get(3)?]);
    if usize::from(length) + 20 != bytes.len() || !length.is_multiple_of(4) {
        return None;
    }
    // The library warns of each malformed message, and anybody could fill the log with them.
    with_default(&Dispatch::none(), || Message::from_bytes(bytes)).ok()
}

/// A request of a client.
#[derive(Debug)]
pub struct Request<'a> {
    pub(super) message: Message<'a>,
    method: Method,
    bytes: &'a [u8],
}

impl<'a> Request<'a> {
    /// What is asked for.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// The message as it came.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The same number means that a request was sent again.
    #[must_use]
    pub fn transaction(&self) -> u128 {
        self.message.transaction_id().into()
    }

    /// Whether the client wants a checksum in the reply.
    #[must_use]
    pub fn has_fingerprint(&self) -> bool {
        self.message.has_attribute(Fingerprint::TYPE)
    }

    /// Which attribute signs the request. The stronger one counts if both are there (RFC 8489 section 9.2.4).
    #[must_use]
    pub fn integrity(&self) -> Option<Integrity> {
        [Integrity::Sha256, Integrity::Sha1]
            .into_iter()
            .find(|integrity| self.message.has_attribute(integrity.attribute()))
    }

    /// Whether the request was signed with this key.
    #[must_use]
    pub fn is_signed(&self, integrity: Integrity, key: &Key) -> bool {
        self.message
            .raw_attribute_and_offset(integrity.attribute())
            .is_some_and(|(at, value)| key.has_signed(integrity, self.bytes, at, &value.value))
    }

    /// USERNAME, REALM and NONCE.
    ///
    /// # Errors
    ///
    /// 400 when one is missing, or when a choice among password algorithms is named that was never offered (RFC 8489
    /// section 9.2.4).
    pub fn credentials(&self) -> Result<(String, String), Refusal> {
        let algorithms = self.message.has_attribute(PasswordAlgorithm::TYPE)
            || self.message.has_attribute(PasswordAlgorithms::TYPE);
        let (username, realm, nonce) =
            (self.optional::<Username>()?, self.optional::<Realm>()?, self.optional::<Nonce>()?);
        match (username, realm, nonce) {
            (Some(username), Some(_), Some(nonce)) if !algorithms => {
                Ok((username.username().to_owned(), nonce.nonce().to_owned()))
            }
            _ => Err(Refusal::BadRequest),
        }
    }

    /// Whether everything in it is understood that must be.
    ///
    /// # Errors
    ///
    /// 420 with what is not (RFC 8489 section 6.3.1).
    pub fn understood(&self) -> Result<(), Refusal> {
        let unknown: Vec<u16> = self
            .message
            .iter_attributes()
            .map(|(_, attribute)| attribute.get_type())
            .filter(|kind| kind.comprehension_required() && !UNDERSTOOD.contains(kind))
            .map(|kind| kind.value())
            .collect();
        if unknown.is_empty() { Ok(()) } else { Err(Refusal::UnknownAttributes(unknown)) }
    }

    /// The peers it names, at least one.
    ///
    /// # Errors
    ///
    /// 400 when there is none, or one that is no address.
    pub fn peers(&self) -> Result<Vec<SocketAddr>, Refusal> {
        let transaction = self.message.transaction_id();
        let peers: Vec<SocketAddr> = self
            .message
            .iter_attributes()
            .filter(|(_, attribute)| attribute.get_type() == XorPeerAddress::TYPE)
            .map(|(_, raw)| read::<XorPeerAddress>(&raw).map(|peer| peer.addr(transaction)))
            .collect::<Result<_, _>>()?;
        if peers.is_empty() { Err(Refusal::BadRequest) } else { Ok(peers) }
    }

    /// The lifetime it wishes, in seconds.
    ///
    /// # Errors
    ///
    /// 400 when it is malformed; the same holds for all the following.
    pub fn lifetime(&self) -> Result<Option<u32>, Refusal> {
        Ok(self.optional::<Lifetime>()?.map(|lifetime| lifetime.seconds()))
    }

    /// The channel's number.
    pub fn channel(&self) -> Result<Option<u16>, Refusal> {
        Ok(self.optional::<ChannelNumber>()?.map(|channel| channel.channel()))
    }

    /// Which protocol the relay shall speak to peers, by IANA's number.
    pub fn requested_transport(&self) -> Result<Option<u8>, Refusal> {
        Ok(self.optional::<RequestedTransport>()?.map(|transport| transport.protocol()))
    }

    /// Which port it wants (RFC 8656 section 7.2, steps 8 and 9).
    ///
    /// # Errors
    ///
    /// 508 when it wants a pair of ports, which is for RTP without multiplexing: no browser speaks it any more.
    pub fn parity(&self) -> Result<Parity, Refusal> {
        let even = self.optional::<EvenPort>()?;
        if self.message.has_attribute(ReservationToken::TYPE) {
            return Err(Refusal::InsufficientCapacity);
        }
        match even.map(|even| even.requested()) {
            None => Ok(Parity::Any),
            Some(false) => Ok(Parity::Even),
            Some(true) => Err(Refusal::InsufficientCapacity),
        }
    }

    /// The family it wants.
    ///
    /// # Errors
    ///
    /// 440 for a family that nobody knows.
    pub fn requested_family(&self) -> Result<Option<Family>, Refusal> {
        let wanted = self.optional::<RequestedAddressFamily>();
        let wanted = wanted.map_err(|_| Refusal::AddressFamilyNotSupported)?;
        Ok(wanted.map(|wanted| wanted.family().into()))
    }

    /// The family it wants besides IPv4.
    pub fn additional_family(&self) -> Result<Option<Family>, Refusal> {
        Ok(self.optional::<AdditionalAddressFamily>()?.map(|wanted| wanted.family().into()))
    }

    fn optional<A>(&self) -> Result<Option<A>, Refusal>
    where
        A: AttributeStaticType + AttributeFromRaw<'static>,
    {
        self.message.raw_attribute(A::TYPE).map(|raw| read(&raw)).transpose()
    }
}

fn read<A: AttributeFromRaw<'static>>(raw: &RawAttribute<'_>) -> Result<A, Refusal> {
    A::from_raw_ref(raw).map_err(|_| Refusal::BadRequest)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::*;

    /// Counts what would be logged.
    struct Listener(Arc<AtomicUsize>);

    impl Subscriber for Listener {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn a_malformed_message_is_not_logged() {
        let heard = Arc::new(AtomicUsize::new(0));
        // An attribute that is longer than the message.
        let mut message = [&[0, 1, 0, 4, 0x21, 0x12, 0xA4, 0x42][..], &[0; 16]].concat();
        message[22..24].copy_from_slice(&[0xFF, 0xFF]);
        with_default(&Dispatch::new(Listener(Arc::clone(&heard))), || {
            assert!(Incoming::read(&message).is_none());
        });
        assert_eq!(heard.load(Ordering::Relaxed), 0);
    }
}
