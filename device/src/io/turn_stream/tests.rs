//! A client on a socket, and servers on streams.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says so by failing")]

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use heliograph_turn::{Config, RelayHost, TurnServer};
use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use stun_types::attribute::{AttributeFromRaw as _, AttributeStaticType as _, ErrorCode};
use stun_types::message::{Message, MessageClass, MessageType, MessageWrite as _, Method};
use stun_types::message::{MessageWriteVec, TransactionId};
use tokio::io::{AsyncWriteExt as _, DuplexStream, duplex};
use tokio::net::{TcpStream, UdpSocket};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::carrying::{self, OthersFirst};
use crate::io::server::Stream;

const OWN: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const PATIENCE: Duration = Duration::from_secs(10);

/// A client, and the socket that it takes for its server.
struct Client {
    socket: UdpSocket,
    server: SocketAddr,
}

impl Client {
    async fn at(ip: IpAddr, server: SocketAddr) -> Self {
        Self { socket: UdpSocket::bind((ip, 0)).await.unwrap(), server }
    }

    async fn asks(&self, transaction: u8) {
        let kind = MessageType::from_class_method(MessageClass::Request, Method::new(3));
        let transaction = TransactionId::from(u128::from(transaction));
        let request = Message::builder(kind, transaction, MessageWriteVec::new()).finish();
        self.socket.send_to(&request, self.server).await.unwrap();
    }

    async fn hears(&self) -> Vec<u8> {
        let mut answer = vec![0; 70_000];
        let heard = timeout(PATIENCE, self.socket.recv_from(&mut answer)).await;
        let (length, from) = heard.expect("an answer").unwrap();
        assert_eq!(from, self.server);
        answer.truncate(length);
        answer
    }

    /// The code of the error that it hears next.
    async fn hears_error(&self) -> u16 {
        let answer = self.hears().await;
        let message = Message::from_bytes(&answer).unwrap();
        let error = message.raw_attribute(ErrorCode::TYPE).unwrap();
        ErrorCode::from_raw_ref(&error).unwrap().code()
    }
}

/// Without any other way, or beside one.
fn others(has_relay: bool) -> OthersFirst {
    OthersFirst { time: Duration::from_millis(1), has_relay: watch::channel(has_relay).1 }
}

async fn run<D, F>(others: OthersFirst, dial: D) -> (SocketAddr, JoinHandle<()>)
where
    D: Fn() -> F + Send + Sync + 'static,
    F: Future<Output = Option<Box<dyn Stream>>> + Send + 'static,
{
    let socket = UdpSocket::bind((OWN, 0)).await.unwrap();
    (socket.local_addr().unwrap(), tokio::spawn(carrying::run(socket, others, dial)))
}

/// A client whose server is the test.
async fn with_server() -> (Client, mpsc::Receiver<DuplexStream>) {
    let (dialed, servers) = mpsc::channel(8);
    let (at, _) = run(others(false), move || {
        let (ours, theirs) = duplex(1 << 20);
        let dialed = dialed.clone();
        async move {
            dialed.send(theirs).await.ok()?;
            Some(Box::new(ours) as Box<dyn Stream>)
        }
    })
    .await;
    (Client::at(OWN, at).await, servers)
}

#[tokio::test]
async fn a_server_is_asked_over_tcp_and_over_tls() {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let acceptor = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let mut config = Config::new("heliograph", b"secret");
    (config.tcp, config.tls) = (vec![(OWN, 0).into()], vec![(OWN, 0).into()]);
    config.relay_hosts = vec![RelayHost { bind: OWN, advertised: OWN }];
    config.acceptor = Some(TlsAcceptor::from(Arc::new(acceptor)));
    let server = TurnServer::start(&config).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let trusting = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = TlsConnector::from(Arc::new(trusting));
    let (tcp, tls) = (server.addresses().tcp[0], server.addresses().tls[0]);
    let (over_tcp, _) = run(others(false), move || async move {
        Some(Box::new(TcpStream::connect(tcp).await.ok()?) as Box<dyn Stream>)
    })
    .await;
    let (over_tls, _) = run(others(false), move || {
        let connector = connector.clone();
        async move {
            let stream = TcpStream::connect(tls).await.ok()?;
            let name = ServerName::try_from("localhost").ok()?;
            Some(Box::new(connector.connect(name, stream).await.ok()?) as Box<dyn Stream>)
        }
    })
    .await;
    for at in [over_tcp, over_tls] {
        let client = Client::at(OWN, at).await;
        client.asks(1).await;
        assert_eq!(client.hears_error().await, 401);
        client.asks(2).await;
        assert_eq!(client.hears_error().await, 401);
    }
}

#[tokio::test]
async fn where_there_is_a_relay_no_stream_is_opened() {
    let (at, task) = run(others(true), || async { unreachable!("it is opened") }).await;
    let client = Client::at(OWN, at).await;
    for transaction in [1, 2] {
        client.asks(transaction).await;
        assert_eq!(client.hears_error().await, 486);
    }
    assert!(!task.is_finished());
}

#[tokio::test]
async fn a_server_that_is_not_reached_is_tried_again_at_the_next_request() {
    let (dialed, mut dials) = mpsc::channel(8);
    let (at, _) = run(others(false), move || {
        let dialed = dialed.clone();
        async move {
            let _ = dialed.send(()).await;
            None
        }
    })
    .await;
    let client = Client::at(OWN, at).await;
    for transaction in [1, 2] {
        client.asks(transaction).await;
        assert_eq!(client.hears_error().await, 486);
        assert_eq!(dials.recv().await, Some(()));
    }
}

#[tokio::test]
async fn there_is_one_client_and_it_is_on_this_address() {
    let (client, mut servers) = with_server().await;
    let elsewhere = Client::at(Ipv4Addr::new(127, 0, 0, 2).into(), client.server).await;
    elsewhere.asks(1).await;
    assert_eq!(elsewhere.hears_error().await, 486);
    client.asks(2).await;
    let mut server = servers.recv().await.unwrap();
    let second = Client::at(OWN, client.server).await;
    second.asks(3).await;
    assert_eq!(second.hears_error().await, 486);
    server.write_all(&[0x40, 0, 0, 1, 9, 0, 0, 0]).await.unwrap();
    assert_eq!(client.hears().await, [0x40, 0, 0, 1, 9]);
}

#[tokio::test]
async fn garbage_of_a_server_ends_the_stream_and_the_client_may_ask_again() {
    let (client, mut servers) = with_server().await;
    for (transaction, garbage) in [&[0x80; 40][..], &[0, 1, 0, 3, 0], &[0xff; 4]].iter().enumerate()
    {
        client.asks(u8::try_from(transaction).unwrap()).await;
        let mut server = servers.recv().await.unwrap();
        server.write_all(garbage).await.unwrap();
        // It is the other end that closes.
        let ending = async {
            while server.write_all(&[0x80]).await.is_ok() {
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, ending).await.expect("an end");
    }
}

#[tokio::test]
async fn a_message_that_fits_no_datagram_is_lost_and_the_next_one_comes() {
    let (client, mut servers) = with_server().await;
    client.asks(1).await;
    let mut server = servers.recv().await.unwrap();
    let longest = [&[0, 1, 0xff, 0xfc][..], &vec![7; 16 + 0xfffc]].concat();
    server.write_all(&longest).await.unwrap();
    server.write_all(&[0x40, 0, 0, 2, 8, 9, 0, 0]).await.unwrap();
    assert_eq!(client.hears().await, [0x40, 0, 0, 2, 8, 9]);
}
