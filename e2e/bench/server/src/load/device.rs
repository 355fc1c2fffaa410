//! A device of a load: it shares, listens, and comes back as the same device when its socket is lost. What had no answer
//! it shares again, as devices of the product do.

mod listening;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::{SinkExt as _, StreamExt as _};
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_tungstenite::tungstenite::Message;
use uuid::Uuid;

use super::chance::Chance;
use super::checker::{Event, Memory};
use super::filter::Filter;
use super::item::{self, Item, digest};
use super::plan::Plan;
use super::relaying::Relaying;
use super::wire;
use super::world::{Beam, Phase, World};
use crate::Failure;
use crate::client::{self, Socket};

/// Bytes that a socket reads at a time: small, because there are many.
const READ_BUFFER: usize = 4 * 1024;
/// A device that is this far behind its rate does not make up for it.
const MOST_BEHIND: Duration = Duration::from_secs(1);
/// Far away.
const NEVER: Duration = Duration::from_hours(24);

/// An item without an answer.
struct Open {
    number: u32,
    content: String,
    at: Instant,
    is_repeated: bool,
}

/// Why a socket ended.
enum Parting {
    Over,
    Moves,
    Lost(String),
}

/// What lasts as long as a socket.
struct Link {
    is_in_step: bool,
    heard: Instant,
    pings: Instant,
    moves: Instant,
    shares: Instant,
    relaying: Option<Relaying>,
}

/// A device.
pub struct Device {
    world: Arc<World>,
    beam: Arc<Beam>,
    index: item::Device,
    token: String,
    server: usize,
    next: u32,
    open: VecDeque<Open>,
    /// The last number up to which it has everything.
    reached: Option<u64>,
    /// Since when it is away, and whether it has left by itself.
    lost: Option<(Instant, bool)>,
    was_there: bool,
    chance: Chance,
    filter: Option<Filter>,
    is_full: bool,
}

/// A token for a device, and the id that follows from it (S5).
pub fn identity() -> Result<(String, Uuid), Failure> {
    let mut token = [0; 32];
    getrandom::fill(&mut token)?;
    let hash: [u8; 32] = Sha256::digest(token).into();
    let id = hash.first_chunk().copied().map(Uuid::new_v8).ok_or("no hash")?;
    Ok((URL_SAFE_NO_PAD.encode(token), id))
}

/// Whether nobody listens there.
fn is_refused(error: &Failure) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

impl Device {
    pub fn new(
        world: &Arc<World>,
        beam: &Arc<Beam>,
        index: item::Device,
        token: String,
    ) -> Result<Self, Failure> {
        let spread = if world.plan.together { 0 } else { usize::from(index) };
        let server = usize::try_from(beam.number)? + spread;
        Ok(Self {
            world: world.clone(),
            beam: beam.clone(),
            index,
            token,
            server,
            next: 1,
            open: VecDeque::new(),
            reached: None,
            lost: None,
            was_there: false,
            chance: Chance::fresh()?,
            filter: None,
            is_full: false,
        })
    }

    /// What comes to the device goes through this.
    pub fn hears_through(mut self, filter: Option<Filter>) -> Self {
        self.filter = filter;
        self
    }

    /// Lives until the load is over.
    pub async fn run(mut self) {
        while !self.world.is_over() {
            let mut link = self.link();
            let parting = self.visit(&mut link).await;
            self.beam.observe(Event::Left(self.index));
            if link.is_in_step {
                self.world.present.send_modify(|present| *present -= 1);
            }
            self.was_there |= link.is_in_step;
            let why = match parting {
                Ok(Parting::Over) => return,
                Ok(Parting::Moves) => {
                    self.beam.count(|tally| tally.moves += 1);
                    self.server += 1;
                    continue;
                }
                Ok(Parting::Lost(why)) => why,
                Err(error) => error.to_string(),
            };
            if self.was_there {
                // Whoever moves and is not let in is away as well.
                self.lost.get_or_insert((Instant::now(), !link.is_in_step));
            }
            if link.is_in_step {
                self.beam.count(|tally| *tally.losses.entry(why).or_default() += 1);
            }
            self.server += 1;
            let pause = Duration::from_millis(self.world.plan.reconnect);
            sleep(pause.mul_f64(1.0 + self.chance.share() / 5.0)).await;
        }
    }

    fn link(&mut self) -> Link {
        let (now, plan) = (Instant::now(), &self.world.plan);
        let moves = plan.churn.map_or(NEVER, |mean| self.chance.wait(mean));
        let pause = Plan::pause(plan.rate);
        let shares = pause.map_or(NEVER, |pause| pause.mul_f64(self.chance.share()));
        let next = (self.index + 1) % plan.devices.max(1);
        let is_auditor = self.index >= plan.devices;
        let relaying = (plan.frames > 0.0 && next != self.index && !is_auditor)
            .then(|| Relaying::to(self.beam.devices[usize::from(next)], plan, now));
        Link {
            is_in_step: false,
            heard: now,
            pings: now + plan.silence() / 3,
            moves: if is_auditor { now + NEVER } else { now + moves },
            shares: if is_auditor { now + NEVER } else { now + shares },
            relaying,
        }
    }

    /// Opens a socket, and stays as long as it holds.
    async fn visit(&mut self, link: &mut Link) -> Result<Parting, Failure> {
        let mut socket = self.open().await?;
        link.heard = Instant::now();
        let mut phase = self.world.phase.subscribe();
        loop {
            let now = Instant::now();
            let silent = link.heard + self.world.plan.silence();
            let is_sharing = link.is_in_step && *phase.borrow() == Phase::Sharing;
            let mut due = silent.min(link.pings);
            if is_sharing {
                due = due.min(link.moves);
                due = if self.may_share() { due.min(link.shares) } else { due };
                due = link.relaying.as_ref().map_or(due, |relaying| due.min(relaying.due(now)));
            }
            tokio::select! {
                // Where this tool itself has stood still, what came meanwhile counts before the time that has passed.
                biased;
                message = socket.next() => {
                    link.heard = Instant::now();
                    let message = message.ok_or("the connection ended")??;
                    if let Some(parting) = self.hears(&mut socket, link, message).await? {
                        return Ok(parting);
                    }
                }
                _ = phase.changed() => {
                    let now = *phase.borrow_and_update();
                    if now == Phase::Over {
                        let _ = socket.close(None).await;
                        return Ok(Parting::Over);
                    }
                    if now == Phase::Sharing {
                        // Whoever has waited for the others to join is overdue, and all of them would begin at once.
                        let Link { moves, shares, relaying, .. } = self.link();
                        (link.moves, link.shares, link.relaying) = (moves, shares, relaying);
                    }
                }
                () = sleep_until(due) => {
                    let now = Instant::now();
                    if now >= silent {
                        return Ok(Parting::Lost("silence".to_owned()));
                    }
                    if now >= link.pings {
                        link.pings = now + self.world.plan.silence() / 3;
                        self.say(&mut socket, Message::text("ping")).await?;
                    }
                    if is_sharing && now >= link.moves {
                        return Ok(Parting::Moves);
                    }
                    // It may be over since the loop began.
                    if is_sharing && *phase.borrow() == Phase::Sharing {
                        self.share(&mut socket, link, now).await?;
                        self.relay(&mut socket, link, now).await?;
                    }
                }
            }
        }
    }

    /// Opens a socket at the next server that takes a connection: a load balancer leaves out one that refuses it.
    async fn handshake(&mut self) -> Result<Socket, Failure> {
        let world = self.world.clone();
        let _permit = world.handshakes.acquire().await?;
        let (count, path) = (world.addresses.len(), format!("/ws/beam/{}/", self.beam.id));
        let mut refused = 0;
        loop {
            let address = world.addresses[self.server % count];
            let opening = client::open(address, &path, READ_BUFFER);
            let opened = timeout(world.plan.handshake(), opening).await?;
            refused += 1;
            match opened {
                Err(error) if refused < count && is_refused(&error) => self.server += 1,
                opened => return opened,
            }
        }
    }

    /// Opens a socket, asks for what it lacks, and shares again what had no answer.
    async fn open(&mut self) -> Result<Socket, Failure> {
        let world = self.world.clone();
        let mut socket = self.handshake().await?;
        self.beam.observe(Event::Joined(self.index));
        // What is only in memory may be another one, with earlier numbers (S28).
        let has_memory = world.plan.memory(self.beam.kind) != Memory::Process;
        let after = self.reached.filter(|_| has_memory);
        self.beam.observe(Event::AsksAfter(self.index, after));
        socket.feed(Message::text(wire::auth(&self.token))).await?;
        socket.feed(Message::text(wire::sync(after))).await?;
        for open in &mut self.open {
            open.is_repeated = true;
            let item = Item { device: self.index, number: open.number };
            self.beam.observe(Event::Shares(item, digest(&open.content)));
            let share = wire::share(item.id(self.beam.number), &open.content);
            socket.feed(Message::text(share)).await?;
        }
        timeout(world.plan.silence(), socket.flush()).await??;
        Ok(socket)
    }

    async fn say(&self, socket: &mut Socket, message: Message) -> Result<(), Failure> {
        Ok(timeout(self.world.plan.silence(), socket.send(message)).await??)
    }

    fn may_share(&self) -> bool {
        !self.is_full && self.open.len() < self.world.plan.in_flight
    }

    /// Shares what is due.
    async fn share(
        &mut self,
        socket: &mut Socket,
        link: &mut Link,
        now: Instant,
    ) -> Result<(), Failure> {
        let Some(pause) = Plan::pause(self.world.plan.rate) else { return Ok(()) };
        if now.duration_since(link.shares) > MOST_BEHIND {
            link.shares = now;
        }
        let mut has_shared = false;
        while link.shares <= now && self.may_share() {
            link.shares += pause;
            has_shared = true;
            let item = Item { device: self.index, number: self.next };
            self.next += 1;
            let at = Instant::now();
            let micros = at.duration_since(self.world.started).as_micros();
            let content = format!("{micros:<width$}", width = self.world.plan.bytes);
            self.beam.observe(Event::Shares(item, digest(&content)));
            let share = wire::share(item.id(self.beam.number), &content);
            self.open.push_back(Open { number: item.number, content, at, is_repeated: false });
            self.beam.count(|tally| tally.shared += 1);
            socket.feed(Message::text(share)).await?;
        }
        if has_shared {
            timeout(self.world.plan.silence(), socket.flush()).await??;
        }
        Ok(())
    }

    async fn relay(
        &self,
        socket: &mut Socket,
        link: &mut Link,
        now: Instant,
    ) -> Result<(), Failure> {
        let Some(relaying) = &mut link.relaying else { return Ok(()) };
        while let Some(frame) = relaying.next(now) {
            self.say(socket, Message::Binary(frame.into())).await?;
        }
        Ok(())
    }

    async fn hears(
        &mut self,
        socket: &mut Socket,
        link: &mut Link,
        message: Message,
    ) -> Result<Option<Parting>, Failure> {
        match message {
            Message::Text(text) => {
                let changed = self.filter.as_mut().map(|filter| filter.pass(&text));
                let unchanged = changed.is_none().then_some(text.as_str());
                let texts = changed.iter().flatten().map(String::as_str).chain(unchanged);
                for text in texts {
                    if let Some(answer) = self.reads(link, text)? {
                        self.say(socket, Message::text(answer)).await?;
                    }
                }
            }
            Message::Binary(bytes) => {
                let receives = |id| self.beam.device(id);
                let Some(relaying) = &mut link.relaying else { return Ok(None) };
                let (frame, answer) = relaying.hears(&bytes, self.index, receives)?;
                if let Some(frame) = frame {
                    self.beam.check_frames(|frames| frames.received(frame));
                    self.beam.count(|tally| tally.frames += 1);
                }
                if let Some(answer) = answer {
                    self.say(socket, Message::Binary(answer.into())).await?;
                }
            }
            Message::Close(frame) => {
                let code =
                    frame.map_or_else(|| "closed".to_owned(), |frame| frame.code.to_string());
                return Ok(Some(Parting::Lost(code)));
            }
            _ => {}
        }
        Ok(None)
    }
}
