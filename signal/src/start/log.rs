//! Logs to stderr, since stdout is for the greeting; `RUST_LOG` sets the level. No level logs the id of a beam or an
//! upload, because whoever knows the id may read it.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write};

use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::{EnvFilter, FilterExt as _, filter_fn};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

/// Shortest run of letters, digits, `-` and `_` that may be an id. An upload's has 32 characters, a beam's 36, a token
/// 43.
const SHORTEST_ID: usize = 32;

/// Installs the logger.
pub fn init() {
    let filter =
        EnvFilter::builder().with_default_directive(LevelFilter::INFO.into()).from_env_lossy();
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(io::stderr().is_terminal())
        .with_writer(|| WithoutIds(io::stderr()))
        .with_filter(filter.and(filter_fn(is_ours_or_urgent)));
    tracing_subscriber::registry().with(lines).init();
}

/// At low levels libraries log the addresses they request, which contain ids.
fn is_ours_or_urgent(about: &Metadata<'_>) -> bool {
    about.target().starts_with("heliograph") || *about.level() <= Level::WARN
}

/// A writer that removes ids, because errors of libraries may contain a path or an address.
struct WithoutIds<W>(W);

impl<W: Write> Write for WithoutIds<W> {
    /// Expects whole lines, as the logger writes them.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.write_all(without_ids(&String::from_utf8_lossy(line)).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The line with `…` in place of every run that is long enough for an id and contains a digit.
fn without_ids(line: &str) -> Cow<'_, str> {
    let is_of_a_run = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_id =
        |run: &str| run.len() >= SHORTEST_ID && run.bytes().any(|byte| byte.is_ascii_digit());
    if !line.split(|c| !is_of_a_run(c)).any(is_id) {
        return Cow::Borrowed(line);
    }
    let mut clean = String::with_capacity(line.len());
    for part in line.split_inclusive(|c| !is_of_a_run(c)) {
        let (run, end) = part.split_at(part.rfind(|c| !is_of_a_run(c)).unwrap_or(part.len()));
        clean.push_str(if is_id(run) { "…" } else { run });
        clean.push_str(end);
    }
    Cow::Owned(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_left_out_of_a_line() {
        let cases = [
            ("GET /ws/beam/5f5ec022-109f-4428-94cc-5dd6903352f4/ 101", "GET /ws/beam/…/ 101"),
            ("no uploads/00ff00ff00ff00ff00ff00ff00ff00ff: gone", "no uploads/…: gone"),
            ("key=\"4Q_vV9p6sLJ0A1Zk3v8m0wXy2bN5cD7eFgHiJkLmNoP\"", "key=\"…\""),
            ("listening on [::1]:8080, 3 beams — ends", "listening on [::1]:8080, 3 beams — ends"),
            ("heliograph_signal::start::sweeper", "heliograph_signal::start::sweeper"),
            ("", ""),
        ];
        for (line, expected) in cases {
            assert_eq!(without_ids(line), expected);
        }
        let mut written = Vec::new();
        WithoutIds(&mut written).write_all(format!("{}\n", "0".repeat(32)).as_bytes()).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), "…\n");
    }
}
