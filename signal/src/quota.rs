//! How much may be uploaded; an operator sets it.

use clap::Args;
use heliograph_storage::uploads::{Quotas, Wish};

use crate::size::Size;

/// How much may be uploaded.
#[derive(Clone, Debug, Args)]
pub struct Limits {
    /// Largest file without a login.
    #[arg(long, env = "HELIOGRAPH_GUEST_FILE", default_value = "100MiB")]
    pub guest_file: Size,

    /// Files of one beam that come without a login, together.
    #[arg(long, env = "HELIOGRAPH_GUEST_TOTAL", default_value = "500MiB")]
    pub guest_total: Size,

    /// Files of one address that come without a login, together, whatever their beams.
    #[arg(long, env = "HELIOGRAPH_GUEST_ADDRESS_TOTAL", default_value = "1GiB")]
    pub guest_address_total: Size,

    /// Files of everybody without a login, together.
    #[arg(long, env = "HELIOGRAPH_ALL_GUESTS_TOTAL", default_value = "20GiB")]
    pub all_guests_total: Size,

    /// Largest file with a login.
    #[arg(long, env = "HELIOGRAPH_ACCOUNT_FILE", default_value = "2GiB")]
    pub account_file: Size,

    /// Files of one account, together.
    #[arg(long, env = "HELIOGRAPH_ACCOUNT_TOTAL", default_value = "10GiB")]
    pub account_total: Size,

    /// Files of everybody, together: what a bucket may come to hold.
    #[arg(long, env = "HELIOGRAPH_UPLOADS_TOTAL", default_value = "1TiB")]
    pub uploads_total: Size,

    /// Share of the disk in percent, by whatever it is used, above which no more files are taken.
    #[arg(
        long,
        env = "HELIOGRAPH_DISK_SHARE",
        default_value_t = 80,
        value_parser = clap::value_parser!(u8).range(1..=100)
    )]
    pub disk_share: u8,
}

impl Limits {
    /// Largest file, in bytes, of somebody who is logged in or not.
    #[must_use]
    pub const fn file(&self, is_guest: bool) -> u64 {
        if is_guest { self.guest_file.0 } else { self.account_file.0 }
    }

    /// What to ask for when a file has so many bytes and may need more.
    #[must_use]
    pub fn wish(&self, is_guest: bool, received: u64, ahead: u64) -> Wish {
        let most = received.saturating_add(ahead).min(self.file(is_guest)).max(received);
        Wish { least: received, most, quotas: self.quotas() }
    }

    const fn quotas(&self) -> Quotas {
        Quotas {
            account: self.account_total.0,
            beam: self.guest_total.0,
            address: self.guest_address_total.0,
            guests: self.all_guests_total.0,
            all: self.uploads_total.0,
        }
    }
}
