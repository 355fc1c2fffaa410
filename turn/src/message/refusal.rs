//! The error codes with which a request is refused (RFC 8489 section 14.8, RFC 8656 section 19).

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// 400: the request lacks something or contradicts itself.
    BadRequest,
    /// 401: no credentials, or none that are good.
    Unauthorized,
    /// 403: the peer's address is denied.
    Forbidden,
    /// 420: attributes that the server must understand and does not.
    UnknownAttributes(Vec<u16>),
    /// 437: there is no allocation, or there is one already.
    AllocationMismatch,
    /// 438: the nonce has expired or was made for another client.
    StaleNonce,
    /// 440: no relay of this address family here.
    AddressFamilyNotSupported,
    /// 441: another user's credentials than the allocation was made with.
    WrongCredentials,
    /// 442: a relay of another transport than UDP.
    UnsupportedTransport,
    /// 443: the allocation has no relay of the peer's address family.
    PeerAddressFamilyMismatch,
    /// 486: too many allocations of this device, or in all.
    AllocationQuotaReached,
    /// 508: no port is left, or no room in the allocation.
    InsufficientCapacity,
}

impl Refusal {
    /// The number on the wire.
    #[must_use]
    pub fn code(&self) -> u16 {
        self.code_and_reason().0
    }

    /// The sentence on the wire. Answers to clients that have not proven who they are carry none: their address may be
    /// a victim's, and what it gets is kept short.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        self.code_and_reason().1
    }

    fn code_and_reason(&self) -> (u16, &'static str) {
        match self {
            Self::BadRequest => (400, ""),
            Self::Unauthorized => (401, ""),
            Self::Forbidden => (403, "Forbidden"),
            Self::UnknownAttributes(_) => (420, ""),
            Self::AllocationMismatch => (437, "Allocation Mismatch"),
            Self::StaleNonce => (438, ""),
            Self::AddressFamilyNotSupported => (440, "Address Family not Supported"),
            Self::WrongCredentials => (441, "Wrong Credentials"),
            Self::UnsupportedTransport => (442, "Unsupported Transport Protocol"),
            Self::PeerAddressFamilyMismatch => (443, "Peer Address Family Mismatch"),
            Self::AllocationQuotaReached => (486, "Allocation Quota Reached"),
            Self::InsufficientCapacity => (508, "Insufficient Capacity"),
        }
    }
}
