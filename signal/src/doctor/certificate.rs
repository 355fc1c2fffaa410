//! Judges a chain of certificates as a browser does, and takes any in a handshake, so that what is wrong can be named.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use heliograph_shared::time::Millis;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use time::OffsetDateTime;
use tracing::dispatcher::{Dispatch, with_default};

use super::report::Check;
use crate::https;

/// Below this the certificate should have been renewed.
const SOON: Duration = Duration::from_hours(14 * 24);
/// A time at which every certificate has ended: the year 2200.
const FAR: u64 = 7_258_118_400;

/// What is wrong with a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It ended, at this time in seconds since 1970.
    Expired(u64),
    /// It begins at this time.
    NotYet(u64),
    /// It is for these names.
    OtherName(String),
    /// Nobody whom this machine trusts has signed it.
    Untrusted,
    /// Something else.
    Other(String),
}

/// What a chain is like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The worst of what is wrong.
    pub fault: Option<Fault>,
    /// When it ends, in seconds since 1970.
    pub ends: Option<u64>,
    /// Whether a Heliograph server made it for itself (`--tls self-signed`).
    pub is_own: bool,
}

/// Examines a chain for a name.
#[must_use]
pub fn examine(
    chain: &[CertificateDer<'static>],
    name: Option<&ServerName<'_>>,
    now: Millis,
) -> Verdict {
    let now = u64::try_from(now.get() / 1_000).unwrap_or_default();
    let ends = match by_itself(chain, name, FAR) {
        Some(CertificateError::ExpiredContext { not_after, .. }) => Some(not_after.as_secs()),
        _ => None,
    };
    let fault = match by_itself(chain, name, now) {
        Some(CertificateError::ExpiredContext { not_after, .. }) => {
            Some(Fault::Expired(not_after.as_secs()))
        }
        Some(CertificateError::NotValidYetContext { not_before, .. }) => {
            Some(Fault::NotYet(not_before.as_secs()))
        }
        Some(CertificateError::NotValidForNameContext { presented, .. }) if name.is_some() => {
            let names: Vec<_> = presented.iter().map(|name| plain(name)).collect();
            Some(Fault::OtherName(names.join(", ")))
        }
        None | Some(CertificateError::NotValidForNameContext { .. }) => {
            name.and_then(|name| by_the_system(chain, name, now))
        }
        Some(CertificateError::UnknownIssuer) => Some(Fault::Untrusted),
        Some(other) => Some(Fault::Other(other.to_string())),
    };
    Verdict { fault, ends, is_own: chain.first().is_some_and(|first| https::is_self_made(first)) }
}

/// A name as the library tells it, such as `DnsName("localhost")` and `IpAddress(127.0.0.1)`, as a person writes it.
fn plain(name: &str) -> String {
    let inner = name.split_once('(').and_then(|(_, inner)| inner.strip_suffix(')'));
    let name = inner.unwrap_or(name).trim_matches('"');
    // The library writes `::1` as `0::1`.
    name.parse::<IpAddr>().map_or_else(|_| name.to_owned(), |address| address.to_string())
}

/// What is wrong if the chain itself is trusted: dates and names.
fn by_itself(
    chain: &[CertificateDer<'static>],
    name: Option<&ServerName<'_>>,
    now: u64,
) -> Option<CertificateError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(chain.iter().cloned());
    let verifier =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider()).build().ok()?;
    verify(&*verifier, chain, name, now)
}

fn by_the_system(
    chain: &[CertificateDer<'static>],
    name: &ServerName<'_>,
    now: u64,
) -> Option<Fault> {
    let Ok(verifier) = rustls_platform_verifier::Verifier::new(provider()) else {
        return Some(Fault::Untrusted);
    };
    // The library logs what it refuses, and here that is a finding.
    let refused = with_default(&Dispatch::none(), || verify(&verifier, chain, Some(name), now));
    refused.map(|error| match error {
        CertificateError::UnknownIssuer => Fault::Untrusted,
        other => Fault::Other(other.to_string()),
    })
}

fn verify(
    verifier: &dyn ServerCertVerifier,
    chain: &[CertificateDer<'static>],
    name: Option<&ServerName<'_>>,
    now: u64,
) -> Option<CertificateError> {
    let [first, rest @ ..] = chain else { return Some(CertificateError::BadEncoding) };
    let nobody = ServerName::try_from("name.invalid").ok()?;
    let now = UnixTime::since_unix_epoch(Duration::from_secs(now));
    match verifier.verify_server_cert(first, rest, name.unwrap_or(&nobody), &[], now) {
        Ok(_) => None,
        Err(Error::InvalidCertificate(error)) => Some(error),
        Err(error) => Some(CertificateError::Other(rustls::OtherError(Arc::new(error)))),
    }
}

/// Says what to do about a certificate.
#[must_use]
pub fn judge(check: &'static str, verdict: &Verdict, now: Millis) -> Check {
    let ends = verdict.ends.map_or_else(|| "an unknown day".to_owned(), day);
    match &verdict.fault {
        Some(Fault::Expired(ended)) => Check::failed(
            check,
            format!("The certificate expired on {}.", day(*ended)),
            "Renew the certificate, and look at why it was not renewed by itself.",
        ),
        Some(Fault::NotYet(begins)) => Check::failed(
            check,
            format!("The certificate is valid only from {} on.", day(*begins)),
            "Set this machine's clock, or use a certificate that is valid already.",
        ),
        Some(Fault::OtherName(names)) => Check::failed(
            check,
            format!("The certificate is for another name: {names}."),
            if verdict.is_own {
                "Start the server with --public-url and the address by which devices open it: the certificate that it \
                 makes is then for that, too."
            } else {
                "Use a certificate for the name by which devices open the server."
            },
        ),
        Some(Fault::Untrusted) if verdict.is_own => Check::warning(
            check,
            format!(
                "The server made the certificate for itself, so browsers warn of it once. It ends on {ends}."
            ),
            "Tell people to accept the warning, or use a certificate of a public authority.",
        ),
        Some(Fault::Untrusted) => Check::warning(
            check,
            format!("Nobody whom this machine trusts signed the certificate. It ends on {ends}."),
            "Tell people to accept the warning once, or use a certificate of a public authority with its whole chain.",
        ),
        Some(Fault::Other(why)) => Check::failed(
            check,
            format!("Browsers refuse the certificate: {why}."),
            "Use a certificate of a public authority, or --tls self-signed.",
        ),
        None if verdict.ends.is_some_and(|ends| is_soon(ends, now)) => Check::warning(
            check,
            format!("The certificate ends on {ends}."),
            "Renew the certificate before that day.",
        ),
        None => Check::ok(check, format!("The certificate is good until {ends}.")),
    }
}

fn is_soon(ends: u64, now: Millis) -> bool {
    let now = u64::try_from(now.get() / 1_000).unwrap_or_default();
    ends < now.saturating_add(SOON.as_secs())
}

fn day(unix: u64) -> String {
    let time = i64::try_from(unix).map(OffsetDateTime::from_unix_timestamp);
    let Ok(Ok(time)) = time else { return "an unknown day".to_owned() };
    format!("{}-{:02}-{:02}", time.year(), u8::from(time.month()), time.day())
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// A configuration that takes every certificate: it is examined after the handshake.
///
/// # Errors
/// [`Error`] never happens with these protocols.
pub fn takes_any() -> Result<ClientConfig, Error> {
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()?
        .dangerous();
    let config = builder.with_custom_certificate_verifier(Arc::new(TakesAny(provider())));
    Ok(config.with_no_client_auth())
}

#[derive(Debug)]
struct TakesAny(Arc<CryptoProvider>);

impl ServerCertVerifier for TakesAny {
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
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_as_a_person_writes_them() {
        for (told, name) in [
            ("DnsName(\"localhost\")", "localhost"),
            ("IpAddress(127.0.0.1)", "127.0.0.1"),
            ("IpAddress(0::1)", "::1"),
            ("beam.example.org", "beam.example.org"),
        ] {
            assert_eq!(plain(told), name);
        }
    }
}
