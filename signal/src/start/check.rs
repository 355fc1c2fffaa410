//! What can be said of a configuration without starting anything and without changing anything.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::Path;

use heliograph_storage::blobs;

use super::{location, turn};
use crate::config::{Config, Metrics};
use crate::error::causes;
use crate::https;
use crate::tcp;

/// What is wrong with the configuration, as sentences; nothing when the server would take it. Whether an address is
/// free, and whether a database or a bucket answers, is only seen at the start.
#[must_use]
pub fn check(config: &Config) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut says = |setting: &str, why: String| wrong.push(format!("{setting}: {why}"));
    if let Err(error) = folder(&config.data) {
        says("--data", format!("{} cannot be used: {error}", config.data.display()));
    }
    if !location(config).is_valid() {
        says("--database", "expected postgres://user:password@host:port/name".to_owned());
    }
    match config.blobs() {
        blobs::Location::Folder(path) => {
            if let Err(error) = folder(&path) {
                says("--blobs", format!("{} cannot be used: {error}", path.display()));
            }
        }
        location @ blobs::Location::S3(_) => {
            if let Err(error) = blobs::Blobs::open(&location) {
                says("--blobs", error.to_string());
            }
        }
    }
    if config.s3_access_key_id.is_some() != config.s3_secret_access_key.is_some() {
        says("--s3-access-key-id", "needs --s3-secret-access-key, and the reverse".to_owned());
    }
    if let Err(error) = https::check(&config.tls) {
        says("--tls", causes(&error));
    }
    if let Err(error) = turn::check(&config.turn) {
        says("--turn", causes(&error));
    }
    if let Some(name) = &config.tcp.congestion
        && let Err(error) = tcp::check(name)
    {
        says("--tcp-congestion", causes(&error));
    }
    let Metrics(metrics) = config.metrics;
    let listeners = [
        ("--listen", Some(config.listen)),
        ("--tls-listen", config.tls.address(config.listen.ip())),
        ("--metrics", metrics),
    ];
    let listeners = listeners.map(|(name, address)| address.map(|address| (name, address)));
    // Without a wish of the operator, the server does without TURN where its ports are taken.
    let is_turn_wanted = config.turn.server.is_some() || config.turn.listen.is_some();
    let of_turn = if is_turn_wanted { turn::connects_at(config) } else { Vec::new() };
    let listeners: Vec<_> = listeners.into_iter().flatten().chain(of_turn).collect();
    for (at, (name, address)) in listeners.iter().enumerate() {
        if let Some((other, _)) =
            listeners[..at].iter().find(|(_, other)| collide(*other, *address))
        {
            says(name, format!("{address} is taken by {other}; give it another port"));
        }
    }
    wrong
}

/// Whether two listeners cannot both have their addresses.
fn collide(one: SocketAddr, other: SocketAddr) -> bool {
    let is_same =
        one.ip() == other.ip() || one.ip().is_unspecified() || other.ip().is_unspecified();
    one.port() != 0 && one.port() == other.port() && is_same
}

/// Whether this is a folder that can be written, or can be made.
fn folder(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(about) if !about.is_dir() => Err(io::ErrorKind::NotADirectory.into()),
        Ok(_) => may_write(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            folder(parent.unwrap_or(Path::new(".")))
        }
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn may_write(path: &Path) -> io::Result<()> {
    Ok(rustix::fs::access(path, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)?)
}

#[cfg(not(unix))]
fn may_write(path: &Path) -> io::Result<()> {
    let is_read_only = fs::metadata(path)?.permissions().readonly();
    if is_read_only { Err(io::ErrorKind::PermissionDenied.into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn says(flags: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("not/yet");
        let all = [&["config", "--data", data.to_str().unwrap()], flags].concat();
        let wrong = check(&Config::parse_from(all));
        assert!(!data.exists(), "a check changes nothing");
        wrong
    }

    #[test]
    fn a_good_configuration_is_left_in_peace() {
        assert_eq!(says(&[]), [""; 0]);
        assert_eq!(says(&["--tls", "self-signed", "--metrics", "127.0.0.1:9464"]), [""; 0]);
        let database = ["--database", "postgres://ada:hush@db/beams"];
        assert_eq!(says(&database), [""; 0]);
    }

    #[test]
    fn each_fault_is_named_with_its_setting() {
        let secret = tempfile::NamedTempFile::new().unwrap();
        let secret = secret.path().to_str().unwrap();
        let acme = ["--tls", "acme", "--domain", "beam.example.org"];
        for (flags, setting, why) in [
            (&["--database", "mysql://ada:hush@db/b"][..], "--database", "postgres"),
            (&["--blobs", "/dev/null"], "--blobs", "not a directory"),
            (&["--tls", "/no/cert.pem,/no/key.pem"], "--tls", "/no/cert.pem"),
            (&["--tls", "acme"], "--tls", "--domain"),
            (&[&acme[..], &["--acme-root", "/no/root.pem"]].concat(), "--tls", "/no/root.pem"),
            (&[&acme[..], &["--acme-root", secret]].concat(), "--tls", secret),
            (&["--turn", "turn:t.example.org:3478"], "--turn", "--turn-secret-file"),
            (&["--turn", "turn:t.example.org", "--turn-secret-file", secret], "--turn", "is empty"),
            #[cfg(target_os = "linux")]
            (&["--tcp-congestion", "nonsense"], "--tcp-congestion", "it has: "),
            (&["--metrics", "127.0.0.1:8080"], "--metrics", "taken by --listen"),
            (&["--turn-listen", "[::]:8080"], "--turn-listen", "taken by --listen"),
            (
                &["--tls", "self-signed", "--turn", "embedded", "--turn-tls-port", "8443"],
                "--turn-tls-port",
                "taken by --tls-listen",
            ),
            (&["--s3-access-key-id", "id"], "--s3-access-key-id", "--s3-secret-access-key"),
        ] {
            let wrong = says(flags);
            let [sentence] = &wrong[..] else { panic!("one fault of {flags:?}: {wrong:?}") };
            assert!(sentence.starts_with(setting) && sentence.contains(why), "{sentence}");
            assert!(!sentence.contains("hush"), "{sentence}");
        }
    }
}
