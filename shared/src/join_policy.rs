//! Who comes into a sealed beam without its link.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How devices without the link are let into a sealed beam (E13). It only ever asks more of people than they have chosen: there is
/// none by which the server could let devices in unasked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum JoinPolicy {
    /// The first one comes in at once, and a person lets in each later one.
    #[default]
    Ask,
    /// A person lets in each one, once the pictures were compared.
    Verify,
}

impl JoinPolicy {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl FromStr for JoinPolicy {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "ask" => Ok(Self::Ask),
            "verify" => Ok(Self::Verify),
            _ => Err("expected ask or verify"),
        }
    }
}
