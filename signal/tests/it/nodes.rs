//! Several nodes of one server: devices of a beam on different nodes, and what one node has to know of the others.

use std::process::Command;
use std::time::Duration;

use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::BeamId;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{sleep, timeout};

use super::broken_uploads::begins;
use super::device::{TestDevice, unknown_beam};
use super::file::{MIB, png};
use super::person::Person;
use super::postgres::fresh_database;
use super::program::Program;
use super::redis::Redis;
use super::server::{TestServer, until};

/// Makes a test that would hang fail instead.
const PATIENCE: Duration = Duration::from_mins(1);

/// What nodes have in common.
pub struct Nodes {
    pub redis: Redis,
    pub database: String,
}

impl Nodes {
    pub fn new() -> Self {
        Self { redis: Redis::start(), database: fresh_database() }
    }

    pub fn flags(&self) -> [String; 4] {
        ["--database".to_owned(), self.database.clone(), "--bus".to_owned(), self.redis.url()]
    }

    pub async fn node(&self) -> TestServer {
        let flags = self.flags();
        TestServer::with(&flags.each_ref().map(String::as_str)).await
    }

    async fn three(&self) -> [TestServer; 3] {
        [self.node().await, self.node().await, self.node().await]
    }

    pub fn process(&self) -> Program {
        let flags = self.flags();
        Program::start(&flags.each_ref().map(String::as_str), &[])
    }
}

impl Person<'_> {
    /// The same person, whose browser comes to another node.
    pub fn at<'a>(&self, server: &'a TestServer) -> Person<'a> {
        let (username, password) = (self.username.clone(), self.password.clone());
        Person { server, username, password, cookies: self.cookies.clone() }
    }
}

/// Changes the database without telling anybody.
pub fn psql(database: &str, change: &str) {
    let done = Command::new("psql").args([database, "--quiet", "--command", change]).status();
    assert!(done.unwrap().success());
}

/// What the database answers.
pub fn psql_says(database: &str, select: &str) -> String {
    let words = [database, "--quiet", "--tuples-only", "--no-align", "--command", select];
    let output = Command::new("psql").args(words).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Everything that a device finds in the beam, in order.
pub async fn contents(device: &mut TestDevice) -> Vec<Value> {
    device.says(&json!({"type": "sync", "message": {"after": null}})).await;
    let page = device.sees("sync").await;
    let items = page["message"]["items"].as_array().unwrap();
    items.iter().map(|item| item["message"].clone()).collect()
}

#[tokio::test]
async fn s7_devices_on_three_nodes_are_in_one_beam_with_one_order() {
    let nodes = Nodes::new();
    let [one, two, three] = nodes.three().await;
    let beam = unknown_beam();
    let mut ada = one.join(beam).await;
    let mut bob = two.join(beam).await;
    let mut cat = three.join(beam).await;
    for device in [&mut ada, &mut bob, &mut cat] {
        device.sees_devices(3).await;
    }
    assert_eq!([&one, &two, &three].map(|node| node.app.live.hub.count().0), [1, 0, 0]);

    bob.shares("from two").await;
    cat.shares("from three").await;
    ada.shares("from one").await;
    let mut orders = Vec::new();
    for device in [&mut ada, &mut bob, &mut cat] {
        let mut seen = Vec::new();
        for _ in 0..3 {
            seen.push(device.sees_item().await);
        }
        orders.push(seen);
    }
    assert!(orders.iter().all(|order| *order == orders[0]), "{orders:?}");
    assert_eq!(contents(&mut cat).await, orders[0]);

    cat.leaves().await;
    ada.sees_devices(2).await;
}

#[tokio::test]
async fn r1_frames_pass_between_nodes_in_order() {
    let nodes = Nodes::new();
    let [one, two, three] = nodes.three().await;
    let beam = unknown_beam();
    let _driven_here = one.join(beam).await;
    let (mut bob, mut cat) = (two.join(beam).await, three.join(beam).await);
    for number in 0..20_u8 {
        bob.relays_to(&mut cat, &vec![number; 60_000]).await;
    }
}

#[tokio::test]
async fn h40_an_upload_to_one_node_goes_on_while_another_one_starts() {
    let nodes = Nodes::new();
    let one = nodes.node().await;
    let file = png(MIB);
    let half = MIB / 2;
    let mut stream = begins(&one, &file, half).await;
    let pending = "SELECT count(*) FROM uploads WHERE state = 'pending' AND size > 0";
    until(async || psql_says(&nodes.database, pending) == "1").await;

    let _two = nodes.node().await;

    let (_, end) = file.around();
    stream.write_all(&file.bytes[half..]).await.unwrap();
    stream.write_all(&end).await.unwrap();
    let mut answer = Vec::new();
    stream.read_buf(&mut answer).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 201 "), "{}", String::from_utf8_lossy(&answer));
}

#[tokio::test]
async fn s27_a_logout_is_in_effect_on_all_nodes_before_its_answer() {
    let nodes = Nodes::new();
    let [one, two, three] = nodes.three().await;
    let ada = one.registered("ada").await;
    let (mut at_two, mut at_three) = (ada.at(&two), ada.at(&three));
    // Each node remembers the session.
    assert!(at_two.is().await.is_some() && at_three.is().await.is_some());
    let beam = unknown_beam();
    let _driven_at_three = three.join(beam).await;
    let mut device = ada.joins(beam).await;

    let mut leaving = ada.clone();
    assert_eq!(leaving.posts("/api/auth/logout/").await.status, 200);

    assert_eq!(at_two.is().await, None);
    assert_eq!(at_three.is().await, None);
    assert_eq!(device.is_closed().await, CloseCode::SessionEnded.number());
}

#[tokio::test]
async fn h31_a_right_that_is_taken_away_is_gone_on_every_node_before_the_answer() {
    let nodes = Nodes::new();
    let [one, two, three] = nodes.three().await;
    let ada = one.registered("ada").await;
    let beam = ada.at(&two).saves_a_beam().await;
    let mut owner = ada.clone();
    let path = format!("/api/beams/{beam}/");
    let changed = owner.asks("PUT", &path, &json!({"link_access": "write"})).await;
    assert_eq!(changed.status, 200, "{:?}", String::from_utf8_lossy(&changed.body));
    // Node two drives it, the guest is at three, and the right is taken away at one.
    let mut guest = three.join(beam).await;
    guest.shares("hello").await;
    guest.sees_item().await;

    assert_eq!(owner.asks("PUT", &path, &json!({"link_access": "read"})).await.status, 200);

    guest.shares("again").await;
    assert_eq!(guest.is_refused().await, "forbidden");
}

#[tokio::test]
async fn s11_a_beam_that_is_handed_over_keeps_its_memory_and_its_epoch() {
    let nodes = Nodes::new();
    let (one, two) = (nodes.node().await, nodes.node().await);
    let beam = unknown_beam();
    let mut ada = one.join(beam).await;
    for text in ["a", "b", "c"] {
        ada.shares(text).await;
        ada.sees_item().await;
    }
    ada.says(&json!({"type": "sync", "message": {"after": null}})).await;
    let before = ada.sees("sync").await;
    let ending = tokio::spawn(one.ends());
    assert_eq!(ada.is_closed().await, CloseCode::Restart.number());
    drop(ada);

    let mut bob = two.join(beam).await;
    bob.says(&json!({"type": "sync", "message": {"after": null}})).await;
    assert_eq!(bob.sees("sync").await["message"], before["message"]);
    ending.await.unwrap();
}

#[tokio::test]
async fn s2_what_an_address_has_guessed_at_one_node_counts_at_the_others() {
    let nodes = Nodes::new();
    let own = nodes.flags();
    let flags: Vec<_> =
        own.iter().map(String::as_str).chain(["--trusted-proxies", "127.0.0.1"]).collect();
    let (one, two) = (TestServer::with(&flags).await, TestServer::with(&flags).await);
    let guesses = async |server: &TestServer, address: &str| {
        let from = [("x-forwarded-for", address)];
        server.ask("GET", "/api/codes/ZZZZZZ/", &from).await.status
    };
    // What a node counts is told once, and lost with a call that fails.
    for address in ["203.0.113.7", "203.0.113.8", "203.0.113.9"] {
        for _ in 0..10 {
            assert_eq!(guesses(&one, address).await, 404);
        }
        // Of itself, the other one would let all of these pass.
        for _ in 0..9 {
            if guesses(&two, address).await == 429 {
                return;
            }
            sleep(Duration::from_millis(500)).await;
        }
    }
    panic!("the other node does not know of it");
}

#[tokio::test(flavor = "multi_thread")]
async fn h31_what_a_node_has_changed_and_not_told_is_in_effect_when_it_is_gone() {
    let nodes = Nodes::new();
    let mut dies = nodes.process();
    let node = nodes.node().await;
    let ada = node.registered("ada").await;
    let beam = ada.saves_a_beam().await;
    let mut owner = ada.clone();
    let (path, write) = (format!("/api/beams/{beam}/"), json!({"link_access": "write"}));
    assert_eq!(owner.asks("PUT", &path, &write).await.status, 200);
    let mut guest = node.join(beam).await;
    guest.shares("hello").await;
    guest.sees_item().await;

    for left in (0..3).rev() {
        // As far as the other node comes before it dies.
        psql(&nodes.database, "UPDATE beams SET link_access = 'read'");
        guest.shares("it was not told").await;
        if guest.sees_one_of(&["rec_clipboard", "error"]).await["type"] == "rec_clipboard" {
            break;
        }
        // A node that stands still for a while looks by itself what it has missed.
        assert!(left > 0, "it is known although nobody told it");
        assert_eq!(owner.asks("PUT", &path, &write).await.status, 200);
    }
    dies.is_killed();

    let refused = async {
        loop {
            guest.shares("again").await;
            let a_while = Duration::from_millis(300);
            if let Ok(why) = timeout(a_while, guest.is_refused()).await {
                return why;
            }
        }
    };
    let why = timeout(PATIENCE, refused).await.expect("it is known in the end");
    assert_eq!(why, "forbidden");
}

#[tokio::test]
async fn s11_what_was_acknowledged_survives_the_node_that_is_killed() {
    let nodes = Nodes::new();
    let mut killed = nodes.process();
    let beam = unknown_beam();
    let other = nodes.node().await;
    let mut ada = join_at(&killed.address, beam).await;
    // It comes to the other node and is passed on to the first one.
    let mut bob = other.join(beam).await;
    ada.shares("mine").await;
    bob.sees_item().await;
    bob.shares("yours").await;
    assert_eq!(ada.sees_item().await, "mine");
    assert_eq!(ada.sees_item().await, "yours");

    killed.is_killed();

    let mut back = timeout(PATIENCE, comes_back(&other, beam)).await.unwrap();
    let there = contents(&mut back).await;
    // A node that Redis keeps waiting goes on without it, and says so.
    assert!(there == ["mine", "yours"] || killed.log().contains("the bus"), "{there:?}");
}

#[tokio::test]
async fn s22_a_node_that_stood_still_writes_nothing_when_another_has_its_beam() {
    let nodes = Nodes::new();
    let (earlier, other) = (nodes.node().await, nodes.node().await);
    let ada = other.registered("ada").await;
    let beam = ada.at(&earlier).saves_a_beam().await;
    earlier.ends().await;
    // So the program drives the beam.
    let stopped = nodes.process();
    let mut stale = join_as(&stopped.address, beam, &ada.cookies_for("/ws/")).await;
    stale.shares("before").await;
    stale.sees_item().await;

    let mut nobody_else = join_at(&stopped.address, unknown_beam()).await;

    stopped.stands_still();
    nobody_else.shares("kept waiting").await;
    stale.shares("to the node that stands still").await;
    let back = async {
        loop {
            let cookies = ada.cookies_for("/ws/");
            if let Ok(mut device) = other.connect_as(beam, &[("cookie", &cookies)]).await {
                let auth = json!({"type": "auth", "message": null, "extra": {"v": 1, "caps": []}});
                device.says(&auth).await;
                if device.is_welcomed_or_sent_away().await {
                    return device;
                }
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    let mut back = timeout(PATIENCE, back).await.unwrap();
    back.shares("after").await;
    assert_eq!(back.sees_item().await, "after");
    stopped.goes_on();

    // The node that wakes up refuses what had come, tells the device nothing, and sends it away.
    assert_eq!(stale.is_sent_away().await, CloseCode::Restart.number());
    assert_eq!(contents(&mut back).await, ["a note", "before", "after"]);
    // A beam that nobody has taken over goes on.
    assert_eq!(nobody_else.sees_item().await, "kept waiting");
}

#[tokio::test]
async fn s19_a_device_that_is_passed_on_is_told_when_either_node_ends() {
    let nodes = Nodes::new();
    let mut driver = nodes.process();
    let (first, other) = (nodes.node().await, nodes.node().await);
    let beam = unknown_beam();
    let _driven_there = join_at(&driver.address, beam).await;
    let (mut bob, mut cat) = (first.join(beam).await, other.join(beam).await);

    let ending = tokio::spawn(first.ends());
    assert_eq!(bob.is_closed().await, CloseCode::Restart.number());
    drop(bob);
    ending.await.unwrap();
    driver.is_killed();
    assert_eq!(cat.is_closed().await, CloseCode::Restart.number());
}

#[tokio::test]
async fn h3_a_node_that_has_found_the_others_is_ready() {
    let nodes = Nodes::new();
    let node = nodes.node().await;
    until(async || {
        let answer = node.get("/readyz").await;
        (answer.status, answer.json()) == (200, json!({"status": "ok"}))
    })
    .await;
}

#[tokio::test]
async fn without_a_bus_a_second_server_still_refuses_to_start() {
    let nodes = Nodes::new();
    let node = nodes.node().await;
    let alone = TestServer::fails_on(&["--database", &nodes.database]).await;
    assert!(alone.contains("another Heliograph server"), "{alone}");
    node.ends().await;
    let alone = TestServer::with(&["--database", &nodes.database]).await;
    let flags = nodes.flags();
    let node = TestServer::fails_on(&flags.each_ref().map(String::as_str)).await;
    assert!(node.contains("another Heliograph server"), "{node}");
    alone.ends().await;
}

#[tokio::test]
async fn when_the_bus_is_gone_the_beams_of_a_node_go_on_and_new_ones_wait() {
    let mut nodes = Nodes::new();
    let (one, two) = (nodes.node().await, nodes.node().await);
    let beam = unknown_beam();
    let (mut ada, mut bob) = (one.join(beam).await, two.join(beam).await);
    ada.shares("before").await;
    bob.sees_item().await;
    nodes.redis.is_killed();

    // For longer than nodes are heard.
    for number in 0..6 {
        ada.shares(format!("meanwhile {number}")).await;
        assert_eq!(bob.sees_item().await, format!("meanwhile {number}"));
        sleep(Duration::from_secs(1)).await;
    }
    // Who drives it is known without the bus.
    let mut eve = timeout(PATIENCE, comes_back(&two, beam)).await.unwrap();
    assert_eq!(contents(&mut eve).await.len(), 7);
    eve.leaves().await;
    let mut cat = two.connect(unknown_beam()).await;
    cat.says(&json!({"type": "auth", "message": null, "extra": {"v": 1, "caps": []}})).await;
    assert_eq!(cat.is_closed().await, CloseCode::Overload.number());

    nodes.redis.is_started();
    let mut dan = timeout(PATIENCE, comes_back(&two, beam)).await.unwrap();
    assert_eq!(contents(&mut dan).await.len(), 7);
    bob.shares("after").await;
    ada.sees_until("rec_clipboard", |item| item["message"] == "after").await;
}

/// Comes to a node until its beam has a driver again, and that one is here or is passed on to.
pub async fn comes_back(server: &TestServer, beam: BeamId) -> TestDevice {
    loop {
        if let Ok(mut device) = server.connect_as(beam, &[]).await {
            let auth = json!({"type": "auth", "message": null, "extra": {"v": 1, "caps": []}});
            device.says(&auth).await;
            if device.is_welcomed_or_sent_away().await {
                return device;
            }
        }
        sleep(Duration::from_millis(50)).await;
    }
}

pub async fn join_at(address: &str, beam: BeamId) -> TestDevice {
    join_as(address, beam, "").await
}

async fn join_as(address: &str, beam: BeamId, cookies: &str) -> TestDevice {
    let auth = json!({"type": "auth", "message": null, "extra": {"v": 1, "caps": []}});
    let headers = [("cookie", cookies)];
    TestDevice::joins(address.parse().unwrap(), beam, &headers, &auth, true).await.0
}
