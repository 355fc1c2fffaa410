//! The nodes of a server that has several, and which of them Redis does not hear.

use std::time::Duration;

use heliograph_shared::time::Millis;
use uuid::Uuid;

use crate::database::args;
use crate::{Error, Storage};

/// After so long a row is what a node left that has ended since. Much longer than clocks differ.
const REMEMBERED: Duration = Duration::from_hours(30 * 24);

impl Storage {
    /// A node says that it is there, and where the others reach it; also whether it goes by the database, because it
    /// cannot reach Redis.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn see_node(
        &self,
        node: Uuid,
        address: &str,
        is_unheard: bool,
        now: Millis,
    ) -> Result<(), Error> {
        let say = "INSERT INTO nodes (node, address, seen_at, unheard_at) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (node) DO UPDATE SET address = excluded.address, seen_at = excluded.seen_at, \
                   unheard_at = CASE WHEN excluded.unheard_at <> 0 THEN excluded.unheard_at ELSE nodes.unheard_at END";
        let unheard_at = if is_unheard { now } else { Millis::new(0) };
        self.database.execute(say, args![node, address, now, unheard_at]).await?;
        Ok(())
    }

    /// A node ends, and acts no more.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn forget_node(&self, node: Uuid) -> Result<(), Error> {
        self.database.execute("DELETE FROM nodes WHERE node = $1", args![node]).await?;
        Ok(())
    }

    /// The nodes that have said since then that they are there, each with its address.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn nodes_seen_since(&self, then: Millis) -> Result<Vec<(Uuid, String)>, Error> {
        self.nodes("SELECT node, address FROM nodes WHERE seen_at >= $1 ORDER BY node", then).await
    }

    /// Those of them that have gone by the database since then.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn nodes_unheard_since(&self, then: Millis) -> Result<Vec<(Uuid, String)>, Error> {
        let select = "SELECT node, address FROM nodes WHERE unheard_at >= $1 ORDER BY node";
        self.nodes(select, then).await
    }

    async fn nodes(
        &self,
        select: &'static str,
        then: Millis,
    ) -> Result<Vec<(Uuid, String)>, Error> {
        let rows = self.database.fetch_all(select, args![then]).await?;
        rows.iter().map(|row| Ok((row.get("node")?, row.get("address")?))).collect()
    }

    /// Forgets the nodes that were there long ago.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn forget_old_nodes(&self, now: Millis) -> Result<u64, Error> {
        let delete = "DELETE FROM nodes WHERE seen_at < $1";
        self.database.execute(delete, args![now - REMEMBERED]).await
    }
}
