//! The keys of sealed beams, deposited by those who manage the beams (H52).

use heliograph_shared::api::keys::BeamKeys;
use heliograph_shared::ids::{BeamId, DepositProof, DepositedKey, KeyId};

use crate::accounts::AccountId;
use crate::beam_writer::BeamWriter;
use crate::database::args;
use crate::saved_beams::require_manager;
use crate::sealed_keys::sealed_version;
use crate::{Error, Storage};

impl Storage {
    /// The keys that were deposited for a beam.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Corrupt`].
    pub async fn keys_of(&self, beam: BeamId) -> Result<BeamKeys, Error> {
        let select = "SELECT keys, current_id, proof FROM deposited_keys WHERE beam_id = $1";
        let Some(row) = self.database.fetch_optional(select, args![beam.uuid()]).await? else {
            return Ok(BeamKeys::default());
        };
        let (keys, current): (Vec<u8>, Vec<u8>) = (row.get("keys")?, row.get("current_id")?);
        let proof: Option<Vec<u8>> = row.get("proof")?;
        let (keys, []) = keys.as_chunks() else { return Err(Error::Corrupt) };
        Ok(BeamKeys {
            keys: keys.iter().copied().map(DepositedKey::from_random).collect(),
            current: Some(KeyId::from_bytes(current.try_into().map_err(|_| Error::Corrupt)?)),
            proof: proof
                .map(|proof| proof.try_into().map(DepositProof::from_random))
                .transpose()
                .map_err(|_| Error::Corrupt)?,
        })
    }
}

impl BeamWriter {
    /// Deposits the keys of a saved beam in place of those before; none takes the deposit back.
    ///
    /// # Errors
    /// [`Error::Invisible`], [`Error::LevelTooLow`], [`Error::Outdated`] where they are in vaults, [`Error::Uncertain`].
    pub async fn deposit_keys(
        &self,
        actor: AccountId,
        beam: BeamId,
        deposit: &BeamKeys,
    ) -> Result<(), Error> {
        let (mut transaction, locked) = self.begin(beam).await?;
        require_manager(&mut transaction, locked, actor).await?;
        if let Some(current) = &deposit.current {
            if sealed_version(&mut transaction, locked).await? > 0 {
                return Err(Error::Outdated);
            }
            let keys: Vec<_> =
                deposit.keys.iter().flat_map(DepositedKey::as_bytes).copied().collect();
            let insert = "INSERT INTO deposited_keys (beam_id, keys, current_id, proof) VALUES ($1, $2, $3, $4) \
                          ON CONFLICT (beam_id) DO UPDATE SET \
                          keys = excluded.keys, current_id = excluded.current_id, proof = excluded.proof";
            let proof = deposit.proof.as_ref().map(|proof| proof.as_bytes().to_vec());
            let values = args![beam.uuid(), keys, current.as_bytes().to_vec(), proof];
            transaction.execute(insert, values).await?;
        } else {
            let delete = "DELETE FROM deposited_keys WHERE beam_id = $1";
            transaction.execute(delete, args![beam.uuid()]).await?;
        }
        transaction.commit().await
    }
}
