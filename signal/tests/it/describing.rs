//! H8: `openapi.json` describes every call.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::server::TestServer;

/// The methods of each path, without the trailing slash.
type Calls = BTreeMap<String, BTreeSet<String>>;

/// The methods that the server supports for these paths, which it lists in its answer to a wrong one.
async fn answered(server: &TestServer, paths: impl Iterator<Item = &String>) -> Calls {
    let mut calls = Calls::new();
    for path in paths {
        for slash in ["", "/"] {
            let answer = server.ask("TRACE", &format!("{path}{slash}"), &[]).await;
            assert_eq!(answer.status, 405, "{path}{slash}");
            let allowed = answer.header("allow").split(',').filter(|method| *method != "HEAD");
            let allowed = allowed.map(str::to_lowercase).collect();
            let before = calls.insert(path.clone(), allowed);
            assert!(before.is_none_or(|before| before == calls[path]), "{path}");
        }
    }
    calls
}

fn described(document: &Value) -> Calls {
    let paths = document["paths"].as_object().unwrap();
    let calls = paths.iter().map(|(path, item)| {
        // Whatever is read answers HEAD too, mostly without a word of its own.
        let methods = item.as_object().unwrap().keys().filter(|method| *method != "head");
        let methods = methods.cloned().collect();
        (path.trim_end_matches('/').to_owned(), methods)
    });
    calls.collect()
}

#[tokio::test]
async fn h8_every_described_call_is_there_with_and_without_its_slash() {
    let server = TestServer::start().await;
    let answer = server.get("/api/openapi.json").await;
    assert_eq!(answer.header("content-type"), "application/json");

    let described = described(&answer.json());
    assert!(described.len() > 20, "{described:?}");
    assert_eq!(answered(&server, described.keys()).await, described);
}

#[tokio::test]
async fn h8_every_call_has_a_name_of_its_own_and_says_what_it_answers() {
    let server = TestServer::start().await;
    let document = server.get("/api/openapi.json").await.json();
    let mut names = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap().to_owned();
            assert!(names.insert(name), "{method} {path}");
            for (status, answer) in operation["responses"].as_object().unwrap() {
                assert_ne!(answer["description"], "", "{method} {path} {status}");
            }
        }
    }
    assert!(names.contains("get_auth_me") && names.contains("delete_beams_beam_id"), "{names:?}");
}

/// A path that the router serves outside the documented calls would have no description.
#[test]
fn h8_the_router_has_no_call_that_is_not_described() {
    let router = include_str!("../../src/edge/router.rs");
    let plain: Vec<_> = router.split(".route(").skip(1).map(|rest| rest.lines().next()).collect();
    let expected = [
        "path, any(nothing_here)));",
        "\"/ws/beam/{beam_id}\", get(socket::open))",
        "\"/ws/beam/{beam_id}/\", get(socket::open))",
        "&other, methods)",
    ];
    assert_eq!(plain, expected.map(Some));
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
