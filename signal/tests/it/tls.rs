//! P4: https with a self-signed certificate.

use std::fs;

use futures_util::{SinkExt as _, StreamExt as _};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use sha2::{Digest as _, Sha256};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;

use super::device::unknown_beam;
use super::person::form;
use super::secure;
use super::server::{TestServer, ask, send};

/// Connects a client that trusts only this server's certificate.
async fn connect(server: &TestServer, name: &str) -> std::io::Result<TlsStream<TcpStream>> {
    let certificate = server.folder.path().join("tls/self-signed.pem");
    let root = CertificateDer::from_pem_file(certificate).unwrap();
    secure::connect(server.app.listening.tls.unwrap(), name, root).await
}

async fn server() -> TestServer {
    TestServer::with(&["--tls", "self-signed", "--tls-listen", "127.0.0.1:0"]).await
}

#[tokio::test]
async fn p4_a_self_signed_server_answers_over_https_under_its_own_names() {
    let server = server().await;
    for name in ["localhost", "127.0.0.1"] {
        let stream = connect(&server, name).await.unwrap();
        let answer = ask(stream, name, "GET", "/api/site", &[]).await;
        assert_eq!(answer.json()["name"], "Heliograph");
        assert_eq!(answer.json()["network_url"], serde_json::Value::Null);
    }
    assert!(connect(&server, "elsewhere.example").await.is_err());
    server.is_well().await;
}

#[tokio::test]
async fn h7_who_registers_over_our_own_https_gets_secure_cookies_and_is_known_by_them() {
    let server = server().await;
    let person = server.person("ada");
    let fields = person.fields();
    let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, &**value)).collect();
    let (kind, body) = form(&fields);
    let stream = connect(&server, "localhost").await.unwrap();
    let headers = [("content-type", &*kind)];
    let answer = send(stream, "localhost", "POST", "/api/auth/register/", &headers, &body).await;
    assert_eq!(answer.status, 201);
    assert!(answer.cookies[0].starts_with("__Host-access="), "{:?}", answer.cookies);
    assert!(answer.cookies[1].starts_with("__Host-refresh="), "{:?}", answer.cookies);
    assert!(answer.cookies.iter().all(|cookie| cookie.ends_with("; Secure")));

    let stream = connect(&server, "localhost").await.unwrap();
    let cookie = answer.cookies[0].split(';').next().unwrap();
    let me = ask(stream, "localhost", "GET", "/api/auth/me", &[("cookie", cookie)]).await;
    assert_eq!(me.json()["user"]["username"], "ada");
}

#[tokio::test]
async fn p4_a_socket_over_tls_works_with_small_and_large_messages() {
    let server = server().await;
    let stream = connect(&server, "localhost").await.unwrap();
    let url = format!("wss://localhost/ws/beam/{}/", unknown_beam());
    let (mut socket, _) = client_async(url, stream).await.unwrap();
    let content = "x".repeat(200_000);
    for text in [
        r#"{"type":"auth","message":null}"#.to_owned(),
        format!(r#"{{"type":"share_clipboard","message":"{content}"}}"#),
    ] {
        socket.send(Message::text(text)).await.unwrap();
    }
    loop {
        let message = socket.next().await.unwrap().unwrap();
        if message.to_text().is_ok_and(|text| text.contains(&content)) {
            break;
        }
    }
    socket.close(None).await.unwrap();
    server.ends().await;
}

#[tokio::test]
async fn h51_the_certificate_of_the_handshake_is_the_one_that_is_described() {
    let server = server().await;
    let stream = connect(&server, "localhost").await.unwrap();
    let shown = stream.get_ref().1.peer_certificates().unwrap()[0].clone();
    let over_https = ask(stream, "localhost", "GET", "/api/certificate", &[]).await.json();
    // Whatever has happened to its file.
    fs::write(server.folder.path().join("tls/self-signed.pem"), "another").unwrap();
    let told = server.get("/api/certificate").await.json();
    assert_eq!(told, over_https, "it is the same over http");

    let hash = Sha256::digest(&shown);
    let pairs: Vec<_> = hash.iter().map(|byte| format!("{byte:02X}")).collect();
    assert_eq!(told["fingerprint"], pairs.join(":"));
    let pem = told["pem"].as_str().unwrap();
    assert_eq!(CertificateDer::from_pem_slice(pem.as_bytes()).unwrap(), shown);
    assert!(!pem.contains("PRIVATE"), "without its key");
    let has = |list: &str, one: &str| told[list].as_array().unwrap().contains(&one.into());
    assert!(has("names", "localhost") && has("addresses", "127.0.0.1"), "{told}");
    assert!(told["ends"].as_i64().unwrap() > server.app.clock.now().get());
    assert_eq!(server.get("/api/site").await.json()["self_signed"], true);
}

#[tokio::test]
async fn h51_without_a_certificate_of_its_own_there_is_nothing_to_describe() {
    let server = TestServer::start().await;
    assert_eq!(server.get("/api/certificate").await.status, 404);
    assert_eq!(server.get("/api/site").await.json()["self_signed"], false);
}
