//! Carries out what the engine decides, and tells it what the beam and the links do.

use std::collections::VecDeque;

use heliograph_shared::api::beams::Role;
use heliograph_shared::device::{Cap, Device};
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::DeviceId;
use heliograph_shared::relay::RelayUse;
use heliograph_shared::socket::ServerMessage;
use serde_json::value::to_raw_value;

use super::super::link_driver::LinkOutput;
use super::super::relay::{self, Relay};
use super::{FileDevice, Told};
use crate::engine::contract::{Input, Listed, Output, Refusal};
use crate::receiver::LinkKey;
use crate::session::{self, News, Status, Why};

impl FileDevice {
    /// Gives the engine an input, and carries out what follows.
    pub(super) fn give(&mut self, input: Input) {
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            let now = self.started.elapsed();
            for output in self.engine.handle(input, now) {
                self.carry_out(output, &mut inputs);
            }
        }
    }

    fn carry_out(&mut self, output: Output, inputs: &mut VecDeque<Input>) {
        if let Output::Finish { id, .. } = &output {
            self.placing.insert(*id);
        }
        let Some(output) = self.files.carry_out(output) else { return };
        let Some(output) = self.copies.carry_out(output) else { return };
        let output = match self.links.carry_out(output, self.started.elapsed()) {
            Ok(outputs) => {
                self.looks_later();
                return self.obey(outputs, inputs);
            }
            Err(output) => output,
        };
        match output {
            Output::Send { link: LinkKey::Relay(to), frame, .. } => {
                let message = self.relay.send(to, &frame);
                self.relays(message);
            }
            Output::Say { link: LinkKey::Relay(to), frame, .. } => {
                let message = self.relay.say(to, &frame);
                self.relays(message);
            }
            Output::Receiving { id, progress } => self.receives(id, progress),
            Output::Sending { id, device, progress } => {
                self.told.push_back(Told::Sending { id, device, progress });
            }
            _ => {}
        }
    }

    fn relays(&self, message: Option<Vec<u8>>) {
        if let Some(message) = message {
            self.device.relay(message);
        }
    }

    /// Does what came of the direct links.
    pub(super) fn follow(&mut self, outputs: Vec<LinkOutput>) {
        let mut inputs = VecDeque::new();
        self.obey(outputs, &mut inputs);
        for input in inputs {
            self.give(input);
        }
    }

    pub(super) fn follow_links(&mut self) {
        let outputs = self.links.follow();
        self.follow(outputs);
    }

    fn obey(&mut self, outputs: Vec<LinkOutput>, inputs: &mut VecDeque<Input>) {
        for output in outputs {
            match output {
                LinkOutput::Engine(input) => inputs.push_back(input),
                LinkOutput::Signal { to, message } => {
                    // It is JSON already.
                    if let Ok(message) = to_raw_value(&message) {
                        self.device.tell(session::Input::Signal { to, message });
                    }
                }
                LinkOutput::Path { device, path } => {
                    self.told.push_back(Told::Path { device, path });
                }
            }
        }
    }

    /// Takes news of the session, which are told after what follows from them for the files.
    pub(super) fn hears(&mut self, news: News) {
        match &news {
            News::Status(Status::Live) => {}
            News::Status(Status::Stopped(Why::Ended)) => {
                self.forget_shared();
                self.relay_is(None);
            }
            News::Status(_) => {
                self.is_synced = false;
                self.relay_is(None);
            }
            News::Welcome(welcome) => {
                self.links.links.welcome(welcome.device_id, welcome.ice_servers.clone());
                self.follow_links();
                self.may(welcome.saved.as_ref().map(|saved| saved.role));
                self.relay_is(Some(welcome.relay));
            }
            News::Devices(devices) => {
                self.devices.clone_from(devices);
                self.lists();
            }
            // What was sealed can be opened, and links may be made.
            News::Encryption(_) => self.lists(),
            News::Item(item) => self.changed(item),
            News::Synced { .. } => {
                self.is_synced = true;
                self.share_resumed();
            }
            News::Gone(id) => {
                self.unshare(*id);
                self.coming.remove(id);
                self.searched_for.remove(id);
                self.give(Input::Forget(*id));
                self.files.forget(*id);
            }
            News::Signal { from, message } => {
                if let Ok(message) = serde_json::from_str(message.get()) {
                    self.links.links.signalled(*from, message, self.started.elapsed());
                    self.follow_links();
                }
            }
            News::Server(message) => self.server_says(message),
            _ => {}
        }
        self.told.push_back(Told::News(news));
    }

    /// Takes what this device may do in the beam; `None` where it is not saved, so that everybody may write. One that may only read
    /// passes nothing on (F21).
    fn may(&mut self, role: Option<Role>) {
        self.give(Input::PassOn(role.is_none_or(Role::may_write)));
    }

    fn server_says(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::BeamSaved { message } | ServerMessage::AccessChanged { message } => {
                self.may(Some(message.role));
            }
            ServerMessage::IceServers { message } => {
                self.links.links.renew(message.clone());
                self.follow_links();
            }
            ServerMessage::DevicesRemoved { message } => {
                self.links.links.remove(message);
                self.follow_links();
                self.listed.retain(|device| !message.contains(device));
                self.devices.retain(|device| !message.contains(&device.device_id));
                self.give(Input::Removed(message.clone()));
            }
            ServerMessage::Error { extra, to: Some(device), .. } => {
                let why = match extra {
                    ErrorCode::DeviceGone => Refusal::Gone,
                    ErrorCode::Forbidden => Refusal::Forbidden,
                    _ => Refusal::Full,
                };
                if why == Refusal::Gone {
                    self.links.links.unreachable(*device, self.started.elapsed());
                    self.follow_links();
                }
                self.give(Input::Refused { device: *device, why });
            }
            _ => {}
        }
    }

    /// The socket is another one, or gone. What waited in the one before is lost.
    fn relay_is(&mut self, relay: Option<RelayUse>) {
        self.relay = Relay::default();
        self.is_relay_up = relay.is_some_and(|relay| relay != RelayUse::Off);
        self.give(Input::Relay(relay));
        self.tell_relay_room();
    }

    /// Sets the devices that files may go to and come from: none before this device has been let into a sealed beam, where no signal
    /// would be understood (E5).
    fn lists(&mut self) {
        let (me, keys) = (self.session().me(), self.session().keys());
        let is_sealed = keys.is_some();
        if keys.is_some_and(|keys| !keys.is_keyed()) || me.is_none() {
            return;
        }
        let has = |device: &Device, cap| device.caps.contains(&cap);
        let connects =
            |device: &Device| has(device, Cap::Rtc) && (!is_sealed || has(device, Cap::E2e1));
        let direct = self.devices.iter().filter(|device| connects(device));
        let quic = direct.clone().filter(|device| has(device, Cap::Quic));
        let quic: Vec<DeviceId> = quic.map(|device| device.device_id).collect();
        let direct: Vec<DeviceId> = direct.map(|device| device.device_id).collect();
        let others = self.devices.iter();
        let others = others.filter(|one| has(one, Cap::Files) && Some(one.device_id) != me);
        let listed = others.map(|device| Listed {
            id: device.device_id,
            is_direct: self.is_direct && connects(device),
        });
        let listed: Vec<Listed> = listed.collect();
        self.listed = listed.iter().map(|device| device.id).collect();
        // The engine must know a device before a link to it opens.
        self.give(Input::Devices(listed));
        if self.is_direct {
            self.links.links.set_quic(quic);
            self.links.links.set_devices(direct, self.started.elapsed());
            self.follow_links();
        }
        self.tell_relay_room();
    }

    pub(super) fn relayed(&mut self, message: &[u8]) {
        if let Some((from, frame)) = relay::read(message) {
            let frame = frame.to_vec();
            self.give(Input::Frame { from, link: LinkKey::Relay(from), frame });
        }
    }

    /// Tells what waits in the socket, and how much room is left there. The first of the devices that uses it has it, so another one is
    /// the first each time.
    pub(super) fn tell_relay_room(&mut self) {
        if !self.is_relay_up || self.listed.is_empty() {
            return;
        }
        self.listed.rotate_left(1);
        for device in self.listed.clone() {
            let buffer = self.relay.buffer(device);
            self.give(Input::Buffered { device, link: LinkKey::Relay(device), buffer });
        }
    }
}
