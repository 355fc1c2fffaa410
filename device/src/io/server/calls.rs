//! Calls over HTTP (section H).

use bytes::Bytes;
use heliograph_shared::api::{CreatedBeam, ErrorBody};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::failure::Failure;
use super::{ANSWER_WITHIN, Server, dialing};

/// Longest answer that is read: whatever is at an address may send without an end.
const MOST_ANSWER: usize = 1 << 20;

/// Makes a beam (H1).
pub(super) async fn create_beam(server: &Server) -> Result<CreatedBeam, Failure> {
    call(server, Method::POST, "/api/beams/create/").await
}

/// Makes a call without a body. Each has a connection of its own, because a program seldom makes a second one.
async fn call<T: DeserializeOwned>(
    server: &Server,
    method: Method,
    path: &str,
) -> Result<T, Failure> {
    let stream = dialing::dial(&server.url, server.tls.as_ref()).await?;
    let answer = timeout(ANSWER_WITHIN, exchange(stream, server, method, path)).await;
    let (status, body) = answer.map_err(|_| Failure::Late)??;
    if !status.is_success() {
        let detail = detail_of(&body);
        return Err(Failure::Refused { status: status.as_u16(), detail });
    }
    serde_json::from_slice(&body).map_err(|_| Failure::Strange)
}

async fn exchange(
    stream: Box<dyn dialing::Stream>,
    server: &Server,
    method: Method,
    path: &str,
) -> Result<(StatusCode, Bytes), Failure> {
    let broken = |why: hyper::Error| Failure::Broken(why.to_string());
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, server.url.authority())
        .header(ACCEPT, "application/json")
        .body(Empty::<Bytes>::new())
        .map_err(|_| Failure::NoAddress)?;
    // It ends with the sender, or with the other end.
    let connection = tokio::spawn(connection);
    let answer = sender.send_request(request).await.map_err(broken)?;
    let status = answer.status();
    let body = whole(answer.into_body()).await?;
    connection.abort();
    Ok((status, body))
}

/// All of an answer.
pub(super) async fn whole(body: Incoming) -> Result<Bytes, Failure> {
    let body = Limited::new(body, MOST_ANSWER).collect().await;
    Ok(body.map_err(|why| Failure::Broken(why.to_string()))?.to_bytes())
}

/// What a refusal says to a person; empty where it is none of this product's.
pub(super) fn detail_of(body: &[u8]) -> String {
    serde_json::from_slice::<ErrorBody>(body).map(|body| body.detail).unwrap_or_default()
}
