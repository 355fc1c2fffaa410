//! A disk that is full: a small one of its own, where the test may mount one.

use std::path::Path;
use std::process::Command;

use heliograph_device::io::files::error::FileError;
use heliograph_device::io::files::received::Incoming;
use tempfile::{TempDir, tempdir};

use crate::stage::{Disk, NOW, chunks, incoming, item, sample};

const DISK_BYTES: u64 = 4 * 1024 * 1024;

struct SmallDisk(TempDir);

impl SmallDisk {
    /// `None` where no disk can be mounted.
    fn mount() -> Option<Self> {
        let folder = tempdir().unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"])
            .arg(folder.path())
            .output();
        mount.is_ok_and(|done| done.status.success()).then_some(Self(folder))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}

#[test]
fn a_file_that_is_larger_than_the_disk_is_refused_at_once() {
    let Some(small) = SmallDisk::mount() else { return };
    let disk = Disk::at(small.path());
    let refused = disk.store.receive(&disk.target, &incoming("a", DISK_BYTES + 1), NOW);
    assert!(matches!(refused, Err(FileError::NoRoom)));
    assert_eq!(disk.list(), [] as [String; 0]);
}

#[test]
fn a_disk_that_fills_up_is_told_and_the_part_stays() {
    let Some(small) = SmallDisk::mount() else { return };
    let disk = Disk::at(small.path());
    let size = 2 * 1024 * 1024;
    let file = incoming("a", size);
    let mut received = disk.receive(&file);
    received.write(0, &sample(16_384)).unwrap();
    received.keep(&[chunks(0, 1)], false, NOW).unwrap();
    let filler = small.path().join("filler");
    std::fs::write(&filler, sample(DISK_BYTES as usize)).unwrap_err();
    let refused = received.write(16_384, &sample(1_000_000));
    assert!(matches!(refused, Err(FileError::DiskFull)), "{refused:?}");
    assert!(matches!(received.keep(&[chunks(0, 2)], false, NOW), Err(FileError::DiskFull)));
    drop(received);
    let refused = disk.store.receive(&disk.target, &file, NOW);
    assert!(matches!(refused, Err(FileError::DiskFull)));

    std::fs::remove_file(&filler).unwrap();
    let mut received = disk.receive(&file);
    assert_eq!(received.entry().durable(), [chunks(0, 1)], "what was entered before holds");
    let bytes = sample(size as usize);
    received.write(16_384, &bytes[16_384..]).unwrap();
    received.finish(NOW).unwrap();
    assert_eq!(std::fs::read(disk.path("a")).unwrap(), bytes);
}

#[test]
fn another_file_is_received_while_one_has_no_room() {
    let Some(small) = SmallDisk::mount() else { return };
    let disk = Disk::at(small.path());
    assert!(disk.store.receive(&disk.target, &incoming("a", DISK_BYTES + 1), NOW).is_err());
    let other = Incoming { item: item(2), ..incoming("b", 10) };
    assert_eq!(disk.receives(&other, &sample(10)), ["b"]);
}
