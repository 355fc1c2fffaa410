//! Shows the link of this machine's beam.

use super::Context;
use super::home::{file, make, show};
use crate::cli::PairArgs;
use crate::exit::Stop;

pub(super) async fn run(context: &Context<'_>, asked: &PairArgs) -> Result<(), Stop> {
    let file = file()?;
    let state = if let Some(state) = file.read()? {
        state
    } else {
        let _lock = file.lock()?;
        let made = make(context, &file, asked.clear).await?;
        context.voice.hint("The beam is made. Nothing lands before the receiver runs.");
        made
    };
    show(context, &state.beam)
}
