//! Two devices that connect by what they can (L7).

use std::time::Duration;

use heliograph_device::engine::contract::Input;
use heliograph_device::io::link_contract::LinkEvent;
use heliograph_device::io::link_driver::{LinkDriver, LinkOutput};
use heliograph_device::io::peer_links::PeerLinks;
use heliograph_shared::ids::DeviceId;
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep_until, timeout};

use crate::device_stage::{ADA, BOB};
use crate::stage::V4;

const PATIENCE: Duration = Duration::from_secs(40);

struct Side {
    id: DeviceId,
    driver: LinkDriver,
    events: Receiver<LinkEvent>,
    is_open: bool,
    closed: usize,
}

impl Side {
    fn new(id: DeviceId, quic: &[DeviceId]) -> Self {
        let mut names = 0;
        let links = PeerLinks::new(move || {
            names += 1;
            format!("name {names}")
        });
        let (mut driver, events) = LinkDriver::new(links, vec![SocketAddr::new(V4, 0)]);
        driver.links.welcome(id, Vec::new());
        driver.links.set_quic(quic.to_vec());
        driver.links.set_devices(vec![ADA, BOB], Duration::ZERO);
        Self { id, driver, events, is_open: false, closed: 0 }
    }

    /// Takes what came of anything. Returns the signals for the other side.
    fn takes(&mut self, outputs: Vec<LinkOutput>) -> Vec<Value> {
        let mut signals = Vec::new();
        for output in outputs {
            match output {
                LinkOutput::Signal { message, .. } => signals.push(message),
                LinkOutput::Engine(Input::LinkOpened { .. }) => self.is_open = true,
                LinkOutput::Engine(Input::LinkClosed { .. }) => {
                    self.is_open = false;
                    self.closed += 1;
                }
                _ => {}
            }
        }
        signals
    }
}

/// Lets two devices connect, whose clocks are so many times slower than that of this machine. `meddle` changes what the first says to the
/// other. Returns the kinds of the offers that were made.
async fn meet(quic: &[DeviceId], slowness: u32, meddle: impl Fn(&mut Value)) -> Vec<&'static str> {
    let started = Instant::now();
    let now = || started.elapsed() / slowness;
    let (mut ada, mut bob) = (Side::new(ADA, quic), Side::new(BOB, quic));
    let mut kinds = Vec::new();
    let outputs = bob.driver.follow();
    let mut said: Vec<(DeviceId, Value)> =
        bob.takes(outputs).into_iter().map(|message| (BOB, message)).collect();
    while !ada.is_open || !bob.is_open {
        if let Some((from, mut message)) = said.pop() {
            let kind = if message["signal"].get("quic").is_some() { "quic" } else { "webrtc" };
            if message["signal"]["type"] == "offer" {
                kinds.push(kind);
            }
            if from == ADA {
                meddle(&mut message);
            }
            let to = if from == ADA { &mut bob } else { &mut ada };
            to.driver.links.signalled(from, message, now());
            let outputs = to.driver.follow();
            let id = to.id;
            said.extend(to.takes(outputs).into_iter().map(|message| (id, message)));
            continue;
        }
        let due = [&ada, &bob].into_iter().filter_map(|side| side.driver.links.next_tick()).min();
        let due = started + due.map_or(PATIENCE, |due| due * slowness);
        let next = async {
            tokio::select! {
                // Before the time, which may have passed while this test did not run.
                biased;
                Some(event) = ada.events.recv() => Some((ADA, event)),
                Some(event) = bob.events.recv() => Some((BOB, event)),
                () = sleep_until(due) => None,
            }
        };
        let next = timeout(PATIENCE, next).await.expect("they connect");
        let Some((id, event)) = next else {
            for side in [&mut ada, &mut bob] {
                side.driver.links.tick(now());
                let outputs = side.driver.follow();
                let id = side.id;
                said.extend(side.takes(outputs).into_iter().map(|message| (id, message)));
            }
            continue;
        };
        let side = if id == ADA { &mut ada } else { &mut bob };
        let outputs = side.driver.happened(event, now());
        said.extend(side.takes(outputs).into_iter().map(|message| (id, message)));
    }
    assert_eq!((ada.closed, bob.closed), (0, 0), "no direct link has failed (L2)");
    kinds
}

#[tokio::test]
async fn l7_devices_that_have_quic_connect_by_it() {
    // A machine that is busy may take longer than an attempt by QUIC has.
    assert_eq!(meet(&[ADA, BOB], 10, |_| {}).await, ["quic"]);
}

#[tokio::test]
async fn l7_a_device_that_has_no_quic_is_connected_to_by_webrtc() {
    assert_eq!(meet(&[BOB], 1, |_| {}).await, ["webrtc"]);
}

#[tokio::test]
async fn l7_where_quic_leads_to_another_one_they_connect_by_webrtc() {
    let meddle = |message: &mut Value| {
        if let Some(quic) = message["signal"].get_mut("quic") {
            quic["fingerprint"] = json!("A".repeat(43));
        }
    };
    assert_eq!(meet(&[ADA, BOB], 1, meddle).await, ["quic", "webrtc"]);
}
