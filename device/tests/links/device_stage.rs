//! The links of one device, without connections.

use std::time::Duration;

use heliograph_device::io::direct_link::LinkKind;
use heliograph_device::io::link_contract::PeerPath;
use heliograph_device::io::peer_links::{Command, PeerLinks};
use heliograph_shared::ids::DeviceId;
use heliograph_shared::socket::IceServer;
use serde_json::{Value, json};

pub const ADA: DeviceId = DeviceId::from_bytes([1; 16]);
pub const BOB: DeviceId = DeviceId::from_bytes([2; 16]);

/// One device and what was done for it.
pub struct Stage {
    pub links: PeerLinks,
    pub now: Duration,
    pub opened: Vec<Opened>,
    pub sent: Vec<(DeviceId, Value)>,
    /// The paths that were told; `None` where a link ended.
    pub paths: Vec<Option<PeerPath>>,
}

pub struct Opened {
    pub link: u64,
    pub place: u32,
    pub kind: LinkKind,
    pub is_initiator: bool,
    pub servers: Vec<IceServer>,
    pub signals: Vec<Value>,
    pub renewed: usize,
    is_closed: bool,
}

impl Stage {
    pub fn of(me: DeviceId) -> Self {
        let mut names = 0;
        let mut links = PeerLinks::new(move || {
            names += 1;
            format!("name {names}")
        });
        links.welcome(me, Vec::new());
        let now = Duration::from_secs(1_000);
        Self { links, now, opened: Vec::new(), sent: Vec::new(), paths: Vec::new() }
    }

    /// Ada, then Bob are in the beam.
    pub fn with_both(me: DeviceId) -> Self {
        let mut stage = Self::of(me);
        stage.lists(&[ADA, BOB]);
        stage
    }

    pub fn does<T>(&mut self, act: impl FnOnce(&mut PeerLinks, Duration) -> T) -> T {
        let done = act(&mut self.links, self.now);
        for command in self.links.commands() {
            match command {
                Command::Open { link, place, kind, is_initiator, ice_servers: servers, .. } => {
                    let (signals, renewed, is_closed) = (Vec::new(), 0, false);
                    self.opened.push(Opened {
                        link,
                        place,
                        kind,
                        is_initiator,
                        servers,
                        signals,
                        renewed,
                        is_closed,
                    });
                }
                Command::Feed { link, signal } => self.link(link).signals.push(signal),
                Command::Renew { link, .. } => self.link(link).renewed += 1,
                Command::Close { link, .. } => self.link(link).is_closed = true,
                Command::Signal { to, message } => self.sent.push((to, message)),
                Command::Path { path, .. } => self.paths.push(path),
            }
        }
        done
    }

    pub fn link(&mut self, link: u64) -> &mut Opened {
        self.opened.iter_mut().find(|opened| opened.link == link).expect("it was opened")
    }

    pub fn lists(&mut self, devices: &[DeviceId]) {
        self.does(|links, now| links.set_devices(devices.to_vec(), now));
    }

    pub fn hears(&mut self, from: DeviceId, message: Value) {
        self.does(|links, now| links.signalled(from, message, now));
    }

    pub fn connects(&mut self, number: usize, path: PeerPath) {
        let link = self.opened[number].link;
        self.does(|links, _| links.took_path(link, path));
    }

    pub fn closes(&mut self, number: usize) {
        let link = self.opened[number].link;
        self.does(|links, now| links.closed(link, now));
    }

    pub fn breaks(&mut self, number: usize) {
        let link = self.opened[number].link;
        self.does(|links, now| links.is_broken(link, true, now));
    }

    pub fn wants(&mut self, device: DeviceId, size: u32) {
        self.does(|links, now| links.set_size(device, size, now));
    }

    /// Time passes, with every tick that is due meanwhile.
    pub fn passes(&mut self, seconds: u64) {
        let end = self.now + Duration::from_secs(seconds);
        while let Some(next) = self.links.next_tick().filter(|next| *next <= end) {
            self.now = next.max(self.now);
            self.does(PeerLinks::tick);
        }
        self.now = end;
    }

    pub fn closed(&self) -> Vec<bool> {
        self.opened.iter().map(|opened| opened.is_closed).collect()
    }
}

pub fn offer(session: &str, index: u32) -> Value {
    json!({ "session": session, "index": index, "signal": { "type": "offer", "sdp": session } })
}
