//! Calls over HTTP (section H).

use bytes::Bytes;
use heliograph_shared::api::ErrorBody;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, CONTENT_TYPE, COOKIE, HOST, SET_COOKIE};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;
use zeroize::Zeroizing;

use super::failure::Failure;
use super::{ANSWER_WITHIN, Server, dialing};

/// Longest answer that is read: whatever is at an address may send without an end. The keys of hundreds of saved beams are shorter.
const MOST_ANSWER: usize = 32 << 20;

/// A call.
pub(in crate::io) struct Call<'a> {
    method: Method,
    path: &'a str,
    body: Option<Bytes>,
    cookies: Option<Zeroizing<String>>,
}

/// The answer to a call that was not refused.
pub(in crate::io) struct Answer {
    body: Bytes,
    /// The `Set-Cookie` headers.
    pub(in crate::io) cookies: Vec<Zeroizing<String>>,
}

impl<'a> Call<'a> {
    pub(in crate::io) const fn get(path: &'a str) -> Self {
        Self { method: Method::GET, path, body: None, cookies: None }
    }

    pub(in crate::io) const fn post(path: &'a str) -> Self {
        Self { method: Method::POST, path, body: None, cookies: None }
    }

    pub(in crate::io) const fn put(path: &'a str) -> Self {
        Self { method: Method::PUT, path, body: None, cookies: None }
    }

    /// With this in its body, which is overwritten once it was sent.
    pub(in crate::io) fn with(mut self, body: &impl Serialize) -> Result<Self, Failure> {
        let json = serde_json::to_vec(body).map_err(|why| Failure::Broken(why.to_string()))?;
        self.body = Some(Bytes::from_owner(Zeroizing::new(json)));
        Ok(self)
    }

    /// With these cookies.
    pub(in crate::io) fn with_cookies(mut self, cookies: Zeroizing<String>) -> Self {
        self.cookies = Some(cookies).filter(|cookies| !cookies.is_empty());
        self
    }

    /// Each call has a connection of its own, because a program seldom makes many.
    pub(in crate::io) async fn make(self, server: &Server) -> Result<Answer, Failure> {
        let stream = dialing::dial(&server.url, server.tls.as_ref()).await?;
        let answer = timeout(ANSWER_WITHIN, exchange(stream, server, self)).await;
        let (answer, body) = answer.map_err(|_| Failure::Late)??;
        let status = answer.status();
        if !status.is_success() {
            let detail = detail_of(&body);
            return Err(Failure::Refused { status: status.as_u16(), detail });
        }
        let cookies = answer.headers().get_all(SET_COOKIE).iter();
        let cookies = cookies.filter_map(|line| line.to_str().ok()).map(str::to_owned);
        Ok(Answer { body, cookies: cookies.map(Zeroizing::new).collect() })
    }
}

impl Answer {
    pub(in crate::io) fn json<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_slice(&self.body).map_err(|_| Failure::Strange)
    }
}

async fn exchange(
    stream: Box<dyn dialing::Stream>,
    server: &Server,
    call: Call<'_>,
) -> Result<(Response<()>, Bytes), Failure> {
    let broken = |why: hyper::Error| Failure::Broken(why.to_string());
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
    let mut request = Request::builder()
        .method(call.method)
        .uri(call.path)
        .header(HOST, server.url.authority())
        .header(ACCEPT, "application/json");
    if call.body.is_some() {
        request = request.header(CONTENT_TYPE, "application/json");
    }
    if let Some(cookies) = &call.cookies {
        request = request.header(COOKIE, secret(cookies)?);
    }
    let request = request.body(Full::new(call.body.unwrap_or_default()));
    let request = request.map_err(|_| Failure::NoAddress)?;
    // It ends with the sender, or with the other end.
    let connection = tokio::spawn(connection);
    let answer = sender.send_request(request).await.map_err(broken)?;
    let (head, body) = answer.into_parts();
    let body = whole(body).await?;
    connection.abort();
    Ok((Response::from_parts(head, ()), body))
}

/// A header that is shown in no log.
pub(super) fn secret(text: &str) -> Result<hyper::header::HeaderValue, Failure> {
    let mut value = hyper::header::HeaderValue::from_str(text).map_err(|_| Failure::Strange)?;
    value.set_sensitive(true);
    Ok(value)
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
