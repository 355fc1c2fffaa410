//! The JSON body of a request, with refusals in the API's own format.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use bytes::Bytes;
use futures_util::StreamExt as _;
use heliograph_shared::json::has_too_deep_field;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use tokio::time::{Instant, timeout};

use crate::app::App;
use crate::budget::{Budget, CALL_BYTES, Kind, Share};
use crate::edge::deadline::Deadline;
use crate::error::Error;
use crate::pace::Pace;
use crate::paced_body;

/// Extractor for a JSON body as `T`. Ignores unknown fields (H6).
#[derive(Clone, Copy, Debug)]
pub struct Body<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Body<T> {
    type Rejection = Error;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Error> {
        let deadline = request.extensions().get::<Deadline>().cloned();
        let body = whole(request, &app.budget);
        let (head, bytes, _held) = match deadline {
            Some(deadline) => deadline.wait_for(body).await?,
            None => body.await?,
        };
        if has_too_deep_field(&bytes) {
            return Err(Error::BadRequest("The body nests deeper than 100 levels."));
        }
        let request = Request::from_parts(head, bytes.into());
        let body = Json::from_request(request, &()).await;
        body.map(|Json(Object(body))| Self(body)).map_err(|rejection: JsonRejection| {
            if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
                Error::TooLarge
            } else {
                Error::BadRequest("The body is not the JSON that this call expects.")
            }
        })
    }
}

/// Reads the whole body into memory, at the pace of any sender that does not stall (H19). Returns it with the request's
/// head and the memory's share.
async fn whole(request: Request, budget: &Arc<Budget>) -> Result<(Parts, Bytes, Share), Error> {
    let mut held = budget.take(Kind::Requests, CALL_BYTES)?;
    let (parts, body) = request.into_parts();
    let (mut pieces, mut bytes) = (body.into_data_stream(), Vec::new());
    let mut pace = Pace::default();
    loop {
        let asked = Instant::now();
        let piece = timeout(pace.patience(), pieces.next()).await.map_err(|_| Error::Timeout)?;
        let Some(piece) = piece else { break };
        let piece = piece.map_err(|error| paced_body::unreadable(&error))?;
        pace.came(piece.len(), asked.elapsed());
        held.grow(piece.len())?;
        // What is counted is what is held: a vector that grows by itself may take twice its length.
        bytes.reserve_exact(piece.len());
        bytes.extend_from_slice(&piece);
    }
    Ok((parts, bytes.into(), held))
}

/// A JSON object. Derived readers would also accept an array, by position.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData)).map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}
