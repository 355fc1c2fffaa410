//! This device in a beam, as the commands have it: made or joined, with what is known of who is here.

mod asking;
mod comparing;
mod comparisons;
mod device;
mod hearing;
mod place;
mod saved_keys;

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use heliograph_device::file_facts::FileFacts;
use heliograph_device::io::file_device::{FileDevice, FileSettings, Told};
use heliograph_device::io::files::target::Target;
use heliograph_device::io::offering::NewFile;
use heliograph_device::io::server::Server;
use heliograph_device::keys::keyring::Keyring;
use heliograph_device::session::beam_link::BeamLink;
use heliograph_device::session::item::Item;
use heliograph_device::session::{Encryption, Input, Settings};
use heliograph_shared::ids::{BeamKey, DeviceId, ItemId};
use heliograph_shared::limits::MAX_MESSAGE_BYTES;
use tokio::time::Instant;

pub use self::comparing::{AnsweredBy, Comparing};
use self::device::Device;
use self::place::Place;
use self::saved_keys::SavedKeys;
use crate::compared::Compared;
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

/// Whether the server keeps what is shared in a beam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Not,
    /// It was saved by somebody, or is kept for a while (S30).
    Here,
    /// It is in the list of this person, with its keys.
    WithKeys,
}

impl Kept {
    /// What the server says of it.
    const fn is_told(self, is_kept: bool) -> Self {
        match self {
            Self::WithKeys => Self::WithKeys,
            Self::Not | Self::Here if is_kept => Self::Here,
            Self::Not | Self::Here => Self::Not,
        }
    }
}

/// A beam with this device in it.
pub struct Beam {
    device: Device,
    server: Server,
    comparing: Option<Comparing>,
    /// What was compared, from one run to the next.
    compared: Option<Compared>,
    /// What was told while everything waits for a comparison, in its order.
    held: VecDeque<(Told, Change)>,
    /// Its link.
    pub link: BeamLink,
    /// Whether this program has made it.
    pub is_new: bool,
    key: Option<BeamKey>,
    kept: Kept,
    /// Whether this device has been told all that was there when it came last.
    is_synced: bool,
    is_of_account: bool,
    saved_keys: Option<SavedKeys>,
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
        let Place { link, beam_key, token, keys, is_new, is_saved, server, is_of_account, account } =
            place;
        let is_sealed = keys.is_some();
        let account = account.filter(|_| is_sealed);
        let saved_keys = account.map(|account| SavedKeys::of(account, link.beam));
        let encryption = match &keys {
            Some(_) => Encryption::Waiting { is_link_old: false },
            None => Encryption::Clear,
        };
        let key = beam_key.clone();
        let settings = Settings { beam: link.beam, beam_key, name, caps: Vec::new(), token, keys };
        let mut device = Device::join(server.clone(), settings, files)?;
        let compared = is_sealed.then(|| Compared::of(link.beam)).transpose()?;
        if let Some(compared) = &compared {
            device.tell(Input::ComparedBefore(compared.devices()));
        }
        Ok(Self {
            device,
            server,
            comparing: None,
            compared,
            held: VecDeque::new(),
            link,
            is_new,
            key,
            kept: if is_saved { Kept::WithKeys } else { Kept::Not },
            is_synced: false,
            is_of_account,
            saved_keys,
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

    /// Whether it goes on as an earlier run that has shared the same files (F17).
    pub fn goes_on(&mut self) -> bool {
        self.device.files().is_some_and(|files| files.goes_on())
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
            is_of_account: self.is_of_account,
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

    /// The server, with the login of this device, if it has one.
    #[must_use]
    pub const fn server(&self) -> &Server {
        &self.server
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

    /// Whether the server keeps what is shared here.
    #[must_use]
    pub const fn is_kept(&self) -> bool {
        !matches!(self.kept, Kept::Not)
    }

    /// Whether the server has all that was said here, and this device all that it had: also the keys, which are kept as an item (E10) that
    /// a device shares once it knows what is there.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.is_synced && !self.has_unconfirmed()
    }

    /// Whether others find what is shared, also when this device has left.
    #[must_use]
    pub fn is_found(&self) -> bool {
        let is_readable = match self.kept {
            Kept::Not => false,
            Kept::Here => self.is_settled(),
            Kept::WithKeys => true,
        };
        is_readable || self.has_company()
    }

    /// Whether a message of so many bytes of JSON is too long here.
    #[must_use]
    pub const fn is_too_long(&self, json_bytes: usize) -> bool {
        let is_sealed = !matches!(self.encryption, Encryption::Clear);
        is_too_long(json_bytes, self.message_bytes, is_sealed)
    }

    /// Leaves, once all that was said is on its way.
    pub async fn leave(self) {
        self.device.leave().await;
    }
}
