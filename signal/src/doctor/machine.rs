//! This machine: its folder, its disk, its limits, and its addresses.

use std::fs;
use std::io::{self, Write as _};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use heliograph_turn::peers::PeerPolicy;

use super::http::Place;
use super::report::Check;
use crate::app::Listening;
use crate::config::Config;
use crate::random;
use crate::start::{STAGING_FOLDER, descriptors};

const DATA: &str = "data folder";
const DISK: &str = "disk space";
const STAGING: &str = "disk for large files";
const FILES: &str = "open files";
const PUBLIC: &str = "public address";
const QR: &str = "address in the QR code";

/// The folder itself, or what would contain it.
#[must_use]
pub fn data_folder(data: &Path) -> Check {
    let existing = data.ancestors().find(|folder| folder.exists());
    let existing = existing.unwrap_or_else(|| Path::new("."));
    let is_new = existing != data;
    judge_folder(data, is_new, try_folder(existing))
}

fn try_folder(folder: &Path) -> io::Result<()> {
    let name = u64::from_ne_bytes(random::bytes().map_err(io::Error::other)?);
    let probe = folder.join(format!(".heliograph-doctor-{name:016x}"));
    create_probe(&probe)?;
    fs::remove_file(probe)
}

/// Only a new file, because one that exists, or a link, is not the doctor's to overwrite.
fn create_probe(probe: &Path) -> io::Result<()> {
    let mut file = fs::File::create_new(probe)?;
    file.write_all(b"The doctor wrote this, and it may be deleted.")
}

fn judge_folder(data: &Path, is_new: bool, tried: io::Result<()>) -> Check {
    let data = data.display();
    match tried {
        Ok(()) if is_new => Check::ok(DATA, format!("{data} can be created.")),
        Ok(()) => Check::ok(DATA, format!("{data} can be written.")),
        Err(error) => Check::failed(
            DATA,
            format!("{data} cannot be written: {error}."),
            "Let the user who runs Heliograph write there (chown, or a mount that is not read-only), or name another \
             folder with --data.",
        ),
    }
}

/// The disk of the files, and of the database.
#[must_use]
pub fn disk(config: &Config) -> Check {
    let heliograph_storage::blobs::Location::Folder(folder) = config.blobs() else {
        return judge_disk(Usage::of(&config.data), 100, &config.data);
    };
    judge_disk(Usage::of(&folder), u64::from(config.uploads.disk_share), &folder)
}

/// The disk on which uploads in pieces are collected (H45), wherever they are stored afterwards.
#[must_use]
pub fn staging_disk(config: &Config) -> Check {
    let (folder, limits) = (config.data.join(STAGING_FOLDER), &config.uploads);
    let largest = limits.account_file.0.max(limits.guest_file.0);
    judge_staging(Usage::of(&folder), u64::from(limits.disk_share), largest, &folder)
}

/// What is used of a disk, like `df`: space that is reserved for root does not count.
#[derive(Clone, Copy, Debug)]
struct Usage {
    used: u64,
    usable: u64,
}

impl Usage {
    /// Of the disk of a folder, or of what would contain it.
    #[cfg(unix)]
    fn of(folder: &Path) -> Option<Self> {
        let existing = folder.ancestors().find(|folder| folder.exists())?;
        let disk = rustix::fs::statvfs(existing).ok()?;
        let used = disk.f_blocks.saturating_sub(disk.f_bfree);
        let usable = used.saturating_add(disk.f_bavail);
        let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
        Some(Self { used: bytes(used), usable: bytes(usable) })
    }

    #[cfg(not(unix))]
    fn of(_: &Path) -> Option<Self> {
        None
    }

    /// The used share in percent.
    fn percent(self) -> u64 {
        (self.used / (self.usable / 1_000).max(1)) / 10
    }

    /// Bytes that are left of a share in percent.
    fn left_of(self, share: u64) -> u64 {
        (self.usable / 100).saturating_mul(share).saturating_sub(self.used)
    }
}

fn judge_staging(usage: Option<Usage>, share: u64, largest: u64, folder: &Path) -> Check {
    let Some(usage) = usage else {
        return Check::skipped(STAGING, "The system does not tell how full the disk is.");
    };
    let left = usage.left_of(share);
    let seen = format!(
        "Files that come in pieces are collected in {}, which has {} of {share} % left; the largest file may have {}.",
        folder.display(),
        in_gib(left),
        in_gib(largest),
    );
    if left < largest {
        let advice = "Make room on that disk, or name a larger one with --data; until then large files are refused.";
        return Check::warning(STAGING, seen, advice);
    }
    Check::ok(STAGING, seen)
}

fn in_gib(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10) >> 30;
    format!("{}.{} GiB", tenths / 10, tenths % 10)
}

fn judge_disk(usage: Option<Usage>, share: u64, folder: &Path) -> Check {
    let Some(full) = usage.map(Usage::percent) else {
        return Check::skipped(DISK, "The system does not tell how full the disk is.");
    };
    let seen =
        format!("The disk of {} is full to {full} %, of {share} % allowed.", folder.display());
    if full >= share {
        let advice =
            "Make room on the disk, or allow more with --disk-share; until then files are refused.";
        Check::failed(DISK, seen, advice)
    } else if full + 5 >= share {
        Check::warning(
            DISK,
            seen,
            "Make room on the disk soon: beyond that share files are refused.",
        )
    } else {
        Check::ok(DISK, seen)
    }
}

/// Whether the limit on open files leaves the configured connections.
#[must_use]
pub fn open_files(config: &Config) -> Check {
    let limit = descriptors::raise();
    let each = descriptors::of_connection(config);
    let connections = descriptors::connections(config.connections, limit, each);
    judge_files(limit, config.connections, connections)
}

fn judge_files(limit: Option<usize>, configured: usize, connections: usize) -> Check {
    let limit = limit.map_or_else(|| "no limit".to_owned(), |limit| limit.to_string());
    let seen = format!("{limit} allowed: enough for {connections} connections.");
    if connections < configured {
        let advice = "Raise the limit for many devices (LimitNOFILE=524288 in the systemd unit, ulimits in compose.yaml).";
        return Check::warning(FILES, seen, advice);
    }
    Check::ok(FILES, seen)
}

/// The addresses that the page offers to other devices.
#[must_use]
pub fn addresses(config: &Config) -> Check {
    let listening = Listening {
        plain: config.listen,
        tls: config.tls.address(config.listen.ip()),
        metrics: None,
    };
    let public = config.public_url.as_ref().map(|url| url.as_str().to_owned());
    judge_address(public.or_else(|| listening.network_url()))
}

fn judge_address(told: Option<String>) -> Check {
    match told {
        Some(url) => Check::ok(QR, format!("Other devices are told {url}.")),
        None => Check::warning(
            QR,
            "Other devices are told no address: the server listens for this machine only.",
            "Listen on every address with --listen [::]:8080, or name the address of your proxy with --public-url.",
        ),
    }
}

/// Whether the public name leads somewhere, and whether everybody reaches that.
pub async fn public_address(config: &Config) -> (Check, bool) {
    let Some(url) = &config.public_url else {
        return (
            Check::skipped(PUBLIC, "No --public-url is given: for a local network that is right."),
            false,
        );
    };
    let found = Place::of(url).addresses().await.ok();
    let found = found.map(|found| found.iter().map(SocketAddr::ip).collect::<Vec<_>>());
    let is_public = found.iter().flatten().any(|ip| is_on_the_internet(*ip));
    (judge_public(url.host(), found.as_deref()), is_public)
}

fn judge_public(host: &str, found: Option<&[IpAddr]>) -> Check {
    match found {
        None | Some([]) => Check::failed(
            PUBLIC,
            format!("{host} leads to no address."),
            "Make an A or AAAA record for the name at your DNS provider, or correct --public-url.",
        ),
        Some(found) if found.iter().all(IpAddr::is_loopback) => Check::warning(
            PUBLIC,
            format!("{host} leads to this machine only."),
            "Let the name lead to the address at which other devices reach this machine.",
        ),
        Some(found) => {
            let found: Vec<_> = found.iter().map(ToString::to_string).collect();
            Check::ok(PUBLIC, format!("{host} leads to {}.", found.join(", ")))
        }
    }
}

/// Whether everybody on the internet could reach this address.
#[must_use]
pub fn is_on_the_internet(ip: IpAddr) -> bool {
    PeerPolicy::default().permits(ip.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::report::State;

    #[test]
    fn a_disk_is_judged_by_its_share() {
        let folder = Path::new("/srv");
        for (percent, state) in [
            (None, State::Skipped),
            (Some(74), State::Ok),
            (Some(75), State::Warning),
            (Some(80), State::Failed),
        ] {
            let usage = percent.map(|percent| Usage { used: percent << 20, usable: 100 << 20 });
            assert_eq!(judge_disk(usage, 80, folder).state, state, "{percent:?}");
        }
    }

    #[test]
    fn the_disk_on_which_pieces_are_collected_has_room_for_the_largest_file() {
        let judge = |used| {
            let usage = Some(Usage { used, usable: 100 << 30 });
            judge_staging(usage, 80, 2 << 30, Path::new("/srv/staging"))
        };
        assert_eq!(judge(78 << 30).state, State::Ok);
        let tight = judge((78 << 30) + 1_000_000_000);
        assert_eq!(tight.state, State::Warning);
        assert!(tight.seen.contains("has 1.0 GiB of 80 % left"), "{}", tight.seen);
        assert_eq!(judge(90 << 30).state, State::Warning);
        let unknown = judge_staging(None, 80, 1, Path::new("/srv/staging"));
        assert_eq!(unknown.state, State::Skipped);
    }

    #[test]
    fn too_few_open_files_and_no_address_are_warnings() {
        assert_eq!(judge_files(Some(1_024), 16_384, 768).state, State::Warning);
        assert_eq!(judge_files(None, 16_384, 16_384).state, State::Ok);
        assert_eq!(judge_address(None).state, State::Warning);
        assert_eq!(judge_address(Some("http://192.168.1.2:8080".to_owned())).state, State::Ok);
    }

    #[test]
    fn a_public_name_must_lead_somewhere() {
        assert_eq!(judge_public("a.example", None).state, State::Failed);
        let local = ["127.0.0.1".parse().unwrap()];
        assert_eq!(judge_public("a.example", Some(&local)).state, State::Warning);
        let there = ["93.184.216.34".parse().unwrap()];
        assert_eq!(judge_public("a.example", Some(&there)).state, State::Ok);
    }

    #[cfg(unix)]
    #[test]
    fn trying_a_folder_leaves_the_target_of_a_link_alone() {
        let folder = tempfile::tempdir().unwrap();
        let precious = folder.path().join("precious");
        fs::write(&precious, "kept").unwrap();
        let link = folder.path().join(".heliograph-doctor");
        std::os::unix::fs::symlink(&precious, &link).unwrap();
        try_folder(folder.path()).unwrap();
        assert_eq!(fs::read_to_string(&precious).unwrap(), "kept");
        assert!(create_probe(&link).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
