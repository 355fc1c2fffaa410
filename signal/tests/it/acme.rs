//! P4: certificates from an ACME server: pebble, that of Let's Encrypt's authors for tests.

use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use heliograph_shared::time::Millis;
use heliograph_signal::clock::Clock;
use instant_acme::Account;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::client::TlsStream;

use super::ports::free_port;
use super::program::Program;
use super::secure;
use super::server::{TestServer, ask, until};

const DOMAIN: &str = "beam.example.org";
const OTHER: &str = "www.example.org";
/// Ends a test in which nothing happens.
const PATIENCE: Duration = Duration::from_mins(1);

/// An ACME server, for which all names lead to this machine.
struct Pebble {
    processes: Vec<Child>,
    folder: TempDir,
    port: u16,
    management: u16,
    names: [u16; 2],
    /// Where it looks for proofs.
    tls_port: u16,
    /// Another port, where it does not look.
    elsewhere: u16,
}

impl Pebble {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [port, management, names, names_management, tls_port, elsewhere] =
            [(); 6].map(|()| free_port());
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
        let names = [names, names_management];
        let processes = Vec::new();
        let mut pebble = Self { processes, folder, port, management, names, tls_port, elsewhere };
        pebble.run().await;
        pebble
    }

    /// Starts it, without what it knew before: accounts, orders, the key of its root.
    async fn run(&mut self) {
        let [names, names_management] = self.names;
        let names_at = format!("127.0.0.1:{names}");
        let mut resolver = Command::new("pebble-challtestsrv");
        resolver.args(["-defaultIPv4", "127.0.0.1", "-defaultIPv6", "", "-dns01", &names_at]);
        resolver.args(["-http01", "", "-https01", "", "-tlsalpn01", ""]);
        resolver.args(["-management", &format!("127.0.0.1:{names_management}")]);
        let mut server = Command::new("pebble");
        server
            .arg("-config")
            .arg(self.folder.path().join("config.json"))
            .args(["-dnsserver", &names_at]);
        server.env("PEBBLE_VA_NOSLEEP", "1");
        // It refuses one good nonce in twenty by default, and three in a row end an order.
        server.env("PEBBLE_WFE_NONCEREJECT", "0");
        for (mut command, log) in [(resolver, self.log("names")), (server, self.log("pebble"))] {
            let log = fs::File::create(log).unwrap();
            command.stdin(Stdio::null()).stdout(log).stderr(Stdio::null());
            let process = command.spawn();
            self.processes.push(process.expect("pebble is installed (scripts/install-test-tools)"));
        }
        let answer = async {
            for port in [names, names_management, self.management, self.port] {
                while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_err() {
                    for process in &mut self.processes {
                        assert_eq!(process.try_wait().unwrap(), None, "it runs");
                    }
                    sleep(Duration::from_millis(20)).await;
                }
            }
        };
        timeout(PATIENCE, answer).await.expect("pebble answers");
    }

    /// Deactivates an account, as its owner may.
    async fn deactivate(&self, stored: &str) {
        let mut stored: serde_json::Value = serde_json::from_str(stored).unwrap();
        let credentials = serde_json::from_value(stored["credentials"].take()).unwrap();
        let builder = Account::builder_with_root(self.folder.path().join("cert.pem")).unwrap();
        builder.from_credentials(credentials).await.unwrap().deactivate().await.unwrap();
    }

    fn log(&self, program: &str) -> PathBuf {
        self.folder.path().join(program).with_extension("log")
    }

    /// What its log has.
    fn said(&self) -> String {
        fs::read_to_string(self.log("pebble")).unwrap()
    }

    fn stop(&mut self) {
        for mut process in self.processes.drain(..) {
            let _ = process.kill();
            let _ = process.wait();
        }
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
        let domains = format!("{DOMAIN},{OTHER}");
        let flags = ["--tls", "acme", "--domain", &domains, "--tls-listen", &listen];
        let server = ["--acme-directory", &directory, "--acme-root", root.to_str().unwrap()];
        // The tests ask from this machine, and no proxy does.
        let proxies = ["--trusted-proxies", "192.0.2.1"];
        flags.iter().chain(&server).chain(&proxies).map(|flag| (*flag).to_owned()).collect()
    }
}

impl Drop for Pebble {
    fn drop(&mut self) {
        self.stop();
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

/// When certificates of today have ended long ago.
fn much_later() -> Millis {
    Clock::System.now() + 20 * Duration::from_hours(365 * 24)
}

fn account_file(data: &Path) -> PathBuf {
    data.join("tls/acme/account.json")
}

fn stored(data: &Path) -> String {
    fs::read_to_string(data.join("tls/acme/certificate.pem")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn p4_public_names_have_a_certificate_by_itself_and_keep_it_over_restarts() {
    let mut pebble = Pebble::start().await;
    let port = pebble.tls_port;
    let (root, flags) = (pebble.root().await, pebble.flags(port));
    let now = Clock::System.now();
    let server = start(tempfile::tempdir().unwrap(), &flags, Clock::running(now)).await;

    let stream = certified(port, &root).await;
    let site = ask(stream, DOMAIN, "GET", "/api/site", &[]).await;
    assert_eq!(site.json()["name"], "Heliograph");
    let stream = tls(port, OTHER, root.clone()).await.expect("the certificate is for both names");
    assert_eq!(ask(stream, OTHER, "GET", "/api/site", &[]).await.json()["name"], "Heliograph");
    // By its names it is to be had over https only, by its address as before.
    for name in [DOMAIN, OTHER] {
        let stream = TcpStream::connect(server.address).await.unwrap();
        let plain = ask(stream, name, "GET", "/beam/1?a=b", &[]).await;
        assert_eq!(plain.status, 308);
        assert_eq!(plain.header("location"), format!("https://{name}/beam/1?a=b"));
        assert_eq!(plain.header("cache-control"), "no-store");
    }
    server.is_well().await;

    // Without the ACME server. A certificate is shown before it is stored.
    pebble.stop();
    replaced(server.folder.path(), None).await;
    let folder = server.ends().await;
    let first = stored(folder.path());
    let server = start(folder, &flags, Clock::running(now)).await;
    tls(port, DOMAIN, root).await.expect("the stored certificate");
    let folder = server.ends().await;

    // When the certificate has ended, with an ACME server that has forgotten the account.
    pebble.run().await;
    let server = start(folder, &flags, Clock::running(much_later())).await;
    certified(port, &pebble.root().await).await;
    replaced(server.folder.path(), Some(&first)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p4_a_name_that_leads_elsewhere_is_named_in_the_log_and_http_goes_on() {
    let pebble = Pebble::start().await;
    let port = pebble.elsewhere;
    let flags = pebble.flags(port);
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let mut program = Program::start(&flags, &[]);
    let waits = program.logs("no certificate from the ACME server");
    timeout(PATIENCE, waits).await.expect("the operator is told");
    let log = program.log();
    assert!(log.contains(".example.org: ") && log.contains("ailed to connect"), "{log}");
    assert!(tls(port, DOMAIN, pebble.root().await).await.is_err());
    for name in ["localhost", DOMAIN] {
        until(async || {
            let stream = TcpStream::connect(program.socket_address()).await.unwrap();
            ask(stream, name, "GET", "/healthz", &[]).await.status == 200
        })
        .await;
    }
}

/// Waits until the certificate in this folder is another one.
async fn replaced(data: &Path, old: Option<&str>) {
    let file = data.join("tls/acme/certificate.pem");
    let is_replaced = async {
        while fs::read_to_string(&file).ok().as_deref() == old {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, is_replaced).await.expect("another certificate");
}

/// Lets this much time pass at once.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

#[tokio::test]
async fn p4_a_certificate_that_cannot_be_stored_is_shown_and_only_its_storing_is_tried_again() {
    let pebble = Pebble::start().await;
    let (port, root) = (pebble.tls_port, pebble.root().await);
    let folder = tempfile::tempdir().unwrap();
    let in_the_way =
        ["certificate.new", "account.new"].map(|name| folder.path().join("tls/acme").join(name));
    for path in &in_the_way {
        fs::create_dir_all(path).unwrap();
    }
    let server = start(folder, &pebble.flags(port), Clock::System).await;
    let stream = certified(port, &root).await;
    let shown = stream.get_ref().1.peer_certificates().unwrap()[0].clone();

    for path in &in_the_way {
        fs::remove_dir(path).unwrap();
    }
    drop(pebble);
    pass(Duration::from_mins(16)).await;
    replaced(server.folder.path(), None).await;
    let stored = CertificateDer::from_pem_slice(stored(server.folder.path()).as_bytes());
    assert_eq!(stored.unwrap(), shown);
    assert!(account_file(server.folder.path()).exists());
}

#[tokio::test]
async fn p4_an_account_that_cannot_be_stored_is_the_one_of_the_next_attempt() {
    let pebble = Pebble::start().await;
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(account_file(folder.path()).with_extension("new")).unwrap();
    let flags = pebble.flags(pebble.elsewhere);
    let _server = start(folder, &flags, Clock::System).await;
    // Before that no time may pass at once: a request in flight would fail, and the next attempt has no account then.
    let attempted = async {
        while !pebble.said().contains("There are now 1 orders") {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, attempted).await.expect("an attempt");
    let again = async {
        while !pebble.said().contains("There are now 2 orders") {
            // Nobody hears when an attempt has failed and its pause begins.
            sleep(Duration::from_millis(300)).await;
            pass(Duration::from_mins(20)).await;
        }
    };
    // Of the time that passes above: some seventy tries.
    timeout(Duration::from_hours(24), again).await.expect("another attempt");
    assert!(pebble.said().contains("There are now 1 accounts"), "{}", pebble.said());
    assert!(!pebble.said().contains("There are now 2 accounts"), "{}", pebble.said());
}

#[tokio::test(flavor = "multi_thread")]
async fn p4_a_deactivated_account_is_put_aside_and_another_one_made() {
    let pebble = Pebble::start().await;
    let (port, root) = (pebble.tls_port, pebble.root().await);
    let (flags, now) = (pebble.flags(port), Clock::System.now());
    let server = start(tempfile::tempdir().unwrap(), &flags, Clock::running(now)).await;
    certified(port, &root).await;
    replaced(server.folder.path(), None).await;
    let folder = server.ends().await;
    let (file, first) = (account_file(folder.path()), stored(folder.path()));
    let old = fs::read_to_string(&file).unwrap();
    pebble.deactivate(&old).await;

    let server = start(folder, &flags, Clock::running(much_later())).await;
    replaced(server.folder.path(), Some(&first)).await;
    assert_ne!(fs::read_to_string(&file).unwrap(), old);
    assert_eq!(fs::read_to_string(file.with_file_name("account.old.json")).unwrap(), old);
}

#[tokio::test]
async fn p4_a_new_certificate_that_is_due_already_is_a_failure_which_is_tried_again_later() {
    let pebble = Pebble::start().await;
    let port = pebble.tls_port;
    let clock = Clock::running(much_later());
    let server = start(tempfile::tempdir().unwrap(), &pebble.flags(port), clock).await;
    let data = server.folder.path();
    replaced(data, None).await;
    let first = stored(data);
    pass(Duration::from_hours(7)).await;
    replaced(data, Some(&first)).await;
}

#[tokio::test]
async fn p4_an_acme_server_that_no_longer_answers_is_asked_again() {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let directory = format!("https://{}/dir", listener.local_addr().unwrap());
    let flags = ["--tls", "acme", "--domain", DOMAIN, "--tls-listen", "127.0.0.1:0"];
    let directory = ["--acme-directory", &directory].map(ToOwned::to_owned);
    let flags: Vec<_> = flags.map(ToOwned::to_owned).into_iter().chain(directory).collect();
    let _server = start(tempfile::tempdir().unwrap(), &flags, Clock::System).await;
    let _silent = listener.accept().await.unwrap();
    // Whenever nothing else happens, time passes at once.
    tokio::time::pause();
    let again = timeout(Duration::from_hours(1), listener.accept()).await;
    assert!(again.is_ok(), "it is asked again within the hour");
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
