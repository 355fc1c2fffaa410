//! The options of `serve` about https.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

/// The ACME server of Let's Encrypt.
const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";
/// Port of the https listener, unless `--tls-listen` gives one.
const PORT: u16 = 8443;
/// The same with a certificate for a public name, which is asked for without a port. ACME servers look for the proof
/// of a name there (RFC 8737, section 3).
const PUBLIC_PORT: u16 = 443;

/// https.
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct Options {
    /// How to serve https: off, self-signed (the server makes a certificate for its addresses and --public-url), acme (it
    /// gets one for --domain by itself, and you agree to the terms of the ACME server), or two files CERT,KEY.
    #[arg(id = "tls", long, value_name = "TLS", env = "HELIOGRAPH_TLS", default_value = "off")]
    pub certificate: Tls,

    /// Address and port for https [default: host of --listen, port 8443; with acme, port 443].
    #[arg(id = "tls-listen", long, value_name = "ADDRESS", env = "HELIOGRAPH_TLS_LISTEN")]
    pub listen: Option<SocketAddr>,

    /// Public names of this server for the certificate of --tls acme, comma-separated. They must lead here, and port 443
    /// must be open: the ACME server looks there.
    #[arg(
        id = "domain",
        long = "domain",
        value_name = "NAME",
        env = "HELIOGRAPH_DOMAIN",
        value_delimiter = ','
    )]
    pub domains: Vec<Domain>,

    /// Mail address for the account at the ACME server, which may write to it about certificates.
    #[arg(id = "acme-contact", long, value_name = "MAIL", env = "HELIOGRAPH_ACME_CONTACT")]
    pub contact: Option<String>,

    /// Address of the ACME server's directory.
    #[arg(
        id = "acme-directory",
        long,
        value_name = "URL",
        env = "HELIOGRAPH_ACME_DIRECTORY",
        default_value = LETS_ENCRYPT
    )]
    pub directory: String,

    /// File with the root certificate (PEM) of an ACME server of your own. Without it, the system's are trusted.
    #[arg(id = "acme-root", long, value_name = "FILE", env = "HELIOGRAPH_ACME_ROOT")]
    pub root: Option<PathBuf>,
}

impl Options {
    /// Address of the https listener on this host; `None` with `--tls off`.
    #[must_use]
    pub fn address(&self, host: std::net::IpAddr) -> Option<SocketAddr> {
        let port = match self.certificate {
            Tls::Off => return None,
            Tls::Acme => PUBLIC_PORT,
            Tls::SelfSigned | Tls::Files { .. } => PORT,
        };
        Some(self.listen.unwrap_or_else(|| SocketAddr::new(host, port)))
    }

    /// The public address that the certificate is for: `https://` and the first domain. `None` without ACME.
    #[must_use]
    pub fn public_url(&self) -> Option<String> {
        let domain = self.domains.first().filter(|_| self.certificate == Tls::Acme)?;
        Some(format!("https://{}", domain.0))
    }
}

/// Where the certificate comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tls {
    /// http only, for example behind a proxy that terminates TLS.
    Off,
    /// The server makes one for this machine.
    SelfSigned,
    /// From an ACME server.
    Acme,
    /// The operator's. Both files are PEM.
    Files {
        /// The certificate chain.
        certificate: PathBuf,
        /// The private key.
        key: PathBuf,
    },
}

impl FromStr for Tls {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "off" => Ok(Self::Off),
            "self-signed" => Ok(Self::SelfSigned),
            "acme" => Ok(Self::Acme),
            _ => match text.split_once(',') {
                Some((certificate, key)) if !certificate.is_empty() && !key.is_empty() => {
                    Ok(Self::Files { certificate: certificate.into(), key: key.into() })
                }
                _ => Err("expected off, self-signed, acme, or two files as CERT,KEY"),
            },
        }
    }
}

/// A name in the DNS with at least one dot, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain(pub String);

impl FromStr for Domain {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "expected a name such as beam.example.org, without https:// and port";
        let is_label = |label: &str| {
            (1..=63).contains(&label.len())
                && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        let labels: Vec<_> = text.split('.').collect();
        let is_address = text.parse::<std::net::Ipv4Addr>().is_ok();
        let is_name = labels.len() > 1
            && text.len() <= 253
            && labels.into_iter().all(is_label)
            && !is_address;
        is_name.then(|| Self(text.to_ascii_lowercase())).ok_or(WRONG)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p4_a_domain_is_a_name_and_nothing_else() {
        let domain = |text: &str| text.parse::<Domain>().map(|Domain(name)| name);
        assert_eq!(domain("Beam.Example.org").as_deref(), Ok("beam.example.org"));
        for wrong in [
            "",
            "localhost",
            "https://beam.example.org",
            "beam.example.org:443",
            "192.0.2.1",
            "beam..org",
            "-a.org",
            "*.example.org",
            "a b.org",
        ] {
            assert!(domain(wrong).is_err(), "{wrong}");
        }
    }
}
