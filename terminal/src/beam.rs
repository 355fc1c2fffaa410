//! This device in a beam, as the commands have it: made or joined, with what is known of who is here.

mod asking;
mod comparing;
mod comparisons;
mod device;
mod place;

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use heliograph_device::file_facts::FileFacts;
use heliograph_device::io::file_device::{FileDevice, FileSettings, Told};
use heliograph_device::io::files::target::Target;
use heliograph_device::io::link_contract::PeerPath;
use heliograph_device::io::offering::NewFile;
use heliograph_device::io::server::Server;
use heliograph_device::keys::keyring::Keyring;
use heliograph_device::session::beam_link::BeamLink;
use heliograph_device::session::item::Item;
use heliograph_device::session::{Encryption, Input, News, Settings, Status, Why};
use heliograph_shared::ids::{BeamKey, DeviceId, ItemId};
use heliograph_shared::limits::MAX_MESSAGE_BYTES;
use tokio::time::{Instant, sleep_until};

use self::asking::Answer;
pub use self::comparing::{AnsweredBy, Comparing};
use self::device::Device;
use self::place::{Place, stopped};
use crate::exit::{Exit, Stop};
use crate::known_beam::{KnownBeam, KnownKeys};
use crate::link::Destination;
use crate::people::{Change, People};

/// What is around a text in its message, in bytes, and more.
const ENVELOPE_BYTES: usize = 1024;

/// What it takes to be a device of a beam, which is made where it is to be a new one.
///
/// # Errors
/// Where the server cannot be reached, or makes none.
pub async fn begin(destination: Destination) -> Result<KnownBeam, Stop> {
    Ok(Place::of(destination).await?.known())
}

/// Whether a message of so many bytes of JSON is too long where one may have `most`. A sealed one is longer than what is in it.
#[must_use]
pub const fn is_too_long(json_bytes: usize, most: usize, is_sealed: bool) -> bool {
    let room = most.saturating_sub(ENVELOPE_BYTES);
    json_bytes > if is_sealed { room / 20 * 13 } else { room }
}

/// What the server has said of this device.
#[derive(PartialEq, Eq)]
enum Standing {
    Outside,
    Welcomed,
    Ended,
}

/// A beam with this device in it.
pub struct Beam {
    device: Device,
    server: Server,
    comparing: Option<Comparing>,
    /// What was told while everything waits for a comparison, in its order.
    held: VecDeque<(Told, Change)>,
    /// Its link.
    pub link: BeamLink,
    /// Whether this program has made it.
    pub is_new: bool,
    key: Option<BeamKey>,
    /// Whether it is saved, with what is shared there and its keys.
    is_saved: bool,
    /// Who is here.
    pub people: People,
    encryption: Encryption,
    standing: Standing,
    /// The devices that are reached over a TURN server alone.
    over_turn: BTreeSet<DeviceId>,
    message_bytes: usize,
    deadline: Option<(Instant, Duration)>,
}

impl Beam {
    /// Joins a beam, or makes one. `within` is how long all may take from now on.
    ///
    /// # Errors
    /// Where the server cannot be reached, or makes none.
    pub async fn enter(
        destination: Destination,
        name: String,
        within: Option<Duration>,
    ) -> Result<Self, Stop> {
        Self::enter_with(destination, name, within, None).await
    }

    /// The same for a device that moves files.
    ///
    /// # Errors
    /// As for [`Beam::enter`], and where what it has to remember cannot be kept.
    pub async fn enter_with_files(
        destination: Destination,
        name: String,
        within: Option<Duration>,
        files: FileSettings,
    ) -> Result<Self, Stop> {
        Self::enter_with(destination, name, within, Some(files)).await
    }

    /// The same for a device that shares these files. Where an earlier run was ended that shared them in the beam, it is the same device
    /// (F17). The folder has what is remembered of that.
    ///
    /// # Errors
    /// As for [`Beam::enter_with_files`].
    pub async fn enter_to_share(
        destination: Destination,
        name: String,
        within: Option<Duration>,
        (mut files, folder, named): (FileSettings, &Path, &[NewFile]),
    ) -> Result<Self, Stop> {
        let deadline = within.map(|within| (Instant::now() + within, within));
        let mut place = Place::of(destination).await?;
        let prints: Vec<_> = named.iter().map(NewFile::print).collect();
        let earlier = if place.is_new { None } else { place.shared_before(folder, &prints) };
        let shared = match earlier {
            Some(earlier) => Ok(earlier),
            None => place.begins_to_share(folder),
        };
        files.shared = Some(shared.map_err(|why| {
            Stop::new(Exit::Failed, format!("{} cannot be used: {why}.", folder.display()))
        })?);
        Self::join(place, name, deadline, Some(files))
    }

    async fn enter_with(
        destination: Destination,
        name: String,
        within: Option<Duration>,
        files: Option<FileSettings>,
    ) -> Result<Self, Stop> {
        let deadline = within.map(|within| (Instant::now() + within, within));
        Self::join(Place::of(destination).await?, name, deadline, files)
    }

    fn join(
        place: Place,
        name: String,
        deadline: Option<(Instant, Duration)>,
        files: Option<FileSettings>,
    ) -> Result<Self, Stop> {
        let Place { link, beam_key, token, keys, is_new, is_saved, server } = place;
        let encryption = match &keys {
            Some(_) => Encryption::Waiting { is_link_old: false },
            None => Encryption::Clear,
        };
        let key = beam_key.clone();
        let settings = Settings { beam: link.beam, beam_key, name, caps: Vec::new(), token, keys };
        let device = Device::join(server.clone(), settings, files)?;
        Ok(Self {
            device,
            server,
            comparing: None,
            held: VecDeque::new(),
            link,
            is_new,
            key,
            is_saved,
            people: People::default(),
            encryption,
            standing: Standing::Outside,
            over_turn: BTreeSet::new(),
            message_bytes: MAX_MESSAGE_BYTES,
            deadline,
        })
    }

    /// Tells the device what its person does.
    pub fn tell(&mut self, input: Input) {
        self.device.tell(input);
    }

    /// Shares a file. Returns its item; `None` where no device can take it.
    pub fn offer(&mut self, file: NewFile) -> Option<ItemId> {
        self.device.files()?.offer(file)
    }

    /// What is shared here is done: a later run shares it anew.
    pub fn forget_shared(&mut self) {
        if let Some(files) = self.device.files() {
            files.forget_shared();
        }
    }

    /// Receives a file into a folder.
    pub fn receive(&mut self, item: &Item, facts: &FileFacts, target: Arc<Target>) {
        if let Some(files) = self.device.files() {
            files.receive(item, facts, target);
        }
    }

    /// Whether the server has said that the beam has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.standing == Standing::Ended
    }

    /// What it takes to be the same device here in another run.
    #[must_use]
    pub fn known(&self) -> KnownBeam {
        let session = self.device.session();
        KnownBeam {
            server: self.link.server.clone(),
            beam: self.link.beam,
            beam_key: self.key.clone(),
            token: session.token().clone(),
            keys: session.keys().map(KnownKeys::of),
        }
    }

    /// What moves the files; `None` for a device that moves none.
    pub fn files(&mut self) -> Option<&mut FileDevice> {
        self.device.files()
    }

    /// Pauses a file that comes here (F18).
    pub fn pause(&mut self, id: ItemId) {
        if let Some(files) = self.device.files() {
            files.pause(id, None);
        }
    }

    /// Goes on with a file that was paused here.
    pub fn resume(&mut self, id: ItemId) {
        if let Some(files) = self.device.files() {
            files.resume(id, None);
        }
    }

    /// Gives up a file that comes here.
    pub fn cancel(&mut self, id: ItemId) {
        if let Some(files) = self.device.files() {
            files.cancel(id, None);
        }
    }

    /// The id of this device.
    #[must_use]
    pub fn me(&self) -> Option<DeviceId> {
        self.device.session().me()
    }

    /// Whether something was shared that the server has neither confirmed nor refused.
    #[must_use]
    pub fn has_unconfirmed(&self) -> bool {
        self.device.session().has_unconfirmed()
    }

    /// What the beam is by the keys that are here.
    #[must_use]
    pub const fn encryption(&self) -> &Encryption {
        &self.encryption
    }

    /// Whether the connections to a device go over a TURN server.
    #[must_use]
    pub fn is_over_turn(&self, device: DeviceId) -> bool {
        self.over_turn.contains(&device)
    }

    /// Whether the server could have made an item up: it is in clear text, in a beam whose devices seal (E12).
    #[must_use]
    pub const fn is_unproven(&self, item: &Item) -> bool {
        item.is_clear && !matches!(self.encryption, Encryption::Clear)
    }

    /// Whether another device is here that can read what is shared.
    #[must_use]
    pub fn has_company(&self) -> bool {
        let me = self.me();
        let mut others = self.people.here().iter().filter(|device| Some(**device) != me);
        match self.device.session().keys() {
            // A device tells its key once it has that of the beam (E15).
            Some(keys) => others.any(|device| keys.key_of(*device).is_some()),
            None => others.next().is_some(),
        }
    }

    /// The keys of the beam; `None` where it is in clear text.
    #[must_use]
    pub fn keys(&self) -> Option<&Keyring> {
        self.device.session().keys()
    }

    /// Whether others find what is shared, also when this device has left.
    #[must_use]
    pub fn is_found(&self) -> bool {
        self.is_saved || self.has_company()
    }

    /// Whether a message of so many bytes of JSON is too long here.
    #[must_use]
    pub const fn is_too_long(&self, json_bytes: usize) -> bool {
        let is_sealed = !matches!(self.encryption, Encryption::Clear);
        is_too_long(json_bytes, self.message_bytes, is_sealed)
    }

    /// Waits for news. Nothing is lost when the wait is given up.
    ///
    /// # Errors
    /// Where this device is not in the beam any more, does not come into it, or the time is over.
    pub async fn next(&mut self) -> Result<(News, Change), Stop> {
        loop {
            if let (Told::News(news), change) = self.next_told().await? {
                return Ok((news, change));
            }
        }
    }

    /// Waits for news, or for what happens to files. Nothing is lost when the wait is given up.
    ///
    /// # Errors
    /// As for [`Beam::next`].
    pub async fn next_told(&mut self) -> Result<(Told, Change), Stop> {
        loop {
            if self.is_open()
                && let Some((told, change)) = self.held.pop_front()
            {
                // It counts once its command knows of it.
                if let Told::News(News::Encryption(encryption)) = &told {
                    self.encryption = encryption.clone();
                }
                return Ok((told, change));
            }
            let Some((told, change)) = self.happens().await? else { continue };
            let is_of_people =
                matches!(told, Told::News(News::Status(_) | News::Devices(_) | News::Trust { .. }));
            if is_of_people {
                return Ok((told, change));
            }
            // Also where it is open already: what was held before comes first.
            self.held.push_back((told, change));
        }
    }

    /// Waits until something is told. `None` where something was answered.
    async fn happens(&mut self) -> Result<Option<(Told, Change)>, Stop> {
        let (deadline, within) = self.deadline.unzip();
        let told = tokio::select! {
            told = self.device.next() => told,
            answer = answer_of(self.comparing.as_mut()) => {
                self.answered(answer)?;
                return Ok(None);
            }
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                return Err(self.late(within.unwrap_or_default()));
            }
        };
        let told = told.ok_or_else(|| Stop::new(Exit::Failed, ""))?;
        let change = match &told {
            Told::News(news) => self.hears(news)?,
            Told::Path { device, path: Some(PeerPath::Turn) } => {
                self.over_turn.insert(*device);
                Change::default()
            }
            Told::Path { device, .. } => {
                self.over_turn.remove(device);
                Change::default()
            }
            _ => Change::default(),
        };
        Ok(Some((told, change)))
    }

    /// What counts at once, whatever else waits.
    fn hears(&mut self, news: &News) -> Result<Change, Stop> {
        let mut change = Change::default();
        match news {
            News::Welcome(welcome) => {
                self.standing = Standing::Welcomed;
                if let Some(limits) = &welcome.limits {
                    self.message_bytes = limits.message_bytes;
                }
            }
            News::Devices(devices) => change = self.people.listed(devices),
            News::Encryption(Encryption::Waiting { is_link_old: true }) => {
                let why = "The devices of this beam say that its link is another one now. Ask for the new one.";
                return Err(Stop::new(Exit::NotLetIn, why));
            }
            News::Encryption(Encryption::Unsealed) => {
                let why = "This beam is in clear text, which the server can read. Say --clear if you want that.";
                return Err(Stop::new(Exit::BadLink, why));
            }
            News::Trust { device, trust, turned_away } => {
                if let Some(comparing) = &mut self.comparing {
                    comparing.hears(&self.people, *device, trust.as_ref(), *turned_away)?;
                }
                self.look()?;
            }
            News::Status(status) => self.stands(*status)?,
            _ => {}
        }
        Ok(change)
    }

    fn stands(&mut self, status: Status) -> Result<(), Stop> {
        match status {
            Status::Connecting | Status::Live => Ok(()),
            // A server that was here a moment ago comes back. One that was not, as one whose name was mistyped, seldom does.
            Status::Reconnecting { .. } if self.standing == Standing::Welcomed => Ok(()),
            Status::Reconnecting { .. } => Err(stopped(Why::Unreachable, self.device.failure())),
            Status::Stopped(why) if why == Why::Ended => {
                self.standing = Standing::Ended;
                Err(stopped(why, self.device.failure()))
            }
            Status::Stopped(why) => Err(stopped(why, self.device.failure())),
        }
    }

    fn late(&self, within: Duration) -> Stop {
        let seconds = within.as_secs_f64();
        let keys = self.device.session().keys();
        if self.standing == Standing::Welcomed && keys.is_some_and(|keys| !keys.is_keyed()) {
            let why = format!(
                "No device has let this one in within {seconds} s: one that is in the beam has to be open."
            );
            return Stop::new(Exit::NotLetIn, why);
        }
        Stop::new(Exit::TimedOut, format!("It was not done within {seconds} s."))
    }

    /// Leaves, once all that was said is on its way.
    pub async fn leave(self) {
        self.device.leave().await;
    }
}

async fn answer_of(comparing: Option<&mut Comparing>) -> Answer {
    match comparing {
        Some(comparing) => comparing.next_answer().await,
        None => std::future::pending().await,
    }
}
