//! Reads parts of stored copies (H41).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{COOKIE, HOST, RANGE};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;

use super::failure::Failure;
use super::{Server, calls, dialing};

/// Connections that are kept for the next part: as many as files come at a time from one device (F4).
const MOST_IDLE: usize = 3;

type Sender = http1::SendRequest<Empty<Bytes>>;

/// Connections to a server on which nothing is asked for now.
#[derive(Clone, Default)]
pub(in crate::io) struct Connections(Arc<Mutex<VecDeque<Sender>>>);

impl Connections {
    fn take(&self) -> Option<Sender> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Of one that the server has closed nothing is heard.
        idle.retain(|sender| !sender.is_closed());
        idle.pop_front()
    }

    fn give_back(&self, sender: Sender) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push_front(sender);
        idle.truncate(MOST_IDLE);
    }
}

/// A part of a copy, as it comes.
pub(in crate::io) struct Part {
    body: Incoming,
    /// `None` once it is given back.
    sender: Option<Sender>,
    connections: Connections,
}

impl Part {
    /// The next bytes, as many as have come; `None` at its end. Nothing is lost when the wait is given up.
    pub(in crate::io) async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        while let Some(frame) = self.body.frame().await {
            let frame = frame.map_err(|why| Failure::Broken(why.to_string()))?;
            if let Ok(bytes) = frame.into_data() {
                return Ok(Some(bytes));
            }
        }
        if let Some(sender) = self.sender.take() {
            self.connections.give_back(sender);
        }
        Ok(None)
    }
}

impl Server {
    /// Asks for `bytes` bytes, at least one, of what is stored at a path, from `start` on.
    pub(in crate::io) async fn open_part(
        &self,
        path: &str,
        (start, bytes): (u64, u64),
        connections: &Connections,
    ) -> Result<Part, Failure> {
        let range = format!("bytes={start}-{}", start.saturating_add(bytes).saturating_sub(1));
        // Of a saved beam, perhaps only who is logged in may read it.
        let cookies = self.login_cookies().await?;
        let ask = || {
            let mut request =
                Request::get(path).header(HOST, self.url.authority()).header(RANGE, &range);
            if let Some(cookies) = &cookies {
                request = request.header(COOKIE, cookies);
            }
            request.body(Empty::<Bytes>::new()).map_err(|_| Failure::NoAddress)
        };
        let (sender, answer) = self.asked(ask, connections).await?;
        // With 200 the whole would come, which begins elsewhere.
        if answer.status() != StatusCode::PARTIAL_CONTENT {
            let status = answer.status().as_u16();
            let body = calls::whole(answer.into_body()).await?;
            return Err(Failure::Refused { status, detail: calls::detail_of(&body) });
        }
        let connections = connections.clone();
        Ok(Part { body: answer.into_body(), sender: Some(sender), connections })
    }

    /// Asks on a connection that is here, or on a new one: the server may be about to close what is idle.
    async fn asked(
        &self,
        ask: impl Fn() -> Result<Request<Empty<Bytes>>, Failure>,
        connections: &Connections,
    ) -> Result<(Sender, Response<Incoming>), Failure> {
        if let Some(mut sender) = connections.take()
            && let Ok(answer) = sender.send_request(ask()?).await
        {
            return Ok((sender, answer));
        }
        let broken = |why: hyper::Error| Failure::Broken(why.to_string());
        let stream = dialing::dial(&self.url, self.tls.as_ref()).await?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        // It ends once nothing is asked for or read any more, or with the other end.
        tokio::spawn(connection);
        let answer = sender.send_request(ask()?).await.map_err(broken)?;
        Ok((sender, answer))
    }
}
