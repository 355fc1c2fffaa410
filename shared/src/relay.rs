//! Where files between devices go through the server.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where devices send files to each other through the server (R6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RelayUse {
    /// Where no direct way opens, and beside a direct way that is very slow.
    #[default]
    Fallback,
    /// Beside every direct way to which it adds much.
    Boost,
    /// Nowhere.
    Off,
}

impl RelayUse {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl FromStr for RelayUse {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "fallback" => Ok(Self::Fallback),
            "boost" => Ok(Self::Boost),
            "off" => Ok(Self::Off),
            _ => Err("expected fallback, boost or off"),
        }
    }
}
