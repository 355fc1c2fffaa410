//! A device that joins a fresh beam, and hears which servers it may use.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use heliograph_shared::api::CreatedBeam;
use heliograph_shared::ids::BeamId;
use heliograph_shared::socket::IceServer;
use hyper::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use super::http::Place;

/// Time for a welcome.
const PATIENCE: Duration = Duration::from_secs(15);

/// Why a device could not join.
#[derive(Debug, thiserror::Error)]
pub enum Unjoined {
    /// Too many came from this address.
    #[error("the server takes no more beams from this address for a while")]
    Limited,
    /// No beam was made.
    #[error("{0}")]
    NoBeam(String),
    /// The websocket did not carry the join.
    #[error("{0}")]
    NoSocket(String),
}

/// Joins a fresh beam. Returns its id and what devices are told.
///
/// # Errors
/// [`Unjoined`].
pub async fn join(place: &Place) -> Result<(BeamId, Vec<IceServer>), Unjoined> {
    let created = place.ask(Method::POST, "/api/beams/create/", None, Bytes::new()).await;
    let created = created.map_err(|failure| Unjoined::NoBeam(failure.to_string()))?;
    if created.status == StatusCode::TOO_MANY_REQUESTS {
        return Err(Unjoined::Limited);
    }
    let beam: CreatedBeam = serde_json::from_slice(&created.body).map_err(|_| {
        Unjoined::NoBeam(format!("no beam was created, but {} came", created.status))
    })?;
    let joined = timeout(PATIENCE, welcome(place, beam.beam_id)).await;
    let joined = joined.unwrap_or_else(|_| Err("nothing came over the websocket".to_owned()));
    Ok((beam.beam_id, joined.map_err(Unjoined::NoSocket)?))
}

async fn welcome(place: &Place, beam: BeamId) -> Result<Vec<IceServer>, String> {
    let scheme = if place.tls { "wss" } else { "ws" };
    let url = format!("{scheme}://{}/ws/beam/{beam}/", place.authority());
    let request = url.into_client_request().map_err(|error| error.to_string())?;
    let connection = place.connect().await.map_err(|failure| failure.to_string())?;
    let opened = client_async(request, connection.stream).await;
    let (mut socket, _) = opened.map_err(|error| error.to_string())?;
    let extra = json!({ "v": 1, "caps": ["files"], "name": "Doctor" });
    let auth = json!({ "type": "auth", "message": null, "extra": extra });
    let say = socket.send(Message::text(auth.to_string())).await;
    say.map_err(|error| error.to_string())?;
    while let Some(message) = socket.next().await {
        let message = message.map_err(|error| error.to_string())?;
        let Message::Text(text) = message else { continue };
        let mut said: Value = serde_json::from_str(text.as_str()).unwrap_or_default();
        if said["type"] == "welcome" {
            let _ = socket.close(None).await;
            let servers = said["message"]["ice_servers"].take();
            return serde_json::from_value(servers).map_err(|error| error.to_string());
        }
    }
    Err("it was closed before the server said anything".to_owned())
}
