//! Files that people leave on the server for a while: how they come in (H40).

mod limits;
mod piecewise;
mod receiving;

use std::sync::Arc;

use heliograph_storage::accounts::AccountId;
use tokio::sync::Semaphore;

use crate::address::Client;
use crate::app::App;
use crate::error::Error;
use crate::limit::{Buckets, Counts, Rate};

pub use limits::{Limits, Size};
pub use piecewise::piecewise;
pub use receiving::{Receiving, receive};

/// Uploads of one address: a person shares a folder of pictures.
const RATE: Rate = Rate { burst: 120, every: std::time::Duration::from_secs(30) };
/// Uploads of one address at a time.
const AT_ONCE_PER_CLIENT: usize = 8;
/// Uploads at a time; towards a bucket each may hold 15 MiB.
const AT_ONCE: usize = 32;

/// What uploads have in common.
#[derive(Debug)]
pub struct Uploads {
    /// How large they may be.
    pub limits: Limits,
    rate: Buckets<Client>,
    by_client: Counts<Client>,
    places: Arc<Semaphore>,
}

/// An upload that may go on as long as this lives.
pub struct Place {
    _global: tokio::sync::OwnedSemaphorePermit,
    _of_client: Option<crate::limit::Counted<Client>>,
}

/// Whose upload it is.
#[derive(Clone, Copy, Debug)]
pub struct Uploader(pub Option<AccountId>);

impl Uploads {
    /// Nothing is under way yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            rate: Buckets::new(RATE),
            by_client: Counts::new(AT_ONCE_PER_CLIENT),
            places: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// A place for one more upload.
    ///
    /// # Errors
    /// [`Error::TooFast`] when this address has had enough, [`Error::Busy`] when all places are taken.
    pub fn enter(&self, app: &App, client: Option<Client>) -> Result<Place, Error> {
        if let Some(client) = client {
            self.rate.take(client, app.clock.steady()).map_err(Error::TooFast)?;
        }
        let of_client = client.map(|client| self.by_client.enter(client).ok_or(Error::Busy));
        let global = self.places.clone().try_acquire_owned().map_err(|_| Error::Busy)?;
        Ok(Place { _global: global, _of_client: of_client.transpose()? })
    }

    /// Forgets what need not be remembered.
    pub fn sweep(&self, now: tokio::time::Instant) {
        self.rate.sweep(now);
    }
}
