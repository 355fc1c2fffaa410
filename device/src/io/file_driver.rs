//! Carries out what the engine asks of files ([`Output::Open`] to [`Output::Release`], [`Output::Read`]): the requests of one
//! item in their order, those of different items beside each other, so that a disk or a share that gives nothing holds up its
//! own file alone.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::mem;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use heliograph_shared::ids::ItemId;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use super::files::error::FileError;
use super::files::received::{Incoming, Received};
use super::files::source::Source;
use super::files::source_file::OpenFiles;
use super::files::store::{Found, Store};
use super::files::target::Target;
use crate::engine::contract::{FileFailure, Input, Output, Place, ReadId, ReadOf};
use crate::file_size::CHUNK_BYTES;

/// What comes of the requests.
#[derive(Debug)]
pub enum FileEvent {
    /// What the engine is to be told.
    Input(Input),
    /// A received file is where the person wants it. Comes before the engine's answer.
    Placed {
        /// Its item.
        item: ItemId,
        /// Where it is, or the files and folders at the top of it.
        paths: Vec<PathBuf>,
    },
}

/// The files of one engine.
#[derive(Debug)]
pub struct FileDriver {
    runtime: Handle,
    shared: Arc<Shared>,
    items: HashMap<ItemId, Arc<Item>>,
}

struct Shared {
    store: Store,
    open: OpenFiles,
    /// In milliseconds since the Unix epoch.
    now: Box<dyn Fn() -> i64 + Send + Sync>,
    events: UnboundedSender<FileEvent>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("store", &self.store).finish_non_exhaustive()
    }
}

/// What is known of the files of one item.
#[derive(Debug, Default)]
struct Item {
    waiting: Mutex<Waiting>,
    files: Mutex<Files>,
}

/// The requests that wait, in their order.
#[derive(Debug, Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    is_working: bool,
}

#[derive(Debug)]
enum Job {
    Offer(Source),
    Expect(Incoming, Arc<Target>),
    Find(Incoming, oneshot::Sender<Result<Found, FileError>>),
    Request(Output),
}

#[derive(Debug, Default)]
struct Files {
    /// What this device shares.
    offered: Option<Source>,
    /// What is to be received, and into which folder.
    expected: Option<(Incoming, Arc<Target>)>,
    received: Option<(Place, Received)>,
    /// What an earlier run has received.
    whole: Option<Source>,
}

impl FileDriver {
    /// A driver, and what comes of its requests.
    ///
    /// `now` tells the time in milliseconds since the Unix epoch.
    pub fn new(
        runtime: Handle,
        store: Store,
        now: impl Fn() -> i64 + Send + Sync + 'static,
    ) -> (Self, UnboundedReceiver<FileEvent>) {
        let (events, receiver) = unbounded_channel();
        let shared = Shared { store, open: OpenFiles::default(), now: Box::new(now), events };
        (Self { runtime, shared: Arc::new(shared), items: HashMap::new() }, receiver)
    }

    /// Sets what is read of a file that this device shares. Comes before [`Input::Offer`].
    pub fn offer(&mut self, item: ItemId, source: Source) {
        self.add(item, Job::Offer(source));
    }

    /// Sets the folder into which a file is to be received. Comes before [`Input::Receive`].
    pub fn expect(&mut self, incoming: Incoming, target: Arc<Target>) {
        self.add(incoming.item, Job::Expect(incoming, target));
    }

    /// Looks for what an earlier run has received of a file ([`Input::Search`]). What is found whole can be read from then on.
    ///
    /// # Errors
    /// [`FileError::Busy`] where another program receives it.
    pub fn find(
        &mut self,
        incoming: Incoming,
    ) -> impl Future<Output = Result<Found, FileError>> + Send + use<> {
        // In its turn: what this program still does with the file would count as another's.
        let (told, found) = oneshot::channel();
        self.add(incoming.item, Job::Find(incoming, told));
        async {
            found.await.unwrap_or_else(|stopped| Err(FileError::Other(io::Error::other(stopped))))
        }
    }

    /// Carries out a request. Returns one that is not about files.
    pub fn carry_out(&mut self, request: Output) -> Option<Output> {
        let item = match &request {
            Output::Open { id, .. }
            | Output::Write { id, .. }
            | Output::Keep { id, .. }
            | Output::KeepHashes { id, .. }
            | Output::KeepPause { id, .. }
            | Output::Finish { id, .. }
            | Output::Discard(id)
            | Output::Release(id)
            | Output::Read { of: ReadOf::Offered(id) | ReadOf::Received(id), .. } => *id,
            _ => return Some(request),
        };
        self.add(item, Job::Request(request));
        None
    }

    /// The item is gone: lets go of its files, after what is under way.
    pub fn forget(&mut self, item: ItemId) {
        self.items.remove(&item);
    }

    fn item(&mut self, id: ItemId) -> Arc<Item> {
        self.items.entry(id).or_default().clone()
    }

    fn add(&mut self, id: ItemId, job: Job) {
        let item = self.item(id);
        let mut waiting = locked(&item.waiting);
        waiting.jobs.push_back(job);
        if !mem::replace(&mut waiting.is_working, true) {
            let (shared, item) = (self.shared.clone(), item.clone());
            self.runtime.spawn_blocking(move || item.work(&shared));
        }
    }
}

impl Item {
    /// Does what waits, until nothing does.
    fn work(&self, shared: &Shared) {
        while let Some(job) = self.next() {
            let mut files = locked(&self.files);
            match job {
                Job::Offer(source) => files.offered = Some(source),
                Job::Expect(incoming, target) => files.expected = Some((incoming, target)),
                Job::Find(incoming, told) => {
                    // Whoever asked may have gone meanwhile.
                    let _ = told.send(files.find(&incoming, shared));
                }
                Job::Request(request) => files.carry_out(request, shared),
            }
        }
    }

    fn next(&self) -> Option<Job> {
        let mut waiting = locked(&self.waiting);
        let job = waiting.jobs.pop_front();
        waiting.is_working = job.is_some();
        job
    }
}

impl Files {
    fn carry_out(&mut self, request: Output, shared: &Shared) {
        match request {
            Output::Open { id, place } => {
                let result = self.open(place, shared);
                shared.tell(Input::Opened { id, place, result });
            }
            Output::Write { id, place, chunks, bytes } => {
                let position = u64::from(chunks.first) * CHUNK_BYTES;
                let result = self.in_place(place, |received| received.write(position, &bytes));
                shared.tell(Input::Wrote { id, place, chunks, result });
            }
            Output::Read { read, of, start, bytes } => self.read(read, of, start, bytes, shared),
            Output::Keep { id, place, chunks, is_paused } => {
                let now = (shared.now)();
                let kept = self.in_place(place, |received| received.keep(&chunks, is_paused, now));
                shared.tell_not_kept(id, place, kept);
            }
            Output::KeepHashes { id, place, hashes } => {
                let journal = shared.store.journal();
                let kept = self.in_place(place, |_| journal.write_hashes(id, &hashes));
                shared.tell_not_kept(id, place, kept);
            }
            Output::KeepPause { id, is_paused } => {
                // Where it cannot be written, a later run goes on, and the person can pause it there.
                let _ = shared.store.turn(id, is_paused);
            }
            Output::Finish { id, place } => {
                let now = (shared.now)();
                let finished = self.in_place(place, |received| received.finish(now));
                let result = finished.map(|paths| {
                    let _ = shared.events.send(FileEvent::Placed { item: id, paths });
                });
                shared.tell(Input::Finished { id, place, result });
            }
            Output::Discard(id) => {
                match self.received.take() {
                    Some((_, received)) => received.discard(),
                    // What another program receives is its own.
                    None => drop(shared.store.forget(id)),
                }
                self.whole = None;
            }
            Output::Release(_) => self.received = None,
            _ => {}
        }
    }

    fn find(&mut self, incoming: &Incoming, shared: &Shared) -> Result<Found, FileError> {
        let found = shared.store.find(incoming, (shared.now)())?;
        if let Found::Whole { source, .. } = &found {
            self.whole.clone_from(source);
        }
        Ok(found)
    }

    fn open(&mut self, place: Place, shared: &Shared) -> Result<(), FileFailure> {
        // Lets go of the lock.
        self.received = None;
        let Some((incoming, target)) = &self.expected else {
            return Err(FileFailure::Failed("nobody said where it is to be received".to_owned()));
        };
        let received = shared.store.receive(target, incoming, (shared.now)()).map_err(failure)?;
        self.received = Some((place, received));
        Ok(())
    }

    fn in_place<T>(
        &mut self,
        place: Place,
        act: impl FnOnce(&mut Received) -> Result<T, FileError>,
    ) -> Result<T, FileFailure> {
        match &mut self.received {
            Some((open, received)) if *open == place => act(received).map_err(failure),
            _ => Err(failure(FileError::Gone)),
        }
    }

    fn read(&self, read: ReadId, of: ReadOf, start: u64, length: usize, shared: &Shared) {
        let bytes = match (of, &self.offered, &self.received, &self.whole) {
            (ReadOf::Offered(_), Some(source), ..) => source.read(&shared.open, start, length).ok(),
            (ReadOf::Received(_), _, Some((_, received)), _) => {
                received.read(&shared.open, start, length).ok()
            }
            (ReadOf::Received(_), _, None, Some(source)) => {
                source.read(&shared.open, start, length).ok()
            }
            _ => None,
        };
        shared.tell(Input::Read { read, bytes });
    }
}

impl Shared {
    /// Nobody listens any more once the engine is gone.
    fn tell(&self, input: Input) {
        let _ = self.events.send(FileEvent::Input(input));
    }

    fn tell_not_kept(&self, id: ItemId, place: Place, kept: Result<(), FileFailure>) {
        if let Err(why) = kept {
            self.tell(Input::NotKept { id, place, why });
        }
    }
}

fn failure(error: FileError) -> FileFailure {
    match error {
        FileError::NoRoom => FileFailure::NoRoom,
        FileError::DiskFull => FileFailure::DiskFull,
        FileError::Changed | FileError::TooLarge | FileError::TooMany => {
            FileFailure::Useless(error.to_string())
        }
        error => FileFailure::Failed(error.to_string()),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
