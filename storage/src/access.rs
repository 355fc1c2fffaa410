//! Who may do what in a saved beam.

use std::collections::HashMap;

use heliograph_shared::api::beams::{Level, LinkAccess, Role};
use heliograph_shared::ids::BeamId;

use crate::accounts::AccountId;
use crate::database::{Row, Transaction, args};
use crate::words::Word as _;
use crate::{Error, Storage};

/// Reads an [`Access`] in one statement, so that it is consistent.
const ACCESS: &str = "SELECT b.owner_id, b.name, b.link_access, s.account_id, s.level FROM beams b \
    LEFT JOIN shares s ON s.beam_id = b.id \
    WHERE b.id = $1 AND b.owner_id IS NOT NULL AND b.ended_at IS NULL";

/// The access to a saved beam.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The owner.
    pub owner: AccountId,
    /// The name.
    pub name: String,
    /// The link access.
    pub link_access: LinkAccess,
    /// The accounts with a share, and their levels.
    pub shares: HashMap<AccountId, Level>,
}

impl Access {
    /// The role of an account: a share decides for its account, the link for everybody else (B5).
    #[must_use]
    pub fn role(&self, account: Option<AccountId>) -> Option<Role> {
        self.named_role(account).or_else(|| self.link_access.role())
    }

    /// The role of an account by ownership or share, without the link.
    #[must_use]
    pub fn named_role(&self, account: Option<AccountId>) -> Option<Role> {
        let account = account?;
        let share = || self.shares.get(&account).map(|level| Role::from(*level));
        if account == self.owner { Some(Role::Owner) } else { share() }
    }

    /// Reads the rows of [`ACCESS`]; `None` if the beam is not saved.
    fn read(rows: &[Row]) -> Result<Option<Self>, Error> {
        let Some(first) = rows.first() else { return Ok(None) };
        let mut access = Self {
            owner: AccountId::from_uuid(first.get("owner_id")?),
            name: first.get("name")?,
            link_access: LinkAccess::read(first, "link_access")?,
            shares: HashMap::new(),
        };
        for row in rows {
            if let Some(account) = row.get("account_id")? {
                access.shares.insert(AccountId::from_uuid(account), Level::read(row, "level")?);
            }
        }
        Ok(Some(access))
    }
}

impl Storage {
    /// The access to a beam; `None` if it is not saved.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn access_to(&self, beam: BeamId) -> Result<Option<Access>, Error> {
        Access::read(&self.database.fetch_all(ACCESS, args![beam.uuid()]).await?)
    }
}

/// The access to a beam as this transaction has left it.
pub(crate) async fn access_in(
    transaction: &mut Transaction,
    beam: BeamId,
) -> Result<Option<Access>, Error> {
    Access::read(&transaction.fetch_all(ACCESS, args![beam.uuid()]).await?)
}
