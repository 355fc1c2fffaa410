//! Quotas for uploads and notes, as the operator sets them.

use std::path::Path;

use clap::Args;
use heliograph_shared::time::Millis;
use heliograph_storage::Storage;
use heliograph_storage::blobs::Blobs;
use heliograph_storage::quota::Quotas;
use heliograph_storage::resumable_uploads::Promised;
use heliograph_storage::uploads::Wish;

use crate::error::Error;
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
    pub const fn capacity(&self, blobs: Blobs, storage: Storage) -> Capacity {
        Capacity::new(self.quotas(), self.disk_share, blobs, storage)
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
    storage: Storage,
    /// Whether uploads in pieces are collected on another disk, and copied to that of the files.
    is_copied: bool,
}

impl Capacity {
    /// These quotas, and so many percent of the disk of these files.
    #[must_use]
    pub const fn new(quotas: Quotas, disk_share: u8, blobs: Blobs, storage: Storage) -> Self {
        Self { quotas, disk_share, blobs, storage, is_copied: false }
    }

    /// The same, where the pieces of uploads are collected in this folder.
    #[must_use]
    pub fn collecting_in(self, staging: &Path) -> Self {
        Self { is_copied: !self.blobs.adopts_from(staging), ..self }
    }

    /// The quotas.
    #[must_use]
    pub const fn quotas(&self) -> Quotas {
        self.quotas
    }

    /// Whether the disk stays within its share with so many bytes more, beside those that uploads in pieces were promised.
    /// A bucket has no such share.
    ///
    /// # Errors
    /// [`Error`] when the disk or the database cannot be asked.
    pub async fn has_disk_for(&self, bytes: u64, now: Millis) -> Result<bool, Error> {
        let Promised { missing, whole } = self.storage.promised_room(now).await?;
        let promised = if self.is_copied { whole } else { missing };
        self.has_disk_for_promised(bytes.saturating_add(promised)).await
    }

    /// Whether the disk stays within its share with so many bytes more, which were promised to whoever sends them.
    ///
    /// # Errors
    /// [`Error`] when the disk cannot be asked.
    pub async fn has_disk_for_promised(&self, bytes: u64) -> Result<bool, Error> {
        let fullness = self.blobs.fullness(bytes).await?;
        Ok(fullness.is_none_or(|thousandths| self.is_within(thousandths)))
    }

    /// Whether a disk of which so many thousandths are used is within its share.
    #[must_use]
    pub fn is_within(&self, thousandths: u64) -> bool {
        thousandths <= u64::from(self.disk_share) * 10
    }
}
