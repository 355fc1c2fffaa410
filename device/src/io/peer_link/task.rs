//! The task of one connection: signals in and out, and the tasks that read and write its channels.

use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use heliograph_shared::limits::MAX_RELAYED_FRAME_BYTES;
use heliograph_shared::socket::IceServer;
use tokio::sync::mpsc::{self, UnboundedReceiver, unbounded_channel};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use webrtc::data_channel::{DataChannel, DataChannelEvent};
use webrtc::peer_connection::{
    PeerConnection, RTCIceCandidateInit, RTCIceConnectionState, RTCSessionDescription,
};

use super::connection::{self, Connection, Told};
use super::negotiation::Offers;
use super::path::RemoteRelays;
use super::signal::{self, Signal};
use super::writing::write;
use crate::io::link_contract::{
    Command, LinkEnds, LinkEvent, PeerLinkEvent, PeerLinkOptions, PeerPath,
};
use crate::io::outbox::Outgoing;
use crate::io::turn_stream::TurnStreams;

/// The way of an open connection is looked at so often, because the library does not tell when it changes.
const LOOK_AT_PATH: Duration = Duration::from_secs(2);
/// Candidates that wait for the description of the other device, at most.
const MOST_EARLY: usize = 64;
/// The channels that carry frames.
const CHANNELS: usize = 2;

/// Runs until the connection ends.
pub(in crate::io) async fn run(ends: LinkEnds) {
    let LinkEnds { options, commands, mut closing, bulk, control, events } = ends;
    let (tell, told) = unbounded_channel();
    let made = connection::connect(&options.ice_servers, &options.addresses, tell).await;
    let Ok((connection, streams)) = made else { return };
    let peer = connection.peer.clone();
    let mut live = Live::new(&connection, streams, &options, events);
    live.start(connection, bulk, control);
    {
        let mut work = pin!(live.work(commands, told));
        tokio::select! {
            () = &mut work => {}
            // Also when the link was dropped.
            _ = closing.wait_for(|is_closing| *is_closing) => {}
        }
    }
    drop(live);
    let _ = peer.close().await;
}

/// A connection that was begun.
struct Live {
    peer: Arc<dyn PeerConnection>,
    link: u64,
    is_initiator: bool,
    events: mpsc::Sender<LinkEvent>,
    offers: Offers,
    /// Candidates that came before the description, which they need; `None` once that has come.
    early: Option<Vec<RTCIceCandidateInit>>,
    relays: RemoteRelays,
    servers: Vec<IceServer>,
    streams: TurnStreams,
    /// The tasks of the channels. The connection ends with any of them.
    channels: JoinSet<()>,
    channel_opened: mpsc::Sender<()>,
    opened_channels: mpsc::Receiver<()>,
    opened: usize,
    /// Whether frames may be passed on.
    is_open: watch::Sender<bool>,
    path: Option<PeerPath>,
    is_broken: bool,
    has_foreign_channel: bool,
}

impl Live {
    fn new(
        connection: &Connection,
        streams: TurnStreams,
        options: &PeerLinkOptions,
        events: mpsc::Sender<LinkEvent>,
    ) -> Self {
        let (channel_opened, opened_channels) = mpsc::channel(CHANNELS);
        Self {
            peer: connection.peer.clone(),
            link: options.link,
            is_initiator: options.is_initiator,
            events,
            offers: Offers::default(),
            early: Some(Vec::new()),
            relays: RemoteRelays::default(),
            servers: options.ice_servers.clone(),
            streams,
            channels: JoinSet::new(),
            channel_opened,
            opened_channels,
            opened: 0,
            is_open: watch::Sender::new(false),
            path: None,
            is_broken: false,
            has_foreign_channel: false,
        }
    }

    /// Begins to read and to write both channels.
    fn start(&mut self, connection: Connection, bulk: Outgoing, control: Outgoing) {
        let (link, events) = (self.link, self.events.clone());
        let has_room = move || {
            let events = events.clone();
            async move {
                let _ = events.send(LinkEvent { link, event: PeerLinkEvent::Room }).await;
            }
        };
        self.read(connection.bulk.clone());
        self.read(connection.control.clone());
        let mut is_open = self.is_open.subscribe();
        self.channels.spawn(async move {
            let _ = is_open.wait_for(|is_open| *is_open).await;
            write(bulk, connection.bulk, has_room).await;
        });
        let mut is_open = self.is_open.subscribe();
        self.channels.spawn(async move {
            let _ = is_open.wait_for(|is_open| *is_open).await;
            write(control, connection.control, || async {}).await;
        });
    }

    /// Reads a channel. What waits in the library is bounded by its window, so a device here that is slow slows the other down.
    fn read(&mut self, channel: Arc<dyn DataChannel>) {
        let (link, events) = (self.link, self.events.clone());
        let (opened, mut is_open) = (self.channel_opened.clone(), self.is_open.subscribe());
        self.channels.spawn(async move {
            while let Some(event) = channel.poll().await {
                match event {
                    DataChannelEvent::OnOpen => {
                        let _ = opened.send(()).await;
                        let _ = is_open.wait_for(|is_open| *is_open).await;
                    }
                    // Frames are bytes. What a device sends as text is none.
                    DataChannelEvent::OnMessage(message) if !message.is_string => {
                        let frame = PeerLinkEvent::Frame(message.data.into());
                        if events.send(LinkEvent { link, event: frame }).await.is_err() {
                            return;
                        }
                    }
                    DataChannelEvent::OnError
                    | DataChannelEvent::OnClosing
                    | DataChannelEvent::OnClose => return,
                    _ => {}
                }
            }
        });
    }

    /// Reads a channel that carries nothing. Unread data from a hostile device would fill memory there.
    fn drain(&mut self, channel: Arc<dyn DataChannel>) {
        self.channels.spawn(async move {
            while let Some(event) = channel.poll().await {
                if matches!(event, DataChannelEvent::OnClose) {
                    return;
                }
            }
        });
    }

    async fn work(
        &mut self,
        mut commands: mpsc::Receiver<Command>,
        mut told: UnboundedReceiver<Told>,
    ) {
        if self.is_initiator && self.begin().await.is_none() {
            return;
        }
        let mut look = Instant::now() + LOOK_AT_PATH;
        loop {
            let now = Instant::now();
            let next = self.offers.next(now).map_or(look, |next| next.min(look));
            let flow = tokio::select! {
                command = commands.recv() => match command {
                    Some(command) => self.command(command).await,
                    None => ControlFlow::Break(()),
                },
                Some(told) = told.recv() => self.told(told).await,
                Some(()) = self.opened_channels.recv() => self.channel_opened().await,
                _ = self.channels.join_next() => ControlFlow::Break(()),
                () = sleep_until(next) => ControlFlow::Continue(()),
            };
            if flow.is_break() || self.restart_if_due().await.is_none() {
                return;
            }
            if Instant::now() >= look {
                look = Instant::now() + LOOK_AT_PATH;
                self.look_at_path().await;
            }
        }
    }

    async fn tell(&self, event: PeerLinkEvent) {
        let _ = self.events.send(LinkEvent { link: self.link, event }).await;
    }

    /// Makes the first offer. simple-peer at the other end counts as connected once the channel that it expects of us is open.
    async fn begin(&mut self) -> Option<()> {
        let channel = self.peer.create_data_channel("simple-peer", None).await.ok()?;
        self.drain(channel);
        self.offer().await
    }

    async fn offer(&mut self) -> Option<()> {
        self.look_again().await;
        let offer = self.peer.create_offer(None).await.ok()?;
        let signal = signal::offer(&offer.sdp);
        self.peer.set_local_description(offer).await.ok()?;
        self.offers.offers(Instant::now());
        self.tell(PeerLinkEvent::Signal(signal)).await;
        Some(())
    }

    /// Looks for addresses from the beginning. The library begins with the description that is set next.
    async fn look_again(&mut self) {
        if self.streams.look_again(&self.servers) {
            self.configure().await;
        }
    }

    /// Tells the library where the servers are.
    async fn configure(&self) {
        let servers = connection::usable(&self.servers, &self.streams);
        let _ = self.peer.set_configuration(connection::configuration(servers)).await;
    }

    /// `None` where the connection is of no use any more.
    async fn restart_if_due(&mut self) -> Option<()> {
        let now = Instant::now();
        if self.offers.is_lost(now) {
            return None;
        }
        if !self.offers.is_due(now) {
            return Some(());
        }
        self.offers.restarts(now);
        self.peer.restart_ice().await.ok()?;
        self.offer().await
    }

    fn restart(&mut self) {
        if self.is_initiator {
            self.offers.want_restart();
        }
    }

    async fn command(&mut self, command: Command) -> ControlFlow<()> {
        match command {
            Command::Signal(signal) => {
                let taken = match signal::read(&signal) {
                    Some(signal) => self.signal(signal).await,
                    None => None,
                };
                return if taken.is_none() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                };
            }
            Command::Renew(servers) => {
                self.servers = servers;
                self.configure().await;
                // An allocation in use was made with the old credentials and ends with them. Data flows on meanwhile.
                if self.path == Some(PeerPath::Turn) {
                    if self.is_initiator {
                        self.restart();
                    } else {
                        self.tell(PeerLinkEvent::Signal(signal::restart())).await;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// `None` where the signal makes no sense.
    async fn signal(&mut self, signal: Signal) -> Option<()> {
        match signal {
            Signal::Offer(sdp) if !self.is_initiator => {
                self.describe(RTCSessionDescription::offer(sdp).ok()?).await?;
                self.look_again().await;
                let answer = self.peer.create_answer(None).await.ok()?;
                let signal = signal::answer(&answer.sdp);
                self.peer.set_local_description(answer).await.ok()?;
                self.tell(PeerLinkEvent::Signal(signal)).await;
            }
            Signal::Answer(sdp) if self.offers.is_answered() => {
                self.describe(RTCSessionDescription::answer(sdp).ok()?).await?;
            }
            Signal::Offer(_) | Signal::Answer(_) => return None,
            Signal::Candidate(candidate) => match &mut self.early {
                None => self.try_out(candidate).await,
                Some(early) if early.len() < MOST_EARLY => early.push(candidate),
                Some(_) => {}
            },
            Signal::Restart => self.restart(),
            Signal::Nothing => {}
        }
        Some(())
    }

    async fn describe(&mut self, description: RTCSessionDescription) -> Option<()> {
        self.peer.set_remote_description(description).await.ok()?;
        for candidate in self.early.take().into_iter().flatten() {
            self.try_out(candidate).await;
        }
        Some(())
    }

    /// An address of a kind that is not known here, as a name of mDNS, is left out. There may be others.
    async fn try_out(&mut self, candidate: RTCIceCandidateInit) {
        self.relays.told(&candidate.candidate);
        let _ = self.peer.add_ice_candidate(candidate).await;
    }

    async fn told(&mut self, told: Told) -> ControlFlow<()> {
        match told {
            Told::Candidate(candidate) => {
                self.streams.found(&candidate);
                self.tell(PeerLinkEvent::Signal(signal::candidate(&candidate))).await;
            }
            Told::Ice(RTCIceConnectionState::Failed | RTCIceConnectionState::Closed)
            | Told::Over => return ControlFlow::Break(()),
            Told::Ice(state) => {
                let is_broken = state == RTCIceConnectionState::Disconnected;
                if is_broken {
                    self.restart();
                }
                if self.path.is_some() && is_broken != self.is_broken {
                    self.is_broken = is_broken;
                    self.tell(PeerLinkEvent::Broken(is_broken)).await;
                }
                self.look_at_path().await;
            }
            // simple-peer opens one.
            Told::Channel(channel) if !self.has_foreign_channel && !self.is_initiator => {
                self.has_foreign_channel = true;
                self.drain(channel);
            }
            Told::Channel(_) => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    async fn channel_opened(&mut self) -> ControlFlow<()> {
        self.opened += 1;
        if self.opened < CHANNELS {
            return ControlFlow::Continue(());
        }
        let Some(sctp) = self.peer.sctp().await else { return ControlFlow::Break(()) };
        let max_message = sctp.max_message_size().await.unwrap_or(0);
        // Between two paths no pair is in use.
        let path = self.path_in_use().await.unwrap_or(PeerPath::Direct);
        self.path = Some(path);
        let max_frame = MAX_RELAYED_FRAME_BYTES.min(max_message as usize);
        self.tell(PeerLinkEvent::Opened { path, max_frame }).await;
        self.is_open.send_replace(true);
        ControlFlow::Continue(())
    }

    async fn look_at_path(&mut self) {
        if self.path.is_none() {
            return;
        }
        let path = self.path_in_use().await;
        if path.is_some() && path != self.path {
            self.path = path;
            self.tell(PeerLinkEvent::Path(path.unwrap_or(PeerPath::Direct))).await;
        }
    }

    async fn path_in_use(&self) -> Option<PeerPath> {
        let ice = self.peer.sctp().await?.transport().ice_transport();
        let pair = ice.get_selected_candidate_pair().await.ok()??;
        Some(self.relays.path(pair.local(), pair.remote()))
    }
}
