//! A server that says what an honest one does, at the level of messages and of one beam, and forwards what devices say to each other.
//! Tests look into what it has, and speak for a dishonest one.

use std::collections::VecDeque;
use std::time::Duration;

use heliograph_device::keys::keyring::Keyring;
use heliograph_device::random::Random;
use heliograph_device::session::item::Item;
use heliograph_device::session::trust::Trust;
use heliograph_device::session::{Encryption, Input, News, Output, Session, Settings, Status};
use heliograph_shared::device::{AuthExtra, Cap, Device, DeviceUser};
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::ids::{BeamId, DeviceId, DeviceToken, ItemId};
use heliograph_shared::socket::{ClientMessage, Json, LiveItem};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Bytes that follow of a number, as far apart as random ones.
pub fn random(seed: u64) -> impl Random + 'static {
    let mut count = 0_u64;
    move |bytes: &mut [u8]| {
        for part in bytes.chunks_mut(32) {
            count += 1;
            let digest = Sha256::digest([seed.to_be_bytes(), count.to_be_bytes()].concat());
            part.copy_from_slice(&digest[..part.len()]);
        }
    }
}

pub fn raw(value: &Value) -> Json {
    serde_json::value::to_raw_value(value).unwrap()
}

pub fn item_id(number: u8) -> ItemId {
    ItemId::from_random([number; 16])
}

pub struct Seat {
    pub session: Session,
    pub news: Vec<News>,
    /// What it has sent, since it was looked at last.
    pub sent: Vec<String>,
    is_connected: bool,
    id: Option<DeviceId>,
}

/// What a server that stands between two devices makes of what one says to another about the ways in.
pub type Between = Box<dyn FnMut(DeviceId, DeviceId, Value) -> Value>;

/// Whether a dishonest server withholds an item from a device.
pub type Withheld = Box<dyn Fn(usize, &LiveItem) -> bool>;

pub fn beam_id() -> BeamId {
    BeamId::from_random([7; 16])
}

#[derive(Default)]
pub struct Beam {
    pub now: Duration,
    pub seats: Vec<Seat>,
    pub items: Vec<LiveItem>,
    /// The devices that are in, in their order.
    order: Vec<usize>,
    /// Devices as they are listed, by their seats.
    devices: Vec<Option<Device>>,
    wire: VecDeque<(usize, String)>,
    pub seq: u64,
    /// The name of its memory.
    pub epoch: &'static str,
    pub oldest: u64,
    /// Whether it answers to what is shared.
    pub is_deaf: bool,
    /// A device that is listed, and hears what is said to it once it wakes.
    pub is_asleep: Option<usize>,
    pub between: Option<Between>,
    /// Which items it withholds from which device.
    pub withholds: Option<Withheld>,
    /// Whether the operator wants every device to be compared (E13).
    pub wants_all_compared: bool,
}

impl Beam {
    pub fn new() -> Self {
        Self { seq: 1_000, oldest: 1_001, ..Self::default() }
    }

    /// A device begins, with the keys that it has.
    pub fn begins(&mut self, name: &str, keys: Option<Keyring>) -> usize {
        let seat = self.seats.len();
        let number = u8::try_from(seat).unwrap() + 1;
        let settings = Settings {
            beam: beam_id(),
            beam_key: None,
            name: name.to_owned(),
            caps: vec![Cap::Files],
            token: DeviceToken::from_random([number; 32]),
            keys,
        };
        let (session, outputs) = Session::begin(settings, self.now, random(seat as u64 + 100));
        self.seats.push(Seat {
            session,
            news: Vec::new(),
            sent: Vec::new(),
            is_connected: false,
            id: None,
        });
        self.devices.push(None);
        self.take(seat, outputs);
        self.run();
        seat
    }

    /// A device makes the beam. Returns it, and the secret of the link.
    pub fn made(&mut self) -> (usize, Secret<32>) {
        let keys = Keyring::make(&mut random(1));
        let secret = keys.invite().unwrap().secret().clone();
        (self.begins("Ada", Some(keys)), secret)
    }

    /// A device comes with the secret of a link.
    pub fn comes(&mut self, name: &str, secret: &Secret<32>) -> usize {
        let seed = 1_000 + self.seats.len() as u64;
        let keys = Keyring::with_link(secret.clone(), &mut random(seed));
        self.begins(name, Some(keys))
    }

    /// A device comes whose person has typed the id.
    pub fn types(&mut self, name: &str) -> usize {
        let seed = 2_000 + self.seats.len() as u64;
        self.begins(name, Some(Keyring::without_link(&mut random(seed))))
    }

    pub fn trust(&self, seat: usize, of: usize) -> Option<Trust> {
        self.seats[seat].session.trust().unwrap().of(self.id(of)).copied()
    }

    /// The person of a device says that another one shows the same pictures.
    pub fn confirms(&mut self, seat: usize, device: usize) {
        let signs = self.trust(seat, device).unwrap().signs.unwrap();
        self.handle(seat, Input::Confirm { device: self.id(device), signs });
    }

    pub fn handle(&mut self, seat: usize, input: Input) {
        let outputs = self.seats[seat].session.handle(input, self.now);
        self.take(seat, outputs);
        self.run();
    }

    pub fn shares(&mut self, seat: usize, id: ItemId, text: &str) {
        let (message, extra) = (raw(&json!(text)), "text".to_owned());
        self.handle(seat, Input::Share { id, message, extra, to: None });
    }

    /// What the server says to a device, whether honest or not.
    pub fn says(&mut self, seat: usize, message: &Value) {
        self.wire.push_back((seat, message.to_string()));
        self.run();
    }

    fn take(&mut self, seat: usize, outputs: Vec<Output>) {
        for output in outputs {
            match output {
                Output::Connect => {
                    self.leaves(seat);
                    self.seats[seat].is_connected = true;
                    let outputs = self.seats[seat].session.handle(Input::Opened, self.now);
                    self.take(seat, outputs);
                }
                Output::Send(text) => {
                    self.seats[seat].sent.push(text.clone());
                    self.hears(seat, &text);
                }
                Output::Close => self.leaves(seat),
                Output::Tell(news) => self.seats[seat].news.push(news),
            }
        }
    }

    pub fn run(&mut self) {
        let mut held = VecDeque::new();
        while let Some((seat, text)) = self.wire.pop_front() {
            if self.is_asleep == Some(seat) {
                held.push_back((seat, text));
            } else if self.seats[seat].is_connected {
                let outputs = self.seats[seat].session.handle(Input::Text(text), self.now);
                self.take(seat, outputs);
            }
        }
        self.wire = held;
    }

    /// Time passes, and every device does in it what it has to.
    pub fn passes(&mut self, time: Duration) {
        let end = self.now + time;
        loop {
            let dues = self.seats.iter().filter_map(|seat| seat.session.next_due());
            let Some(due) = dues.min().filter(|due| *due <= end) else { break };
            self.now = self.now.max(due);
            for seat in 0..self.seats.len() {
                if self.seats[seat].session.next_due().is_some_and(|due| due <= self.now) {
                    self.handle(seat, Input::Time);
                }
            }
        }
        self.now = end;
    }

    /// The socket of a device is cut.
    pub fn cuts(&mut self, seat: usize, code: Option<u16>) {
        self.leaves(seat);
        self.handle(seat, Input::Closed(code));
    }

    pub fn leaves(&mut self, seat: usize) {
        self.seats[seat].is_connected = false;
        self.wire.retain(|(to, _)| *to != seat);
        if self.order.contains(&seat) {
            self.order.retain(|one| *one != seat);
            self.lists();
        }
    }

    fn hears(&mut self, seat: usize, text: &str) {
        if text == "ping" {
            return self.wire.push_back((seat, "pong".to_owned()));
        }
        match ClientMessage::decode(text).unwrap() {
            ClientMessage::Auth { extra, .. } => self.joins(seat, extra.unwrap()),
            ClientMessage::ShareClipboard { message, extra, id, to } if !self.is_deaf => {
                self.shared(seat, id.unwrap(), message, extra, to);
            }
            ClientMessage::DeleteNote { message, extra, id } if !self.is_deaf => {
                self.items.retain(|item| Some(item.id) != id);
                let deleted =
                    json!({"type": "delete_note", "message": message, "extra": extra, "id": id});
                self.all(&deleted);
            }
            ClientMessage::Sync { .. } => {
                let items = self.items.iter().filter(|item| !self.is_withheld(seat, item));
                let items: Vec<_> = items.collect();
                let page = json!({
                    "epoch": self.epoch, "oldest": self.oldest, "dropped": 0, "items": items, "next": null,
                });
                self.tell(seat, &json!({"type": "sync", "message": page}));
            }
            ClientMessage::Restore { message } => {
                self.items.push(message.clone());
                self.all_with(&json!({"type": "rec_clipboard"}), &message);
            }
            ClientMessage::Held { message } => {
                let lacks = |id: &ItemId| !self.items.iter().any(|item| item.id == *id);
                let wanted: Vec<_> =
                    message.items.iter().map(|item| item.id).filter(lacks).collect();
                self.tell(seat, &json!({"type": "wanted", "message": wanted}));
            }
            ClientMessage::Signal { message, extra } => {
                self.forwards("signal", seat, extra.to, &message);
            }
            ClientMessage::E2e { message, extra } => {
                self.forwards("e2e", seat, extra.to, &message);
            }
            _ => {}
        }
    }

    fn joins(&mut self, seat: usize, extra: AuthExtra) {
        let id = DeviceId::from_token(&extra.device_token.unwrap());
        self.seats[seat].id = Some(id);
        let (name, user) = (extra.name.unwrap(), DeviceUser::default());
        self.devices[seat] = Some(Device { device_id: id, name, caps: extra.caps, user });
        self.order.push(seat);
        self.tell(seat, &json!({"type": "auth_success", "message": "Welcome"}));
        let welcome = json!({
            "device_id": id, "ice_servers": [], "expires_at": 1, "now": 1, "creator": false, "saved": null,
            "join_policy": if self.wants_all_compared { "verify" } else { "ask" },
        });
        self.tell(seat, &json!({"type": "welcome", "message": welcome}));
        self.lists();
    }

    pub fn lists(&mut self) {
        let devices: Vec<_> = self.order.iter().map(|seat| &self.devices[*seat]).collect();
        self.all(&json!({"type": "authed_users", "message": devices}));
    }

    fn shared(
        &mut self,
        seat: usize,
        id: ItemId,
        message: Json,
        extra: String,
        to: Option<DeviceId>,
    ) {
        let (from, at) = (self.id(seat), self.seq);
        self.seq += 1;
        self.items.retain(|item| item.id != id);
        let at = serde_json::from_value(json!(at)).unwrap();
        let item = LiveItem { message, extra, id, seq: self.seq, from, at, to };
        self.items.push(item.clone());
        self.all_with(&json!({"type": "rec_clipboard"}), &item);
    }

    fn forwards(&mut self, kind: &str, from: usize, to: DeviceId, message: &Json) {
        let seat = self.order.iter().copied().find(|seat| self.seats[*seat].id == Some(to));
        if let Some(seat) = seat {
            let from = self.id(from);
            let mut message = serde_json::to_value(message).unwrap();
            if let Some(between) = self.between.as_mut().filter(|_| kind == "e2e") {
                message = between(from, to, message);
            }
            self.tell(seat, &json!({"type": kind, "message": message, "extra": {"from": from}}));
        }
    }

    fn all(&mut self, message: &Value) {
        for seat in self.order.clone() {
            self.tell(seat, message);
        }
    }

    fn all_with(&mut self, message: &Value, item: &LiveItem) {
        let mut whole = serde_json::to_value(item).unwrap();
        whole.as_object_mut().unwrap().extend(message.as_object().unwrap().clone());
        for seat in self.order.clone() {
            if !self.is_withheld(seat, item) {
                self.tell(seat, &whole);
            }
        }
    }

    fn is_withheld(&self, seat: usize, item: &LiveItem) -> bool {
        self.withholds.as_ref().is_some_and(|withholds| withholds(seat, item))
    }

    fn tell(&mut self, seat: usize, message: &Value) {
        self.wire.push_back((seat, message.to_string()));
    }

    pub fn id(&self, seat: usize) -> DeviceId {
        self.seats[seat].id.unwrap()
    }

    pub fn encryption(&self, seat: usize) -> &Encryption {
        let told = self.seats[seat].news.iter().rev().find_map(|news| match news {
            News::Encryption(encryption) => Some(encryption),
            _ => None,
        });
        told.unwrap()
    }

    pub fn is_in(&self, seat: usize) -> bool {
        matches!(self.encryption(seat), Encryption::Sealed { .. })
    }

    pub fn status(&self, seat: usize) -> Status {
        let told = self.seats[seat].news.iter().rev().find_map(|news| match news {
            News::Status(status) => Some(*status),
            _ => None,
        });
        told.unwrap()
    }

    /// What a device shows: each item once for each version that it was told of, without those that are gone.
    pub fn shown(&self, seat: usize) -> Vec<&Item> {
        let mut shown: Vec<&Item> = Vec::new();
        for news in &self.seats[seat].news {
            match news {
                News::Item(item) => {
                    shown.retain(|one| one.id != item.id);
                    shown.push(item);
                }
                News::Gone(id) => shown.retain(|one| one.id != *id),
                _ => {}
            }
        }
        shown
    }

    pub fn texts(&self, seat: usize) -> Vec<String> {
        self.shown(seat).into_iter().map(|item| item.text().unwrap()).collect()
    }
}
