//! What the system tells about this process. Only Linux does.

use std::fs;

/// What the process uses now.
#[derive(Clone, Copy, Debug, Default)]
pub struct Process {
    /// Memory that is in use and not swapped out.
    pub resident_bytes: Option<u64>,
    /// Open files and connections.
    pub open_files: Option<u64>,
    /// How many there may be.
    pub most_files: Option<u64>,
}

impl Process {
    /// Reads all of it.
    #[must_use]
    pub fn read() -> Self {
        let open = fs::read_dir("/proc/self/fd").ok().map(Iterator::count);
        Self {
            resident_bytes: resident(&fs::read_to_string("/proc/self/status").unwrap_or_default()),
            open_files: open.and_then(|open| u64::try_from(open).ok()),
            most_files: most_files(),
        }
    }
}

fn resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

#[cfg(unix)]
fn most_files() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(not(unix))]
fn most_files() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_is_read_from_what_the_system_writes() {
        assert_eq!(
            resident("VmHWM:\t  9 kB\nVmRSS:\t    5124 kB\nRssAnon:\t1 kB"),
            Some(5_246_976)
        );
        assert_eq!(resident("Name:\theliograph"), None);
    }
}
