//! The way from a configuration to a server that listens, and what is said on the screen then.

use std::fmt;
use std::fs;
use std::io;
use std::io::IsTerminal as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use heliograph_storage::blobs::{self, Blobs};
use heliograph_storage::{Location, Storage};
use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;
use tokio::net::TcpListener;

use crate::app::{App, Listening};
use crate::clock::Clock;
use crate::config::Config;
use crate::logins::Logins;
use crate::serve::Listeners;
use crate::tls;

/// How long a login that was read once is believed when other servers may write to the same tables.
const TRUST_AMONG_MANY: Duration = Duration::from_secs(5);

/// Why the server does not start.
#[derive(Debug)]
pub enum Error {
    /// The data folder cannot be made.
    Data(PathBuf, io::Error),
    /// The database cannot be opened.
    Storage(heliograph_storage::Error),
    /// Files and pictures cannot be kept where they should be.
    Blobs(blobs::Error),
    /// Passwords and logins cannot be served.
    Logins(crate::error::Error),
    /// An address cannot be listened on.
    Listen(SocketAddr, io::Error),
    /// There is no https, and there should be.
    Tls(tls::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(path, error) => {
                write!(f, "cannot use the data folder {}: {error}", path.display())
            }
            Self::Storage(error) => write!(f, "cannot open the {error}"),
            Self::Blobs(error) => write!(f, "cannot keep files: {error}"),
            Self::Logins(error) => write!(f, "cannot serve logins: {error}"),
            Self::Listen(address, error) => write!(f, "cannot listen on {address}: {error}"),
            Self::Tls(error) => write!(f, "cannot serve https: {error}"),
        }
    }
}

impl std::error::Error for Error {}

/// Opens the tables, binds the addresses, and puts the parts together.
///
/// # Errors
/// [`Error`] says what is missing.
pub async fn start(config: &Config, clock: Clock) -> Result<(Listeners, Arc<App>), Error> {
    let data = &config.data;
    fs::create_dir_all(data).map_err(|error| Error::Data(data.clone(), error))?;
    let storage = Storage::open(&location(config)).await.map_err(Error::Storage)?;
    let blobs = Blobs::open(&config.blobs()).map_err(Error::Blobs)?;
    let trust = if config.database.is_some() { TRUST_AMONG_MANY } else { Duration::MAX };
    let logins = Logins::open(storage.clone(), trust).await.map_err(Error::Logins)?;
    let plain = listen(config.listen).await?;
    let acceptor = tls::acceptor(&config.tls, data, clock.now()).map_err(Error::Tls)?;
    let tls = match config.tls_address().zip(acceptor) {
        Some((address, acceptor)) => Some((listen(address).await?, acceptor)),
        None => None,
    };
    let listeners = Listeners { plain, tls };
    let listening = listeners.listening().map_err(|error| Error::Listen(config.listen, error))?;
    let app = App::new(config, listening, storage, blobs, logins, clock);
    app.tasks.spawn(check_blobs(app.blobs.clone()));
    Ok((listeners, app))
}

/// A place that cannot keep files stops uploads, and nothing else: the operator is told.
async fn check_blobs(blobs: Blobs) {
    if let Err(error) = blobs.check().await {
        tracing::warn!(%error, "files and pictures cannot be kept now");
    }
}

fn location(config: &Config) -> Location {
    config
        .database
        .clone()
        .map_or_else(|| Location::Folder(config.data.clone()), Location::Postgres)
}

/// Binds an address. Every IPv6 address becomes every IPv4 address on a machine without IPv6.
async fn listen(address: SocketAddr) -> Result<TcpListener, Error> {
    let any_v4 = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), address.port());
    match TcpListener::bind(address).await {
        Err(error)
            if address.is_ipv6()
                && address.ip().is_unspecified()
                && error.kind() != io::ErrorKind::AddrInUse =>
        {
            tracing::info!(%error, "no IPv6 here, listening on IPv4");
            TcpListener::bind(any_v4).await.map_err(|error| Error::Listen(any_v4, error))
        }
        bound => bound.map_err(|error| Error::Listen(address, error)),
    }
}

/// The addresses for people, and in a terminal a code to scan.
#[must_use]
pub fn greeting(listening: Listening) -> String {
    let mut lines = vec!["Heliograph is ready:".to_owned(), format!("  {}", listening.local_url())];
    if let Some(url) = listening.network_url() {
        lines.push(format!("  {url}"));
        if io::stdout().is_terminal()
            && let Ok(code) = QrCode::new(&url)
        {
            // Terminals are dark: the light fields are the ones that are drawn.
            let mut picture = code.render::<Dense1x2>();
            picture.dark_color(Dense1x2::Light).light_color(Dense1x2::Dark);
            lines.push(picture.build());
        }
    }
    lines.join("\n") + "\n"
}
