//! Files that people leave on the server for a while: how they come in (H40).

mod receiving;

use std::sync::Arc;
use std::time::Duration;

use heliograph_shared::ids::BeamId;
use heliograph_storage::Storage;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::blobs::Blobs;
use heliograph_storage::secrets::Secret;
use tokio::time::Instant;

use crate::address::Client;
use crate::budget::{Budget, Kind, Share};
use crate::clock::Clock;
use crate::error::Error;
use crate::limit::{Buckets, Counted, Counts, Rate};
use crate::quota::Limits;
use crate::random;

/// Uploads of one address: a person shares a folder of pictures.
const RATE: Rate = Rate { burst: 120, every: Duration::from_secs(30) };
/// Uploads of one address at a time.
const AT_ONCE_PER_CLIENT: usize = 8;
/// The secret by which an address gets its name in the tables.
const ADDRESS_SECRET: &str = "upload addresses";

/// Takes files in.
#[derive(Debug)]
pub struct Uploads {
    limits: Limits,
    storage: Storage,
    blobs: Blobs,
    clock: Clock,
    budget: Arc<Budget>,
    address_secret: Secret,
    rate: Buckets<Client>,
    by_client: Counts<Client>,
}

/// An upload that may go on as long as this lives.
#[derive(Debug)]
pub struct Place {
    _memory: Share,
    _of_client: Option<Counted<Client>>,
}

/// Whose upload it is.
#[derive(Clone, Copy, Debug)]
pub enum Uploader {
    /// Somebody who is logged in.
    Account(AccountId),
    /// Somebody who is not, at an address that is counted or not ([`Client::of`]).
    Guest(Option<Client>),
}

/// An upload that is let in.
#[derive(Debug)]
pub struct Receiving {
    /// Whose it is.
    pub uploader: Uploader,
    /// With which beam it ends.
    pub beam: Option<BeamId>,
    /// Held until it ends.
    pub place: Place,
}

impl Uploads {
    /// Nothing is under way yet.
    ///
    /// # Errors
    /// [`Error`] when the tables or the system's randomness fail.
    pub async fn open(
        limits: Limits,
        storage: Storage,
        blobs: Blobs,
        budget: Arc<Budget>,
        clock: Clock,
    ) -> Result<Self, Error> {
        let address_secret = storage.secret(ADDRESS_SECRET, Secret::new(random::bytes()?)).await?;
        let (rate, by_client) = (Buckets::new(RATE), Counts::new(AT_ONCE_PER_CLIENT));
        Ok(Self { limits, storage, blobs, clock, budget, address_secret, rate, by_client })
    }

    /// A place for one more upload.
    ///
    /// # Errors
    /// [`Error::TooFast`] when this address has had enough, [`Error::Busy`] when it has as many under way as it may, or
    /// when there is no memory for one more.
    pub fn enter(&self, client: Option<Client>) -> Result<Place, Error> {
        if let Some(client) = client {
            self.rate.take(client, self.clock.steady()).map_err(Error::TooFast)?;
        }
        let of_client = client.map(|client| self.by_client.enter(client).ok_or(Error::Busy));
        let of_client = of_client.transpose()?;
        let memory = self.budget.take(Kind::Uploads, self.blobs.writer_bytes())?;
        Ok(Place { _memory: memory, _of_client: of_client })
    }

    /// Forgets what need not be remembered.
    pub fn sweep(&self, now: Instant) {
        self.rate.sweep(now);
    }
}

impl Uploader {
    const fn is_guest(self) -> bool {
        matches!(self, Self::Guest(_))
    }
}
