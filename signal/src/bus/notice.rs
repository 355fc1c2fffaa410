//! What the nodes of a server tell each other: each of them keeps in memory what another may change.

use heliograph_shared::ids::BeamId;
use heliograph_shared::socket::DeviceUser;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::sessions::SessionId;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::limits::Taken;

/// Something that has happened, and is stored if it is to last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Notice {
    /// Sessions have ended: nothing remembers them, and their sockets close (S27).
    SessionsEnded(#[serde(with = "sessions")] Vec<SessionId>),
    /// All sessions of an account have ended.
    AccountEnded(#[serde(with = "account")] AccountId),
    /// An account has changed: what is remembered of its sessions is out of date.
    AccountChanged(#[serde(with = "account")] AccountId),
    /// The devices of an account are shown in another way (S6).
    UserChanged(#[serde(with = "account")] AccountId, DeviceUser),
    /// A password was tried. Says for whom, as the throttle writes it.
    Tried(String),
    /// The password could not be looked at: that try counts for nothing.
    TryTakenBack(String),
    /// The password was right: earlier tries for the same count no more.
    TriesForgotten(String),
    /// So much was taken of the limits.
    Taken(Vec<Taken>),
    /// Something of a beam has changed. It concerns the node that drives it.
    Beam(BeamId, News),
}

impl Notice {
    /// Whether a node that was not told finds it in the database. What the nodes only count is nowhere else.
    #[must_use]
    pub const fn is_of_what_is_stored(&self) -> bool {
        !matches!(
            self,
            Self::Tried(_) | Self::TryTakenBack(_) | Self::TriesForgotten(_) | Self::Taken(_)
        )
    }
}

/// What the devices of a beam are told of, or the beam is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum News {
    /// Its access, name, id or existence have changed (H31).
    Access,
    /// The keys that lie with it have changed (S38).
    Keys,
    /// What is not stored yet is to be stored.
    Store,
}

mod account {
    use serde::{Deserializer, Serializer};

    use super::{AccountId, Deserialize as _, Serialize as _, Uuid};

    pub fn serialize<S: Serializer>(account: &AccountId, to: S) -> Result<S::Ok, S::Error> {
        account.uuid().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<AccountId, D::Error> {
        Uuid::deserialize(from).map(AccountId::from_uuid)
    }
}

mod sessions {
    use serde::{Deserializer, Serializer};

    use super::{Deserialize as _, SessionId, Uuid};

    pub fn serialize<S: Serializer>(sessions: &[SessionId], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(sessions.iter().map(|session| session.uuid()))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<SessionId>, D::Error> {
        let ids = Vec::<Uuid>::deserialize(from)?;
        Ok(ids.into_iter().map(SessionId::from_uuid).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_arrives_as_it_was_sent() {
        let account = AccountId::from_random([1; 16]);
        let sessions = [2, 3].map(|n| SessionId::from_random([n; 16]));
        for notice in [
            Notice::SessionsEnded(sessions.to_vec()),
            Notice::AccountEnded(account),
            Notice::AccountChanged(account),
            Notice::UserChanged(account, DeviceUser::default()),
            Notice::Tried("a".to_owned()),
            Notice::TryTakenBack("a".to_owned()),
            Notice::TriesForgotten("a".to_owned()),
            Notice::Beam(BeamId::from_random([4; 16]), News::Access),
        ] {
            let text = serde_json::to_string(&notice).unwrap();
            assert_eq!(serde_json::from_str::<Notice>(&text).unwrap(), notice);
        }
    }
}
