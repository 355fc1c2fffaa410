//! The options of TCP for the connections of devices: how much waits in the kernel, and how it judges congestion.

#[cfg(target_os = "linux")]
use std::fs;
use std::io;

use clap::Args;
use tokio::net::{TcpSocket, TcpStream};

/// Bytes that the kernel keeps unsent for a connection (`TCP_NOTSENT_LOWAT`). It asks for more when half of them are
/// gone. What waits in the kernel cannot be overtaken, so a text waits behind them: 13 ms at 10 MB/s. With less, a line
/// of 10 Gbit/s would run dry in the 50 µs that a busy server takes to write more.
#[cfg(target_os = "linux")]
const UNSENT_BYTES: u32 = 128 * 1024;

/// What an operator may choose.
#[derive(Clone, Debug, Default, Args)]
#[group(skip)]
pub struct Options {
    /// How TCP judges congestion on the connections of devices, by the system's name for it, such as bbr or cubic (Linux)
    /// [default: the system's].
    #[arg(long = "tcp-congestion", env = "HELIOGRAPH_TCP_CONGESTION", value_name = "NAME")]
    pub congestion: Option<String>,
}

/// The names that the system has.
#[cfg(target_os = "linux")]
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";
/// Those that every user may choose.
#[cfg(target_os = "linux")]
const ALLOWED: &str = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";

/// Why `--tcp-congestion` cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system does not have it.
    #[error("this system has no congestion control {0:?}; it has: {1}")]
    Unknown(String, String),
    /// The system has it, but not for this user.
    #[error(
        "this user may not choose the congestion control {0}, but {1}; allow it with `sysctl \
         net.ipv4.tcp_allowed_congestion_control='{1} {0}'`"
    )]
    NotAllowed(String, String),
    /// There is nothing to choose from here.
    #[error("this system lets no program choose a congestion control")]
    NoChoice,
    /// Something else.
    #[error("the congestion control {0} cannot be set")]
    System(String, #[source] io::Error),
}

/// Whether this congestion control can be had.
///
/// # Errors
/// Why it cannot.
pub fn check(name: &str) -> Result<(), Error> {
    let socket = TcpSocket::new_v4().or_else(|_| TcpSocket::new_v6());
    choose(&socket.map_err(|error| Error::System(name.to_owned(), error))?, name)
}

/// Sets the congestion control of a listener, which its connections take over.
///
/// # Errors
/// Why it cannot be had.
#[cfg(target_os = "linux")]
pub fn choose(listener: &TcpSocket, name: &str) -> Result<(), Error> {
    let set = socket2::SockRef::from(listener).set_tcp_congestion(name.as_bytes());
    set.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::Unknown(name.to_owned(), names(AVAILABLE)),
        io::ErrorKind::PermissionDenied => Error::NotAllowed(name.to_owned(), names(ALLOWED)),
        _ => Error::System(name.to_owned(), error),
    })
}

/// There is no choice on other systems.
#[cfg(not(target_os = "linux"))]
pub fn choose(_: &TcpSocket, _: &str) -> Result<(), Error> {
    Err(Error::NoChoice)
}

/// Sets the options of an accepted connection.
///
/// # Errors
/// When the connection is already closed.
pub fn prepare(stream: &TcpStream) -> io::Result<()> {
    // Messages are small and urgent.
    stream.set_nodelay(true)?;
    #[cfg(target_os = "linux")]
    socket2::SockRef::from(stream).set_tcp_notsent_lowat(UNSENT_BYTES)?;
    Ok(())
}

/// The names in a file of the kernel.
#[cfg(target_os = "linux")]
fn names(file: &str) -> String {
    fs::read_to_string(file).map_or_else(|error| error.to_string(), |all| all.trim().to_owned())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_the_system_does_not_have_is_answered_with_those_that_it_has() {
        let wrong = check("nonsense").unwrap_err().to_string();
        let available = names(AVAILABLE);
        assert!(!available.is_empty() && wrong.ends_with(&available), "{wrong}");
        assert!(check(available.split(' ').next().unwrap()).is_ok());
    }

    #[tokio::test]
    async fn a_connection_has_the_congestion_control_of_its_listener_and_keeps_little_unsent() {
        let socket = TcpSocket::new_v4().unwrap();
        let default = socket2::SockRef::from(&socket).tcp_congestion().unwrap();
        let other = if default.starts_with(b"reno") { "cubic" } else { "reno" };
        choose(&socket, other).unwrap();
        socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
        let listener = socket.listen(1).unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (accepted, _) = listener.accept().await.unwrap();

        prepare(&accepted).unwrap();

        let accepted = socket2::SockRef::from(&accepted);
        assert!(accepted.tcp_congestion().unwrap().starts_with(other.as_bytes()));
        assert_eq!(accepted.tcp_notsent_lowat().unwrap(), UNSENT_BYTES);
    }
}
