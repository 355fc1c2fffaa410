//! What the operating system tells about a disk, and is told about a file.

use std::fs::File;
#[cfg(target_os = "linux")]
use std::num::NonZero;
use std::path::PathBuf;

/// Bytes that the system is asked to read ahead, into memory that it can take back at any time.
#[cfg(target_os = "linux")]
const AHEAD: u64 = 4 * 1024 * 1024;

/// Asks the system to read what follows in a file, so that the disk is busy while earlier bytes are sent. The system does
/// so by itself only where reads come in order, and those of several threads do not.
#[cfg(target_os = "linux")]
pub(crate) fn read_ahead(file: &File, from: u64) {
    // It is only advice: where the system takes none, the file is read all the same.
    let _ = rustix::fs::fadvise(file, from, NonZero::new(AHEAD), rustix::fs::Advice::WillNeed);
}

/// Only Linux is asked.
#[cfg(not(target_os = "linux"))]
pub(crate) fn read_ahead(_file: &File, _from: u64) {}

/// The share of a folder's disk that would be used with this many bytes more, in thousandths.
pub(crate) async fn fullness(folder: PathBuf, more: u64) -> std::io::Result<u64> {
    let disk = tokio::task::spawn_blocking(move || fs4::statvfs(folder)).await??;
    // Like `df`: space that is reserved for root is not available.
    let used = disk.total_space().saturating_sub(disk.free_space());
    let usable = used.saturating_add(disk.available_space());
    Ok(used.saturating_add(more).saturating_mul(1_000) / usable.max(1))
}
