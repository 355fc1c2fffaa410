//! What a session says to the server and to its person, collected while it handles one input.

use heliograph_shared::device::Device;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::json::Json;
use heliograph_shared::socket::{ClientMessage, ServerMessage, SignalTo, Welcome};
use serde::Serialize;
use serde_json::value::to_raw_value;

use super::item::Item;
use super::line::Status;
use super::trust::{Trust, TurnedAway};
use crate::keys::way_in::WayIn;

/// What is to be done.
#[derive(Debug)]
pub enum Output {
    /// Close the socket, if there is one, and open a new one.
    Connect,
    /// Send a text.
    Send(String),
    /// Close the socket.
    Close,
    /// Tell whoever has the session.
    Tell(News),
}

/// What the beam is, by the keys that are here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// Nothing is sealed here.
    Clear,
    /// This device waits to be let in.
    Waiting {
        /// Whether all others that have keys say that its link is none of the beam, or one of before.
        is_link_old: bool,
    },
    /// Others have shared in clear text, and nobody here has a key. This device, which came without the link, shares and shows nothing
    /// in clear text by itself (E11).
    Unsealed,
    /// What is shared is sealed.
    Sealed {
        /// Whether the server may have the keys all the same (E9).
        is_deposited: bool,
        /// The other devices that were let in without the link and that nobody has compared (E8).
        unverified: Vec<DeviceId>,
    },
}

/// What whoever has the session learns.
#[derive(Debug)]
pub enum News {
    /// The socket is there, or not.
    Status(Status),
    /// The device has joined (S4). It comes again after each reconnect.
    Welcome(Box<Welcome>),
    /// The devices that are here, in the order in which they joined, with the names that they have said themselves (E15).
    Devices(Vec<Device>),
    /// What the beam is by the keys that are here has changed.
    Encryption(Encryption),
    /// What is known of a device that came without the link has changed, or of one by which this one comes in (E8).
    Trust {
        /// The device.
        device: DeviceId,
        /// What is known; `None` where it needs no trust, or none any more.
        trust: Option<Trust>,
        /// Why it does not compare itself with this one for now; `None` where it does.
        turned_away: Option<TurnedAway>,
    },
    /// A device that the person has compared, perhaps in an earlier run, has another key than it had then: it is not verified any more.
    OtherKey(DeviceId),
    /// An item has come, or a new version of one.
    Item(Box<Item>),
    /// An item is there no more.
    Gone(ItemId),
    /// So many items that another device has been given are missing here (E14): the server has withheld them, or what has replaced them.
    Missing(usize),
    /// All items that the server has were told. It comes again after each reconnect.
    Synced {
        /// How many earlier ones had no room on the server (S11).
        dropped: u64,
    },
    /// Something sealed is there that this device has no key for, and so cannot show.
    Closed,
    /// The server has an item of this device.
    Confirmed(ItemId),
    /// The server has refused an item, or its deletion, for good.
    Refused {
        /// The item.
        id: ItemId,
        /// Why, for programs.
        code: ErrorCode,
        /// Why, for a person.
        why: String,
    },
    /// A signal of another device (S12), opened.
    Signal {
        /// The device.
        from: DeviceId,
        /// What it says.
        message: Json,
    },
    /// Everything else that the server says, as it came.
    Server(Box<ServerMessage>),
}

/// Collects outputs.
#[derive(Default)]
pub(super) struct Outbox {
    outputs: Vec<Output>,
    /// Whether the server reads what is sent.
    pub(super) is_live: bool,
    /// Whether everything is to be asked for again.
    pub(super) wants_sync: bool,
}

impl Outbox {
    pub(super) fn take(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.outputs)
    }

    pub(super) fn put(&mut self, output: Output) {
        self.outputs.push(output);
    }

    pub(super) fn tell(&mut self, news: News) {
        self.put(Output::Tell(news));
    }

    /// Sends a message, whether or not the server has answered to `auth`.
    pub(super) fn send_at_once(&mut self, message: &ClientMessage) {
        // Everything in a message is a text, a number or JSON already: it cannot fail.
        if let Ok(text) = serde_json::to_string(message) {
            self.put(Output::Send(text));
        }
    }

    /// Sends a message. It is lost while the socket is down.
    pub(super) fn send(&mut self, message: &ClientMessage) {
        if self.is_live {
            self.send_at_once(message);
        }
    }

    pub(super) fn way(&mut self, to: DeviceId, way: &WayIn) {
        if let Some(message) = json(way) {
            self.send(&ClientMessage::E2e { message, extra: SignalTo { to } });
        }
    }
}

/// A value as JSON; `None` where its maps have other keys than texts, which no message has.
pub(super) fn json<T: Serialize + ?Sized>(value: &T) -> Option<Json> {
    to_raw_value(value).ok()
}
