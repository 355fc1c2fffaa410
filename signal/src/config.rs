//! The configuration: one struct, filled from flags and `HELIOGRAPH_*` variables.

mod hidden;
mod metrics;
mod nodes;

use std::env;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use axum::http::Uri;
use clap::{Arg, Args, Parser, Subcommand};
use heliograph_shared::socket::JoinPolicy;
use heliograph_storage::blobs;

use crate::address::Network;
use crate::live::rates;
use crate::{budget, https, ice, log, quota, tcp};

pub use hidden::Hidden;
pub use metrics::Metrics;
pub use nodes::Nodes;

/// The subcommands of the server.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the server: the web page, the API, the beams and the relay.
    Serve(Box<Config>),
    /// Examine this machine's set-up with the options of `serve`, or a server at an address from outside, and say what
    /// to do.
    Doctor(Box<Doctor>),
    /// Ask the server on this machine whether it is well, with the options of `serve`: the exit code is 0 when it is.
    /// For the health checks of containers.
    Health(Box<Config>),
    /// Show every setting of serve, where it comes from, and what is wrong with it. Secrets are left out.
    Config(Box<Config>),
    /// List the files of the web page in this binary by their SHA-256, as `sha256sum` does, with the fingerprint of the
    /// whole, which the page shows too.
    Assets,
    /// List accounts, reset a password, or delete an account, whether the server runs or not. Run it as the user who runs
    /// the server.
    #[command(mut_args(only_storage))]
    User(Box<User>),
    /// Write the database (SQLite), all files and the certificates into one archive, while the server runs or not. It has
    /// the hashes of all passwords in it, so only its owner may read it (mode 0600). Of a Postgres database, use
    /// `pg_dump`.
    #[command(mut_args(only_storage))]
    Backup(Box<Archive>),
    /// Restore an archive that backup made into an empty data folder, whole or not at all. The server must not run.
    #[command(mut_args(only_storage))]
    Restore(Box<Archive>),
}

/// Examine a set-up.
#[derive(Clone, Debug, Parser)]
pub struct Doctor {
    /// Address of a running server, such as `https://beam.example.org`, to be examined as a device sees it [default:
    /// this machine's own set-up].
    pub url: Option<Origin>,

    /// Write the findings as JSON.
    #[arg(long)]
    pub json: bool,

    /// The set-up, as `serve` has it.
    #[command(flatten)]
    pub config: Config,
}

/// A backup.
#[derive(Clone, Debug, Args)]
pub struct Archive {
    /// The archive, a tar file.
    pub file: PathBuf,
    /// Where the data is.
    #[command(flatten)]
    pub config: Config,
}

/// The accounts, from the command line.
#[derive(Clone, Debug, Args)]
pub struct User {
    /// What to do.
    #[command(subcommand)]
    pub command: UserCommand,
    /// Where the data is.
    #[command(flatten)]
    pub config: Config,
}

/// What to do with accounts.
#[derive(Clone, Debug, Subcommand)]
pub enum UserCommand {
    /// List the accounts, with what they store.
    List,
    /// Give an account a new password, which is printed once, and log its devices out.
    ResetPassword {
        /// The username.
        name: String,
    },
    /// Delete an account with its saved beams and files.
    Delete {
        /// The username.
        name: String,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
}

/// The settings of `serve` that say where the data is. Other commands take all of them, so that they can be started with
/// the same variables, and show these.
const STORAGE: [&str; 5] =
    ["data", "database", "blobs", "s3_access_key_id", "s3_secret_access_key"];

fn only_storage(arg: Arg) -> Arg {
    // Arguments of the command itself have no variable.
    let is_other = arg.get_env().is_some() && !STORAGE.contains(&arg.get_id().as_str());
    let is_global = arg.get_env().is_some();
    arg.hide(is_other).global(is_global)
}

/// Run the server: the web page, the API, the beams and the relay.
#[derive(Clone, Debug, Parser)]
pub struct Config {
    /// Address and port for http. On a machine without IPv6, [::] means 0.0.0.0.
    #[arg(long, env = "HELIOGRAPH_LISTEN", default_value_t = default_listen())]
    pub listen: SocketAddr,

    /// Folder of the SQLite database and of the self-signed certificate.
    #[arg(long, env = "HELIOGRAPH_DATA", default_value_os_t = default_data())]
    pub data: PathBuf,

    /// Postgres database to use, as `postgres://user:password@host:port/name` [default: an SQLite file in --data].
    #[arg(long, env = "HELIOGRAPH_DATABASE", hide_env_values = true)]
    pub database: Option<Hidden>,

    /// Other nodes.
    #[command(flatten)]
    pub nodes: Nodes,

    /// Where to store files and pictures: a folder, or `s3://bucket?endpoint=https://…&region=…&allow_http=…` with the
    /// credentials in the two S3 options [default: `blobs` in the folder of --data].
    #[arg(long, env = "HELIOGRAPH_BLOBS")]
    pub blobs: Option<blobs::Location>,

    /// Access key id for the S3 server.
    #[arg(long, env = "AWS_ACCESS_KEY_ID", hide_env_values = true)]
    pub s3_access_key_id: Option<String>,

    /// Secret access key for the S3 server.
    #[arg(long, env = "AWS_SECRET_ACCESS_KEY", hide_env_values = true)]
    pub s3_secret_access_key: Option<Hidden>,

    /// Quotas for uploads.
    #[command(flatten)]
    pub uploads: quota::Limits,

    /// Bounds on memory for waiting data.
    #[command(flatten)]
    pub budget: budget::Bounds,

    /// Maximum number of open connections. The server answers further ones with 503.
    #[arg(long, env = "HELIOGRAPH_CONNECTIONS", default_value_t = 16_384)]
    pub connections: usize,

    /// Maximum number of open connections from one address (IPv6: one /64). Trusted proxies are exempt.
    #[arg(long, env = "HELIOGRAPH_CONNECTIONS_PER_ADDRESS", default_value_t = 512)]
    pub connections_per_address: usize,

    /// TCP.
    #[command(flatten)]
    pub tcp: tcp::Options,

    /// The relay.
    #[command(flatten)]
    pub relay: rates::Options,

    /// How devices without the link come into an encrypted beam: ask (the first one at once, each later one when a person
    /// lets it in), or verify (each one when a person has compared the pictures that both devices show). People may
    /// choose verify for themselves in any case.
    #[arg(long, env = "HELIOGRAPH_JOIN_POLICY", value_name = "POLICY", default_value = "ask")]
    pub join_policy: JoinPolicy,

    /// Public address of this server, such as `https://beam.example.org`. Without it, the server answers only to IP
    /// addresses, localhost, names that end in .local, and the machine's host name.
    #[arg(long, env = "HELIOGRAPH_PUBLIC_URL")]
    pub public_url: Option<Origin>,

    /// https.
    #[command(flatten)]
    pub tls: https::options::Options,

    /// TURN.
    #[command(flatten)]
    pub turn: ice::options::Options,

    /// Address of the source code, for the link in the page's footer.
    #[arg(
        long,
        env = "HELIOGRAPH_REPOSITORY_URL",
        default_value = "https://github.com/heliograph/heliograph"
    )]
    pub repository_url: String,

    /// Proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted: addresses or networks, comma-separated.
    #[arg(
        long,
        env = "HELIOGRAPH_TRUSTED_PROXIES",
        value_delimiter = ',',
        default_value = "127.0.0.0/8,::1"
    )]
    pub trusted_proxies: Vec<Network>,

    /// Where to serve metrics for Prometheus, at /metrics over plain http: an address and port, such as 127.0.0.1:9464,
    /// or off. A listener of its own, so that they are only for whom a firewall lets reach it, and never on the public
    /// address.
    #[arg(long, env = "HELIOGRAPH_METRICS", value_name = "ADDRESS:PORT", default_value = "off")]
    pub metrics: Metrics,

    /// Logs.
    #[command(flatten)]
    pub log: log::Options,
}

impl Config {
    /// The store of files and pictures, with its credentials: `--blobs`, else the folder `blobs` in `--data`.
    #[must_use]
    pub fn blobs(&self) -> blobs::Location {
        let folder = || blobs::Location::Folder(self.data.join("blobs"));
        let id = self.s3_access_key_id.clone().zip(self.s3_secret_access_key.clone());
        let credentials = id.map(|(id, Hidden(secret))| blobs::Credentials { id, secret });
        self.blobs.clone().unwrap_or_else(folder).with_credentials(credentials)
    }

    /// Public address of this server, as given or as the certificate of an ACME server is for it.
    #[must_use]
    pub fn public_url(&self) -> Option<Origin> {
        let certified = || self.tls.public_url().and_then(|url| url.parse().ok());
        self.public_url.clone().or_else(certified)
    }
}

const fn default_listen() -> SocketAddr {
    SocketAddr::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), 8080)
}

/// The user's data folder (XDG base directories). Without a home folder, `heliograph-data` in the working directory.
fn default_data() -> PathBuf {
    let folder = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    folder("XDG_DATA_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| folder("HOME").map(|home| home.join(".local/share")))
        .map_or_else(|| PathBuf::from("heliograph-data"), |data| data.join("heliograph"))
}

/// An origin: `https://host` or `http://host:port`, in lower case, without a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(String);

impl Origin {
    /// The text, without a trailing slash.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the scheme is https.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.0.starts_with("https://")
    }

    /// Host and port, as a browser writes them into a `Host` header.
    #[must_use]
    pub fn authority(&self) -> &str {
        self.0.split_once("://").map_or("", |(_, authority)| authority)
    }

    /// The host without its port; an IPv6 address in brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        let authority = self.authority();
        let port = authority.rfind(':').filter(|at| !authority[*at..].contains(']'));
        port.map_or(authority, |at| &authority[..at])
    }
}

impl FromStr for Origin {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "expected an origin such as https://beam.example.org";
        let uri: Uri = text.parse().map_err(|_| WRONG)?;
        let scheme = uri.scheme_str().filter(|scheme| matches!(*scheme, "http" | "https"));
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
        let is_bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
        match (scheme, authority) {
            (Some(scheme), Some(authority)) if is_bare => {
                Ok(Self(format!("{scheme}://{authority}").to_ascii_lowercase()))
            }
            _ => Err(WRONG),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(arguments: &[&str]) -> Result<Config, clap::Error> {
        Config::try_parse_from([&["serve"], arguments].concat())
    }

    #[test]
    fn without_a_flag_it_serves_http_on_every_address() {
        let config = config(&[]).unwrap();
        assert_eq!(config.listen.to_string(), "[::]:8080");
        assert_eq!(config.tls.address(config.listen.ip()), None);
        assert_eq!(config.trusted_proxies.len(), 2);
    }

    #[test]
    fn https_follows_the_host_of_listen() {
        let address = |flags: &[&str]| {
            let config = config(&[&["--listen", "127.0.0.1:9000"], flags].concat()).unwrap();
            config.tls.address(config.listen.ip()).unwrap().to_string()
        };
        assert_eq!(address(&["--tls", "self-signed"]), "127.0.0.1:8443");
        assert_eq!(address(&["--tls", "acme"]), "127.0.0.1:443");
        assert_eq!(address(&["--tls", "acme", "--tls-listen", "[::1]:8443"]), "[::1]:8443");
    }

    #[test]
    fn the_first_domain_of_a_certificate_is_the_public_address() {
        let public_url = |flags: &[&str]| {
            config(flags).unwrap().public_url().map(|origin| origin.as_str().to_owned())
        };
        let domains = ["--domain", "beam.example.org,www.example.org"];
        let acme = [&["--tls", "acme"][..], &domains].concat();
        assert_eq!(public_url(&acme).as_deref(), Some("https://beam.example.org"));
        assert_eq!(public_url(&domains), None);
        let given = [&acme[..], &["--public-url", "https://other.example.org"]].concat();
        assert_eq!(public_url(&given).as_deref(), Some("https://other.example.org"));
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for wrong in [
            ["--tls", "on"],
            ["--tls", "cert.pem,"],
            ["--public-url", "beam.example.org"],
            ["--public-url", "https://beam.example.org/path"],
            ["--public-url", "ftp://beam.example.org"],
            ["--trusted-proxies", "10.0.0.0/40"],
            ["--listen", "8080"],
            ["--metrics", "9464"],
            ["--relay", "on"],
            ["--relay-rate", "0"],
            ["--relay-device-rate", "63KiB"],
            ["--join-policy", "tofu"],
        ] {
            assert!(config(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        let database = "postgres://ada:hush@localhost/beams";
        let mut config = config(&["--database", database]).unwrap();
        config.s3_secret_access_key = Some(Hidden("hush".to_owned()));
        config.nodes.bus = Some(Hidden("redis://:hush@localhost".to_owned()));
        assert!(!format!("{config:?}").contains("hush"), "{config:?}");
        assert_eq!(config.database.unwrap().0, database);
    }

    #[test]
    fn a_public_url_is_an_origin_without_a_slash() {
        let config = config(&["--public-url", "https://Beam.example.org:444/"]).unwrap();
        let origin = config.public_url.unwrap();
        assert_eq!(origin.as_str(), "https://beam.example.org:444");
        assert_eq!(origin.authority(), "beam.example.org:444");
        assert_eq!(origin.host(), "beam.example.org");
        for (url, host) in [
            ("https://a.example", "a.example"),
            ("http://[::1]:80", "[::1]"),
            ("http://[::1]", "[::1]"),
        ] {
            assert_eq!(url.parse::<Origin>().unwrap().host(), host);
        }
    }
}
