//! The ICE servers that devices are told (S4, S37), and the embedded TURN server behind them.

use std::fs;
use std::process::Stdio;

use clap::Parser as _;
use heliograph_signal::clock::Clock;
use heliograph_signal::config::Config;
use heliograph_signal::start::start;
use serde_json::{Value, json};
use tokio::net::UdpSocket;
use tokio::process::Command;

use super::coturn::chose_a_channel_twice;
use super::device::{TestDevice, unknown_beam};
use super::server::TestServer;

const EMBEDDED: [&str; 6] =
    ["--turn", "embedded", "--turn-listen", "127.0.0.1:0", "--turn-allow-peers", "127.0.0.0/8"];

const INSTALLED: &str = "coturn is installed (scripts/install-test-tools)";

async fn joins(server: &TestServer) -> (TestDevice, Value) {
    let mut device = server.connect(unknown_beam()).await;
    let extra = json!({"v": 1, "caps": ["files", "rtc"], "name": "Test"});
    device.says(&json!({"type": "auth", "message": null, "extra": extra})).await;
    let welcome = device.sees("welcome").await;
    (device, welcome["message"].clone())
}

/// Sends five packets between two relays with coturn's client.
async fn relays(port: &str, username: &Value, credential: &Value) -> bool {
    let mut client = Command::new("turnutils_uclient");
    client.args(["-y", "-c", "-n", "5", "-m", "1", "-u", username.as_str().unwrap()]);
    client.args(["-w", credential.as_str().unwrap(), "-p", port, "127.0.0.1"]);
    client.stdin(Stdio::null()).kill_on_drop(true);
    let ended = client.output().await.expect(INSTALLED);
    let said = [ended.stdout, ended.stderr].concat();
    if !chose_a_channel_twice(&String::from_utf8_lossy(&said)) {
        return ended.status.success();
    }
    client.output().await.expect(INSTALLED).status.success()
}

#[tokio::test(flavor = "multi_thread")]
async fn s4_a_device_is_told_the_embedded_turn_server_which_takes_its_credentials() {
    let server = TestServer::with(&EMBEDDED).await;
    let (_device, welcome) = joins(&server).await;
    let [stun, turn] = &welcome["ice_servers"].as_array().unwrap()[..] else {
        panic!("STUN and TURN: {welcome}");
    };
    let url = stun["urls"][0].as_str().unwrap();
    let port = url.strip_prefix("stun:127.0.0.1:").expect("the name by which we asked");
    assert_eq!(
        turn["urls"],
        json!(["udp", "tcp"].map(|by| format!("turn:127.0.0.1:{port}?transport={by}")))
    );
    let device = welcome["device_id"].as_str().unwrap();
    assert!(turn["username"].as_str().unwrap().ends_with(&format!(":{device}")));
    assert!(relays(port, &turn["username"], &turn["credential"]).await);
    assert!(!relays(port, &turn["username"], &json!("guessed")).await);
}

#[tokio::test]
async fn s37_new_credentials_come_ten_minutes_before_the_old_ones_end() {
    let server = TestServer::with(&EMBEDDED).await;
    let (mut device, welcome) = joins(&server).await;
    let expiry = |servers: &Value| {
        let username = servers[1]["username"].as_str().unwrap().to_owned();
        username.split(':').next().unwrap().parse::<i64>().unwrap()
    };
    let renewed = server.time_passes_until(&mut device, "ice_servers").await;
    let more = expiry(&renewed["message"]) - expiry(&welcome["ice_servers"]);
    assert!((3_000..3_060).contains(&more), "{more}");
}

#[tokio::test]
async fn s37_the_operators_own_turn_server_is_told_with_credentials_by_its_secret() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, "topsecret\n").unwrap();
    let urls = "turn:turn.example.org:3478,turns:turn.example.org:5349";
    let flags = ["--turn", urls, "--turn-secret-file", secret.to_str().unwrap()];
    let (_device, welcome) = joins(&TestServer::with(&flags).await).await;
    let servers = &welcome["ice_servers"];
    assert_eq!(servers[0], json!({"urls": ["stun:turn.example.org:3478"]}));
    let [udp, tcp] = ["udp", "tcp"].map(|by| format!("turn:turn.example.org:3478?transport={by}"));
    assert_eq!(servers[1]["urls"], json!([udp, tcp, "turns:turn.example.org:5349"]));
    let username = servers[1]["username"].as_str().unwrap();
    let expected = heliograph_turn::credentials::password(b"topsecret", username);
    assert_eq!(servers[1]["credential"], json!(expected));
}

#[tokio::test]
async fn turn_that_was_asked_for_and_cannot_be_had_stops_the_start() {
    let taken = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for flags in [
        &["--turn", "embedded", "--turn-listen", &address][..],
        &["--turn-listen", &address],
        &["--turn", "turn:turn.example.org:3478"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_str().unwrap();
        let all = [&["serve", "--listen", "127.0.0.1:0", "--data", data], flags].concat();
        let started = start(&Config::parse_from(all), Clock::System).await;
        let error = started.map(|_| ()).expect_err("it does not start");
        assert!(format!("{error}").contains("TURN"), "{error}");
    }
}

#[tokio::test]
async fn without_a_wish_turn_that_cannot_be_had_is_only_missing() {
    // Nobody else uses this address of the machine.
    let _taken = UdpSocket::bind("127.3.4.78:3478").await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let config = Config::parse_from(["serve", "--listen", "127.3.4.78:0", "--data", data]);
    let (listeners, app) = start(&config, Clock::System).await.unwrap();
    assert!(listeners.turn.is_none());
    app.storage.close().await;
}
