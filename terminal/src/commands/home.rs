//! The beam of a machine that is always on: made once, and kept for all runs.

use heliograph_shared::socket::KeepTime;
use serde::{Deserialize, Serialize};

use super::Context;
use super::keeping::Keeping;
use crate::beam::{Beam, begin};
use crate::exit::Stop;
use crate::known_beam::KnownBeam;
use crate::landing::Landed;
use crate::link::{Destination, to_share};
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

/// Makes the beam, has the server keep it with its keys, and notes it. Whoever came into a beam in which nobody is and nothing is would
/// make keys of their own (E11).
pub(super) async fn make(
    context: &Context<'_>,
    file: &StateFile,
    is_clear: bool,
) -> Result<HomeState, Stop> {
    let wanted = to_share(None, is_clear, context.server.as_ref())?;
    let destination = context.destination(wanted).await?;
    let made = Destination::Known(Box::new(begin(destination).await?));
    let mut beam = Beam::enter(made, context.name.clone(), context.timeout).await?;
    let mut keeping = Keeping::new(Some(KeepTime::Day), false);
    while !keeping.is_done(&beam, false) {
        let (news, _) = beam.next().await?;
        keeping.hears(context.voice, &mut beam, &news)?;
    }
    let state = HomeState { beam: beam.known(), landed: Landed::default() };
    beam.leave().await;
    file.write(&state)?;
    Ok(state)
}

/// Shows the link.
pub(super) fn show(context: &Context<'_>, beam: &KnownBeam) -> Result<(), Stop> {
    let link = beam.link()?;
    Ok(context.voice.link(link.beam, &link.to_text(), link.invite.is_some())?)
}
