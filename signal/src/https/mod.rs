//! https without a proxy: with the operator's certificate, one from an ACME server, or one made for this machine (P4).

mod acme;
mod certificate;
mod error;
pub mod options;
mod own;
mod self_signed;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use heliograph_shared::time::Millis;
use rustls::ServerConfig;
use rustls::sign::CertifiedKey;
use tokio::time::{MissedTickBehavior, interval};
use tokio_rustls::TlsAcceptor;

use crate::clock::Clock;
use crate::error::causes;
use crate::https::certificate::{ACME_PROTOCOL, About, Shown};
use crate::https::options::{Domain, Options, Tls};

pub use error::Error;
pub use own::{describe, is_self_made};

/// How often the certificate is read again.
const FRESH: Duration = Duration::from_mins(1);

/// https as it is served.
pub struct Https {
    /// Makes the handshakes.
    pub acceptor: TlsAcceptor,
    /// What the certificate is, and what it is for.
    pub certified: Certified,
}

/// The certificate that handshakes show, and the public names for which it is from an ACME server, or will be.
#[derive(Clone, Debug, Default)]
pub struct Certified {
    names: Arc<[String]>,
    shown: Weak<Shown>,
}

impl Certified {
    /// The certificate that handshakes show now.
    #[must_use]
    pub fn certificate(&self) -> Option<Arc<CertifiedKey>> {
        self.shown.upgrade()?.certificate()
    }

    /// The names. Without ACME there are none.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether browsers take the certificate for this name: it is there and has not ended. Its beginning is not
    /// compared, because an ACME server gives none of the future, so only the clock here can be wrong.
    #[must_use]
    pub fn serves(&self, name: &str, now: Millis) -> bool {
        let about = || About::of(&*self.certificate()?);
        self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
            && about().is_some_and(|about| now < about.ends)
    }
}

/// Starts to serve https; `None` with `--tls off`. The certificate is renewed while the server runs. A self-signed one is
/// for the `public` name or address, too.
///
/// # Errors
/// [`Error`] when https was asked for and cannot be served. A certificate that an ACME server has yet to give is no
/// error: until it is there, handshakes fail.
pub fn open(
    options: &Options,
    public: Option<&str>,
    data: &Path,
    clock: Clock,
) -> Result<Option<Https>, Error> {
    let shown = Arc::new(Shown::default());
    match &options.certificate {
        Tls::Off => return Ok(None),
        Tls::Acme => acme::open(options, data, clock, &shown)?,
        Tls::SelfSigned | Tls::Files { .. } => {
            let (from, public) = (options.certificate.clone(), public.map(ToOwned::to_owned));
            let files = Files { from, public, data: data.to_owned() };
            shown.show(files.read(clock.now())?);
            tokio::spawn(keep_fresh(files, Arc::downgrade(&shown), clock));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(Error::Rustls)?;
    let mut certified = Certified { names: Arc::default(), shown: Arc::downgrade(&shown) };
    let mut protocols = vec![b"http/1.1".to_vec()];
    if options.certificate == Tls::Acme {
        certified.names = options.domains.iter().map(|Domain(name)| name.clone()).collect();
        protocols.push(ACME_PROTOCOL.to_vec());
    }
    let mut config = builder.with_no_client_auth().with_cert_resolver(shown);
    config.alpn_protocols = protocols;
    Ok(Some(Https { acceptor: TlsAcceptor::from(Arc::new(config)), certified }))
}

/// Reads the certificate that is there, without making one or asking for one; `None` when there is none yet.
///
/// # Errors
/// [`Error`] when it cannot be used.
pub fn stored(options: &Options, data: &Path) -> Result<Option<CertifiedKey>, Error> {
    let (certificate, key) = match &options.certificate {
        Tls::Off => return Ok(None),
        Tls::SelfSigned => self_signed::paths(data),
        Tls::Acme => acme::paths(data),
        Tls::Files { certificate, key } => {
            return certificate::read(certificate, key).map(Some);
        }
    };
    certificate.exists().then(|| certificate::read(&certificate, &key)).transpose()
}

/// Checks what the operator gives for https. Makes nothing, and asks nobody.
///
/// # Errors
/// [`Error`] when https could not be served.
pub fn check(options: &Options) -> Result<(), Error> {
    match &options.certificate {
        Tls::Acme if options.domains.is_empty() => Err(Error::NoDomain),
        Tls::Acme => options.root.as_deref().map_or(Ok(()), certificate::check_root),
        Tls::Off | Tls::SelfSigned => Ok(()),
        Tls::Files { certificate, key } => certificate::read(certificate, key).map(drop),
    }
}

/// Where a certificate in files is.
#[derive(Debug)]
struct Files {
    from: Tls,
    /// A name or an address besides the machine's own, for a self-signed one.
    public: Option<String>,
    data: PathBuf,
}

impl Files {
    /// Reads the certificate. Makes a self-signed one first, unless there is a good one.
    fn read(&self, now: Millis) -> Result<CertifiedKey, Error> {
        if let Tls::Files { certificate, key } = &self.from {
            return certificate::read(certificate, key);
        }
        let (certificate, key) = self_signed::files(&self.data, self.public.as_deref(), now)?;
        certificate::read(&certificate, &key)
    }
}

/// Reads the certificate at an interval, as long as handshakes show it. The operator may have replaced it; a self-signed
/// one may expire soon or lack a new address of this machine.
async fn keep_fresh(files: Files, shown: Weak<Shown>, clock: Clock) {
    let mut interval = interval(FRESH);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut is_known = false;
    loop {
        interval.tick().await;
        let Some(shown) = shown.upgrade() else { return };
        match files.read(clock.now()) {
            Ok(fresh) => {
                shown.show(fresh);
                is_known = false;
            }
            Err(error) if !is_known => {
                is_known = true;
                tracing::warn!(
                    error = causes(&error),
                    "the certificate could not be renewed; keeping the old one"
                );
            }
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const NOW: Millis = Millis::new(1_800_000_000_000);

    #[test]
    fn p4_files_that_are_no_certificate_are_named_in_the_error() {
        let folder = tempfile::tempdir().unwrap();
        let [certificate, key] = ["cert.pem", "key.pem"].map(|name| folder.path().join(name));
        fs::write(&certificate, "nonsense").unwrap();
        let files = Files {
            from: Tls::Files { certificate, key },
            public: None,
            data: folder.path().into(),
        };
        let Err(error) = files.read(NOW) else { panic!("accepted") };
        assert!(error.to_string().contains("key.pem"), "{error}");
    }

    fn chain(shown: &Shown) -> Vec<rustls::pki_types::CertificateDer<'static>> {
        shown.certificate().unwrap().cert.clone()
    }

    #[test]
    fn p4_browsers_take_a_certificate_for_its_names_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let shown = Arc::new(Shown::default());
        let names = ["beam.example.org".to_owned()].into();
        let certified = Certified { names, shown: Arc::downgrade(&shown) };
        let serves =
            |name: &str, days: u64| certified.serves(name, NOW + Duration::from_hours(24 * days));
        assert!(!serves("beam.example.org", 0), "there is none yet");

        let files = Files { from: Tls::SelfSigned, public: None, data: folder.path().into() };
        shown.show(files.read(NOW).unwrap());
        assert!(serves("Beam.example.org", 0) && serves("beam.example.org", 364));
        assert!(!serves("elsewhere.example.org", 0));
        assert!(!serves("beam.example.org", 366), "it has ended");
    }

    #[tokio::test(start_paused = true)]
    async fn p4_a_certificate_is_renewed_while_the_server_runs() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files { from: Tls::SelfSigned, public: None, data: folder.path().into() };
        let shown = Arc::new(Shown::default());
        shown.show(files.read(NOW).unwrap());
        let first = chain(&shown);
        let task = tokio::spawn(keep_fresh(files, Arc::downgrade(&shown), Clock::running(NOW)));

        tokio::time::sleep(Duration::from_hours(300 * 24)).await;
        assert_eq!(chain(&shown), first);
        tokio::time::sleep(Duration::from_hours(36 * 24)).await;
        assert_ne!(chain(&shown), first);

        drop(shown);
        task.await.unwrap();
    }

    /// Makes a certificate in this folder, and returns the options that name its files.
    fn operators(folder: &Path) -> Tls {
        let (certificate, key) = self_signed::files(folder, None, NOW).unwrap();
        Tls::Files { certificate, key }
    }

    #[tokio::test(start_paused = true)]
    async fn p4_the_operators_certificate_is_read_within_a_minute_of_its_change() {
        let [folder, other] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let from = operators(folder.path());
        let files = Files { from: from.clone(), public: None, data: folder.path().into() };
        let shown = Arc::new(Shown::default());
        shown.show(files.read(NOW).unwrap());
        let first = chain(&shown);
        tokio::spawn(keep_fresh(files, Arc::downgrade(&shown), Clock::running(NOW)));

        let (Tls::Files { certificate, key }, Tls::Files { certificate: c, key: k }) =
            (from, operators(other.path()))
        else {
            panic!("not files")
        };
        fs::write(&certificate, "half").unwrap();
        tokio::time::sleep(FRESH * 2).await;
        assert_eq!(chain(&shown), first, "what cannot be read changes nothing");
        fs::copy(c, certificate).unwrap();
        fs::copy(k, key).unwrap();
        tokio::time::sleep(FRESH * 2).await;
        assert_ne!(chain(&shown), first);
    }
}
