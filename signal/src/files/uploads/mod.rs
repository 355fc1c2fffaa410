//! Uploads, in one request (H40) and in pieces (H45).

mod arriving;
pub mod checksum;
mod copying;
pub mod failures;
pub mod holds;
mod receiving;
pub mod resumable;
mod sent_file;

use std::sync::Arc;
use std::time::Duration;

use heliograph_shared::api::uploads::FileRoom;
use heliograph_shared::ids::BeamId;
use heliograph_shared::time::Millis;
use heliograph_storage::Storage;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::blobs::Blobs;
use heliograph_storage::secrets::Secret;
use heliograph_storage::staging::Staging;
use tokio::time::Instant;

use self::failures::Failures;
use self::holds::Holds;
use self::sent_file::WAITING_BYTES;
pub use self::sent_file::{SentFile, find_file};
use crate::address::Client;
use crate::budget::{Budget, Kind, Share};
use crate::clock::Clock;
use crate::error::Error;
use crate::limit::{Buckets, Counted, Counts, Rate};
use crate::multipart::{PIECE, PIECE_CAPACITY};
use crate::quota::{Capacity, Limits};
use crate::random;

/// Uploads from one address: enough for a folder of pictures.
const RATE: Rate = Rate { burst: 120, every: Duration::from_secs(30) };
/// Uploads for items from one address: a beam may take several batches of files at once.
const RATE_OF_ITEMS: Rate = Rate { burst: 1_000, every: Duration::from_secs(1) };
/// Pieces of uploads from one address. Each is made safe on the disk, however small it is; of 32 MiB, as our client sends
/// them, this many carry more than any line.
const RATE_OF_PIECES: Rate = Rate { burst: 500, every: Duration::from_millis(50) };
/// Most concurrent uploads from one address.
const AT_ONCE_PER_CLIENT: usize = 8;
/// Name of the secret for the pseudonyms of addresses.
const ADDRESS_SECRET: &str = "upload addresses";

/// Receives uploads.
#[derive(Debug)]
pub struct Uploads {
    limits: Limits,
    capacity: Capacity,
    storage: Storage,
    blobs: Blobs,
    staging: Staging,
    held: Holds,
    /// Why some could not be stored.
    pub failures: Failures,
    /// Held while room is promised: of two at once, each would count the other's, and neither might fit.
    promising: tokio::sync::Mutex<()>,
    clock: Clock,
    budget: Arc<Budget>,
    address_secret: Secret,
    rate: Buckets<Client>,
    rate_of_items: Buckets<Client>,
    rate_of_pieces: Buckets<Client>,
    by_client: Counts<Client>,
}

/// The permit of one running upload, with its memory. Dropping it frees both.
#[derive(Debug)]
pub struct Place {
    _memory: Share,
    _of_client: Option<Counted<Client>>,
}

/// The sender of an upload.
#[derive(Clone, Copy, Debug)]
pub enum Uploader {
    /// A logged-in user.
    Account(AccountId),
    /// Anybody who may write in a saved beam, at the cost of its owner (P27).
    Owner {
        /// The owner's account.
        owner: AccountId,
        /// The account whose rights let the sender write; without one, the link does.
        sender: Option<AccountId>,
    },
    /// Anybody in a kept beam, with the client that limits count, until the beam is kept no longer (H32).
    Kept(Option<Client>, Millis),
    /// A guest, with the client that limits count, if any ([`Client::of`]).
    Guest(Option<Client>),
}

/// An admitted upload.
#[derive(Debug)]
pub struct Receiving {
    /// The sender.
    pub uploader: Uploader,
    /// The beam with which the file expires.
    pub beam: Option<BeamId>,
    /// The permit, held until the upload ends.
    pub place: Place,
}

impl Uploads {
    /// Opens the receiver, with no upload running.
    ///
    /// # Errors
    /// [`Error`] when the database or the system's randomness fails.
    pub async fn open(
        limits: Limits,
        storage: Storage,
        blobs: Blobs,
        staging: Staging,
        budget: Arc<Budget>,
        clock: Clock,
    ) -> Result<Self, Error> {
        let address_secret = storage.secret(ADDRESS_SECRET, Secret::new(random::bytes()?)).await?;
        let (rate, rate_of_items) = (Buckets::new(RATE), Buckets::new(RATE_OF_ITEMS));
        let by_client = Counts::new(AT_ONCE_PER_CLIENT);
        let capacity = limits.capacity(blobs.clone(), storage.clone());
        let capacity = capacity.collecting_in(staging.folder());
        Ok(Self {
            limits,
            capacity,
            storage,
            blobs,
            staging,
            held: Holds::default(),
            failures: Failures::default(),
            promising: tokio::sync::Mutex::default(),
            clock,
            budget,
            address_secret,
            rate,
            rate_of_items,
            rate_of_pieces: Buckets::new(RATE_OF_PIECES),
            by_client,
        })
    }

    /// The secret for the pseudonyms of addresses.
    #[must_use]
    pub const fn address_secret(&self) -> Secret {
        self.address_secret
    }

    /// Admits one more upload.
    ///
    /// # Errors
    /// [`Error::TooFast`] when the address exceeds its rate, [`Error::Busy`] when it has too many running uploads or
    /// the memory is spent.
    pub fn enter(&self, client: Option<Client>) -> Result<Place, Error> {
        self.enter_at(&self.rate, client)
    }

    /// Admits one more upload for an item of a saved or kept beam (H44, H32).
    ///
    /// # Errors
    /// As [`Self::enter`].
    pub fn enter_for_item(&self, client: Option<Client>) -> Result<Place, Error> {
        self.enter_at(&self.rate_of_items, client)
    }

    fn enter_at(&self, rate: &Buckets<Client>, client: Option<Client>) -> Result<Place, Error> {
        if let Some(client) = client {
            rate.take(client, self.clock.steady()).map_err(Error::TooFast)?;
        }
        // The writer keeps the pieces as they come, and a piece of the least size has a whole block.
        let written = self.blobs.writer_bytes() * PIECE_CAPACITY / PIECE;
        self.place(client, WAITING_BYTES + written)
    }

    /// A place of a client, with so many bytes of memory.
    fn place(&self, client: Option<Client>, bytes: usize) -> Result<Place, Error> {
        let of_client = client.map(|client| self.by_client.enter(client).ok_or(Error::Busy));
        let of_client = of_client.transpose()?;
        let memory = self.budget.take(Kind::Uploads, bytes)?;
        Ok(Place { _memory: memory, _of_client: of_client })
    }

    /// What files may take, for others who store something.
    #[must_use]
    pub fn capacity(&self) -> Capacity {
        self.capacity.clone()
    }

    /// Whether the disk has room for files at all, as far as there is one.
    pub async fn has_disk(&self) -> bool {
        self.capacity.has_disk_for(0, self.clock.now()).await.unwrap_or(false)
    }

    /// The room for files of a saved beam, whose owner this is (F13).
    ///
    /// # Errors
    /// [`Error`] when the database cannot be read.
    pub async fn room_of(&self, owner: AccountId) -> Result<FileRoom, Error> {
        let quotas = self.limits.quotas();
        let free = self.storage.free_for_account(owner, quotas, self.clock.now()).await?;
        Ok(FileRoom { largest: free.min(self.limits.file(false)), free })
    }

    /// The room for files of a kept beam, which takes the guests' quotas (F13).
    ///
    /// # Errors
    /// [`Error`] when the database cannot be read.
    pub async fn room_for_guest(
        &self,
        client: Option<Client>,
        beam: BeamId,
    ) -> Result<FileRoom, Error> {
        let (address, quotas) = (self.pseudonym(client), self.limits.quotas());
        let free = self.storage.free_for_guest(beam, address, quotas, self.clock.now()).await?;
        Ok(FileRoom { largest: free.min(self.limits.file(true)), free })
    }

    /// Forgets the addresses whose rate limits are full again.
    pub fn sweep(&self, now: Instant) {
        self.rate.sweep(now);
        self.rate_of_items.sweep(now);
        self.rate_of_pieces.sweep(now);
        self.failures.sweep(now);
    }
}

impl Uploader {
    const fn is_guest(self) -> bool {
        matches!(self, Self::Guest(_) | Self::Kept(..))
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::path::Path;

    use axum::http::HeaderMap;
    use clap::Parser;
    use heliograph_storage::Location;
    use heliograph_storage::blobs;

    use super::*;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        limits: Limits,
    }

    async fn open(folder: &Path) -> Uploads {
        let (storage, _) = Storage::open(&Location::Folder(folder.to_owned())).await.unwrap();
        let blobs = Blobs::open(&blobs::Location::Folder(folder.to_owned())).unwrap();
        let limits = Arguments::parse_from(["heliograph"]).limits;
        let clock = Clock::running(Millis::new(0));
        let staging = Staging::open(&folder.join("staging")).unwrap();
        Uploads::open(limits, storage, blobs, staging, Budget::unlimited(), clock).await.unwrap()
    }

    fn somebody() -> Option<Client> {
        let client = Client::of(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), &HeaderMap::new(), &[]);
        assert!(client.is_some());
        client
    }

    #[tokio::test]
    async fn h44_a_thousand_files_for_items_come_at_once_and_then_one_a_second() {
        let folder = tempfile::tempdir().unwrap();
        let (uploads, client) = (open(folder.path()).await, somebody());
        tokio::time::pause();

        for n in 1..=1_000 {
            assert!(uploads.enter_for_item(client).is_ok(), "{n}");
        }
        assert!(matches!(uploads.enter_for_item(client), Err(Error::TooFast(_))));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(uploads.enter_for_item(client).is_ok());
        assert!(uploads.enter(client).is_ok(), "other uploads have a rate of their own");
    }

    #[tokio::test]
    async fn h46_five_hundred_pieces_come_at_once_and_then_twenty_a_second() {
        let folder = tempfile::tempdir().unwrap();
        let (uploads, client) = (open(folder.path()).await, somebody());
        tokio::time::pause();

        for n in 1..=500 {
            assert!(uploads.enter_with_piece(client).is_ok(), "{n}");
        }
        assert!(matches!(uploads.enter_with_piece(client), Err(Error::TooFast(_))));
        assert!(uploads.enter_with_piece(None).is_ok());
        assert!(uploads.enter_for_item(client).is_ok(), "uploads have a rate of their own");
        tokio::time::advance(Duration::from_secs(1)).await;
        for n in 1..=20 {
            assert!(uploads.enter_with_piece(client).is_ok(), "{n}");
        }
        assert!(matches!(uploads.enter_with_piece(client), Err(Error::TooFast(_))));
    }
}
