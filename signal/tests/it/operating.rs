//! The operator's commands, beside a server that runs and without one.

use std::path::Path;
use std::process::Stdio;

use clap::Parser as _;
use heliograph_shared::api::beams::LinkAccess;
use heliograph_signal::clock::Clock;
use heliograph_signal::config::Config;
use heliograph_signal::start::start;
use heliograph_testing::postgres::fresh_database;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::file::png;
use super::nodes::Nodes;
use super::server::{TestServer, until};
use super::world::{Who, on_both};

/// What a command said, and whether it did it.
#[derive(Debug)]
pub struct Said {
    pub done: bool,
    pub text: String,
    pub error: String,
}

/// Runs the program with these arguments, for the data of this folder.
pub async fn heliograph(data: &Path, arguments: &[&str], input: &str) -> Said {
    let mut program = Command::new(env!("CARGO_BIN_EXE_heliograph"));
    program.args(arguments).arg("--data").arg(data).kill_on_drop(true);
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = program.spawn().unwrap();
    let mut stdin = program.stdin.take().unwrap();
    // It may not read.
    let _ = stdin.write_all(input.as_bytes()).await;
    drop(stdin);
    let output = program.wait_with_output().await.unwrap();
    let [text, error] = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap());
    Said { done: output.status.success(), text, error }
}

/// The password in the answer.
fn password(said: &Said) -> String {
    let line = said.text.lines().next().unwrap();
    line.rsplit(' ').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_password_is_reset_beside_a_running_server_and_its_devices_are_out() {
    let server = TestServer::start().await;
    let data = server.folder.path();
    let mut ada = server.registered("ada").await;
    let mut bob = server.registered("bob").await;
    let beam = server.create_beam().await.beam_id;
    let cookies = ada.cookies_for("/ws");
    let mut device = server.connect_as(beam, &[("cookie", &*cookies)]).await.unwrap();
    device.says(&json!({"type": "auth", "message": null})).await;
    device.is_welcomed().await;
    assert_eq!(ada.gets("/api/auth/me").await.status, 200, "and it is cached");

    let said = heliograph(data, &["user", "reset-password", "Ada"], "").await;

    assert!(said.done, "{said:?}");
    assert_eq!(device.is_closed().await, 4401);
    assert_eq!(ada.gets("/api/auth/me").await.status, 401);
    assert_eq!(bob.gets("/api/auth/me").await.status, 200);
    assert_eq!(ada.logs_in().await.status, 401);
    ada.password = password(&said);
    assert_eq!(ada.logs_in().await.status, 200);
    let said = heliograph(data, &["user", "reset-password", "eve"], "").await;
    assert!(!said.done && said.error.contains("no account of this name"), "{said:?}");
}

#[tokio::test]
async fn a_user_is_deleted_with_everything_beside_a_running_server() {
    on_both(async |world| {
        let data = world.server.folder.path();
        let user = async |arguments: &[&str], input| {
            heliograph(data, &[&["user"], arguments, &world.database].concat(), input).await
        };
        let trip = world.trip(LinkAccess::Write).await;
        let (mut device, _) = world.enters(Who::Reader, trip.beam).await;
        let mut owner = world.person(Who::Owner);
        let answer = owner.uploads("/api/upload/", &png(3_000)).await;
        assert_eq!(answer.status, 201);
        let said = user(&["list"], "").await;
        let line = said.text.lines().find(|line| line.starts_with("owner ")).unwrap();
        let columns: Vec<_> = line.split_whitespace().collect();
        assert_eq!(columns[1], "owner@example.org");
        assert_eq!(columns[3..], ["1", "1", "2.9", "KiB"]);

        let said = user(&["delete", "owner"], "").await;
        assert!(!said.done && said.error.contains("--yes"), "{said:?}");
        let said = user(&["delete", "owner"], "no\n").await;
        assert!(said.done && said.text.contains("1 saved beams"), "{said:?}");
        assert!(said.text.ends_with("Nothing was deleted.\n"), "{said:?}");
        assert_eq!(owner.gets("/api/auth/me").await.status, 200);
        let said = user(&["delete", "owner"], "owner\n").await;
        assert!(said.done && said.text.ends_with("owner is deleted.\n"), "{said:?}");

        assert_eq!(device.is_closed().await, 4404, "the beam has ended");
        assert_eq!(owner.gets("/api/auth/me").await.status, 401);
        assert_eq!(world.server.kept_files(), 0);
        let said = user(&["delete", "owner", "--yes"], "").await;
        assert!(!said.done && said.error.contains("no account"), "{said:?}");
    })
    .await;
}

#[tokio::test]
async fn without_a_server_the_data_is_opened_and_without_data_nothing_is_made() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    assert_eq!(ada.uploads("/api/upload/", &png(3_000)).await.status, 201);
    let _bob = server.registered("bob").await;
    let folder = server.ends().await;
    assert!(!folder.path().join("heliograph.sock").exists());

    let said = heliograph(folder.path(), &["user", "delete", "ada", "--yes"], "").await;
    assert!(said.done, "{said:?}");
    let reset = heliograph(folder.path(), &["user", "reset-password", "bob"], "").await;
    let said = heliograph(folder.path(), &["user", "list"], "").await;
    assert_eq!(said.text.lines().count(), 2, "{said:?}");

    let server = TestServer::on(folder, &[]).await;
    assert_eq!(server.kept_files(), 0);
    let mut bob = server.person("bob");
    bob.password = password(&reset);
    assert_eq!(bob.logs_in().await.status, 200);

    let nowhere = tempfile::tempdir().unwrap();
    let nowhere = nowhere.path().join("typo");
    let said = heliograph(&nowhere, &["user", "list"], "").await;
    assert!(!said.done && said.error.contains("--data"), "{said:?}");
    assert!(!nowhere.exists());
}

#[cfg(unix)]
#[tokio::test]
async fn the_socket_for_commands_is_for_its_user_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let server = TestServer::start().await;
    let said = heliograph(server.folder.path(), &["user", "list"], "").await;
    assert!(said.done, "{said:?}");
    let about = std::fs::metadata(server.folder.path().join("heliograph.sock")).unwrap();
    assert_eq!(about.permissions().mode() & 0o777, 0o600);

    std::fs::remove_file(server.folder.path().join("heliograph.sock")).unwrap();
    let said = heliograph(server.folder.path(), &["user", "list"], "").await;
    assert!(!said.done && said.error.contains("a server uses this database"), "{said:?}");
}

#[tokio::test]
async fn a_command_for_another_database_is_refused_by_the_server_of_the_folder() {
    let server = TestServer::start().await;
    let _ada = server.registered("ada").await;
    let other = ["user", "reset-password", "ada", "--database", "postgres://ada:hush@db/beams"];
    let said = heliograph(server.folder.path(), &other, "").await;
    assert!(!said.done && said.error.contains("uses another database"), "{said:?}");
    assert!(!said.error.contains("hush"));
    assert_eq!(server.person("ada").logs_in().await.status, 200, "the old password is good");
}

#[tokio::test]
async fn h54_a_command_is_refused_while_nodes_run_that_it_cannot_tell() {
    let nodes = Nodes::new();
    let node = nodes.node().await;
    let mut ada = node.registered("ada").await;
    let elsewhere = tempfile::tempdir().unwrap();
    let words = ["user", "reset-password", "ada"].map(str::to_owned);
    let words = [&words[..], &nodes.flags()].concat();
    let words: Vec<_> = words.iter().map(String::as_str).collect();

    let said = heliograph(elsewhere.path(), &words, "").await;

    assert!(!said.done && said.error.contains("a server uses this database"), "{said:?}");
    assert_eq!(ada.logs_in().await.status, 200);
}

#[tokio::test]
async fn a_second_server_on_a_data_folder_is_refused_whatever_its_database() {
    let (first, second) = (fresh_database(), fresh_database());
    let server = TestServer::with(&["--database", &first]).await;
    let data = server.folder.path();
    for (flags, word) in [(&["--database", &*second][..], "--data"), (&[], "folder")] {
        let all = ["serve", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()];
        let config = Config::parse_from([&all, &["--turn", "off"][..], flags].concat());
        let error = start(&config, Clock::System).await.map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("another Heliograph server"), "{error}");
        assert!(error.to_string().contains(word), "{error}");
    }
    let said = heliograph(data, &["user", "list", "--database", &first], "").await;
    assert!(said.done, "the first one still listens: {said:?}");
    let folder = server.ends().await;
    TestServer::on(folder, &["--database", &second]).await;
}

#[tokio::test]
async fn a_password_that_cannot_be_written_fails_and_says_that_it_was_changed() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut program = Command::new(env!("CARGO_BIN_EXE_heliograph"));
    program.args(["user", "reset-password", "ada", "--data"]).arg(server.folder.path());
    program.stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped()).kill_on_drop(true);
    let output = program.spawn().unwrap().wait_with_output().await.unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("ada was changed"), "{error}");
    assert_eq!(ada.logs_in().await.status, 401);
}

#[tokio::test]
async fn the_settings_are_shown_with_their_origin_and_their_faults() {
    let folder = tempfile::tempdir().unwrap();
    let database = "postgres://ada:hush@db/beams";
    let said = heliograph(folder.path(), &["config", "--database", database], "").await;
    assert!(said.done && !said.text.contains("hush"), "{said:?}");
    assert!(said.text.contains("postgres://ada:…@db/beams"), "{said:?}");
    assert!(said.text.ends_with("The settings are good.\n"), "{said:?}");
    let said = heliograph(folder.path(), &["config", "--turn", "turn:t.example.org"], "").await;
    assert!(!said.done && said.text.contains("--turn-secret-file"), "{said:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was made");
}

#[tokio::test]
async fn health_says_by_its_exit_code_whether_the_server_is_well() {
    let server = TestServer::start().await;
    let address = server.address.to_string();
    until(async || {
        let said = heliograph(server.folder.path(), &["health", "--listen", &address], "").await;
        said.done && said.text.is_empty() && said.error.is_empty()
    })
    .await;
    let folder = server.ends().await;
    let said = heliograph(folder.path(), &["health", "--listen", &address], "").await;
    assert!(!said.done && said.error.contains("does not answer"), "{said:?}");
}
