//! What a person is told about the certificate that the server made for itself.

use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use heliograph_shared::api::certificate::OwnCertificate;
use heliograph_shared::time::Millis;
use rustls::sign::CertifiedKey;
use sha2::{Digest as _, Sha256};
use x509_parser::prelude::{FromDer as _, GeneralName, X509Certificate};

use super::self_signed::COMMON_NAME;

/// Describes a certificate; `None` when it cannot be read.
#[must_use]
pub fn describe(certificate: &CertifiedKey) -> Option<OwnCertificate> {
    let der = certificate.cert.first()?;
    let (_, certificate) = X509Certificate::from_der(der).ok()?;
    let (mut names, mut addresses) = (Vec::new(), Vec::new());
    let for_whom = certificate.subject_alternative_name().ok().flatten();
    for name in for_whom.iter().flat_map(|names| &names.value.general_names) {
        match name {
            GeneralName::DNSName(name) => names.push((*name).to_owned()),
            GeneralName::IPAddress(bytes) => addresses.extend(address(bytes)),
            _ => {}
        }
    }
    let ends = certificate.validity().not_after.timestamp();
    let ends = Millis::new(ends.saturating_mul(1000));
    let addresses = addresses.iter().map(IpAddr::to_string).collect();
    Some(OwnCertificate { fingerprint: fingerprint(der), names, addresses, ends, pem: pem(der) })
}

/// Whether a Heliograph server made this certificate for itself.
#[must_use]
pub fn is_self_made(der: &[u8]) -> bool {
    let Ok((_, certificate)) = X509Certificate::from_der(der) else { return false };
    let mut names = certificate.subject().iter_common_name();
    let is_ours = names.any(|name| name.as_str() == Ok(COMMON_NAME));
    is_ours && certificate.subject() == certificate.issuer()
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    let v4 = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok()
}

fn fingerprint(der: &[u8]) -> String {
    let pairs: Vec<_> = Sha256::digest(der).iter().map(|byte| format!("{byte:02X}")).collect();
    pairs.join(":")
}

/// The text form of a certificate (RFC 7468): base64 in lines of 64 characters.
fn pem(der: &[u8]) -> String {
    let base64 = STANDARD.encode(der);
    let mut text = String::from("-----BEGIN CERTIFICATE-----\n");
    for (at, letter) in base64.chars().enumerate() {
        if at > 0 && at % 64 == 0 {
            text.push('\n');
        }
        text.push(letter);
    }
    text + "\n-----END CERTIFICATE-----\n"
}
