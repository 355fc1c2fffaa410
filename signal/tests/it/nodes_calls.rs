//! What nodes of a server say to each other, and how they find each other.

use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use heliograph_signal::bus::Bus;
use heliograph_signal::bus::member::Member;
use heliograph_signal::bus::others::Node;
use heliograph_signal::bus::peers::Error;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::device::unknown_beam;
use super::nodes::Nodes;
use super::postgres::fresh_database;
use super::server::TestServer;

/// Makes a test that would hang fail instead.
const PATIENCE: Duration = Duration::from_secs(30);

async fn comes_true(is_true: impl Fn() -> bool) {
    let true_soon = async {
        while !is_true() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, true_soon).await.expect("it comes true");
}

fn member(server: &TestServer) -> &Member {
    match &server.app.bus {
        Bus::Shared(member) => member,
        Bus::Alone => panic!("it is alone"),
    }
}

/// Where others reach a node.
fn found_at(nodes: &Nodes, server: &TestServer) -> Node {
    let id = member(server).node();
    let address = nodes.redis.cli(&["GET", &format!("heliograph:node:{id}")]);
    Node { id, address: address.trim().parse().unwrap(), gone: CancellationToken::new() }
}

#[tokio::test]
async fn nothing_is_left_of_a_socket_that_was_passed_on_and_closed() {
    let nodes = Nodes::new();
    let (one, two) = (nodes.node().await, nodes.node().await);
    let beam = unknown_beam();
    let mut ada = one.join(beam).await;
    let bob = two.join(beam).await;
    assert_eq!(two.app.counts.passed_on.get(), 1);

    bob.leaves().await;

    ada.sees_devices(1).await;
    comes_true(|| two.app.counts.passed_on_ended.get() == 1).await;
}

#[tokio::test]
async fn a_node_refuses_what_is_said_to_another_one_at_its_address() {
    let nodes = Nodes::new();
    let (one, two) = (nodes.node().await, nodes.node().await);
    let right = found_at(&nodes, &one);
    let wrong = Node { id: member(&two).node(), ..right.clone() };
    let call = async |node: &Node| member(&two).call(node, Request::new(Body::empty())).await;

    assert_eq!(call(&right).await.unwrap().status(), 404);
    assert!(matches!(call(&wrong).await, Err(Error::Status(status)) if status == 421));
}

#[tokio::test]
async fn who_does_not_show_that_it_is_a_node_is_not_kept() {
    let nodes = Nodes::new();
    let one = nodes.node().await;
    let mut stranger = TcpStream::connect(found_at(&nodes, &one).address).await.unwrap();
    stranger.write_all(b"POST /notices HTTP/1.1\r\n").await.unwrap();
    let ended = timeout(Duration::from_secs(8), stranger.read(&mut [0; 64])).await;
    assert!(matches!(ended, Ok(Ok(0) | Err(_))), "{ended:?}");
}

#[tokio::test]
async fn a_node_that_others_do_not_reach_does_not_start() {
    let database = fresh_database();
    let flags = ["--database", database.as_str(), "--bus", "redis://192.0.2.1/"];
    let why = TestServer::fails_on(&flags).await;
    assert!(why.contains("--node"), "{why}");
}

#[tokio::test]
async fn s2_while_the_bus_is_silent_a_live_beam_is_known_and_a_guessed_one_is_not() {
    let mut nodes = Nodes::new();
    let (one, two) = (nodes.node().await, nodes.node().await);
    let beam = unknown_beam();
    let _ada = one.join(beam).await;
    nodes.redis.is_killed();
    let hub = &two.app.live.hub;
    assert!(hub.is_live_anywhere(beam).await);
    assert!(!hub.is_live_anywhere(unknown_beam()).await);
}

#[tokio::test]
async fn h33_all_nodes_together_give_so_many_codes_and_the_same_one_for_a_beam() {
    let nodes = Nodes::new();
    let (one, two) = (nodes.node().await, nodes.node().await);
    let code = async |node: &TestServer, beam| {
        let answer = node.post(&format!("/api/beams/{beam}/code/")).await;
        (answer.status, serde_json::from_slice::<Value>(&answer.body).unwrap()["code"].clone())
    };
    let beams = [one.create_beam().await.beam_id, one.create_beam().await.beam_id];
    let first = code(&one, beams[0]).await;
    assert_eq!(first.0, 200);
    let codes = |ends: &str| {
        let add = "for i = 1, 16383 do redis.call('ZADD', 'heliograph:codes', ARGV[1], i) end";
        let _ = nodes.redis.cli(&["EVAL", add, "0", ends]);
    };
    codes("9000000000000");
    assert_eq!(code(&two, beams[1]).await.0, 503);
    assert_eq!(code(&two, beams[0]).await, first);

    // These have ended.
    codes("1");
    assert_eq!(code(&two, beams[1]).await.0, 200);
}
