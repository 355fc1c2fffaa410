//! The certificate that the server makes for this machine's own names and addresses.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use heliograph_shared::time::Millis;
use rcgen::{CertificateParams, DnType, KeyPair};
use time::OffsetDateTime;

use crate::https::certificate::write_private;
use crate::https::error::Error;
use crate::network;

const DAY: Duration = Duration::from_hours(24);
/// Validity in days. Browsers refuse certificates that are valid for much longer.
const VALID_DAYS: u32 = 365;
/// Days before its end at which a certificate is replaced.
const RENEW_DAYS: u32 = 30;

/// By whom it is, in the words of the certificate.
pub const COMMON_NAME: &str = "Heliograph on this network";

/// The files of a good certificate and its key, which are made if there are none. `public` is a name or an address
/// besides the machine's own.
///
/// # Errors
/// [`Error`] when they can neither be read nor made.
pub fn files(data: &Path, public: Option<&str>, now: Millis) -> Result<(PathBuf, PathBuf), Error> {
    self_signed(data, &names(public), now)
}

/// Where a certificate and its key are kept.
#[must_use]
pub fn paths(data: &Path) -> (PathBuf, PathBuf) {
    let folder = data.join("tls");
    (folder.join("self-signed.pem"), folder.join("self-signed.key"))
}

/// The names and addresses under which this machine is opened.
fn names(public: Option<&str>) -> Vec<String> {
    let local = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    let addresses =
        local.into_iter().chain(network::addresses().unwrap_or_default()).map(|ip| ip.to_string());
    let mut names = vec!["localhost".to_owned()];
    if let Some(host) = network::host_name().filter(|host| host != "localhost") {
        names.push(format!("{host}.local"));
        names.push(host);
    }
    names.extend(addresses);
    if let Some(public) = public.filter(|public| !names.iter().any(|name| name == public)) {
        names.push(public.to_owned());
    }
    names
}

/// The files of a self-signed certificate for these names. Makes new ones unless those in the folder are good.
fn self_signed(data: &Path, names: &[String], now: Millis) -> Result<(PathBuf, PathBuf), Error> {
    let folder = data.join("tls");
    let (certificate, key) = paths(data);
    let about = folder.join("self-signed.txt");
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
    params.distinguished_name.push(DnType::CommonName, COMMON_NAME);
    // A day in the past, for devices whose clocks are behind.
    params.not_before = at(now - DAY);
    params.not_after = at(ends);
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?;
    Ok((certificate.pem(), key.serialize_pem()))
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

    #[test]
    fn p4_a_certificate_is_for_the_public_name_or_address_too() {
        for public in ["beam.example.org", "203.0.113.9", "2001:db8::9"] {
            let own = names(Some(public));
            assert_eq!(own.last().map(String::as_str), Some(public));
            assert_eq!(own.len(), names(None).len() + 1);
            assert!(make(&own, NOW, NOW + DAY).is_ok());
        }
        assert_eq!(names(Some("localhost")), names(None));
    }

    #[cfg(unix)]
    #[test]
    fn p4_the_key_is_for_its_owner_only() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (_, key) = self_signed(folder.path(), &["localhost".to_owned()], NOW).unwrap();
        assert_eq!(fs::metadata(key).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
