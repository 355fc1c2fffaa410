use std::collections::BTreeMap;
use std::path::Path;

use heliograph_device::io::files::error::FileError;
use heliograph_device::io::files::received::Incoming;
use heliograph_device::io::files::target::Target;
use heliograph_device::piece_hash::PieceHash;
use heliograph_device::saved_names::NameRules;
use proptest::prelude::*;
use std::sync::Arc;
use tempfile::tempdir;

use crate::stage::{Disk, NOW, chunks, incoming, item, list, sample};

#[test]
fn a_file_comes_in_any_order_and_gets_its_name_at_the_end() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    let bytes = sample(40_000);
    let mut received = disk.receive(&incoming("letter.txt", 40_000));
    received.write(16_384, &bytes[16_384..]).unwrap();
    assert_eq!(disk.list().len(), 1, "only what is unfinished");
    received.write(0, &bytes[..16_384]).unwrap();
    assert_eq!(received.read(&disk.open, 10_000, 20_000).unwrap(), bytes[10_000..30_000]);
    let paths = received.finish(NOW).unwrap();
    assert_eq!(paths, [disk.target.path().join("letter.txt")]);
    assert_eq!(disk.list(), ["letter.txt"]);
    assert_eq!(std::fs::read(&paths[0]).unwrap(), bytes);
    assert_eq!(received.read(&disk.open, 10_000, 20_000).unwrap(), bytes[10_000..30_000]);
}

#[test]
fn an_empty_file_comes() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    assert_eq!(disk.receives(&incoming("empty", 0), &[]), ["empty"]);
    assert_eq!(std::fs::metadata(disk.path("empty")).unwrap().len(), 0);
}

#[test]
fn f1_a_file_keeps_the_time_of_its_bytes() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    let modified = Some(1_600_000_000_123);
    disk.receives(&Incoming { modified, ..incoming("old.txt", 3) }, b"abc");
    let there = std::fs::metadata(disk.path("old.txt")).unwrap().modified().unwrap();
    let since = there.duration_since(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(since.as_millis(), 1_600_000_000_123);
}

#[test]
fn f24_nothing_in_the_folder_is_overwritten() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    std::fs::write(disk.path("a.txt"), "mine").unwrap();
    std::fs::create_dir(disk.path("a (2).txt")).unwrap();
    assert_eq!(disk.receives(&incoming("a.txt", 3), b"new"), ["a (3).txt"]);
    assert_eq!(std::fs::read(disk.path("a.txt")).unwrap(), b"mine");
}

#[cfg(unix)]
#[test]
fn f24_a_symbolic_link_in_the_way_leads_nowhere() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    let outside = folder.path().join("outside");
    std::os::unix::fs::symlink(&outside, disk.path("a.txt")).unwrap();
    let part = format!(".{}.heliograph-part", item(1));
    std::os::unix::fs::symlink(&outside, disk.path(&part)).unwrap();
    assert_eq!(disk.receives(&incoming("a.txt", 3), b"new"), ["a (2).txt"]);
    assert!(!outside.exists());
    assert!(disk.path("a.txt").is_symlink());
}

#[cfg(unix)]
#[test]
fn what_took_the_place_of_a_part_is_not_written_to() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    disk.begins(&incoming("a", 40_000), 1);
    let part = disk.path(&format!(".{}.heliograph-part", item(1)));
    let outside = folder.path().join("outside");
    std::fs::write(&outside, sample(16_384)).unwrap();
    std::fs::remove_file(&part).unwrap();
    std::os::unix::fs::symlink(&outside, &part).unwrap();
    let mut received = disk.receive(&incoming("a", 40_000));
    assert_eq!(received.entry().durable(), [], "it begins anew");
    received.write(0, &[0; 100]).unwrap();
    assert_eq!(std::fs::read(&outside).unwrap(), sample(16_384));
}

#[test]
fn f24_hostile_names_stay_in_the_folder() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    let long = "x".repeat(4_096);
    let bell = "\u{1b}]0;owned\u{7}.txt";
    let names = [
        "../../escape",
        "/etc/passwd",
        "..",
        ".",
        "",
        " ",
        "a/b",
        "a\\b",
        "\0",
        "a\0b",
        "con",
        "NUL.txt",
        "a:b",
        "\u{202e}gpj.exe",
        bell,
        &long,
        "~",
        "-rf",
        "$(reboot)",
        "%2e%2e%2f",
        "‥/‥",
        "\u{feff}",
        ".bashrc",
        "trailing. ",
        "\r\nx",
    ];
    for (number, name) in (1..).zip(names) {
        let file = Incoming { item: item(number), ..incoming(name, 1) };
        let saved = disk.receives(&file, b"x");
        assert!(disk.path(&saved[0]).is_file(), "{name:?} became {saved:?}");
        assert!(!saved[0].chars().any(char::is_control));
    }
    assert_eq!(disk.list().len(), names.len());
    assert_eq!(list(folder.path()).iter().filter(|name| !name.contains('/')).count(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn f24_any_name_stays_in_the_folder(name in "\\PC{0,300}|[./\\\\:*? a]{0,12}|.{0,40}") {
        let folder = tempdir().unwrap();
        let disk = Disk::at(folder.path());
        let saved = disk.receives(&incoming(&name, 1), b"x");
        prop_assert_eq!(disk.list(), saved);
        let own = if cfg!(windows) { NameRules::Windows } else { NameRules::Exact };
        prop_assert_eq!(&own.saved_name(&disk.list()[0]), &disk.list()[0]);
    }
}

#[test]
fn a_later_run_goes_on_from_what_was_entered() {
    let folder = tempdir().unwrap();
    let bytes = sample(40_000);
    {
        let disk = Disk::at(folder.path());
        let mut received = disk.receive(&incoming("a", 40_000));
        received.write(16_384, &bytes[16_384..32_768]).unwrap();
        received.keep(&[chunks(1, 1)], true, NOW).unwrap();
        received.write(0, &bytes[..16_384]).unwrap();
    }
    let disk = Disk::at(folder.path());
    let mut received = disk.receive(&incoming("a", 40_000));
    assert_eq!(received.entry().durable(), [chunks(1, 1)]);
    assert!(received.entry().is_paused);
    assert_eq!(received.read(&disk.open, 16_384, 16_384).unwrap(), bytes[16_384..32_768]);
    received.write(0, &bytes[..16_384]).unwrap();
    received.write(32_768, &bytes[32_768..]).unwrap();
    received.finish(NOW).unwrap();
    assert_eq!(std::fs::read(disk.path("a")).unwrap(), bytes);
}

#[test]
fn f1_bytes_of_another_time_or_size_begin_anew() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    let first = Incoming { modified: Some(1), ..incoming("a", 40_000) };
    for other in [
        Incoming { modified: Some(2), ..first.clone() },
        Incoming { modified: Some(1), ..incoming("a", 40_001) },
    ] {
        disk.begins(&first, 1);
        assert_eq!(disk.receive(&other).entry().durable(), []);
    }
}

#[test]
fn a_part_that_is_shorter_than_what_was_entered_is_not_believed() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    disk.begins(&incoming("a", 40_000), 2);
    let part = disk.path(&format!(".{}.heliograph-part", item(1)));
    std::fs::OpenOptions::new().write(true).open(part).unwrap().set_len(20_000).unwrap();
    assert_eq!(disk.receive(&incoming("a", 40_000)).entry().durable(), []);
}

#[test]
fn a_part_moves_to_another_folder_that_the_person_names() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    disk.begins(&incoming("a", 40_000), 1);
    let other = folder.path().join("other");
    std::fs::create_dir(&other).unwrap();
    let target = Arc::new(Target::open(&other).unwrap());
    let received = disk.store.receive(&target, &incoming("a", 40_000), NOW).unwrap();
    assert_eq!(received.entry().durable(), [chunks(0, 1)]);
    assert_eq!(received.read(&disk.open, 0, 16_384).unwrap(), sample(16_384));
    assert_eq!(disk.list(), [] as [String; 0]);
}

#[test]
fn two_programs_do_not_receive_one_file_at_once() {
    let folder = tempdir().unwrap();
    let one = Disk::at(folder.path());
    let other = Disk::at(folder.path());
    let received = one.receive(&incoming("a", 10));
    let refused = other.store.receive(&other.target, &incoming("a", 10), NOW);
    assert!(matches!(refused, Err(FileError::Busy)));
    assert!(matches!(other.store.find(&incoming("a", 10), NOW), Err(FileError::Busy)));
    assert!(matches!(other.store.forget(item(1)), Err(FileError::Busy)));
    drop(received);
    other.receive(&incoming("a", 10));
}

#[test]
fn what_is_beyond_the_end_is_refused() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    let mut received = disk.receive(&incoming("a", 10));
    for position in [1, 10, u64::MAX] {
        assert!(received.write(position, &[0; 10]).is_err());
    }
    assert!(received.finish(NOW).is_err(), "nothing has come");
    assert!(received.read(&disk.open, u64::MAX - 1, 10).is_err());
}

#[test]
fn f19_what_was_told_of_hashes_is_there_for_a_later_run() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    let told = BTreeMap::from([(0, PieceHash([1; 32])), (3, PieceHash([3; 32]))]);
    disk.receive(&incoming("a", 4_000_000));
    disk.store.journal().write_hashes(item(1), &told).unwrap();
    assert_eq!(Disk::at(folder.path()).store.journal().hashes(item(1)), told);
    disk.store.forget(item(1)).unwrap();
    assert_eq!(disk.store.journal().hashes(item(1)), BTreeMap::new());
}

#[test]
fn a_discarded_file_leaves_nothing() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    let mut received = disk.receive(&incoming("a", 40_000));
    received.write(0, &sample(16_384)).unwrap();
    received.keep(&[chunks(0, 1)], false, NOW).unwrap();
    received.discard();
    assert_eq!(disk.list(), [] as [String; 0]);
    disk.store.sweep(NOW).unwrap();
    assert_eq!(disk.state(), [] as [String; 0]);
}

#[cfg(unix)]
#[test]
fn a_folder_without_the_right_to_write_is_told() {
    use std::os::unix::fs::PermissionsExt as _;
    if rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    std::fs::set_permissions(disk.path(""), std::fs::Permissions::from_mode(0o500)).unwrap();
    let refused = disk.store.receive(&disk.target, &incoming("a", 10), NOW);
    assert!(matches!(refused, Err(FileError::NoAccess)));
}

#[test]
fn a_folder_that_is_not_there_is_told() {
    let folder = tempdir().unwrap();
    let missing = Target::open(&folder.path().join("missing"));
    assert!(matches!(missing, Err(FileError::Gone)));
    std::fs::write(folder.path().join("file"), "").unwrap();
    assert!(matches!(Target::open(Path::new(&folder.path().join("file"))), Err(FileError::Gone)));
}
