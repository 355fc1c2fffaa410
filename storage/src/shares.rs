//! Shares: named people and what they may do in a saved beam.

use heliograph_shared::api::beams::{BeamShare, Level, Role};
use heliograph_shared::ids::{BeamId, ShareId};
use heliograph_shared::names::Username;
use uuid::Uuid;

use crate::accounts::{Account, AccountId};
use crate::database::{Row, Transaction, args};
use crate::saved_beams::{beam_columns, owner_columns, read_beam, role_in};
use crate::words::Word as _;
use crate::{Error, Storage};

/// Why a beam is not shared with a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unshareable {
    /// There is nobody of that name.
    Nobody,
    /// It is theirs.
    Owner,
    /// They have a share already.
    Shared,
}

/// A beam that somebody shared with an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The share, as its giver sees it.
    pub share: BeamShare,
    /// Whose beam it is.
    pub owner: Account,
}

const SELECT_SHARE: &str = concat!(
    "SELECT s.id AS share_id, s.level, s.account_id, a.username, ",
    beam_columns!(),
    " FROM shares s JOIN beams b ON b.id = s.beam_id JOIN accounts a ON a.id = s.account_id WHERE s.id = $1"
);

fn read_share(row: &Row) -> Result<BeamShare, Error> {
    Ok(BeamShare {
        id: ShareId::from_uuid(row.get("share_id")?),
        beam: read_beam(row)?,
        shared_with: row.get("username")?,
        share_type: Level::read(row, "level")?,
    })
}

impl Storage {
    /// Shares a beam with a person, by a username in any case.
    ///
    /// # Errors
    /// [`Error::Invisible`], [`Error::LevelTooLow`], [`Error::Unshareable`].
    pub async fn create_share(
        &self,
        actor: AccountId,
        id: ShareId,
        beam: BeamId,
        username: &str,
        level: Level,
        now: i64,
    ) -> Result<BeamShare, Error> {
        let mut transaction = self.database.begin().await?;
        let role = role_in(&mut transaction, beam, actor).await?;
        if !role.may_grant(level) {
            return Err(Error::LevelTooLow);
        }
        let account = find_account(&mut transaction, username).await?;
        let account = account.ok_or(Error::Unshareable(Unshareable::Nobody))?;
        if role_in(&mut transaction, beam, account).await.is_ok_and(|role| role == Role::Owner) {
            return Err(Error::Unshareable(Unshareable::Owner));
        }
        let insert = "INSERT INTO shares (id, beam_id, account_id, level, created_at) \
                      VALUES ($1, $2, $3, $4, $5) ON CONFLICT (beam_id, account_id) DO NOTHING";
        let values = args![id.uuid(), beam.uuid(), account.uuid(), level.word(), now];
        if transaction.execute(insert, values).await? == 0 {
            return Err(Error::Unshareable(Unshareable::Shared));
        }
        let row = transaction.fetch_optional(SELECT_SHARE, args![id.uuid()]).await?;
        let share = read_share(&row.ok_or(Error::Missing)?)?;
        transaction.commit().await?;
        Ok(share)
    }

    /// Changes the level of a share.
    ///
    /// # Errors
    /// [`Error::Invisible`], [`Error::LevelTooLow`].
    pub async fn change_share(
        &self,
        actor: AccountId,
        id: ShareId,
        level: Level,
    ) -> Result<BeamShare, Error> {
        let mut transaction = self.database.begin().await?;
        let (mut share, _) = find_share(&mut transaction, id).await?;
        let role = role_in(&mut transaction, share.beam.beam_id, actor).await?;
        if !(role.may_grant(share.share_type) && role.may_grant(level)) {
            return Err(Error::LevelTooLow);
        }
        let update = "UPDATE shares SET level = $2 WHERE id = $1";
        transaction.execute(update, args![id.uuid(), level.word()]).await?;
        transaction.commit().await?;
        share.share_type = level;
        Ok(share)
    }

    /// Takes a share away, or leaves a beam by one's own, and says which beam it was.
    ///
    /// # Errors
    /// [`Error::Invisible`], [`Error::LevelTooLow`].
    pub async fn delete_share(&self, actor: AccountId, id: ShareId) -> Result<BeamId, Error> {
        let mut transaction = self.database.begin().await?;
        let (share, recipient) = find_share(&mut transaction, id).await?;
        let beam = share.beam.beam_id;
        let role = role_in(&mut transaction, beam, actor).await?;
        if recipient != actor && !role.may_grant(share.share_type) {
            return Err(Error::LevelTooLow);
        }
        transaction.execute("DELETE FROM shares WHERE id = $1", args![id.uuid()]).await?;
        transaction.commit().await?;
        Ok(beam)
    }

    /// The shares of one beam, oldest first.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn shares_of_beam(&self, beam: BeamId) -> Result<Vec<BeamShare>, Error> {
        let select = concat!(
            "SELECT s.id AS share_id, s.level, a.username, ",
            beam_columns!(),
            " FROM shares s JOIN beams b ON b.id = s.beam_id JOIN accounts a ON a.id = s.account_id \
             WHERE s.beam_id = $1 ORDER BY s.created_at, s.id"
        );
        let rows = self.database.fetch_all(select, args![beam.uuid()]).await?;
        rows.iter().map(read_share).collect()
    }

    /// The shares of an account's own beams, newest first.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn shares_by(&self, owner: AccountId) -> Result<Vec<BeamShare>, Error> {
        let select = concat!(
            "SELECT s.id AS share_id, s.level, a.username, ",
            beam_columns!(),
            " FROM shares s JOIN beams b ON b.id = s.beam_id JOIN accounts a ON a.id = s.account_id \
             WHERE b.owner_id = $1 ORDER BY s.created_at DESC, s.id"
        );
        let rows = self.database.fetch_all(select, args![owner.uuid()]).await?;
        rows.iter().map(read_share).collect()
    }

    /// The beams that others shared with an account, newest share first.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn shares_with(&self, account: AccountId) -> Result<Vec<Received>, Error> {
        let select = concat!(
            "SELECT s.id AS share_id, s.level, a.username, ",
            owner_columns!(),
            ", ",
            beam_columns!(),
            " FROM shares s JOIN beams b ON b.id = s.beam_id JOIN accounts a ON a.id = s.account_id \
             JOIN accounts o ON o.id = b.owner_id WHERE s.account_id = $1 ORDER BY s.created_at DESC, s.id"
        );
        let rows = self.database.fetch_all(select, args![account.uuid()]).await?;
        let read = |row: &Row| {
            Ok(Received { share: read_share(row)?, owner: Account::read_as("owner_", row)? })
        };
        rows.iter().map(read).collect()
    }
}

async fn find_account(
    transaction: &mut Transaction,
    username: &str,
) -> Result<Option<AccountId>, Error> {
    // What is no username is nobody's, and may be no text that Postgres takes.
    let Ok(username) = Username::parse(username) else { return Ok(None) };
    let select = "SELECT id FROM accounts WHERE username_key = $1";
    let row = transaction.fetch_optional(select, args![username.key()]).await?;
    row.map(|row| row.get::<Uuid>("id").map(AccountId::from_uuid)).transpose()
}

async fn find_share(
    transaction: &mut Transaction,
    id: ShareId,
) -> Result<(BeamShare, AccountId), Error> {
    let row = transaction.fetch_optional(SELECT_SHARE, args![id.uuid()]).await?;
    let row = row.ok_or(Error::Invisible)?;
    Ok((read_share(&row)?, AccountId::from_uuid(row.get("account_id")?)))
}
