//! Receives all that is shared into the beam of this machine.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::time::Duration;

use etcetera::BaseStrategy as _;
use heliograph_device::io::file_device::{FileSettings, Told};
use heliograph_device::session::{Input, News};
use heliograph_shared::socket::{KeepTime, ServerMessage, Welcome};
use heliograph_shared::time::Millis;
use tokio::time::{Instant, sleep_until};

use super::home::{self, HomeState};
use super::staying::Patience;
use super::{Context, stands};
use crate::beam::Beam;
use crate::cli::{RunArgs, WayArgs};
use crate::exit::{Exit, Stop};
use crate::files::{receiving_folder, settings};
use crate::landing::Landing;
use crate::late_state::LateState;
use crate::link::Destination;
use crate::safe;

/// So often the beam is kept on, what has landed long ago is taken out of it, and what did not land is tried again.
const LOOKS_EVERY: Duration = Duration::from_mins(30);
/// What has landed stays in the beam for so long, as what is in other beams that nobody has saved.
const STAYS: Duration = Duration::from_hours(24);

pub(super) async fn run(context: &Context<'_>, asked: RunArgs) -> Result<(), Stop> {
    let file = home::file()?;
    let _lock = file.lock()?;
    let target = receiving_folder(&folder(asked.into)?)?;
    let mut patience = Patience::default();
    let mut state = file.read::<HomeState>()?;
    loop {
        let known = match state.take() {
            Some(known) => known,
            None => match home::make(context, &file, asked.beam.clear).await {
                Ok(made) => {
                    shows(context, &made)?;
                    made
                }
                Err(stop) => {
                    patience.waits(context.voice, stop).await?;
                    continue;
                }
            },
        };
        let landing = Landing::new(context.voice, target.clone(), true);
        let remembered = LateState::new(file.clone(), known);
        let mut running = Running { context, state: remembered, landing, clock: None };
        let (stop, has_ended) = running.stays(&mut patience, &asked.ways).await;
        running.state.write()?;
        if has_ended {
            context.voice.hint("The beam has ended. Pair the devices again with a new one.");
        } else {
            state = Some(running.state.value.clone());
            patience.waits(context.voice, stop).await?;
        }
    }
}

/// What a service says goes into a log, where the link has no place.
fn shows(context: &Context<'_>, made: &HomeState) -> Result<(), Stop> {
    if context.voice.is_json() || io::stderr().is_terminal() {
        return home::show(context, &made.beam);
    }
    context.voice.hint("The beam is made. The command pair shows its link.");
    Ok(())
}

fn folder(named: Option<PathBuf>) -> Result<PathBuf, Stop> {
    if let Some(named) = named {
        return Ok(named);
    }
    let strategy = etcetera::choose_base_strategy();
    let strategy = strategy.map_err(|why| Stop::new(Exit::Failed, why.to_string()))?;
    Ok(strategy.home_dir().join("Heliograph"))
}

struct Running<'a> {
    context: &'a Context<'a>,
    state: LateState<HomeState>,
    landing: Landing<'a>,
    /// The server's time, and when it was that; `None` before it was told, and where the beam is saved.
    clock: Option<(Millis, Instant)>,
}

impl Running<'_> {
    /// Stays in the beam. Returns why it does no more, and whether the server has said that the beam has ended.
    async fn stays(&mut self, patience: &mut Patience, ways: &WayArgs) -> (Stop, bool) {
        let beam = match settings(ways) {
            Ok(settings) => self.enters(settings).await,
            Err(stop) => Err(stop),
        };
        let mut beam = match beam {
            Ok(beam) => beam,
            Err(stop) => return (stop, false),
        };
        let mut looks_at = Instant::now() + LOOKS_EVERY;
        let result = loop {
            tokio::select! {
                told = beam.next_told() => {
                    let hears = match told {
                        Ok((told, _)) => self.hears(&mut beam, told, patience).await,
                        Err(stop) => Err(stop),
                    };
                    if let Err(stop) = hears {
                        break stop;
                    }
                }
                () = self.state.is_due() => {
                    if let Err(stop) = self.state.write() {
                        break stop;
                    }
                }
                () = sleep_until(looks_at) => {
                    looks_at = Instant::now() + LOOKS_EVERY;
                    self.looks(&mut beam);
                }
            }
        };
        (result, beam.has_ended())
    }

    async fn enters(&self, settings: FileSettings) -> Result<Beam, Stop> {
        let destination = Destination::Known(Box::new(self.state.value.beam.clone()));
        let (name, within) = (self.context.name.clone(), self.context.timeout);
        let mut beam = Beam::enter_with_files(destination, name, within, settings).await?;
        beam.compares(self.context.comparing());
        Ok(beam)
    }

    async fn hears(
        &mut self,
        beam: &mut Beam,
        told: Told,
        patience: &mut Patience,
    ) -> Result<(), Stop> {
        let voice = self.context.voice;
        match &told {
            Told::News(News::Welcome(welcome)) => {
                patience.is_live();
                self.welcomed(beam, welcome);
            }
            Told::News(News::Status(status)) => {
                self.landing.bars().aside(|| stands(voice, *status))?;
            }
            Told::News(News::Server(message)) => self.server_says(message),
            _ => {}
        }
        let landed = self.landing.hears(beam, &told, &mut self.state.value.landed).await?;
        if matches!(told, Told::News(_)) {
            self.state.value.beam = beam.known();
        }
        if matches!(told, Told::News(_)) || !landed.is_empty() {
            self.state.has_changed();
        }
        Ok(())
    }

    fn welcomed(&mut self, beam: &mut Beam, welcome: &Welcome) {
        self.clock = welcome.saved.is_none().then(|| (welcome.now, Instant::now()));
        self.keeps(beam);
    }

    /// A beam that nobody has saved ends after a day, unless the server is told to keep it (S30).
    fn keeps(&self, beam: &mut Beam) {
        if self.clock.is_some() {
            beam.tell(Input::Keep(KeepTime::Day));
        }
    }

    fn server_says(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::Error { message, id: None, to: None, .. } => {
                let said = format!("The server says: {}", safe::lines(message));
                self.landing.bars().aside(|| self.context.voice.hint(&said));
            }
            ServerMessage::BeamSaved { .. } => self.clock = None,
            _ => {}
        }
    }

    fn looks(&mut self, beam: &mut Beam) {
        self.landing.tries_again(beam);
        self.keeps(beam);
        let Some((told, at)) = self.clock else { return };
        let before = told + at.elapsed() - STAYS;
        for id in self.landing.left_from_before(before, &self.state.value.landed) {
            beam.tell(Input::Delete(id));
        }
    }
}
