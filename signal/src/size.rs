//! Sizes in bytes, as an operator writes them.

use std::fmt;
use std::str::FromStr;

/// A number of bytes, written as `5000`, `64KiB`, `100MiB`, `2GiB` or `1TiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl Size {
    /// The size as a `usize`, `usize::MAX` where it does not fit.
    #[must_use]
    pub fn in_memory(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

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
            .ok_or("too large")
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
