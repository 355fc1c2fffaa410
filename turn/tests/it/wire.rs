//! Messages as they stand in the RFCs, byte by byte: independent of the library that the server uses.

use std::net::{IpAddr, SocketAddr};

use heliograph_turn::credentials::Credentials;
use hmac::{Hmac, KeyInit, Mac};
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::Sha256;

pub const BINDING: u16 = 0x0001;
pub const ALLOCATE: u16 = 0x0003;
pub const REFRESH: u16 = 0x0004;
pub const CREATE_PERMISSION: u16 = 0x0008;
pub const CHANNEL_BIND: u16 = 0x0009;
pub const SEND_INDICATION: u16 = 0x0016;
pub const DATA_INDICATION: u16 = 0x0017;

pub const USERNAME: u16 = 0x0006;
pub const MESSAGE_INTEGRITY: u16 = 0x0008;
pub const ERROR_CODE: u16 = 0x0009;
pub const UNKNOWN_ATTRIBUTES: u16 = 0x000A;
pub const CHANNEL_NUMBER: u16 = 0x000C;
pub const LIFETIME: u16 = 0x000D;
pub const XOR_PEER_ADDRESS: u16 = 0x0012;
pub const DATA: u16 = 0x0013;
pub const REALM: u16 = 0x0014;
pub const NONCE: u16 = 0x0015;
pub const XOR_RELAYED_ADDRESS: u16 = 0x0016;
pub const REQUESTED_ADDRESS_FAMILY: u16 = 0x0017;
pub const EVEN_PORT: u16 = 0x0018;
pub const REQUESTED_TRANSPORT: u16 = 0x0019;
pub const DONT_FRAGMENT: u16 = 0x001A;
pub const MESSAGE_INTEGRITY_SHA256: u16 = 0x001C;
pub const PASSWORD_ALGORITHM: u16 = 0x001D;
pub const XOR_MAPPED_ADDRESS: u16 = 0x0020;
pub const RESERVATION_TOKEN: u16 = 0x0022;
pub const ADDITIONAL_ADDRESS_FAMILY: u16 = 0x8000;
pub const ADDRESS_ERROR_CODE: u16 = 0x8001;
pub const FINGERPRINT: u16 = 0x8028;

const COOKIE: u32 = 0x2112_A442;

/// What a client knows about itself and the server.
#[derive(Clone, Debug)]
pub struct Login {
    pub username: String,
    pub password: String,
    pub realm: String,
    pub nonce: String,
}

impl Login {
    pub fn new(credentials: Credentials, challenge: &Answer) -> Self {
        let Credentials { username, password } = credentials;
        let (realm, nonce) = (challenge.text(REALM), challenge.text(NONCE));
        Self { username, password, realm, nonce }
    }

    fn key(&self) -> [u8; 16] {
        Md5::digest(format!("{}:{}:{}", self.username, self.realm, self.password)).into()
    }
}

/// A message that is being written.
#[derive(Clone, Debug)]
pub struct Message {
    kind: u16,
    transaction: [u8; 12],
    attributes: Vec<u8>,
}

impl Message {
    pub fn new(kind: u16, transaction: u64) -> Self {
        let mut bytes = [0xAB; 12];
        bytes[..8].copy_from_slice(&transaction.to_be_bytes());
        Self { kind, transaction: bytes, attributes: Vec::new() }
    }

    pub fn with(mut self, kind: u16, value: &[u8]) -> Self {
        self.attributes.extend(kind.to_be_bytes());
        self.attributes.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
        self.attributes.extend(value);
        self.attributes.resize(self.attributes.len().next_multiple_of(4), 0);
        self
    }

    pub fn peer(self, peer: &str) -> Self {
        let peer: SocketAddr = peer.parse().unwrap();
        let value = address_value(peer, &self.transaction);
        self.with(XOR_PEER_ADDRESS, &value)
    }

    pub fn lifetime(self, seconds: u32) -> Self {
        self.with(LIFETIME, &seconds.to_be_bytes())
    }

    pub fn channel(self, number: u16) -> Self {
        let [high, low] = number.to_be_bytes();
        self.with(CHANNEL_NUMBER, &[high, low, 0, 0])
    }

    /// Allocate needs it: UDP.
    pub fn transport(self) -> Self {
        self.with(REQUESTED_TRANSPORT, &[17, 0, 0, 0])
    }

    pub fn unsigned(&self) -> Vec<u8> {
        self.bytes(self.attributes.len())
    }

    pub fn signed(self, login: &Login) -> Vec<u8> {
        let named = self.named(login);
        let covered = named.bytes(named.attributes.len() + 24);
        let mut mac = Hmac::<Sha1>::new_from_slice(&login.key()).unwrap();
        mac.update(&covered);
        named.with(MESSAGE_INTEGRITY, &mac.finalize().into_bytes()).unsigned()
    }

    pub fn signed_with_sha256(self, login: &Login) -> Vec<u8> {
        let named = self.named(login);
        let covered = named.bytes(named.attributes.len() + 36);
        let mut mac = Hmac::<Sha256>::new_from_slice(&login.key()).unwrap();
        mac.update(&covered);
        named.with(MESSAGE_INTEGRITY_SHA256, &mac.finalize().into_bytes()).unsigned()
    }

    fn named(self, login: &Login) -> Self {
        self.with(USERNAME, login.username.as_bytes())
            .with(REALM, login.realm.as_bytes())
            .with(NONCE, login.nonce.as_bytes())
    }

    fn bytes(&self, length: usize) -> Vec<u8> {
        let length = u16::try_from(length).unwrap();
        let mut bytes = [self.kind.to_be_bytes(), length.to_be_bytes()].concat();
        bytes.extend(COOKIE.to_be_bytes());
        bytes.extend(self.transaction);
        bytes.extend(&self.attributes);
        bytes
    }
}

/// What the server sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub kind: u16,
    pub bytes: Vec<u8>,
    transaction: [u8; 12],
    attributes: Vec<(u16, usize, Vec<u8>)>,
}

impl Answer {
    pub fn read(bytes: &[u8]) -> Self {
        let number = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        assert_eq!(usize::from(number(2)) + 20, bytes.len(), "the length of the message");
        let (mut attributes, mut at) = (Vec::new(), 20);
        while at < bytes.len() {
            let length = usize::from(number(at + 2));
            attributes.push((number(at), at, bytes[at + 4..at + 4 + length].to_vec()));
            at += 4 + length.next_multiple_of(4);
        }
        let transaction = bytes[8..20].try_into().unwrap();
        Self { kind: number(0), bytes: bytes.to_vec(), transaction, attributes }
    }

    pub fn is_success(&self) -> bool {
        self.kind & 0x0110 == 0x0100
    }

    /// The error code; 0 of a success.
    pub fn code(&self) -> u16 {
        self.get(ERROR_CODE).map_or(0, |value| u16::from(value[2]) * 100 + u16::from(value[3]))
    }

    pub fn get(&self, kind: u16) -> Option<&[u8]> {
        self.attributes.iter().find(|(k, _, _)| *k == kind).map(|(_, _, value)| &**value)
    }

    pub fn text(&self, kind: u16) -> String {
        String::from_utf8(self.get(kind).unwrap_or_default().to_vec()).unwrap()
    }

    pub fn lifetime(&self) -> u32 {
        u32::from_be_bytes(self.get(LIFETIME).unwrap().try_into().unwrap())
    }

    /// All addresses of this kind.
    pub fn addresses(&self, kind: u16) -> Vec<SocketAddr> {
        let of_kind = self.attributes.iter().filter(|(k, _, _)| *k == kind);
        of_kind.map(|(_, _, value)| read_address(value, &self.transaction)).collect()
    }

    /// Whether the server proved that it knows the key.
    pub fn is_signed(&self, login: &Login) -> bool {
        let signature = self
            .attributes
            .iter()
            .find(|(kind, _, _)| *kind == MESSAGE_INTEGRITY || *kind == MESSAGE_INTEGRITY_SHA256);
        let Some((kind, at, value)) = signature else { return false };
        let mut covered = self.bytes[..*at].to_vec();
        let length = u16::try_from(at + 4 + value.len() - 20).unwrap();
        covered[2..4].copy_from_slice(&length.to_be_bytes());
        if *kind == MESSAGE_INTEGRITY {
            let mut mac = Hmac::<Sha1>::new_from_slice(&login.key()).unwrap();
            mac.update(&covered);
            mac.verify_slice(value).is_ok()
        } else {
            let mut mac = Hmac::<Sha256>::new_from_slice(&login.key()).unwrap();
            mac.update(&covered);
            mac.verify_slice(value).is_ok()
        }
    }
}

fn mask(transaction: &[u8; 12]) -> [u8; 16] {
    let mut mask = [0; 16];
    mask[..4].copy_from_slice(&COOKIE.to_be_bytes());
    mask[4..].copy_from_slice(transaction);
    mask
}

fn address_value(address: SocketAddr, transaction: &[u8; 12]) -> Vec<u8> {
    let mut ip = match address.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    for (byte, mask) in ip.iter_mut().zip(mask(transaction)) {
        *byte ^= mask;
    }
    let port = (address.port() ^ 0x2112).to_be_bytes();
    [&[0, if address.is_ipv4() { 1 } else { 2 }][..], &port, &ip].concat()
}

fn read_address(value: &[u8], transaction: &[u8; 12]) -> SocketAddr {
    let port = u16::from_be_bytes([value[2], value[3]]) ^ 0x2112;
    let mut ip = value[4..].to_vec();
    for (byte, mask) in ip.iter_mut().zip(mask(transaction)) {
        *byte ^= mask;
    }
    let ip: IpAddr = match <[u8; 4]>::try_from(&ip[..]) {
        Ok(ip) => ip.into(),
        Err(_) => <[u8; 16]>::try_from(&ip[..]).unwrap().into(),
    };
    SocketAddr::new(ip, port)
}

/// A `ChannelData` message without padding.
pub fn channel_data(number: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap();
    [&number.to_be_bytes()[..], &length.to_be_bytes(), data].concat()
}
