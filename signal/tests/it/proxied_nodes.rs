//! The recipes in `deploy/` for nginx and Caddy in front of several nodes: they choose the node by the beam's id. What a
//! load balancer does that cannot is tested beside it: it gives each connection to the next node.

use std::net::SocketAddr;
use std::time::Duration;

use heliograph_shared::ids::BeamId;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::device::{TestDevice, unknown_beam};
use super::nodes::{Nodes, contents};
use super::pieces::VERSION;
use super::program::Program;
use super::proxies::{DOMAIN, Proxy};
use super::server::{Answer, TestServer, ask};

/// Makes a test that would hang fail instead.
const PATIENCE: Duration = Duration::from_mins(1);
const PUBLIC: [&str; 2] = ["--public-url", "https://beam.example.org"];

/// Three nodes, one of which is a process that can be killed.
struct Three {
    _bus: Nodes,
    stay: [TestServer; 2],
    dies: Program,
}

impl Three {
    async fn start() -> Self {
        let bus = Nodes::new();
        let own = bus.flags();
        let flags: Vec<_> = own.iter().map(String::as_str).chain(PUBLIC).collect();
        let stay = [TestServer::with(&flags).await, TestServer::with(&flags).await];
        let dies = Program::start(&flags, &[]);
        Self { _bus: bus, stay, dies }
    }

    fn addresses(&self) -> [String; 3] {
        let [one, two] = &self.stay;
        [one.address.to_string(), two.address.to_string(), self.dies.address.clone()]
    }

    /// Beams that a node drives which stays.
    fn driven(&self) -> usize {
        self.stay.iter().map(|node| node.app.live.hub.count().0).sum()
    }

    /// Sockets that such a node has passed on.
    fn passed_on(&self) -> u64 {
        self.stay.iter().map(|node| node.app.counts.passed_on.get()).sum()
    }
}

/// A device that comes through a proxy, as often as it is sent away.
async fn comes(door: SocketAddr, beam: BeamId) -> TestDevice {
    comes_after(door, beam).await.0
}

/// Also returns how often it came.
async fn comes_after(door: SocketAddr, beam: BeamId) -> (TestDevice, u64) {
    let comes = async {
        for tries in 1.. {
            if let Ok(mut device) = TestDevice::open(door, beam, &[("host", DOMAIN)]).await {
                let extra = json!({"v": 1, "caps": ["files"], "name": "Test"});
                device.says(&json!({"type": "auth", "message": null, "extra": extra})).await;
                if device.is_welcomed_or_sent_away().await {
                    return (device, tries);
                }
            }
            sleep(Duration::from_millis(50)).await;
        }
        unreachable!()
    };
    timeout(PATIENCE, comes).await.expect("the beam can be reached")
}

async fn relays(from: &mut TestDevice, to: &mut TestDevice) {
    from.relays_to(to, &vec![7; 60_000]).await;
}

/// Devices share, relay and come back, of which some come through the one proxy and some through the other.
async fn a_beam_is_one_and_survives(mut three: Three, by_id: &Proxy, in_turns: &Proxy) {
    let (first, second) = (by_id.door().await, in_turns.door().await);
    let mut elsewhere = Vec::new();
    let (beam, mut ada) = loop {
        let (before, beam) = (three.driven(), unknown_beam());
        let device = comes(first, beam).await;
        if three.driven() == before {
            break (beam, device);
        }
        elsewhere.push(device);
    };
    let mut bob = comes(first, beam).await;
    assert_eq!(three.passed_on(), 0, "all devices of a beam come to its driver");
    let (mut cat, cats) = comes_after(second, beam).await;
    let (mut dan, dans) = comes_after(second, beam).await;
    let (mut eve, eves) = comes_after(second, beam).await;
    // Who has to come again changes whose turn it is.
    let others = 1..cats + dans + eves;
    let passed_on = three.passed_on();
    assert!(others.contains(&passed_on), "of three in turns, one comes to the driver: {passed_on}");

    ada.sees_devices(5).await;
    for device in [&mut ada, &mut bob, &mut cat, &mut dan, &mut eve] {
        device.shares("hello").await;
    }
    ada.shares("from ada").await;
    cat.shares("from cat").await;
    let mut orders = Vec::new();
    for device in [&mut ada, &mut bob, &mut cat, &mut dan, &mut eve] {
        let mut seen = Vec::new();
        for _ in 0..7 {
            seen.push(device.sees_item().await);
        }
        orders.push(seen);
    }
    assert!(orders.iter().all(|order| *order == orders[0]), "{orders:?}");
    relays(&mut ada, &mut dan).await;
    relays(&mut dan, &mut eve).await;
    relays(&mut eve, &mut bob).await;

    three.dies.is_killed();
    drop((ada, bob, cat, dan, eve));
    let (mut ada, mut cat) = tokio::join!(comes(first, beam), comes(second, beam));
    assert_eq!(contents(&mut ada).await, orders[0]);
    assert_eq!(contents(&mut cat).await, orders[0]);
    cat.shares("after").await;
    ada.sees_until("rec_clipboard", |item| item["message"] == "after").await;
    relays(&mut ada, &mut cat).await;
}

/// Asks through a proxy, again while it reaches no node: one that stands still is left out for a while.
async fn asks(proxy: &Proxy, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let asking = async {
        loop {
            let answer = ask(proxy.connects().await, DOMAIN, method, path, headers).await;
            if answer.status < 500 {
                return answer;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, asking).await.expect("a node answers")
}

/// An upload in pieces is found, whichever node its requests come to.
/// Returns the device of the beam.
async fn pieces_are_found(proxy: &Proxy) -> TestDevice {
    let (door, beam) = (proxy.door().await, unknown_beam());
    let mut ada = comes(door, beam).await;
    ada.shares("hi").await;
    ada.says(&json!({"type": "keep", "message": "24h"})).await;
    ada.sees("kept").await;
    // One of them could come to the same node by chance.
    for _ in 0..4 {
        let path = format!("/api/beams/{beam}/tus/");
        let headers = [VERSION, ("upload-length", "9")];
        let begun = asks(proxy, "POST", &path, &headers).await;
        assert_eq!(begun.status, 201, "{begun:?}");
        let there = asks(proxy, "HEAD", begun.header("location"), &[VERSION]).await;
        assert_eq!(there.status, 200, "{there:?}");
    }
    ada
}

#[tokio::test(flavor = "multi_thread")]
async fn s7_nodes_behind_nginx_are_chosen_by_the_beam_and_pass_on_what_comes_to_others() {
    let three = Three::start().await;
    let [one, two, dies] = three.addresses();
    let nodes = [("10.0.0.1:8080", one), ("10.0.0.2:8080", two), ("10.0.0.3:8080", dies)];
    let by_id = Proxy::nginx_of("nginx.cluster.conf", &nodes);
    let hash = [("    hash $node_key consistent;\n", String::new())];
    let in_turns = Proxy::nginx_of("nginx.cluster.conf", &[&nodes[..], &hash].concat());
    let _stays = pieces_are_found(&by_id).await;
    a_beam_is_one_and_survives(three, &by_id, &in_turns).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn s7_nodes_behind_caddy_are_chosen_by_the_beam_and_pass_on_what_comes_to_others() {
    let three = Three::start().await;
    let names = "dynamic a heliograph 8080 {\n\t\t\trefresh 2s\n\t\t}";
    let nodes = [(names, format!("to {}", three.addresses().join(" ")))];
    let by_id = Proxy::caddy_of("Caddyfile.cluster", &nodes);
    let hash = [("lb_policy uri_hash", "lb_policy round_robin".to_owned())];
    let in_turns = Proxy::caddy_of("Caddyfile.cluster", &[&nodes[..], &hash].concat());
    let _stays = pieces_are_found(&by_id).await;
    a_beam_is_one_and_survives(three, &by_id, &in_turns).await;
}
