//! Logs to stderr, since stdout is for the greeting. No level logs the id of a beam or an upload, because whoever knows
//! the id may read it.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write};
use std::str::FromStr;

use clap::{Args, ValueEnum};
use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::{EnvFilter, FilterExt as _, filter_fn};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

/// Shortest run of letters, digits, `-` and `_` that may be an id. An upload's has 32 characters, a beam's 36, a token
/// 43.
const SHORTEST_ID: usize = 32;

/// What is logged, and how.
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct Options {
    /// What to log: off, error, warn, info, debug or trace, also by part, such as
    /// `info,heliograph_turn=debug`.
    #[arg(long = "log", value_name = "LEVELS", env = "RUST_LOG", default_value = "info")]
    pub levels: Levels,

    /// How to log: text for people, or json for programs, one object a line.
    #[arg(
        long = "log-format",
        value_name = "FORMAT",
        env = "HELIOGRAPH_LOG_FORMAT",
        default_value = "text"
    )]
    pub format: Format,
}

/// Levels in the syntax of `EnvFilter`.
#[derive(Clone, Debug)]
pub struct Levels(String);

impl Levels {
    /// What the commands beside `serve` log.
    #[must_use]
    pub fn of_commands() -> Self {
        Self("warn".to_owned())
    }

    fn filter(&self) -> Result<EnvFilter, tracing_subscriber::filter::ParseError> {
        EnvFilter::builder().with_default_directive(LevelFilter::INFO.into()).parse(&self.0)
    }
}

impl FromStr for Levels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected a level such as debug, or PART=LEVEL, comma-separated";
        // A word alone would be a part of which everything is logged, and nothing of the others.
        let is_word = |part: &str| part.parse::<LevelFilter>().is_err() && !part.contains('=');
        if text.split(',').map(str::trim).any(|part| !part.is_empty() && is_word(part)) {
            return Err(EXPECTED.to_owned());
        }
        let levels = Self(text.to_owned());
        levels.filter().map_err(|error| format!("{error}: {EXPECTED}"))?;
        Ok(levels)
    }
}

/// The form of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Installs the logger.
pub fn init(options: &Options) {
    // The levels were read once already.
    let filter = options.levels.filter().unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(io::stderr().is_terminal())
        .with_writer(|| WithoutIds(io::stderr()));
    let lines = match options.format {
        Format::Text => lines.boxed(),
        Format::Json => lines.json().flatten_event(true).boxed(),
    };
    let lines = lines.with_filter(filter.and(filter_fn(is_ours_or_urgent)));
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
    fn levels_are_read_by_part_and_a_wrong_one_is_refused() {
        for right in ["", "debug", "off", "warn,heliograph_turn=trace"] {
            assert!(right.parse::<Levels>().is_ok(), "{right}");
        }
        for wrong in ["loud", "heliograph_turn=loud"] {
            assert!(wrong.parse::<Levels>().is_err(), "{wrong}");
        }
    }

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
