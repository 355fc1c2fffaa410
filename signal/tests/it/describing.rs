//! H8: the description of the calls leaves nothing out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::server::TestServer;

/// The methods of every path, without the trailing slash.
type Calls = BTreeMap<String, BTreeSet<String>>;

/// The paths that the router spells out, the sockets aside.
fn routed_paths() -> Vec<String> {
    let router = include_str!("../../src/router.rs");
    let between = |start: &str, end: &str| {
        let (_, rest) = router.split_once(start).unwrap();
        rest.split_once(end).unwrap().0
    };
    let paths = |text: &'static str| {
        let calls = text.split("both(").skip(1);
        calls.map(|call| call.split('"').nth(1).unwrap())
    };
    let api = paths(between("let api =", "let sockets =")).map(|path| format!("/api{path}"));
    let others = paths(between("let paths =", "layers(paths")).map(ToOwned::to_owned);
    api.chain(others).collect()
}

/// What the server does: it says its methods to who asks with a wrong one.
async fn answered(server: &TestServer) -> Calls {
    let mut calls = Calls::new();
    for path in routed_paths() {
        let answer = server.ask("PATCH", &path, &[]).await;
        assert_eq!(answer.status, 405, "{path}");
        let allowed = answer.header("allow").split(',').filter(|method| *method != "HEAD");
        calls.insert(path, allowed.map(str::to_lowercase).collect());
    }
    calls
}

fn described(document: &Value) -> Calls {
    let paths = document["paths"].as_object().unwrap();
    let calls = paths.iter().map(|(path, item)| {
        let methods = item.as_object().unwrap().keys().cloned().collect();
        (path.trim_end_matches('/').to_owned(), methods)
    });
    calls.collect()
}

#[tokio::test]
async fn h8_every_call_is_described_and_every_described_call_is_there() {
    let server = TestServer::start().await;
    let answer = server.get("/api/openapi.json").await;
    assert_eq!(answer.header("content-type"), "application/json");

    let (described, answered) = (described(&answer.json()), answered(&server).await);

    assert!(answered.len() > 15, "{answered:?}");
    assert_eq!(described, answered);
}

#[tokio::test]
async fn h8_every_reference_in_the_description_leads_somewhere() {
    let server = TestServer::start().await;
    let document = server.get("/api/openapi.json").await.json();
    let text = document.to_string();
    let references: BTreeSet<_> =
        text.split(r##""$ref":"#"##).skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(references.len() > 10);
    for reference in references {
        assert!(document.pointer(reference).is_some(), "{reference}");
    }
}
