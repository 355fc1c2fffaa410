//! What live beams remember that is in no table: the items of unsaved ones. It is in Redis, so that it outlives the node, for
//! a bounded time, and never on a disk of ours. It is written before the devices learn of a change.

use std::collections::HashMap;
use std::time::Duration;

use heliograph_storage::Error;
use redis::Script;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::claim::{self, Claim};
use super::keys::{self, MEMORY_LIFE, millis};
use super::lease::{Lease, Lost};

/// Time for an answer of the database, and pause between two tries.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(500);

/// The field with everything but the items.
const REST: &str = "rest";

/// Writes a change of the memory if the lease is still this one; 0 when it is another's, -1 when nobody has it, or the memory is
/// gone of which this is a change.
const REMEMBER: &str = r"
local held = redis.call('GET', KEYS[1])
if not held then return -1 end
if held ~= ARGV[1] then return 0 end
if ARGV[4] == '1' then redis.call('DEL', KEYS[2])
elseif redis.call('EXISTS', KEYS[2]) == 0 then return -1 end
redis.call('HSET', KEYS[2], 'rest', ARGV[3])
local gone = tonumber(ARGV[5])
for i = 6, 5 + gone do redis.call('HDEL', KEYS[2], ARGV[i]) end
for i = 6 + gone, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1";

/// Forgets everything if the lease is still this one; 0 when it is not.
const FORGET: &str = r"
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[2])
return 1";

/// A memory as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    /// Everything but the items.
    pub rest: String,
    /// The items, in no order.
    pub items: Vec<String>,
}

/// A change of a memory.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Everything but the items.
    pub rest: String,
    /// Whether it takes the place of all that was written.
    pub is_whole: bool,
    /// New and changed items by id.
    pub put: Vec<(Uuid, String)>,
    /// The items that are gone.
    pub gone: Vec<Uuid>,
}

/// Whether a change was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was.
    Written,
    /// The bus does not answer, or has forgotten everything. The whole is to be written when it is back.
    BusGone,
}

impl Lease {
    /// What the beam remembered when a node died that drove it.
    ///
    /// # Errors
    /// When the bus does not answer: a beam without its memory would seem empty.
    pub async fn recall(&self) -> Result<Option<Remembered>, redis::RedisError> {
        let mut redis = self.member.bulk();
        let key = keys::memory(self.beam);
        let mut fields: HashMap<String, String> =
            redis::cmd("HGETALL").arg(key).query_async(&mut redis).await?;
        let rest = fields.remove(REST);
        Ok(rest.map(|rest| Remembered { rest, items: fields.into_values().collect() }))
    }

    /// Writes a change, and waits until it is there.
    ///
    /// # Errors
    /// [`Lost`] when another node drives the beam.
    pub async fn remember(&self, change: &Change) -> Result<Outcome, Lost> {
        // A beam does not wait each time for an answer that does not come.
        if self.member.is_bus_gone() {
            return Ok(Outcome::BusGone);
        }
        match self.write(change).await {
            Ok(1) => Ok(Outcome::Written),
            Ok(0) => Err(Lost),
            // The bus was restarted, or has dropped the memory or the lease.
            Ok(_) => {
                let (redis, node) = (self.member.redis(), self.member.node());
                match claim::make(redis, node, self.beam, self.token()).await {
                    Ok(Claim::Elsewhere) => Err(Lost),
                    Ok(Claim::Made | Claim::Unheard) | Err(_) => Ok(Outcome::BusGone),
                }
            }
            Err(error) => {
                tracing::warn!(%error, "what a beam remembers could not be written to the bus");
                Ok(Outcome::BusGone)
            }
        }
    }

    /// Says in the database that the bus lacks something, so that no node goes on with what it has. Comes before anybody is
    /// told what the bus lacks, and waits until it is said.
    ///
    /// # Errors
    /// [`Lost`] when another node drives the beam.
    pub async fn falls_behind(&self) -> Result<(), Lost> {
        while !self.set_behind(true).await? {
            self.lost.run_until_cancelled(sleep(PAUSE)).await.ok_or(Lost)?;
        }
        Ok(())
    }

    /// Says that the bus lacks nothing any more; `false` when the database does not answer.
    ///
    /// # Errors
    /// [`Lost`] when another node drives the beam.
    pub async fn is_whole(&self) -> Result<bool, Lost> {
        self.set_behind(false).await
    }

    async fn set_behind(&self, is_behind: bool) -> Result<bool, Lost> {
        let set = self.member.storage().set_behind(self.beam, self.token(), is_behind);
        let set: Option<Result<bool, Error>> = timeout(PATIENCE, set).await.ok();
        match set {
            Some(Ok(true)) => Ok(true),
            Some(Ok(false)) => {
                self.is_lost();
                Err(Lost)
            }
            Some(Err(error)) => {
                tracing::warn!(%error, "whether the bus lacks something could not be stored");
                Ok(false)
            }
            None => Ok(false),
        }
    }

    async fn write(&self, change: &Change) -> Result<i64, redis::RedisError> {
        let (script, mut redis) = (Script::new(REMEMBER), self.member.bulk());
        let mut call = script.key(keys::lease(self.beam));
        call.key(keys::memory(self.beam)).arg(self.held()).arg(millis(MEMORY_LIFE));
        call.arg(&change.rest).arg(i64::from(change.is_whole)).arg(change.gone.len());
        for id in &change.gone {
            call.arg(id.to_string());
        }
        for (id, item) in &change.put {
            call.arg(id.to_string()).arg(item);
        }
        call.invoke_async(&mut redis).await
    }

    /// Forgets what the beam remembers: it has ended, or the tables have it now. `false` when the bus does not answer, or
    /// knows of no such lease, and may have it still.
    pub async fn forget(&self) -> bool {
        if self.member.is_bus_gone() {
            return false;
        }
        let (script, mut redis) = (Script::new(FORGET), self.member.bulk());
        let mut call = script.key(keys::lease(self.beam));
        call.key(keys::memory(self.beam)).arg(self.held());
        let forgotten: Result<i64, _> = call.invoke_async(&mut redis).await;
        if let Err(error) = &forgotten {
            tracing::warn!(%error, "what a beam remembered stays on the bus for a while");
        }
        matches!(forgotten, Ok(1))
    }
}
