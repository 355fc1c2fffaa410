//! The Autobahn test suite, run by `kosoku` (`scripts/install-test-tools`) against an echo server. Without sections 12
//! and 13, compression, which the server does not offer.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use heliograph_websocket::{Event, Message, Pool, Reader, Writer, accept};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, copy, sink};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tungstenite::http::{HeaderName, Request};

/// Length of the longest message in the cases, in bytes (9.1.6).
const LONGEST: usize = 16 * 1024 * 1024;

/// Number of cases in version 25.10.1, without sections 12 and 13.
const CASES: usize = 301;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_autobahn_cases_pass() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(echo(stream));
        }
    });

    let cases = run_cases(&address.to_string()).await;

    assert_eq!(cases.len(), CASES);
    let failed: BTreeMap<_, _> = cases.iter().filter(|(_, behavior)| !passes(behavior)).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

/// The suite's verdicts on each case and on how it closed.
async fn run_cases(address: &str) -> BTreeMap<String, [String; 2]> {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/test-tools/bin/kosoku");
    let reports = tempfile::tempdir().unwrap();
    let mut kosoku = Command::new(tool);
    kosoku.args(["--exclude", "12.*", "--exclude", "13.*", "--parallelism", "2", "--outdir"]);
    kosoku.arg(reports.path()).arg(address).kill_on_drop(true);
    let output = kosoku.output().await.expect("run scripts/install-test-tools first");
    let index = std::fs::read(reports.path().join("index.json")).unwrap_or_else(|_| {
        panic!("{}", String::from_utf8_lossy(&output.stderr));
    });
    let agents: BTreeMap<String, BTreeMap<String, Value>> = serde_json::from_slice(&index).unwrap();
    let cases = agents.into_values().next().unwrap().into_iter();
    let of = |case: &Value, field: &str| case[field].as_str().unwrap().to_owned();
    cases.map(|(id, case)| (id, [of(&case, "behavior"), of(&case, "behaviorClose")])).collect()
}

/// Whether a case passed. Informational cases only measure.
fn passes(behaviors: &[String; 2]) -> bool {
    behaviors.iter().all(|behavior| matches!(&**behavior, "OK" | "NON-STRICT" | "INFORMATIONAL"))
}

/// Echoes every message, and answers closes and errors like the product.
async fn echo(mut stream: TcpStream) {
    stream.set_nodelay(true).unwrap();
    let response = accept::<_, ()>(&request(&mut stream).await).unwrap();
    let lines = response
        .headers()
        .iter()
        .map(|(name, value)| format!("{name}: {}\r\n", value.to_str().unwrap()));
    let head = format!("HTTP/1.1 101 Switching Protocols\r\n{}\r\n", lines.collect::<String>());
    stream.write_all(head.as_bytes()).await.unwrap();

    let (reading, writing) = stream.split();
    let pool = Arc::<Pool>::default();
    let mut reader = Reader::new(reading, LONGEST, pool.clone());
    let mut writer = Writer::new(writing, pool);
    let goodbye = loop {
        let answer = match reader.next().await {
            Ok(Event::Text(text)) => Message::Text(text),
            Ok(Event::Binary(bytes)) => Message::Binary(bytes.freeze()),
            Ok(Event::Ping(payload)) => Message::Pong(payload),
            Ok(Event::Pong) => continue,
            Ok(Event::Close(code)) => break Message::Close(code),
            Err(broken) => match broken.close_code() {
                Some(code) => break Message::Close(Some(code)),
                None => return,
            },
        };
        if writer.write(&mut vec![answer]).await.is_err() {
            return;
        }
    };
    if writer.end(Some(goodbye)).await.is_ok() && writer.shutdown().await.is_ok() {
        drop((reader, writer));
        // Closing with unread bytes would reset the connection, which can overtake the close frame.
        let _ = copy(&mut stream, &mut sink()).await;
    }
}

/// Reads the head of an HTTP request. The client sends nothing after it before the response.
async fn request(stream: &mut TcpStream) -> Request<()> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next_line().await.unwrap().unwrap();
    let mut request = Request::get(first.split(' ').nth(1).unwrap()).body(()).unwrap();
    while let Some(line) = lines.next_line().await.unwrap().filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').unwrap();
        let name: HeaderName = name.parse().unwrap();
        request.headers_mut().append(name, value.trim().parse().unwrap());
    }
    request
}
