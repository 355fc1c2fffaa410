//! Shares: the access of named users to saved beams.

use heliograph_shared::api::beams::{Beam, Level, Role};
use heliograph_shared::ids::{BeamId, ShareId};
use heliograph_shared::limits::MAX_SHARES;
use heliograph_shared::names::Username;
use heliograph_shared::time::Millis;
use uuid::Uuid;

use crate::access::Access;
use crate::accounts::{Account, AccountId, account_columns};
use crate::beam_writer::{BeamWriter, Locked};
use crate::database::{Row, Transaction, args};
use crate::saved_beams::{beam_columns, read_beam, role_in};
use crate::sealed_keys::count_key_bytes;
use crate::upload_endings::end_uploads_without_right;
use crate::words::Word as _;
use crate::{Error, Storage, Unshareable};

/// A share of a beam.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The share's id.
    pub id: ShareId,
    /// The beam.
    pub beam: Beam,
    /// The user with whom the beam is shared.
    pub recipient: Account,
    /// The recipient's level.
    pub level: Level,
}

/// A share as its recipient sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The share.
    pub share: Share,
    /// The owner of the beam.
    pub owner: Account,
}

/// Selects shares with their beams and recipients.
macro_rules! select_shares {
    ($columns:literal, $rest:literal) => {
        concat!(
            "SELECT s.id AS share_id, s.level, ",
            account_columns!("a", "recipient_"),
            ", ",
            $columns,
            beam_columns!(),
            " FROM shares s JOIN beams b ON b.id = s.beam_id JOIN accounts a ON a.id = s.account_id ",
            $rest
        )
    };
}

fn read_share(row: &Row) -> Result<Share, Error> {
    Ok(Share {
        id: ShareId::from_uuid(row.get("share_id")?),
        beam: read_beam(row)?,
        recipient: Account::read_as("recipient_", row)?,
        level: Level::read(row, "level")?,
    })
}

impl BeamWriter {
    /// Shares a beam with a user. The username is matched without case.
    ///
    /// # Errors
    /// [`Error::Invisible`], [`Error::LevelTooLow`], [`Error::Unshareable`], [`Error::Uncertain`].
    pub async fn create_share(
        &self,
        actor: AccountId,
        id: ShareId,
        beam: BeamId,
        username: &str,
        level: Level,
        now: Millis,
    ) -> Result<Share, Error> {
        let (mut transaction, locked) = self.begin(beam).await?;
        let role = role_in(&mut transaction, locked, actor).await?;
        if !role.may_grant(level) {
            return Err(Error::LevelTooLow);
        }
        let account = find_account(&mut transaction, username).await?;
        let account = account.ok_or(Error::Unshareable(Unshareable::Nobody))?;
        if role_in(&mut transaction, locked, account).await.is_ok_and(|role| role == Role::Owner) {
            return Err(Error::Unshareable(Unshareable::Owner));
        }
        let insert = "INSERT INTO shares (id, beam_id, account_id, level, created_at) \
                      VALUES ($1, $2, $3, $4, $5) ON CONFLICT (beam_id, account_id) DO NOTHING";
        let values = args![id.uuid(), beam.uuid(), account.uuid(), level.word(), now];
        if transaction.execute(insert, values).await? == 0 {
            return Err(Error::Unshareable(Unshareable::Shared));
        }
        if count_shares(&mut transaction, locked).await? > MAX_SHARES as u64 {
            return Err(Error::Unshareable(Unshareable::TooMany));
        }
        let share = find_share(&mut transaction, locked, id).await?;
        // A share to read takes from its recipient what the link gives to everybody.
        end_uploads_without_right(&mut transaction, locked, Access::role).await?;
        transaction.commit().await?;
        Ok(share)
    }

    /// Changes the level of a share of this beam.
    ///
    /// # Errors
    /// [`Error::Invisible`], [`Error::LevelTooLow`], [`Error::Uncertain`].
    pub async fn change_share(
        &self,
        actor: AccountId,
        beam: BeamId,
        id: ShareId,
        level: Level,
    ) -> Result<Share, Error> {
        let (mut transaction, locked) = self.begin(beam).await?;
        let share = find_share(&mut transaction, locked, id).await?;
        let role = role_in(&mut transaction, locked, actor).await?;
        if !(role.may_grant(share.level) && role.may_grant(level)) {
            return Err(Error::LevelTooLow);
        }
        let update = "UPDATE shares SET level = $2 WHERE id = $1";
        transaction.execute(update, args![id.uuid(), level.word()]).await?;
        end_uploads_without_right(&mut transaction, locked, Access::role).await?;
        transaction.commit().await?;
        Ok(Share { level, ..share })
    }

    /// Removes a share of this beam. Its recipient may remove it too, to leave the beam.
    ///
    /// # Errors
    /// [`Error::Invisible`], [`Error::LevelTooLow`], [`Error::Uncertain`].
    pub async fn delete_share(
        &self,
        actor: AccountId,
        beam: BeamId,
        id: ShareId,
    ) -> Result<(), Error> {
        let (mut transaction, locked) = self.begin(beam).await?;
        let share = find_share(&mut transaction, locked, id).await?;
        let role = role_in(&mut transaction, locked, actor).await?;
        if share.recipient.id != actor && !role.may_grant(share.level) {
            return Err(Error::LevelTooLow);
        }
        transaction.execute("DELETE FROM shares WHERE id = $1", args![id.uuid()]).await?;
        // A share that is made later is of the keys of then.
        let forget = "DELETE FROM sealed_keys WHERE beam_id = $1 AND account_id = $2";
        transaction.execute(forget, args![beam.uuid(), share.recipient.id.uuid()]).await?;
        count_key_bytes(&mut transaction, locked).await?;
        end_uploads_without_right(&mut transaction, locked, Access::role).await?;
        transaction.commit().await
    }
}

impl Storage {
    /// The beam of a share. It changes when the beam is renewed.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn beam_of_share(&self, id: ShareId) -> Result<Option<BeamId>, Error> {
        let select = "SELECT beam_id FROM shares WHERE id = $1";
        let row = self.database.fetch_optional(select, args![id.uuid()]).await?;
        row.map(|row| BeamId::from_uuid(row.get("beam_id")?).ok_or(Error::Corrupt)).transpose()
    }

    /// The shares of one beam, oldest first.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn shares_of_beam(&self, beam: BeamId) -> Result<Vec<Share>, Error> {
        let select = select_shares!("", "WHERE s.beam_id = $1 ORDER BY s.created_at, s.id");
        let rows = self.database.fetch_all(select, args![beam.uuid()]).await?;
        rows.iter().map(read_share).collect()
    }

    /// The shares of an account's own beams, newest first.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn shares_by(&self, owner: AccountId) -> Result<Vec<Share>, Error> {
        let select = select_shares!("", "WHERE b.owner_id = $1 ORDER BY s.created_at DESC, s.id");
        let rows = self.database.fetch_all(select, args![owner.uuid()]).await?;
        rows.iter().map(read_share).collect()
    }

    /// The beams that others share with an account, newest share first.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn shares_with(&self, account: AccountId) -> Result<Vec<Received>, Error> {
        let select = concat!(
            "SELECT r.*, ",
            account_columns!("o", "owner_"),
            " FROM (",
            select_shares!(
                "b.owner_id AS beam_owner_id, s.created_at AS share_created_at, ",
                "WHERE s.account_id = $1"
            ),
            ") r JOIN accounts o ON o.id = r.beam_owner_id ORDER BY r.share_created_at DESC, r.share_id"
        );
        let rows = self.database.fetch_all(select, args![account.uuid()]).await?;
        let read = |row: &Row| {
            Ok(Received { share: read_share(row)?, owner: Account::read_as("owner_", row)? })
        };
        rows.iter().map(read).collect()
    }
}

async fn count_shares(transaction: &mut Transaction, beam: Locked) -> Result<u64, Error> {
    let select = "SELECT COUNT(*) AS shares FROM shares WHERE beam_id = $1";
    let row = transaction.fetch_optional(select, args![beam.beam().uuid()]).await?;
    row.map_or(Ok(0), |row| row.number("shares"))
}

async fn find_account(
    transaction: &mut Transaction,
    username: &str,
) -> Result<Option<AccountId>, Error> {
    // An invalid username has no account, and may contain bytes that Postgres rejects.
    let Ok(username) = Username::parse(username) else { return Ok(None) };
    let select = "SELECT id FROM accounts WHERE username_key = $1";
    let row = transaction.fetch_optional(select, args![username.key()]).await?;
    row.map(|row| row.get::<Uuid>("id").map(AccountId::from_uuid)).transpose()
}

async fn find_share(
    transaction: &mut Transaction,
    beam: Locked,
    id: ShareId,
) -> Result<Share, Error> {
    let select = select_shares!("", "WHERE s.id = $1 AND s.beam_id = $2");
    let row = transaction.fetch_optional(select, args![id.uuid(), beam.beam().uuid()]).await?;
    read_share(&row.ok_or(Error::Invisible)?)
}
