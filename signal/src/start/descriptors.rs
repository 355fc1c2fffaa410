//! File descriptors: each connection takes one, and systems often allow a program 1,024 of them unless it asks for more.

use crate::config::Config;

/// Descriptors for everything but connections: the database, files, and requests to a bucket.
const RESERVE: usize = 256;

/// Raises the limit on open descriptors as far as the system lets this program, and returns it; `None` without a limit.
#[cfg(unix)]
pub fn raise() -> Option<usize> {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        limit.current = limit.maximum;
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::warn!(%error, "the limit on open files cannot be raised");
        }
    }
    getrlimit(Resource::Nofile).current.and_then(|limit| usize::try_from(limit).ok())
}

/// There is no such limit here.
#[cfg(not(unix))]
pub fn raise() -> Option<usize> {
    None
}

/// Descriptors that a device's connection may take: one that is passed on has one to the other node, too.
#[must_use]
pub const fn of_connection(config: &Config) -> usize {
    if config.nodes.bus.is_some() { 2 } else { 1 }
}

/// How many of the configured connections there may be with this limit on descriptors, if each may take so many. With
/// fewer descriptors than that, accepting would fail instead of answering 503.
pub fn connections(configured: usize, limit: Option<usize>, each: usize) -> usize {
    let Some(limit) = limit else { return configured };
    let most = limit.saturating_sub(RESERVE).max(limit / 2) / each.max(1);
    if most < configured {
        tracing::warn!(connections = most, configured, "fewer connections, for lack of open files");
    }
    configured.min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_everything_else() {
        for (configured, limit, each, most) in [
            (16_384, None, 1, 16_384),
            (16_384, Some(524_288), 1, 16_384),
            (16_384, Some(1024), 1, 768),
            (16_384, Some(1024), 2, 384),
            (100, Some(1024), 1, 100),
            (16_384, Some(300), 1, 150),
        ] {
            assert_eq!(connections(configured, limit, each), most, "{configured} of {limit:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_limit_is_raised_as_far_as_the_system_allows() {
        let limit = raise();
        let hard = rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum;
        assert_eq!(limit, hard.map(|hard| usize::try_from(hard).unwrap()));
    }
}
