//! What a saved or kept beam knows of the items that its tables lack (S11, S28).

use serde::{Deserialize, Serialize};

/// Is stored with the beam, so that a later memory calls nothing deleted that only lives on devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// The last number that may be missing although nobody deleted it: dropped for lack of room, or of a lost memory.
    pub let_go: u64,
    /// Ranges up to there, both ends included, of which the tables have everything that was not deleted.
    pub known: Vec<(u64, u64)>,
}
