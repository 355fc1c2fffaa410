//! The keys in Redis, and the connection to it.

use std::time::Duration;

use heliograph_shared::ids::BeamId;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::io::tcp::TcpSettings;
use redis::{Client, IntoConnectionInfo as _, RedisResult};
use uuid::Uuid;

/// Time for an answer, and for a connection. A bus that takes longer counts as gone.
const PATIENCE: Duration = Duration::from_secs(1);
/// A connection of which nothing was acknowledged for so long is given up (`TCP_USER_TIMEOUT`, RFC 5482). A beat is sent each second.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED: Duration = Duration::from_secs(4);

/// After so long a node is not heard any more, and others take its beams over.
pub(super) const NODE_LIFE: Duration = Duration::from_secs(4);
/// How long a lease stays that no node renews. It counts for nothing when its node is gone.
pub(super) const LEASE_LIFE: Duration = Duration::from_hours(1);
/// How long a memory stays that no node renews: until the devices of a node that died are back, by far. While a beam is
/// live, its node renews it.
pub(super) const MEMORY_LIFE: Duration = Duration::from_mins(15);

/// The ids of the nodes. Those without a key of their own are gone.
pub(super) const NODES: &str = "heliograph:nodes";
/// Whose turn it is to remove what has expired.
pub(super) const SWEEPER: &str = "heliograph:sweeper";
/// How the key of a node begins; its id follows.
pub(super) const NODE: &str = "heliograph:node:";

/// A connection that is made at its first use, and made again when it breaks.
///
/// # Errors
/// When the address cannot be read.
pub fn connect(url: &str) -> RedisResult<ConnectionManager> {
    let config = ConnectionManagerConfig::new()
        .set_number_of_retries(1)
        .set_max_delay(Duration::from_millis(200))
        .set_connection_timeout(Some(PATIENCE))
        .set_response_timeout(Some(PATIENCE));
    // Devices wait for each command.
    let settings = TcpSettings::default().set_nodelay(true);
    // A machine that is gone without a word acknowledges nothing. By itself, Linux gives its connections up after a quarter of an hour.
    #[cfg(target_os = "linux")]
    let settings = settings.set_user_timeout(UNACKNOWLEDGED);
    let info = url.into_connection_info()?.set_tcp_settings(settings);
    ConnectionManager::new_lazy_with_config(Client::open(info)?, config)
}

/// Where a node can be reached.
pub(super) fn node(node: Uuid) -> String {
    format!("{NODE}{node}")
}

/// That a node could not be told something.
pub(super) fn untold(node: Uuid) -> String {
    format!("heliograph:untold:{node}")
}

/// Who drives a beam.
pub(super) fn lease(beam: BeamId) -> String {
    format!("heliograph:driver:{beam}")
}

/// What a beam remembers that is in no table.
pub(super) fn memory(beam: BeamId) -> String {
    format!("heliograph:memory:{beam}")
}

/// The beam that a short code stands for.
pub(super) fn code(code: impl std::fmt::Display) -> String {
    format!("heliograph:code:{code}")
}

/// All short codes, by the time of their ends.
pub(super) const CODES: &str = "heliograph:codes";

/// The short code of a beam.
pub(super) fn code_of(beam: BeamId) -> String {
    format!("heliograph:code-of:{beam}")
}

/// A time as Redis takes it.
pub(super) fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
