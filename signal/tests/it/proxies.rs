//! The recipes in `deploy/` for Debian's Caddy and nginx in front of the server, and for tests of several nodes.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use tempfile::TempDir;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;

use super::device::unknown_beam;
use super::file::{MIB, png};
use super::ports::free_port;
use super::secure;
use super::server::{TestServer, ask, send};

pub const DOMAIN: &str = "beam.example.org";
/// Ends a test in which nothing happens.
const PATIENCE: Duration = Duration::from_mins(1);

/// A proxy that serves https for the domain.
pub struct Proxy {
    process: Child,
    /// Where it is configured and keeps its files.
    _folder: TempDir,
    http: SocketAddr,
    https: SocketAddr,
    root: PathBuf,
}

/// Ports of this machine for http and https.
fn ports() -> [SocketAddr; 2] {
    [(); 2].map(|()| (Ipv4Addr::LOCALHOST, free_port()).into())
}

/// A recipe, with these parts of it replaced; each is in it.
fn recipe(name: &str, replaced: &[(&str, String)]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy").join(name);
    replaced.iter().fold(fs::read_to_string(path).unwrap(), |text, (from, to)| {
        assert!(text.contains(from), "{name} has {from}");
        text.replace(from, to)
    })
}

fn spawn(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("Caddy and nginx are installed (scripts/install-test-tools)")
}

async fn connects(https: SocketAddr, root: &Path) -> TlsStream<TcpStream> {
    let connects = async {
        loop {
            if let Ok(root) = CertificateDer::from_pem_file(root)
                && let Ok(stream) = secure::connect(https, DOMAIN, root).await
            {
                return stream;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, connects).await.expect("the proxy serves the domain")
}

impl Proxy {
    fn caddy(server: &TestServer) -> Self {
        let upstream = ("{$UPSTREAM:127.0.0.1:8080}", server.address.to_string());
        Self::caddy_of("Caddyfile", &[upstream])
    }

    /// Caddy with a recipe in which more is replaced.
    pub fn caddy_of(name: &str, replaced: &[(&str, String)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let [http, https] = ports();
        let site = format!("{{$DOMAIN:{DOMAIN}}} {{\n");
        let own = format!(
            "{{\n\tadmin off\n\tskip_install_trust\n\tdefault_bind 127.0.0.1\n\thttp_port {}\n\thttps_port {}\n\tstorage file_system {}\n}}\n{DOMAIN} {{\n\ttls internal\n",
            http.port(),
            https.port(),
            at("storage").display(),
        );
        let recipe = recipe(name, &[&[(&*site, own)][..], replaced].concat());
        fs::write(at("Caddyfile"), recipe).unwrap();
        let mut caddy = Command::new("caddy");
        caddy.args(["run", "--adapter", "caddyfile", "--config"]).arg(at("Caddyfile"));
        caddy.env("HOME", folder.path());
        let root = at("storage/pki/authorities/local/root.crt");
        Self { process: spawn(&mut caddy), _folder: folder, http, https, root }
    }

    fn nginx(server: &TestServer) -> Self {
        Self::nginx_of("nginx.conf", &[("127.0.0.1:8080", server.address.to_string())])
    }

    /// nginx with a recipe in which more is replaced.
    pub fn nginx_of(name: &str, replaced: &[(&str, String)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let [http, https] = ports();
        let made = rcgen::generate_simple_self_signed([DOMAIN.to_owned()]).unwrap();
        fs::write(at("cert.pem"), made.cert.pem()).unwrap();
        fs::write(at("key.pem"), made.signing_key.serialize_pem()).unwrap();
        let own = [
            ("listen 80;", format!("listen {http};")),
            ("listen 443 ssl;", format!("listen {https} ssl;")),
            ("listen [::]:80;", format!("listen [::1]:{};", http.port())),
            ("listen [::]:443 ssl;", format!("listen [::1]:{} ssl;", https.port())),
            ("/etc/letsencrypt/live/beam.example.org/fullchain.pem", at("cert.pem")),
            ("/etc/letsencrypt/live/beam.example.org/privkey.pem", at("key.pem")),
        ];
        let site = recipe(name, &[&own[..], replaced].concat());
        fs::write(at("site.conf"), site).unwrap();
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {};", at(kind)));
        let whole = format!(
            "daemon off; pid {}; error_log {} warn; events {{}}\nhttp {{ access_log off; {} include {}; }}\n",
            at("pid"),
            at("error.log"),
            temporary.concat(),
            at("site.conf"),
        );
        fs::write(at("nginx.conf"), whole).unwrap();
        let mut nginx = Command::new("/usr/sbin/nginx");
        nginx.args(["-c", &at("nginx.conf"), "-e", &at("error.log")]);
        let root = at("cert.pem").into();
        Self { process: spawn(&mut nginx), _folder: folder, http, https, root }
    }

    /// A connection to the site, once it is served.
    pub async fn connects(&self) -> TlsStream<TcpStream> {
        connects(self.https, &self.root).await
    }

    /// An address at which connections are passed on to the site, in TLS.
    pub async fn door(&self) -> SocketAddr {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let (address, https, root) =
            (listener.local_addr().unwrap(), self.https, self.root.clone());
        self.connects().await;
        tokio::spawn(async move {
            while let Ok((mut plain, _)) = listener.accept().await {
                let root = root.clone();
                tokio::spawn(async move {
                    let mut stream = connects(https, &root).await;
                    let _ = copy_bidirectional(&mut plain, &mut stream).await;
                });
            }
        });
        address
    }

    /// Whether the product works through this proxy as it does without one.
    async fn passes_everything_on(&self) {
        // What a device says of its own address is not passed on.
        let forged = [("x-forwarded-for", "192.0.2.66")];
        let stream = self.connects().await;
        let diagnosis = ask(stream, DOMAIN, "GET", "/api/doctor", &forged).await.json();
        let seen = ["host", "scheme", "address", "forwarding"].map(|what| &diagnosis[what]);
        assert_eq!(seen, [DOMAIN, "https", "127.0.0.1", "believed"]);

        let file = png(20 * MIB);
        let (body, kind) = file.form();
        let stream = self.connects().await;
        let stored = send(stream, DOMAIN, "POST", "/api/upload/", &[kind], &body).await;
        assert_eq!(stored.status, 201, "{:?}", String::from_utf8_lossy(&stored.body));
        let url = stored.json()["url"].as_str().unwrap().to_owned();
        let read = ask(self.connects().await, DOMAIN, "GET", &url, &[]).await;
        assert!(read.status == 200 && read.body == file.bytes, "{}", read.status);

        let url = format!("wss://{DOMAIN}/ws/beam/{}/", unknown_beam());
        let (mut socket, _) = client_async(url, self.connects().await).await.unwrap();
        let content = "x".repeat(200_000);
        for text in [
            r#"{"type":"auth","message":null}"#.to_owned(),
            format!(r#"{{"type":"share_clipboard","message":"{content}"}}"#),
        ] {
            socket.send(Message::text(text)).await.unwrap();
        }
        let echo = async {
            loop {
                let message = socket.next().await.unwrap().unwrap();
                if message.to_text().is_ok_and(|text| text.contains(&content)) {
                    return;
                }
            }
        };
        timeout(PATIENCE, echo).await.expect("the echo of a shared text");

        let stream = TcpStream::connect(self.http).await.unwrap();
        let plain = ask(stream, DOMAIN, "GET", "/beam?a=b", &[]).await;
        assert_eq!(plain.status, 308);
        let target = plain.header("location");
        assert!(target.starts_with("https://") && target.ends_with("/beam?a=b"), "{target}");
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // nginx's workers end with their master, if it is asked and not killed.
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.process.wait();
    }
}

async fn server() -> TestServer {
    TestServer::with(&["--public-url", "https://beam.example.org"]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn p4_everything_works_behind_caddy_as_the_recipe_has_it() {
    let server = server().await;
    Proxy::caddy(&server).passes_everything_on().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p4_everything_works_behind_nginx_as_the_recipe_has_it() {
    let server = server().await;
    Proxy::nginx(&server).passes_everything_on().await;
}
