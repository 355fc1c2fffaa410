//! The bus between the nodes of a server: whether it answers, and whether it writes to a disk what people share.

use crate::bus::keys;
use crate::config::{Config, Hidden};
use crate::doctor::report::Check;

const BUS: &str = "bus";

/// What was seen of it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    /// It answers and does not show its settings.
    Closed,
    /// Its settings, each empty where it is not set.
    Settings { save: String, append_only: String, policy: String },
}

/// Looks at the bus, if there is one.
pub async fn check(config: &Config) -> Option<Check> {
    let Hidden(url) = config.nodes.bus.as_ref()?;
    Some(match look(url).await {
        Ok(found) => judge(&found),
        Err(error) => Check::failed(
            BUS,
            format!("It cannot be used: {error}."),
            "Start Redis or Valkey, and name its address with --bus. Without it nobody joins a beam that is not live.",
        ),
    })
}

async fn look(url: &str) -> Result<Found, redis::RedisError> {
    let mut redis = keys::connect(url)?;
    let _: String = redis::cmd("PING").query_async(&mut redis).await?;
    let mut ask = redis::cmd("CONFIG");
    ask.arg("GET").arg("save").arg("appendonly").arg("maxmemory-policy");
    // Servers that others run often keep this for themselves.
    let settings: Result<Vec<String>, _> = ask.query_async(&mut redis).await;
    let Ok(settings) = settings else { return Ok(Found::Closed) };
    let value = |name: &str| {
        let mut pairs = settings.chunks_exact(2);
        let pair = pairs.find(|pair| pair[0] == name);
        pair.map(|pair| pair[1].clone()).unwrap_or_default()
    };
    Ok(Found::Settings {
        save: value("save"),
        append_only: value("appendonly"),
        policy: value("maxmemory-policy"),
    })
}

fn judge(found: &Found) -> Check {
    match found {
        Found::Closed => Check::warning(
            BUS,
            "It answers, and does not show its settings.",
            "See to it that it keeps nothing on a disk (save \"\", appendonly no): what people share in unsaved beams is in it.",
        ),
        Found::Settings { save, append_only, .. } if !save.is_empty() || append_only == "yes" => {
            Check::failed(
                BUS,
                "It writes to a disk what people share in unsaved beams.",
                "Start it with --save \"\" --appendonly no, and remove the files that it has written.",
            )
        }
        Found::Settings { policy, .. } if policy != "noeviction" => Check::warning(
            BUS,
            format!("It drops what nodes need when its memory is full ({policy})."),
            "Start it with --maxmemory-policy noeviction.",
        ),
        Found::Settings { .. } => Check::ok(BUS, "It answers, and keeps nothing on a disk."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::report::State;

    #[test]
    fn a_bus_that_writes_to_a_disk_fails_and_one_that_forgets_is_warned_of() {
        let state = |save: &str, append_only: &str, policy: &str| {
            let [save, append_only, policy] = [save, append_only, policy].map(str::to_owned);
            judge(&Found::Settings { save, append_only, policy }).state
        };
        assert_eq!(state("", "no", "noeviction"), State::Ok);
        assert_eq!(state("3600 1", "no", "noeviction"), State::Failed);
        assert_eq!(state("", "yes", "noeviction"), State::Failed);
        assert_eq!(state("", "no", "allkeys-lru"), State::Warning);
        assert_eq!(judge(&Found::Closed).state, State::Warning);
    }
}
