//! P4: certificates from an ACME server: pebble, that of Let's Encrypt's authors for tests.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use heliograph_signal::clock::Clock;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::client::TlsStream;

use super::program::Program;
use super::secure;
use super::server::{TestServer, ask};

const DOMAIN: &str = "beam.example.org";
/// Ends a test in which nothing happens.
const PATIENCE: Duration = Duration::from_mins(1);

/// A port that was free just now.
pub fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// An ACME server, for which all names lead to one address.
struct Pebble {
    processes: [Child; 2],
    folder: TempDir,
    port: u16,
    management: u16,
}

impl Pebble {
    /// Looks for proofs at this port of this address.
    async fn start(address: &str, tls_port: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [port, management, names, names_management] = [(); 4].map(|()| free_port());
        let at = |name: &str| folder.path().join(name);
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(at("cert.pem"), made.cert.pem()).unwrap();
        fs::write(at("key.pem"), made.signing_key.serialize_pem()).unwrap();
        let config = serde_json::json!({ "pebble": {
            "listenAddress": format!("127.0.0.1:{port}"),
            "managementListenAddress": format!("127.0.0.1:{management}"),
            "certificate": at("cert.pem"),
            "privateKey": at("key.pem"),
            "httpPort": 1,
            "tlsPort": tls_port,
        }});
        fs::write(at("config.json"), config.to_string()).unwrap();
        let names_at = format!("127.0.0.1:{names}");
        let mut resolver = Command::new("pebble-challtestsrv");
        resolver.args(["-defaultIPv4", address, "-defaultIPv6", "", "-dns01", &names_at]);
        resolver.args(["-http01", "", "-https01", "", "-tlsalpn01", ""]);
        resolver.args(["-management", &format!("127.0.0.1:{names_management}")]);
        let mut server = Command::new("pebble");
        server.arg("-config").arg(at("config.json")).args(["-dnsserver", &names_at]);
        server.env("PEBBLE_VA_NOSLEEP", "1");
        let processes = [resolver, server].map(|mut command| {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().expect("pebble is installed (scripts/install-test-tools)")
        });
        let pebble = Self { processes, folder, port, management };
        let answers = async {
            while TcpStream::connect((Ipv4Addr::LOCALHOST, management)).await.is_err() {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, answers).await.expect("pebble answers");
        pebble
    }

    fn certificate(&self) -> CertificateDer<'static> {
        CertificateDer::from_pem_file(self.folder.path().join("cert.pem")).unwrap()
    }

    /// The root of the certificates that it gives. It is new in each run.
    async fn root(&self) -> CertificateDer<'static> {
        let stream = tls(self.management, "localhost", self.certificate()).await.unwrap();
        let answer = ask(stream, "localhost", "GET", "/roots/0", &[]).await;
        CertificateDer::from_pem_slice(&answer.body).unwrap()
    }

    /// The flags of a server that asks here for a certificate.
    fn flags(&self, tls_port: u16) -> Vec<String> {
        let root = self.folder.path().join("cert.pem");
        let directory = format!("https://localhost:{}/dir", self.port);
        let listen = format!("127.0.0.1:{tls_port}");
        let flags = ["--tls", "acme", "--domain", DOMAIN, "--tls-listen", &listen];
        let server = ["--acme-directory", &directory, "--acme-root", root.to_str().unwrap()];
        // The tests ask from this machine, and no proxy does.
        let proxies = ["--trusted-proxies", "192.0.2.1"];
        flags.iter().chain(&server).chain(&proxies).map(|flag| (*flag).to_owned()).collect()
    }
}

impl Drop for Pebble {
    fn drop(&mut self) {
        for process in &mut self.processes {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Connects to a port of this machine.
async fn tls(
    port: u16,
    name: &str,
    root: CertificateDer<'static>,
) -> std::io::Result<TlsStream<TcpStream>> {
    secure::connect((Ipv4Addr::LOCALHOST, port).into(), name, root).await
}

/// Waits until the server has a certificate of this root.
async fn certified(port: u16, root: &CertificateDer<'static>) -> TlsStream<TcpStream> {
    let connects = async {
        loop {
            match tls(port, DOMAIN, root.clone()).await {
                Ok(stream) => return stream,
                Err(_) => sleep(Duration::from_millis(50)).await,
            }
        }
    };
    timeout(PATIENCE, connects).await.expect("a certificate for the domain")
}

async fn start(folder: TempDir, flags: &[String], clock: Clock) -> TestServer {
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    TestServer::at(folder, &flags, clock).await
}

fn stored(data: &Path) -> String {
    fs::read_to_string(data.join("tls/acme/certificate.pem")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn p4_a_public_name_has_a_certificate_by_itself_and_keeps_it_over_restarts() {
    let port = free_port();
    let pebble = Pebble::start("127.0.0.1", port).await;
    let (root, flags) = (pebble.root().await, pebble.flags(port));
    let now = Clock::System.now();
    let server = start(tempfile::tempdir().unwrap(), &flags, Clock::running(now)).await;

    let stream = certified(port, &root).await;
    let site = ask(stream, DOMAIN, "GET", "/api/site", &[]).await;
    assert_eq!(site.json()["name"], "Heliograph");
    // By its name it is to be had over https only, by its address as before.
    let stream = TcpStream::connect(server.address).await.unwrap();
    let plain = ask(stream, DOMAIN, "GET", "/beam/1?a=b", &[]).await;
    assert_eq!(plain.status, 308);
    assert_eq!(plain.header("location"), "https://beam.example.org/beam/1?a=b");
    assert_eq!(server.get("/healthz").await.status, 200);

    // Without the ACME server.
    drop(pebble);
    let folder = server.ends().await;
    let first = stored(folder.path());
    let server = start(folder, &flags, Clock::running(now)).await;
    tls(port, DOMAIN, root).await.expect("the stored certificate");
    let folder = server.ends().await;

    // With another one, when the certificate has ended.
    let pebble = Pebble::start("127.0.0.1", port).await;
    let later = Clock::running(now + 20 * Duration::from_hours(365 * 24));
    let server = start(folder, &pebble.flags(port), later).await;
    certified(port, &pebble.root().await).await;
    assert_ne!(stored(server.folder.path()), first);
}

#[tokio::test(flavor = "multi_thread")]
async fn p4_a_name_that_leads_elsewhere_is_named_in_the_log_and_http_goes_on() {
    let port = free_port();
    let pebble = Pebble::start("127.0.0.1", free_port()).await;
    let flags = pebble.flags(port);
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let mut program = Program::start(&flags, &[]);
    let waits = program.logs("no certificate from the ACME server");
    timeout(PATIENCE, waits).await.expect("the operator is told");
    let log = program.log();
    assert!(log.contains(&format!("{DOMAIN}: ")) && log.contains("ailed to connect"), "{log}");
    assert!(tls(port, DOMAIN, pebble.root().await).await.is_err());
    let stream = TcpStream::connect(program.socket_address()).await.unwrap();
    assert_eq!(ask(stream, "localhost", "GET", "/healthz", &[]).await.status, 200);
}

#[test]
fn p4_acme_without_a_name_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_heliograph"));
    program.args(["serve", "--listen", "127.0.0.1:0", "--turn", "off", "--tls", "acme", "--data"]);
    let output = program.arg(folder.path()).output().unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("--domain beam.example.org"), "{said}");
}
