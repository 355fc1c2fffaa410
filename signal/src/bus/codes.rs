//! Short codes of beams, where several nodes have them in common.

use std::time::Duration;

use heliograph_shared::ids::BeamId;
use heliograph_shared::limits::CODE_LIFETIME;
use heliograph_shared::short_code::ShortCode;

use super::keys::{self, millis};
use super::member::Member;
use crate::error::Error;

/// Tries to find a free code. With as many codes as may be, the first one is free but for one in millions.
const TRIES: u32 = 5;

impl Member {
    /// The code of a beam, and how long it still stands for it: the one that it has, else a new one.
    ///
    /// # Errors
    /// [`Error::Busy`] when the bus does not answer, and the error of `random`.
    pub async fn code_of(
        &self,
        beam: BeamId,
        random: impl Fn() -> Result<[u8; 8], Error>,
    ) -> Result<(ShortCode, Duration), Error> {
        let mut redis = self.redis();
        for _ in 0..TRIES {
            let mut known = redis::pipe();
            known.cmd("GET").arg(keys::code_of(beam)).cmd("PTTL").arg(keys::code_of(beam));
            let (code, left): (Option<String>, i64) =
                known.query_async(&mut redis).await.map_err(busy)?;
            let code = code.and_then(|code| ShortCode::parse(&code).ok());
            if let (Some(code), Ok(left @ 1..)) = (code, u64::try_from(left)) {
                return Ok((code, Duration::from_millis(left)));
            }
            let Some(code) = ShortCode::from_random(random()?) else { continue };
            let set = |key: String, value: String| {
                let mut set = redis::cmd("SET");
                set.arg(key).arg(value).arg("NX").arg("PX").arg(millis(CODE_LIFETIME));
                set
            };
            let free: Option<String> = set(keys::code(code), beam.to_string())
                .query_async(&mut redis)
                .await
                .map_err(busy)?;
            if free.is_none() {
                continue;
            }
            // Another node may have given it one: that one is found in the next round.
            let first: Option<String> = set(keys::code_of(beam), code.to_string())
                .query_async(&mut redis)
                .await
                .map_err(busy)?;
            if first.is_some() {
                return Ok((code, CODE_LIFETIME));
            }
            let () = redis::cmd("DEL")
                .arg(keys::code(code))
                .query_async(&mut redis)
                .await
                .map_err(busy)?;
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
