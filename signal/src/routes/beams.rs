//! Beams over HTTP.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use heliograph_shared::api::CreatedBeam;
use heliograph_shared::ids::{BeamId, BeamKey};
use heliograph_shared::limits::BEAM_LIFETIME;
use heliograph_storage::beams::BeamRecord;

use crate::address::Client;
use crate::app::App;
use crate::clock::millis;
use crate::error::Error;
use crate::random;

/// Makes a beam (H1). The key leaves the server here and is kept nowhere in it.
pub async fn create(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Option<Client>>,
) -> Result<(StatusCode, Json<CreatedBeam>), Error> {
    if let Some(client) = client {
        let taken = app.limits.beam_creations.take(client, app.clock.steady());
        taken.map_err(Error::TooFast)?;
    }
    let (beam_id, beam_key) =
        (BeamId::from_random(random::bytes()?), BeamKey::from_random(random::bytes()?));
    let created_at = app.clock.now();
    let expires_at = created_at + millis(BEAM_LIFETIME);
    let record =
        BeamRecord { key_hash: Some(beam_key.hash()), created_at, expires_at, ended_at: None };
    app.storage.create_beam(beam_id, &record).await?;
    Ok((StatusCode::CREATED, Json(CreatedBeam { beam_id, beam_key, created_at, expires_at })))
}
