//! Saved beams: kept in an account under a name until they are deleted.

use heliograph_shared::api::beams::{Beam, Level, LinkAccess, Role};
use heliograph_shared::ids::{BeamId, DeviceId};
use heliograph_shared::names::BeamName;
use heliograph_shared::socket::Placed;
use heliograph_shared::time::Millis;

pub use crate::access::Access;
use crate::accounts::{Account, AccountId, account_columns};
use crate::arrangements::place_notes;
use crate::beam_writer::{BeamWriter, Locked};
use crate::database::{Row, Transaction, args};
use crate::notes::{NewNote, Quota, adopt_unfinished_uploads, insert_notes, lock_authors};
use crate::quota::{lock_account, take_turn};
use crate::upload_endings::{
    bury_uploads_of_beam, end_uploads_without_right, lock_uploads_of_beam,
};
use crate::words::Word;
use crate::{Error, Storage};

/// Columns of a [`Beam`], from the table `b`.
macro_rules! beam_columns {
    () => {
        "b.id AS beam_id, b.name, b.created_at, b.link_access"
    };
}
pub(crate) use beam_columns;

/// Reads [`beam_columns`].
pub(crate) fn read_beam(row: &Row) -> Result<Beam, Error> {
    Ok(Beam {
        beam_id: BeamId::from_uuid(row.get("beam_id")?).ok_or(Error::Corrupt)?,
        beam_name: row.get("name")?,
        created_at: row.time("created_at")?,
        link_access: LinkAccess::read(row, "link_access")?,
    })
}

/// The role of an account in a saved beam by ownership or share, without the link. It stays valid until the end of the
/// transaction, because the beam is locked.
pub(crate) async fn role_in(
    transaction: &mut Transaction,
    beam: Locked,
    account: AccountId,
) -> Result<Role, Error> {
    let select = "SELECT b.owner_id, s.level FROM beams b \
                  LEFT JOIN shares s ON s.beam_id = b.id AND s.account_id = $2 \
                  WHERE b.id = $1 AND b.owner_id IS NOT NULL AND (b.owner_id = $2 OR s.level IS NOT NULL)";
    let values = args![beam.beam().uuid(), account.uuid()];
    let row = transaction.fetch_optional(select, values).await?.ok_or(Error::Invisible)?;
    if AccountId::from_uuid(row.get("owner_id")?) == account {
        return Ok(Role::Owner);
    }
    Ok(Level::read(&row, "level")?.into())
}

/// Fails unless the account may manage the beam.
pub(crate) async fn require_manager(
    transaction: &mut Transaction,
    beam: Locked,
    account: AccountId,
) -> Result<Role, Error> {
    let role = role_in(transaction, beam, account).await?;
    if role.may_manage() { Ok(role) } else { Err(Error::LevelTooLow) }
}

impl Storage {
    /// A number that grows with every change of a list from [`Self::beams_of`]. A list that was read after the number
    /// is current as long as the number stays the same.
    #[must_use]
    pub fn revision_of_beam_lists(&self) -> u64 {
        self.beam_lists.number()
    }

    /// An account's own beams, newest first.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn beams_of(&self, owner: AccountId) -> Result<Vec<Beam>, Error> {
        let select = concat!(
            "SELECT ",
            beam_columns!(),
            " FROM beams b WHERE b.owner_id = $1 ORDER BY b.created_at DESC, b.id"
        );
        let rows = self.database.fetch_all(select, args![owner.uuid()]).await?;
        rows.iter().map(read_beam).collect()
    }

    /// A beam, its owner, and the account's role in it. The beam is also found by an id that it had before its link was
    /// renewed, because the account's access does not depend on the link.
    ///
    /// # Errors
    /// [`Error::Invisible`].
    pub async fn beam_seen_by(
        &self,
        account: AccountId,
        beam: BeamId,
    ) -> Result<(Beam, Account, Role), Error> {
        let select = concat!(
            "SELECT s.level, ",
            beam_columns!(),
            ", ",
            account_columns!("o", "owner_"),
            " FROM beams b JOIN accounts o ON o.id = b.owner_id \
             LEFT JOIN shares s ON s.beam_id = b.id AND s.account_id = $2 \
             WHERE b.id = COALESCE((SELECT renewed_as FROM beams WHERE id = $1), $1) \
             AND (b.owner_id = $2 OR s.level IS NOT NULL)"
        );
        let values = args![beam.uuid(), account.uuid()];
        let row = self.database.fetch_optional(select, values).await?.ok_or(Error::Invisible)?;
        let owner = Account::read_as("owner_", &row)?;
        let role =
            if owner.id == account { Role::Owner } else { Level::read(&row, "level")?.into() };
        Ok((read_beam(&row)?, owner, role))
    }
}

/// What is stored of a beam when it is saved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Contents<'a> {
    /// Its items so far (B4).
    pub notes: &'a [NewNote],
    /// Where they lie, if their arrangement is shared (S35).
    pub places: Option<&'a [Placed]>,
    /// What it knows of the items that it lacks (S29), as JSON.
    pub earlier: Option<&'a str>,
}

impl BeamWriter {
    /// Saves an unsaved beam in an account.
    ///
    /// # Errors
    /// [`Error::Conflict`] when it was saved or ended in the meantime, [`Error::Full`], [`Error::Uncertain`].
    pub async fn save_beam(
        &self,
        beam: BeamId,
        owner: AccountId,
        name: &BeamName,
        contents: Contents<'_>,
        quota: Quota,
    ) -> Result<(), Error> {
        let Contents { notes, places, earlier } = contents;
        let _changing = self.beam_lists.bump();
        let (mut transaction, locked) = self.begin(beam).await?;
        take_turn(&mut transaction).await?;
        // All of the beam's uploads may change here, so the accounts are locked before the first of them.
        lock_account(&mut transaction, owner).await?;
        lock_authors(&mut transaction, notes).await?;
        lock_uploads_of_beam(&mut transaction, locked).await?;
        let update = "UPDATE beams SET owner_id = $2, name = $3, expires_at = NULL, \
                      kept_until = NULL, kept_by = NULL, kept_address = NULL, note_bytes = 0, \
                      arranged = $5, earlier = $6 \
                      WHERE id = $1 AND owner_id IS NULL AND ended_at IS NULL AND expires_at > $4";
        let is_arranged = i64::from(places.is_some());
        let values =
            args![beam.uuid(), owner.uuid(), name.as_str(), quota.now, is_arranged, earlier];
        if transaction.execute(update, values).await? == 0 {
            return Err(Error::Conflict);
        }
        // What was kept of it is among the items.
        transaction.execute("DELETE FROM notes WHERE beam_id = $1", args![beam.uuid()]).await?;
        insert_notes(&mut transaction, locked, notes, quota).await?;
        adopt_unfinished_uploads(&mut transaction, locked, owner, quota).await?;
        place_notes(&mut transaction, locked, places.unwrap_or_default()).await?;
        transaction.commit().await
    }

    /// Changes the name and the link access of a beam. Absent fields stay as they are.
    ///
    /// # Errors
    /// [`Error::Invisible`], [`Error::LevelTooLow`], [`Error::Uncertain`].
    pub async fn change_beam(
        &self,
        actor: AccountId,
        beam: BeamId,
        name: Option<&BeamName>,
        link_access: Option<LinkAccess>,
    ) -> Result<Beam, Error> {
        let _changing = self.beam_lists.bump();
        let (mut transaction, locked) = self.begin(beam).await?;
        require_manager(&mut transaction, locked, actor).await?;
        let update = concat!(
            "UPDATE beams AS b SET name = COALESCE($2, b.name), link_access = COALESCE($3, b.link_access) \
             WHERE b.id = $1 RETURNING ",
            "id AS beam_id, name, created_at, link_access"
        );
        let link_access = link_access.map(Word::word);
        let values = args![beam.uuid(), name.map(BeamName::as_str), link_access];
        let row = transaction.fetch_optional(update, values).await?.ok_or(Error::Invisible)?;
        let beam = read_beam(&row)?;
        end_uploads_without_right(&mut transaction, locked, Access::role).await?;
        transaction.commit().await?;
        Ok(beam)
    }

    /// Gives a beam another id, so that leaked links stop working (B10). The old id is remembered as ended, together
    /// with the new one, for those whose access does not depend on the link.
    ///
    /// # Errors
    /// [`Error::Invisible`], [`Error::LevelTooLow`], [`Error::Uncertain`].
    pub async fn renew_beam(
        &self,
        actor: AccountId,
        beam: BeamId,
        new: BeamId,
        now: Millis,
    ) -> Result<Beam, Error> {
        let _changing = self.beam_lists.bump();
        let (mut transaction, locked) = self.begin(beam).await?;
        require_manager(&mut transaction, locked, actor).await?;
        // Uploads, shares and notes follow by their foreign keys. Removed devices are forgotten, because
        // they do not know the new id.
        lock_uploads_of_beam(&mut transaction, locked).await?;
        let update = "UPDATE beams SET id = $2, key_hash = NULL WHERE id = $1 \
                      RETURNING id AS beam_id, name, created_at, link_access";
        let values = args![beam.uuid(), new.uuid()];
        let row = transaction.fetch_optional(update, values).await?.ok_or(Error::Invisible)?;
        let renewed = read_beam(&row)?;
        let forget = "DELETE FROM removed_devices WHERE beam_id = $1";
        transaction.execute(forget, args![new.uuid()]).await?;
        let insert = "INSERT INTO beams (id, created_at, expires_at, ended_at, renewed_as) \
                      VALUES ($1, $2, $2, $2, $3)";
        transaction.execute(insert, args![beam.uuid(), now, new.uuid()]).await?;
        // Who had access by the old link has none any more.
        let renewed_lock = locked.renewed(new);
        end_uploads_without_right(&mut transaction, renewed_lock, Access::named_role).await?;
        transaction.commit().await?;
        Ok(renewed)
    }

    /// Deletes a beam and everything in it. Its id is remembered as ended.
    ///
    /// # Errors
    /// [`Error::Invisible`], [`Error::LevelTooLow`], [`Error::Uncertain`].
    pub async fn delete_beam(
        &self,
        actor: AccountId,
        beam: BeamId,
        now: Millis,
    ) -> Result<(), Error> {
        let _changing = self.beam_lists.bump();
        let (mut transaction, locked) = self.begin(beam).await?;
        if role_in(&mut transaction, locked, actor).await? != Role::Owner {
            return Err(Error::LevelTooLow);
        }
        end_beam(&mut transaction, locked, now).await?;
        transaction.commit().await
    }

    /// Removes a device permanently (B10). Does nothing if it is removed already.
    ///
    /// # Errors
    /// [`Error::Missing`] when the beam does not exist, [`Error::Uncertain`].
    pub async fn remove_device(&self, beam: BeamId, device: DeviceId) -> Result<(), Error> {
        let (mut transaction, _locked) = self.begin(beam).await?;
        let insert = "INSERT INTO removed_devices (beam_id, device_id) VALUES ($1, $2) \
                      ON CONFLICT (beam_id, device_id) DO NOTHING";
        transaction.execute(insert, args![beam.uuid(), device.uuid()]).await?;
        transaction.commit().await
    }
}

/// Deletes everything of a beam except its row, which then says that the beam has ended.
pub(crate) async fn end_beam(
    transaction: &mut Transaction,
    beam: Locked,
    now: Millis,
) -> Result<(), Error> {
    bury_uploads_of_beam(transaction, beam, now).await?;
    for delete in [
        "DELETE FROM notes WHERE beam_id = $1",
        "DELETE FROM shares WHERE beam_id = $1",
        "DELETE FROM removed_devices WHERE beam_id = $1",
        "DELETE FROM deposited_keys WHERE beam_id = $1",
        "DELETE FROM sealed_keys WHERE beam_id = $1",
    ] {
        transaction.execute(delete, args![beam.beam().uuid()]).await?;
    }
    let update = "UPDATE beams SET owner_id = NULL, name = NULL, key_hash = NULL, expires_at = $2, ended_at = $2, \
                  link_access = 'none', earlier = NULL, last_seq = 0, note_bytes = 0, key_bytes = 0 WHERE id = $1";
    transaction.execute(update, args![beam.beam().uuid(), now]).await?;
    Ok(())
}
