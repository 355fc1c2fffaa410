//! Nodes of which one loses Redis, or Redis loses what one said.

use std::net::Ipv4Addr;
use std::time::Duration;

use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::BeamId;
use heliograph_signal::bus::notice::Notice;
use serde_json::{Value, json};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::device::{TestDevice, unknown_beam};
use super::nodes::{Nodes, comes_back, contents, join_at, psql, psql_says};
use super::ports::free_port;
use super::program::Program;
use super::server::TestServer;

/// Makes a test that would hang fail instead.
const PATIENCE: Duration = Duration::from_mins(1);

/// The way of one node to Redis. The others have their own.
struct Cable {
    url: String,
    carrying: AbortHandle,
}

impl Cable {
    async fn to(nodes: &Nodes) -> Self {
        // When it is cut, nobody else gets its port.
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, free_port())).await.unwrap();
        let url = format!("redis://{}/", listener.local_addr().unwrap());
        let redis = nodes.redis.url();
        let redis = redis.trim_start_matches("redis://").trim_end_matches('/').to_owned();
        let carrying = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((mut near, _)) = listener.accept().await {
                let mut far = TcpStream::connect(&redis).await.unwrap();
                connections.spawn(async move { copy_bidirectional(&mut near, &mut far).await });
            }
        });
        Self { url, carrying: carrying.abort_handle() }
    }

    /// With the task, its listener and its connections go.
    fn is_cut(&self) {
        self.carrying.abort();
    }
}

async fn epoch(device: &mut TestDevice) -> Value {
    device.says(&json!({"type": "sync", "message": {"after": null}})).await;
    device.sees("sync").await["message"]["epoch"].clone()
}

/// Waits until Redis has so many items of a beam, and the database no longer says that it lacks some.
async fn remembers(nodes: &Nodes, beam: BeamId, items: u32) {
    let key = format!("heliograph:memory:{beam}");
    // And the rest.
    let fields = (items + 1).to_string();
    let behind = format!("SELECT behind FROM beam_drivers WHERE beam_id = '{beam}'");
    let written = async {
        while nodes.redis.cli(&["HLEN", &key]).trim() != fields
            || psql_says(&nodes.database, &behind) != "0"
        {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, written).await.expect("Redis has all of it");
}

#[tokio::test(flavor = "multi_thread")]
async fn s11_what_a_broken_connection_did_not_write_is_written_without_another_change() {
    let nodes = Nodes::new();
    let mut killed = nodes.process();
    let other = nodes.node().await;
    let beam = unknown_beam();
    let mut ada = join_at(&killed.address, beam).await;
    ada.shares("before").await;
    ada.sees_item().await;
    let before = epoch(&mut ada).await;

    let _how_many = nodes.redis.cli(&["CLIENT", "KILL", "TYPE", "normal"]);
    ada.shares("acknowledged").await;
    assert_eq!(ada.sees_item().await, "acknowledged");
    remembers(&nodes, beam, 2).await;
    // What is written later is not behind.
    ada.shares("after").await;
    ada.sees_item().await;
    remembers(&nodes, beam, 3).await;
    killed.is_killed();

    let mut back = timeout(PATIENCE, comes_back(&other, beam)).await.unwrap();
    assert_eq!(contents(&mut back).await, ["before", "acknowledged", "after"]);
    assert_eq!(epoch(&mut back).await, before);
}

/// Waits until Redis has so many nodes.
async fn hears(nodes: &Nodes, count: usize) {
    let heard = async {
        while nodes.redis.cli(&["KEYS", "heliograph:node:*"]).split_whitespace().count() != count {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, heard).await.expect("Redis hears the others no longer");
}

#[tokio::test(flavor = "multi_thread")]
async fn s7_a_node_that_alone_has_lost_redis_keeps_its_beams_and_others_lead_to_it() {
    let nodes = Nodes::new();
    let cable = Cable::to(&nodes).await;
    let one = Program::start(&["--database", &nodes.database, "--bus", &cable.url], &[]);
    let two = nodes.node().await;
    let beam = unknown_beam();
    let mut ada = join_at(&one.address, beam).await;
    ada.shares("before").await;
    ada.sees_item().await;
    let mut passed_on = two.join(beam).await;
    let before = epoch(&mut ada).await;

    cable.is_cut();
    ada.shares("told by one alone").await;
    assert_eq!(ada.sees_item().await, "told by one alone");
    hears(&nodes, 1).await;

    let mut bob = timeout(PATIENCE, comes_back(&two, beam)).await.unwrap();
    assert_eq!(epoch(&mut bob).await, before);
    assert_eq!(contents(&mut bob).await, ["before", "told by one alone"]);
    bob.shares("from two").await;
    for device in [&mut ada, &mut passed_on] {
        device.sees_until("rec_clipboard", |item| item["message"] == "from two").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn s11_what_redis_lacks_is_never_called_deleted_by_the_next_node() {
    let nodes = Nodes::new();
    let cable = Cable::to(&nodes).await;
    let mut one = Program::start(&["--database", &nodes.database, "--bus", &cable.url], &[]);
    let two = nodes.node().await;
    let beam = unknown_beam();
    let mut ada = join_at(&one.address, beam).await;
    ada.shares("before").await;
    ada.sees_item().await;
    let before = epoch(&mut ada).await;

    cable.is_cut();
    ada.shares("told by one alone").await;
    assert_eq!(ada.sees_item().await, "told by one alone");
    one.is_killed();

    let mut bob = timeout(PATIENCE, comes_back(&two, beam)).await.unwrap();
    // Under the same epoch, Ada's device would delete what she shared last.
    assert_ne!(epoch(&mut bob).await, before);
}

#[tokio::test]
async fn s7_a_lease_that_redis_has_lost_leads_to_its_node_again() {
    let nodes = Nodes::new();
    let (one, two) = (nodes.node().await, nodes.node().await);
    let beam = unknown_beam();
    let mut ada = one.join(beam).await;
    let lease = format!("heliograph:driver:{beam}");
    let before = nodes.redis.cli(&["GET", &lease]);
    assert_eq!(nodes.redis.cli(&["DEL", &lease]).trim(), "1");

    let come = async {
        loop {
            let mut device = two.connect(beam).await;
            let auth = json!({"type": "auth", "message": null, "extra": {"v": 1, "caps": []}});
            device.says(&auth).await;
            if device.is_welcomed_or_sent_away().await {
                return device;
            }
        }
    };
    let _bob = timeout(PATIENCE, come).await.unwrap();
    ada.sees_devices(2).await;
    assert_eq!([&one, &two].map(|node| node.app.live.hub.count().0), [1, 0]);
    assert_eq!(nodes.redis.cli(&["GET", &lease]), before);
}

#[tokio::test]
async fn a_node_does_not_start_with_another_bus_than_those_of_its_database() {
    let (nodes, mut other) = (Nodes::new(), Nodes::new());
    let one = nodes.node().await;
    let two = nodes.node().await;
    other.database.clone_from(&nodes.database);
    let flags = other.flags();
    let why = TestServer::fails_on(&flags.each_ref().map(String::as_str)).await;
    assert!(why.contains("give all nodes the same --bus"), "{why}");

    drop(one.ends().await);
    drop(two.ends().await);
    other.node().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn s27_a_node_that_began_while_another_was_cut_off_and_that_one_tell_each_other() {
    let nodes = Nodes::new();
    let cable = Cable::to(&nodes).await;
    let flags = ["--database", &nodes.database, "--bus", &cable.url];
    let one = TestServer::with(&flags).await;
    let (ada, bob) = (one.registered("ada").await, one.registered("bob").await);
    let mut device = bob.joins(unknown_beam()).await;
    cable.is_cut();
    hears(&nodes, 0).await;
    let began = nodes.node().await;
    let (mut ada_there, mut bob_there) = (ada.at(&began), bob.at(&began));
    // Each node remembers both sessions.
    assert!(ada_there.is().await.is_some() && bob_there.is().await.is_some());

    let mut leaving = ada.clone();
    assert_eq!(leaving.posts("/api/auth/logout/").await.status, 200);
    assert_eq!(ada_there.is().await, None);

    assert_eq!(bob_there.posts("/api/auth/logout/").await.status, 200);
    assert_eq!(bob.clone().is().await, None);
    assert_eq!(device.is_closed().await, CloseCode::SessionEnded.number());
}

#[tokio::test]
async fn s27_a_node_that_could_not_be_told_of_a_logout_is_told_that_it_has_missed_something() {
    let nodes = Nodes::new();
    let node = nodes.node().await;
    let ada = node.registered("ada").await;
    // Redis hears it, and nobody answers at its address.
    let nobody = uuid::Uuid::from_bytes([7; 16]).to_string();
    let key = format!("heliograph:node:{nobody}");
    let _set = nodes.redis.cli(&["SET", &key, "127.0.0.1:9", "PX", "60000"]);
    let _added = nodes.redis.cli(&["SADD", "heliograph:nodes", &nobody]);

    let untold = || nodes.redis.cli(&["GET", &format!("heliograph:untold:{nobody}")]);
    // What is only counted is no reason to read anything.
    node.app.bus.tell_others(&Notice::Tried("ada".to_owned())).await;
    assert_eq!(untold().trim(), "");
    let asked = tokio::time::Instant::now();
    let mut leaving = ada.clone();
    assert_eq!(leaving.posts("/api/auth/logout/").await.status, 200);

    assert_eq!(untold().trim(), "1");
    // It was tried for three seconds, and three more after that it acts no more on what it knew before.
    assert!(asked.elapsed() >= Duration::from_secs(6));
}

#[tokio::test]
async fn s27_a_node_that_has_missed_something_reads_which_logins_have_ended() {
    let nodes = Nodes::new();
    let node = nodes.node().await;
    let mut device = node.registered("ada").await.joins(unknown_beam()).await;
    let key = nodes.redis.cli(&["KEYS", "heliograph:node:*"]);
    let id = key.trim().strip_prefix("heliograph:node:").unwrap();

    psql(&nodes.database, "DELETE FROM sessions");
    let _set = nodes.redis.cli(&["SET", &format!("heliograph:untold:{id}"), "1"]);

    assert_eq!(device.is_closed().await, CloseCode::SessionEnded.number());
}

#[tokio::test(flavor = "multi_thread")]
async fn s11_what_a_replica_lacks_that_takes_the_place_of_redis_is_written_again() {
    let nodes = Nodes::new();
    let node = nodes.node().await;
    let beam = unknown_beam();
    let mut ada = node.join(beam).await;
    ada.shares("acknowledged").await;
    ada.sees_item().await;
    remembers(&nodes, beam, 1).await;

    for lost in [format!("heliograph:memory:{beam}"), format!("heliograph:driver:{beam}")] {
        assert_eq!(nodes.redis.cli(&["DEL", &lost]).trim(), "1");
    }
    // A replica has its own from then on; nothing else tells that it is another one.
    assert_eq!(nodes.redis.cli(&["DEBUG", "CHANGE-REPL-ID"]).trim(), "OK");

    remembers(&nodes, beam, 1).await;
    assert!(nodes.redis.cli(&["GET", &format!("heliograph:driver:{beam}")]).len() > 36);
}

#[tokio::test(flavor = "multi_thread")]
async fn s11_a_memory_that_redis_has_dropped_is_written_whole_with_the_next_change() {
    let nodes = Nodes::new();
    let node = nodes.node().await;
    let beam = unknown_beam();
    let mut ada = node.join(beam).await;
    for text in ["one", "two", "three"] {
        ada.shares(text).await;
        ada.sees_item().await;
    }
    remembers(&nodes, beam, 3).await;
    assert_eq!(nodes.redis.cli(&["DEL", &format!("heliograph:memory:{beam}")]).trim(), "1");
    ada.shares("four").await;
    ada.sees_item().await;
    remembers(&nodes, beam, 4).await;
}

/// A number of what Redis counts.
fn counted(nodes: &Nodes, section: &str, name: &str) -> u64 {
    let told = nodes.redis.cli(&["INFO", section]);
    let line = told.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.split([',', '\r']).next().unwrap().trim().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_cannot_be_called_has_no_other_write_its_memories_again() {
    let nodes = Nodes::new();
    let node = nodes.node().await;
    let beam = unknown_beam();
    let mut ada = node.join(beam).await;
    for _ in 0..8 {
        ada.shares("x".repeat(100_000)).await;
        ada.sees_item().await;
    }
    for _ in 0..3 {
        remembers(&nodes, beam, 8).await;
        let more = written_in_four_looks_back(&nodes).await;
        if more < 400_000 {
            return;
        }
        // A node that stands still for so long that Redis hears it no longer has a reason of its own.
        println!("{more} bytes");
    }
    panic!("its memories are written again and again");
}

/// Bytes that are written to Redis while the nodes look back four times for one that cannot be called.
async fn written_in_four_looks_back(nodes: &Nodes) -> u64 {
    let written = counted(nodes, "stats", "total_net_input_bytes:");
    // Each look back claims the beam by a script.
    let scripts = || counted(nodes, "commandstats", "cmdstat_evalsha:calls=");
    let before = scripts();
    let looks = async {
        while scripts() < before + 4 {
            psql(
                &nodes.database,
                "INSERT INTO nodes SELECT '07070707-0707-0707-0707-070707070707', '127.0.0.1:9', t, t \
                 FROM (SELECT (extract(epoch FROM now()) * 1000)::bigint AS t) AS now \
                 ON CONFLICT (node) DO UPDATE SET seen_at = excluded.seen_at, unheard_at = excluded.unheard_at",
            );
            sleep(Duration::from_millis(500)).await;
        }
    };
    timeout(PATIENCE, looks).await.expect("the node looks back");
    counted(nodes, "stats", "total_net_input_bytes:") - written
}
