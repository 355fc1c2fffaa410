//! How full a disk is.

use std::path::PathBuf;

/// The share of a folder's disk that would be used with this many bytes more, in thousandths.
pub(crate) async fn fullness(folder: PathBuf, more: u64) -> std::io::Result<u64> {
    let disk = tokio::task::spawn_blocking(move || fs4::statvfs(folder)).await??;
    // Like `df`: space that is reserved for root is not available.
    let used = disk.total_space().saturating_sub(disk.free_space());
    let usable = used.saturating_add(disk.available_space());
    Ok(used.saturating_add(more).saturating_mul(1_000) / usable.max(1))
}
