//! The keys of a sealed beam that is saved, as its devices deposit them with the server.

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::ToSchema;

use crate::ids::{DepositProof, DepositedKey, KeyId};
use crate::limits::MAX_DEPOSITED_KEYS;

/// Body of `PUT /api/beams/{beam_id}/keys/`, and answer of `GET` and `PUT` (H52).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
#[serde(try_from = "Unchecked")]
pub struct BeamKeys {
    /// The keys; none where there is no deposit.
    pub keys: Vec<DepositedKey>,
    /// The id of that which seals; null where there is no key.
    pub current: Option<KeyId>,
    /// Shows who has the link that the keys are of its beam; null by a device that does not know it.
    pub proof: Option<DepositProof>,
}

/// The same fields, before they are checked.
#[derive(Deserialize)]
struct Unchecked {
    keys: Vec<DepositedKey>,
    current: Option<KeyId>,
    proof: Option<DepositProof>,
}

impl TryFrom<Unchecked> for BeamKeys {
    type Error = &'static str;

    fn try_from(Unchecked { keys, current, proof }: Unchecked) -> Result<Self, Self::Error> {
        if keys.len() > MAX_DEPOSITED_KEYS || keys.is_empty() != current.is_none() {
            return Err("expected up to 256 keys, and the id of one of them");
        }
        if keys.is_empty() && proof.is_some() {
            return Err("expected no proof of no keys");
        }
        Ok(Self { keys, current, proof })
    }
}
