//! coturn's programs: its clients, its peer and, as a yardstick, its server. Each ends with the test that started it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use heliograph_testing::ports::{free_port, free_port_at};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::wire::{BINDING, Message};

/// Far longer than any of the programs takes.
const PATIENCE: Duration = Duration::from_mins(2);

fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

/// Asks until there is an answer: that is when a program has opened its socket.
async fn until_it_answers(child: &mut Child, address: SocketAddr, question: &[u8]) {
    let own: IpAddr = match address {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => std::net::Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = tokio::net::UdpSocket::bind((own, 0)).await.unwrap();
    let mut buffer = [0; 2_000];
    let asking = async {
        loop {
            assert_eq!(child.try_wait().unwrap(), None, "it runs");
            socket.send_to(question, address).await.unwrap();
            let answer = timeout(Duration::from_millis(50), socket.recv_from(&mut buffer));
            if matches!(answer.await, Ok(Ok(_))) {
                return;
            }
        }
    };
    timeout(PATIENCE, asking).await.expect("the program answers");
}

/// `turnutils_peer`: sends back what it gets.
pub struct Peer {
    pub address: SocketAddr,
    _child: Child,
}

impl Peer {
    pub async fn start(ip: &str) -> Self {
        let ip: IpAddr = ip.parse().unwrap();
        let address = SocketAddr::new(ip, free_port_at(ip));
        let port = address.port().to_string();
        let mut child = program("turnutils_peer")
            .args(["-L", &ip.to_string(), "-p", &port])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("coturn is installed (scripts/install-test-tools)");
        until_it_answers(&mut child, address, b"are you there").await;
        Self { address, _child: child }
    }
}

/// `turnserver` of coturn, on loopback addresses.
pub struct Coturn {
    pub address: SocketAddr,
    _child: Child,
    _folder: TempDir,
}

impl Coturn {
    /// With the same credentials as the embedded server, relays on 127.0.0.1 and `::1`, and these options.
    pub async fn start(secret: &str, options: &[&str]) -> Self {
        let always = ["-n", "--no-cli", "--use-auth-secret", "-r", "heliograph"];
        Self::run(secret, &[&always, options].concat()).await
    }

    /// With the configuration that people are given, `turn/coturn.conf`.
    pub async fn as_documented(secret: &str) -> Self {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/coturn.conf");
        Self::run(secret, &["-c", file]).await
    }

    async fn run(secret: &str, options: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()));
        let file = |name: &str| folder.path().join(name).display().to_string();
        let mut child = program("turnserver")
            .args(["--no-tls", "--no-dtls"])
            .args(["--listening-ip", "127.0.0.1", "-p", &address.port().to_string()])
            .args(["-E", "127.0.0.1", "-E", "::1", "--static-auth-secret", secret])
            .args(["--log-file", "stdout", "--userdb", &file("db"), "--pidfile", &file("pid")])
            .args(options)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("coturn is installed (scripts/install-test-tools)");
        until_it_answers(&mut child, address, &Message::new(BINDING, 1).unsigned()).await;
        Self { address, _child: child, _folder: folder }
    }
}

/// What a program said and how it ended.
#[derive(Debug)]
pub struct Said {
    pub text: String,
    pub status: ExitStatus,
}

impl Said {
    /// The last number after a name: `tot_send_msgs=5`.
    pub fn number(&self, name: &str) -> u32 {
        let after = self.text.rsplit_once(name).unwrap_or_else(|| panic!("{}", self.text)).1;
        let digits = after.trim_start_matches(['=', ' ', '~']);
        digits.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
    }

    /// How many messages were sent and came back.
    pub fn messages(&self) -> (u32, u32) {
        (self.number("tot_send_msgs"), self.number("tot_recv_msgs"))
    }
}

/// Runs a client against a server.
pub async fn client(name: &str, server: SocketAddr, options: &[&str]) -> Said {
    let port = server.port().to_string();
    let running = program(name)
        .args(options)
        .args(["-p", &port, &server.ip().to_string()])
        .spawn()
        .expect("coturn is installed (scripts/install-test-tools)")
        .wait_with_output();
    let output = timeout(PATIENCE, running).await.expect("the client ends").unwrap();
    let text = [output.stdout, output.stderr].concat();
    Said { text: String::from_utf8_lossy(&text).into_owned(), status: output.status }
}
