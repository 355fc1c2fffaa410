//! Short codes of beams, where several nodes have them in common.

use std::time::Duration;

use heliograph_shared::ids::BeamId;
use heliograph_shared::limits::{CODE_LIFETIME, MAX_CODES};
use heliograph_shared::short_code::ShortCode;
use redis::Script;

use super::keys::{self, millis};
use super::member::Member;
use crate::error::Error;

/// Tries to find a free code. With as many codes as may be, the first one is free but for one in millions.
const TRIES: u32 = 5;

/// Answers the code of a beam and its time in milliseconds: the one that it has, else the new one. Nothing when that one is
/// taken, and no code when there are as many as may be.
const GIVE: &str = r"
local known, left = redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])
if known and left > 0 then return {known, left} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[4]) then return {'', 0} end
if redis.call('EXISTS', KEYS[2]) == 1 then return false end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3])
redis.call('ZADD', KEYS[3], now + ARGV[3], ARGV[2])
redis.call('PEXPIRE', KEYS[3], ARGV[3])
return {ARGV[2], tonumber(ARGV[3])}";

impl Member {
    /// The code of a beam, and how long it still stands for it: the one that it has, else a new one.
    ///
    /// # Errors
    /// [`Error::Busy`] when the bus does not answer or there are as many codes as may be, and the error of `random`.
    pub async fn code_of(
        &self,
        beam: BeamId,
        random: impl Fn() -> Result<[u8; 8], Error>,
    ) -> Result<(ShortCode, Duration), Error> {
        let mut redis = self.redis();
        let script = Script::new(GIVE);
        for _ in 0..TRIES {
            let Some(fresh) = ShortCode::from_random(random()?) else { continue };
            let mut call = script.key(keys::code_of(beam));
            call.key(keys::code(fresh)).key(keys::CODES);
            call.arg(beam.to_string()).arg(fresh.to_string());
            call.arg(millis(CODE_LIFETIME)).arg(MAX_CODES);
            let given: Option<(String, u64)> = call.invoke_async(&mut redis).await.map_err(busy)?;
            let Some((code, left)) = given else { continue };
            let code = ShortCode::parse(&code).map_err(|_| Error::Busy)?;
            return Ok((code, Duration::from_millis(left)));
        }
        Err(Error::Busy)
    }

    /// The beam that a code stands for.
    ///
    /// # Errors
    /// [`Error::Busy`] when the bus does not answer.
    pub async fn beam_of_code(&self, code: ShortCode) -> Result<Option<BeamId>, Error> {
        let beam: Option<String> = redis::cmd("GET")
            .arg(keys::code(code))
            .query_async(&mut self.redis())
            .await
            .map_err(busy)?;
        Ok(beam.and_then(|beam| BeamId::parse(&beam).ok()))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it so")]
fn busy(error: redis::RedisError) -> Error {
    tracing::warn!(%error, "the bus does not answer");
    Error::Busy
}
