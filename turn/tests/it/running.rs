//! The embedded server on loopback addresses, and a client for what coturn's do not try.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use heliograph_turn::credentials::{Credentials, mint};
use heliograph_turn::{Config, Handle, RelayHost, TurnServer};
use tokio::net::UdpSocket;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::wire::{ALLOCATE, Answer, Login, Message};

pub const SECRET: &str = "a-secret-of-the-tests";
/// Makes a test that would hang fail instead.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// Listens on loopback addresses of both families, over all transports, and relays from there to there.
pub fn config() -> Config {
    let loopback = ["127.0.0.1:0", "[::1]:0"].map(|address| address.parse().unwrap()).to_vec();
    let mut config = Config::new("heliograph", SECRET.as_bytes());
    (config.udp, config.tcp, config.tls) = (loopback.clone(), loopback.clone(), loopback);
    config.acceptor = Some(acceptor());
    config.relay_hosts = ["127.0.0.1", "::1"]
        .map(|ip| RelayHost { bind: ip.parse().unwrap(), advertised: ip.parse().unwrap() })
        .to_vec();
    config.allowed_peers = ["127.0.0.0/8", "::1/128"].map(|net| net.parse().unwrap()).to_vec();
    config
}

pub fn start() -> Handle {
    TurnServer::start(&config()).unwrap()
}

fn acceptor() -> TlsAcceptor {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

#[expect(clippy::disallowed_methods, reason = "coturn reads the machine's clock too")]
pub fn unix_time() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// Credentials that are good for ten minutes.
pub fn credentials(device: &str) -> Credentials {
    mint(SECRET.as_bytes(), device, unix_time() + 600)
}

/// A client over UDP.
pub struct TurnClient {
    socket: UdpSocket,
    login: Option<Login>,
    transactions: u64,
}

impl TurnClient {
    pub async fn connect(server: SocketAddr) -> Self {
        let socket = UdpSocket::bind((server.ip(), 0)).await.unwrap();
        socket.connect(server).await.unwrap();
        Self { socket, login: None, transactions: 0 }
    }

    /// Gets a relay, after it was asked for credentials.
    pub async fn allocate(&mut self, change: impl Fn(Message) -> Message) -> Answer {
        self.login = None;
        let challenge = self.request(|_| change(Message::new(ALLOCATE, 0).transport())).await;
        self.login = Some(Login::new(credentials("probe"), &challenge));
        self.request(|number| change(Message::new(ALLOCATE, number).transport())).await
    }

    /// The answer to a request, which is signed once the client knows how.
    pub async fn request(&mut self, message: impl Fn(u64) -> Message) -> Answer {
        self.transactions += 1;
        let message = message(self.transactions);
        let bytes = match &self.login {
            Some(login) => message.signed(login),
            None => message.unsigned(),
        };
        self.send(&bytes).await;
        Answer::read(&self.receive().await)
    }

    pub async fn send(&self, bytes: &[u8]) {
        self.socket.send(bytes).await.unwrap();
    }

    pub async fn receive(&self) -> Vec<u8> {
        let mut bytes = vec![0; 65_536];
        let received = timeout(PATIENCE, self.socket.recv(&mut bytes));
        let length = received.await.expect("an answer").unwrap();
        bytes.truncate(length);
        bytes
    }
}
