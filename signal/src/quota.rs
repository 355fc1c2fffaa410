//! Quotas for uploads and notes, as the operator sets them.

use clap::Args;
use heliograph_storage::blobs::{self, Blobs};
use heliograph_storage::quota::Quotas;
use heliograph_storage::uploads::Wish;

use crate::size::Size;

/// Quotas for uploads.
#[derive(Clone, Debug, Args)]
pub struct Limits {
    /// Largest file from a guest.
    #[arg(long, env = "HELIOGRAPH_GUEST_FILE", default_value = "100MiB")]
    pub guest_file: Size,

    /// Total size of guests' files in one beam.
    #[arg(long, env = "HELIOGRAPH_GUEST_TOTAL", default_value = "500MiB")]
    pub guest_total: Size,

    /// Total size of guests' files from one address (IPv6: one /64), in all beams.
    #[arg(long, env = "HELIOGRAPH_GUEST_ADDRESS_TOTAL", default_value = "1GiB")]
    pub guest_address_total: Size,

    /// Total size of all guests' files.
    #[arg(long, env = "HELIOGRAPH_ALL_GUESTS_TOTAL", default_value = "20GiB")]
    pub all_guests_total: Size,

    /// Largest file from an account.
    #[arg(long, env = "HELIOGRAPH_ACCOUNT_FILE", default_value = "2GiB")]
    pub account_file: Size,

    /// Total size of one account's files and notes.
    #[arg(long, env = "HELIOGRAPH_ACCOUNT_TOTAL", default_value = "10GiB")]
    pub account_total: Size,

    /// Total size of all files, on a disk or in a bucket.
    #[arg(long, env = "HELIOGRAPH_UPLOADS_TOTAL", default_value = "1TiB")]
    pub uploads_total: Size,

    /// Refuse uploads while more than this percentage of the disk is used, by anything.
    #[arg(
        long,
        env = "HELIOGRAPH_DISK_SHARE",
        default_value_t = 80,
        value_parser = clap::value_parser!(u8).range(1..=100)
    )]
    pub disk_share: u8,
}

impl Limits {
    /// Size limit of one file, in bytes, for a guest or an account.
    #[must_use]
    pub const fn file(&self, is_guest: bool) -> u64 {
        if is_guest { self.guest_file.0 } else { self.account_file.0 }
    }

    /// What these limits allow, on the disk of these files.
    #[must_use]
    pub const fn capacity(&self, blobs: Blobs) -> Capacity {
        Capacity::new(self.quotas(), self.disk_share, blobs)
    }

    /// The reservation to request for a file of which `received` bytes came and up to `ahead` more may follow.
    #[must_use]
    pub fn wish(&self, is_guest: bool, received: u64, ahead: u64) -> Wish {
        let most = received.saturating_add(ahead).min(self.file(is_guest)).max(received);
        Wish { least: received, most, quotas: self.quotas() }
    }

    /// The quotas of accounts, of guests, and of everybody.
    #[must_use]
    pub const fn quotas(&self) -> Quotas {
        Quotas {
            account: self.account_total.0,
            beam: self.guest_total.0,
            address: self.guest_address_total.0,
            guests: self.all_guests_total.0,
            all: self.uploads_total.0,
        }
    }
}

/// What notes and files may take: the quotas, and a share of the disk. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Capacity {
    quotas: Quotas,
    disk_share: u8,
    blobs: Blobs,
}

impl Capacity {
    /// These quotas, and so many percent of the disk of these files.
    #[must_use]
    pub const fn new(quotas: Quotas, disk_share: u8, blobs: Blobs) -> Self {
        Self { quotas, disk_share, blobs }
    }

    /// The quotas.
    #[must_use]
    pub const fn quotas(&self) -> Quotas {
        self.quotas
    }

    /// Whether the disk stays within its share with so many bytes more. A bucket has no such share.
    ///
    /// # Errors
    /// [`blobs::Error`] when the disk cannot be asked.
    pub async fn has_disk_for(&self, bytes: u64) -> Result<bool, blobs::Error> {
        let share = u64::from(self.disk_share) * 10;
        let fullness = self.blobs.fullness(bytes).await?;
        Ok(fullness.is_none_or(|thousandths| thousandths <= share))
    }
}
