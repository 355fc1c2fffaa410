//! A disk that is soon full: 64 MiB of memory, mounted as root, or with sudo as in `scripts/install-test-tools`.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

pub struct SmallDisk {
    folder: TempDir,
}

impl SmallDisk {
    pub fn mount() -> Self {
        let disk = Self { folder: tempfile::tempdir().unwrap() };
        as_root("mount", &["-t", "tmpfs", "-o", "size=64m,mode=777", "tmpfs"], disk.folder.path());
        disk
    }

    /// A folder on it.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().join("blobs")
    }

    /// An empty folder on it for the data of a server.
    pub fn data(&self) -> TempDir {
        tempfile::tempdir_in(self.folder.path()).unwrap()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        as_root("umount", &["--lazy"], self.folder.path());
    }
}

fn as_root(program: &str, arguments: &[&str], folder: &Path) {
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    let mut command = Command::new(if is_root { program } else { "sudo" });
    if !is_root {
        command.arg(program);
    }
    assert!(command.args(arguments).arg(folder).status().unwrap().success());
}
