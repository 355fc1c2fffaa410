//! Which nodes of the server are there although Redis does not hear them, where there are several nodes.

use std::time::Duration;

use heliograph_shared::time::Millis;
use uuid::Uuid;

use crate::database::args;
use crate::{Error, Storage};

/// After so long a row is what a node left that has ended since. Much longer than clocks differ.
const REMEMBERED: Duration = Duration::from_hours(30 * 24);

impl Storage {
    /// A node says that it is there, and where the others reach it.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn beat(&self, node: Uuid, address: &str, now: Millis) -> Result<(), Error> {
        let say = "INSERT INTO node_beats (node, address, beat_at) VALUES ($1, $2, $3) \
                   ON CONFLICT (node) DO UPDATE SET address = excluded.address, beat_at = excluded.beat_at";
        self.database.execute(say, args![node, address, now]).await?;
        Ok(())
    }

    /// The nodes that have said since then that they are there, each with its address.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn nodes_since(&self, then: Millis) -> Result<Vec<(Uuid, String)>, Error> {
        let select = "SELECT node, address FROM node_beats WHERE beat_at >= $1 ORDER BY node";
        let rows = self.database.fetch_all(select, args![then]).await?;
        rows.iter().map(|row| Ok((row.get("node")?, row.get("address")?))).collect()
    }

    /// Forgets the nodes that were there long ago.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn forget_old_nodes(&self, now: Millis) -> Result<u64, Error> {
        let delete = "DELETE FROM node_beats WHERE beat_at < $1";
        self.database.execute(delete, args![now - REMEMBERED]).await
    }
}
