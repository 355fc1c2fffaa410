//! The beam of a machine that is always on: made once, and kept for all runs.

use serde::{Deserialize, Serialize};

use super::Context;
use crate::beam::begin;
use crate::exit::Stop;
use crate::known_beam::KnownBeam;
use crate::landing::Landed;
use crate::link::to_share;
use crate::state::StateFile;

/// What is kept of it.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct HomeState {
    pub(super) beam: KnownBeam,
    #[serde(default)]
    pub(super) landed: Landed,
}

/// Where that is.
pub(super) fn file() -> Result<StateFile, Stop> {
    StateFile::named("home", "beam.json")
}

/// Makes the beam, and notes it.
pub(super) async fn make(
    context: &Context<'_>,
    file: &StateFile,
    is_clear: bool,
) -> Result<HomeState, Stop> {
    let destination = to_share(None, is_clear, context.server.as_ref())?;
    let state = HomeState { beam: begin(destination).await?, landed: Landed::default() };
    file.write(&state)?;
    Ok(state)
}

/// Shows the link.
pub(super) fn show(context: &Context<'_>, beam: &KnownBeam) -> Result<(), Stop> {
    let link = beam.link()?;
    Ok(context.voice.link(link.beam, &link.to_text(), link.invite.is_some())?)
}
