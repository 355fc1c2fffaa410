//! The certificate that handshakes show, and the files from which it comes.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use heliograph_shared::time::Millis;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use x509_parser::prelude::{FromDer as _, GeneralName, X509Certificate};

use crate::https::error::Error;

/// The protocol by which an ACME server asks for the proof of a name (RFC 8737, section 4).
pub const ACME_PROTOCOL: &[u8] = b"acme-tls/1";

/// The certificates for the handshakes. They change while the server runs.
#[derive(Debug, Default)]
pub struct Shown {
    /// For everybody. Without one, handshakes fail.
    certificate: RwLock<Option<Arc<CertifiedKey>>>,
    /// For the ACME server, by name.
    proofs: RwLock<HashMap<String, Arc<CertifiedKey>>>,
}

impl Shown {
    /// The certificate for everybody.
    pub fn certificate(&self) -> Option<Arc<CertifiedKey>> {
        self.certificate.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Shows another certificate from now on.
    pub fn show(&self, certificate: CertifiedKey) {
        let mut shown = self.certificate.write().unwrap_or_else(PoisonError::into_inner);
        *shown = Some(Arc::new(certificate));
    }

    /// Shows these proofs of names to the ACME server, and no others.
    pub fn prove(&self, proofs: HashMap<String, Arc<CertifiedKey>>) {
        *self.proofs.write().unwrap_or_else(PoisonError::into_inner) = proofs;
    }

    fn proof(&self, name: &str) -> Option<Arc<CertifiedKey>> {
        self.proofs.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

impl ResolvesServerCert for Shown {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let asks_for_proof =
            hello.alpn().is_some_and(|mut protocols| protocols.any(|p| p == ACME_PROTOCOL));
        if asks_for_proof {
            return self.proof(hello.server_name()?);
        }
        self.certificate()
    }
}

/// Reads a certificate chain and its key, both PEM.
///
/// # Errors
/// [`Error`] when a file cannot be read, or the key is not the certificate's.
pub fn read(certificate: &Path, key: &Path) -> Result<CertifiedKey, Error> {
    let pem = |path: &Path| {
        let path = path.to_owned();
        move |error| Error::Pem(path, error)
    };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(pem(certificate))?;
    fit(chain, PrivateKeyDer::from_pem_file(key).map_err(pem(key))?)
}

/// Checks that a file has a certificate that others can be traced to.
///
/// # Errors
/// [`Error`] when it has none.
pub fn check_root(path: &Path) -> Result<(), Error> {
    let root = CertificateDer::from_pem_file(path);
    let root = root.map_err(|error| Error::Pem(path.to_owned(), error))?;
    rustls::RootCertStore::empty().add(root).map_err(Error::Rustls)
}

/// Reads a key and its certificate chain from one text.
///
/// # Errors
/// [`Error`] when one of them is not there, or the key is not the certificate's.
pub fn parse(pem: &str) -> Result<CertifiedKey, Error> {
    let chain = CertificateDer::pem_slice_iter(pem.as_bytes());
    let chain = chain.collect::<Result<_, _>>().map_err(Error::Given)?;
    fit(chain, PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(Error::Given)?)
}

fn fit(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<CertifiedKey, Error> {
    let provider = rustls::crypto::ring::default_provider();
    CertifiedKey::from_der(chain, key, &provider).map_err(Error::Rustls)
}

/// What a certificate says of itself.
#[derive(Debug, PartialEq, Eq)]
pub struct About {
    /// The first moment at which it is valid.
    pub begins: Millis,
    /// The last.
    pub ends: Millis,
    /// The names in the DNS that it is for, sorted.
    pub names: Vec<String>,
}

impl About {
    /// Reads the first certificate of a chain; `None` without a readable one.
    #[must_use]
    pub fn of(certificate: &CertifiedKey) -> Option<Self> {
        let (_, first) = X509Certificate::from_der(certificate.cert.first()?).ok()?;
        let at = |seconds: i64| Millis::new(seconds.saturating_mul(1000));
        let validity = first.validity();
        let names = first.subject_alternative_name().ok().flatten();
        let names = names.map(|names| &names.value.general_names[..]).unwrap_or_default();
        let mut names: Vec<_> = names
            .iter()
            .filter_map(|name| match name {
                GeneralName::DNSName(name) => Some((*name).to_owned()),
                _ => None,
            })
            .collect();
        names.sort_unstable();
        Some(Self {
            begins: at(validity.not_before.timestamp()),
            ends: at(validity.not_after.timestamp()),
            names,
        })
    }
}

/// Writes a file that only its owner can read, from its first byte on. It takes the place of an older one as a whole.
///
/// # Errors
/// [`Error::File`].
pub fn write_private(path: &Path, text: &str) -> Result<(), Error> {
    let write = || {
        let new = path.with_extension("new");
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    write().map_err(|error| Error::File(path.to_owned(), error))
}
