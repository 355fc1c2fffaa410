//! https without a proxy, with the operator's certificate or one made for this machine's addresses (P4).

use std::fs;
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;

use heliograph_shared::time::Millis;
use rcgen::{CertificateParams, DnType, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use time::OffsetDateTime;
use tokio::time::{MissedTickBehavior, interval};
use tokio_rustls::TlsAcceptor;

use crate::clock::Clock;
use crate::config::Tls;
use crate::error::causes;
use crate::network;

const DAY: Duration = Duration::from_hours(24);
/// Validity of a self-signed certificate. Browsers refuse certificates that are valid for much longer.
const VALID_DAYS: u32 = 365;
/// Days before its end at which a self-signed certificate is replaced.
const RENEW_DAYS: u32 = 30;
/// How often the certificate is read again.
const FRESH: Duration = Duration::from_hours(1);

/// Why https cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{} cannot be used", .0.display())]
    File(PathBuf, #[source] io::Error),
    /// A file is not PEM, or not of the right kind.
    #[error("{} cannot be read", .0.display())]
    Pem(PathBuf, #[source] rustls::pki_types::pem::Error),
    /// The certificate and its key do not match, or cannot be used.
    #[error("the certificate cannot be used")]
    Rustls(#[source] rustls::Error),
    /// A self-signed certificate cannot be made.
    #[error("the certificate cannot be made")]
    Making(#[source] rcgen::Error),
}

/// The TLS acceptor; `None` with `--tls off`. It reads the certificate again while the server runs.
///
/// # Errors
/// [`Error`] when https was asked for and cannot be served.
pub fn acceptor(tls: &Tls, data: &Path, clock: Clock) -> Result<Option<TlsAcceptor>, Error> {
    if *tls == Tls::Off {
        return Ok(None);
    }
    let certificate = Arc::new(Certificate::open(tls.clone(), data, clock.now())?);
    tokio::spawn(keep_fresh(Arc::downgrade(&certificate), clock));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(Error::Rustls)?;
    let mut config = builder.with_no_client_auth().with_cert_resolver(certificate);
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Some(TlsAcceptor::from(Arc::new(config))))
}

/// Reads the certificate at an interval, as long as the acceptor exists.
async fn keep_fresh(certificate: Weak<Certificate>, clock: Clock) {
    let mut interval = interval(FRESH);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        let Some(certificate) = certificate.upgrade() else { return };
        if let Err(error) = certificate.read_again(clock.now()) {
            tracing::warn!(
                error = causes(&error),
                "the certificate could not be renewed; keeping the old one"
            );
        }
    }
}

/// The current certificate, for the handshakes.
#[derive(Debug)]
struct Certificate {
    from: Tls,
    data: PathBuf,
    shown: RwLock<Arc<CertifiedKey>>,
}

impl Certificate {
    fn open(from: Tls, data: &Path, now: Millis) -> Result<Self, Error> {
        let shown = RwLock::new(Arc::new(read(&from, data, now)?));
        Ok(Self { from, data: data.to_owned(), shown })
    }

    /// Reads the certificate again. The operator may have replaced it; a self-signed one may expire soon or lack a new
    /// address of this machine.
    fn read_again(&self, now: Millis) -> Result<(), Error> {
        let fresh = Arc::new(read(&self.from, &self.data, now)?);
        *self.shown.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

    fn shown(&self) -> Arc<CertifiedKey> {
        self.shown.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.shown())
    }
}

/// Reads the certificate from its files. Makes a self-signed one first, unless there is a good one.
fn read(from: &Tls, data: &Path, now: Millis) -> Result<CertifiedKey, Error> {
    let (certificate, key) = match from {
        Tls::Files { certificate, key } => (certificate.clone(), key.clone()),
        Tls::Off | Tls::SelfSigned => self_signed(data, &names(), now)?,
    };
    read_files(&certificate, &key)
}

/// Reads a certificate and its key, which must fit.
///
/// # Errors
/// [`Error`] with the file that is wrong.
pub fn read_files(certificate: &Path, key: &Path) -> Result<CertifiedKey, Error> {
    let pem = |path: &Path| {
        let path = path.to_owned();
        move |error| Error::Pem(path, error)
    };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(pem(certificate))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(pem(key))?;
    let provider = rustls::crypto::ring::default_provider();
    CertifiedKey::from_der(chain, key, &provider).map_err(Error::Rustls)
}

/// The names and addresses under which this machine is opened.
fn names() -> Vec<String> {
    let local = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    let addresses = local.into_iter().chain(network::addresses()).map(|ip| ip.to_string());
    let mut names = vec!["localhost".to_owned()];
    if let Some(host) = network::host_name().filter(|host| host != "localhost") {
        names.push(format!("{host}.local"));
        names.push(host);
    }
    names.extend(addresses);
    names
}

/// The files of a self-signed certificate for these names. Makes new ones unless those in the folder are good.
fn self_signed(data: &Path, names: &[String], now: Millis) -> Result<(PathBuf, PathBuf), Error> {
    let folder = data.join("tls");
    let [certificate, key, about] =
        ["self-signed.pem", "self-signed.key", "self-signed.txt"].map(|name| folder.join(name));
    let is_good = key.exists()
        && certificate.exists()
        && fs::read_to_string(&about).is_ok_and(|about| is_still_good(&about, names, now));
    if !is_good {
        fs::create_dir_all(&folder).map_err(|error| Error::File(folder.clone(), error))?;
        let ends = now + VALID_DAYS * DAY;
        let (certificate_pem, key_pem) = make(names, now, ends).map_err(Error::Making)?;
        // The description is written last, so that an incomplete certificate is made again.
        let _ = fs::remove_file(&about);
        write_private(&key, &key_pem)?;
        write_private(&certificate, &certificate_pem)?;
        write_private(&about, &format!("{}\n{}\n", ends.get(), names.join("\n")))?;
    }
    Ok((certificate, key))
}

fn is_still_good(about: &str, names: &[String], now: Millis) -> bool {
    let mut lines = about.lines();
    let ends = Millis::new(lines.next().and_then(|ends| ends.parse().ok()).unwrap_or(0));
    // Before its beginning when it was made by a clock that was ahead.
    let is_valid = (ends - (VALID_DAYS + 1) * DAY..ends - RENEW_DAYS * DAY).contains(&now);
    is_valid && lines.eq(names.iter().map(String::as_str))
}

fn make(names: &[String], now: Millis, ends: Millis) -> Result<(String, String), rcgen::Error> {
    let at = |time: Millis| {
        let seconds = time.get() / 1000;
        OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH)
    };
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.push(DnType::CommonName, "Heliograph on this network");
    // A day in the past, for devices whose clocks are behind.
    params.not_before = at(now - DAY);
    params.not_after = at(ends);
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?;
    Ok((certificate.pem(), key.serialize_pem()))
}

/// Writes a file that only its owner can read, from its first byte on.
fn write_private(path: &Path, text: &str) -> Result<(), Error> {
    let write = || {
        if path.exists() {
            fs::remove_file(path)?;
        }
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write().map_err(|error| Error::File(path.to_owned(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis::new(1_800_000_000_000);

    fn read(files: &(PathBuf, PathBuf)) -> String {
        fs::read_to_string(&files.0).unwrap()
    }

    #[test]
    fn p4_a_certificate_is_kept_until_it_ends_or_the_addresses_change() {
        let folder = tempfile::tempdir().unwrap();
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (home, cafe) =
            (names(&["localhost", "192.168.1.2"]), names(&["localhost", "10.0.0.9"]));
        let make = |names: &[String], now| read(&self_signed(folder.path(), names, now).unwrap());

        let first = make(&home, NOW);

        assert_eq!(make(&home, NOW + 300 * DAY), first);
        let moved = make(&cafe, NOW + 300 * DAY);
        assert_ne!(moved, first);
        assert_ne!(make(&cafe, NOW + (300 + 336) * DAY), moved);
    }

    #[test]
    fn p4_a_certificate_that_begins_in_the_future_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["localhost".to_owned()];
        let make = |now| read(&self_signed(folder.path(), &names, now).unwrap());
        let by_a_wrong_clock = make(NOW + 2 * DAY);
        let right = make(NOW);
        assert_ne!(right, by_a_wrong_clock);
        assert_eq!(make(NOW - DAY), right, "it is valid from a day before it was made");
    }

    #[cfg(unix)]
    #[test]
    fn p4_the_key_is_for_its_owner_only() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (_, key) = self_signed(folder.path(), &["localhost".to_owned()], NOW).unwrap();
        assert_eq!(fs::metadata(key).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn p4_files_that_are_no_certificate_are_named_in_the_error() {
        let folder = tempfile::tempdir().unwrap();
        let [certificate, key] = ["cert.pem", "key.pem"].map(|name| folder.path().join(name));
        fs::write(&certificate, "nonsense").unwrap();
        let tls = Tls::Files { certificate, key };
        let Err(error) = Certificate::open(tls, folder.path(), NOW) else { panic!("accepted") };
        assert!(error.to_string().contains("key.pem"), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn p4_a_certificate_is_renewed_while_the_server_runs() {
        let folder = tempfile::tempdir().unwrap();
        let certificate = Certificate::open(Tls::SelfSigned, folder.path(), NOW).unwrap();
        let certificate = Arc::new(certificate);
        let first = certificate.shown();
        let task = tokio::spawn(keep_fresh(Arc::downgrade(&certificate), Clock::running(NOW)));

        tokio::time::sleep(Duration::from_hours(300 * 24)).await;
        assert_eq!(certificate.shown().cert, first.cert);
        tokio::time::sleep(Duration::from_hours(36 * 24)).await;
        assert_ne!(certificate.shown().cert, first.cert);

        drop(certificate);
        task.await.unwrap();
    }

    #[test]
    fn p4_a_certificate_that_cannot_be_read_again_stays() {
        let folder = tempfile::tempdir().unwrap();
        let open = Certificate::open(Tls::SelfSigned, folder.path(), NOW).unwrap();
        let [certificate, key] =
            ["pem", "key"].map(|end| folder.path().join(format!("tls/self-signed.{end}")));
        let operators =
            Certificate { from: Tls::Files { certificate: certificate.clone(), key }, ..open };
        let first = operators.shown();
        fs::write(&certificate, "half").unwrap();
        assert!(operators.read_again(NOW).is_err());
        assert!(Arc::ptr_eq(&operators.shown(), &first));
    }
}
