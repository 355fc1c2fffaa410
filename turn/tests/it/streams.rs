//! Clients on streams, and how they are kept within bounds.

use std::net::SocketAddr;
use std::sync::Arc;

use heliograph_testing::ports::free_port_at;
use heliograph_turn::{Handle, StartError, TurnServer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};

use super::running::{PATIENCE, config, credentials, start};
use super::wire::*;

async fn answer(stream: &mut (impl AsyncRead + Unpin)) -> Answer {
    let reading = async {
        let mut bytes = vec![0; 20];
        stream.read_exact(&mut bytes).await.unwrap();
        bytes.resize(20 + usize::from(u16::from_be_bytes([bytes[2], bytes[3]])), 0);
        stream.read_exact(&mut bytes[20..]).await.unwrap();
        Answer::read(&bytes)
    };
    timeout(PATIENCE, reading).await.expect("an answer")
}

/// Whether a stream was closed by the server.
async fn is_closed(stream: &mut (impl AsyncRead + Unpin)) -> bool {
    let read = timeout(PATIENCE, stream.read(&mut [0; 100])).await;
    matches!(read.expect("an end"), Ok(0) | Err(_))
}

async fn allocate(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> Login {
    stream.write_all(&Message::new(ALLOCATE, 1).transport().unsigned()).await.unwrap();
    let login = Login::new(credentials("ada"), &answer(stream).await);
    stream.write_all(&Message::new(ALLOCATE, 2).transport().signed(&login)).await.unwrap();
    assert_eq!(answer(stream).await.code(), 0);
    login
}

/// Waits until the server counts so many allocations.
async fn until_allocations_are(server: &Handle, count: u64) {
    let waiting = async {
        while server.counts().allocations != count {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, waiting).await.expect("the allocations");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_allocation_ends_with_its_stream() {
    let server = start();
    let mut stream = TcpStream::connect(server.addresses().tcp[0]).await.unwrap();
    allocate(&mut stream).await;
    until_allocations_are(&server, 1).await;
    drop(stream);
    until_allocations_are(&server, 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_may_come_in_pieces_and_several_in_one() {
    let server = start();
    let mut stream = TcpStream::connect(server.addresses().tcp[0]).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let [first, second] = [1, 2].map(|n| Message::new(BINDING, n).unsigned());
    stream.write_all(&first[..7]).await.unwrap();
    stream.flush().await.unwrap();
    stream.write_all(&[&first[7..], &second].concat()).await.unwrap();
    for _ in 0..2 {
        assert!(answer(&mut stream).await.is_success());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_of_something_else_is_closed() {
    let server = start();
    let mut stream = TcpStream::connect(server.addresses().tcp[0]).await.unwrap();
    stream.write_all(&[0x80; 64]).await.unwrap();
    assert!(is_closed(&mut stream).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_beyond_the_bound_are_closed_and_a_place_comes_free() {
    let mut config = config();
    config.limits.streams_per_address = 2;
    let server = TurnServer::start(&config).unwrap();
    let tcp = server.addresses().tcp[0];
    let connect = || async move { TcpStream::connect(tcp).await.unwrap() };
    let (mut first, mut second) = (connect().await, connect().await);
    for stream in [&mut first, &mut second] {
        stream.write_all(&Message::new(BINDING, 1).unsigned()).await.unwrap();
        assert!(answer(stream).await.is_success());
    }
    assert!(is_closed(&mut connect().await).await);
    assert_eq!(server.counts().connections_refused, 1);
    drop(first);
    let again = async {
        loop {
            let mut stream = connect().await;
            let _ = stream.write_all(&Message::new(BINDING, 1).unsigned()).await;
            if stream.read_exact(&mut [0; 20]).await.is_ok() {
                return;
            }
        }
    };
    timeout(PATIENCE, again).await.expect("a place");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_does_not_read_is_dropped_and_the_others_are_served() {
    let server = start();
    let mut stream = TcpStream::connect(server.addresses().tcp[0]).await.unwrap();
    let login = allocate(&mut stream).await;
    let peer = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = peer.local_addr().unwrap().to_string();
    let bind = Message::new(CHANNEL_BIND, 3).channel(0x4000).peer(&address).signed(&login);
    stream.write_all(&bind).await.unwrap();
    assert_eq!(answer(&mut stream).await.code(), 0);
    stream.write_all(&channel_data(0x4000, b"here I am!!!")).await.unwrap();
    let (_, relay) = peer.recv_from(&mut [0; 100]).await.unwrap();
    let flooding = async {
        while server.counts().dropped_by_slow_client == 0 {
            peer.send_to(&[0; 8_000], relay).await.unwrap();
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, flooding).await.expect("a full outbox");
    let mut other = TcpStream::connect(server.addresses().tcp[0]).await.unwrap();
    other.write_all(&Message::new(BINDING, 1).unsigned()).await.unwrap();
    assert!(answer(&mut other).await.is_success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_closes_everything_and_its_addresses_are_free() {
    // No other socket gets one of these between the two servers.
    let own = || {
        let ips = ["127.0.0.1", "::1"].map(|ip| ip.parse().unwrap());
        ips.map(|ip| SocketAddr::new(ip, free_port_at(ip))).to_vec()
    };
    let mut config = config();
    (config.udp, config.tcp, config.tls) = (own(), own(), own());
    let server = TurnServer::start(&config).unwrap();
    let mut stream = TcpStream::connect(config.tcp[0]).await.unwrap();
    allocate(&mut stream).await;
    timeout(PATIENCE, server.stop()).await.expect("an end");
    assert!(is_closed(&mut stream).await);
    TurnServer::start(&config).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_another_server_has_is_not_shared() {
    let server = start();
    let mut second = config();
    second.udp.clone_from(&server.addresses().udp);
    let taken = server.addresses().udp[0];
    let error = TurnServer::start(&second).unwrap_err();
    assert!(matches!(error, StartError::Listen(address, _) if address == taken), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn encrypted_streams_work_over_ipv6_too() {
    let server = start();
    for address in server.addresses().tls.clone() {
        let mut stream = connect_tls(address).await;
        allocate(&mut stream).await;
    }
    assert_eq!(server.counts().allocations_made, 2);
}

async fn connect_tls(address: SocketAddr) -> impl AsyncRead + AsyncWrite + Unpin {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyCertificate))
        .with_no_client_auth();
    let stream = TcpStream::connect(address).await.unwrap();
    let name = ServerName::from(address.ip());
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap()
}

/// The certificate of a test is signed by nobody.
#[derive(Debug)]
struct AnyCertificate;

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        ring::default_provider().signature_verification_algorithms.supported_schemes()
    }
}
