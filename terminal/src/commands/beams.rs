//! Lists the saved beams of who is logged in.

use std::fmt::Write as _;

use heliograph_device::keys::password::OwnVault;
use heliograph_device::session::saved_beams::{HowKept, OwnBeams, Place};
use heliograph_shared::api::keys::BeamKeys;

use super::Context;
use crate::exit::{Exit, Stop};
use crate::safe;
use crate::saved::{Lists, logged_in};
use crate::voice::{ASIDE, Event, NAME};

pub(super) async fn run(context: &Context<'_>) -> Result<(), Stop> {
    let account = logged_in(context.server.as_ref())?;
    let lists = Lists::read(&account).await?;
    if lists.beams.is_empty() {
        return Err(Stop::new(Exit::Nothing, "This account has no saved beam."));
    }
    let vault = match account.vault() {
        OwnVault::Open(vault) => Some(vault),
        OwnVault::None | OwnVault::Locked => None,
    };
    let memory = account.memory()?;
    let own = OwnBeams::of(vault.as_ref(), lists.own(), &lists.kept, &memory);
    // What is in it does not matter for that.
    let deposit = BeamKeys::default();
    for beam in &lists.beams {
        let place = lists.kept(beam.id).map_or(Place::Nowhere, |kept| match &kept.keys {
            Some(keys) => Place::Vaults(Some(keys)),
            None => Place::Deposit(&deposit),
        });
        let (keys, says) = said(own.how_kept(beam.id, place));
        context.voice.event(&Event::SavedBeam {
            id: beam.id,
            name: &beam.name,
            owner: beam.owner.as_deref(),
            level: beam.level,
            keys,
        })?;
        let mut line = format!("{NAME}{}{NAME:#}  {}", safe::line(&beam.name), beam.id);
        if let Some(owner) = &beam.owner {
            // Nothing that is written to a text fails.
            let _ = write!(line, "  of {} ({})", safe::line(owner), beam.level);
        }
        context.voice.line(&format!("{line}  {ASIDE}{says}{ASIDE:#}"))?;
    }
    Ok(())
}

const fn said(kept: HowKept) -> (&'static str, &'static str) {
    match kept {
        HowKept::Sealed => ("sealed", "the server cannot read it"),
        HowKept::SealedSince => {
            ("sealed_since", "the server could read what was shared before the vault")
        }
        HowKept::Readable => ("readable", "the server can read it"),
        HowKept::Closed => ("closed", "does not open here"),
        HowKept::Nowhere => ("none", "no keys are kept"),
    }
}
