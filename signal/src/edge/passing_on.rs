//! Websockets of devices whose beam another node drives: that node accepts them, and this one passes the bytes on, unread.
//! So one node has a beam's devices, their outboxes and the relay between them, with the same order and the same bounds as
//! without other nodes.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use heliograph_shared::ids::BeamId;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use tokio::time::sleep;

use crate::address::Client;
use crate::app::App;
use crate::bus::Bus;
use crate::bus::others::Node;
use crate::bus::peers;
use crate::edge::both_ways;
use crate::edge::scheme::Scheme;
use crate::error::Error;
use crate::random;

/// The client's address, if it counts for the limits.
const CLIENT: HeaderName = HeaderName::from_static("heliograph-client");
/// The name under which the device reaches the server.
const HOST: HeaderName = HeaderName::from_static("heliograph-host");
/// Whether it reaches it by https.
const SCHEME: HeaderName = HeaderName::from_static("heliograph-scheme");

/// Tries to reach the node that drives a beam, and the pause between two of them.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_millis(200);

/// Longest time over which the end of a node ends what it passes on, and the time for each device if that is enough.
const SPREAD: Duration = Duration::from_secs(10);
const EACH: Duration = Duration::from_millis(2);

/// What the first node knows of a device's request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The client that limits count, if any.
    pub client: Option<Client>,
    /// The name under which it reaches the server.
    pub host: String,
    /// The scheme.
    pub scheme: Scheme,
}

impl Asked {
    fn write(&self, headers: &mut HeaderMap) -> Option<()> {
        // A device may have sent such headers itself.
        headers.remove(CLIENT);
        if let Some(client) = self.client {
            headers.insert(CLIENT, HeaderValue::from_str(&client.to_string()).ok()?);
        }
        headers.insert(HOST, HeaderValue::from_str(&self.host).ok()?);
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        headers.insert(SCHEME, HeaderValue::from_static(scheme));
        Some(())
    }

    /// What the first node has written.
    #[must_use]
    pub fn read(headers: &HeaderMap) -> Self {
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let scheme = if text(SCHEME) == Some("https") { Scheme::Https } else { Scheme::Http };
        let host = text(HOST).unwrap_or_default().to_owned();
        Self { client: text(CLIENT).and_then(Client::named), host, scheme }
    }
}

/// What became of a websocket.
#[derive(Debug)]
pub enum Passed {
    /// Another node has it.
    On(Response),
    /// It is for this node.
    Here(Request),
}

/// Passes a websocket on to the node that drives its beam, if that is another one, until either side ends it or that node is
/// gone.
///
/// # Errors
/// [`Error::Busy`] when the other node cannot be reached. It may be about to be given up, so the device comes again.
pub async fn to_driver(
    app: &Arc<App>,
    beam: BeamId,
    asked: &Asked,
    request: Request,
) -> Result<Passed, Error> {
    let Bus::Shared(member) = &app.bus else { return Ok(Passed::Here(request)) };
    for _ in 0..TRIES {
        // Without the bus the beams that are here go on.
        let Ok(Some(driver)) = member.driver_elsewhere(beam).await else {
            return Ok(Passed::Here(request));
        };
        let mut passed_on = Request::new(Body::empty());
        *passed_on.uri_mut() = request.uri().clone();
        *passed_on.headers_mut() = request.headers().clone();
        asked.write(passed_on.headers_mut()).ok_or(Error::Internal)?;
        match member.call(&driver, passed_on).await {
            Ok(answer) => return Ok(Passed::On(connect(app, driver, answer, request))),
            // It may stand still, and is given up soon.
            Err(peers::Error::Slow) => return Err(Error::Busy),
            // It may just have handed the beam over.
            Err(error) => tracing::debug!(%error, "a websocket could not be passed on"),
        }
        sleep(PAUSE).await;
    }
    Err(Error::Busy)
}

/// Connects a device with the node that has answered.
fn connect(
    app: &Arc<App>,
    driver: Node,
    mut answer: axum::http::Response<Incoming>,
    mut request: Request,
) -> Response {
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
        return answer.map(Body::new);
    }
    let upgrade = hyper::upgrade::on(&mut request);
    let other = hyper::upgrade::on(&mut answer);
    let passing = app.clone();
    app.tasks.spawn(async move {
        passing.counts.passed_on.one();
        if let (Ok(device), Ok(driving)) = (upgrade.await, other.await) {
            let is_over = async {
                tokio::select! {
                    () = driver.gone.cancelled() => {}
                    () = turn_to_end(&passing) => {}
                }
            };
            both_ways::pass(TokioIo::new(device), TokioIo::new(driving), is_over).await;
        }
        passing.counts.passed_on_ended.one();
    });
    answer.map(|_| Body::empty())
}

/// Ends everything that is passed on, spread over some time so that the devices do not all come back at once (S19).
pub async fn end_all(app: &App) {
    let time = spread(app);
    app.passing_ends.cancel();
    sleep(time).await;
}

/// The time over which that is spread.
fn spread(app: &App) -> Duration {
    let count = app.counts.passed_on.get().saturating_sub(app.counts.passed_on_ended.get());
    u32::try_from(count).map_or(SPREAD, |count| (EACH * count).min(SPREAD))
}

/// Waits until this node ends, and then until a moment by chance.
async fn turn_to_end(app: &App) {
    app.passing_ends.cancelled().await;
    let chance = random::bytes().map_or(0, u16::from_be_bytes);
    sleep(spread(app) * u32::from(chance) / u32::from(u16::MAX)).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_device_says_of_itself_in_our_headers_does_not_count() {
        let mut headers = HeaderMap::new();
        headers.insert(CLIENT, HeaderValue::from_static("192.0.2.7"));
        headers.insert(SCHEME, HeaderValue::from_static("https"));
        headers.insert(HOST, HeaderValue::from_static("evil.example"));
        let nobody = Asked { client: None, host: "beam.example".to_owned(), scheme: Scheme::Http };

        nobody.write(&mut headers).unwrap();
        assert_eq!(Asked::read(&headers), nobody);

        let client = Client::named("2001:db8::1");
        let somebody = Asked { client, host: "[::1]".to_owned(), scheme: Scheme::Https };
        somebody.write(&mut headers).unwrap();
        assert_eq!(Asked::read(&headers), somebody);
    }
}
