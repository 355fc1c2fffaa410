//! Carries out what the engine asks of direct links ([`Output::Send`], [`Output::Say`], [`Output::Close`], [`Output::Bundle`]), and
//! what [`PeerLinks`] decides of them.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use heliograph_shared::ids::DeviceId;
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::direct_link::{DirectLink, LinkKind};
use super::link_contract::{LinkEvent, PeerLinkEvent, PeerLinkOptions, PeerPath};
use super::peer_links::{Command, PeerLinks};
use crate::engine::contract::{Input, Output};
use crate::receiver::LinkKey;

/// Events that wait, of all links. Each may be a frame of 256 KiB; beyond them the links stop reading.
const MOST_EVENTS: usize = 32;

/// What comes of it.
#[derive(Debug)]
pub enum LinkOutput {
    /// What the engine is to be told.
    Engine(Input),
    /// A signal to a device, through the server (S12).
    Signal {
        /// The device.
        to: DeviceId,
        /// The `message` of it.
        message: Value,
    },
    /// The path of the connections to a device; `None` once there is none.
    Path {
        /// The device.
        device: DeviceId,
        /// The path.
        path: Option<PeerPath>,
    },
}

#[derive(Debug)]
struct Driven {
    device: DeviceId,
    place: u32,
    kind: LinkKind,
    link: DirectLink,
    /// Whether it carries frames.
    is_open: bool,
}

/// The direct links of one engine.
#[derive(Debug)]
pub struct LinkDriver {
    /// Who is connected to whom. After a call of its methods comes [`LinkDriver::follow`].
    pub links: PeerLinks,
    open: HashMap<u64, Driven>,
    events: Sender<LinkEvent>,
    addresses: Vec<SocketAddr>,
}

impl LinkDriver {
    /// A driver without links, and what happens to those that it will have.
    ///
    /// `addresses` is where they listen ([`PeerLinkOptions::addresses`]).
    #[must_use]
    pub fn new(links: PeerLinks, addresses: Vec<SocketAddr>) -> (Self, Receiver<LinkEvent>) {
        let (events, told) = channel(MOST_EVENTS);
        (Self { links, open: HashMap::new(), events, addresses }, told)
    }

    /// Takes an event of a link. One that has ended here already says nothing more.
    pub fn happened(
        &mut self,
        LinkEvent { link, event }: LinkEvent,
        now: Duration,
    ) -> Vec<LinkOutput> {
        let Some(open) = self.open.get_mut(&link) else { return Vec::new() };
        let device = open.device;
        let mut outputs = Vec::new();
        match event {
            PeerLinkEvent::Signal(signal) => self.links.has_signal(link, &signal),
            PeerLinkEvent::Opened { path, max_frame } => {
                open.is_open = true;
                let place = open.place;
                self.links.took_path(link, path);
                let opened = Input::LinkOpened { device, link, place, max_frame };
                outputs.push(LinkOutput::Engine(opened));
                outputs.extend(self.buffered(link).map(LinkOutput::Engine));
            }
            PeerLinkEvent::Path(path) => self.links.took_path(link, path),
            PeerLinkEvent::Broken(is_broken) => self.links.is_broken(link, is_broken, now),
            PeerLinkEvent::Frame(frame) => {
                let link = LinkKey::Direct(link);
                outputs.push(LinkOutput::Engine(Input::Frame { from: device, link, frame }));
            }
            PeerLinkEvent::Room => outputs.extend(self.buffered(link).map(LinkOutput::Engine)),
            PeerLinkEvent::Closed => self.links.closed(link, now),
        }
        outputs.extend(self.follow());
        outputs
    }

    /// Carries out a request of the engine. Returns one that is not about direct links.
    ///
    /// # Errors
    /// The request.
    pub fn carry_out(&mut self, request: Output, now: Duration) -> Result<Vec<LinkOutput>, Output> {
        match request {
            Output::Send { link: LinkKey::Direct(link), frame, .. } => {
                if let Some(open) = self.open.get(&link) {
                    open.link.send(frame);
                }
            }
            Output::Say { link: LinkKey::Direct(link), frame, .. } => {
                if let Some(open) = self.open.get(&link) {
                    open.link.say(frame);
                }
            }
            Output::Close { link, .. } => self.links.closed(link, now),
            Output::Bundle { device, size } => self.links.set_size(device, size, now),
            other => return Err(other),
        }
        Ok(self.follow())
    }

    /// What the engine is to be told of the links on which anything waits. Called a few times a second.
    #[must_use]
    pub fn waiting(&self) -> Vec<Input> {
        let waits = self.open.iter().filter(|(_, open)| open.link.buffer().unsent > 0);
        waits.filter_map(|(link, _)| self.buffered(*link)).collect()
    }

    fn buffered(&self, link: u64) -> Option<Input> {
        let open = self.open.get(&link).filter(|open| open.is_open)?;
        let (device, buffer) = (open.device, open.link.buffer());
        Some(Input::Buffered { device, link: LinkKey::Direct(link), buffer })
    }

    /// Does what [`PeerLinks`] has decided.
    pub fn follow(&mut self) -> Vec<LinkOutput> {
        let commands = self.links.commands();
        commands.into_iter().filter_map(|command| self.obey(command)).collect()
    }

    fn obey(&mut self, command: Command) -> Option<LinkOutput> {
        match command {
            Command::Open { link, device, place, kind, is_initiator, ice_servers } => {
                let addresses = self.addresses.clone();
                let options = PeerLinkOptions { link, is_initiator, ice_servers, addresses };
                let direct = DirectLink::open(kind, options, self.events.clone());
                let open = Driven { device, place, kind, link: direct, is_open: false };
                self.open.insert(link, open);
                None
            }
            Command::Feed { link, signal } => {
                if let Some(open) = self.open.get(&link) {
                    open.link.signal(signal);
                }
                None
            }
            Command::Renew { link, ice_servers } => {
                if let Some(open) = self.open.get(&link) {
                    open.link.renew(ice_servers);
                }
                None
            }
            // It ends when it is dropped.
            Command::Close { device, link } => {
                let ended = self.open.remove(&link);
                // One by WebRTC follows an attempt by QUIC: the relay waits for that one (L2, L7).
                let is_told = ended.is_none_or(|it| it.is_open || it.kind == LinkKind::WebRtc);
                is_told.then_some(LinkOutput::Engine(Input::LinkClosed { device, link }))
            }
            Command::Signal { to, message } => Some(LinkOutput::Signal { to, message }),
            Command::Path { device, path } => Some(LinkOutput::Path { device, path }),
        }
    }
}
