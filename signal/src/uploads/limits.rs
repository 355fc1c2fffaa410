//! How much may be uploaded; an operator sets it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use heliograph_storage::uploads::Wish;

use super::Uploader;

/// Longest life of a file of somebody who is not logged in.
pub const GUEST_LIFETIME: Duration = Duration::from_hours(24);

/// How much may be uploaded.
#[derive(Clone, Debug, Args)]
pub struct Limits {
    /// Largest file without a login.
    #[arg(long, env = "HELIOGRAPH_GUEST_FILE", default_value = "100MiB")]
    pub guest_file: Size,

    /// Files of one beam that come without a login, together.
    #[arg(long, env = "HELIOGRAPH_GUEST_TOTAL", default_value = "500MiB")]
    pub guest_total: Size,

    /// Largest file with a login.
    #[arg(long, env = "HELIOGRAPH_ACCOUNT_FILE", default_value = "2GiB")]
    pub account_file: Size,

    /// Files of one account, together.
    #[arg(long, env = "HELIOGRAPH_ACCOUNT_TOTAL", default_value = "10GiB")]
    pub account_total: Size,

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
    /// Largest file of this uploader, in bytes.
    #[must_use]
    pub const fn file(&self, uploader: Uploader) -> u64 {
        if uploader.0.is_some() { self.account_file.0 } else { self.guest_file.0 }
    }

    /// What to ask for when a file has so many bytes and may need more.
    #[must_use]
    pub fn wish(&self, uploader: Uploader, received: u64, ahead: u64) -> Wish {
        let quota = if uploader.0.is_some() { self.account_total.0 } else { self.guest_total.0 };
        let most = received.saturating_add(ahead).min(self.file(uploader)).max(received);
        Wish { least: received, most, quota }
    }
}

/// A number of bytes: `5000`, `64KiB`, `100MiB`, `2GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Size {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit: u64 = match &text[digits.len()..] {
            "" => 1,
            "KiB" => 1 << 10,
            "MiB" => 1 << 20,
            "GiB" => 1 << 30,
            "TiB" => 1 << 40,
            _ => return Err("expected bytes, or a number of KiB, MiB, GiB or TiB"),
        };
        let count: u64 = digits.parse().map_err(|_| "expected a number, such as 100MiB")?;
        count
            .checked_mul(unit)
            .filter(|size| i64::try_from(*size).is_ok())
            .map(Self)
            .ok_or("too much")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_with_or_without_a_unit() {
        assert_eq!("5000".parse(), Ok(Size(5000)));
        assert_eq!("100MiB".parse(), Ok(Size(104_857_600)));
        assert_eq!("2GiB".parse(), Ok(Size(2_147_483_648)));
        for wrong in ["", "MiB", "1MB", "-1", "1.5GiB", "99999999999TiB"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }
}
