//! The shared arrangement: where the items of a beam lie, the same for everybody (S35).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::{DeviceId, ItemId};

/// A change of the shared arrangement (S35).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Arrange {
    /// Turns it on or off; null leaves it as it is.
    #[serde(default)]
    pub shared: Option<bool>,
    /// New places.
    #[serde(default)]
    pub places: Vec<Placed>,
}

/// The place of an item on the canvas: its upper left corner, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Placed {
    /// The item.
    pub id: ItemId,
    /// From the left.
    pub x: i32,
    /// From the top.
    pub y: i32,
}

/// News of the shared arrangement (S35).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Arranged {
    /// Whether it is on.
    pub shared: bool,
    /// New places.
    pub places: Vec<Placed>,
    /// The device that made the change; null for the arrangement as a device finds it when it joins.
    pub from: Option<DeviceId>,
}
