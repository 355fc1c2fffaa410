//! A node says in Redis that it drives a beam, so that the others find it. What makes it safe is in [`super::lease`].

use heliograph_shared::ids::BeamId;
use redis::aio::ConnectionManager;
use redis::{RedisResult, Script};
use uuid::Uuid;

use super::keys::{self, LEASE_LIFE, millis};

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// The others find this node.
    Made,
    /// Another node drives the beam, and is heard.
    Elsewhere,
    /// This node is not heard itself: the bus was started again.
    Unheard,
}

/// Takes the lease unless a node has it that is heard, or this one is not heard itself: the bus was started again. The value is the node's id and the token.
const TAKE: &str = r"
local held = redis.call('GET', KEYS[1])
if redis.call('EXISTS', ARGV[4] .. ARGV[1]) == 0 then return 'unheard' end
if held then
    local node = string.sub(held, 1, 36)
    if node ~= ARGV[1] and redis.call('EXISTS', ARGV[4] .. node) == 1 then return held end
end
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[3])
return false";

/// Leads to the node that the database names, unless a node that is heard has the lease, and is not this one.
const RESTORE: &str = r"
local held = redis.call('GET', KEYS[1])
if held then
    local node = string.sub(held, 1, 36)
    if node ~= ARGV[1] and redis.call('EXISTS', ARGV[4] .. node) == 1 then return 0 end
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1";

/// The answer to a node that is not heard.
const UNHEARD: &str = "unheard";

/// The bus has lost that a node drives a beam: says it again.
pub(super) async fn restore(
    mut redis: ConnectionManager,
    own: Uuid,
    beam: BeamId,
    (driver, token): (Uuid, Uuid),
) -> RedisResult<()> {
    let script = Script::new(RESTORE);
    let mut call = script.key(keys::lease(beam));
    call.arg(own.to_string()).arg(format!("{driver} {token}"));
    call.arg(millis(LEASE_LIFE)).arg(keys::NODE);
    let _is_restored: i64 = call.invoke_async(&mut redis).await?;
    Ok(())
}

/// Claims a beam with a token.
pub(super) async fn make(
    mut redis: ConnectionManager,
    node: Uuid,
    beam: BeamId,
    token: Uuid,
) -> RedisResult<Claim> {
    let script = Script::new(TAKE);
    let mut call = script.key(keys::lease(beam));
    call.arg(node.to_string()).arg(token.to_string()).arg(millis(LEASE_LIFE)).arg(keys::NODE);
    let answer: Option<String> = call.invoke_async(&mut redis).await?;
    Ok(match answer.as_deref() {
        None => Claim::Made,
        Some(UNHEARD) => Claim::Unheard,
        Some(_) => Claim::Elsewhere,
    })
}
