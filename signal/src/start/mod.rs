//! Starts the server from its configuration, and composes the greeting.

mod check;
pub mod descriptors;
mod http;
mod linger;
mod metrics;
mod node_address;
mod nodes;
pub mod operator;
mod patience;
mod process;
mod serve;
pub mod sweeper;
pub mod turn;

use std::fs;
use std::io;
use std::io::IsTerminal as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use heliograph_storage::blobs::{self, Blobs};
use heliograph_storage::staging::Staging;
use heliograph_storage::{Lease, LeaseError, Location, Storage};
use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;
use tokio::net::{TcpListener, TcpSocket};

use crate::app::{App, Listening, Parts};
use crate::budget::Budget;
use crate::bus::Bus;
use crate::bus::member::OpenError;
use crate::clock::Clock;
use crate::config::{Config, Hidden, Metrics, Nodes};
use crate::files::uploads::Uploads;
use crate::https::options::Tls;
use crate::https::{self, Certified};
use crate::ice::IceServers;
use crate::tcp;

pub use check::check;
pub use serve::{Listeners, serve};

/// Name of the folder in the data folder with what has come of uploads in pieces.
pub(crate) const STAGING_FOLDER: &str = "staging";

/// Connections that wait to be accepted. Linux silently drops what arrives beyond that, or resets it later, so it is as
/// long a queue as Linux allows by default (`net.core.somaxconn`).
const BACKLOG: u32 = 4096;

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The data folder cannot be created.
    #[error("cannot use the data folder {}", .0.display())]
    Data(PathBuf, #[source] io::Error),
    /// Another server uses the database, or it cannot be reached.
    #[error(transparent)]
    Lease(LeaseError),
    /// Another server, with another database, uses the data folder.
    #[error(
        "another Heliograph server uses the data folder {} with another database: stop it, or name another folder with \
         --data",
        .0.display()
    )]
    Folder(PathBuf),
    /// The database cannot be opened.
    #[error("cannot open the database")]
    Storage(#[source] heliograph_storage::Error),
    /// The store of files and pictures is misconfigured, or its folder cannot be created.
    #[error("cannot open the store of files")]
    Blobs(#[source] blobs::Error),
    /// The secrets of sessions cannot be read or created.
    #[error("cannot set up logins")]
    Logins(#[source] crate::error::Error),
    /// The secret of uploads cannot be read or created.
    #[error("cannot set up uploads")]
    Uploads(#[source] crate::error::Error),
    /// The address cannot be bound.
    #[error("cannot listen on {0}")]
    Listen(SocketAddr, #[source] io::Error),
    /// The congestion control cannot be had.
    #[error("cannot use --tcp-congestion")]
    Congestion(#[source] tcp::Error),
    /// Another node has this database and not this bus.
    #[error(
        "a node at {0} has this database, and is not heard by this bus: give all nodes the same --bus"
    )]
    OtherBus(SocketAddr),
    /// The bus has no address that can be read.
    #[error("cannot use --bus")]
    Bus(#[source] OpenError),
    /// The others would not reach this node.
    #[error(transparent)]
    Node(node_address::Error),
    /// The signal handlers cannot be installed.
    #[error("cannot listen for signals")]
    Signals(#[source] io::Error),
    /// https was asked for and cannot be served.
    #[error("cannot serve https")]
    Tls(#[source] https::Error),
    /// TURN was asked for and cannot be had.
    #[error("cannot offer TURN")]
    Turn(#[source] turn::Error),
}

/// Opens the database, binds the addresses, and puts the parts together.
///
/// # Errors
/// The first [`Error`] of a step.
pub async fn start(config: &Config, clock: Clock) -> Result<(Listeners, Arc<App>), Error> {
    let config = &Config { public_url: config.public_url(), ..config.clone() };
    let parts = parts(config, clock).await?;
    let (bus, for_nodes) = nodes::join(config, &parts.storage, parts.clock).await?;
    let data = &config.data;
    let public = config.public_url.as_ref().map(|url| url.host().trim_matches(['[', ']']));
    let congestion = config.tcp.congestion.as_deref();
    let plain = listen(config.listen, congestion)?;
    let https = https::open(&config.tls, public, data, clock).map_err(Error::Tls)?;
    let mut certified = Certified::default();
    let tls = match config.tls.address(config.listen.ip()).zip(https) {
        Some((address, https)) => {
            certified = https.certified;
            Some((listen(address, congestion)?, https.acceptor))
        }
        None => None,
    };
    let descriptors = descriptors::raise();
    let acceptor = tls.as_ref().map(|(_, acceptor)| acceptor);
    let turn = turn::start(config, acceptor, descriptors).map_err(Error::Turn)?;
    let rest = turn.embedded.as_ref().map_or(descriptors, |_| descriptors.map(|all| all / 4 * 3));
    let Metrics(metrics) = config.metrics;
    let metrics = metrics.map(|address| listen(address, None)).transpose()?;
    let listeners = Listeners {
        plain,
        tls,
        turn: turn.embedded.map(Arc::new),
        metrics,
        nodes: for_nodes,
        commands: operator::open(data, &location(config)),
    };
    let listening = listeners.listening().map_err(|error| Error::Listen(config.listen, error))?;
    let each = descriptors::of_connection(config);
    let connections = descriptors::connections(config.connections, rest, each);
    let config = &Config { connections, ..config.clone() };
    let parts = Parts { ice_servers: turn.ice_servers, certified, bus, ..parts };
    let app = App::open(config, listening, parts).await.map_err(Error::Logins)?;
    app.tasks.spawn(check_blobs(app.blobs.clone()));
    if let Bus::Shared(member) = &app.bus {
        nodes::begin(&app, member).await;
        nodes::alone_with_its_bus(&app).await?;
    }
    Ok((listeners, app))
}

/// Opens everything but the listeners, for commands of the operator while no server runs.
///
/// # Errors
/// The first [`Error`] of a step; [`Error::Lease`] while a server runs, or a node of it: others would not be told of a change.
pub async fn open(config: &Config, clock: Clock) -> Result<Arc<App>, Error> {
    let nowhere = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);
    let listening = Listening { plain: nowhere, tls: None, metrics: None };
    let config = Config { nodes: Nodes { bus: None, ..config.nodes.clone() }, ..config.clone() };
    let parts = parts(&config, clock).await?;
    App::open(&config, listening, parts).await.map_err(Error::Logins)
}

/// What is opened first. It offers no TURN.
async fn parts(config: &Config, clock: Clock) -> Result<Parts, Error> {
    let data = &config.data;
    make_folder(data).map_err(|error| Error::Data(data.clone(), error))?;
    let location = location(config);
    let lease = match config.nodes.bus {
        None => Lease::take(&location).await,
        Some(_) => Lease::share(&location).await,
    };
    let lease = lease.map_err(Error::Lease)?;
    match lease.lock_folder(data).await {
        Err(LeaseError::Taken) => return Err(Error::Folder(data.clone())),
        // The database is locked, and some file systems know no locks.
        Err(error) => tracing::warn!(%error, "let no other server use this data folder"),
        Ok(()) => {}
    }
    let opened = match config.nodes.bus {
        None => Storage::open(&location).await,
        Some(_) => Storage::open_shared(&location).await,
    };
    let (storage, writer) = opened.map_err(Error::Storage)?;
    // Of the uploads of the last run, those in pieces keep their room. Other nodes may receive some. On a full disk the server starts
    // anyway, and the sweeper ends them later.
    if config.nodes.bus.is_none()
        && let Err(error) = storage.abandon_uploads().await
    {
        tracing::warn!(%error, "the room of broken uploads could not be freed");
    }
    let clock = nodes::clock(config, &storage, clock).await?;
    let blobs = Blobs::open(&config.blobs()).map_err(Error::Blobs)?;
    let staging = Staging::open(&data.join(STAGING_FOLDER)).map_err(Error::Blobs)?;
    let budget = Budget::new(&config.budget);
    let limits = config.uploads.clone();
    let (stored, files, memory) = (storage.clone(), blobs.clone(), budget.clone());
    let uploads = Uploads::open(limits, stored, files, staging, memory, clock).await;
    let uploads = uploads.map_err(Error::Uploads)?;
    let ice_servers = IceServers::off();
    let certified = Certified::default();
    let bus = Bus::Alone;
    Ok(Parts { lease, storage, bus, writer, blobs, uploads, budget, clock, ice_servers, certified })
}

/// Creates the data folder with access for its owner only. An existing folder keeps its permissions.
///
/// # Errors
/// When it cannot be created.
pub fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Warns the operator when the store of files cannot be used. Only uploads need it, so the server starts anyway.
async fn check_blobs(blobs: Blobs) {
    if let Err(error) = blobs.check().await {
        tracing::warn!(%error, "the store of files and pictures cannot be used now");
    }
}

/// Where the database is.
#[must_use]
pub fn location(config: &Config) -> Location {
    match &config.database {
        Some(Hidden(address)) => Location::Postgres(address.clone()),
        None => Location::Folder(config.data.clone()),
    }
}

/// Listens on an address, with a congestion control for its connections. On a machine without IPv6, `[::]` becomes
/// `0.0.0.0`.
fn listen(address: SocketAddr, congestion: Option<&str>) -> Result<TcpListener, Error> {
    let any_v4 = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), address.port());
    match bind(address) {
        Err(error)
            if address.is_ipv6()
                && address.ip().is_unspecified()
                && error.kind() != io::ErrorKind::AddrInUse =>
        {
            tracing::info!(%error, "no IPv6 on this machine; listening on IPv4");
            bind(any_v4).map_err(|error| Error::Listen(any_v4, error))
        }
        bound => bound.map_err(|error| Error::Listen(address, error)),
    }
    .and_then(|socket| {
        if let Some(name) = congestion {
            tcp::choose(&socket, name).map_err(Error::Congestion)?;
        }
        socket.listen(BACKLOG).map_err(|error| Error::Listen(address, error))
    })
}

fn bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Otherwise connections of the last run would keep the address for a minute. On Windows they do not, and the option
    // would let others take the address.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// The greeting: the server's addresses, and in a terminal a QR code of the network address.
#[must_use]
pub fn greeting(listening: Listening, certificate: &Tls) -> String {
    let mut lines = vec!["Heliograph is ready:".to_owned(), format!("  {}", listening.local_url())];
    if let Some(url) = listening.network_url() {
        lines.push(format!("  {url}"));
        if io::stdout().is_terminal()
            && let Ok(code) = QrCode::new(&url)
        {
            // Most terminals are dark, so the light modules are drawn.
            let mut picture = code.render::<Dense1x2>();
            picture.dark_color(Dense1x2::Light).light_color(Dense1x2::Dark);
            lines.push(picture.build());
        }
    }
    if *certificate == Tls::SelfSigned {
        let page = format!("{}/certificate", listening.local_url());
        lines.push(format!("Browsers warn about its own certificate. What to do: {page}"));
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::future::join_all;
    use tokio::net::TcpStream;
    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn five_hundred_who_come_at_once_all_get_a_place_in_the_queue() {
        let listener = listen((Ipv4Addr::LOCALHOST, 0).into(), None).unwrap();
        let address = listener.local_addr().unwrap();
        let connects = join_all((0..500).map(|_| TcpStream::connect(address)));
        // A connection beyond the queue would never be made. The time is only so that the test ends.
        let connected = timeout(Duration::from_secs(20), connects).await;
        assert!(connected.expect("nobody waits").iter().all(Result::is_ok));
    }
}
