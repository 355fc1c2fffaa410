//! What keeps https from being served.

use std::io;
use std::path::PathBuf;

/// Why https cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{} cannot be used", .0.display())]
    File(PathBuf, #[source] io::Error),
    /// A file is not PEM, or not of the right kind.
    #[error("{} cannot be read", .0.display())]
    Pem(PathBuf, #[source] rustls::pki_types::pem::Error),
    /// What the ACME server gave is not PEM.
    #[error("the certificate of the ACME server cannot be read")]
    Given(#[source] rustls::pki_types::pem::Error),
    /// The certificate and its key do not match, or cannot be used.
    #[error("the certificate cannot be used")]
    Rustls(#[source] rustls::Error),
    /// A certificate cannot be made.
    #[error("the certificate cannot be made")]
    Making(#[source] rcgen::Error),
    /// ACME was asked for without a name.
    #[error("--tls acme needs the public name of this server: --domain beam.example.org")]
    NoDomain,
}
