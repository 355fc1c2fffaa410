//! A device in a beam that sends and receives files: a [`LiveDevice`], the [`Engine`], and the disks, connections and relay that it
//! moves them with.

mod driving;
mod leaving;
mod offering;
mod receiving;
mod sharing;
mod waiting;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use heliograph_shared::device::{Cap, Device};
use heliograph_shared::ids::{BeamId, DeviceId, ItemId};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep_until};

use self::waiting::{Resumed, Searched, written};
use super::file_driver::{FileDriver, FileEvent};
use super::files::error::FileError;
use super::files::shared_files::SharedFiles;
use super::files::store::Store;
use super::link_contract::{LinkEvent, PeerPath};
use super::link_driver::LinkDriver;
use super::live_device::{LiveDevice, LiveEvent};
use super::peer_links::PeerLinks;
use super::relay::Relay;
use super::server::{Failure, Server};
use super::stored_copies::StoredCopies;
use super::system_clock::now_ms;
use super::system_random::SystemRandom;
use crate::engine::Engine;
use crate::engine::contract::{Input, Progress};
use crate::session::{self, News, Session, Settings};

/// Links on which anything waits are looked at so often.
const LOOKS_EVERY: Duration = Duration::from_millis(100);

/// How files are moved.
#[derive(Debug)]
pub struct FileSettings {
    /// The folder with what this program has to remember of received files.
    pub state: PathBuf,
    /// Where direct links listen ([`PeerLinkOptions::addresses`](super::link_contract::PeerLinkOptions)). Without any, files go through the
    /// server alone.
    pub addresses: Vec<SocketAddr>,
    /// What is remembered of the files that it shares, with the token and the keys in its [`Settings`]; `None` where nothing is.
    pub shared: Option<SharedFiles>,
}

/// What whoever has the device learns.
#[derive(Debug)]
pub enum Told {
    /// News of the session.
    News(News),
    /// How a file is doing that comes here.
    Receiving {
        /// Its item.
        id: ItemId,
        /// Its progress.
        progress: Progress,
    },
    /// How a file is doing that goes to a device.
    Sending {
        /// Its item.
        id: ItemId,
        /// The device.
        device: DeviceId,
        /// Its progress.
        progress: Progress,
    },
    /// A received file is where the person wants it. Comes before the progress that says so.
    Placed {
        /// Its item.
        id: ItemId,
        /// Where it is, or the files and folders at the top of it.
        paths: Vec<PathBuf>,
    },
    /// The path of the direct connections to a device; `None` once there is none.
    Path {
        /// The device.
        device: DeviceId,
        /// The path.
        path: Option<PeerPath>,
    },
}

/// A device in a beam that sends and receives files. It lives while [`FileDevice::next`] is awaited.
pub struct FileDevice {
    device: LiveDevice,
    beam: BeamId,
    engine: Engine,
    files: FileDriver,
    file_events: mpsc::UnboundedReceiver<FileEvent>,
    store: Store,
    shared: Option<SharedFiles>,
    /// The write of what a later run has to know.
    remembering: Option<JoinHandle<()>>,
    /// How much the session had taken when its keys were looked at last.
    remembered: u64,
    /// What an earlier run has shared, and of which it is not known yet whether the beam still has it.
    resumed: Vec<Resumed>,
    /// Whether all items of the beam are known.
    is_synced: bool,
    copies: StoredCopies,
    copy_inputs: mpsc::UnboundedReceiver<Input>,
    links: LinkDriver,
    link_events: mpsc::Receiver<LinkEvent>,
    relay: Relay,
    is_relay_up: bool,
    /// The devices that are here, this one included, in the order in which they joined.
    devices: Vec<Device>,
    /// The other devices that understand frames.
    listed: Vec<DeviceId>,
    is_direct: bool,
    searches: mpsc::UnboundedSender<Searched>,
    searched: mpsc::UnboundedReceiver<Searched>,
    /// The files that come here, and whether each has ended.
    coming: BTreeMap<ItemId, bool>,
    /// The files that are on their way to their places.
    placing: BTreeSet<ItemId>,
    /// So many searches are under way.
    searching: usize,
    /// The searches that count, by their numbers: nothing follows of one whose file was given up meanwhile.
    searched_for: BTreeMap<ItemId, u64>,
    searches_made: u64,
    told: VecDeque<Told>,
    started: Instant,
    looks_at: Option<Instant>,
}

impl FileDevice {
    /// Joins a beam as [`LiveDevice::join`] does, with what it takes to move files among the device's capabilities.
    ///
    /// It has to be called within a runtime of tokio.
    ///
    /// # Errors
    /// Where the folder of the state cannot be used.
    pub fn join(
        server: Server,
        mut settings: Settings,
        files: FileSettings,
    ) -> Result<Self, FileError> {
        let store = Store::open(&files.state)?;
        let swept = store.clone();
        // What cannot be removed now can be later.
        spawn_blocking(move || drop(swept.sweep(now_ms())));
        let is_direct = !files.addresses.is_empty();
        let beam = settings.beam;
        settings.caps.push(Cap::Files);
        if is_direct {
            settings.caps.extend([Cap::Rtc, Cap::Quic]);
        }
        let (driver, file_events) = FileDriver::new(Handle::current(), store.clone(), now_ms);
        let sessions = || uuid::Builder::from_random_bytes(SystemRandom::bytes()).into_uuid();
        let peers = PeerLinks::new(move || sessions().to_string());
        let (links, link_events) = LinkDriver::new(peers, files.addresses);
        let (searches, found) = mpsc::unbounded_channel();
        let (copies, copy_inputs) = StoredCopies::new(server.clone());
        Ok(Self {
            device: LiveDevice::join(server, settings),
            beam,
            engine: Engine::new(u64::from_le_bytes(SystemRandom::bytes())),
            files: driver,
            file_events,
            store,
            shared: files.shared,
            remembering: None,
            remembered: 0,
            resumed: Vec::new(),
            is_synced: false,
            copies,
            copy_inputs,
            links,
            link_events,
            relay: Relay::default(),
            is_relay_up: false,
            devices: Vec::new(),
            listed: Vec::new(),
            is_direct,
            searches,
            searched: found,
            coming: BTreeMap::new(),
            placing: BTreeSet::new(),
            searching: 0,
            searched_for: BTreeMap::new(),
            searches_made: 0,
            told: VecDeque::new(),
            started: Instant::now(),
            looks_at: None,
        })
    }

    /// The session.
    #[must_use]
    pub const fn session(&self) -> &Session {
        self.device.session()
    }

    /// Why the socket was not opened or was lost, the last time.
    #[must_use]
    pub const fn failure(&self) -> Option<&Failure> {
        self.device.failure()
    }

    /// Whether a received file may have its place, in this run or from an earlier one, without [`Told::Placed`] having been told.
    #[must_use]
    pub fn is_placing(&self) -> bool {
        let has_placed = self.told.iter().any(|told| matches!(told, Told::Placed { .. }));
        has_placed || self.searching > 0 || !self.placing.is_empty()
    }

    /// Tells the session what its person does.
    pub fn tell(&mut self, input: session::Input) {
        self.device.tell(input);
    }

    /// Pauses a transfer (F18): to a device, or to all and what comes here.
    pub fn pause(&mut self, id: ItemId, device: Option<DeviceId>) {
        self.give(Input::Pause { id, device });
    }

    /// Goes on with a transfer (F18): `device` as for [`FileDevice::pause`].
    pub fn resume(&mut self, id: ItemId, device: Option<DeviceId>) {
        self.give(Input::Resume { id, device });
    }

    /// Cancels a transfer: `device` as for [`FileDevice::pause`].
    pub fn cancel(&mut self, id: ItemId, device: Option<DeviceId>) {
        if device.is_none() {
            self.searched_for.remove(&id);
        }
        self.give(Input::Cancel { id, device });
    }

    /// Waits for what happens; `None` once the device has stopped and all of it was told. Nothing is lost when the wait is given up.
    pub async fn next(&mut self) -> Option<Told> {
        loop {
            self.remember();
            // What is told is known to a later run, also where this one is killed.
            if self.remembering.is_none()
                && let Some(told) = self.told.pop_front()
            {
                return Some(told);
            }
            if !self.step().await {
                self.remembering.as_ref()?;
                written(&mut self.remembering).await;
            }
        }
    }

    /// Waits until anything happens, and does what follows. Returns false once the device has stopped.
    async fn step(&mut self) -> bool {
        let due = self.next_due();
        tokio::select! {
            event = self.device.next_event() => match event {
                Some(event) => self.lives(event),
                None => return false,
            },
            Some(event) = self.file_events.recv() => self.disk_told(event),
            Some(input) = self.copy_inputs.recv() => self.give(input),
            Some(event) = self.link_events.recv() => {
                let outputs = self.links.happened(event, self.started.elapsed());
                self.follow(outputs);
            }
            Some(searched) = self.searched.recv() => self.found(searched),
            () = written(&mut self.remembering), if self.remembering.is_some() => {}
            () = sleep_until(due.unwrap_or(self.started)), if due.is_some() => self.passed(),
        }
        true
    }

    fn lives(&mut self, event: LiveEvent) {
        match event {
            LiveEvent::News(news) => self.hears(news),
            LiveEvent::Relayed(message) => self.relayed(&message),
            LiveEvent::Left(bytes) => {
                self.relay.left(bytes, self.started.elapsed());
                self.tell_relay_room();
            }
        }
    }

    fn disk_told(&mut self, event: FileEvent) {
        match event {
            FileEvent::Input(input) => {
                if let Input::Finished { id, .. } = &input {
                    self.placing.remove(id);
                }
                self.give(input);
            }
            FileEvent::Placed { item: id, paths } => {
                self.told.push_back(Told::Placed { id, paths });
            }
        }
    }

    fn next_due(&self) -> Option<Instant> {
        let own = [self.engine.next_tick(), self.links.links.next_tick()].into_iter().flatten();
        own.map(|due| self.started + due).chain(self.looks_at).min()
    }

    /// Does what is due by now.
    fn passed(&mut self) {
        let now = self.started.elapsed();
        if self.engine.next_tick().is_some_and(|due| due <= now) {
            self.give(Input::Tick);
        }
        if self.links.links.next_tick().is_some_and(|due| due <= now) {
            self.links.links.tick(now);
            self.follow_links();
        }
        if self.looks_at.is_some_and(|at| at <= Instant::now()) {
            self.looks_at = None;
            for input in self.links.waiting() {
                self.give(input);
                self.looks_later();
            }
        }
    }

    fn looks_later(&mut self) {
        self.looks_at.get_or_insert_with(|| Instant::now() + LOOKS_EVERY);
    }
}
