//! A client on a socket, and servers on streams.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says so by failing")]

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use heliograph_shared::socket::IceServer;
use heliograph_turn::{Config, RelayHost, TurnServer};
use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use stun_types::attribute::{AttributeFromRaw as _, AttributeStaticType as _, ErrorCode};
use stun_types::message::{Message, MessageClass, MessageType, MessageWrite as _, Method};
use stun_types::message::{MessageWriteVec, TransactionId};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::TurnStreams;
use super::carrying::{self, Terms};
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
fn terms(has_relay: bool) -> Terms {
    Terms {
        others_first: Duration::from_millis(1),
        has_relay: watch::channel(has_relay).1,
        dial_within: PATIENCE,
        write_within: PATIENCE,
    }
}

async fn run<D, F>(terms: Terms, dial: D) -> (SocketAddr, JoinHandle<()>)
where
    D: Fn() -> F + Send + Sync + 'static,
    F: Future<Output = Option<Box<dyn Stream>>> + Send + 'static,
{
    let socket = UdpSocket::bind((OWN, 0)).await.unwrap();
    (socket.local_addr().unwrap(), tokio::spawn(carrying::run(socket, terms, dial)))
}

/// A client whose server is the test. A stream holds so many bytes that are not read.
async fn with_server(terms: Terms, held: usize) -> (Client, mpsc::Receiver<DuplexStream>) {
    let (dialed, servers) = mpsc::channel(8);
    let (at, _) = run(terms, move || {
        let (ours, theirs) = duplex(held);
        let dialed = dialed.clone();
        async move {
            dialed.send(theirs).await.ok()?;
            Some(Box::new(ours) as Box<dyn Stream>)
        }
    })
    .await;
    (Client::at(OWN, at).await, servers)
}

/// Waits until the other end closes a stream.
async fn closes(mut stream: impl AsyncRead + Unpin) {
    let reading = async { while stream.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {} };
    timeout(PATIENCE, reading).await.expect("an end");
}

/// Waits until the other end closes a stream that is not read.
async fn closes_unread(mut stream: DuplexStream) {
    let writing = async {
        // What is no message would end it for another reason.
        while stream.write_all(&[0x40, 0, 0, 0]).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, writing).await.expect("an end");
}

/// The servers that a device is told of, in the order in which they are tried.
fn told(urls: &[String]) -> Vec<IceServer> {
    vec![IceServer { urls: urls.to_vec(), username: None, credential: None }]
}

/// The client of a connection, beside one of its streams.
async fn beside(streams: &TurnStreams, url: &str) -> Client {
    let local = streams.local(url).unwrap().strip_prefix("turn:").unwrap();
    let at = local.strip_suffix("?transport=udp").unwrap().parse().unwrap();
    Client::at(OWN, at).await
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
    let (over_tcp, _) = run(terms(false), move || async move {
        Some(Box::new(TcpStream::connect(tcp).await.ok()?) as Box<dyn Stream>)
    })
    .await;
    let (over_tls, _) = run(terms(false), move || {
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
    let (at, task) = run(terms(true), || async { unreachable!("it is opened") }).await;
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
    let (at, _) = run(terms(false), move || {
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
async fn nobody_on_another_address_gets_a_relay() {
    let (client, mut servers) = with_server(terms(false), 1 << 20).await;
    let elsewhere = Client::at(Ipv4Addr::new(127, 0, 0, 2).into(), client.server).await;
    elsewhere.asks(1).await;
    assert_eq!(elsewhere.hears_error().await, 486);
    client.asks(2).await;
    let mut server = servers.recv().await.unwrap();
    elsewhere.asks(3).await;
    assert_eq!(elsewhere.hears_error().await, 486);
    server.write_all(&[0x40, 0, 0, 1, 9, 0, 0, 0]).await.unwrap();
    assert_eq!(client.hears().await, [0x40, 0, 0, 1, 9]);
}

#[tokio::test]
async fn l4_a_socket_that_takes_the_place_of_another_gets_a_stream_of_its_own() {
    let (before, mut servers) = with_server(terms(false), 1 << 20).await;
    before.asks(1).await;
    let first = servers.recv().await.unwrap();
    let after = Client::at(OWN, before.server).await;
    after.asks(2).await;
    let mut second = timeout(PATIENCE, servers.recv()).await.expect("a stream").unwrap();
    closes(first).await;
    // A packet of the socket before that was on its way does not take the place back.
    before.asks(3).await;
    assert_eq!(before.hears_error().await, 486);
    second.write_all(&[0x40, 0, 0, 1, 9, 0, 0, 0]).await.unwrap();
    assert_eq!(after.hears().await, [0x40, 0, 0, 1, 9]);
}

#[tokio::test]
async fn l4_a_socket_takes_the_place_of_another_whose_server_does_not_answer() {
    let (dialed, mut dials) = mpsc::channel(8);
    let (at, _) = run(terms(false), move || {
        let dialed = dialed.clone();
        async move {
            let _ = dialed.send(()).await;
            std::future::pending().await
        }
    })
    .await;
    for transaction in [1, 2] {
        Client::at(OWN, at).await.asks(transaction).await;
        assert_eq!(timeout(PATIENCE, dials.recv()).await.expect("a call"), Some(()));
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up() {
    let terms = Terms { dial_within: Duration::from_millis(1), ..terms(false) };
    let (at, _) = run(terms, std::future::pending).await;
    let client = Client::at(OWN, at).await;
    client.asks(1).await;
    assert_eq!(client.hears_error().await, 486);
}

#[tokio::test]
async fn a_stream_that_takes_nothing_is_given_up() {
    let terms = Terms { write_within: Duration::from_millis(1), ..terms(false) };
    let (client, mut servers) = with_server(terms, 8).await;
    for transaction in [1, 2] {
        client.asks(transaction).await;
        let server = timeout(PATIENCE, servers.recv()).await.expect("a stream").unwrap();
        // It holds eight bytes of the request.
        closes_unread(server).await;
    }
}

#[tokio::test]
async fn what_a_stream_broke_off_does_not_go_on_in_the_next_one() {
    let (client, mut servers) = with_server(terms(false), 1 << 20).await;
    client.asks(1).await;
    let mut server = servers.recv().await.unwrap();
    server.write_all(&[0x40, 0, 0, 8, 1, 2]).await.unwrap();
    drop(server);
    let mut server = loop {
        // Until the end was noticed, it is one more message of the first stream.
        client.asks(2).await;
        if let Ok(server) = timeout(Duration::from_millis(20), servers.recv()).await {
            break server.unwrap();
        }
    };
    server.write_all(&[0x40, 0, 0, 1, 9, 0, 0, 0]).await.unwrap();
    assert_eq!(client.hears().await, [0x40, 0, 0, 1, 9]);
}

#[tokio::test]
async fn a_server_that_is_silent_does_not_keep_back_another_and_all_streams_end_with_the_link() {
    let silent = TcpListener::bind((OWN, 0)).await.unwrap();
    let answering = TcpListener::bind((OWN, 0)).await.unwrap();
    let url = |listener: &TcpListener, scheme| {
        format!("{scheme}:{}?transport=tcp", listener.local_addr().unwrap())
    };
    // The handshake of the first one does not go on.
    let urls = [url(&silent, "turns"), url(&answering, "turn")];
    let streams = TurnStreams::prepare(&told(&urls), &[(OWN, 0).into()]);
    let waiting = beside(&streams, &urls[0]).await;
    let client = beside(&streams, &urls[1]).await;
    waiting.asks(1).await;
    client.asks(2).await;
    let (unanswered, _) = timeout(PATIENCE, silent.accept()).await.expect("a call").unwrap();
    let (mut server, _) = timeout(PATIENCE, answering.accept()).await.expect("a call").unwrap();
    server.write_all(&[0x40, 0, 0, 1, 9, 0, 0, 0]).await.unwrap();
    assert_eq!(client.hears().await, [0x40, 0, 0, 1, 9]);
    drop(streams);
    closes(unanswered).await;
    closes(server).await;
}

#[tokio::test]
async fn l4_streams_are_on_an_address_that_this_device_still_has() {
    let servers = told(&["turn:192.0.2.1?transport=tcp".to_owned()]);
    let mut streams = TurnStreams::prepare(&servers, &[(OWN, 0).into()]);
    let local = |streams: &TurnStreams| streams.local(&servers[0].urls[0]).map(str::to_owned);
    let before = local(&streams).unwrap();
    assert!(!streams.look_again(&servers));
    assert_eq!(local(&streams), Some(before));
    assert!(streams.stand_at(Some(Ipv4Addr::new(127, 0, 0, 2).into()), &servers));
    assert!(local(&streams).unwrap().starts_with("turn:127.0.0.2:"));
    assert!(streams.stand_at(None, &servers));
    assert_eq!(local(&streams), None);
}

#[tokio::test]
async fn garbage_of_a_server_ends_the_stream_and_the_client_may_ask_again() {
    let (client, mut servers) = with_server(terms(false), 1 << 20).await;
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
    let (client, mut servers) = with_server(terms(false), 1 << 20).await;
    client.asks(1).await;
    let mut server = servers.recv().await.unwrap();
    let longest = [&[0, 1, 0xff, 0xfc][..], &vec![7; 16 + 0xfffc]].concat();
    server.write_all(&longest).await.unwrap();
    server.write_all(&[0x40, 0, 0, 2, 8, 9, 0, 0]).await.unwrap();
    assert_eq!(client.hears().await, [0x40, 0, 0, 2, 8, 9]);
}
