//! The load tool and the real server: I1 to I4 hold while devices move and nodes die, and a planted fault is found.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use heliograph_testing::postgres::fresh_database;
use heliograph_testing::redis::Redis;

/// `cargo test --workspace` builds it beside the tool.
fn server() -> PathBuf {
    let beside =
        || PathBuf::from(env!("CARGO_BIN_EXE_heliograph-bench")).with_file_name("heliograph");
    std::env::var_os("HELIOGRAPH_BINARY").map_or_else(beside, PathBuf::from)
}

/// A load that comes back soon, so that a test is short.
fn tool(options: &[&str]) -> Command {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_heliograph-bench"));
    tool.args(["load", "--serve"]).arg(server());
    tool.args(["--beams=6", "--devices=4", "--rate=20", "--reconnect=50", "--patience=20"]);
    tool.args(options).stdout(Stdio::piped()).stderr(Stdio::piped());
    tool
}

/// Runs a load in which no promise is broken, and returns its table.
fn holds(options: &[&str]) -> String {
    let Output { status, stdout, stderr } = tool(options).output().unwrap();
    let (table, log) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    assert!(status.success(), "{table}\n{log}");
    table
}

/// The first number of a row.
fn number(table: &str, row: &str) -> f64 {
    let line = table.lines().find(|line| line.starts_with(row)).expect(table);
    let digits = |c: char| c.is_ascii_digit() || c == '.';
    let rest = line[row.len()..].trim_start_matches(|c| !digits(c));
    rest.split(|c| !digits(c)).next().unwrap().parse().expect(table)
}

#[test]
fn i1_to_i4_hold_while_devices_move_and_relay() {
    let table = holds(&["--seconds=2", "--churn=0.5", "--frames=20"]);
    // Far less than there is in this time: that there was a load at all, also on a machine that is busy.
    assert!(number(&table, "deliveries") > 200.0, "{table}");
    assert!(number(&table, "frames relayed") > 10.0, "{table}");
    assert!(number(&table, "moves to another server") > 3.0, "{table}");
}

#[test]
fn i1_to_i4_hold_while_a_node_is_killed_and_started() {
    let table = holds(&["--seconds=2", "--fault=kill:0@0.7", "--fault=start:0@0.9"]);
    assert!(table.contains("node 0 killed at 0.7 s"), "{table}");
    assert!(table.contains("all back after"), "{table}");
    assert!(number(&table, "deliveries") > 100.0, "{table}");
}

#[test]
fn i1_to_i4_hold_while_a_node_on_postgres_is_killed_and_started() {
    let database = format!("--with=--database={}", fresh_database());
    let table = holds(&[&database, "--seconds=2", "--fault=kill:0@0.7", "--fault=start:0@0.9"]);
    assert!(table.contains("all back after"), "{table}");
}

#[test]
fn i1_to_i4_hold_while_a_node_is_stopped_for_longer_than_devices_wait() {
    let table =
        holds(&["--seconds=5", "--silence=2", "--fault=stop:0@0.5", "--fault=continue:0@4"]);
    assert!(number(&table, "sockets lost: silence") >= 1.0, "{table}");
    assert!(table.contains("all back after"), "{table}");
}

#[test]
fn i1_to_i4_hold_while_a_node_is_restarted_in_peace() {
    let table = holds(&["--seconds=2", "--fault=end:0@0.7", "--fault=start:0@0.8"]);
    assert!(number(&table, "sockets lost: 1012") >= 1.0, "{table}");
}

/// Three nodes on one bus and one database, of which one is killed and started again.
fn cluster(redis: &Redis) -> [String; 8] {
    [
        format!("--with=--database={}", fresh_database()),
        format!("--with=--bus={}", redis.url()),
        "--nodes=3".to_owned(),
        "--lasting".to_owned(),
        "--churn=1".to_owned(),
        "--silence=2".to_owned(),
        "--fault=kill:0@0.7".to_owned(),
        "--fault=start:0@1.2".to_owned(),
    ]
}

#[test]
fn i1_to_i4_hold_while_one_of_three_nodes_is_killed_and_started() {
    let redis = Redis::start();
    let cluster = cluster(&redis);
    let options = [&["--seconds=2"][..], &cluster.each_ref().map(String::as_str)].concat();
    let table = holds(&options);
    assert!(table.contains("all back after"), "{table}");
    assert!(number(&table, "moves to another server") > 3.0, "{table}");
}

#[test]
fn what_is_planted_is_found_while_one_of_three_nodes_is_killed() {
    let redis = Redis::start();
    let cluster = cluster(&redis);
    let planted = ["--seconds=2", "--patience=4", "--beams=1", "--kinds=unsaved", "--plant=lost"];
    let options = [&planted[..], &cluster.each_ref().map(String::as_str)].concat();
    let Output { status, stdout, stderr } = tool(&options).output().unwrap();
    let (table, log) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    assert!(status.success(), "{table}\n{log}");
    assert!(log.contains("I4: device 1 lacks item"), "{log}");
}

/// The control: a checker that finds nothing here proves nothing elsewhere.
#[test]
fn each_planted_fault_is_found() {
    let faults = [
        ("lost", "I4: device 1 lacks item"),
        ("doubled", "I2: device 1 got item"),
        ("swapped", "I3: device 1 got item"),
        ("altered", "altered"),
        ("forgotten", "device 1 lacks item"),
    ];
    let runs = faults.map(|(fault, finding)| {
        let plant = format!("--plant={fault}");
        let options = [
            &*plant,
            "--beams=1",
            "--kinds=unsaved",
            // So often that the device surely moves with items in between, which is when it can forget one.
            "--churn=0.3",
            "--seconds=3",
            "--patience=3",
        ];
        (fault, finding, tool(&options).spawn().unwrap())
    });
    for (fault, finding, run) in runs {
        let Output { status, stdout, stderr } = run.wait_with_output().unwrap();
        let (table, log) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
        assert!(status.success(), "{fault}: {table}\n{log}");
        assert!(log.contains(finding), "{fault}: {log}");
    }
}

/// Without the fault, the same load finds nothing: what is found is the fault.
#[test]
fn a_load_without_a_planted_fault_finds_none() {
    holds(&["--beams=1", "--kinds=unsaved", "--churn=0.5", "--seconds=1"]);
    let plan = ["--plant=doubled", "--rate=0", "--beams=1", "--kinds=unsaved", "--seconds=0.2"];
    assert!(!tool(&plan).output().unwrap().status.success());
}
